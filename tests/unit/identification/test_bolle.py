"""The theoretical CMC of Bolle et al. (2005) against enumerated galleries, exact sums and hand calculation."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

import brute_force
from mated.errors import MatedError
from mated.identification.bolle import (
    narrow_cmc,
    narrow_rank_probabilities,
    theoretical_cmc,
    theoretical_rank_probabilities,
)
from mated.scores import Tally
from mated.verification import area_under_roc

MATED = [4.0, 6.0, 6.0, 2.0, 9.0]
NONMATED = [1.0, 2.0, 4.0, 4.0, 6.0, 0.0, 3.0]


def places(mate, rivals, ties):
    """The ranks of a mate among rivals with their probabilities: equal scores in random order, or in the one named."""
    above, tied = sum(r > mate for r in rivals), sum(r == mate for r in rivals)
    if ties == "optimistic":
        return {above + 1: Fraction(1)}
    if ties == "pessimistic":
        return {above + tied + 1: Fraction(1)}
    return {above + 1 + j: Fraction(1, tied + 1) for j in range(tied + 1)}


def rank_law_of_all_galleries(mated, nonmated, size, ties):
    """P(k) over every mated score and every gallery of size − 1 non-mated scores, each drawn with replacement."""
    law = [Fraction(0)] * size
    galleries = list(itertools.product(nonmated, repeat=size - 1))
    for mate in mated:
        for rivals in galleries:
            for rank, share in places(mate, rivals, ties).items():
                law[rank - 1] += share
    return [p / (len(mated) * len(galleries)) for p in law]


class TestAgainstEnumeratedGalleries:
    @pytest.mark.parametrize("ties", ["expected", "optimistic", "pessimistic"])
    @pytest.mark.parametrize("size", [2, 3, 4, 5])
    def test_probabilities_and_curve_are_those_of_all_galleries(self, size, ties):
        law = rank_law_of_all_galleries(MATED, NONMATED, size, ties)
        tally = Tally.from_scores(MATED, NONMATED)
        np.testing.assert_allclose(
            theoretical_rank_probabilities(tally, size, ties=ties), [float(p) for p in law], rtol=1e-13, atol=1e-16
        )
        cumulated = [float(p) for p in itertools.accumulate(law)]
        np.testing.assert_allclose(theoretical_cmc(tally, size, ties=ties), cumulated, rtol=0, atol=1e-14)

    def test_equation_14_by_hand(self):
        """One mated score; 2 of 5 non-mated above it; m = 3: P = (.6², 2·.4·.6, .4²)."""
        tally = Tally.from_scores([3.0], [5.0, 4.0, 1.0, 1.0, 2.0])
        assert theoretical_rank_probabilities(tally, 3) == pytest.approx([0.36, 0.48, 0.16], rel=1e-14)
        assert theoretical_cmc(tally, 3) == pytest.approx([0.36, 0.84, 1.0], rel=1e-14)

    def test_dissimilarities_rank_the_other_way_round(self):
        turned = Tally.from_scores([-s for s in MATED], [-s for s in NONMATED], dissimilarity=True)
        expected = theoretical_cmc(Tally.from_scores(MATED, NONMATED), 6)
        assert theoretical_cmc(turned, 6).tolist() == expected.tolist()
        assert narrow_cmc(turned, 6).tolist() == narrow_cmc(Tally.from_scores(MATED, NONMATED), 6).tolist()


class TestEquation10:
    def test_two_identities_and_expected_ties_give_the_area_under_the_roc(self):
        rng = np.random.default_rng(8)
        for decimals in (0, 1, 8):
            mated, nonmated = np.round(rng.normal(1, 1, 300), decimals), np.round(rng.normal(0, 1, 5000), decimals)
            tally = Tally.from_scores(mated, nonmated)
            area = area_under_roc(tally)
            assert theoretical_rank_probabilities(tally, 2, 1)[0] == pytest.approx(area, abs=1e-15)
            assert theoretical_cmc(tally, 2, 1)[0] == pytest.approx(area, abs=1e-15)

    def test_it_is_the_exact_fraction_of_pairs(self):
        tally = Tally.from_scores(MATED, NONMATED)
        assert theoretical_cmc(tally, 2, 1)[0] == pytest.approx(float(brute_force.auc(MATED, NONMATED)), abs=3e-16)


def mean_probability_in_decimals(low, high, size, rank):
    """The mean of C(n−1, k−1) p^(k−1) (1 − p)^(n−k) over p from low to high, for small k, in eighty digits."""
    with localcontext() as context:
        context.prec = 80
        low, high = Decimal(low), Decimal(high)

        def tail(p):  # P(Binomial(n, p) ≥ k)
            term, below = (1 - p) ** size, Decimal(0)
            for k in range(rank):
                below += term
                term *= Decimal(size - k) / Decimal(k + 1) * p / (1 - p)
            return 1 - below

        if low == high:
            probability = (1 - low) ** (size - 1)
            for k in range(rank - 1):
                probability *= Decimal(size - 1 - k) / Decimal(k + 1) * low / (1 - low)
            return probability
        return (tail(high) - tail(low)) / (size * (high - low))


class TestLargeGalleries:
    @pytest.mark.parametrize("size", [10**3, 10**6, 10**9])
    @pytest.mark.parametrize("rank", [1, 2, 5, 30])
    @pytest.mark.parametrize(("above", "tied"), [(5, 0), (5, 1), (0, 3), (400, 2000), (3000, 1), (0, 90_000)])
    def test_a_single_probability_keeps_its_digits_however_small(self, size, rank, above, tied):
        total = 10**5
        tally = Tally.from_counts([1.0, 2.0, 3.0], [0, 1, 0], [total - above - tied, tied, above])
        expected = mean_probability_in_decimals(above / total, (above + tied) / total, size, rank)
        got = theoretical_rank_probabilities(tally, size, rank)[0]
        if expected < Decimal("1e-300"):
            assert got <= 1e-299
        else:
            assert got == pytest.approx(float(expected), rel=1e-11)

    @pytest.mark.parametrize("size", [10, 200, 2000])
    def test_the_curve_is_the_sum_of_the_probabilities(self, size):
        rng = np.random.default_rng(size)
        tally = Tally.from_scores(np.round(rng.normal(2, 1, 60), 1), np.round(rng.normal(0, 1, 4000), 1))
        probabilities = theoretical_rank_probabilities(tally, size)
        assert probabilities.sum() == pytest.approx(1, abs=1e-12)
        np.testing.assert_allclose(theoretical_cmc(tally, size), np.cumsum(probabilities), rtol=0, atol=1e-12)

    def test_a_thousand_million_identities(self):
        rng = np.random.default_rng(1)
        tally = Tally.from_scores(rng.normal(4, 1, 2000), rng.normal(0, 1, 100_000))
        ranks = [1, 10, 10**4, 10**6, 10**8, 10**9]
        rates = theoretical_cmc(tally, 10**9, ranks)
        assert np.isfinite(rates).all()
        assert np.all(np.diff(rates) >= 0)
        assert rates[-1] == 1
        # The smallest FAR but 0 is 1e-5, at which ten thousand rivals are expected.
        assert rates[0] == pytest.approx(np.mean(tally_far(tally) == 0), abs=1e-14)
        # Rivals number 1e9, so a mate ranks within 1e8 if and nearly only if its FAR is below a tenth.
        assert rates[4] == pytest.approx(np.mean(tally_far(tally) < 0.1), abs=1e-3)


def tally_far(tally):
    return np.repeat(tally.nonmated_at_or_above / tally.n_nonmated, tally.mated)


class TestNarrow:
    def test_equations_15_and_17_by_hand(self):
        """Mated scores 2 and 4: x̂ = 3; 1 of 4 non-mated above; m = 3."""
        tally = Tally.from_scores([2.0, 4.0], [5.0, 1.0, 0.0, 2.5])
        assert narrow_rank_probabilities(tally, 3) == pytest.approx([0.5625, 0.375, 0.0625], rel=1e-14)
        assert narrow_cmc(tally, 3) == pytest.approx([0.5625, 0.9375, 1.0], rel=1e-14)

    @pytest.mark.parametrize(
        ("ties", "first"), [("optimistic", 9 / 16), ("pessimistic", 1 / 16), ("expected", 13 / 48)]
    )
    def test_a_mean_that_equals_non_mated_scores_follows_the_rule_for_ties(self, ties, first):
        """FAR is 1/4, 3/4 or uniform between: ∫(1 − p)² dp over half a unit, doubled, is 2·(27 − 1)/192."""
        tally = Tally.from_scores([2.0, 4.0], [5.0, 3.0, 3.0, 0.0])
        assert narrow_cmc(tally, 3, 1, ties=ties)[0] == pytest.approx(first, rel=1e-13)

    def test_it_is_exact_where_all_mated_scores_are_equal(self):
        tally = Tally.from_scores([0.1] * 7, [0.1, 0.2, 0.3, 0.0, -0.1])
        assert narrow_cmc(tally, 50).tolist() == theoretical_cmc(tally, 50).tolist()

    def test_an_infinite_mated_score_has_no_mean(self):
        with pytest.raises(MatedError, match="a mated score is infinite"):
            narrow_cmc(Tally.from_scores([math.inf, 1.0], [0.0]), 10)


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        "function", [theoretical_cmc, theoretical_rank_probabilities, narrow_cmc, narrow_rank_probabilities]
    )
    def test_each_function_says_so(self, function):
        tally = Tally.from_scores([1.0], [0.0])
        with pytest.raises(MatedError, match="a gallery size is a whole number from 2"):
            function(tally, 1)
        with pytest.raises(MatedError, match="a rank is a whole number from 1 to 5"):
            function(tally, 5, 6)
        with pytest.raises(MatedError, match="too many ranks"):
            function(tally, 10**9)
        with pytest.raises(MatedError, match="ties must be"):
            function(tally, 5, ties="random")
        with pytest.raises(MatedError, match="there are 1 and 0"):
            function(Tally.from_scores([1.0], []), 5)
