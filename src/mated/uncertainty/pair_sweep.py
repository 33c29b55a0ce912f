"""The sums over pairs of subjects at many thresholds, in one pass over the non-mated comparisons.

From one threshold to the next lower one only some comparisons are added. Counts of pairs and subjects, how many pairs
have each count, and the comparisons by what their pair has near it that does not change, all go on from where they
were. What is near in false matches changes with every one of them, and is summed anew over the pairs that have any.

Cost: the comparisons above the lowest threshold once, and for each threshold the pairs with false matches and the
subjects. Memory: 4 bytes a comparison, about 30 a pair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mated.uncertainty.fillings import Fill, Squares, amounts_by_value
from mated.uncertainty.pair_sums import PairSums

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from mated.scores.subject_pairs import SubjectPairs

    Codes: TypeAlias = NDArray[np.int32]

__all__ = ["pair_sums_going_down"]

_SPARE = 1 << 20  # counters that may be more than the data


def pair_sums_going_down(pairs: SubjectPairs, thresholds: Sequence[float]) -> Iterator[PairSums]:
    """Yield `PairSums.at` of each threshold (inner similarities, from the highest down), equal to it in every sum.

    Raises
    ------
    ScoresNotKeptError
        The scores below some threshold were not kept; said before the first sums are given.
    """
    reached = [pairs.nonmated_from(threshold) for threshold in thresholds]
    return _sweep(pairs, reached)


def _sweep(pairs: SubjectPairs, reached: list[int]) -> Iterator[PairSums]:
    from mated.uncertainty.pair_sweep_kernels import add_matches

    totals, last = pairs.totals, max(reached, default=0)
    pair, one, other = _numbered(pairs.n_subjects, pairs.first[:last], pairs.second[:last])
    of_subject = totals.of_subject
    trials = np.array(totals.at(one, other))  # Numba compiles anew for arrays that cannot be written to
    sides = of_subject[one] + of_subject[other]
    (near_code, near_values), (side_code, side_values) = (_coded(values) for values in (sides - trials, sides))
    near, side = (np.zeros(len(values), dtype=np.int64) for values in (near_values, side_values))
    count, matches = np.zeros(len(one), dtype=np.int32), np.zeros(pairs.n_subjects, dtype=np.int64)
    sizes = np.zeros(int(np.bincount(pair, minlength=1).max()) + 2, dtype=np.int64)
    added, active, match_trials = 0, 0, 0
    for until in reached:
        new = pair[added:until]
        match_trials += add_matches(new, one, other, trials, near_code, side_code, count, matches, sizes, near, side)
        # Pairs are numbered as they come, so those with false matches are the first ones.
        added, active = until, max(active, int(new.max(initial=-1)) + 1)
        size = np.flatnonzero(sizes[1:]) + 1
        yield PairSums(
            matches.copy(),
            of_subject,
            until,
            totals.total,
            totals.squares,
            float(match_trials),
            Squares.of_numbers(size, sizes[size]),
            Fill.dearest_first(*_near(one[:active], other[:active], count[:active], matches)),
            *(Fill.cheapest_first(values[seen], amounts[seen])
              for values, amounts in ((near_values, near), (side_values, side))
              for seen in (np.flatnonzero(amounts),)),
        )  # fmt: skip


def _numbered(subjects: int, first: NDArray[Any], second: NDArray[Any]) -> tuple[Codes, Codes, Codes]:
    """Return of each comparison the number of its pair, in the order of their first comparisons, and their subjects."""
    comparisons = len(first)
    if subjects**2 <= 2 * comparisons + _SPARE:  # a counter for every pair is no larger than the data
        from mated.uncertainty.pair_sweep_kernels import number_pairs

        pair = np.empty(comparisons, dtype=np.int32)
        one, other = (np.empty(min(comparisons, subjects * (subjects - 1) // 2), dtype=np.int32) for _ in range(2))
        known = np.full(subjects**2, -1, dtype=np.int32)
        found = number_pairs(first, second, subjects, known, pair, one, other)
        return pair, one[:found].copy(), other[:found].copy()
    key = first.astype(np.int64) * subjects + second
    distinct, where, place = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(where)
    number = np.empty(len(distinct), dtype=np.int32)
    number[order] = np.arange(len(distinct), dtype=np.int32)
    one, other = (side.astype(np.int32) for side in np.divmod(distinct[order], subjects))
    return number[place], one, other


def _coded(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return codes of values, ascending with them, and the value of each code: of small values they are the same."""
    highest = int(values.max(initial=0))
    if highest <= len(values) + _SPARE:
        return values, np.arange(highest + 1)
    distinct, codes = np.unique(values, return_inverse=True)
    return codes.astype(np.int64), distinct


def _near(
    one: Codes, other: Codes, count: Codes, matches: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct numbers of false matches near a pair, ascending, and the false matches of such pairs."""
    highest = 2 * int(matches.max(initial=0))
    if highest > 4 * len(count) + _SPARE:
        return amounts_by_value(matches[one] + matches[other] - count, count)
    from mated.uncertainty.pair_sweep_kernels import near_amounts

    amounts = np.zeros(highest + 1, dtype=np.int64)
    near_amounts(one, other, count, matches, amounts)
    seen = np.flatnonzero(amounts)
    return seen, amounts[seen]
