"""Open-set searches: people not found against people found who are not enrolled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mated.plots.style import decade_at_or_below
from mated.report.figures.style import (
    FigureSpec,
    Key,
    axis,
    color_of,
    dash_of,
    figure,
    line,
    markers,
    percent_ticks,
    several_labels,
    unit_share,
)
from mated.report.numbers_in_words import percent
from mated.report.thinning import thin_steps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from mated.evaluation import Identification

__all__ = ["open_set_figure"]

_HOVER = "FPIR %{x:.3~r} %<br>FNIR %{y:.3~r} %"


def open_set_figure(members: Mapping[str, tuple[int, Identification]]) -> FigureSpec:
    """Draw FNIR against FPIR, both logarithmic; a rate of zero stands at the edge."""
    names = dict(zip(members, several_labels(members), strict=True))
    curves = {name: m.open_set for name, (_, m) in members.items()}
    left = min(decade_at_or_below(0.999 * _smallest(c.fpir)) for c in curves.values())
    smallest = min(_smallest(c.fnir) for c in curves.values())
    decade = decade_at_or_below(smallest)
    bottom = max(step * decade for step in (0.5, 1, 2, 5) if step * decade < smallest)
    data: list[dict[str, Any]] = []
    keys: list[Key] = []
    error = 0.0
    for name, (index, _) in members.items():
        c = curves[name]
        # Without a false positive the FNIR is that of the lowest threshold without one.
        first = max(int(np.searchsorted(c.fpir, 0.0, side="right")) - 1, 0)
        fpir, fnir = np.maximum(c.fpir[first:], left), np.maximum(c.fnir[first:], bottom)
        placed = unit_share(np.log10(fpir), np.log10(left), 0.0), unit_share(np.log10(fnir), np.log10(bottom), 0.0)
        drawn = thin_steps(fpir, fnir, placed, first_up=False)
        error = max(error, drawn.error)
        data.append(line(100 * drawn.x, 100 * drawn.y, index, names[name], _HOVER))
        keys.append(Key(name, color_of(index), dash=dash_of(index)))
    for name, (index, m) in members.items():
        points = [m.at_fpir(f).point for f in m.fpir_targets]
        x, y = ([100 * max(getattr(p, key), end) for p in points] for key, end in (("fpir", left), ("fnir", bottom)))
        data.append(markers(x, y, color_of(index), _HOVER, name=names[name]))
    said = "; ".join(
        f"{name}: {percent(m.at_fpir(f).point.fnir)} missed at a false positive rate of at most {100 * f:g} %"
        for name, (_, m) in members.items()
        for f in m.fpir_targets[-1:]
    )
    x_axis = axis("False-positive identification rate (FPIR)", **percent_ticks(100 * left, 100))
    y_axis = axis("False-negative identification rate (FNIR)", **percent_ticks(100 * bottom, 100))
    return FigureSpec(
        data,
        figure(data, x_axis, y_axis),
        "Open set: people missed against people wrongly found",
        f"False negatives against false positives of searches with a threshold. {said}.",
        "Lower left is better. FPIR: searches of people who are not enrolled that return somebody. FNIR: searches of "
        "enrolled people that do not find them.",
        tuple(keys),
        error,
    )


def _smallest(rates: NDArray[np.float64]) -> float:
    return float(rates[rates > 0].min(initial=1.0))
