"""The law of a rank among rivals where it is known in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from mated.errors import MatedError
from mated.identification import expectation as module
from mated.identification.expectation import expected_cmc, rank_distributions
from mated.scores import ScoreMatrix
from mated.scores.rivals import Rivals
from mated.synthetic import GaussianIdentities


def rivals(above, tied=None, total=10) -> Rivals:
    """One mated comparison of subject 0; counts of the subjects 1, 2, …"""
    above = np.append(0, above)
    tied = np.zeros_like(above) if tied is None else np.append(0, tied)
    totals = np.full(len(above), total)
    totals[0] = 0
    return Rivals(
        np.zeros(1, dtype=np.int64),
        np.zeros(1),
        np.zeros(1, dtype=np.int64),
        above[None].astype(np.uint8),
        tied[None].astype(np.uint8),
        totals[None].astype(np.uint8),
        tuple(f"p{k}" for k in range(len(above))),
        "probe",
    )


class TestFullGallery:
    @pytest.mark.parametrize("beating", [0, 1, 4, 9, 10])
    def test_is_binomial_where_all_rivals_are_alike(self, beating):
        law = rank_distributions(rivals(np.full(60, beating)), 61)[0]
        np.testing.assert_allclose(law, stats.binom.cdf(np.arange(61), 60, beating / 10), atol=1e-14)

    def test_is_poisson_binomial_where_they_differ(self):
        above = np.random.default_rng(3).integers(0, 11, 80)
        law = rank_distributions(rivals(above), 40)[0]
        # The same law from its characteristic function.
        angle = 2j * np.pi * np.arange(81) / 81
        product = np.prod(1 + above / 10 * (np.exp(angle)[:, None] - 1), axis=1)
        expected = np.cumsum(np.fft.fft(product).real / 81)[:40]
        np.testing.assert_allclose(law, expected, atol=1e-13)

    @pytest.mark.parametrize("others", [1, 2, 7, 60, 399])
    def test_ranks_a_mate_equal_to_everybody_uniformly(self, others):
        law = rank_distributions(rivals(np.zeros(others), np.full(others, 10)), others + 1)[0]
        np.testing.assert_allclose(law, np.arange(1, others + 2) / (others + 1), atol=2e-14)

    @pytest.mark.parametrize("others", [5, 60, 399])
    def test_with_rare_ties_is_the_mean_over_how_many_tie(self, others):
        # Each of N rivals ties with probability 1/10: the rank is uniform on 1 … 1 + Binomial(N, 1/10).
        law = rank_distributions(rivals(np.zeros(others), np.ones(others)), others + 1)[0]
        ties = np.arange(others + 1)
        shares = np.minimum(np.arange(1, others + 2)[:, None] / (ties + 1), 1)
        np.testing.assert_allclose(law, shares @ stats.binom.pmf(ties, others, 0.1), atol=2e-14)

    def test_stands_first_or_last_among_equals_by_the_other_rules(self):
        data = rivals([10, 0, 0], [0, 10, 10])
        assert rank_distributions(data, 4, ties="optimistic")[0].tolist() == [0, 1, 1, 1]
        assert rank_distributions(data, 4, ties="pessimistic")[0].tolist() == [0, 0, 0, 1]
        np.testing.assert_allclose(rank_distributions(data, 4)[0], [0, 1 / 3, 2 / 3, 1], atol=1e-15)

    def test_beyond_the_ranks_asked_for_is_dropped_and_not_piled_up(self):
        law = rank_distributions(rivals(np.full(50, 9)), 3)[0]
        np.testing.assert_allclose(law, stats.binom.cdf(np.arange(3), 50, 0.9), rtol=1e-10)


class TestSmallGallery:
    @pytest.mark.parametrize("size", [2, 5, 20, 59, 60])
    def test_is_hypergeometric_where_every_rival_wins_or_loses_for_sure(self, size):
        data = rivals(np.repeat([10, 0], [23, 37]))
        law = rank_distributions(data, size, gallery_size=size)[0]
        expected = stats.hypergeom.cdf(np.arange(size), 60, 23, size - 1)
        np.testing.assert_allclose(law, expected, atol=1e-14)

    def test_is_binomial_where_all_rivals_are_alike(self):
        law = rank_distributions(rivals(np.full(40, 3)), 11, gallery_size=11)[0]
        np.testing.assert_allclose(law, stats.binom.cdf(np.arange(11), 10, 0.3), atol=1e-14)

    def test_ranks_a_mate_equal_to_everybody_uniformly(self):
        law = rank_distributions(rivals(np.zeros(80), np.full(80, 10)), 12, gallery_size=12)[0]
        np.testing.assert_allclose(law, np.arange(1, 13) / 12, atol=2e-14)

    def test_of_two_identities_finds_the_mate_as_often_as_the_mean_rival_loses(self):
        data = rivals([1, 4, 0, 10], [0, 2, 0, 0])
        rate = rank_distributions(data, 1, gallery_size=2)[0, 0]
        assert rate == pytest.approx(1 - np.mean([0.1, 0.5, 0, 1]), abs=1e-15)

    def test_of_all_identities_is_the_full_one(self):
        data = GaussianIdentities().draw(15, 4, rng=2).matrix(decimals=1)
        full = expected_cmc(data)
        assert full.gallery_size == 15
        np.testing.assert_array_equal(expected_cmc(data, gallery_size=15).rate, full.rate)
        almost = expected_cmc(data, gallery_size=14).rate
        # Leave one of 14 rivals out at random: the rank falls by one where it had beaten the mate.
        np.testing.assert_allclose(
            almost,
            full.rate[:14] + np.diff(full.rate) * np.arange(1, 15) / 14,
            atol=1e-13,
        )

    def test_that_would_take_too_long_is_refused(self, monkeypatch):
        monkeypatch.setattr(module, "_MOST_STEPS", 1000.0)
        with pytest.raises(MatedError, match="simulate_cmc"):
            rank_distributions(rivals(np.full(60, 5)), 20, gallery_size=30)


class TestExpectedCmc:
    def test_counts_every_subject_once(self):
        # a: one of two probes is found; b: its only probe is.
        scores = [[5.0, 1.0], [1.0, 5.0], [0.0, 1.0]]
        result = expected_cmc(ScoreMatrix.from_arrays(scores, ["a", "a", "b"], ["a", "b"]))
        assert result.individual.tolist() == [[0.5, 1.0], [1.0, 1.0]]
        assert result.rate.tolist() == [0.75, 1.0]
        assert result.comparisons.tolist() == [2, 1]
        assert result.names == ("a", "b")
        assert repr(result) == "ExpectedCmc(rank 1: 0.7500, 2 subjects, gallery of 2)"

    def test_of_parts_is_that_of_the_whole(self, monkeypatch):
        data = GaussianIdentities().draw(12, 3, rng=4).matrix(decimals=1)
        whole = expected_cmc(Rivals.of(data))
        monkeypatch.setattr("mated.scores.searches._BLOCK_ENTRIES", 100)
        monkeypatch.setattr(module, "_AT_ONCE", 30)
        parts = expected_cmc(data)
        np.testing.assert_allclose(parts.individual, whole.individual, atol=1e-14)
        assert parts.names == whole.names

    def test_says_how_many_probes_met_fewer_identities(self):
        mask = [[True, True, True], [True, True, False]]
        data = ScoreMatrix.from_arrays([[2.0, 1.0, 3.0], [1.0, 0.0, 0.0]], ["a", "b"], ["a", "b", "c"], mask=mask)
        result = expected_cmc(data)
        assert (result.gallery_size, result.incomplete) == (3, 1)
        assert result.individual.tolist() == [[0, 1, 1], [0, 1, 1]]

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            ({"ties": "random"}, "ties must be one of"),
            ({"ranks": [0]}, "whole number from 1"),
            ({"ranks": [4]}, "whole number from 1 to 3"),
            ({"ranks": 1.5}, "whole number"),
            ({"gallery_size": 1}, "at least 2 identities"),
            ({"gallery_size": 2.5}, "at least 2 identities"),
            ({"gallery_size": 4}, "needs 3 other identities"),
            ({"gallery_size": 2, "ranks": [3]}, "whole number from 1 to 2"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, options, sentence):
        data = ScoreMatrix.from_arrays(np.eye(3), list("abc"), list("abc"))
        with pytest.raises(MatedError, match=sentence):
            expected_cmc(data, **options)

    def test_without_a_mated_comparison_there_is_none(self):
        with pytest.raises(MatedError, match="no probe has both"):
            expected_cmc(ScoreMatrix.from_arrays([[1.0]], ["a"], ["b"]))
