"""The uncertainty of forecasts for galleries larger than the data: subjects resampled, and the error of the model.

Sampling: subjects are drawn with replacement, w ~ Multinomial(S, 1/S), as in `mated.uncertainty.pigeonhole` and with
the same draws. The mated scores of ω weigh w_ω; its non-mated scores with ν weigh w_ν when its own false match rates
are read, and w_ω·w_ν in a pooled tail, which is fitted anew in every replicate.

The model: no amount of resampling shows that probes differ in ways the tail model does not know, or that the tail bends
beyond the data. On models with known truth (`benchmarks/forecast_trust.py`) its false match rates were off by a factor
e^(σZ), Z of the size of a standard normal variable. σ was 0.4 where the scores of one subject end (`resolution`), and
grew by 0.06 for each further factor e of the gallery, and by 0.7 more once it exceeds the number of pooled non-mated
scores. So each replicate of a forecast by the tail model multiplies its false match rates by e^(σZ), one Z for all
galleries and ranks of the replicate. `with_model_error=False` leaves it out.

Measured, rank 1 of Gaussian identities in 12 dimensions from 400 subjects × 10 samples, 60 data sets, nominal 95 %
percentile intervals from 100 replicates: 60, 60 and 55 of 60 hold the truth at 10^4, 10^6 and 10^9 (.342, .048,
.00086; mean forecasts .325, .052, .0031); by resampling alone 59, 52 and 21.

Replicates are those of the first blocks of a stream: asking for more keeps the first ones.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.identification.rank_law import as_gallery_size, mean_rank_cdf, ranks_asked
from mated.identification.resolution import Resolution, forecast_caution, resolution
from mated.identification.tail import fit_replicates, fit_tail_model, tail_cmc
from mated.scores.rivals import Rivals
from mated.scores.validation import read_only
from mated.uncertainty.cautions import joined, on_dependence
from mated.uncertainty.pigeonhole import draw_weights
from mated.uncertainty.replicates import Replicates
from mated.uncertainty.streams import draw_in_blocks, seed_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from mated.identification.tail import TailModel
    from mated.scores.probe_scores import ProbeScores
    from mated.scores.searches import Layout
    from mated.scores.subject_tallies import Symmetry

    Floats: TypeAlias = NDArray[np.float64]
    Progress: TypeAlias = Callable[[int, int], None]

__all__ = [
    "CmcForecast",
    "defined",
    "forecast_cmc",
    "forecast_cmc_empirically",
    "model_error",
    "tail_replicates",
]

_AT_FIRST, _PER_FOLD, _BEYOND = 0.4, 0.06, 0.7
_CELLS = 1 << 21


@dataclass(frozen=True, eq=False, repr=False)
class CmcForecast:
    """A forecast CMC with its replicates.

    Attributes
    ----------
    gallery_sizes, ranks
        Rows and columns of `rate`; a gallery counts the mate.
    rate
        The forecast.
    replicates
        The same of each replicate: replicates × galleries × ranks.
    method
        "tail", "step" or "average".
    cautions
        Of each gallery size, what the forecast rests on, in words, or None.
    """

    gallery_sizes: tuple[int, ...]
    ranks: NDArray[np.int64]
    rate: Floats
    replicates: Floats
    method: Literal["tail", "step", "average"]
    cautions: tuple[str | None, ...]
    seed: int

    def __post_init__(self) -> None:
        for name in ("ranks", "rate", "replicates"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of the percentile intervals, each galleries × ranks."""
        ends = np.array(
            [
                [self.at(row, column).percentile_interval(level) for column in range(self.rate.shape[1])]
                for row in range(self.rate.shape[0])
            ]
        )
        return ends[:, :, 0], ends[:, :, 1]

    @property
    def standard_error(self) -> Floats:
        """Standard deviation of the replicates, galleries × ranks."""
        return np.asarray(self.replicates.std(axis=0, ddof=1))

    def at(self, gallery: int, rank: int) -> Replicates:
        """Return the replicates of one cell, by its row and column."""
        return Replicates(self.replicates[:, gallery, rank], float(self.rate[gallery, rank]))

    def __repr__(self) -> str:
        return f"CmcForecast({self.method}, galleries {self.gallery_sizes}, {len(self.replicates)} replicates)"


def model_error(gallery_size: float, resolved: int, pooled: int) -> float:
    """Return σ, the standard deviation of the logarithm of the factor by which false match rates may be off.

    σ = 0.4 + 0.06·ln⁺(n/resolved) + 0.7·ln⁺(n/pooled), ln⁺ = max(ln, 0): `resolved` is the largest gallery that the
    scores of one subject resolve, `pooled` the number of all non-mated scores.
    """
    folds = [max(0.0, float(np.log(gallery_size / known))) for known in (resolved, pooled)]
    return _AT_FIRST + _PER_FOLD * folds[0] + _BEYOND * folds[1]


def forecast_cmc(
    probes: ProbeScores,
    gallery_sizes: Sequence[float],
    ranks: ArrayLike = (1,),
    *,
    replicates: int = 200,
    rng: int | np.random.Generator | None = None,
    with_model_error: bool = True,
    progress: Progress | None = None,
) -> CmcForecast:
    """Forecast the CMC by the tail model, for galleries of any size."""
    sizes = tuple(as_gallery_size(size) for size in gallery_sizes)
    asked = ranks_asked(ranks, min(sizes))
    seed = seed_of(rng)
    resolved = resolution(probes)
    spread = np.array([model_error(size, resolved.largest_gallery, probes.n_nonmated) for size in sizes])
    model = fit_tail_model(probes)

    def one(replicate: TailModel, z: float) -> Floats:
        return tail_cmc(replicate, sizes, asked, factor=np.exp(spread * z), quick=True)

    values = tail_replicates(model, one, replicates, seed, with_model_error, progress)
    cautions = tuple(
        joined(
            forecast_caution(size, resolved, pooled=probes.n_nonmated, beyond=model.beyond),
            on_dependence(probes.n_units, resampled=True),
        )
        for size in sizes
    )
    return CmcForecast(sizes, asked, tail_cmc(model, sizes, asked), values, "tail", cautions, seed)


def forecast_cmc_empirically(
    layout: Layout,
    gallery_sizes: Sequence[float],
    ranks: ArrayLike = (1,),
    *,
    estimator: Literal["step", "average"] = "step",
    symmetric: Symmetry = "auto",
    replicates: int = 200,
    rng: int | np.random.Generator | None = None,
    progress: Progress | None = None,
) -> CmcForecast:
    """Predict the CMC from each subject's own false match rates, by steps or through the average ROC, resampled.

    A replicate's false match rate of ω at a mated score is Σ_ν w_ν·A_ν/Σ_ν w_ν·N_ν, A_ν of N_ν comparisons with ν above
    it: for all replicates a matrix product. "step" is `step_cmc` with expected ties, "average" is `cmc_of_roc` of
    `average_roc`. Comparisons are counted once, in blocks; memory grows with the replicates, not with the data.

    A replicate holds about 63 % of the rivals, so more mated scores seem never to be beaten: for galleries that one
    subject's scores do not resolve the replicates lie above the estimate, and that above the truth.
    """
    if estimator not in ("step", "average"):
        raise MatedError(f"estimator must be 'step' or 'average', not {estimator!r}")
    sizes = tuple(as_gallery_size(size) for size in gallery_sizes)
    asked = ranks_asked(ranks, min(sizes))
    seed = seed_of(rng)
    ids = layout.subjects
    if ids is None:
        raise MatedError("a forecast needs to know who was compared: give probe_subject and reference_subject")
    present = np.unique(np.concatenate([ids.probe, ids.reference]))
    weights = np.zeros((replicates + 1, len(ids.names)))
    weights[0] = 1.0  # the data themselves come first
    weights[1:, present] = draw_weights(len(present), replicates, seed)
    total = np.zeros(len(weights))
    sums = np.zeros((len(sizes), len(weights), len(asked)))
    rivals: list[int] = []
    scores: list[int] = []
    for part in Rivals.blocks(layout, scope="subject", symmetric=symmetric):
        for start, end in _some_subjects(part, len(weights)):
            low, high = _weighted_rates(part, slice(start, end), weights, estimator)
            # Of each replicate (row), what each mated score (column) counts: subjects as drawn, their scores alike.
            subject = part.subject[start:end]
            share = weights[:, subject] / np.bincount(subject)[subject]
            own = share.sum(axis=1)
            owner, column = np.nonzero(share)
            at, counted = (owner, column), share[owner, column] / own[owner]
            for number, size in enumerate(sizes):
                law = mean_rank_cdf(low[at], high[at], counted, size, asked, owner, len(weights), quick=True)
                sums[number] += own[:, None] * law
            total += own
            counts = part.total[np.unique(part.search[start:end])]
            rivals += np.count_nonzero(counts, axis=1).tolist()
            scores += counts.sum(axis=1, dtype=np.int64).tolist()
            if progress is not None:
                progress(len(rivals), len(present))
    if not rivals:
        raise MatedError("no subject has both mated and non-mated comparisons, so no rank can be predicted")
    with np.errstate(invalid="ignore"):  # a replicate may have drawn no subject with mated scores
        values = np.moveaxis(sums / total[:, None], 0, 1)
    resolved = Resolution(int(np.median(rivals)), min(rivals), int(np.median(scores)))
    dependence = on_dependence(len(present), resampled=True)
    cautions = tuple(joined(forecast_caution(size, resolved), dependence) for size in sizes)
    return CmcForecast(sizes, asked, values[0], defined(values[1:]), estimator, cautions, seed)


def _some_subjects(part: Rivals, replicates: int) -> Iterator[tuple[int, int]]:
    """Cut the mated comparisons of a part between subjects, so that they × (subjects + replicates) stay bounded."""
    ends = np.append(np.flatnonzero(np.diff(part.subject)) + 1, part.n_mated)
    most, start = max(1, _CELLS // (len(part.names) + replicates)), 0
    while start < part.n_mated:
        place = int(np.searchsorted(ends, start + most, side="right"))
        end = int(ends[max(place - 1, 0)])
        if end <= start:  # one subject has more than that
            end = int(ends[place])
        yield start, end
        start = end


def _weighted_rates(
    part: Rivals, rows: slice, weights: Floats, estimator: Literal["step", "average"]
) -> tuple[Floats, Floats]:
    """Return between which rates the FMR at each mated score of some subjects lies: replicates × mated scores.

    For the average ROC that is the piece of the subject's ROC that ends in the corner of the mated score; the mated
    scores of a subject then come highest first.
    """
    search, place = np.unique(part.search[rows], return_inverse=True)
    scored = (weights @ part.total[search].T.astype(np.float64))[:, place]
    counts = part.above[rows], part.tied[rows]
    above, tied = (weights @ c.T.astype(np.float64) if c.any() else np.zeros_like(scored) for c in counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.where(scored > 0, above / scored, 0.0)
        high = np.minimum(np.where(scored > 0, (above + tied) / scored, 0.0), 1.0)
    if estimator == "step":
        return low, high
    for start, end in itertools.pairwise([0, *(np.flatnonzero(np.diff(place)) + 1).tolist(), len(place)]):
        order = np.argsort(-part.mated_score[rows][start:end], kind="stable")
        rates = high[:, start:end][:, order]  # ascending
        high[:, start:end] = rates
        low[:, start] = 0.0
        for column in range(1, end - start):
            before = rates[:, column - 1]
            low[:, start + column] = np.where(rates[:, column] > before, before, low[:, start + column - 1])
    return low, high


def tail_replicates(
    model: TailModel,
    one: Callable[[TailModel, float], Floats],
    replicates: int,
    seed: int,
    with_model_error: bool,
    progress: Progress | None,
) -> Floats:
    """Return what `one` makes of the model fitted to each draw of subjects and of a standard normal error."""
    weights = draw_weights(model.probes.n_units, replicates, seed)
    errors = np.zeros(replicates)
    if with_model_error:
        errors = draw_in_blocks(
            lambda generator, size: (generator.standard_normal(size),),
            replicates=replicates,
            seed=seed,
            name="forecast model error",
        )[0]
    units = np.unique(model.probes.unit_of[model.probes.subject])
    drawn = weights[:, units].any(axis=1)  # else nobody who searches is in the replicate
    values: list[Floats] = []
    fitted = fit_replicates(model.probes, weights[drawn], model)
    for done, (replicate, z) in enumerate(zip(fitted, errors[drawn], strict=True)):
        values.append(one(replicate, float(z)))
        if progress is not None:
            progress(done + 1, len(errors[drawn]))
    return np.array(values)


def defined(values: Floats) -> Floats:
    """Drop the replicates that drew nobody who searches."""
    return values[~np.isnan(values).any(axis=tuple(range(1, values.ndim)))]
