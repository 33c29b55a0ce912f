"""The true CMC of Gaussian identities, against SciPy, Fourier inversion and plain simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, ncx2

from mated.errors import MatedError
from mated.synthetic import GaussianIdentities, cosine, log_likelihood_ratio
from mated.synthetic.identification_truth import mated_fmr, quadratic_form_cdf, rank_cdf, true_cmc

BETWEEN = (0.6, 0.8, 0.9)


@pytest.mark.parametrize("dimensions", [2, 4, 12])
def test_equal_weights_give_the_noncentral_chi_squared_law_of_scipy(dimensions):
    rng = np.random.default_rng(1)
    shift = rng.normal(size=(300, dimensions)) * 2
    noncentrality = (shift**2).sum(axis=1)
    level = noncentrality * rng.uniform(0.05, 2, 300) + 0.1
    expected = ncx2.cdf(level, dimensions, noncentrality)
    found = quadratic_form_cdf(np.full(dimensions, 3.0), shift, 3 * level)
    assert expected.min() < 1e-4
    below = expected < 0.5
    np.testing.assert_allclose(found[below], expected[below], rtol=1e-9)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def imhof(weight, shift, level):
    """P(Q ≤ level) by plain Fourier inversion: ½ − 1/π ∫ sin θ(u)/(u ρ(u)) du (Imhof 1961)."""
    u = (np.arange(400_000) + 0.5) * 5e-4
    product = np.outer(u, weight)
    angle = (np.arctan(product) + shift**2 * product / (1 + product**2)).sum(axis=1) / 2 - level * u / 2
    log_rho = (np.log1p(product**2) / 4 + shift**2 * product**2 / (1 + product**2) / 2).sum(axis=1)
    return 0.5 - (np.sin(angle) * np.exp(-log_rho) / u).sum() * 5e-4 / np.pi


def test_unequal_weights_agree_with_plain_fourier_inversion():
    weight = np.array([0.3, 0.5, 0.9, 1.4, 2.0, 4.0])
    shift = np.random.default_rng(2).normal(size=(6, 6)) * 1.5
    level = np.array([2.0, 5.0, 10.0, 20.0, 40.0, 80.0])
    expected = [imhof(weight, row, at) for row, at in zip(shift, level, strict=True)]
    np.testing.assert_allclose(quadratic_form_cdf(weight, shift, level), expected, atol=1e-8)


def test_a_level_of_zero_or_less_is_never_reached():
    assert quadratic_form_cdf([1.0, 2.0], np.zeros((2, 2)), [0.0, -1.0]).tolist() == [0, 0]


@pytest.mark.parametrize("scorer", ["llr", "cosine"])
def test_the_false_match_rate_is_the_share_of_other_people_who_beat_the_mate(scorer):
    model, rng = GaussianIdentities(BETWEEN), np.random.default_rng(3)
    x = model.draw(6, 2, rng=rng).features
    probe, mate = x[0::2], x[1::2]
    others = rng.standard_normal((200_000, 3))
    score = (lambda a, b: log_likelihood_ratio(a, b, BETWEEN)) if scorer == "llr" else cosine
    share = (score(probe, others) >= np.diag(score(probe, mate))[:, None]).mean(axis=1)
    # Four standard errors of a share from 200,000 draws are at most 0.0045.
    np.testing.assert_allclose(mated_fmr(model, probe, mate, scorer=scorer), share, atol=0.0045)


def test_rivals_with_different_noise_are_mixed():
    model, rng = GaussianIdentities(BETWEEN), np.random.default_rng(4)
    x = model.draw(4, 2, rng=rng).features
    probe, mate = x[0::2], x[1::2]
    noise = rng.choice([1.0, 3.0], 200_000)
    others = model.draw(200_000, 1, rng=rng, noise=noise).features
    at = np.diag(log_likelihood_ratio(probe, mate, BETWEEN))
    share = (log_likelihood_ratio(probe, others, BETWEEN) >= at[:, None]).mean(axis=1)
    np.testing.assert_allclose(mated_fmr(model, probe, mate, noise=(1.0, 3.0)), share, atol=0.0045)


@pytest.mark.parametrize("scorer", ["llr", "cosine"])
def test_the_cmc_is_that_of_searches_in_drawn_galleries(scorer):
    model, size, searches = GaussianIdentities(BETWEEN), 60, 20_000
    rng = np.random.default_rng(5)
    x = model.draw(searches, 2, rng=rng).features
    probe, mate = x[0::2], x[1::2]
    beaten = np.zeros(searches, dtype=int)
    for block in range(0, searches, 1000):
        here = slice(block, block + 1000)
        others = rng.standard_normal((1000 * (size - 1), 3))
        if scorer == "llr":  # each search has a gallery of its own
            q = np.array(BETWEEN) ** 2 / (2 * (1 - np.array(BETWEEN) ** 2))
            own = -(((mate[here] - probe[here] / BETWEEN) ** 2) @ q)
            theirs = -(((others.reshape(1000, -1, 3) - (probe[here] / BETWEEN)[:, None]) ** 2) @ q)
        else:
            own = np.diag(cosine(probe[here], mate[here]))
            galleries = others.reshape(1000, -1, 3)
            theirs = np.stack([cosine(p[None], o)[0] for p, o in zip(probe[here], galleries, strict=True)])
        beaten[here] = (theirs >= own[:, None]).sum(axis=1)
    ranks = [1, 3, 10]
    truth = true_cmc(model, [size], ranks, scorer=scorer, pairs=20_000, rng=6)
    drawn = np.array([(beaten < rank).mean() for rank in ranks])
    error = np.sqrt(truth.standard_error[0] ** 2 + drawn * (1 - drawn) / searches)
    assert np.all(np.abs(truth.rate[0] - drawn) < 4 * error)


def test_the_score_falls_with_the_quadratic_form_up_to_a_constant_of_the_probe():
    model, rng = GaussianIdentities(BETWEEN), np.random.default_rng(7)
    x, y = rng.normal(size=(1, 3)), rng.normal(size=(50, 3))
    q = np.array(BETWEEN) ** 2 / (2 * (1 - np.array(BETWEEN) ** 2))
    form = ((y - x / np.array(BETWEEN)) ** 2) @ q
    np.testing.assert_allclose(np.ptp(log_likelihood_ratio(x, y, model.between)[0] + form), 0, atol=1e-12)


@pytest.mark.parametrize(("size", "rank"), [(2, 1), (100, 1), (100, 7), (10**6, 3), (10**9, 1)])
def test_the_rank_law_is_binomial(size, rank):
    fmr = np.array([0.0, 1e-9, 1e-6, 1e-3, 0.2])
    np.testing.assert_allclose(rank_cdf(fmr, size, rank), binom.cdf(rank - 1, size - 1, fmr), rtol=1e-7, atol=1e-13)


def test_the_last_rank_is_certain():
    assert rank_cdf([0.5, 1.0], 4, 4).tolist() == [1, 1]


def test_what_is_not_known_is_refused():
    model = GaussianIdentities(BETWEEN)
    with pytest.raises(MatedError, match="noise 1 only"):
        mated_fmr(model, np.ones((1, 3)), np.ones((1, 3)), scorer="cosine", noise=(1.0, 2.0))
    with pytest.raises(MatedError, match="no scorer"):
        mated_fmr(model, np.ones((1, 3)), np.ones((1, 3)), scorer="euclid")
    with pytest.raises(MatedError, match="two pairs"):
        true_cmc(model, [10], pairs=1)
    with pytest.raises(MatedError, match="positive"):
        quadratic_form_cdf([1.0, -1.0], np.zeros((1, 2)), [1.0])
