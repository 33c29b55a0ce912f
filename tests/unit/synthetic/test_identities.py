"""The Gaussian identity model draws what it says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from mated.errors import MatedError
from mated.evaluation import verify
from mated.synthetic import GaussianIdentities, cosine, log_likelihood_ratio


def test_features_have_unit_variance_and_the_persons_share():
    samples = GaussianIdentities((0.5, 0.9)).draw(20_000, 2, rng=1)
    x = samples.features.reshape(-1, 2, 2)
    # Standard error of a variance from 40,000 draws is about 0.007; four of them.
    np.testing.assert_allclose(samples.features.var(axis=0), 1, atol=0.03)
    np.testing.assert_allclose((x[:, 0] * x[:, 1]).mean(axis=0), [0.5, 0.9], atol=0.04)


def test_the_log_likelihood_ratio_is_that_of_the_two_hypotheses():
    between = (0.5, 0.8)
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 2)), rng.normal(size=(3, 2))
    scores = log_likelihood_ratio(x, y, between)
    for i, j in np.ndindex(scores.shape):
        expected = 0.0
        for d, v in enumerate(between):
            pair = [x[i, d], y[j, d]]
            same = multivariate_normal([0, 0], [[1, v], [v, 1]]).logpdf(pair)
            expected += same - multivariate_normal([0, 0], np.eye(2)).logpdf(pair)
        assert scores[i, j] == pytest.approx(expected, abs=1e-10)


def test_the_cosine_is_that_of_the_angle():
    x, y = np.array([[1.0, 0.0]]), np.array([[1.0, 1.0], [0.0, 2.0]])
    np.testing.assert_allclose(cosine(x, y), [[np.sqrt(0.5), 0]], atol=1e-15)


def test_the_equal_error_rate_of_the_published_parameters():
    """About 12.4 % for the log-likelihood ratio of four dimensions; 300 people have a spread of about 0.5 %."""
    v = verify(GaussianIdentities().draw(300, 5, rng=3).matrix("llr"))
    assert v.eer().value == pytest.approx(0.124, abs=0.02)


def test_every_pair_of_samples_is_compared_once():
    data = GaussianIdentities().draw(10, 3, rng=4).comparisons("cosine", decimals=3)
    assert len(data) == 30 * 29 // 2
    assert int(data.mated.sum()) == 10 * 3
    assert data.samples.names[:4] == ("p01-1", "p01-2", "p01-3", "p02-1")
    assert data.tally().unit == pytest.approx(0.001)


def test_the_same_seed_draws_the_same_people():
    a, b = (GaussianIdentities().draw(5, 2, rng=7).features for _ in range(2))
    assert np.array_equal(a, b)


def test_noisier_people_vary_more():
    people = GaussianIdentities((0.5,)).draw(2000, 5, rng=8, noise=np.repeat([1.0, 3.0], 1000))
    within = people.features.reshape(2000, 5).var(axis=1, ddof=1)
    assert within[1000:].mean() / within[:1000].mean() == pytest.approx(9, rel=0.2)


@pytest.mark.parametrize("between", [(), (0.0,), (1.0,), (0.5, 2.0)])
def test_variances_outside_zero_and_one_are_refused(between):
    with pytest.raises(MatedError, match="between 0 and 1"):
        GaussianIdentities(between)


def test_pairs_are_listed_in_the_order_of_the_comparisons():
    people = GaussianIdentities().draw(11, 12, rng=9)
    data = people.comparisons("llr")
    rows, columns = people.pairs()
    expected = log_likelihood_ratio(people.features, people.features, people.model.between)[rows, columns]
    np.testing.assert_allclose(data.score, expected, atol=1e-9)
    assert np.array_equal(data.mated, people.subject[rows] == people.subject[columns])
