"""`KeyedTally`: counts of both classes by the leading bits of the scores' keys, in one pass and bounded memory.

The coarse twin of `Tally` for data that do not fit in memory. Its bins are fixed, so it is a monoid too: `a + b` and
`sum(parts)` count as if all comparisons had been seen at once, on any chunking and in any order. It says exactly how
many comparisons lie at or above each bin's edge, and nothing of where they lie within a bin;
`mated.engine.refine` finds that out where it matters, in a second pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.scores.keys import BINS, BITS, KeyOrder, as_floats, key_order
from mated.scores.tally import Tally
from mated.scores.unit import MAX_DECIMALS, UnitChoice, detect_unit, parse_unit
from mated.scores.validation import NanPolicy, read_only

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from mated.scores.key_picker import KeyPicker, Picked

__all__ = ["KeyedCounter", "KeyedTally"]

_ARRAYS = ("bins", "mated", "nonmated")
_BLOCK = 1 << 18
_COUNTER = 2**32 - 1


@dataclass(frozen=True, eq=False, repr=False)
class KeyedTally:
    """Exact counts of both classes in bins of scores; build it with `KeyedCounter` or `from_scores`.

    Attributes
    ----------
    bins
        The bins that hold scores, ascending: the leading bits of their keys (`mated.scores.keys`).
    mated, nonmated
        Number of comparisons of each class in each of them.
    dtype
        "float32" or "float64"; keys of different types do not mix.
    dissimilarity
        Whether the user's scores grow with difference; inside they are negated.
    unit_choice
        What was said about the scoring system's unit; `unit` is what holds.
    decimals, largest
        With the unit "auto": how many decimals all scores have, None once they are found to be continuous; and the
        largest finite score, whichever its sign. Both are what the parts must know of each other to agree on a unit.
    mated_failures, nonmated_failures
        Comparisons that gave no score; they are in no count above.
    """

    bins: NDArray[np.int64]
    mated: NDArray[np.int64]
    nonmated: NDArray[np.int64]
    dtype: str = "float64"
    dissimilarity: bool = False
    unit_choice: UnitChoice = "auto"
    decimals: int | None = 0
    largest: float = 0.0
    mated_failures: int = 0
    nonmated_failures: int = 0

    def __post_init__(self) -> None:
        for name in _ARRAYS:
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @classmethod
    def from_scores(
        cls,
        scores: Any,
        mated: Any,
        *,
        dissimilarity: bool = False,
        unit: object = "auto",
        nan: NanPolicy = "refuse",
    ) -> KeyedTally:
        """Count one chunk of scores, in the user's own orientation, with a flag each."""
        counter = KeyedCounter(dissimilarity=dissimilarity, unit=unit, nan=nan)
        counter.add(scores, mated)
        return counter.result()

    # -- what it holds -------------------------------------------------------------------------

    @property
    def n_mated(self) -> int:
        """Number of mated comparisons with a score."""
        return int(self.mated.sum())

    @property
    def n_nonmated(self) -> int:
        """Number of non-mated comparisons with a score."""
        return int(self.nonmated.sum())

    @property
    def rows(self) -> int:
        """Number of comparisons seen, those without a score included."""
        return self.n_mated + self.n_nonmated + self.mated_failures + self.nonmated_failures

    @property
    def order(self) -> KeyOrder:
        """The keys of its type of scores."""
        return key_order(self.dtype)

    @cached_property
    def unit(self) -> Fraction | None:
        """The step of the scoring system, None for continuous scores; the one that `Tally` finds for the same data."""
        if self.unit_choice == "continuous":
            return None
        if isinstance(self.unit_choice, Fraction):
            return self.unit_choice
        if self.decimals is None:
            return None
        # The largest score and the finest step decide, and these two have both.
        return detect_unit(np.array([self.largest, 10.0**-self.decimals], dtype=self.dtype))

    # -- the monoid -----------------------------------------------------------------------------

    def __add__(self, other: object) -> KeyedTally:
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, KeyedTally):
            return NotImplemented
        # A part without scores has no type of its own.
        types = {part.dtype for part in (self, other) if len(part.bins)} or {self.dtype, other.dtype}
        for words, different in (
            ("types of scores", len(self.bins) and len(other.bins) and len(types) > 1),
            ("orientations", self.dissimilarity != other.dissimilarity),
            ("units", self.unit_choice != other.unit_choice),
        ):
            if different:
                raise MatedError(f"keyed tallies of different {words} cannot be added; count both in the same way")
        bins = np.union1d(self.bins, other.bins)
        counts = []
        for name in ("mated", "nonmated"):
            both = np.zeros(len(bins), dtype=np.int64)
            for part in (self, other):
                both[np.searchsorted(bins, part.bins)] += getattr(part, name)
            counts.append(both)
        known = None if self.decimals is None or other.decimals is None else max(self.decimals, other.decimals)
        return KeyedTally(
            bins,
            counts[0],
            counts[1],
            max(types),
            self.dissimilarity,
            self.unit_choice,
            known,
            0.0 if known is None else max(self.largest, other.largest),
            self.mated_failures + other.mated_failures,
            self.nonmated_failures + other.nonmated_failures,
        )

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, KeyedTally):
            return NotImplemented
        plain = (
            "dtype",
            "dissimilarity",
            "unit_choice",
            "decimals",
            "largest",
            "mated_failures",
            "nonmated_failures",
        )
        return all(np.array_equal(getattr(self, a), getattr(other, a)) for a in _ARRAYS) and all(
            getattr(self, a) == getattr(other, a) for a in plain
        )

    __hash__ = None  # type: ignore[assignment]

    # -- kept in a file ---------------------------------------------------------------------------

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything as plain arrays, for a file without pickles."""
        return {
            **{name: getattr(self, name) for name in _ARRAYS},
            "dtype": np.array(self.dtype),
            "dissimilarity": np.array(self.dissimilarity),
            "unit": np.array(str(self.unit_choice)),
            "decimals": np.array(-1 if self.decimals is None else self.decimals),
            "largest": np.array(self.largest),
            "failures": np.array([self.mated_failures, self.nonmated_failures]),
            "bits": np.array(BITS),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> KeyedTally:
        """Take back what `arrays` gave; anything else is refused."""
        try:
            bins, mated, nonmated = (np.asarray(arrays[name], dtype=np.int64) for name in _ARRAYS)
            failures = [int(f) for f in arrays["failures"]]
            decimals = int(arrays["decimals"])
            whole = (
                int(arrays["bits"]) == BITS
                and bins.ndim == 1
                and bins.shape == mated.shape == nonmated.shape
                and bool(np.all(np.diff(bins) > 0))
                and (not len(bins) or (bins[0] >= 0 and bins[-1] < BINS))
                and min(mated.min(initial=0), nonmated.min(initial=0), *failures) >= 0
                and bool(np.all(mated + nonmated > 0))
                and -1 <= decimals <= MAX_DECIMALS
                and float(arrays["largest"]) >= 0
            )
            if whole:
                return cls(
                    bins,
                    mated,
                    nonmated,
                    key_order(str(arrays["dtype"])).dtype.name,
                    bool(arrays["dissimilarity"]),
                    parse_unit(str(arrays["unit"])),
                    None if decimals < 0 else decimals,
                    float(arrays["largest"]),
                    *failures,
                )
        except (KeyError, TypeError, ValueError):
            pass
        raise MatedError("these arrays are not a keyed tally of this version; count the data again")

    def __repr__(self) -> str:
        return f"KeyedTally({self.n_mated} mated, {self.n_nonmated} non-mated in {len(self.bins)} bins)"


class KeyedCounter:
    """Counts chunk after chunk into one array of fixed size; `result()` gives what was counted so far.

    Parameters
    ----------
    dissimilarity, unit, nan
        As for `Tally.from_scores`.
    """

    def __init__(self, *, dissimilarity: bool = False, unit: object = "auto", nan: NanPolicy = "refuse") -> None:
        if nan not in ("refuse", "failure"):
            raise MatedError(f"nan must be 'refuse' or 'failure', not {nan!r}")
        self._dissimilarity = bool(dissimilarity)
        self._unit_choice = parse_unit(unit)
        self._nan = nan
        self._counts: NDArray[np.uint32] | None = None
        self._room = 0
        self._earlier: NDArray[np.int64] | None = None
        self._order: KeyOrder | None = None
        self._decimals: int | None = 0 if self._unit_choice == "auto" else None
        self._largest = 0.0
        self._failures = [0, 0]  # non-mated, mated

    def add(
        self, scores: Any, mated: Any, *, name: str = "scores", first_row: int = 1, picker: KeyPicker | None = None
    ) -> Picked | None:
        """Count a chunk of scores with a flag each.

        `name` and `first_row` say in messages where it came from. With a picker, return what it picks of the chunk.
        """
        from mated.scores.key_kernels import count_bins

        values = as_floats(scores, name)
        flags = as_flags(mated, values, name)
        if not len(values):
            return None
        if self._order is None:
            self._order = key_order(values.dtype)
            self._constants = self._order.constants(self._dissimilarity)
        elif values.dtype != self._order.dtype:
            raise MatedError(
                f"{name}: scores of type {values.dtype} follow scores of type {self._order.dtype}, and their keys do "
                "not mix; give all scores as one type"
            )
        counts, picked = self._counters(len(values)), None
        if picker is None:
            failed = count_bins(values.view(self._order.unsigned), flags, self._constants, counts)
        else:
            failed, picked = picker.count_and_pick(values, flags, counts)
        if any(failed) and self._nan == "refuse":
            row = first_row + int(np.isnan(values).argmax())
            raise MatedError(
                f"{name}, row {row}: the score is NaN; remove such comparisons, or count them as failures to acquire "
                "with nan='failure' (--nan failure)"
            )
        self._failures = [before + int(new) for before, new in zip(self._failures, failed, strict=True)]
        self._watch_unit(values)
        return picked

    def result(self) -> KeyedTally:
        """Return what was counted so far."""
        counts = self._all_counts().reshape(-1, 2)
        bins = np.flatnonzero(counts[:, 0] | counts[:, 1])
        at_bins = counts[bins].astype(np.int64)
        return KeyedTally(
            bins,
            at_bins[:, 1],
            at_bins[:, 0],
            "float64" if self._order is None else self._order.dtype.name,
            self._dissimilarity,
            self._unit_choice,
            self._decimals,
            self._largest,
            self._failures[1],
            self._failures[0],
        )

    def _counters(self, comparisons: int) -> NDArray[np.uint32]:
        """Return counters with room for so many more; narrow ones, as the processor's cache then holds more of them."""
        if self._counts is None or comparisons > self._room:
            if self._counts is not None:
                self._earlier = self._all_counts().astype(np.int64)
            self._counts, self._room = np.zeros(2 * BINS, dtype=np.uint32), _COUNTER
        self._room -= comparisons
        return self._counts

    def _all_counts(self) -> NDArray[Any]:
        if self._counts is None:
            return np.zeros(0, dtype=np.uint32)
        return self._counts if self._earlier is None else self._earlier + self._counts

    def _watch_unit(self, values: NDArray[np.floating[Any]]) -> None:
        """Keep track of the decimals of all scores, or see that they are multiples of the unit given.

        A score with k decimals also has k + 1, so that the most decimals of any part are those of the whole; a part
        with no unit leaves none to the whole.
        """
        for begin in range(0, len(values), _BLOCK):
            block = values[begin : begin + _BLOCK]
            if isinstance(self._unit_choice, Fraction):
                given = -block if self._dissimilarity else block
                # A tally refuses scores that are no multiples of its unit; counts play no part in that.
                Tally(given, _NOTHING, _NOTHING, self._dissimilarity, self._unit_choice)
            elif self._decimals is not None:
                unit = detect_unit(block)
                if unit is None:
                    self._decimals, self._largest = None, 0.0
                    return
                finite = np.abs(block[np.isfinite(block)])
                self._decimals = max(self._decimals, len(str(unit.denominator)) - 1)
                self._largest = max(self._largest, float(finite.max(initial=0.0)))
            else:
                return


_NOTHING = np.zeros(0, dtype=np.int64)


def as_flags(mated: Any, scores: NDArray[Any], name: str) -> NDArray[np.bool_]:
    """Return flags of mated comparisons, one for each score: true and false, or 1 and 0."""
    flags = np.asarray(mated)
    if flags.shape != scores.shape:
        raise MatedError(f"{name}: there are {flags.size} flags of mated comparisons for {scores.size} scores")
    if flags.dtype == np.bool_:
        return np.ascontiguousarray(flags)
    if flags.dtype.kind not in "iuf" or not np.isin(flags, (0, 1)).all():
        raise MatedError(f"{name}: whether a comparison is mated is said by true and false, or 1 and 0")
    return np.ascontiguousarray(flags != 0)
