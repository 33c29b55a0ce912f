"""How the CMC comes to the ROC, against quadrature, closed forms and Veldhuis & Raja (2023)."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import hyp1f1
from scipy.stats import beta

from mated.errors import MatedError
from mated.identification.convergence import ExponentialRoc, area_relation, cmc_of_function, convergence
from mated.identification.roc_to_cmc import cmc_of_roc
from mated.verification import RocFunction

FIGURE_2 = ExponentialRoc(50)


def cmc_by_quadrature(roc, n, r):
    density = beta(r, n - r)
    cuts = np.unique(np.clip([0.0, *(r / n + density.std() * np.arange(-15, 61, 3)), 1.0], 0, 1))
    pieces = [
        quad(lambda x: float(roc(x)) * density.pdf(x), lo, hi, epsabs=1e-14, epsrel=1e-12)[0]
        for lo, hi in itertools.pairwise(cuts)
    ]
    return math.fsum(pieces)


class TestExponentialRoc:
    def test_it_is_the_function_of_figure_2(self):
        assert FIGURE_2(0.0) == 0
        assert FIGURE_2(1.0) == 1
        assert FIGURE_2(0.02) == pytest.approx((1 - math.exp(-1)) / (1 - math.exp(-50)), rel=1e-15)

    @pytest.mark.parametrize("rate", [0.001, 0.5, 50.0, 5000.0])
    def test_area_and_second_derivative_are_those_of_the_function(self, rate):
        roc = ExponentialRoc(rate)
        scale = min(1.0, 1 / rate)
        area = quad(roc, 0, min(1.0, 20 * scale))[0] + quad(roc, min(1.0, 20 * scale), 1)[0]
        assert roc.area == pytest.approx(area, abs=1e-10)
        x, h = 0.3 * scale, 1e-3 * scale
        assert roc.second_derivative(x) == pytest.approx((roc(x + h) - 2 * roc(x) + roc(x - h)) / h**2, rel=1e-3)

    @pytest.mark.parametrize("n", [2, 30, 1000])
    def test_its_cmc_is_the_integral(self, n):
        for r in sorted({1, 2, n // 3 + 1, n - 1} & set(range(1, n))):
            assert FIGURE_2.cmc(n, r)[0] == pytest.approx(cmc_by_quadrature(FIGURE_2, n, r), abs=1e-12)

    def test_its_cmc_is_kummers_function(self):
        ranks = np.arange(1, 30)
        expected = (1 - hyp1f1(ranks, 30, -50)) / (1 - math.exp(-50))
        np.testing.assert_allclose(FIGURE_2.cmc(30, ranks), expected, rtol=0, atol=1e-13)

    def test_its_cmc_for_two_identities_by_hand(self):
        """r = 1, n = 2: the mean of ρ over [0, 1]."""
        assert FIGURE_2.cmc(2).tolist() == pytest.approx([FIGURE_2.area, 1.0], abs=1e-15)

    def test_a_fine_piecewise_linear_copy_has_the_same_cmc(self):
        fmr = np.linspace(0, 1, 200_001)
        copy = RocFunction(fmr, np.append(FIGURE_2(fmr[:-1]), 1.0))
        np.testing.assert_allclose(cmc_of_roc(copy, 120), FIGURE_2.cmc(120), rtol=0, atol=50**2 / 8 / 200_000**2 * 1.01)

    @pytest.mark.parametrize("rate", [0, -1, math.inf, math.nan, 10**5])
    def test_a_rate_out_of_range_is_refused(self, rate):
        with pytest.raises(MatedError, match="the rate of an exponential ROC"):
            ExponentialRoc(rate)


class TestSmoothFunctions:
    @pytest.mark.parametrize("n", [2, 3, 30, 120, 1000, 10_000])
    def test_the_exponential_roc_is_integrated_to_ten_digits(self, n):
        np.testing.assert_allclose(cmc_of_function(FIGURE_2, n), FIGURE_2.cmc(n), rtol=0, atol=1e-12)

    @pytest.mark.parametrize("n", [2, 5, 40])
    def test_a_polynomial_is_exact(self, n):
        """ρ = 2α − α²: E α = r/n and E α² = r(r + 1)/(n(n + 1))."""
        expected = [float(2 * Fraction(r, n) - Fraction(r * (r + 1), n * (n + 1))) for r in range(1, n)]
        np.testing.assert_allclose(cmc_of_function(lambda x: 2 * x - x**2, n), [*expected, 1], rtol=0, atol=1e-14)

    def test_a_thousand_million_identities(self):
        ranks = [1, 1000, 10**7, 10**9 - 1, 10**9]
        np.testing.assert_allclose(cmc_of_function(FIGURE_2, 10**9, ranks), FIGURE_2.cmc(10**9, ranks), atol=1e-12)

    def test_a_roc_with_a_corner_is_refused(self):
        with pytest.raises(MatedError, match="not smooth enough"):
            cmc_of_function(lambda x: np.minimum(3 * x, 1), 10)


class TestTheorem2:
    def test_the_difference_falls_as_one_over_n_and_keeps_below_equation_43(self):
        found = convergence(FIGURE_2, [1000, 2000, 4000, 8000])
        assert found.curvature == pytest.approx(2500, rel=1e-12)
        assert found.within_bound
        assert np.all(found.largest < found.bound)
        assert found.rate == pytest.approx(-1, abs=0.03)
        assert found.rate_at_fraction[0] == pytest.approx(-1, abs=0.03)

    def test_the_bound_is_equation_43_by_hand(self):
        """n = 30: 2500/2/31 · ½ · ½ at r = 15."""
        assert convergence(FIGURE_2, [30]).bound == pytest.approx([2500 / 2 / 31 / 4], rel=1e-12)

    def test_the_difference_is_nearly_the_second_term_of_taylors_series(self):
        """ρ″(r/n)/2 · variance, to a few per cent at n = 20,000."""
        n, r = 20_000, 400
        found = convergence(FIGURE_2, [n], fractions=[r / n])
        leading = abs(FIGURE_2.second_derivative(r / n)) / 2 * (r / n) * (1 - r / n) / (n + 1)
        assert found.at_fraction[0, 0] == pytest.approx(leading, rel=0.01)

    def test_figure_2_approaches_from_below(self):
        for n in (30, 60, 120):
            ranks = np.arange(1, n)
            below = FIGURE_2(ranks / n) - FIGURE_2.cmc(n, ranks)
            assert np.all(below >= -1e-15)  # both are 1 but for rounding towards the end
            assert np.all(below[: n // 3] > 0)

    def test_a_corner_slows_it_to_the_root_of_n(self):
        """The mean of |α − r/n| over the kernel: slope change · √(f(1 − f)/(2πn)) at the corner."""
        roc = RocFunction(np.array([0.0, 0.2, 1.0]), np.array([0.0, 0.9, 1.0]))
        found = convergence(roc, [500, 2000, 8000], fractions=[0.2])
        assert found.rate == pytest.approx(-0.5, abs=0.01)
        assert found.bound is None
        assert found.within_bound is None
        change = 0.9 / 0.2 - 0.1 / 0.8
        assert found.at_fraction[:, 0] == pytest.approx(
            change * np.sqrt(0.2 * 0.8 / (2 * np.pi * found.gallery_sizes)), rel=0.01
        )
        assert found.at_rank.tolist() == [100, 400, 1600]

    def test_any_smooth_function_will_do_with_its_second_derivative(self):
        found = convergence(lambda x: 2 * x - x**2, [10, 100], second_derivative=lambda x: -2 + 0 * x)
        # E α² − (r/n)² is the variance itself, so the bound is met with equality.
        np.testing.assert_allclose(found.largest, found.bound, rtol=1e-9)
        assert found.within_bound

    def test_a_wrong_second_derivative_is_found_out(self):
        found = convergence(lambda x: 2 * x - x**2, [10, 100], second_derivative=lambda x: -1.9 + 0 * x)
        assert not found.within_bound

    def test_a_peak_of_the_second_derivative_between_grid_points_is_found(self):
        found = convergence(
            lambda x: x, [10], second_derivative=lambda x: np.exp(-(((np.asarray(x) - 0.123456) / 1e-4) ** 2))
        )
        assert found.curvature == pytest.approx(1, abs=1e-6)

    def test_rates_need_two_sizes_and_a_difference(self):
        assert math.isnan(convergence(FIGURE_2, [30]).rate)
        line = RocFunction(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
        assert convergence(line, [30, 60]).largest.max() < 1e-15

    @pytest.mark.parametrize("sizes", [[], [1, 10], [10**6]])
    def test_sizes_out_of_range_are_refused(self, sizes):
        with pytest.raises(MatedError, match="galler"):
            convergence(FIGURE_2, sizes)

    @pytest.mark.parametrize("fraction", [0, 1, -0.5, math.nan])
    def test_fractions_out_of_range_are_refused(self, fraction):
        with pytest.raises(MatedError, match="a fractional rank"):
            convergence(FIGURE_2, [10], fractions=[fraction])

    def test_a_second_derivative_without_bound_is_refused(self):
        with pytest.raises(MatedError, match="not finite"), np.errstate(divide="ignore"):
            convergence(lambda x: x, [10], second_derivative=lambda x: 1 / np.asarray(x))


class TestCorollary2:
    @pytest.mark.parametrize("n", [2, 30, 1000, 50_000])
    def test_both_sides_are_equal(self, n):
        for roc in (FIGURE_2, RocFunction(np.array([0.0, 0.001, 0.2, 1.0]), np.array([0.3, 0.6, 0.95, 1.0]))):
            relation = area_relation(roc, n)
            assert relation.cmc == pytest.approx(relation.roc, abs=1e-12)

    def test_other_functions_and_larger_galleries_are_refused(self):
        with pytest.raises(MatedError, match="whose area is exact"):
            area_relation(lambda x: x, 10)
        with pytest.raises(MatedError, match="up to 100000"):
            area_relation(FIGURE_2, 10**6)
