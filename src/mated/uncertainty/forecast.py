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

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.identification.open_forecast import OpenSetForecast, forecast_at_fpir, forecast_at_threshold
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
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from mated.identification.individual_rates import EmpiricalRates, IndividualRates
    from mated.identification.tail import TailModel
    from mated.scores.probe_scores import ProbeScores
    from mated.scores.searches import Layout
    from mated.scores.subject_tallies import Symmetry

    Floats: TypeAlias = NDArray[np.float64]
    Progress: TypeAlias = Callable[[int, int], None]

__all__ = [
    "CmcForecast",
    "OpenSetForecasts",
    "forecast_cmc",
    "forecast_cmc_empirically",
    "forecast_open_set",
    "forecast_open_set_empirically",
    "model_error",
]

_AT_FIRST, _PER_FOLD, _BEYOND = 0.4, 0.06, 0.7


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


@dataclass(frozen=True, eq=False, repr=False)
class OpenSetForecasts:
    """An open-set forecast at one threshold or one FPIR, with its replicates.

    Attributes
    ----------
    point
        The forecast.
    threshold, fpir, fnir
        The replicates of each; what was given is the same in all of them.
    """

    point: OpenSetForecast
    threshold: Replicates
    fpir: Replicates
    fnir: Replicates
    caution: str | None
    seed: int


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
        return tail_cmc(replicate, sizes, asked, factor=np.exp(spread * z))

    values = _tail_replicates(model, one, replicates, seed, with_model_error, progress)
    cautions = tuple(
        joined(
            forecast_caution(size, resolved, pooled=probes.n_nonmated, beyond=model.beyond),
            on_dependence(probes.n_units, resampled=True),
        )
        for size in sizes
    )
    return CmcForecast(sizes, asked, tail_cmc(model, sizes, asked), values, "tail", cautions, seed)


def forecast_open_set(
    probes: ProbeScores,
    gallery_size: float,
    *,
    threshold: float | None = None,
    fpir: float | None = None,
    rank: int | None = 1,
    replicates: int = 200,
    rng: int | np.random.Generator | None = None,
    with_model_error: bool = True,
    progress: Progress | None = None,
) -> OpenSetForecasts:
    """Forecast FPIR and FNIR by the tail model, at a threshold (a similarity) or at the threshold of an FPIR.

    At an FPIR each replicate finds its own threshold. With the threshold of the data instead, what varies is FPIR: ask
    for that threshold.
    """
    size = as_gallery_size(gallery_size)
    evaluate = _open_set(size, threshold, fpir, rank)
    seed = seed_of(rng)
    resolved = resolution(probes)
    spread = model_error(size, resolved.largest_gallery, probes.n_nonmated)
    model = fit_tail_model(probes)

    def one(replicate: TailModel, z: float) -> Floats:
        return _triple(evaluate(replicate, factor=float(np.exp(spread * z))))

    values = _tail_replicates(model, one, replicates, seed, with_model_error, progress)
    caution = joined(
        forecast_caution(size, resolved, pooled=probes.n_nonmated, beyond=model.beyond),
        on_dependence(probes.n_units, resampled=True),
    )
    return _open_set_result(evaluate(model), values, caution, seed)


def forecast_open_set_empirically(
    rates: EmpiricalRates,
    gallery_size: float,
    *,
    threshold: float | None = None,
    fpir: float | None = None,
    rank: int | None = 1,
    replicates: int = 200,
    rng: int | np.random.Generator | None = None,
    progress: Progress | None = None,
) -> OpenSetForecasts:
    """Forecast FPIR and FNIR from each probe's own scores, for galleries that they resolve.

    Cost of a replicate: one pass over the non-mated scores.
    """
    size = as_gallery_size(gallery_size)
    evaluate = _open_set(size, threshold, fpir, rank)
    seed = seed_of(rng)
    present = np.unique(np.concatenate([rates.subject, rates.rival]))
    weights = draw_weights(len(present), replicates, seed)
    values = np.full((replicates, 3), np.nan)
    for number, drawn in enumerate(weights):
        weight = np.zeros(len(rates.names))
        weight[present] = drawn
        if weight[rates.subject].any():
            values[number] = _triple(evaluate(rates.resampled(weight)))
        if progress is not None:
            progress(number + 1, replicates)
    return _open_set_result(evaluate(rates), _defined(values), on_dependence(len(present), resampled=True), seed)


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
        for rows in np.split(np.arange(part.n_mated), np.flatnonzero(np.diff(part.subject)) + 1):
            own = weights[:, part.subject[rows[0]]]
            drawn = np.flatnonzero(own)
            low, high = (rates.ravel() for rates in _weighted_rates(part, rows, weights[drawn], estimator))
            owner = np.tile(np.arange(len(drawn)), len(rows))
            share = np.full(len(low), 1 / len(rows))
            for number, size in enumerate(sizes):
                law = mean_rank_cdf(low, high, share, size, asked, owner, len(drawn))
                sums[number, drawn] += own[drawn, None] * law
            total += own
            counts = part.total[part.search[rows[0]]]
            rivals.append(int(np.count_nonzero(counts)))
            scores.append(int(counts.sum()))
            if progress is not None:
                progress(len(rivals), len(present))
    if not rivals:
        raise MatedError("no subject has both mated and non-mated comparisons, so no rank can be predicted")
    with np.errstate(invalid="ignore"):  # a replicate may have drawn no subject with mated scores
        values = np.moveaxis(sums / total[:, None], 0, 1)
    resolved = Resolution(int(np.median(rivals)), min(rivals), int(np.median(scores)))
    dependence = on_dependence(len(present), resampled=True)
    cautions = tuple(joined(forecast_caution(size, resolved), dependence) for size in sizes)
    return CmcForecast(sizes, asked, values[0], _defined(values[1:]), estimator, cautions, seed)


def _weighted_rates(
    part: Rivals, rows: NDArray[np.intp], weights: Floats, estimator: Literal["step", "average"]
) -> tuple[Floats, Floats]:
    """Return between which rates the FMR at each mated score of one subject lies: mated scores × replicates.

    For the average ROC that is the piece of the subject's ROC that ends in the corner of the mated score.
    """
    scored = part.total[part.search[rows[0]]].astype(np.float64) @ weights.T
    above = part.above[rows].astype(np.float64) @ weights.T
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.where(scored > 0, above / scored, 0.0)
        high = np.where(scored > 0, (above + part.tied[rows].astype(np.float64) @ weights.T) / scored, 0.0)
    if estimator == "step":
        return low, np.minimum(high, 1.0)
    high = np.minimum(high[np.argsort(-part.mated_score[rows], kind="stable")], 1.0)  # the rates now ascend
    low = np.zeros_like(high)
    for row in range(1, len(rows)):
        low[row] = np.where(high[row] > high[row - 1], high[row - 1], low[row - 1])
    return low, high


def _tail_replicates(
    model: TailModel,
    one: Callable[[TailModel, float], Floats],
    replicates: int,
    seed: int,
    with_model_error: bool,
    progress: Progress | None,
) -> Floats:
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


def _defined(values: Floats) -> Floats:
    """Drop the replicates that drew nobody who searches."""
    return values[~np.isnan(values).any(axis=tuple(range(1, values.ndim)))]


def _open_set(
    size: int, threshold: float | None, fpir: float | None, rank: int | None
) -> Callable[..., OpenSetForecast]:
    if (threshold is None) == (fpir is None):
        raise MatedError("an open-set forecast is made at a threshold or at an FPIR: give one of them")

    def evaluate(rates: IndividualRates, factor: float = 1.0) -> OpenSetForecast:
        if fpir is not None:
            return forecast_at_fpir(rates, size, fpir, rank, factor=factor)
        return forecast_at_threshold(rates, size, threshold, rank, factor=factor)  # type: ignore[arg-type]

    return evaluate


def _triple(point: OpenSetForecast) -> Floats:
    return np.array([point.threshold, point.fpir, point.fnir])


def _open_set_result(point: OpenSetForecast, values: Floats, caution: str | None, seed: int) -> OpenSetForecasts:
    estimates = _triple(point).tolist()
    threshold, fpir, fnir = (Replicates(column, value) for column, value in zip(values.T, estimates, strict=True))
    return OpenSetForecasts(point, threshold, fpir, fnir, joined(point.caution, caution), seed)
