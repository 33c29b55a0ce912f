"""Closed-set identification: where the mate of each probe ranks in a gallery, and the curve that cumulates it.

The rank of a mate is 1 + the identities that score higher + some of those that score the same. How many of the latter
is a named choice, as a search that returns a list must break ties somehow:

============  ==========================================  ==================================================
ties          rank of a mate with a above it, t tied      what it is
============  ==========================================  ==================================================
expected      a + 1, …, a + t + 1, each with 1/(t + 1)    the mean over a random order, computed exactly
optimistic    a + 1                                       the mate comes first (the ≥ of Bolle et al. 2005)
pessimistic   a + t + 1                                   the mate comes last
============  ==========================================  ==================================================

Shares of a probe are cumulated as whole multiples of one common fraction and divided once, so that every rate is the
float nearest to the true one. Only where a test has so many different numbers of ties that no common fraction fits
floats are summed; rates are then right to about 1e-12, and the curve is still non-decreasing, ends at 1 and lies
between the other two.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite, lcm
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from mated.scores.ranks import Ranks

    Floats: TypeAlias = NDArray[np.float64]
    Counts: TypeAlias = NDArray[np.int64]

__all__ = ["Cmc", "Shares", "Ties", "as_ranks", "cmc", "prior_weighted_cmc", "rank_probabilities", "shares_within"]

Ties: TypeAlias = Literal["expected", "pessimistic", "optimistic"]
"""Where a mate stands among the identities that score the same."""

_TIES = ("expected", "pessimistic", "optimistic")
_EXACT = 2**53  # whole numbers below it are exact in a float


@dataclass(frozen=True, eq=False, repr=False)
class Cmc:
    """The cumulative match characteristic: the share of mated probes whose mate ranks r or better.

    CMC(r) = #{rank ≤ r}/n over n probes (Bolle et al. 2005, Eqs. 4 and 5). `cmc(r)` reads it at one rank or several.

    Attributes
    ----------
    rate, probabilities
        CMC(r) and P(r) = #{rank = r}/n (Eq. 3), for r from 1 to `gallery_size`.
    mean_rank
        The mean rank of the mates.
    probes, gallery_size
        Mated probes, and identities enrolled.
    ties
        Where a mate stands among the identities that score the same.
    """

    rate: Floats
    probabilities: Floats
    mean_rank: float
    probes: int
    gallery_size: int
    ties: Ties

    def __post_init__(self) -> None:
        for name in ("rate", "probabilities"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def __call__(self, rank: ArrayLike) -> Any:
        """CMC at the ranks given: a float for one, an array for several."""
        value = self.rate[as_ranks(rank, self.gallery_size) - 1]
        return value if np.ndim(value) else float(value)

    def misidentification(self, length: ArrayLike) -> Any:
        """P_F(K) = 1 − CMC(K): how often the mate is not among K candidates (Bolle et al. 2005, Eq. 9)."""
        return 1 - self(length)

    @cached_property
    def fractional_rank(self) -> Floats:
        """The rank as a share of the gallery, r/n for r from 1 to n: the axis a CMC shares with a ROC."""
        return read_only(np.arange(1, self.gallery_size + 1) / self.gallery_size)

    @property
    def area(self) -> float:
        """Area under the curve, the mean of CMC(r) over the n ranks.

        Σ CMC(r) = Σ_probes (n + 1 − rank)/probes, so the area is (n + 1 − mean rank)/n: between 1/n and 1.
        """
        return (self.gallery_size + 1 - self.mean_rank) / self.gallery_size

    def __len__(self) -> int:
        return self.gallery_size

    def __repr__(self) -> str:
        return f"Cmc({self.probes} probes, gallery of {self.gallery_size}, rank-1 rate {self.rate[0]:.6g})"


class Shares(NamedTuple):
    """Numbers between 0 and 1, one a probe, held as `parts` of 1/`unit`.

    The parts are whole, and any sum of them exact, unless `unit` is 0: then they are the floats themselves.
    """

    parts: Floats
    unit: int

    @property
    def values(self) -> Floats:
        """The shares as floats."""
        return self.parts / (self.unit or 1)


def cmc(ranks: Ranks, ties: Ties = "expected") -> Cmc:
    """Return the cumulative match characteristic of a search.

    Open-set probes are in no count. A probe that was compared with fewer identities than are enrolled is ranked among
    those it met, which favours it; `Ranks.missing` says how often that happened. A mate whose comparison failed is
    ranked last.

    Cost: one pass over the probes and one over the ranks; no array of probes × ranks.

    Reference: Bolle et al. (2005), sections 2 and 3; the expected rule for ties is ours.
    """
    _check(ranks, ties)
    size, probes = ranks.gallery_size, ranks.n_mated
    first, last = _counts(ranks.above, size), _counts(ranks.above + ranks.tied, size)
    if ties == "expected":
        weight = _as_shares(np.ones(probes, dtype=np.int64), ranks.tied + 1)
        begins = np.bincount(ranks.above, weights=weight.parts, minlength=size + 1)
        ends = np.bincount(ranks.above + ranks.tied + 1, weights=weight.parts, minlength=size + 1)
        reached = np.cumsum(np.cumsum(begins - ends)[:size])
        total = probes * (weight.unit or 1)
        if not weight.unit:
            bounded = np.clip(reached, np.cumsum(last), np.cumsum(first))
            reached = np.maximum.accumulate(bounded)
    else:
        reached, total = np.cumsum(first if ties == "optimistic" else last).astype(np.float64), probes
    probabilities = np.diff(reached, prepend=0.0) / total
    return Cmc(reached / total, probabilities, _mean_rank(ranks, ties), probes, size, ties)


def rank_probabilities(ranks: Ranks, ties: Ties = "expected") -> Floats:
    """Return P(k), the share of mated probes whose mate ranks k, for k from 1 to the gallery's size.

    Reference: Bolle et al. (2005), Eq. 3.
    """
    return cmc(ranks, ties).probabilities


def prior_weighted_cmc(source: Ranks | Cmc, n_unknown: float | None = None, *, ties: Ties = "expected") -> Floats:
    """Return CMC(r) · n_known/(n_known + n_unknown): how often a search of anybody finds its mate within rank r.

    n_known is the number of mated probes (in the paper the gallery's size m, as it has a probe for each identity) and
    n_unknown the number of searches by people who are not enrolled; by default the open-set probes of `Ranks`. Only
    their ratio matters, so both may stand for what is expected in use. The curve ends below 1 at the prior
    probability that a search has a mate. It says nothing of what unknown people are told: FPIR does.

    `ties` is read only where `source` is a `Ranks`.

    Reference: Bolle et al. (2005), section 5.3.
    """
    if n_unknown is None:
        if isinstance(source, Cmc):
            raise MatedError("a CMC does not know of open-set probes: give n_unknown, the searches without a mate")
        n_unknown = source.n_open
    try:
        unknown = float(n_unknown)
    except (TypeError, ValueError):
        unknown = float("nan")
    if not (isfinite(unknown) and unknown >= 0):
        raise MatedError(f"the number of unknown probes is finite and not negative, and {n_unknown!r} is not")
    curve = source if isinstance(source, Cmc) else cmc(source, ties)
    weighted: Floats = curve.rate * (curve.probes / (curve.probes + unknown))
    return weighted


def shares_within(ranks: Ranks, rank: int | None, ties: Ties = "expected") -> Shares:
    """Return for each mated probe the probability that its mate ranks `rank` or better; None asks for no rank.

    With a above and t tied it is min(max(r − a, 0), t + 1)/(t + 1) under the expected rule, and 0 or 1 under the
    others.
    """
    _check(ranks, ties)
    if rank is None:
        return Shares(np.ones(ranks.n_mated), 1)
    limit = int(as_ranks(rank, ranks.gallery_size))
    if ties == "expected":
        return _as_shares(np.clip(limit - ranks.above, 0, ranks.tied + 1), ranks.tied + 1)
    behind = ranks.above if ties == "optimistic" else ranks.above + ranks.tied
    return Shares((behind < limit).astype(np.float64), 1)


def as_ranks(rank: ArrayLike, gallery_size: int) -> Counts:
    """Return ranks as integers, and refuse what is not a whole number from 1 to the gallery's size."""
    try:
        asked = np.asarray(rank, dtype=np.float64)
    except (TypeError, ValueError):
        raise MatedError(f"a rank is a whole number, and {rank!r} is none") from None
    wrong = ~((asked >= 1) & (asked <= gallery_size) & (asked == np.floor(asked)))
    if wrong.any():
        raise MatedError(
            f"a rank is a whole number from 1 to {gallery_size}, the identities in the gallery, and "
            f"{asked[wrong][0]:g} is not"
        )
    return np.asarray(asked, dtype=np.int64)


def _check(ranks: Ranks, ties: Ties) -> None:
    if ties not in _TIES:
        raise MatedError(f"ties must be 'expected', 'pessimistic' or 'optimistic', not {ties!r}")
    if not ranks.n_mated:
        raise MatedError("no probe has its identity in the gallery, so there is no rank; check the ids of both sides")
    if ranks.above.min() < 0 or ranks.tied.min() < 0 or int((ranks.above + ranks.tied).max()) >= ranks.gallery_size:
        raise MatedError(f"ranks must lie between 1 and {ranks.gallery_size}, the identities in the gallery")


def _counts(position: Counts, size: int) -> Counts:
    return np.bincount(position, minlength=size)


def _mean_rank(ranks: Ranks, ties: Ties) -> float:
    above, tied = int(ranks.above.sum()), int(ranks.tied.sum())
    twice = 2 * above + {"expected": tied, "optimistic": 0, "pessimistic": 2 * tied}[ties]
    return (twice + 2 * ranks.n_mated) / (2 * ranks.n_mated)


def _as_shares(numerator: Counts, denominator: Counts) -> Shares:
    """Write fractions as whole multiples of their common unit, or as floats where sums of them would not be exact."""
    divisor = np.gcd(numerator, denominator)
    numerator, denominator = numerator // divisor, denominator // divisor
    unit = 1
    for part in np.unique(denominator).tolist():
        unit = lcm(unit, part)
        if unit * len(numerator) >= _EXACT:
            return Shares(numerator / denominator, 0)
    return Shares((numerator * (unit // denominator)).astype(np.float64), unit)
