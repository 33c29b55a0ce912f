"""Adding false matches one by one to the counts of their pair and subjects, compiled; import only where it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from mated.scores.compiled import compiled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Counts: TypeAlias = NDArray[np.int64]
    Codes: TypeAlias = NDArray[np.int32]

__all__ = ["add_matches", "near_amounts", "number_pairs"]


@compiled
def number_pairs(
    first: Codes, second: Codes, subjects: int, known: Codes, pair: Codes, one: Codes, other: Codes
) -> int:
    """Number pairs of subjects as they come, and return how many there are.

    `known` has a counter of −1 for each two subjects; the number of each comparison's pair is written to `pair`, the
    subjects of each new pair to `one` and `other`.
    """
    found = 0
    for c in range(len(first)):
        place = first[c] * subjects + second[c]
        number = known[place]
        if number < 0:
            number = found
            known[place] = number
            one[number], other[number] = first[c], second[c]
            found += 1
        pair[c] = number
    return found


@compiled
def add_matches(
    pair: Codes,
    one: Codes,
    other: Codes,
    trials: Counts,
    near_code: NDArray[Any],
    side_code: NDArray[Any],
    count: Codes,
    matches: Counts,
    sizes: Counts,
    near: Counts,
    side: Counts,
) -> int:
    """Add comparisons, each given by its pair, to all counts; return Σ trials of the pairs added.

    `count` of each pair, `matches` of each subject, `sizes`: how many pairs have each count; `near` and `side`: the
    comparisons added so far whose pair has this code.
    """
    added = 0
    for number in pair:
        before = count[number]
        count[number] = before + 1
        sizes[before] -= 1
        sizes[before + 1] += 1
        matches[one[number]] += 1
        matches[other[number]] += 1
        near[near_code[number]] += 1
        side[side_code[number]] += 1
        added += trials[number]
    return added


@compiled
def near_amounts(one: Codes, other: Codes, count: Codes, matches: Counts, amounts: Counts) -> None:
    """Add the count of each pair to the amount of its value: the matches of its subjects, its own counted once."""
    for number in range(len(count)):
        amounts[matches[one[number]] + matches[other[number]] - count[number]] += count[number]
