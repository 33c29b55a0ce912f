"""The CMC of a ROC against exact polynomials, adaptive quadrature, and sums in sixty digits."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import betainc
from scipy.stats import beta

import brute_force
from mated.errors import MatedError
from mated.identification.roc_to_cmc import cmc_of_roc, cmc_of_rocs, global_roc
from mated.scores import SubjectTallies, Tally
from mated.synthetic import GaussianIdentities
from mated.verification import IndividualRocs, RocFunction, average_roc, individual_rocs


def random_roc(rng, corners=12, smallest=-4.0, jump=True):
    fmr = np.unique(np.concatenate([[0.0], 10 ** rng.uniform(smallest, 0, corners), [1.0]]))
    tmr = np.sort(rng.random(len(fmr)))
    tmr[0] *= jump
    tmr[-1] = 1.0
    return RocFunction(fmr, tmr)


def integral_by_polynomials(fmr, tmr, n, r):
    """∫ρ(α)β(α; r, n−r)dα, every power of α integrated for itself in exact fractions."""
    if r == n:
        return Fraction(1)
    corners = [(Fraction(x), Fraction(y)) for x, y in zip(fmr.tolist(), tmr.tolist(), strict=True)]
    scale = math.factorial(n - 1) // (math.factorial(r - 1) * math.factorial(n - r - 1))
    total = Fraction(0)
    for (x0, y0), (x1, y1) in itertools.pairwise(corners):
        b = (y1 - y0) / (x1 - x0)
        a = y0 - b * x0
        for j in range(n - r):
            sign = (-1) ** j * math.comb(n - r - 1, j)
            for coefficient, power in ((a, r + j), (b, r + j + 1)):
                total += sign * coefficient * (x1**power - x0**power) / power
    return scale * total


def integral_by_quadrature(roc, n, r):
    density = beta(r, n - r)
    spread = density.std()
    cuts = np.union1d(roc.fmr, np.clip(r / n + spread * np.arange(-12, 13, 3), 0, 1))
    pieces = [
        quad(lambda x: roc(x) * density.pdf(x), lo, hi, epsabs=1e-14, epsrel=1e-12, limit=200)[0]
        for lo, hi in itertools.pairwise(cuts)
    ]
    return math.fsum(pieces)


def cmc_in_sixty_digits(fmr, tmr, n, r):
    """ρ(0) + Σ slope·Δ E[min(Binomial(n, α), r)]/n, in decimals; for small ranks of any gallery."""
    with localcontext() as context:
        context.prec = 60

        def capped_mean(x):
            x = Decimal(x)
            if x == 1:
                return Decimal(r)
            probability, reached = (1 - x) ** n, Decimal(0)
            for k in range(r):
                reached += probability * (r - k)
                probability *= Decimal(n - k) / Decimal(k + 1) * x / (1 - x)
            return r - reached

        total = Decimal(float(tmr[0]))
        for i in range(1, len(fmr)):
            slope = (Decimal(float(tmr[i])) - Decimal(float(tmr[i - 1]))) / (
                Decimal(float(fmr[i])) - Decimal(float(fmr[i - 1]))
            )
            total += slope * (capped_mean(float(fmr[i])) - capped_mean(float(fmr[i - 1]))) / n
        return float(total)


class TestAgainstTheIntegral:
    @pytest.mark.parametrize("n", [2, 3, 4, 7, 20])
    def test_small_galleries_equal_exact_polynomials_at_every_rank(self, n):
        roc = random_roc(np.random.default_rng(n), corners=6, smallest=-2)
        exact = [float(integral_by_polynomials(roc.fmr, roc.tmr, n, r)) for r in range(1, n + 1)]
        np.testing.assert_allclose(cmc_of_roc(roc, n), exact, rtol=0, atol=1e-14)

    @pytest.mark.parametrize("n", [2, 10, 100, 1000, 10_000])
    def test_adaptive_quadrature_agrees_to_ten_digits(self, n):
        roc = random_roc(np.random.default_rng(n), corners=10)
        ranks = np.unique(np.clip([1, 2, 3, n // 20, n // 4, n // 2, n - n // 10, n - 2, n - 1], 1, n - 1))
        expected = [integral_by_quadrature(roc, n, r) for r in ranks]
        np.testing.assert_allclose(cmc_of_roc(roc, n, ranks), expected, rtol=0, atol=1e-10)

    @pytest.mark.parametrize("n", [10**4, 10**6, 10**9])
    @pytest.mark.parametrize("r", [1, 2, 7, 40])
    def test_large_galleries_agree_with_sixty_digits(self, n, r):
        roc = random_roc(np.random.default_rng(r), corners=60, smallest=-12)
        expected = cmc_in_sixty_digits(roc.fmr, roc.tmr, n, r)
        assert cmc_of_roc(roc, n, r)[0] == pytest.approx(expected, abs=1e-13)

    @pytest.mark.parametrize(
        ("n", "ranks"), [(10**4, [300, 9000]), (10**6, [10**4, 999_000]), (10**9, [10**6, 4 * 10**8])]
    )
    def test_ranks_far_inside_agree_with_the_incomplete_beta_function(self, n, ranks):
        """On a piece a + bα: a·ΔI(r, n − r) + b·(r/n)·ΔI(r + 1, n − r); the pieces are wide, so it does not cancel."""
        fmr, tmr = np.array([0.0, 0.001, 0.02, 0.3, 0.6, 1.0]), np.array([0.2, 0.5, 0.7, 0.8, 0.95, 1.0])
        slope = np.diff(tmr) / np.diff(fmr)
        start = tmr[:-1] - slope * fmr[:-1]
        for r in ranks:
            expected = np.dot(start, np.diff(betainc(r, n - r, fmr)))
            expected += np.dot(slope, np.diff(betainc(r + 1, n - r, fmr))) * r / n
            assert cmc_of_roc(RocFunction(fmr, tmr), n, r)[0] == pytest.approx(expected, abs=1e-12)

    def test_corners_closer_than_rounding_do_no_harm(self):
        """A corner a few floats from the next is as if it were one; slopes there reach 1e15."""
        x = 0.0123
        near = [x, float(np.nextafter(x, 1)), x * (1 + 1e-14), x * (1 + 1e-11), x * (1 + 1e-8)]
        fmr, tmr = np.array([0.0, *near, 1.0]), np.array([0.1, 0.3, 0.4, 0.5, 0.6, 0.7, 1.0])
        for n, r in ((100, 1), (100, 3), (10**6, 40)):
            expected = cmc_in_sixty_digits(fmr, tmr, n, r)
            assert cmc_of_roc(RocFunction(fmr, tmr), n, r)[0] == pytest.approx(expected, abs=1e-13)

    def test_a_jump_inside_is_the_limit_of_a_steep_piece(self):
        jump = RocFunction(np.array([0.0, 0.2, 0.2, 1.0]), np.array([0.0, 0.3, 0.8, 1.0]))
        steep = RocFunction(np.array([0.0, 0.2, 0.2 + 1e-12, 1.0]), np.array([0.0, 0.3, 0.8, 1.0]))
        np.testing.assert_allclose(cmc_of_roc(jump, 30), cmc_of_roc(steep, 30), atol=1e-10)


class TestLaws:
    @pytest.mark.parametrize("n", [2, 5, 100, 3000, 10_000])
    def test_the_area_under_the_cmc_is_that_of_corollary_2(self, n):
        roc = random_roc(np.random.default_rng(n), corners=200)
        assert cmc_of_roc(roc, n).mean() == pytest.approx((1 - 1 / n) * roc.area + 1 / n, abs=1e-12)

    def test_chance_finds_the_mate_in_proportion_to_the_list(self):
        """ρ(α) = α: every order is as likely, so cmc(r) = r/n."""
        chance = RocFunction(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
        np.testing.assert_allclose(cmc_of_roc(chance, 500), np.arange(1, 501) / 500, atol=1e-14)
        assert cmc_of_roc(chance, 10**9, [10**8, 5 * 10**8, 10**9 - 1]) == pytest.approx(
            [0.1, 0.5, 1 - 1e-9], abs=1e-13
        )

    def test_perfect_separation_is_rank_one_and_the_last_rank_is_certain(self):
        perfect = RocFunction(np.array([0.0, 1.0]), np.array([1.0, 1.0]))
        assert cmc_of_roc(perfect, 10**9, [1, 10, 10**9]).tolist() == [1.0, 1.0, 1.0]
        hopeless = RocFunction(np.array([0.0, 1.0, 1.0]), np.array([0.0, 0.0, 1.0]))
        assert cmc_of_roc(hopeless, 50).tolist() == [0.0] * 49 + [1.0]

    def test_a_million_corners_and_a_thousand_million_identities(self):
        rng = np.random.default_rng(5)
        fmr = np.concatenate([[0.0], np.sort(10 ** rng.uniform(-11, 0, 10**6)), [1.0]])
        tmr = np.concatenate([[0.01], np.sort(rng.uniform(0.01, 1, 10**6)), [1.0]])
        rates = cmc_of_roc(RocFunction(fmr, tmr), 10**9, [1, 2, 10, 100, 10_000, 10**9])
        assert np.isfinite(rates).all()
        assert np.all(np.diff(rates) > 0)
        assert rates[-1] == 1.0
        # At rank 1 the mean over a piece of (1 − α)^(n−1) is a difference of −(1 − α)^n/n.
        capped = -np.expm1(1e9 * np.log1p(-fmr[:-1])) / 1e9
        slopes = np.diff(tmr) / np.diff(fmr)
        assert rates[0] == pytest.approx(tmr[0] + np.dot(slopes, np.diff(capped, append=1e-9)), abs=1e-9)

    def test_ranks_come_back_in_the_order_asked(self):
        roc = random_roc(np.random.default_rng(3))
        every = cmc_of_roc(roc, 40)
        assert cmc_of_roc(roc, 40, [7, 40, 1, 7]).tolist() == every[[6, 39, 0, 6]].tolist()
        assert cmc_of_roc(roc, 1e1).shape == (10,)


@pytest.fixture(scope="module")
def tallies():
    return SubjectTallies.of(GaussianIdentities().draw(30, 6, rng=4).comparisons(decimals=1))


class TestIndividuals:
    @pytest.mark.parametrize("n", [2, 30, 5000])
    def test_every_subject_has_the_cmc_of_its_own_roc(self, tallies, n):
        rocs = individual_rocs(tallies)
        ranks = [1, 2] if n == 2 else [1, 2, 5, n // 3, n]
        expected = [cmc_of_roc(roc, n, ranks) for roc in rocs]
        np.testing.assert_allclose(cmc_of_rocs(rocs, n, ranks), expected, rtol=0, atol=1e-14)

    @pytest.mark.parametrize("n", [2, 30, 5000])
    def test_their_mean_is_the_cmc_of_the_average_roc(self, tallies, n):
        rocs = individual_rocs(tallies)
        mean = cmc_of_rocs(rocs, n).mean(axis=0)
        np.testing.assert_allclose(cmc_of_roc(average_roc(rocs), n), mean, rtol=0, atol=1e-12)

    def test_the_global_roc_of_one_subject_is_its_own(self):
        mated, nonmated = [3.0, 5.0, 5.0, 8.0], [1.0, 5.0, 6.0, 2.0, 2.0]
        roc = global_roc(Tally.from_scores(mated, nonmated))
        expected = [(float(x), float(y)) for x, y in brute_force.individual_roc(mated, nonmated)]
        assert list(zip(roc.fmr.tolist(), roc.tmr.tolist(), strict=True)) == expected


class TestWhatIsRefused:
    roc = RocFunction(np.array([0.0, 1.0]), np.array([0.5, 1.0]))

    @pytest.mark.parametrize("size", [1, 0, -3, 2.5, float("nan"), float("inf"), "many", True, 10**13, None])
    def test_a_gallery_that_is_no_whole_number_of_two_or_more(self, size):
        with pytest.raises(MatedError, match="a gallery size is a whole number from 2"):
            cmc_of_roc(self.roc, size)

    @pytest.mark.parametrize("rank", [0, 11, 1.5, "first"])
    def test_a_rank_that_the_gallery_does_not_have(self, rank):
        with pytest.raises(MatedError, match="a rank is a whole number"):
            cmc_of_roc(self.roc, 10, rank)

    def test_every_rank_of_a_large_gallery(self):
        with pytest.raises(MatedError, match="too many ranks"):
            cmc_of_roc(self.roc, 10**6)

    @pytest.mark.parametrize(
        ("fmr", "tmr"),
        [
            ([0.1, 1.0], [0.0, 1.0]),
            ([0.0, 0.9], [0.0, 1.0]),
            ([0.0, 1.0], [0.0, 0.9]),
            ([0.0, 0.5, 0.4, 1.0], [0.0, 0.1, 0.2, 1.0]),
            ([0.0, 0.5, 1.0], [0.3, 0.2, 1.0]),
            ([0.0, 0.5, 1.0], [-0.1, 0.2, 1.0]),
            ([0.0, np.nan, 1.0], [0.0, 0.2, 1.0]),
            ([0.0], [1.0]),
        ],
    )
    def test_what_is_no_roc(self, fmr, tmr):
        with pytest.raises(MatedError, match="a ROC runs from FMR 0"):
            cmc_of_roc(RocFunction(np.array(fmr), np.array(tmr)), 10)

    def test_individual_rocs_of_which_one_is_none(self):
        rocs = IndividualRocs(
            np.array([0, 1]), np.array([0, 2, 4]), np.array([0.0, 1.0, 0.1, 1.0]), np.array([0.0, 1.0, 0.0, 1.0])
        )
        with pytest.raises(MatedError, match="a ROC runs from FMR 0"):
            cmc_of_rocs(rocs, 10)

    def test_a_global_roc_without_both_classes(self):
        with pytest.raises(MatedError, match="needs mated and non-mated scores"):
            global_roc(Tally.from_scores([1.0], []))
