"""How often the right person is found as the gallery grows: a forecast with its band, and what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mated.plots.roc import round_start
from mated.report.figures.cmc import count_ticks
from mated.report.figures.style import (
    FigureSpec,
    Key,
    axis,
    band,
    color_of,
    dash_of,
    figure,
    line,
    markers,
    several_labels,
)
from mated.report.numbers_in_words import count, level_words, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mated.evaluation import Identification, Prediction

__all__ = ["forecast_figure"]


def forecast_figure(
    predictions: Mapping[str, tuple[int, Prediction]], measured: Mapping[str, tuple[int, Identification]]
) -> FigureSpec:
    """Draw the predicted rate of the lowest rank against the size of the gallery, systems by their place."""
    names = dict(zip(predictions, several_labels(predictions), strict=True))
    first = next(iter(predictions.values()))[1]
    rank = first.galleries[0].ranks[0]
    data: list[dict[str, Any]] = []
    keys: list[Key] = []
    lowest, sizes = 1.0, []
    for name, (index, p) in predictions.items():
        size = np.array([g.gallery_size for g in p.galleries], dtype=np.float64)
        rate = np.array([g.rate[0] for g in p.galleries])
        sizes += size.tolist()
        lowest = min(lowest, float(rate.min()))
        if all(g.low is not None and g.high is not None for g in p.galleries):
            low = np.array([(g.low or (0.0,))[0] for g in p.galleries])
            high = np.array([(g.high or (0.0,))[0] for g in p.galleries])
            lowest = min(lowest, float(low.min()))
            data.append(band(size, 100 * low, 100 * high, color_of(index)))
        hover = "gallery of %{x:,d}<br>found %{y:.4~r} %"
        data.append(line(size, 100 * rate, index, names[name], hover, mode="lines+markers"))
        data[-1]["marker"] = {"color": color_of(index), "size": 6}
        keys.append(Key(f"{name}, predicted", color_of(index), dash=dash_of(index)))
    if any(trace.get("fill") for trace in data):
        keys.append(Key(f"{level_words(first.level)} interval", "~c0", "band"))
    for name, (index, m) in measured.items():
        if name not in predictions or rank > m.ranks.gallery_size:
            continue
        e = m.at_rank(rank)
        sizes.append(m.ranks.gallery_size)
        lowest = min(lowest, e.low)
        place = [m.ranks.gallery_size], [100 * e.value]
        dot = markers(*place, color_of(index), "measured %{y:.4~r} %", name=names[name])
        dot["marker"] |= {"symbol": "square", "size": 9}
        dot["error_y"] = {
            "type": "data", "symmetric": False, "array": [100 * (e.high - e.value)],
            "arrayminus": [100 * (e.value - e.low)], "color": color_of(index), "thickness": 1.3, "width": 4,
        }  # fmt: skip
        data.append(dot)
        keys.append(Key(f"{name}, measured", color_of(index), "square"))
    left, right = min(sizes), max(sizes)
    margin = 0.03 * max(np.log10(right / left), 0.5)
    x = axis(
        "People in the gallery",
        type="log",
        range=[np.log10(left) - margin, np.log10(right) + margin],
        **count_ticks(left, right),
    )
    y = axis(f"Found at rank {rank}", range=[100 * round_start(lowest), 100.4], ticksuffix="\u00a0%", nticks=7)
    shapes, notes = _beyond(first, right * 10**margin) if len(predictions) == 1 else ([], ())
    said = "; ".join(
        f"{name}: {percent(g.rate[0])} in a gallery of {count(g.gallery_size)}"
        for name, (_, p) in predictions.items()
        for g in (p.galleries[0], p.galleries[-1])
    )
    return FigureSpec(
        data,
        figure(data, x, y, shapes=shapes),
        "Forecast: what larger galleries would do",
        f"Predicted rank-{rank} rate against the size of the gallery. {said}.",
        "Predicted from verification scores: the more people are enrolled, the more others look like the one searched "
        "for." + (" Squares are searches that were made." if any(key.kind == "square" for key in keys) else ""),
        tuple(keys),
        notes=notes,
    )


def _beyond(prediction: Prediction, right: float) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """Shade the galleries that are larger than the scores of one person resolve."""
    if prediction.resolution is None or prediction.resolution.largest_gallery >= right:
        return [], ()
    start = float(prediction.resolution.largest_gallery)
    shape = {
        "type": "rect", "xref": "x", "yref": "paper", "x0": start, "x1": right, "y0": 0, "y1": 1,
        "fillcolor": "~grid", "opacity": 0.5, "line": {"width": 0}, "layer": "below",
    }  # fmt: skip
    words = f"Shaded: galleries beyond about {count(int(start))}, where the forecast rests on a model of the tail."
    return [shape], (words,)
