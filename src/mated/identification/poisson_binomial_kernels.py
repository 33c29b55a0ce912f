"""The law of the number of rivals that beat a mated score, compiled by Numba; import only where it is used.

A law is held up to the largest count asked for: `law[k]` is the probability of exactly k, and what lies beyond is
dropped. Everything added is positive, so nothing cancels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mated.scores.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Counts: TypeAlias = NDArray[Any]
    Places: TypeAlias = NDArray[np.int64]
    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["full_gallery", "small_gallery"]


@compiled
def _fold(law: Floats, spare: Floats, size: int, p: float) -> int:
    """Add a rival that beats the mated score with probability p to a law of `size` entries; return its new size."""
    q = 1.0 - p
    spare[0] = law[0] * q
    for k in range(1, size):
        spare[k] = law[k] * q + law[k - 1] * p
    if size < len(law):
        spare[size] = law[size - 1] * p
        size += 1
    for k in range(size):
        law[k] = spare[k]
    return size


@compiled
def full_gallery(
    above: Counts,
    tied: Counts,
    total: Counts,
    search: Places,
    rule: Places,
    node_start: Places,
    node: Floats,
    weight: Floats,
    result: Floats,
) -> None:
    """Put P(rank ≤ r), r = 1, 2, …, of each mated comparison into the rows of `result`.

    A rival beats the mated score with probability (above + u·tied)/total. u runs over the nodes of the quadrature rule
    number `rule` of the mated comparison; rivals without ties are folded in once, before.
    """
    ranks = result.shape[1]
    law, held, mean, spare = np.empty(ranks), np.empty(ranks), np.empty(ranks), np.empty(ranks)
    share, extra = np.empty(above.shape[1]), np.empty(above.shape[1])
    for m in range(above.shape[0]):
        certain, uncertain, n_tied = 0, 0, 0
        law[0], size = 1.0, 1
        for other in range(above.shape[1]):
            higher, same = above[m, other], tied[m, other]
            if higher == 0 and same == 0:
                continue
            compared = total[search[m], other]
            if higher == compared:
                certain += 1
                if certain >= ranks:
                    break
            elif same:
                share[n_tied] = higher / compared
                extra[n_tied] = same / compared
                n_tied += 1
            else:
                size = _fold(law, spare, size, higher / compared)
                uncertain += 1
        if certain >= ranks:
            result[m, :] = 0.0
            continue
        if n_tied:
            mean[:] = 0.0
            held[:size] = law[:size]
            held_size = size
            for place in range(node_start[rule[m]], node_start[rule[m] + 1]):
                law[:held_size] = held[:held_size]
                size = held_size
                for t in range(n_tied):
                    size = _fold(law, spare, size, share[t] + node[place] * extra[t])
                for k in range(size):
                    mean[k] += weight[place] * law[k]
            law[:size] = mean[:size]
        cumulated = 0.0
        for r in range(ranks):
            k = r - certain
            if 0 <= k < size:
                cumulated += law[k]
            # The last place is certain, whatever rounding says.
            result[m, r] = 1.0 if k >= uncertain + n_tied else min(cumulated, 1.0)


@compiled
def _draw_and_fold(law: Floats, drawn: int, seen: int, wanted: int, others: int, p: float) -> Any:
    """Let the next of `others` rivals be drawn into a gallery that wants `wanted`, beating with probability p.

    `law[d, k]`: d of the `seen` rivals before were drawn and k of those beat the mated score; d is at most `drawn`. A
    rival is drawn with probability (wanted − d)/(others − seen), which makes every set of rivals equally likely.
    """
    most = min(drawn + 1, law.shape[0] - 1)
    ranks = law.shape[1]
    left = others - seen
    for d in range(most, -1, -1):
        stays = max(0.0, 1.0 - (wanted - d) / left)
        for k in range(ranks):
            law[d, k] *= stays
        if d > 0:
            enters = min(1.0, (wanted - d + 1) / left)
            beats, loses = enters * p, enters * (1.0 - p)
            law[d, 0] += law[d - 1, 0] * loses
            for k in range(1, ranks):
                law[d, k] += law[d - 1, k] * loses + law[d - 1, k - 1] * beats
    return most


@compiled
def small_gallery(
    above: Counts,
    tied: Counts,
    total: Counts,
    search: Places,
    wanted: int,
    rule: Places,
    node_start: Places,
    node: Floats,
    weight: Floats,
    result: Floats,
) -> None:
    """Put P(rank ≤ r) into `result` for galleries that hold only `wanted` of the rivals, drawn at random.

    Rivals that cannot beat the mated score come last in the draw, and need not be looked at.
    """
    subjects, ranks = above.shape[1], result.shape[1]
    share, extra = np.empty(subjects), np.empty(subjects)
    for m in range(above.shape[0]):
        others, plain, n_tied = 0, 0, 0
        for other in range(subjects):  # first those without ties, which are folded in once
            compared = total[search[m], other]
            others += compared > 0
            if above[m, other] and not tied[m, other]:
                share[plain] = above[m, other] / compared
                plain += 1
        for other in range(subjects):
            if tied[m, other]:
                share[plain + n_tied] = above[m, other] / total[search[m], other]
                extra[plain + n_tied] = tied[m, other] / total[search[m], other]
                n_tied += 1
        active = plain + n_tied
        deep = min(active, wanted)
        law = np.zeros((deep + 1, ranks))
        law[0, 0] = 1.0
        drawn = 0
        for i in range(plain):
            drawn = _draw_and_fold(law, drawn, i, wanted, others, share[i])
        mean = law
        if n_tied:
            mean = np.zeros_like(law)
            held_drawn = drawn
            for place in range(node_start[rule[m]], node_start[rule[m] + 1]):
                this = law.copy()
                drawn = held_drawn
                for i in range(plain, active):
                    p = share[i] + node[place] * extra[i]
                    drawn = _draw_and_fold(this, drawn, i, wanted, others, p)
                for d in range(deep + 1):
                    for k in range(ranks):
                        mean[d, k] += weight[place] * this[d, k]
        cumulated = 0.0
        for r in range(ranks):
            for d in range(deep + 1):
                cumulated += mean[d, r]
            result[m, r] = 1.0 if r >= deep else min(cumulated, 1.0)
