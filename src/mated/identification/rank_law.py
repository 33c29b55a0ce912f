"""The law of a mate's rank when its rivals beat it independently, as a function of the share p of rivals that do.

With n identities enrolled the mate ranks r or better when at most r − 1 of n − 1 rivals beat it: P(rank ≤ r) =
P(Binomial(n − 1, p) ≤ r − 1) = 1 − I_p(r, n − r), I the regularised incomplete beta function. Every prediction of a
CMC from verification is a mean of this over p: over the pieces of a ROC, or over the mated scores. All of them come
here, so that they round alike.
"""

from __future__ import annotations

from math import lgamma, log, pi
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.identification.cmc import as_ranks

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from mated.identification.cmc import Ties

    Floats: TypeAlias = NDArray[np.float64]
    Counts: TypeAlias = NDArray[np.int64]

__all__ = [
    "LARGEST_GALLERY",
    "MOST_RANKS",
    "as_gallery_size",
    "beating_range",
    "deviance",
    "mean_hypergeometric_cdf",
    "mean_rank_cdf",
    "mean_rank_probability",
    "ranks_asked",
]

LARGEST_GALLERY = 10**12
"""Larger galleries are refused."""

MOST_RANKS = 10_000
"""The largest gallery whose every rank is given when no ranks are asked for."""

_BLOCK = 1 << 14
_NODES = 8
_SERIES_FROM = 16


def as_gallery_size(gallery_size: float) -> int:
    """Return the number of identities enrolled, and refuse what is not a whole number of two or more."""
    try:
        size = float(gallery_size)
        whole = int(gallery_size) == size and not isinstance(gallery_size, bool)
    except (TypeError, ValueError, OverflowError):
        whole = False
    if not whole or not 2 <= size <= LARGEST_GALLERY:
        raise MatedError(
            f"a gallery size is a whole number from 2 to {LARGEST_GALLERY:.0e}, the mate counted, "
            f"and {gallery_size!r} is not"
        )
    return int(gallery_size)


def ranks_asked(ranks: ArrayLike | None, size: int) -> Counts:
    """Return the ranks to compute, in one dimension: those given, or every rank of a gallery that is not too large."""
    if ranks is not None:
        return np.atleast_1d(as_ranks(ranks, size)).ravel()
    if size > MOST_RANKS:
        raise MatedError(
            f"a gallery of {size} has too many ranks to give them all (the most is {MOST_RANKS}); "
            "say which, as in ranks=[1, 10]"
        )
    return np.arange(1, size + 1)


def beating_range(above: NDArray[Any], at_or_above: NDArray[Any], ties: Ties) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the range of the number of rivals that beat a mate, given those above it and those at or above it.

    A mate among equal scores comes first (optimistic), last (pessimistic) or at a place drawn uniformly (expected).
    """
    if ties == "expected":
        return above, at_or_above
    if ties == "optimistic":
        return above, above
    if ties == "pessimistic":
        return at_or_above, at_or_above
    raise MatedError(f"ties must be 'expected', 'pessimistic' or 'optimistic', not {ties!r}")


def mean_rank_cdf(
    low: Floats,
    high: Floats,
    weight: Floats,
    size: int,
    ranks: Counts,
    owner: Counts | None = None,
    owners: int = 1,
    *,
    quick: bool = False,
) -> Floats:
    """Return Σ weight · mean over p from `low` to `high` of P(rank ≤ r): a row an owner, a column a rank.

    Formula: ∫ P(rank ≤ r) dp = [p(1 − I_p(r, n − r)) + (r/n)·I_p(r + 1, n − r)], summed in an order without
    cancellation; a range of no width is a point. The weights of an owner should sum to 1. Rows never fall with the
    rank, stay between 0 and 1, and are 1 where r = n.

    Terms below 1e-20 of the whole are left out, so a rate of 1e-25 is given as 0. `quick` is for the many ranges of
    replicates: several times faster where no rank above 32 is asked for, and less exact (1e-13 instead of 1e-15).
    """
    from mated.identification.rank_law_kernels import add_binomial

    # Numba compiles anew for arrays that cannot be written to.
    begin, end, share = (np.require(values, np.float64, ["C", "W"]) for values in (low, high, weight))
    row = np.zeros(len(begin), dtype=np.int64) if owner is None else owner
    asked, where, total = _table(size, ranks, owners)
    add_binomial(begin, end, share, row, size, asked, total, quick)
    return _as_asked(total, where)


def mean_hypergeometric_cdf(
    above: Counts,
    at_or_above: Counts,
    scores: Counts,
    weight: Floats,
    size: int,
    ranks: Counts,
    owner: Counts,
    owners: int,
) -> Floats:
    """Do as `mean_rank_cdf` for `size` − 1 rivals drawn without replacement from `scores`.

    `above` to `at_or_above` of them beat the mate, every number in between as likely. `scores` ≥ `size` − 1.
    """
    from mated.identification.rank_law_kernels import add_hypergeometric

    asked, where, total = _table(size, ranks, owners)
    beating, tied, drawn_from = (np.require(v, np.int64, ["C", "W"]) for v in (above, at_or_above - above, scores))
    add_hypergeometric(beating, tied, drawn_from, weight, owner, size, asked, total)
    return _as_asked(total, where)


def _table(size: int, ranks: Counts, owners: int) -> tuple[Counts, NDArray[np.intp], Floats]:
    """Return the ranks below the last, ascending and once each, where those asked for are, and room for the sums."""
    asked, where = np.unique(ranks, return_inverse=True)
    inner = asked[asked < size]
    return inner, where, np.zeros((owners, len(inner)))


def _as_asked(total: Floats, where: NDArray[np.intp]) -> Floats:
    """Undo what rounding may do to a law, join the rank n on, whose probability is 1, and order as asked."""
    np.clip(total, 0.0, 1.0, out=total)
    np.maximum.accumulate(total, axis=1, out=total)
    full: Floats = np.column_stack([total, np.ones(len(total))])[:, where]
    return full


def mean_rank_probability(low: Floats, high: Floats, weight: Floats, size: int, ranks: Counts) -> Floats:
    """Return Σ weight · mean over p from `low` to `high` of P(rank = k), for each rank.

    Formula: P(rank = k) = C(n−1, k−1) p^(k−1) (1 − p)^(n−k), in log space; over a range ∫ P(rank = k) dp = ΔI_p(k, n
    − k + 1)/n, from the smaller tail. Where P(rank = k) changes by less than a factor e over the range, that
    difference would cancel, and eight Gauss nodes are exact. Probabilities keep their relative precision down to the
    smallest floats.
    """
    result = np.zeros(len(ranks))
    apart = high > low
    for position, rank in enumerate(ranks.tolist()):
        for start in range(0, len(low), _BLOCK):
            block = slice(start, start + _BLOCK)
            left, right, share = low[block], high[block], weight[block]
            mean = np.exp(_log_probability(left, size, rank))
            wide = apart[block]
            if wide.any():
                mean[wide] = _mean_probability(left[wide], right[wide], size, rank)
            result[position] += np.dot(share, mean)
    return result


def _mean_probability(low: Floats, high: Floats, size: int, rank: int) -> Floats:
    from scipy.special import betainc, betaincc

    width = high - low
    spread = np.sqrt(rank * (size - rank + 1.0) / (size + 2.0)) / (size + 1.0)
    # The logarithm of P(rank = k) is concave in p: its steepest slopes are at the ends.
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = [np.abs(np.nan_to_num((rank - 1) / p) - np.nan_to_num((size - rank) / (1 - p))) for p in (low, high)]
    narrow = width * np.maximum.reduce([*slopes, np.full_like(width, 1 / spread)]) < 1
    mean = np.empty_like(width)
    if narrow.any():
        nodes, parts = np.polynomial.legendre.leggauss(_NODES)
        inside = low[narrow, None] + width[narrow, None] * (1 + nodes) / 2
        mean[narrow] = np.exp(_log_probability(inside, size, rank)) @ parts / 2
    wide = ~narrow
    if wide.any():
        a, b = float(rank), size - rank + 1.0
        left = betainc(a, b, high[wide]) - betainc(a, b, low[wide])
        right = betaincc(a, b, low[wide]) - betaincc(a, b, high[wide])
        mean[wide] = np.where(betainc(a, b, low[wide]) < 0.5, left, right) / (size * width[wide])
    return mean


def _log_probability(p: Floats, size: int, rank: int) -> Floats:
    """Return log P(rank = k), by Loader's expansion around the mode, which does not cancel for large galleries."""
    trials, beaten, kept = size - 1.0, rank - 1.0, size - float(rank)
    with np.errstate(divide="ignore"):
        if beaten == 0:
            return np.asarray(trials * np.log1p(-p))
        if kept == 0:
            return np.asarray(trials * np.log(p))
    constant = _stirling_error(trials) - _stirling_error(beaten) - _stirling_error(kept)
    constant += 0.5 * np.log(trials / (2 * np.pi * beaten * kept))
    return np.asarray(constant - deviance(beaten, trials * p) - deviance(kept, trials * (1 - p)))


def _stirling_error(x: float) -> float:
    """Return log x! − log(√(2πx) (x/e)^x)."""
    if x < _SERIES_FROM:
        return lgamma(x + 1) - (x + 0.5) * log(x) + x - 0.5 * log(2 * pi)
    s = 1 / x**2
    return (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))) / x


def deviance(x: float | NDArray[np.floating[Any]], mean: Floats) -> Floats:
    """Return x·log(x/mean) + mean − x, without cancellation where the two are close."""
    from scipy.special import xlogy

    ratio = (x - mean) / (x + mean)
    close = np.abs(ratio) < 0.1
    with np.errstate(divide="ignore"):
        far = xlogy(x, x / mean) + mean - x
    v = np.where(close, ratio, 0.0)
    # log(x/mean) = 2 artanh(v): the series without its first term, which the rest of the formula takes up.
    series = np.zeros_like(v)
    for power in range(21, 1, -2):
        series = (series + 1 / power) * v**2
    return np.where(close, (x - mean) * v + 2 * x * v * series, far)
