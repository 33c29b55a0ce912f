"""The hot loops of the rank laws, compiled by Numba; import this module only where it is used.

With n identities enrolled, the mate ranks r or better when at most r − 1 of its n − 1 rivals beat it. How many do is
binomial when rivals come from a population in which the share p beats it, and hypergeometric when they are drawn from
N scores of which J do. Either way one pass over the numbers of rivals that have a probability worth the name gives
the law for every rank at once: terms grow from their neighbours and are divided by their sum, so that no factorial is
needed and rounding does not grow with n.

Equal scores turn p and J into a range, and a piece of a ROC is one. The mean over it is a difference of the
antiderivative H(p) = ∫_p^1 P(rank ≤ r), which is written so that it is no larger than the width of the law where it
matters.
"""

from __future__ import annotations

from math import exp, log, log1p, sqrt
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from mated.scores.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Counts: TypeAlias = NDArray[np.int64]

__all__ = ["add_binomial", "add_hypergeometric"]

NEGLIGIBLE = 1e-22
"""Terms below this share of the largest are not summed."""

FAR = 50.0
"""A rank whose probability is bounded by e^−FAR is not worth a pass."""

NARROW = 0.003
"""Ranges below this share of the law's standard deviation are averaged by the corrected trapezoidal rule."""

FEW_TIES = 16
"""Up to so many equal scores the hypergeometric law is averaged one by one."""


FEW_RANKS, FEW_BEATING = 32, 32.0
"""Up to this rank, and with fewer rivals expected to beat the mate, terms are summed from none on."""


@compiled
def _far(successes: float, trials: float, p: float) -> bool:
    """Tell whether so many successes lie so far out that the tail from there on is negligible (Chernoff's bound)."""
    expected = trials * p
    divergence = 0.0
    if successes > 0:
        divergence += successes * log(successes / expected)
    if successes < trials:
        divergence += (trials - successes) * log((trials - successes) / (trials - expected))
    return divergence > FAR


@compiled
def _position(ranks: Counts, value: float) -> int:
    """Return how many ranks lie below the value (np.searchsorted takes seconds to compile)."""
    low, high = 0, len(ranks)
    while low < high:
        middle = (low + high) // 2
        if ranks[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def _divide(within: Floats, at: Floats, first: int, last: int, total: float) -> None:
    for rank in range(first, last):
        within[rank] /= total
        at[rank] /= total


@compiled
def _few_beating(p: float, trials: int, ranks: Counts, within: Floats, at: Floats) -> tuple[int, int]:
    """Do as `_binomial` where few rivals beat the mate and low ranks are asked for: terms from (1 − p)^trials on.

    The logarithm of the first term is small, so its rounding is that of a few units in the last place of the result.
    """
    odds = p / (1.0 - p)
    term = exp(trials * log1p(-p))
    rank, rivals, total = 0, 0, 0.0
    while True:
        total += term
        if ranks[rank] == rivals + 1:
            within[rank] = min(total, 1.0)
            at[rank] = term
            rank += 1
            if rank == len(ranks):
                break
        rivals += 1
        term *= (trials - rivals + 1) / rivals * odds
        if term < NEGLIGIBLE and rivals > trials * p:
            break
    return 0, rank


@compiled
def _binomial(p: float, size: int, ranks: Counts, within: Floats, at: Floats, quick: bool) -> tuple[int, int]:
    """Fill P(rank ≤ r) and P(rank = r) for the ranks between the two positions returned.

    Ranks before the first position have probability 0, those from the second on 1. Ranks are below `size`. The quick
    way for low ranks rounds differently, by some 1e-14, and in a way that depends on which ranks are asked for.
    """
    trials = size - 1
    if p <= 0.0:
        if len(ranks) and ranks[0] == 1:
            within[0] = at[0] = 1.0
            return 0, 1
        return 0, 0
    if p >= 1.0:
        return len(ranks), len(ranks)
    if quick and len(ranks) and ranks[-1] <= FEW_RANKS and size * p < FEW_BEATING:
        return _few_beating(p, trials, ranks, within, at)
    q = 1.0 - p
    nearest = _position(ranks, size * p)
    below = nearest == 0 or (ranks[nearest - 1] - 1 < trials * p and _far(ranks[nearest - 1] - 1, trials, p))
    above = nearest == len(ranks) or (ranks[nearest] - 1 > trials * p and _far(ranks[nearest] - 1, trials, p))
    if below and above:
        return nearest, nearest
    mode = min(int(size * p), trials)
    rivals, term = mode, 1.0
    while rivals > 0 and term > NEGLIGIBLE:
        term *= rivals / (trials - rivals + 1) * (q / p)
        rivals -= 1
    first = _position(ranks, rivals + 1)
    rank, total = first, 0.0
    while True:
        total += term
        if rank < len(ranks) and ranks[rank] == rivals + 1:
            within[rank] = total
            at[rank] = term
            rank += 1
        if rivals == trials:
            break
        rivals += 1
        term *= (trials - rivals + 1) / rivals * (p / q)
        if rivals > mode and term < NEGLIGIBLE:
            break
    _divide(within, at, first, rank, total)
    return first, rank


@compiled
def _hypergeometric(
    beating: int, scores: int, drawn: int, ranks: Counts, within: Floats, at: Floats
) -> tuple[int, int]:
    """Do as `_binomial` for `drawn` rivals without replacement from `scores`, of which `beating` beat the mate."""
    others = scores - beating
    least, most = max(0, drawn - others), min(beating, drawn)
    mode = int((beating + 1.0) * (drawn + 1.0) / (scores + 2.0))
    mode = min(max(mode, least), most)
    rivals, term = mode, 1.0
    while rivals > least and term > NEGLIGIBLE:
        term *= rivals / (beating - rivals + 1) * ((others - drawn + rivals) / (drawn - rivals + 1))
        rivals -= 1
    first = _position(ranks, rivals + 1)
    rank, total = first, 0.0
    while True:
        total += term
        if rank < len(ranks) and ranks[rank] == rivals + 1:
            within[rank] = total
            at[rank] = term
            rank += 1
        if rivals == most:
            break
        rivals += 1
        term *= (beating - rivals + 1) / rivals * ((drawn - rivals + 1) / (others - drawn + rivals))
        if rivals > mode and term < NEGLIGIBLE:
            break
    _divide(within, at, first, rank, total)
    return first, rank


@compiled
def _add(total: Floats, lost: Floats, position: int, value: float) -> None:
    """Add with the rounding error carried along (Kahan)."""
    corrected = value - lost[position]
    summed = total[position] + corrected
    lost[position] = (summed - total[position]) - corrected
    total[position] = summed


@compiled
def _mean_over(
    low: float, high: float, size: int, rank: int, within_low: float, at_low: float, within_high: float, at_high: float
) -> float:
    """Return the mean of P(rank ≤ r) over p from `low` to `high`, given P(rank ≤ r) and P(rank = r) at both ends.

    H(p) = P(rank ≤ r)·(r/n − p) + P(rank = r)·p·(1 − r/n). Where the range is narrow, the trapezoidal rule with its
    first correction, from the derivative −P(rank = r)·(n − r)/(1 − p), is the more exact.
    """
    share = rank / size
    width = high - low
    if width < NARROW * sqrt(share * (1.0 - share) / (size + 1.0)):
        slope_low = at_low * (size - rank) / (1.0 - low)
        slope_high = size - 1.0 if rank == size - 1 else 0.0  # at p = 1
        if high < 1.0:
            slope_high = at_high * (size - rank) / (1.0 - high)
        mean = (within_low + within_high) / 2.0 + width * (slope_high - slope_low) / 12.0
    else:
        above_low = within_low * (share - low) + at_low * low * (1.0 - share)
        above_high = within_high * (share - high) + at_high * high * (1.0 - share)
        mean = (above_low - above_high) / width
    return min(max(mean, within_high), within_low)


@compiled
def _finish(total: Floats, lost: Floats, certain: Floats, certain_lost: Floats) -> None:
    """Add what is certain from each rank on to a finished row, and clear the rest for the next."""
    reached, reached_lost = np.zeros(1), np.zeros(1)
    for k in range(len(total)):
        _add(reached, reached_lost, 0, certain[k])
        total[k] += reached[0]
        lost[k] = 0.0
    for k in range(len(certain)):
        certain[k] = certain_lost[k] = 0.0


@compiled
def add_binomial(
    low: Floats, high: Floats, weight: Floats, owner: Counts, size: int, ranks: Counts, total: Floats, quick: bool
) -> None:
    """Add weight × the mean of P(rank ≤ r) over p from `low` to `high` to the row of each range's owner.

    `ranks` ascend, without repeats, and lie below `size`; `owner` ascends; `total` is owners × ranks, all 0.
    The ends of neighbouring ranges that coincide are evaluated once.
    """
    count = len(ranks)
    lost, certain, certain_lost = np.zeros(count), np.zeros(count + 1), np.zeros(count + 1)
    within, at = np.empty((2, count)), np.empty((2, count))
    begin, end = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64)
    here, there, held = 0, 1, np.nan
    for i in range(len(low)):
        row = owner[i]
        if i and row != owner[i - 1]:
            _finish(total[owner[i - 1]], lost, certain, certain_lost)
        if low[i] != held:
            begin[here], end[here] = _binomial(low[i], size, ranks, within[here], at[here], quick)
            held = low[i]
        if high[i] == low[i]:
            for k in range(begin[here], end[here]):
                _add(total[row], lost, k, weight[i] * within[here, k])
            _add(certain, certain_lost, end[here], weight[i])
            continue
        begin[there], end[there] = _binomial(high[i], size, ranks, within[there], at[there], quick)
        for k in range(begin[here], end[there]):
            within_low = within[here, k] if k < end[here] else 1.0
            at_low = at[here, k] if k < end[here] else 0.0
            within_high = within[there, k] if k >= begin[there] else 0.0
            at_high = at[there, k] if k >= begin[there] else 0.0
            mean = _mean_over(low[i], high[i], size, ranks[k], within_low, at_low, within_high, at_high)
            _add(total[row], lost, k, weight[i] * mean)
        _add(certain, certain_lost, end[there], weight[i])
        here, there, held = there, here, high[i]
    if len(owner):
        _finish(total[owner[-1]], lost, certain, certain_lost)


@compiled
def add_hypergeometric(
    above: Counts,
    tied: Counts,
    scores: Counts,
    weight: Floats,
    owner: Counts,
    size: int,
    ranks: Counts,
    total: Floats,
) -> None:
    """Do as `add_binomial` with `size` − 1 rivals drawn from `scores`, of which J beat the mate.

    J runs from `above` to `above` + `tied`, each as likely. The r-th best rival drawn holds the place T among all
    scores, and P(rank ≤ r) = P(T > J). So the sum over J is a difference of E(T − J)₊ =
    P(rank ≤ r)·(μ − J) + P(rank = r)·(J − r + 1)(m − r + 1)/(m + 1), m = n − 1, μ = r(N + 1)/(m + 1).
    """
    count, drawn = len(ranks), size - 1
    lost, certain, certain_lost = np.zeros(count), np.zeros(count + 1), np.zeros(count + 1)
    within, at = np.empty((2, count)), np.empty((2, count))
    for i in range(len(above)):
        row = owner[i]
        if i and row != owner[i - 1]:
            _finish(total[owner[i - 1]], lost, certain, certain_lost)
        if tied[i] <= FEW_TIES:
            share = weight[i] / (tied[i] + 1)
            for beating in range(above[i], above[i] + tied[i] + 1):
                begin, end = _hypergeometric(beating, scores[i], drawn, ranks, within[0], at[0])
                for k in range(begin, end):
                    _add(total[row], lost, k, share * within[0, k])
                _add(certain, certain_lost, end, share)
            continue
        first, past = above[i], above[i] + tied[i] + 1
        begin, end = _hypergeometric(first, scores[i], drawn, ranks, within[0], at[0])
        past_begin, past_end = count, count
        if past <= scores[i]:
            past_begin, past_end = _hypergeometric(past, scores[i], drawn, ranks, within[1], at[1])
        for k in range(begin, past_end):
            rank = ranks[k]
            mean_place = rank * (scores[i] + 1.0) / (drawn + 1.0)
            edge = (drawn - rank + 1.0) / (drawn + 1.0)
            within_first = within[0, k] if k < end else 1.0
            beyond = within_first * (mean_place - first)
            if k < end:
                beyond += at[0, k] * (first - rank + 1.0) * edge
            within_past = 0.0
            if k >= past_begin:
                within_past = within[1, k]
                beyond -= within_past * (mean_place - past) + at[1, k] * (past - rank + 1.0) * edge
            mean = min(max(beyond / (tied[i] + 1.0), within_past), within_first)
            _add(total[row], lost, k, weight[i] * mean)
        _add(certain, certain_lost, past_end, weight[i])
    if len(owner):
        _finish(total[owner[-1]], lost, certain, certain_lost)
