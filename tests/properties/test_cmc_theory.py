"""Laws of the CMC that verification predicts, on random ROCs and scores."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import brute_force
from mated.identification.bolle import theoretical_cmc, theoretical_rank_probabilities
from mated.identification.convergence import area_relation
from mated.identification.roc_to_cmc import cmc_of_roc, cmc_of_rocs, global_roc
from mated.identification.step import hypergeometric_cmc, step_cmc, step_cmcs
from mated.scores import Comparisons, SubjectTallies, Tally
from mated.verification import RocFunction, area_under_roc, average_roc, individual_rocs
from mated.verification.hull import roc_hull
from strategies import any_pair, integers

sizes = st.integers(2, 60)
large_sizes = st.sampled_from([2, 3, 10, 1000, 10**6, 10**9])
rates = st.floats(0, 1, exclude_min=True, exclude_max=True, allow_subnormal=False)
small_rates = st.floats(-12, 0).map(lambda x: 10.0**x).filter(lambda x: x < 1)


@st.composite
def rocs(draw):
    """Piecewise linear, from (0, anything) to (1, 1), corners anywhere and as close as floats go."""
    fmr = sorted(set(draw(st.lists(st.one_of(rates, small_rates), max_size=12))))
    tmr = sorted(draw(st.lists(st.floats(0, 1), min_size=len(fmr) + 1, max_size=len(fmr) + 1)))
    return RocFunction(np.array([0.0, *fmr, 1.0]), np.array([*tmr, 1.0]))


def exactly(roc, n, r):
    """ρ(0) + Σ slope · Δ E[min(Binomial(n, α), r)]/n in fractions."""

    def capped(x):  # r − E[(r − X)₊]
        return r - sum((r - k) * math.comb(n, k) * x**k * (1 - x) ** (n - k) for k in range(r))

    fmr, tmr = [Fraction(x) for x in roc.fmr.tolist()], [Fraction(y) for y in roc.tmr.tolist()]
    total = tmr[0]
    for i in range(1, len(fmr)):
        total += (tmr[i] - tmr[i - 1]) / (fmr[i] - fmr[i - 1]) * (capped(fmr[i]) - capped(fmr[i - 1])) / n
    return total


@given(rocs(), st.integers(2, 12), st.data())
def test_the_closed_form_is_exact(roc, n, data):
    r = data.draw(st.integers(1, n - 1))
    assert abs(cmc_of_roc(roc, n, r)[0] - float(exactly(roc, n, r))) < 1e-12


@given(rocs(), large_sizes)
def test_a_cmc_never_falls_with_rank_and_never_rises_with_the_gallery(roc, n):
    ranks = [r for r in (1, 2, 3, 10, 500, 999, 10**5, 10**8) if r < n] + [n]
    curve = cmc_of_roc(roc, n, ranks)
    assert np.all((curve >= 0) & (curve <= 1))
    assert np.all(np.diff(curve) >= 0)
    assert curve[-1] == 1
    assert np.all(cmc_of_roc(roc, n + 1, ranks[:-1]) <= curve[:-1] + 1e-12)


@given(rocs(), sizes)
def test_the_area_relation_holds(roc, n):
    left, right = area_relation(roc, n)
    assert abs(left - right) < 1e-12


@given(rocs(), rocs(), sizes)
def test_a_higher_roc_has_a_higher_cmc(one, other, n):
    corners = np.union1d(one.fmr, other.fmr)
    higher = RocFunction(corners, np.maximum(one(corners), other(corners)))
    assert np.all(cmc_of_roc(higher, n) >= cmc_of_roc(one, n) - 1e-12)


def hull_roc(tally):
    hull = roc_hull(tally)
    fmr = np.cumsum(hull.nonmated[::-1]) / tally.n_nonmated
    tmr = np.cumsum(hull.mated[::-1]) / tally.n_mated
    last = np.append(np.diff(fmr) > 0, True)  # at equal FMR the highest
    fmr, tmr = fmr[last], tmr[last]
    return RocFunction(fmr, tmr) if fmr[0] == 0 else RocFunction(np.append(0.0, fmr), np.append(0.0, tmr))


@given(any_pair, sizes)
def test_the_cmc_lies_below_a_concave_roc(scores, n):
    roc = hull_roc(Tally.from_scores(*scores))
    slopes = np.diff(roc.tmr) / np.diff(roc.fmr)
    assert np.all(np.diff(slopes) <= 1e-9)
    ranks = np.arange(1, n)
    assert np.all(cmc_of_roc(roc, n, ranks) <= roc(ranks / n) + 1e-13)


@given(any_pair)
def test_the_global_roc_is_that_of_the_equations(scores):
    mated, nonmated = scores
    roc = global_roc(Tally.from_scores(mated, nonmated))
    corners = [(float(x), float(y)) for x, y in brute_force.individual_roc(mated, nonmated)]
    assert list(zip(roc.fmr.tolist(), roc.tmr.tolist(), strict=True)) == corners


@given(any_pair, st.integers(2, 30))
def test_the_theoretical_cmc_is_the_sum_of_its_probabilities_and_ties_only_move_it_between_two_ends(scores, n):
    tally = Tally.from_scores(*scores)
    curves = {ties: theoretical_cmc(tally, n, ties=ties) for ties in ("pessimistic", "expected", "optimistic")}
    for ties, curve in curves.items():
        probabilities = theoretical_rank_probabilities(tally, n, ties=ties)
        np.testing.assert_allclose(np.cumsum(probabilities), curve, rtol=0, atol=1e-13)
    assert np.all(curves["pessimistic"] <= curves["expected"] + 1e-14)
    assert np.all(curves["expected"] <= curves["optimistic"] + 1e-14)
    # Bolle et al. (2005), Eq. 10.
    assert abs(theoretical_cmc(tally, 2, 1)[0] - area_under_roc(tally)) < 1e-15


comparisons = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), integers), min_size=1, max_size=40)


def tallies_of(rows):
    probe, reference, score = zip(*rows, strict=True)
    data = Comparisons.from_arrays(score, probe_subject=probe, reference_subject=reference)
    tallies = SubjectTallies.of(data, "yes")
    return tallies if len(tallies.subjects) else None


@given(comparisons, sizes)
def test_predictions_from_subjects_agree_where_they_must(rows, n):
    tallies = tallies_of(rows)
    if tallies is None:
        return
    found = individual_rocs(tallies)
    lines = cmc_of_rocs(found, n)
    np.testing.assert_allclose(lines.mean(axis=0), cmc_of_roc(average_roc(found), n), rtol=0, atol=1e-12)
    steps = step_cmcs(tallies, n)
    np.testing.assert_allclose(steps.mean(axis=0), step_cmc(tallies, n), rtol=0, atol=1e-14)
    assert np.all(lines >= step_cmcs(tallies, n, ties="pessimistic") - 1e-13)
    # One rival is one draw, with or without replacement.
    np.testing.assert_allclose(hypergeometric_cmc(tallies, 2), step_cmc(tallies, 2), rtol=0, atol=1e-14)
