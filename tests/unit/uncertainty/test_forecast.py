"""Uncertainty of forecasts: replicates against plain sums, and an interval that must hold a known truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from mated.errors import MatedError
from mated.identification.individual_rates import EmpiricalRates
from mated.identification.open_forecast import forecast_at_threshold
from mated.identification.roc_to_cmc import cmc_of_roc
from mated.identification.step import step_cmc
from mated.identification.tail import fit_tail_model, tail_cmc
from mated.scores import Comparisons, SubjectTallies
from mated.scores.probe_scores import ProbeScores
from mated.synthetic import GaussianIdentities
from mated.synthetic.identification_truth import true_cmc
from mated.uncertainty import forecast as forecasting
from mated.uncertainty.forecast import (
    forecast_cmc,
    forecast_cmc_empirically,
    model_error,
)
from mated.uncertainty.open_set_forecast import (
    OpenSetPoint,
    forecast_open_set,
    forecast_open_set_empirically,
    forecast_open_sets,
    forecast_open_sets_empirically,
)
from mated.uncertainty.pigeonhole import draw_weights
from mated.verification.individual import RocFunction, average_roc, individual_rocs

SIX = (0.6, 0.7, 0.8, 0.85, 0.9, 0.95)
TWELVE = tuple(np.linspace(0.6, 0.95, 12).tolist())


@pytest.fixture(scope="module")
def matrix():
    return GaussianIdentities(SIX).draw(60, 4, rng=1).matrix(decimals=1)


@pytest.fixture(scope="module")
def probes(matrix):
    return ProbeScores.of(matrix)


def test_a_known_truth_at_a_million_lies_in_the_interval_and_far_below_the_average_roc(record_property):
    """400 subjects × 5 samples in 12 dimensions; rank-1 at 10^6 is .048, and the average ROC says .40."""
    people = GaussianIdentities(TWELVE)
    truth = true_cmc(people, [10**6], pairs=30_000, rng=1)
    data = people.draw(400, 5, rng=2).matrix()
    forecast = forecast_cmc(ProbeScores.of(data), [10**6], replicates=60, rng=3)
    roc = average_roc(individual_rocs(SubjectTallies.of(data.comparisons())))
    average = float(cmc_of_roc(roc, 10**6, [1])[0])
    low, high = (float(end[0, 0]) for end in forecast.interval(0.95))
    beside = {"truth": truth.rate[0, 0], "forecast": forecast.rate[0, 0], "low": low, "high": high, "average": average}
    for name, value in beside.items():
        record_property(name, float(value))
    assert truth.standard_error[0, 0] < 0.0015
    assert low < truth.rate[0, 0] < high
    assert high < average / 2
    assert "upper bound" in forecast.cautions[0]


def weighted_rates(matrix, weight):
    """The twin: of each subject and mated score, the weighted share of its non-mated scores above and at or above."""
    subject = matrix.subjects.probe
    for one in np.unique(subject):
        mine = subject == one
        off = ~np.eye(len(subject), dtype=bool)
        mated = matrix.scores[np.ix_(mine, mine)][off[np.ix_(mine, mine)]]
        others = matrix.scores[np.ix_(mine, ~mine)]
        counts = np.broadcast_to(weight[subject[~mine]], others.shape)
        above = np.array([counts[others > s].sum() for s in mated]) / counts.sum()
        reached = np.array([counts[others >= s].sum() for s in mated]) / counts.sum()
        yield one, mated, above, reached


def test_step_replicates_are_weighted_means_over_subjects(matrix):
    found = forecast_cmc_empirically(matrix, [50], [1, 3], replicates=5, rng=7)
    weights = np.vstack([np.ones(60), draw_weights(60, 5, 7)]).astype(float)
    for weight, rate in zip(weights, [found.rate[0], *found.replicates[:, 0]], strict=True):
        total = np.zeros(2)
        for one, _, above, reached in weighted_rates(matrix, weight):
            # Ties in random order: p is uniform between the two shares; many points stand for the integral.
            p = above[:, None] + (reached - above)[:, None] * (np.arange(400) + 0.5) / 400
            total += weight[one] * np.array([binom.cdf(rank - 1, 49, p).mean() for rank in (1, 3)])
        assert rate == pytest.approx(total / weight.sum(), abs=1e-6)


def test_average_replicates_come_from_weighted_individual_rocs(matrix):
    found = forecast_cmc_empirically(matrix, [50, 10**6], [1, 3], estimator="average", replicates=4, rng=8)
    weights = draw_weights(60, 4, 8).astype(float)
    for weight, rate in zip(weights, found.replicates, strict=True):
        total = np.zeros((2, 2))
        for one, mated, _, reached in weighted_rates(matrix, weight):
            corners = {float(f): float(np.mean(mated >= s)) for s, f in sorted(zip(mated, reached, strict=True))[::-1]}
            corners = {0.0: 0.0, 1.0: 1.0} | corners
            fmr = np.array(sorted(corners))
            roc = RocFunction(fmr, np.array([corners[f] for f in fmr]))
            total += weight[one] * np.array([cmc_of_roc(roc, size, [1, 3]) for size in (50, 10**6)])
        np.testing.assert_allclose(rate, total / weight.sum(), rtol=1e-9)


@pytest.mark.parametrize("estimator", ["step", "average"])
def test_it_does_not_matter_how_many_subjects_are_weighed_at_once(matrix, estimator, monkeypatch):
    def forecast():
        return forecast_cmc_empirically(matrix, [50, 10**4], [1, 3], estimator=estimator, replicates=6, rng=3)

    together = forecast()
    for cells in (1, 2000):  # one subject at a time, and a few
        monkeypatch.setattr(forecasting, "_CELLS", cells)
        np.testing.assert_allclose(forecast().replicates, together.replicates, rtol=1e-12)
        np.testing.assert_allclose(forecast().rate, together.rate, rtol=1e-12)


def test_several_open_set_points_have_the_forecasts_of_each_alone(matrix, probes):
    points = [OpenSetPoint(40, None, 0.1), OpenSetPoint(40, 2.0, None, None), OpenSetPoint(10**4, 4.0, None)]
    rates = EmpiricalRates.of(matrix)
    for several, single, data in (
        (forecast_open_sets, forecast_open_set, probes),
        (forecast_open_sets_empirically, forecast_open_set_empirically, rates),
    ):
        found = several(data, points, replicates=4, rng=2)
        for point, forecasts in zip(points, found, strict=True):
            at = {"threshold": point.threshold, "fpir": point.fpir, "rank": point.rank}
            alone = single(data, point.gallery_size, **at, replicates=4, rng=2)
            assert forecasts.point == alone.point
            for name in ("threshold", "fpir", "fnir"):
                np.testing.assert_array_equal(getattr(forecasts, name).values, getattr(alone, name).values)
            assert forecasts.caution == alone.caution


def test_without_resampling_both_estimators_are_the_plain_ones(matrix):
    tallies = SubjectTallies.of(matrix.comparisons())
    sizes, ranks = [20, 10**4], [1, 5]
    step = forecast_cmc_empirically(matrix, sizes, ranks, replicates=2, rng=1)
    average = forecast_cmc_empirically(matrix, sizes, ranks, estimator="average", replicates=2, rng=1)
    roc = average_roc(individual_rocs(tallies))
    np.testing.assert_allclose(step.rate, [step_cmc(tallies, size, ranks) for size in sizes], rtol=1e-9)
    np.testing.assert_allclose(average.rate, [cmc_of_roc(roc, size, ranks) for size in sizes], rtol=1e-9)
    assert step.cautions[0] is None
    assert "upper bound" in step.cautions[1]


def test_a_table_and_a_matrix_are_resampled_alike(matrix):
    one, other = (forecast_cmc_empirically(data, [30], replicates=3, rng=5) for data in (matrix, matrix.comparisons()))
    np.testing.assert_allclose(one.replicates, other.replicates, rtol=1e-12)


def test_tail_replicates_are_models_fitted_to_drawn_subjects(probes):
    found = forecast_cmc(probes, [10**4, 10**6], [1, 5], replicates=4, rng=9, with_model_error=False)
    base = fit_tail_model(probes)
    np.testing.assert_allclose(found.rate, tail_cmc(base, [10**4, 10**6], [1, 5]))
    for weight, rate in zip(draw_weights(60, 4, 9), found.replicates, strict=True):
        refitted = fit_tail_model(probes, weight, like=base)
        np.testing.assert_allclose(rate, tail_cmc(refitted, [10**4, 10**6], [1, 5]), rtol=1e-9)


def test_the_model_error_widens_the_interval_and_leaves_the_forecast(probes):
    sampling = forecast_cmc(probes, [10**6, 10**9], replicates=60, rng=4, with_model_error=False)
    both = forecast_cmc(probes, [10**6, 10**9], replicates=60, rng=4)
    assert np.array_equal(both.rate, sampling.rate)
    assert np.all(both.standard_error > sampling.standard_error)


def test_the_model_error_grows_with_the_gallery_and_faster_beyond_the_pooled_scores():
    assert model_error(100, 10**3, 10**6) == model_error(10**3, 10**3, 10**6) == 0.4
    assert model_error(10**6, 10**3, 10**6) == pytest.approx(0.4 + 0.06 * np.log(1000))
    assert model_error(10**9, 10**3, 10**6) == pytest.approx(0.4 + 0.06 * np.log(10**6) + 0.7 * np.log(1000))


def test_more_replicates_keep_the_first_ones(probes, matrix):
    for few, many in (
        (forecast_cmc(probes, [10**6], replicates=n, rng=5) for n in (3, 6)),
        (forecast_cmc_empirically(matrix, [50], replicates=n, rng=5) for n in (3, 6)),
    ):
        np.testing.assert_allclose(many.replicates[:3], few.replicates, rtol=1e-12)
        assert few.seed == 5


def test_progress_is_told_to_the_end(probes, matrix):
    told = []
    forecast_cmc(probes, [10**6], replicates=3, rng=5, progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]
    told.clear()
    forecast_cmc_empirically(matrix, [50], replicates=2, rng=5, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (60, 60)


def test_intervals_are_percentiles_cell_by_cell(probes):
    found = forecast_cmc(probes, [10**4, 10**6], [1, 5], replicates=40, rng=6)
    low, high = found.interval(0.9)
    expected = np.quantile(found.replicates, [0.05, 0.95], axis=0, method="averaged_inverted_cdf")
    np.testing.assert_allclose([low, high], expected)
    assert found.at(1, 0).estimate == found.rate[1, 0]


def test_open_set_forecasts_resample_the_tail_model(probes):
    found = forecast_open_set(probes, 10**5, threshold=5.0, rank=5, replicates=4, rng=9, with_model_error=False)
    base = fit_tail_model(probes)
    for number, weight in enumerate(draw_weights(60, 4, 9)):
        point = forecast_at_threshold(fit_tail_model(probes, weight, like=base), 10**5, 5.0, 5)
        assert (found.fpir.values[number], found.fnir.values[number]) == pytest.approx((point.fpir, point.fnir))
    assert found.threshold.standard_error == 0
    assert found.point == forecast_at_threshold(base, 10**5, 5.0, 5)


def test_open_set_forecasts_at_an_fpir_find_a_threshold_in_every_replicate(probes, matrix):
    tail = forecast_open_set(probes, 10**5, fpir=0.05, replicates=4, rng=9)
    counted = forecast_open_set_empirically(EmpiricalRates.of(matrix), 30, fpir=0.05, replicates=4, rng=9)
    for found in (tail, counted):
        assert np.all(found.fpir.values <= 0.05)
        assert len(set(found.threshold.values)) > 1
        assert found.point.target == 0.05


def test_a_replicate_without_anybody_who_searches_is_left_out():
    """Only one of 30 subjects has mated scores: it is drawn in 64 % of the replicates."""
    rng = np.random.default_rng(11)
    rows = [("a", "a", 3.0), ("a", "a", 2.5)] + [("a", f"{k}", s) for k in range(29) for s in rng.normal(size=20)]
    probe, reference, score = zip(*rows, strict=True)
    data = Comparisons.from_arrays(score, probe_subject=probe, reference_subject=reference)
    drawn = draw_weights(30, 40, 12)[:, 29] > 0
    assert 0 < drawn.sum() < 40
    found = forecast_cmc_empirically(data, [10], symmetric="no", replicates=40, rng=12)
    assert len(found.replicates) == drawn.sum()
    tail = forecast_cmc(ProbeScores.of(data, symmetric="no"), [1000], replicates=40, rng=12)
    assert len(tail.replicates) == drawn.sum()
    rates = EmpiricalRates.of(data, scope="subject", symmetric="no")
    assert len(forecast_open_set_empirically(rates, 10, threshold=1.0, replicates=40, rng=12).fpir) == drawn.sum()


def test_bad_questions_get_one_sentence(probes, matrix):
    with pytest.raises(MatedError, match="'step' or 'average'"):
        forecast_cmc_empirically(matrix, [10], estimator="global")
    with pytest.raises(MatedError, match="give one of them"):
        forecast_open_set(probes, 10**5)
    with pytest.raises(MatedError, match="give one of them"):
        forecast_open_set(probes, 10**5, threshold=1.0, fpir=0.1)
    with pytest.raises(MatedError, match="gallery size"):
        forecast_cmc(probes, [1])
    with pytest.raises(MatedError, match="who was compared"):
        forecast_cmc_empirically(Comparisons.from_arrays([1.0, 0.0], [True, False]), [10])
