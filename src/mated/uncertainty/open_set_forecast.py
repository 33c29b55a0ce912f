"""The uncertainty of open-set forecasts for galleries larger than the data; how it is found stands in `forecast`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.identification.open_forecast import OpenSetForecast, forecast_at_fpir, forecast_at_threshold
from mated.identification.rank_law import as_gallery_size
from mated.identification.resolution import forecast_caution, resolution
from mated.identification.tail import fit_tail_model
from mated.uncertainty.cautions import joined, on_dependence
from mated.uncertainty.forecast import defined, model_error, tail_replicates
from mated.uncertainty.pigeonhole import draw_weights
from mated.uncertainty.replicates import Replicates
from mated.uncertainty.streams import seed_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from mated.identification.individual_rates import EmpiricalRates, IndividualRates
    from mated.identification.tail import TailModel
    from mated.scores.probe_scores import ProbeScores

    Floats: TypeAlias = NDArray[np.float64]
    Progress: TypeAlias = Callable[[int, int], None]

__all__ = [
    "OpenSetForecasts",
    "OpenSetPoint",
    "forecast_open_set",
    "forecast_open_set_empirically",
    "forecast_open_sets",
    "forecast_open_sets_empirically",
]


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


class OpenSetPoint(NamedTuple):
    """Where an open-set forecast is made: a gallery, a threshold (a similarity) or an FPIR, a length of the list."""

    gallery_size: int
    threshold: float | None
    fpir: float | None
    rank: int | None = 1


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
    point = OpenSetPoint(as_gallery_size(gallery_size), threshold, fpir, rank)
    return forecast_open_sets(
        probes, [point], replicates=replicates, rng=rng, with_model_error=with_model_error, progress=progress
    )[0]


def forecast_open_sets(
    probes: ProbeScores,
    points: Sequence[OpenSetPoint],
    *,
    replicates: int = 200,
    rng: int | np.random.Generator | None = None,
    with_model_error: bool = True,
    progress: Progress | None = None,
) -> list[OpenSetForecasts]:
    """Forecast FPIR and FNIR at several points; the model of each replicate is fitted once for all of them."""
    evaluations = [_open_set(*point) for point in points]
    seed = seed_of(rng)
    resolved = resolution(probes)
    sizes = [point.gallery_size for point in points]
    spread = [model_error(size, resolved.largest_gallery, probes.n_nonmated) for size in sizes]
    model = fit_tail_model(probes)

    def one(replicate: TailModel, z: float) -> Floats:
        factors = [float(np.exp(sigma * z)) for sigma in spread]
        return np.array([_triple(e(replicate, factor=f)) for e, f in zip(evaluations, factors, strict=True)])

    values = tail_replicates(model, one, replicates, seed, with_model_error, progress)
    dependence = on_dependence(probes.n_units, resampled=True)
    cautions = [forecast_caution(size, resolved, pooled=probes.n_nonmated, beyond=model.beyond) for size in sizes]
    return [
        _open_set_result(evaluate(model), values[:, place], joined(cautions[place], dependence), seed)
        for place, evaluate in enumerate(evaluations)
    ]


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
    point = OpenSetPoint(as_gallery_size(gallery_size), threshold, fpir, rank)
    return forecast_open_sets_empirically(rates, [point], replicates=replicates, rng=rng, progress=progress)[0]


def forecast_open_sets_empirically(
    rates: EmpiricalRates,
    points: Sequence[OpenSetPoint],
    *,
    replicates: int = 200,
    rng: int | np.random.Generator | None = None,
    progress: Progress | None = None,
) -> list[OpenSetForecasts]:
    """Do so at several points; each replicate passes over the non-mated scores once for all of them."""
    evaluations = [_open_set(*point) for point in points]
    seed = seed_of(rng)
    present = np.unique(np.concatenate([rates.subject, rates.rival]))
    weights = draw_weights(len(present), replicates, seed)
    values = np.full((replicates, len(points), 3), np.nan)
    for number, drawn in enumerate(weights):
        weight = np.zeros(len(rates.names))
        weight[present] = drawn
        if weight[rates.subject].any():
            replicate = rates.resampled(weight)
            values[number] = [_triple(evaluate(replicate)) for evaluate in evaluations]
        if progress is not None:
            progress(number + 1, replicates)
    values, caution = defined(values), on_dependence(len(present), resampled=True)
    return [
        _open_set_result(evaluate(rates), values[:, place], caution, seed) for place, evaluate in enumerate(evaluations)
    ]


def _open_set(
    gallery_size: int, threshold: float | None, fpir: float | None, rank: int | None
) -> Callable[..., OpenSetForecast]:
    if (threshold is None) == (fpir is None):
        raise MatedError("an open-set forecast is made at a threshold or at an FPIR: give one of them")

    def evaluate(rates: IndividualRates, factor: float = 1.0) -> OpenSetForecast:
        if fpir is not None:
            return forecast_at_fpir(rates, gallery_size, fpir, rank, factor=factor)
        return forecast_at_threshold(rates, gallery_size, threshold, rank, factor=factor)  # type: ignore[arg-type]

    return evaluate


def _triple(point: OpenSetForecast) -> Floats:
    return np.array([point.threshold, point.fpir, point.fnir])


def _open_set_result(point: OpenSetForecast, values: Floats, caution: str | None, seed: int) -> OpenSetForecasts:
    estimates = _triple(point).tolist()
    threshold, fpir, fnir = (Replicates(column, value) for column, value in zip(values.T, estimates, strict=True))
    return OpenSetForecasts(point, threshold, fpir, fnir, joined(point.caution, caution), seed)
