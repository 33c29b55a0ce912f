"""The false match rate of each probe far beyond its own scores, and the CMC of galleries larger than the data.

A probe with 4,000 non-mated scores shows false match rates down to 1/4,000. A search of 10^6 asks for 10^-6, and an
average ROC has nothing there but zeros: mated scores above all of the probe's non-mated ones, which it takes for never
beaten. This model reads the small rates of a probe from all probes together:

1. Each probe is described by the upper part of its own scores: the pivot c that a share p of them exceed, about 15 %
   (`mated.scores.probe_scores.upper_share`), and their mean excess e over it.
2. y = (s − c)/e makes probes comparable. They are put into at most four classes of equal size by e/(c − median): where
   the upper tail is long beside the body, it also falls off more slowly. The scores of a class are pooled.
3. Above the pooled 99.9 % quantile a tail law is fitted (`mated.identification.tail_families`), to at least 100 and at
   most 4,096 exceedances of a class: the threshold is lower where scores are few, and higher where they are very many.
4. FMR of a probe at s is p·G(y): G the pooled share of the scores above their pivots that reach y; empirical up to the
   threshold, equal ones counted half, the tail law from there on.

Each mated score then gives the law of its rank, P(Binomial(n − 1, FMR) ≤ r − 1), and the CMC is the mean of these over
the mated scores of a subject and then over subjects.

What it presumes: within a class probes differ in location and scale only, and the law of the tail goes on as it began.
A forecast of rank 1 for 10^6 from 16 million non-mated scores hardly leaves the pooled data; one for 10^9 rests on the
law. How far it can be trusted was tried on populations with known truth (`benchmarks/forecast_trust.py`).

Textbook choices were tried first: standardising by mean and standard deviation, one class, a generalised Pareto tail.
That is good where probes differ in location and scale only (64 dimensions, cosine). With log-likelihood ratios in 12
dimensions, whose upper tails do not go with the spread of the rest, it forecast .20 for a gallery of 10^4 where .34 is
true, this model .32; with t scores of two kinds .005 for 10^6 where .25 is true, this model .24; and the Pareto law,
which ends just beyond the data, doubled what was too high already at 10^9.

Coarse scores (whole numbers, few decimals): ties with the mate count half, as random order would have it on average.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.identification.rank_law import as_gallery_size, mean_rank_cdf, ranks_asked
from mated.identification.tail_families import TailLaw, fit_tail
from mated.scores.probe_scores import HISTOGRAM
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction

    from numpy.typing import ArrayLike, NDArray

    from mated.scores.probe_scores import ProbeScores

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["PooledTail", "TailModel", "fit_replicates", "fit_tail_model", "tail_cmc"]

_TAIL_SHARE = 1e-3
_TOO_FEW, _FEWEST, _MOST = 50, 100, 4096
_MOST_CLASSES = 4
_TOGETHER = 16


@dataclass(frozen=True, eq=False, repr=False)
class PooledTail:
    """The upper part of a pooled survival function: scores up to a threshold, a law above it.

    Attributes
    ----------
    level
        Distinct levels, ascending.
    share
        The share of the pool that lies above each level, equal ones counted half.
    first
        The share that reaches the lowest of them.
    law, at_law
        The law above its threshold, and the share there.
    """

    level: Floats
    share: Floats
    first: float
    law: TailLaw
    at_law: float

    def __call__(self, level: Floats) -> Floats:
        """Return the share of the pool above levels from the lowest one on."""
        result = np.exp(self.law.log_share(level)) * self.at_law
        middle = level < self.law.threshold
        result[middle] = np.interp(level[middle], self.level, self.share)
        return result


@dataclass(frozen=True, eq=False, repr=False)
class TailModel:
    """False match rates of every probe at any score; fit it with `fit_tail_model`.

    Attributes
    ----------
    probes
        The scores it was fitted to.
    weight
        Of each unit of subjects, how often it counts.
    share, scale
        Of each probe, the share of its scores above the pivot and their mean excess.
    probe_class
        Of each probe, its class.
    tails
        The pooled tail of each class.
    """

    probes: ProbeScores
    weight: Floats
    share: Floats
    scale: Floats
    probe_class: NDArray[np.int64]
    tails: tuple[PooledTail, ...]

    def fmr(self, probe: ArrayLike, score: ArrayLike) -> Floats:
        """Return the false match rates of probes (their numbers) at scores (similarities), one for each pair.

        Equal scores count half. For the rate of a threshold, which all equal scores reach, see `fmr_at`.
        """
        number, at = np.broadcast_arrays(np.asarray(probe, dtype=np.int64), np.asarray(score, dtype=np.float64))
        level = (at - self.probes.pivot[number]) / self.scale[number]
        above = np.empty(level.shape)
        for code, tail in enumerate(self.tails):
            own = self.probe_class[number] == code
            above[own] = self._upper(tail, level[own])
        share = self.share[number]
        below = 1 - (1 - share) * self._lower(level)
        return np.asarray(np.where(level > 0, share * above, below))

    def fmr_at(self, threshold: float) -> Floats:
        """Return the false match rate of every probe at one threshold: the chance of a score ≥ it.

        The mean of these rates over the probes is the global FMR, which all scores together show down to one over
        their number; the rates of `fmr` are multiplied so that they agree with it. In a scoring system of whole steps
        the threshold lies half a step lower among continuous scores.
        """
        at = threshold - (float(self.score_unit) / 2 if self.score_unit else 0.0)
        rate = self.fmr(np.arange(self.probes.n_probes), at)
        mean = float(self.probe_weight @ rate)
        if self.together is None or at < self.together.level[0] or mean == 0:
            return rate
        return np.minimum(rate * (float(self.together(np.array([at]))[0]) / mean), 1.0)

    @cached_property
    def together(self) -> PooledTail | None:
        """The pooled tail of the scores of all probes as they are; None where they are too few or too coarse."""
        return _tail_together(self.probes, self.weight)

    @property
    def mated_score(self) -> Floats:
        """The mated scores, similarities."""
        return self.probes.mated_score

    @property
    def score_unit(self) -> Fraction | None:
        """The step between two legitimate scores, None for continuous scores."""
        return self.probes.score_unit

    @cached_property
    def mated_fmr(self) -> Floats:
        """The false match rate of the probe of each mated score, at that score."""
        return read_only(self.fmr(self.probes.mated_probe, self.probes.mated_score))

    @cached_property
    def beyond(self) -> float:
        """The share of mated scores that lie beyond the end of the fitted tail and are taken as never beaten."""
        return float(self.mated_weight @ (self.mated_fmr == 0))

    @cached_property
    def probe_weight(self) -> Floats:
        """What each probe counts: subjects by their weight, the probes of a subject alike."""
        subject = self.probes.subject
        per_subject = np.bincount(subject)[subject]
        weight = self.weight[self.probes.unit_of[subject]] / per_subject
        return read_only(weight / weight.sum())

    @cached_property
    def mated_weight(self) -> Floats:
        """What each mated score counts: subjects by their weight, the mated scores of a subject alike."""
        subject = self.probes.subject[self.probes.mated_probe]
        per_subject = np.bincount(subject)[subject]
        weight = self.weight[self.probes.unit_of[subject]] / per_subject
        return read_only(weight / weight.sum())

    def _upper(self, tail: PooledTail, level: Floats) -> Floats:
        """Return the share of the scores above their pivots that reach levels above 0."""
        start = self.probes.tail_from
        result = tail(level)
        low = level < start
        if low.any():  # a histogram of all classes, bent so that it meets the kept scores of this one
            positive = HISTOGRAM >= 0
            counts = self.probes.histogram[positive[:-1]]
            reached = np.append(np.cumsum(counts[::-1])[::-1], 0) / counts.sum()
            body = np.interp([start, *level[low]], HISTOGRAM[positive], reached)
            # Where the tail begins at the pivot itself there is nothing to bend.
            bend = np.log(tail.first) / np.log(body[0]) if 0 < body[0] < 1 else 1.0
            result[low] = body[1:] ** bend
        return result

    def _lower(self, level: Floats) -> Floats:
        """Return the share of the scores below their pivots that lie below levels up to 0, of all probes together."""
        negative = HISTOGRAM <= 0
        counts = self.probes.histogram[negative[1:]]
        passed = np.append(0, np.cumsum(counts)) / max(int(counts.sum()), 1)
        return np.interp(level, HISTOGRAM[negative], passed)

    def __repr__(self) -> str:
        laws = ", ".join(f"{tail.law.family} {tail.law.shape:.3g}" for tail in self.tails)
        return f"TailModel({self.probes.n_probes} probes, tails: {laws})"


def fit_tail_model(probes: ProbeScores, weight: ArrayLike | None = None, *, like: TailModel | None = None) -> TailModel:
    """Fit the model of this module, each subject counted once or, in a replicate, as often as `weight` says.

    A non-mated score of a subject ω with a subject ν weighs w_ν within ω, and w_ω·w_ν in the pool. `like` is the model
    of the data themselves, whose classes a replicate keeps. A probe none of whose upper scores has a weight keeps the
    share and scale it had there.
    """
    weights = np.ones(probes.n_units) if weight is None else np.asarray(weight, dtype=np.float64)
    if weights.shape != (probes.n_units,):
        raise MatedError(f"there are {probes.n_units} units to weigh, and {weights.shape} weights are given")
    return next(fit_replicates(probes, weights[None, :], like))


def fit_replicates(probes: ProbeScores, weights: NDArray[Any], like: TailModel | None) -> Iterator[TailModel]:
    """Fit a model for each row of weights; the sums of some replicates at a time are matrix products."""
    for start in range(0, len(weights), _TOGETHER):
        rows = weights[start : start + _TOGETHER].astype(np.float64)
        above, total, excess = (_products(cells, rows) for cells in (probes.above, probes.total, probes.excess))
        for number, row in enumerate(rows):
            yield _fitted(probes, row, above[:, number], total[:, number], excess[:, number], like)


def tail_cmc(
    model: TailModel,
    gallery_sizes: Sequence[float],
    ranks: ArrayLike,
    *,
    factor: ArrayLike = 1.0,
    quick: bool = False,
) -> Floats:
    """Return the forecast CMC, a row for each gallery size (the mate counted) and a column for each rank.

    Formula: the mean over subjects, and within each over its mated scores, of P(Binomial(n − 1, FMR) ≤ r − 1).
    `factor` multiplies the false match rates, one number or one for each gallery size; `quick` is for replicates (see
    `mated.identification.rank_law.mean_rank_cdf`).
    """
    sizes = [as_gallery_size(size) for size in gallery_sizes]
    rows = []
    for size, times in zip(sizes, np.broadcast_to(factor, len(sizes)), strict=True):
        rate = np.minimum(model.mated_fmr * times, 1.0)
        law = mean_rank_cdf(rate, rate, model.mated_weight, size, ranks_asked(ranks, size), quick=quick)
        rows.append(law.ravel())
    return np.array(rows)


def _products(cells: NDArray[Any], weights: Floats) -> Floats:
    """Return cells · weights′ in floats, some probes at a time."""
    step = max(1, (1 << 21) // cells.shape[1])
    parts = [cells[k : k + step].astype(np.float64) @ weights.T for k in range(0, len(cells), step)]
    return np.concatenate(parts)


def _fitted(
    probes: ProbeScores, weights: Floats, above: Floats, total: Floats, excess: Floats, like: TailModel | None
) -> TailModel:
    with np.errstate(divide="ignore", invalid="ignore"):
        share, scale = above / total, excess / above
    if like is not None:
        lost = above == 0
        share[lost], scale[lost] = like.share[lost], like.scale[lost]
    probe_class = _classes(probes, scale) if like is None else like.probe_class
    return TailModel(
        probes,
        read_only(weights),
        read_only(share),
        read_only(scale),
        read_only(probe_class),
        tuple(_pooled_tails(probes, weights, above, scale, probe_class, like)),
    )


def _classes(probes: ProbeScores, scale: Floats) -> NDArray[np.int64]:
    """Divide probes by the length of their upper tail beside their body, into classes with 100 exceedances or more."""
    classes = int(np.clip(_TAIL_SHARE * probes.n_nonmated / _FEWEST, 1, _MOST_CLASSES))
    with np.errstate(divide="ignore"):
        shape = scale / (probes.pivot - probes.median)
    place = np.empty(len(shape), dtype=np.int64)
    place[np.argsort(shape, kind="stable")] = np.arange(len(shape))
    return place * classes // len(shape)


def _pooled_tails(
    probes: ProbeScores,
    weights: Floats,
    above: Floats,
    scale: Floats,
    probe_class: NDArray[np.int64],
    like: TailModel | None,
) -> list[PooledTail]:
    own = weights[probes.unit_of[probes.subject]]
    owner = probes.tail_probe
    weight = own[owner] * weights[probes.tail_unit]
    level = (probes.tail_score - probes.pivot[owner]) / scale[owner]
    used = (weight > 0) & (level >= probes.tail_from)
    used &= level > 0
    order = np.argsort(level[used])
    level, weight, code = level[used][order], weight[used][order], probe_class[owner[used][order]]
    scores = probes.histogram.sum() / probes.n_probes  # of a probe, on average
    tails = []
    for number in range(int(probe_class.max()) + 1):
        mine = probe_class == number
        pooled = float(own[mine] @ above[mine])
        here = code == number
        if _too_thin(level[here]):
            if like is None:
                raise MatedError(
                    f"the upper tail of a class of probes has only {np.count_nonzero(here)} non-mated scores, or fewer "
                    "than three different ones: too few to say how it goes on; give more comparisons, or finer scores"
                )
            tails.append(like.tails[number])  # a class that was hardly drawn
            continue
        # The same share of the pool in every replicate, whatever the weights sum to.
        wanted = np.clip(_TAIL_SHARE * scores * mine.sum(), _FEWEST, _MOST) / (scores * mine.sum())
        tails.append(_pooled_tail(level[here], weight[here], pooled, wanted / probes.upper, wanted, probes.n_subjects))
    return tails


def _tail_together(probes: ProbeScores, weights: Floats) -> PooledTail | None:
    """Pool the highest scores as they are, each probe with the weight it has in a mean over subjects."""
    subject, total = probes.subject, _products(probes.total, weights[None, :])[:, 0]
    own = weights[probes.unit_of[subject]] / np.bincount(subject)[subject]
    owner = probes.high_probe
    weight = (own / np.where(total > 0, total, np.inf))[owner] * weights[probes.high_unit]
    used = weight > 0
    order = np.argsort(probes.high_score[used])
    score, weight = probes.high_score[used][order], weight[used][order]
    if _too_thin(score):
        return None
    wanted = float(np.clip(_TAIL_SHARE * probes.n_nonmated, _FEWEST, _MOST)) / probes.n_nonmated
    return _pooled_tail(score, weight, float(own.sum()), wanted, wanted, probes.n_subjects)


def _too_thin(level: Floats) -> bool:
    """Tell whether sorted levels are too few, or too much alike, for a tail."""
    return len(level) < _TOO_FEW or int(np.count_nonzero(np.diff(level))) < 2


def _pooled_tail(
    level: Floats, weight: Floats, pooled: float, fraction: float, wanted: float, subjects: int
) -> PooledTail:
    """Describe sorted levels with their weights, of a pool with the weight given, `fraction` of it above the threshold.

    `wanted` is the false match rate at the threshold.
    """
    starts = np.flatnonzero(np.append(True, level[1:] != level[:-1]))
    distinct, mass = level[starts], np.add.reduceat(weight, starts)
    reached = np.cumsum(mass[::-1])[::-1] / pooled
    at = min(max(int(np.searchsorted(-reached, -fraction)) - 1, 0), len(distinct) - 2)
    threshold = float(distinct[at])
    excess = slice(int(starts[at + 1]), None)
    share = float(reached[at + 1])
    law = fit_tail(level[excess] - threshold, weight[excess], threshold, -np.log(share * wanted / fraction), subjects)
    return PooledTail(distinct, reached - mass / pooled / 2, float(reached[0]), law, share)
