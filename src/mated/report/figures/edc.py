"""Error against the share of comparisons discarded for poor quality."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mated.quality.reference_lines import theoretical_best
from mated.report.figures.style import (
    FigureSpec,
    Key,
    axis,
    band,
    color_of,
    dash_of,
    figure,
    line,
    several_labels,
    unit_share,
)
from mated.report.numbers_in_words import level_words, percent
from mated.report.thinning import thin_line

if TYPE_CHECKING:
    from mated.evaluation import QualityEvaluation

__all__ = ["edc_figure"]

_WORDS = {"fnm": "False non-match rate of what is kept", "fm": "False match rate of what is kept"}


def edc_figure(e: QualityEvaluation) -> FigureSpec:
    """Draw the curve of every quality algorithm up to the discard limit, with bands and lines to compare with."""
    limit, names = e.settings.limit, dict(zip(e.curves, several_labels(e.curves), strict=True))
    errors = e.settings.of_errors
    unit = 100.0 if errors or e.settings.type == "fc" else 1.0
    corners = {name: curve.corners(limit) for name, curve in e.curves.items()}
    bands = {name: e.band(name) for name in e.curves} if e.replicates else {}
    tops = [float(y.max()) for _, y in corners.values()] + [float(b.high.max()) for b in bands.values()]
    bottoms = [float(y.min()) for _, y in corners.values()] + [float(b.low.min()) for b in bands.values()]
    low = 0.0 if errors or unit == 100 else min(bottoms) - 0.05 * (max(tops) - min(bottoms))
    high = max(tops) + 0.06 * (max(tops) - low) or 1e-6
    data: list[dict[str, Any]] = []
    keys: list[Key] = []
    error = 0.0
    for index, b in enumerate(bands.values()):
        data.append(band(100 * b.discard, unit * np.maximum(b.low, low), unit * b.high, color_of(index)))
    hover = "discarded %{x:.3~r} %<br>" + ("error rate %{y:.3~r} %" if unit == 100 else "value %{y:.4~r}")
    for index, (name, (x, y)) in enumerate(corners.items()):
        placed = unit_share(x, 0.0, limit), unit_share(y, low, high)
        drawn = thin_line(x, y, placed)
        error = max(error, drawn.error)
        data.append(line(100 * drawn.x, unit * drawn.y, index, names[name], hover))
        keys.append(Key(name, color_of(index), dash=dash_of(index)))
    if bands:
        keys.append(Key(f"{level_words(e.level)} interval", "~c0", "band"))
    if errors:
        start = e.starting.value
        x = np.array([0.0, min(start, limit), limit])
        data.append(_reference(100 * x, 100 * np.asarray(theoretical_best(start, x)), "dash"))
        data.append(_reference([0, 100 * limit], [100 * start, 100 * start], "dot"))
        keys += [
            Key("best possible", "~muted", dash="dash"),
            Key(f"nothing discarded, {percent(start)}", "~muted", dash="dot"),
        ]
    first = next(iter(e.curves.values()))
    title = _WORDS.get(e.settings.type, first.quantity)
    y_axis = axis(title, range=[unit * low, unit * high], ticksuffix="\u00a0%" if unit == 100 else "", nticks=6)
    x_axis = axis("Discarded, poorest quality first", range=[0, 100 * limit], ticksuffix="\u00a0%", nticks=6)
    said = "; ".join(f"{name}: {_value(float(c(limit)), unit)}" for name, c in e.curves.items())
    return FigureSpec(
        data,
        figure(data, x_axis, y_axis),
        "Error against discarded share",
        f"Curves of the quality algorithms; with {100 * limit:g} % discarded: {said}.",
        "A good quality algorithm names the comparisons that go wrong: its curve falls quickly towards the best "
        "possible line."
        if errors
        else "Comparisons of poor quality are discarded from left to right.",
        tuple(keys),
        error,
    )


def _reference(x: Any, y: Any, dash: str) -> dict[str, Any]:
    trace = line(x, y, 0, "", "")
    trace.pop("hovertemplate")
    return trace | {"hoverinfo": "skip", "line": {"color": "~muted", "width": 1.3, "dash": dash}}


def _value(value: float, unit: float) -> str:
    return percent(value) if unit == 100 else f"{value:.4g}"
