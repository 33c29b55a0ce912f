"""The tail model against its definition, its invariances, and a truth it can know."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import mated.scores.probe_scores as probe_scores
from mated.errors import MatedError
from mated.identification.tail import fit_replicates, fit_tail_model, tail_cmc
from mated.scores import ScoreMatrix
from mated.scores.probe_scores import ProbeScores
from mated.synthetic import GaussianIdentities
from mated.synthetic.identification_truth import true_cmc

SIZES, RANKS = [10, 10**4, 10**6, 10**9], [1, 5]


def people(subjects: int = 60, samples: int = 4, seed: int = 1, **options) -> ScoreMatrix:
    return GaussianIdentities((0.6, 0.7, 0.8, 0.85, 0.9, 0.95)).draw(subjects, samples, rng=seed).matrix(**options)


def rows_changed(matrix: ScoreMatrix, factor, shift) -> ScoreMatrix:
    """The same searches with the scores of each probe stretched and moved."""
    scores = matrix.scores * factor[:, None] + shift[:, None]
    return ScoreMatrix.from_arrays(
        scores,
        matrix.subjects.probe,
        matrix.subjects.reference,
        probe_sample=matrix.samples.probe,
        reference_sample=matrix.samples.reference,
    )


@pytest.fixture(scope="module")
def probes() -> ProbeScores:
    return ProbeScores.of(people())


@pytest.fixture(scope="module")
def model(probes):
    return fit_tail_model(probes)


def test_share_and_scale_are_those_of_the_upper_scores(probes, model):
    matrix = people()
    for row in (0, 17, 239):
        scores = matrix.scores[row][matrix.subjects.reference != matrix.subjects.probe[row]]
        over = scores[scores > probes.pivot[row]] - probes.pivot[row]
        assert model.share[row] == len(over) / len(scores)
        assert model.scale[row] == pytest.approx(over.mean(), rel=1e-6)
        assert model.share[row] == pytest.approx(probes.upper, abs=1 / len(scores))


def test_up_to_its_threshold_the_rate_is_the_share_of_the_pooled_scores(probes, model):
    """With one class and all upper scores kept: p · share of pooled levels above, equal ones counted half."""
    assert len(model.tails) == 1
    assert probes.tail_from == 0
    level = (probes.tail_score - probes.pivot[probes.tail_probe]) / model.scale[probes.tail_probe]
    for place in (0.2, 1.0, 2.0):
        at = np.sort(level)[np.searchsorted(np.sort(level), place)]
        assert at < model.tails[0].law.threshold
        expected = model.share[5] * (np.mean(level > at) + np.mean(level == at) / 2)
        found = model.fmr(5, probes.pivot[5] + at * model.scale[5])
        assert found == pytest.approx(expected, rel=1e-6)


def test_the_tail_law_starts_at_the_empirical_share(probes, model):
    tail = model.tails[0]
    assert tail.at_law * probes.upper * probes.n_nonmated == pytest.approx(100, abs=2)
    below, above = (
        model.fmr(3, probes.pivot[3] + model.scale[3] * tail.law.threshold * factor) for factor in (1 - 1e-9, 1 + 1e-9)
    )
    assert above == pytest.approx(below, rel=0.01)


def test_rates_fall_from_one_to_nothing_as_the_score_rises(probes, model):
    scores = np.linspace(probes.pivot.min() - 200, probes.pivot.max() + 50, 4000)
    for probe in (0, 100, 200):
        rate = model.fmr(probe, scores)
        assert np.all(np.diff(rate) <= 1e-12)
        assert rate[0] == pytest.approx(1, abs=1e-3)
        assert 0 <= rate[-1] < 1e-12


def test_an_infinite_mated_score_is_never_or_always_beaten(model):
    assert model.fmr([0, 0], [np.inf, -np.inf]).tolist() == [0, 1]


def test_the_cmc_is_the_mean_of_binomial_laws_over_scores_and_subjects(probes, model):
    found = tail_cmc(model, SIZES, RANKS)
    subject = probes.subject[probes.mated_probe]
    for row, size in enumerate(SIZES):
        for column, rank in enumerate(RANKS):
            law = binom.cdf(rank - 1, size - 1, model.mated_fmr)
            expected = np.mean([law[subject == one].mean() for one in np.unique(subject)])
            assert found[row, column] == pytest.approx(expected, rel=1e-9)


def test_a_forecast_falls_with_the_gallery_and_rises_with_the_rank(model):
    rates = tail_cmc(model, [10, 100, 10**3, 10**4, 10**6], [1, 2, 5, 10])
    assert np.all(np.diff(rates, axis=0) < 0)
    assert np.all(np.diff(rates, axis=1) > 0)


def test_a_factor_on_the_rates_acts_as_a_gallery_so_much_larger(model):
    one, other = tail_cmc(model, [10**6], [1], factor=10.0), tail_cmc(model, [10**7], [1])
    assert one[0, 0] == pytest.approx(other[0, 0], rel=1e-3)


def test_stretching_and_moving_the_scores_of_each_probe_changes_nothing():
    rng = np.random.default_rng(2)
    matrix = people(40, 3)
    plain = rows_changed(matrix, np.ones(120), np.zeros(120))
    changed = rows_changed(matrix, np.exp(rng.normal(size=120)), rng.normal(size=120) * 10)
    one, other = (tail_cmc(fit_tail_model(ProbeScores.of(data)), SIZES, RANKS) for data in (plain, changed))
    np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-9)  # sums of excesses are kept in single precision


def test_weights_count_subjects_as_often(probes, model):
    """A replicate against plain sums: rivals by their weight within a probe, probes and rivals in the pool."""
    weight = np.random.default_rng(3).integers(0, 3, probes.n_units)
    found = fit_tail_model(probes, weight, like=model)
    matrix = people()
    own = weight[matrix.subjects.probe]
    levels, pooled, upper = [], [], 0.0
    for row in range(probes.n_probes):
        other = matrix.subjects.reference != matrix.subjects.probe[row]
        scores, counts = matrix.scores[row][other], weight[matrix.subjects.reference[other]]
        above = scores > probes.pivot[row]
        share = counts[above].sum() / counts.sum()
        scale = (counts[above] * (scores[above] - probes.pivot[row])).sum() / counts[above].sum()
        assert (found.share[row], found.scale[row]) == pytest.approx((share, scale), rel=1e-6)
        levels.append((scores[above] - probes.pivot[row]) / scale)
        pooled.append(own[row] * counts[above])
        upper += own[row] * counts[above].sum()
    level, mass = np.concatenate(levels), np.concatenate(pooled)
    tail = found.tails[0]
    for at in (0.5, 1.5, float(tail.law.threshold) * 0.99):
        expected = found.share[7] * mass[level > at].sum() / upper
        assert found.fmr(7, probes.pivot[7] + at * found.scale[7]) == pytest.approx(expected, rel=0.02)
    counted = weight[probes.unit_of[probes.subject[probes.mated_probe]]]
    subject = probes.subject[probes.mated_probe]
    first = np.exp(9999 * np.log1p(-found.mated_fmr))
    means = np.array([first[subject == one].mean() for one in range(60)])
    expected = (means * weight).sum() / weight.sum()
    assert tail_cmc(found, [10**4], [1])[0, 0] == pytest.approx(expected, rel=1e-9)
    assert counted.sum() > 0


def test_equal_weights_are_no_weights(probes, model):
    twice = fit_tail_model(probes, np.full(probes.n_units, 2), like=model)
    np.testing.assert_allclose(tail_cmc(twice, SIZES, RANKS), tail_cmc(model, SIZES, RANKS), rtol=1e-9)


def test_replicates_fitted_together_are_those_fitted_alone(probes, model):
    weights = np.random.default_rng(4).integers(0, 3, (20, probes.n_units))
    together = [tail_cmc(one, [10**6], [1])[0, 0] for one in fit_replicates(probes, weights, model)]
    alone = [tail_cmc(fit_tail_model(probes, w, like=model), [10**6], [1])[0, 0] for w in weights]
    np.testing.assert_allclose(together, alone, rtol=1e-9)


def test_what_lies_below_the_kept_scores_comes_from_the_histogram(monkeypatch):
    matrix = people()
    whole = fit_tail_model(ProbeScores.of(matrix))
    monkeypatch.setattr(probe_scores, "_KEPT", 1200)
    cut = fit_tail_model(ProbeScores.of(matrix))
    assert cut.probes.tail_from > 1
    level = np.linspace(0.05, 1.5 * cut.probes.tail_from, 50)
    scores = cut.probes.pivot[9] + level * cut.scale[9]
    np.testing.assert_allclose(cut.fmr(9, scores), whole.fmr(9, scores), rtol=0.03)
    np.testing.assert_allclose(tail_cmc(cut, SIZES[1:], RANKS), tail_cmc(whole, SIZES[1:], RANKS), rtol=1e-3)


def test_a_threshold_in_whole_steps_lies_half_a_step_lower():
    whole = fit_tail_model(ProbeScores.of(people(40, 3, decimals=0, scale=4)))
    assert whole.probes.score_unit == 1
    ratio = whole.fmr_at(7.0) / whole.fmr(np.arange(whole.probes.n_probes), 6.5)
    np.testing.assert_allclose(ratio, ratio[0])
    # What a threshold lets in is P(score ≥ T), counted here over all probes.
    matrix = people(40, 3, decimals=0, scale=4)
    other = matrix.subjects.probe[:, None] != matrix.subjects.reference[None, :]
    for threshold in (2.0, 7.0):
        counted = (matrix.scores[other] >= threshold).mean()
        assert whole.fmr_at(threshold).mean() == pytest.approx(counted, rel=0.02)


def test_at_a_threshold_the_mean_over_probes_is_the_global_rate_that_all_scores_show(probes, model):
    matrix = people()
    other = matrix.subjects.probe[:, None] != matrix.subjects.reference[None, :]
    scores = np.sort(matrix.scores[other])
    for reached in (30, 300, 3000):  # the first two above the threshold of the law, the other below
        at = float(scores[-reached])
        assert model.fmr_at(at).mean() == pytest.approx(reached / len(scores), rel=0.25 if reached < 100 else 0.01)


def test_cosine_scores_are_forecast_near_their_truth():
    """All probes are alike here, so the model holds: 300 subjects × 4 samples, truth .35 at 10^3 and .13 at 10^4."""
    identities = GaussianIdentities((0.6, 0.7, 0.8, 0.85, 0.9, 0.92, 0.94, 0.95))
    truth = true_cmc(identities, [10**3, 10**4], scorer="cosine", pairs=40_000, rng=1).rate[:, 0]
    matrix = identities.draw(300, 4, rng=2).matrix("cosine")
    found = tail_cmc(fit_tail_model(ProbeScores.of(matrix)), [10**3, 10**4], [1])[:, 0]
    np.testing.assert_allclose(found, truth, rtol=0.12)


def test_too_few_scores_are_refused():
    with pytest.raises(MatedError, match="too few"):
        fit_tail_model(ProbeScores.of(people(4, 2), scope="subject"))


def test_scores_too_coarse_for_a_tail_are_refused():
    scores = (np.random.default_rng(5).random((60, 60)) < 0.1).astype(float)
    who = np.repeat(np.arange(20), 3)
    names = np.arange(60)
    matrix = ScoreMatrix.from_arrays(scores, who, who, probe_sample=names, reference_sample=names)
    with pytest.raises(MatedError, match="three different"):
        fit_tail_model(ProbeScores.of(matrix, scope="probe"))


def test_a_few_whole_scores_can_be_forecast():
    model = fit_tail_model(ProbeScores.of(people(40, 3, decimals=0)))
    rates = tail_cmc(model, [100, 10**4], [1])
    assert np.isfinite(rates).all()
    assert 0 < rates[1, 0] < rates[0, 0] < 1


def test_weights_must_be_as_many_as_the_units(probes):
    with pytest.raises(MatedError, match="units to weigh"):
        fit_tail_model(probes, [1, 2, 3])
