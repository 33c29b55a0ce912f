"""A further pass: what lies within some cells.

Scores whose bin is of no interest are passed over in a nanosecond or two each. Those of a wanted cell are either
collected, as counts at distinct scores, or counted in up to 1024 parts of the cell where it holds too many to be
collected. Parts of a pass form a monoid like the first pass.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.scores.counting import Cumulated, count_distinct, merge_counts
from mated.scores.key_picker import KeyPicker
from mated.scores.keyed_tally import as_flags
from mated.scores.keys import BINS, as_floats

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from mated.engine.cells import Cells

__all__ = ["PARTS", "Plan", "Recount", "Recounter", "plan_for", "recount_chunk"]

PARTS = 1024
"""The most parts into which a cell is divided in one pass."""

_PENDING = 1 << 20
_DIGITS = PARTS.bit_length() - 1


@dataclass(frozen=True, eq=False)
class Plan:
    """What a pass is to find out.

    Attributes
    ----------
    cells
        All cells as they are known so far.
    collected, divided
        Which of them are collected score by score, and which are divided.
    """

    cells: Cells
    collected: NDArray[np.bool_]
    divided: NDArray[np.bool_]

    @cached_property
    def everything(self) -> bool:
        """Whether all scores are collected."""
        return bool(np.all(self.collected))

    @cached_property
    def wanted_bins(self) -> NDArray[np.uint8]:
        """One for each bin that holds a cell of interest."""
        wanted = np.zeros(BINS, dtype=np.uint8)
        shift = np.uint64(self.cells.order.shift)
        wanted[(self.cells.low[self.collected | self.divided] >> shift).astype(np.int64)] = 1
        return wanted

    @cached_property
    def slot(self) -> NDArray[np.int64]:
        """Number of each cell among the divided ones, −1 for the others."""
        slot = np.full(len(self.cells), -1, dtype=np.int64)
        slot[self.divided] = np.arange(np.count_nonzero(self.divided))
        return slot

    @cached_property
    def shift(self) -> NDArray[np.uint64]:
        """By how many bits the places of keys in each divided cell are shifted to give their parts."""
        widths = self.cells.high[self.divided] - self.cells.low[self.divided]
        shift = np.zeros(len(widths), dtype=np.uint64)
        while np.any(large := widths >> shift >= PARTS):
            shift[large] += np.uint64(1)
        return shift

    def name(self) -> str:
        """Return a name for this plan: parts of a pass belong together where it is the same."""
        digest = hashlib.sha256(f"{self.cells.dtype} {self.cells.dissimilarity} {_DIGITS}".encode())
        for array in (self.cells.low, self.cells.high, self.collected, self.divided):
            digest.update(np.ascontiguousarray(array).tobytes())
        return f"recount {digest.hexdigest()[:32]}"

    def restored(self, arrays: Mapping[str, NDArray[Any]]) -> Recount:
        """Take back what `Recount.arrays` gave; what does not fit this plan is refused."""
        collected = Cumulated(*(arrays[name] for name in Cumulated._fields))
        divided = arrays["divided"]
        if (
            collected.scores.dtype != np.dtype(self.cells.dtype)
            or any(a.shape != collected.scores.shape or a.ndim != 1 for a in collected)
            or any(a.dtype != np.int64 for a in (*collected[1:], divided))
            or divided.shape != (np.count_nonzero(self.divided), PARTS, 2)
        ):
            raise MatedError("these arrays are not the outcome of this pass; pass over the data again")
        return Recount(collected, divided, int(arrays["rows"]))

    def refined(self, found: Recount) -> Cells:
        """Return the cells with what was found in place of those that were wanted.

        Where the counts of a cell are not those of the pass before, the data are not the same any more.
        """
        cells, single = self.cells, found.collected
        keys = cells.order.keys(single.scores)
        slot, part = np.nonzero(found.divided.any(axis=2))
        start, shift = cells.low[self.divided][slot], self.shift[slot]
        low = start + (part.astype(np.uint64) << shift)
        high = np.minimum(low + ((np.uint64(1) << shift) - np.uint64(1)), cells.high[self.divided][slot])
        begin = np.searchsorted(keys, cells.low[self.collected])
        end = np.searchsorted(keys, cells.high[self.collected], side="right")
        for before, at_or_above, parts in (
            (cells.mated, single.mated_at_or_above, found.divided[:, :, 1]),
            (cells.nonmated, single.nonmated_at_or_above, found.divided[:, :, 0]),
        ):
            cumulated = np.append(at_or_above, 0)
            if not (
                np.array_equal(cumulated[begin] - cumulated[end], before[self.collected])
                and np.array_equal(parts.sum(axis=1), before[self.divided])
            ):
                raise MatedError(
                    "the scores are not the same as in the pass before; count them again when the data no longer change"
                )
        return cells.replaced(
            self.collected | self.divided,
            (keys, low),
            (keys, high),
            (_at_each(single.mated_at_or_above), found.divided[slot, part, 1]),
            (_at_each(single.nonmated_at_or_above), found.divided[slot, part, 0]),
        )


@dataclass(frozen=True, eq=False)
class Recount:
    """What a pass over some of the comparisons found.

    Attributes
    ----------
    collected
        The distinct scores of the collected cells with cumulated counts.
    divided
        Counts by divided cell, part and class (non-mated, mated).
    rows
        Comparisons passed over, those without a score included.
    """

    collected: Cumulated
    divided: NDArray[np.int64]
    rows: int = 0

    def __add__(self, other: object) -> Recount:
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, Recount):
            return NotImplemented
        return Recount(
            merge_counts(self.collected, other.collected), self.divided + other.divided, self.rows + other.rows
        )

    __radd__ = __add__

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything as plain arrays, for a file without pickles."""
        return {**self.collected._asdict(), "divided": self.divided, "rows": np.array(self.rows)}


class Recounter:
    """Carries out a plan chunk after chunk; `result()` gives what was found so far.

    Up to `pending` scores, or as many as were counted before, wait to be counted at once.
    """

    def __init__(self, plan: Plan, *, pending: int = _PENDING) -> None:
        self._plan, self._most_pending = plan, pending
        self._divided = np.zeros((np.count_nonzero(plan.divided), PARTS, 2), dtype=np.int64)
        no_counts = np.zeros(0, dtype=np.int64)
        self._collected = Cumulated(np.zeros(0, dtype=plan.cells.dtype), no_counts, no_counts)
        self._pending: list[tuple[NDArray[Any], NDArray[np.bool_]]] = []
        self._waiting = 0
        self._rows = 0

    def add(self, scores: Any, mated: Any, *, name: str = "scores", first_row: int = 1) -> None:
        """Look through a chunk of scores, in the user's orientation, with a flag each; `first_row` is not used."""
        cells = self._plan.cells
        values = as_floats(scores, name)
        flags = as_flags(mated, values, name)
        self._rows += len(values)
        if len(values) and values.dtype != np.dtype(cells.dtype):
            raise MatedError(f"{name}: scores were of type {cells.dtype} in the pass before and are {values.dtype} now")
        if self._plan.everything:
            usable = ~np.isnan(values)
            inner = -values if cells.dissimilarity else values
            self._collect(inner[usable], flags[usable])
            return
        self.add_keys(*self._picker.pick(values, flags))

    def add_keys(self, keys: NDArray[np.uint64], flags: NDArray[np.bool_]) -> None:
        """Look through keys of inner scores, at least those of the wanted bins."""
        cells = self._plan.cells
        index, inside = cells.holding(keys)
        into_parts = inside & self._plan.divided[np.maximum(index, 0)]
        self._divide(keys[into_parts], flags[into_parts], index[into_parts])
        collected = inside & self._plan.collected[np.maximum(index, 0)]
        self._collect(cells.order.scores(keys[collected]), flags[collected])

    @cached_property
    def _picker(self) -> KeyPicker:
        return KeyPicker(self._plan.cells.order, self._plan.cells.dissimilarity, self._plan.wanted_bins)

    def result(self) -> Recount:
        """Return what was found so far."""
        self._settle()
        return Recount(self._collected, self._divided.copy(), self._rows)

    def _divide(self, keys: NDArray[np.uint64], flags: NDArray[np.bool_], index: NDArray[np.intp]) -> None:
        slot = self._plan.slot[index]
        part = ((keys - self._plan.cells.low[index]) >> self._plan.shift[slot]).astype(np.int64)
        np.add.at(self._divided.reshape(-1), 2 * (PARTS * slot + part) + flags, 1)

    def _collect(self, scores: NDArray[Any], flags: NDArray[np.bool_]) -> None:
        """Set scores aside, and count them once they outnumber those counted, so that each is merged few times."""
        if not len(scores):
            return
        self._pending.append((scores, flags))
        self._waiting += len(scores)
        if self._waiting > max(self._most_pending, len(self._collected.scores)):
            self._settle()

    def _settle(self) -> None:
        if not self._pending:
            return
        scores, flags = (np.concatenate(arrays) for arrays in zip(*self._pending, strict=True))
        self._pending, self._waiting = [], 0
        self._collected = merge_counts(self._collected, count_distinct(scores[flags], scores[~flags]))


def recount_chunk(scores: Any, mated: Any, plan: Plan) -> Recount:
    """Carry out a plan on one chunk by itself: a pass is `sum(recount_chunk(...) for all chunks)`."""
    recounter = Recounter(plan)
    recounter.add(scores, mated)
    return recounter.result()


def plan_for(cells: Cells, wanted: NDArray[np.bool_], *, most: int, split: int) -> Plan:
    """Collect the smallest of the wanted cells, up to `most` distinct scores, and divide the largest, up to `split`.

    Cells for which there is no room wait for the next pass.
    """
    index = np.flatnonzero(wanted & ~cells.exact)
    ascending = index[np.argsort(cells.room[index], kind="stable")]
    fits = np.cumsum(cells.room[ascending]) <= most
    collected, divided = np.zeros(len(cells), dtype=bool), np.zeros(len(cells), dtype=bool)
    collected[ascending[fits]] = True
    divided[ascending[~fits][::-1][:split]] = True
    if not divided.any() and np.all(collected | cells.exact):
        collected[:] = True  # nothing is left to be passed over
    return Plan(cells, collected, divided)


def _at_each(at_or_above: NDArray[np.int64]) -> NDArray[np.int64]:
    counts = at_or_above.copy()
    counts[:-1] -= at_or_above[1:]
    return counts
