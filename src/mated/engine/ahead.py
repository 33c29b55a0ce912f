"""The second pass done within the first, where the first comparisons tell well enough what it would look for.

The first million comparisons are set aside. Their tally shows roughly where thresholds will lie; while the rest is
counted, scores in the bins around there are collected. If in the end the bins that the second pass needs are among
them, it need not read the data again. A guess that fails costs a little time and changes no number: of what was
collected, exactly that is used which the second pass would have found.
"""

from __future__ import annotations

from bisect import bisect_left
from math import log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.engine.cells import Cells
from mated.engine.hull import below_crossing_edge
from mated.engine.reach import difference_above, variance_at_crossing
from mated.engine.recount import Plan, Recount, Recounter
from mated.scores.key_picker import KeyPicker
from mated.scores.keyed_tally import KeyedTally, as_flags
from mated.scores.keys import BINS, as_floats

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from mated.engine.reach import Points
    from mated.engine.stream import Scoring

__all__ = ["SAMPLE", "CountAhead", "likely_bins"]

SAMPLE = 1 << 20
"""Comparisons that are set aside to guess from."""

# Standard deviations of the sample within which a share of it is looked for, and of resamples of the whole.
_OF_SAMPLE, _OF_RESAMPLES = 5.0, 8.0
# Where the number of comparisons is not known, they are taken to be so many times the sample.
_UNKNOWN_GROWTH = 100.0
_FEWEST = 100


class CountAhead:
    """Counts chunk after chunk by bins, as the first pass does, and collects scores that will probably be needed.

    Parameters
    ----------
    scoring
        How scores are written.
    points
        What will be read off, given the number of non-mated comparisons.
    rows
        Number of comparisons, where it is known.
    most
        Scores that may be collected; beyond it the attempt is given up.
    """

    def __init__(self, scoring: Scoring, points: Callable[[int], Points], rows: int | None, most: int) -> None:
        self._counter = scoring.counter()
        self._points, self._expected, self._most = points, rows, most
        self._aside: list[tuple[NDArray[Any], NDArray[np.bool_]]] | None = []
        self._picker: KeyPicker | None = None
        self._collected: list[tuple[NDArray[np.uint64], NDArray[np.bool_]]] = []
        self._size = 0

    def add(self, scores: Any, mated: Any, *, name: str = "scores", first_row: int = 1) -> None:
        """Count a chunk, and set it aside or collect from it."""
        picked = self._counter.add(scores, mated, name=name, first_row=first_row, picker=self._picker)
        if picked is not None:
            self._keep(*picked)
        elif self._aside is not None:
            values = as_floats(scores, name)
            self._aside.append(
                (values.copy(), as_flags(mated, values, name).copy())
            )  # a source may use its arrays again
            self._size += len(values)
            if self._size >= SAMPLE:
                self._guess()

    def result(self) -> KeyedTally:
        """Return the tally of what was counted so far."""
        return self._counter.result()

    def recount(self, plan: Plan) -> Recount | None:
        """Carry out a plan without reading the data again, None where too little was collected for it."""
        recounter = Recounter(plan)
        if self._aside is not None:
            for values, flags in self._aside:
                recounter.add(values, flags)
            return recounter.result()
        if self._picker is None or np.any(plan.wanted_bins > self._picker.wanted):
            return None
        keys, flags = (np.concatenate(arrays) for arrays in zip(*self._collected, strict=True))
        chosen = np.flatnonzero(plan.wanted_bins[keys >> np.uint64(plan.cells.order.shift)])
        recounter.add_keys(keys[chosen], flags[chosen])
        return recounter.result()

    def _guess(self) -> None:
        """Decide which bins to collect, and begin with what was set aside."""
        chunks, self._aside, self._size = self._aside or [], None, 0
        sample = self._counter.result()
        growth = _UNKNOWN_GROWTH if self._expected is None else max(self._expected / sample.rows, 1.0)
        cells = Cells.of(sample)
        if min(cells.n_mated, cells.n_nonmated) < _FEWEST:
            return
        wanted = likely_bins(cells, self._points(round(growth * sample.n_nonmated)), growth)
        held = wanted[sample.bins] > 0
        if growth * int((sample.mated + sample.nonmated)[held].sum()) > self._most:
            return
        self._picker = KeyPicker(sample.order, sample.dissimilarity, wanted)
        for values, flags in chunks:
            if self._picker is not None:
                self._keep(*self._picker.pick(values, flags))

    def _keep(self, keys: NDArray[np.uint64], flags: NDArray[np.bool_]) -> None:
        self._collected.append((keys, flags))
        self._size += len(keys)
        if self._size > self._most:
            self._picker, self._collected = None, []


def likely_bins(cells: Cells, points: Points, growth: float) -> NDArray[np.uint8]:
    """Mark the bins that the points and their replicates will probably reach in data `growth` times as many.

    A rough guess, made to be right nearly always where the comparisons are in no particular order.
    """
    wanted = np.zeros(BINS, dtype=np.uint8)
    bins = (cells.low >> np.uint64(cells.order.shift)).astype(np.int64)

    def mark(first: int, last: int, *, top: int | None = None) -> None:
        """Mark the bins between two cells and one more at each end, or up to the bin `top`."""
        high = int(bins[min(last, len(bins) - 1)]) + 1 if top is None else top
        wanted[max(int(bins[max(first, 0)]) - 1, 0) : high + 1] = 1

    spread = _OF_SAMPLE + (_OF_RESAMPLES / sqrt(growth) if points.replicates else 0.0)
    of_nonmated = [*points.fmr, 0.01, 0.001, 0.0]
    for rates, at_or_above in ((of_nonmated, cells.nonmated_at_or_above), (points.tmr, cells.mated_at_or_above)):
        total = int(at_or_above[0])
        for rate in map(float, rates):
            around = spread * (sqrt(total * rate * (1 - rate)) + 1)
            ranks = np.clip([rate * total + around, rate * total - around], 1, total).astype(np.int64)
            lowest, highest = (len(bins) - 1 - np.searchsorted(at_or_above[::-1], ranks)).tolist()
            beyond = _top_bin(cells, at_or_above, growth) if rate * total <= around else None
            mark(lowest - 1, highest + 1, top=beyond)
    for threshold in points.threshold:
        at = cells.order.key(-threshold if cells.dissimilarity else threshold) >> cells.order.shift
        wanted[at] = 1
    if points.eer:
        variance, step = variance_at_crossing(cells)
        reach = spread * (sqrt(variance) + step)
        low, high = (bisect_left(range(len(bins)), bound, key=difference_above(cells)) for bound in (-reach, reach))
        mark(low - 3, high + 3)
        touched = np.flatnonzero(below_crossing_edge(cells))
        if len(touched):
            margin = int(touched[-1]) - int(touched[0]) + 1  # a sample's hull is rough
            mark(int(touched[0]) - margin, int(touched[-1]) + margin)
    return wanted


def _top_bin(cells: Cells, at_or_above: NDArray[np.int64], growth: float) -> int:
    """Return a bin that the highest score of a class will hardly exceed, from how fast the class's upper tail falls."""
    few = min(20, int(at_or_above[0]))
    ranks = len(at_or_above) - 1 - np.searchsorted(at_or_above[::-1], [1, few])
    first, last = cells.order.scores(cells.high[ranks]).astype(np.float64).tolist()
    if not np.isfinite(first - last) or few == 1:
        return BINS - 1
    top = first + 3 * (first - last) / log(few) * (1 + log(growth))
    return min(max(cells.order.key(top) >> cells.order.shift, int(cells.high[ranks[0]]) >> cells.order.shift), BINS - 1)
