"""Random galleries: they agree with the exact expectation, and with themselves when more are drawn."""

from __future__ import annotations

import numpy as np
import pytest

from mated.errors import MatedError
from mated.identification import galleries as module
from mated.identification.expectation import expected_cmc, rank_distributions
from mated.identification.galleries import simulate_cmc
from mated.scores import ScoreMatrix
from mated.scores.rivals import Rivals
from mated.synthetic import GaussianIdentities


def most_standard_errors_apart(simulated, data, **options) -> float:
    """The largest |simulated − exact| over ranks in Monte-Carlo standard errors; equal where nothing varies.

    The standard error is the simulation's own. Where its draws missed what is rare, that is too small, and the one that
    the exact laws give for mated comparisons in separate galleries is larger and taken.
    """
    exact = expected_cmc(data, **options)
    rivals = Rivals.of(data)
    laws = rank_distributions(rivals, len(exact.rate), **options)
    weight = 1 / (len(exact.subjects) * exact.comparisons[np.searchsorted(exact.subjects, rivals.subject)])
    separate = np.sqrt((weight[:, None] ** 2 * laws * (1 - laws)).sum(axis=0) / simulated.galleries)
    se = np.maximum(simulated.se, separate)
    certain = se == 0
    assert certain[-1]
    np.testing.assert_allclose(simulated.rate[certain], exact.rate[certain], atol=1e-12)
    return float((np.abs(simulated.rate - exact.rate)[~certain] / se[~certain]).max())


@pytest.mark.parametrize("ties", ["expected", "pessimistic", "optimistic"])
@pytest.mark.parametrize(("decimals", "gallery_size"), [(None, None), (0, None), (0, 8)])
def test_a_hundred_thousand_galleries_agree_with_the_exact_expectation_at_every_rank(decimals, gallery_size, ties):
    # 100 probes × 1000 galleries; scores rounded to integers tie heavily.
    data = GaussianIdentities().draw(20, 5, rng=11).matrix(scale=2, decimals=decimals)
    drawn = simulate_cmc(data, galleries=1000, gallery_size=gallery_size, ties=ties, rng=1)
    assert drawn.comparisons.sum() == 400
    assert len(drawn.rate) == (gallery_size or 20)
    assert most_standard_errors_apart(drawn, data, gallery_size=gallery_size, ties=ties) < 4


def test_the_standard_errors_are_the_spread_of_repeated_simulations():
    data = GaussianIdentities().draw(8, 4, rng=3).matrix(scale=2, decimals=0)
    repeats = [simulate_cmc(data, [1, 2], galleries=10, rng=seed) for seed in range(200)]
    spread = np.std([r.rate for r in repeats], axis=0, ddof=1)
    stated = np.sqrt(np.mean([r.se**2 for r in repeats], axis=0))
    # The standard deviation of 200 normal values is known to 5 per cent: three times that.
    np.testing.assert_allclose(spread / stated, 1, atol=0.15)
    individual = np.std([r.individual for r in repeats], axis=0, ddof=1)
    stated = np.sqrt(np.mean([r.individual_se**2 for r in repeats], axis=0))
    varies = stated > 0.005
    assert varies.sum() > 8
    assert (np.abs(individual / np.maximum(stated, 1e-9) - 1)[varies] < 0.25).all()  # five standard deviations


def test_all_mated_scores_of_a_probe_are_ranked_in_one_gallery():
    # Two mates of equal score and two rivals, each found or not together: ranks of both mates agree in every gallery.
    scores = [[2.0, 2.0, 1.0, 3.0, 1.0, 3.0]]
    data = ScoreMatrix.from_arrays(scores, ["a"], list("aabbcc"))
    drawn = simulate_cmc(data, galleries=4000, rng=5)
    exact = expected_cmc(data)
    assert exact.rate.tolist() == [0.25, 0.75, 1.0]
    # Together, the variance at rank 1 is p(1 − p)/m_g; apart, it would be half of that.
    assert drawn.se[0] == pytest.approx(np.sqrt(0.25 * 0.75 / 4000), rel=0.05)


def test_more_galleries_keep_the_first_ones_however_they_are_drawn(monkeypatch):
    data = GaussianIdentities().draw(6, 3, rng=2).matrix(decimals=1)
    few, many = (simulate_cmc(data, galleries=g, rng=9) for g in (7, 14))
    found = many.rate * 14 - few.rate * 7  # what the later seven found: between none and all
    assert (found >= -1e-9).all()
    assert (found <= 7 + 1e-9).all()
    monkeypatch.setattr(module, "_UNIFORMS_AT_ONCE", 20)
    monkeypatch.setattr("mated.scores.searches._BLOCK_ENTRIES", 40)
    np.testing.assert_array_equal(simulate_cmc(data, galleries=14, rng=9).individual, many.individual)


def test_a_table_gives_the_simulation_of_its_matrix_up_to_chance():
    data = GaussianIdentities().draw(6, 3, rng=2).matrix(decimals=1)
    drawn = simulate_cmc(data.comparisons(), galleries=2000, rng=1)
    assert drawn.names == data.subjects.names
    assert most_standard_errors_apart(drawn, data) < 4


def test_one_gallery_has_no_standard_error():
    data = GaussianIdentities().draw(5, 3, rng=2).matrix()
    assert np.isnan(simulate_cmc(data, galleries=1, rng=1).se).all()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"galleries": 0}, "at least one gallery"),
        ({"galleries": 2.5}, "whole number"),
        ({"ties": "none"}, "ties must be one of"),
        ({"gallery_size": 9}, "needs 8 other identities"),
        ({"ranks": [6]}, "whole number from 1 to 5"),
        ({"rng": -1}, "rng takes"),
        ({"rng": "one"}, "rng takes"),
    ],
)
def test_what_makes_no_sense_is_refused(options, sentence):
    data = GaussianIdentities().draw(5, 2, rng=2).matrix()
    with pytest.raises(MatedError, match=sentence):
        simulate_cmc(data, **options)


def test_without_a_mated_comparison_there_is_nobody_to_search_for():
    with pytest.raises(MatedError, match="nobody to search for"):
        simulate_cmc(ScoreMatrix.from_arrays([[1.0]], ["a"], ["b"]))
