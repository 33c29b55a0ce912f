"""The CMC: how often the right person is among the best candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mated.plots.roc import round_start
from mated.report.figures.style import (
    FigureSpec,
    Key,
    axis,
    color_of,
    dash_of,
    figure,
    line,
    markers,
    several_labels,
    unit_share,
)
from mated.report.numbers_in_words import count, level_words, percent
from mated.report.thinning import thin_steps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mated.evaluation import Identification

__all__ = ["cmc_figure", "count_ticks"]


def cmc_figure(members: Mapping[str, tuple[int, Identification]]) -> FigureSpec:
    """Draw the CMC of every system (with its place among all systems) over a logarithmic rank."""
    names = dict(zip(members, several_labels(members), strict=True))
    estimates = {name: [(r, m.at_rank(r)) for r in m.ranks_asked] for name, (_, m) in members.items()}
    lowest = min(e.low for rows in estimates.values() for _, e in rows)
    lowest = min(lowest, *(float(m.cmc.rate.min()) for _, m in members.values()), 1.0)
    bottom, last = round_start(lowest), max(len(m.cmc) for _, m in members.values())
    data: list[dict[str, Any]] = []
    keys: list[Key] = []
    error = 0.0
    for name, (index, m) in members.items():
        ranks = np.arange(1, len(m.cmc) + 1, dtype=np.float64)
        placed = unit_share(np.log10(ranks), 0.0, max(np.log10(last), 0.1)), unit_share(m.cmc.rate, bottom, 1.0)
        drawn = thin_steps(ranks, np.asarray(m.cmc.rate), placed, first_up=False)
        error = max(error, drawn.error)
        data.append(line(drawn.x, 100 * drawn.y, index, names[name], "rank %{x}<br>found %{y:.4~r} %"))
        keys.append(Key(name, color_of(index), dash=dash_of(index)))
    for name, (index, _) in members.items():
        rows = estimates[name]
        value, low, high = (np.array([getattr(e, part) for _, e in rows]) for part in ("value", "low", "high"))
        # Side by side, so that bars of several systems do not cover each other.
        x = np.array([r for r, _ in rows]) * 1.025 ** (2 * list(members).index(name))
        dots = markers(x, 100 * value, color_of(index), "found %{y:.4~r} %", name=names[name])
        dots["error_y"] = {
            "type": "data", "symmetric": False, "array": (100 * (high - value)).tolist(),
            "arrayminus": (100 * (value - low)).tolist(), "color": color_of(index), "thickness": 1.3, "width": 4,
        }  # fmt: skip
        data.append(dots)
    level = next(iter(members.values()))[1].level
    keys.append(Key(f"{level_words(level)} interval", "~ink", "dot"))
    margin = 0.04 * max(np.log10(last), 0.3)
    x_axis = axis("Rank", type="log", range=[-margin, np.log10(max(last, 2)) + margin], **count_ticks(1, last))
    y_axis = axis("Found at that rank or better", range=[100 * bottom, 100.4], ticksuffix="\u00a0%", nticks=7)
    said = "; ".join(f"{name}: {percent(rows[0][1].value)} at rank {rows[0][0]}" for name, rows in estimates.items())
    return FigureSpec(
        data,
        figure(data, x_axis, y_axis),
        "CMC: is the right person among the best candidates?",
        f"Cumulative match characteristic. {said}.",
        "Higher is better. At rank 1 the right person stands first in the list of candidates.",
        tuple(keys),
        error,
    )


def count_ticks(low: float, high: float) -> dict[str, Any]:
    """Return ticks at round whole numbers of a logarithmic axis."""
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(max(high, 2)))) + 1)
    steps = (1, 2, 5) if np.log10(max(high, 2) / low) <= 2.5 else (1,)
    ticks = [step * 10**power for power in powers for step in steps if low <= step * 10**power <= high]
    return {"tickmode": "array", "tickvals": ticks, "ticktext": [_short(tick) for tick in ticks]}


def _short(tick: int) -> str:
    for size, word in ((10**9, "billion"), (10**6, "million")):
        if tick >= size:
            return f"{tick // size}\u00a0{word}"
    return count(tick)
