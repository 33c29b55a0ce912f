"""The cumulative match characteristic: hand examples, large galleries, what is refused."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from mated.errors import MatedError
from mated.identification.cmc import cmc, prior_weighted_cmc, rank_probabilities, shares_within
from search_brute_force import counted, ranks_of

# Three probes in a gallery of four. The first mate leads; the second ties with one; the third has one above it
# and ties with the other two.
HAND = [(9.0, [5.0, 3.0, 1.0]), (5.0, [5.0, 3.0, 1.0]), (3.0, [7.0, 3.0, 3.0])]


class TestAHandExampleWithTies:
    def test_expected_ties_share_a_probe_among_its_ranks(self):
        # P(1) = (1 + 1/2)/3, P(2) = (1/2 + 1/3)/3, P(3) = P(4) = (1/3)/3.
        curve = cmc(ranks_of(HAND))
        assert curve.probabilities.tolist() == pytest.approx([1 / 2, 5 / 18, 1 / 9, 1 / 9], abs=1e-16)
        assert curve.rate.tolist() == [1 / 2, 7 / 9, 8 / 9, 1.0]

    def test_optimistic_ties_put_the_mate_first(self):
        # Ranks 1, 1, 2.
        assert cmc(ranks_of(HAND), "optimistic").rate.tolist() == [2 / 3, 1.0, 1.0, 1.0]

    def test_pessimistic_ties_put_the_mate_last(self):
        # Ranks 1, 2, 4.
        assert cmc(ranks_of(HAND), "pessimistic").rate.tolist() == [1 / 3, 2 / 3, 2 / 3, 1.0]

    @pytest.mark.parametrize(
        ("ties", "mean", "area"),
        # Mean ranks (1 + 1.5 + 3)/3, (1 + 1 + 2)/3, (1 + 2 + 4)/3; areas are the means of the rates above.
        [("expected", 11 / 6, 19 / 24), ("optimistic", 4 / 3, 11 / 12), ("pessimistic", 7 / 3, 2 / 3)],
    )
    def test_mean_rank_and_area(self, ties, mean, area):
        curve = cmc(ranks_of(HAND), ties)
        assert curve.mean_rank == mean
        assert curve.area == pytest.approx(area, rel=1e-15)
        assert curve.rate.mean() == pytest.approx(area, rel=1e-15)

    def test_is_read_at_one_rank_or_several(self):
        curve = cmc(ranks_of(HAND))
        assert curve(2) == 7 / 9
        assert isinstance(curve(2), float)
        assert curve([1, 4]).tolist() == [1 / 2, 1.0]
        assert curve.misidentification(3) == pytest.approx(1 / 9)
        assert curve.fractional_rank.tolist() == [0.25, 0.5, 0.75, 1.0]
        assert (curve.probes, curve.gallery_size, curve.ties, len(curve)) == (3, 4, "expected", 4)

    def test_rank_probabilities_are_those_of_the_curve(self):
        assert np.array_equal(rank_probabilities(ranks_of(HAND)), cmc(ranks_of(HAND)).probabilities)

    def test_each_probe_has_its_own_share_within_a_rank(self):
        assert shares_within(ranks_of(HAND), 2).values.tolist() == [1.0, 1.0, 1 / 3]
        assert shares_within(ranks_of(HAND), None).values.tolist() == [1.0, 1.0, 1.0]


class TestPriorWeighting:
    def test_multiplies_by_the_share_of_known_probes(self):
        # Three known and one unknown: 3/4 (Bolle et al. 2005, section 5.3).
        ranks = ranks_of(HAND, [[1.0, 2.0, 3.0, 4.0]])
        assert prior_weighted_cmc(ranks).tolist() == pytest.approx([3 / 8, 7 / 12, 2 / 3, 3 / 4])
        assert np.array_equal(prior_weighted_cmc(cmc(ranks), 1), prior_weighted_cmc(ranks))

    def test_without_unknown_probes_changes_nothing(self):
        assert np.array_equal(prior_weighted_cmc(ranks_of(HAND)), cmc(ranks_of(HAND)).rate)

    @pytest.mark.parametrize("unknown", [-1, math.nan, math.inf, "many"])
    def test_needs_a_number_of_unknown_probes(self, unknown):
        with pytest.raises(MatedError, match="finite and not negative"):
            prior_weighted_cmc(ranks_of(HAND), unknown)

    def test_of_a_curve_needs_to_be_told(self):
        with pytest.raises(MatedError, match="give n_unknown"):
            prior_weighted_cmc(cmc(ranks_of(HAND)))


class TestLargeGalleries:
    def test_a_million_identities_with_ties_that_span_them(self):
        size = 10**6
        curve = cmc(counted([0, 5, 0, size - 1], [0, 3, size - 1, 0], gallery_size=size))
        # One probe at rank 1, one spread over ranks 6 to 9, one over all, one at the last.
        assert curve(1) == float(Fraction(1, 4) * (1 + Fraction(1, size)))
        assert curve(7) == float(Fraction(1, 4) * (1 + Fraction(1, 2) + Fraction(7, size)))
        assert curve(size - 1) == float(Fraction(1, 4) * (2 + Fraction(size - 1, size)))
        assert curve(size) == 1.0

    def test_more_kinds_of_ties_than_one_fraction_can_hold(self):
        # The least common multiple of 1 to 200 has 89 digits, so floats are summed: right to 1e-12, laws exact.
        rng = np.random.default_rng(3)
        tied = np.tile(np.arange(200), 20)
        above = rng.integers(0, 300, len(tied))
        ranks = counted(above, tied, gallery_size=500)
        curve = cmc(ranks)
        assert shares_within(ranks, 150).unit == 0
        for rank in (1, 2, 50, 150, 499):
            shares = [
                Fraction(min(max(rank - a, 0), t + 1), t + 1)
                for a, t in zip(*map(list, _ints(above, tied)), strict=True)
            ]
            assert curve(rank) == pytest.approx(float(sum(shares) / len(shares)), abs=1e-12)
        assert curve.rate[-1] == 1.0
        assert (np.diff(curve.rate) >= 0).all()
        assert (curve.rate <= cmc(ranks, "optimistic").rate).all()
        assert (curve.rate >= cmc(ranks, "pessimistic").rate).all()
        assert curve.probabilities.sum() == pytest.approx(1.0, abs=1e-12)


def _ints(*arrays):
    return (array.tolist() for array in arrays)


class TestRealScores:
    def test_rates_of_bob_s_twenty_models(self, reference_data):
        # bob.measure 6.1 on its scores-cmc-4col.txt: .76 .89 .96 .98 1 at ranks 1 to 5 (rounded).
        curve = cmc(_read_bob(reference_data / "bob" / "scores-cmc-4col.txt"))
        assert curve([1, 2, 3, 4, 5]).tolist() == pytest.approx([0.76, 0.89, 0.96, 0.98, 1.0])


def _read_bob(path):
    """Lines of `claimed_id real_id probe_label score`; a probe whose identity is claimed nowhere is open-set."""
    rows = [line.split() for line in path.read_text().splitlines()]
    probes: dict[str, tuple[str, dict[str, float]]] = {}
    for claimed, real, label, score in rows:
        probes.setdefault(label, (real, {}))[1][claimed] = float(score)
    mated = [
        (scores[real], [s for who, s in scores.items() if who != real])
        for real, scores in probes.values()
        if real in scores
    ]
    return ranks_of(mated)


class TestWhatIsRefused:
    @pytest.mark.parametrize("rank", [0, 5, 1.5, -1, math.nan, [1, 9]])
    def test_ranks_that_the_gallery_does_not_have(self, rank):
        with pytest.raises(MatedError, match="a whole number from 1 to 4, the identities in the gallery"):
            cmc(ranks_of(HAND))(rank)

    def test_a_rank_that_is_no_number(self):
        with pytest.raises(MatedError, match="'first' is none"):
            cmc(ranks_of(HAND))("first")

    def test_a_rule_for_ties_that_does_not_exist(self):
        with pytest.raises(MatedError, match="not 'random'"):
            cmc(ranks_of(HAND), "random")

    def test_a_search_without_mated_probes(self):
        with pytest.raises(MatedError, match="no probe has its identity in the gallery"):
            cmc(ranks_of([], [[1.0, 2.0]]))

    def test_ranks_beyond_the_gallery(self):
        with pytest.raises(MatedError, match="between 1 and 3"):
            cmc(counted([2], [1], gallery_size=3))

    def test_writing_into_a_curve(self):
        with pytest.raises(ValueError, match="read-only"):
            cmc(ranks_of(HAND)).rate[0] = 0.0


def test_a_probe_that_met_fewer_identities_is_ranked_among_those():
    ranks = ranks_of([(1.0, [2.0, 0.0, 0.0]), (1.0, [2.0])], gallery_size=4)
    assert cmc(ranks).rate.tolist() == [0.0, 1.0, 1.0, 1.0]


def test_a_mate_that_failed_ranks_last_and_counts():
    ranks = ranks_of([(-math.inf, [0.0, 1.0]), (5.0, [0.0, 1.0])], failed_mates=1)
    assert cmc(ranks).rate.tolist() == [0.5, 0.5, 1.0]
