"""Identification: what is measured on a gallery, and what verification predicts of it."""

from __future__ import annotations

from mated.identification.bolle import (
    narrow_cmc,
    narrow_rank_probabilities,
    theoretical_cmc,
    theoretical_rank_probabilities,
)
from mated.identification.cmc import Cmc, cmc, prior_weighted_cmc, rank_probabilities
from mated.identification.convergence import (
    AreaRelation,
    Convergence,
    ExponentialRoc,
    area_relation,
    cmc_of_function,
    convergence,
)
from mated.identification.expectation import ExpectedCmc, expected_cmc, rank_distributions
from mated.identification.explain import Explanation, SearchGain, explain, search_gain
from mated.identification.galleries import SimulatedCmc, simulate_cmc
from mated.identification.individual_rates import EmpiricalRates, IndividualRates
from mated.identification.normalisation import Normalisation, normalise
from mated.identification.open_forecast import (
    OpenSetForecast,
    forecast_at_fpir,
    forecast_at_threshold,
    forecast_curve,
    threshold_at_fpir,
)
from mated.identification.open_set import (
    OpenSetCurve,
    OpenSetPoint,
    WatchList,
    open_set_at_fpir,
    open_set_at_threshold,
    open_set_curve,
    watch_list,
)
from mated.identification.resolution import Headline, Resolution, headline, resolution
from mated.identification.roc_to_cmc import cmc_of_roc, cmc_of_rocs, global_roc
from mated.identification.step import hypergeometric_cmc, hypergeometric_cmcs, step_cmc, step_cmcs
from mated.identification.tail import TailModel, fit_tail_model, tail_cmc

__all__ = [
    "AreaRelation",
    "Cmc",
    "Convergence",
    "EmpiricalRates",
    "ExpectedCmc",
    "Explanation",
    "ExponentialRoc",
    "Headline",
    "IndividualRates",
    "Normalisation",
    "OpenSetCurve",
    "OpenSetForecast",
    "OpenSetPoint",
    "Resolution",
    "SearchGain",
    "SimulatedCmc",
    "TailModel",
    "WatchList",
    "area_relation",
    "cmc",
    "cmc_of_function",
    "cmc_of_roc",
    "cmc_of_rocs",
    "convergence",
    "expected_cmc",
    "explain",
    "fit_tail_model",
    "forecast_at_fpir",
    "forecast_at_threshold",
    "forecast_curve",
    "global_roc",
    "headline",
    "hypergeometric_cmc",
    "hypergeometric_cmcs",
    "narrow_cmc",
    "narrow_rank_probabilities",
    "normalise",
    "open_set_at_fpir",
    "open_set_at_threshold",
    "open_set_curve",
    "prior_weighted_cmc",
    "rank_distributions",
    "rank_probabilities",
    "resolution",
    "search_gain",
    "simulate_cmc",
    "step_cmc",
    "step_cmcs",
    "tail_cmc",
    "theoretical_cmc",
    "theoretical_rank_probabilities",
    "threshold_at_fpir",
    "watch_list",
]
