"""Predictions from the global score distributions, repeated with subjects drawn anew.

The global methods read every false match rate from all comparisons together: the global ROC, Eq. 16 of Bolle et al.
(2005) and its narrow approximation Eq. 17. In a replicate of the pigeonhole bootstrap a mated comparison of subject i
weighs w_i and a non-mated one of i and j weighs w_i·w_j; the weighted counts are whole numbers and make a `Tally` like
any other, from which the same functions predict.

Only the counts at the mated scores matter, so a replicate costs one pass over the sorted non-mated comparisons and a
tally of twice as many scores as there are distinct mated ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from mated.identification.bolle import narrow_cmc, theoretical_cmc
from mated.identification.roc_to_cmc import cmc_of_roc, global_roc
from mated.scores.tally import Tally
from mated.uncertainty.pigeonhole import draw_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from mated.scores.subject_pairs import SubjectPairs

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["GlobalMethod", "draw_global_cmc", "global_cmc", "weighted_tallies"]

GlobalMethod: TypeAlias = Literal["global", "bolle", "narrow"]


def global_cmc(tally: Tally, method: GlobalMethod, gallery_size: float, ranks: ArrayLike) -> Floats:
    """Return the CMC that one of the global methods predicts."""
    if method == "global":
        return cmc_of_roc(global_roc(tally), gallery_size, ranks)
    return (theoretical_cmc if method == "bolle" else narrow_cmc)(tally, gallery_size, ranks)


def draw_global_cmc(
    pairs: SubjectPairs,
    method: GlobalMethod,
    gallery_sizes: Sequence[int],
    ranks: Sequence[Sequence[int]],
    *,
    replicates: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> list[Floats]:
    """Return for each gallery size the replicates of the predicted CMC, a row a replicate and a column a rank.

    A replicate in which nobody with a mated comparison, or no pair, was drawn predicts nothing: a row of NaN.
    """
    drawn = [np.full((replicates, len(asked)), np.nan) for asked in ranks]
    weights = draw_weights(pairs.n_subjects, replicates, seed)
    for row, tally in enumerate(weighted_tallies(pairs, weights)):
        if progress is not None:
            progress(row, replicates)
        if tally is None:
            continue
        for place, (size, asked) in enumerate(zip(gallery_sizes, ranks, strict=True)):
            drawn[place][row] = global_cmc(tally, method, size, asked)
    return drawn


def weighted_tallies(pairs: SubjectPairs, weights: NDArray[np.uint8]) -> Iterator[Tally | None]:
    """Give the tally of each replicate at the mated scores; None where a class has no comparison.

    Between two mated scores the non-mated ones are counted just above the lower, which changes no rate at a mated
    score. The mean mated score is a score of the tally too, as the narrow approximation asks for the rate there.
    """
    distinct, place = np.unique(pairs.mated_score, return_inverse=True)
    ascending = -pairs.score
    for row in weights:
        own = row.astype(np.int64)
        mated = np.bincount(place, weights=own[pairs.mated_subject], minlength=len(distinct)).astype(np.int64)
        reached = np.append(0, np.cumsum(own[pairs.first] * own[pairs.second]))
        if not mated.any() or not reached[-1]:
            yield None
            continue
        mean = np.clip(np.dot(distinct, mated / mated.sum()), distinct[0], distinct[-1])
        scores = np.unique(np.concatenate([distinct, [mean]]))
        grid = np.unique(np.concatenate([scores, np.nextafter(scores, np.inf), [-np.inf]]))
        nonmated = reached[np.searchsorted(ascending, -grid, side="right")]
        total = np.zeros(len(grid), dtype=np.int64)
        total[np.searchsorted(grid, distinct)] = mated
        yield Tally(grid, np.cumsum(total[::-1])[::-1], nonmated, unit_choice="continuous")
