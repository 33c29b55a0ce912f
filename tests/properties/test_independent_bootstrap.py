"""The bootstrap drawn without resampling has the law of the bootstrap done the plain way.

Tiny samples: every resample is gone through, and each outcome's frequency among the draws must lie within five standard
deviations of its probability (outcomes expected less than ten times are pooled). Larger samples: draws and plain
resamples are compared by their means (five standard errors), standard deviations (five standard errors) and
distribution functions (the Kolmogorov–Smirnov distance that equal laws exceed once in 100,000). Seeds are fixed.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import brute_force
import resampling
from mated.errors import MatedError
from mated.scores import Tally
from mated.uncertainty import bands, independent_eer
from mated.uncertainty.independent import (
    AUC_SCORES,
    draw_at_fmr,
    draw_at_threshold,
    draw_at_tmr,
    draw_auc,
    draw_eer,
)
from mated.uncertainty.replicates import Replicates
from mated.verification import at_fmr, equal_error_rate

INF = math.inf
DRAWS = 20_000

TINY = {
    "one of each": ([2.0], [1.0], 1),
    "one of each, the wrong way round": ([1.0], [3.0], 1),
    "one mated": ([2.0], [1.0, 2.0, 3.0], 1),
    "one non-mated": ([0.0, 1.0, 4.0], [1.0], 1),
    "two of each": ([1.0, 3.0], [0.0, 2.0], 1),
    "all equal": ([5.0] * 3, [5.0] * 3, 1),
    "heavy ties": ([1.0, 1.0, 2.0], [0.0, 1.0, 1.0, 2.0], 1),
    "ties at the ends": ([0.0, 2.0, 2.0], [0.0, 0.0, 2.0], 1),
    "apart": ([7.0, 8.0, 9.0], [1.0, 2.0, 3.0], 1),
    "apart by one unit": ([3.0, 3.0, 4.0], [1.0, 2.0, 2.0], 1),
    "wholly wrong": ([1.0, 2.0], [3.0, 4.0, 4.0], 1),
    "wide gaps": ([0.0, 10.0, 20.0], [5.0, 10.0, 15.0], 1),
    "a unit of a half": ([1.0, 1.5, 3.0], [0.5, 1.0, 2.0, 2.0], 0.5),
    "continuous": ([0.31, 1.7, 2.4], [0.11, 0.8, 1.7, 2.9], "continuous"),
    "continuous and apart": ([1.3, 1.9], [0.2, 0.7, 0.9], "continuous"),
    "infinities": ([0.0, 1.0, INF], [-INF, 0.0, 1.0], "continuous"),
    "infinities among integers": ([-INF, 1.0, INF], [-INF, 0.0, 2.0], 1),
    "only infinities": ([INF, INF], [-INF, INF], "continuous"),
}


def random_tiny(seed):
    """Up to four scores a class out of a few integers, so that ties and neighbours of every kind occur."""
    rng = np.random.default_rng(seed)
    width = int(rng.integers(1, 7))
    mated = rng.integers(0, width + 1, rng.integers(1, 5)) + rng.integers(0, 3)
    nonmated = rng.integers(0, width + 1, rng.integers(1, 5))
    return mated.astype(float).tolist(), nonmated.astype(float).tolist(), (1, "continuous", 0.5)[seed % 3]


def rounded(row):
    return tuple(round(float(value), 9) + 0.0 for value in row)


def assert_law(law, rows):
    """Compare the frequencies of draws with the probabilities of a law, outcome by outcome."""
    expected = Counter()
    for outcome, probability in law.items():
        expected[rounded(outcome)] += float(probability)
    seen = Counter(map(rounded, rows.tolist()))
    assert not set(seen) - set(expected), "an outcome that no resample has"
    size = len(rows)
    rare = [outcome for outcome, probability in expected.items() if size * probability < 10]
    cells = [(expected[outcome], seen[outcome]) for outcome in expected if outcome not in rare]
    cells.append((sum(expected[o] for o in rare), sum(seen[o] for o in rare)))
    for probability, count in cells:
        deviation = math.sqrt(size * probability * max(1 - probability, 0.0))
        # One more for outcomes expected so seldom that their counts are far from normal.
        assert abs(count - size * probability) <= 5 * deviation + 1


def assert_alike(drawn, plain):
    """Compare draws with plain resamples: means, standard deviations and distribution functions."""
    # The last bits may differ, which would tear equal values apart.
    drawn, plain = np.round(drawn, 9), np.round(plain, 9)
    sizes = len(drawn), len(plain)
    share = sum(1 / size for size in sizes)
    pooled = np.concatenate([drawn, plain])
    spread = pooled.std(ddof=1)
    assert abs(drawn.mean() - plain.mean()) <= 5 * spread * math.sqrt(share) + 1e-12
    if spread > 0:
        kurtosis = np.mean((pooled - pooled.mean()) ** 4) / spread**4
        assert abs(math.log(drawn.std(ddof=1) / plain.std(ddof=1))) <= 5 * math.sqrt((kurtosis - 1) / 4 * share)
    places = np.unique(pooled)
    below = [np.searchsorted(np.sort(values), places, side="right") / len(values) for values in (drawn, plain)]
    assert np.abs(below[0] - below[1]).max() <= math.sqrt(math.log(2 / 1e-5) / 2 * share)


# -- tiny samples: the whole law -------------------------------------------------------------------------


@pytest.mark.parametrize("case", TINY.values(), ids=TINY.keys())
@pytest.mark.parametrize("fmrs", [(0.5,), (0.3,), (0.999,), (1e-6, 0.5), (0.6, 0.25, 0.75), (0.1, 0.2, 1 / 3)])
def test_rates_at_fmrs_have_the_joint_law_of_resampling(case, fmrs):
    mated, nonmated, unit = case
    law = resampling.exact_law(mated, nonmated, lambda m, n: resampling.rates_at_fmr(m, n, unit, fmrs))
    tally = Tally.from_scores(mated, nonmated, unit=unit)
    assert_law(law, np.hstack(draw_at_fmr(tally, fmrs, replicates=DRAWS, seed=1)))


@pytest.mark.parametrize("case", TINY.values(), ids=TINY.keys())
def test_rates_at_tmrs_have_the_joint_law_of_resampling(case):
    mated, nonmated, unit = case
    tmrs = (1.0, 0.4, 0.75)
    law = resampling.exact_law(mated, nonmated, lambda m, n: resampling.rates_at_tmr(m, n, unit, tmrs))
    tally = Tally.from_scores(mated, nonmated, unit=unit)
    assert_law(law, np.hstack(draw_at_tmr(tally, tmrs, replicates=DRAWS, seed=2)))


@pytest.mark.parametrize("case", TINY.values(), ids=TINY.keys())
def test_rates_at_thresholds_have_the_joint_law_of_resampling(case):
    mated, nonmated, unit = case
    thresholds = (1.0, 2.5, 0.0, 99.0)
    law = resampling.exact_law(mated, nonmated, lambda m, n: resampling.rates_at_threshold(m, n, unit, thresholds))
    tally = Tally.from_scores(mated, nonmated, unit=unit)
    assert_law(law, np.hstack(draw_at_threshold(tally, thresholds, replicates=DRAWS, seed=3)))


@pytest.mark.parametrize("case", TINY.values(), ids=TINY.keys())
def test_the_area_has_the_law_of_resampling(case):
    mated, nonmated, unit = case
    tally = Tally.from_scores(mated, nonmated, unit=unit)
    law = resampling.exact_law(mated, nonmated, resampling.area)
    assert_law(law, draw_auc(tally, replicates=DRAWS, seed=4)[:, None])


@pytest.mark.parametrize(
    "case", [*TINY.values(), *map(random_tiny, range(30))], ids=[*TINY.keys(), *map(str, range(30))]
)
def test_the_eer_and_its_threshold_have_the_joint_law_of_resampling(case):
    mated, nonmated, unit = case
    tally = Tally.from_scores(mated, nonmated, unit=unit)
    law = resampling.exact_law(mated, nonmated, lambda m, n: resampling.eer_and_threshold(tally, m, n))
    assert_law(law, np.stack(draw_eer(tally, replicates=DRAWS, seed=5), axis=1))


@pytest.mark.parametrize("beyond", [1, 0.999, 5e-324])
def test_the_law_does_not_depend_on_where_the_walk_looks_first(monkeypatch, beyond):
    monkeypatch.setattr(independent_eer, "_BEYOND_LIKELY", beyond)
    mated, nonmated, unit = TINY["wide gaps"]
    tally = Tally.from_scores(mated, nonmated, unit=unit)
    law = resampling.exact_law(mated, nonmated, lambda m, n: resampling.eer_and_threshold(tally, m, n))
    assert_law(law, np.stack(draw_eer(tally, replicates=DRAWS, seed=6), axis=1))


def test_the_eer_of_resampled_integers_runs_over_the_integers_of_the_original_range():
    # The twin reads the definition off every integer; `resampling` reads it off the package's point estimate.
    mated, nonmated = [3.0, 6.0, 6.0], [0.0, 2.0, 5.0]
    every = [float(s) for s in range(7)]

    def twin(m, n):
        value, _, s1, s2 = brute_force.eer_wu2008(m, n, every)
        return float(value), math.floor((s1 + s2) / 2)

    tally = Tally.from_scores(mated, nonmated, unit=1)
    law = resampling.exact_law(mated, nonmated, twin)
    assert law == resampling.exact_law(mated, nonmated, lambda m, n: resampling.eer_and_threshold(tally, m, n))
    assert_law(law, np.stack(draw_eer(tally, replicates=DRAWS, seed=7), axis=1))


def test_the_eer_of_resampled_continuous_scores_needs_their_own_gaps_only():
    mated, nonmated, unit = TINY["continuous"]
    law = resampling.exact_law(
        mated, nonmated, lambda m, n: resampling.eer_and_threshold(Tally.from_scores(m, n, unit=unit), m, n)
    )
    tally = Tally.from_scores(mated, nonmated, unit=unit)
    assert_law(law, np.stack(draw_eer(tally, replicates=DRAWS, seed=8), axis=1))


# -- larger samples: against plain resampling --------------------------------------------------------------


def sample(kind):
    rng = np.random.default_rng(2008)
    mated, nonmated = rng.normal(1.8, 1.2, 150), rng.normal(0, 1, 200)
    if kind == "integers":
        return np.rint(8 * mated), np.rint(8 * nonmated), 1
    if kind == "few integers":
        return np.rint(mated), np.rint(nonmated), 1
    if kind == "decimals":
        return np.round(mated, 2), np.round(nonmated, 2), 0.01
    if kind == "few and many":
        return mated[:30], nonmated, "continuous"
    if kind == "apart":
        return mated[:40] + 9, nonmated[:60], "continuous"
    return mated, nonmated, "continuous"


KINDS = ["integers", "few integers", "decimals", "continuous", "few and many", "apart"]
FMRS = (0.05, 0.001, 0.123)


@pytest.mark.parametrize("kind", KINDS)
def test_rates_at_fmrs_are_distributed_like_those_of_plain_resamples(kind):
    mated, nonmated, unit = sample(kind)
    plain = np.array(
        [
            resampling.rates_at_fmr(m, n, unit, FMRS)
            for m, n in resampling.resamples(mated, nonmated, replicates=1500, seed=1)
        ]
    )
    tally = Tally.from_scores(mated, nonmated, unit=unit)
    drawn = np.hstack(draw_at_fmr(tally, FMRS, replicates=DRAWS, seed=1))
    for column in range(6):
        assert_alike(drawn[:, column], plain[:, column])
    # Sums and differences see the joint law: a covariance is a quarter of the difference of their variances.
    for first, second in ((0, 2), (1, 2), (3, 5), (0, 3)):
        for sign in (1, -1):
            assert_alike(*(table[:, first] + sign * table[:, second] for table in (drawn, plain)))


@pytest.mark.parametrize("kind", KINDS)
def test_eers_are_distributed_like_those_of_plain_resamples(kind):
    mated, nonmated, unit = sample(kind)
    tally = Tally.from_scores(mated, nonmated, unit=unit)
    plain = np.array(
        [
            resampling.eer_and_threshold(tally, m, n)
            for m, n in resampling.resamples(mated, nonmated, replicates=1500, seed=2)
        ]
    )
    drawn = np.stack(draw_eer(tally, replicates=DRAWS, seed=2), axis=1)
    for column in range(2):
        assert_alike(drawn[:, column], plain[:, column])


def test_the_covariance_of_two_rates_is_that_of_plain_resamples():
    mated, nonmated, unit = sample("integers")
    fmrs = (0.05, 0.06)
    plain = np.array(
        [
            resampling.rates_at_fmr(m, n, unit, fmrs)[:2]
            for m, n in resampling.resamples(mated, nonmated, replicates=4000, seed=3)
        ]
    )
    drawn = draw_at_fmr(Tally.from_scores(mated, nonmated, unit=unit), fmrs, replicates=DRAWS, seed=3)[0]
    correlations = [np.corrcoef(table.T)[0, 1] for table in (drawn, plain)]
    assert correlations[0] > 0.8
    # Fisher's transform has standard error √(1/B1 + 1/B2); five of them.
    assert abs(math.atanh(correlations[0]) - math.atanh(correlations[1])) <= 5 * math.sqrt(1 / DRAWS + 1 / 4000)


def test_rates_ascend_and_thresholds_descend_along_a_row():
    mated, nonmated, unit = sample("few integers")
    grid = [0.004, 0.01, 0.0101, 0.1, 0.3, 0.31, 0.9]
    tmr, threshold = draw_at_fmr(Tally.from_scores(mated, nonmated, unit=unit), grid, replicates=3000, seed=4)
    assert (np.diff(tmr, axis=1) >= -1e-15).all()
    assert (np.diff(threshold, axis=1) <= 0).all()


def test_replicates_hold_legitimate_scores_only():
    mated, nonmated, unit = sample("decimals")
    tally = Tally.from_scores(mated, nonmated, unit=unit)
    thresholds = draw_eer(tally, replicates=2000, seed=5)[1]
    assert np.array_equal(np.round(thresholds, 2), thresholds)
    observed = draw_at_fmr(tally, [0.1], replicates=2000, seed=5)[1]
    assert np.isin(observed, tally.scores).all()


# -- any number of comparisons, threads and replicates ----------------------------------------------------------


def draws_of_all(tally, **options):
    return [
        *draw_at_fmr(tally, [0.01, 0.2], **options),
        *draw_at_tmr(tally, [0.9], **options),
        *draw_at_threshold(tally, [1.0, 2.0], **options),
        *draw_eer(tally, **options),
        draw_auc(tally, **options),
    ]


def test_the_same_seed_gives_the_same_numbers_on_any_number_of_threads():
    mated, nonmated, unit = sample("decimals")
    tally = Tally.from_scores(mated, nonmated, unit=unit)
    alone = draws_of_all(tally, replicates=2500, seed=11)
    together = draws_of_all(tally, replicates=2500, seed=11, threads=2)
    other = draws_of_all(tally, replicates=2500, seed=12)
    assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))
    assert not any(np.array_equal(a, b) for a, b in zip(alone, other, strict=True))


def test_more_replicates_keep_the_first_ones():
    mated, nonmated, unit = sample("integers")
    tally = Tally.from_scores(mated, nonmated, unit=unit)
    fewer = draws_of_all(tally, replicates=1200, seed=11)
    more = draws_of_all(tally, replicates=3100, seed=11)
    assert all(np.array_equal(a, b[:1200]) for a, b in zip(fewer, more, strict=True))


def bell_counts(total, centre):
    scores = np.arange(-300, 700)
    density = np.exp(-(((scores - centre) / 100) ** 2) / 2)
    return np.floor(density / density.sum() * total).astype(np.int64)


@pytest.mark.parametrize("sizes", [(10**10, 10**12), (10**12 + 39, 10**12)])
def test_a_million_million_comparisons_have_the_normal_spread_of_theory(sizes):
    # Binormal, d′ = 3: the EER varies by ½√(p(1−p)(1/N_G + 1/N_I)); TMR at f by TMR(1−TMR)/N_G + slope²·f(1−f)/N_I.
    tally = Tally.from_counts(np.arange(-300, 700), bell_counts(sizes[0], 300), bell_counts(sizes[1], 0))
    n_mated, n_nonmated = tally.n_mated, tally.n_nonmated
    eer = Replicates(draw_eer(tally, replicates=4000, seed=1)[0], equal_error_rate(tally).value)
    p = ndtr(-1.5)
    expected = math.sqrt(p * (1 - p) * (1 / n_mated + 1 / n_nonmated)) / 2
    # Spreads of 4000 draws are known to 1.1 %, and the integers' steps bend the curve a little.
    assert eer.standard_error == pytest.approx(expected, rel=0.08)
    assert abs(eer.values.mean() - eer.estimate) <= 5 * eer.standard_error / math.sqrt(4000)
    f = 0.01
    tmr = Replicates(draw_at_fmr(tally, [f], replicates=4000, seed=1)[0][:, 0], at_fmr(tally, f).tmr)
    rate, slope = ndtr(3 + ndtri(f)), math.exp((ndtri(f) ** 2 - (3 + ndtri(f)) ** 2) / 2)
    expected = math.sqrt(rate * (1 - rate) / n_mated + slope**2 * f * (1 - f) / n_nonmated)
    assert tmr.standard_error == pytest.approx(expected, rel=0.08)
    assert abs(tmr.values.mean() - tmr.estimate) <= 5 * tmr.standard_error / math.sqrt(4000)


@pytest.mark.parametrize("kind", ["few integers", "continuous"])
def test_products_too_large_for_64_bits_change_nothing(monkeypatch, kind):
    mated, nonmated, unit = sample(kind)
    tally = Tally.from_scores(mated, nonmated, unit=unit)
    usual = draw_eer(tally, replicates=2000, seed=3)
    monkeypatch.setattr(independent_eer, "_LARGEST", 0)
    assert np.array_equal(usual, draw_eer(tally, replicates=2000, seed=3))


def test_thresholds_come_as_inner_similarities_of_dissimilarity_scores():
    mated, nonmated, unit = sample("integers")
    similar = Tally.from_scores(mated, nonmated, unit=unit)
    different = Tally.from_scores(-mated, -nonmated, unit=unit, dissimilarity=True)
    for draw in (draw_eer, lambda tally, **options: draw_at_fmr(tally, [0.01], **options)):
        pairs = zip(*(draw(t, replicates=2000, seed=9) for t in (similar, different)), strict=True)
        assert all(np.array_equal(a, b) for a, b in pairs)
    at = [draw_at_threshold(t, [x], replicates=2000, seed=9) for t, x in ((similar, 5), (different, -5))]
    assert np.array_equal(at[0], at[1])


def test_single_precision_scores_give_single_precision_thresholds():
    mated, nonmated, _ = sample("continuous")
    tally = Tally.from_scores(mated.astype(np.float32), nonmated.astype(np.float32))
    for _, threshold in (
        draw_eer(tally, replicates=1000, seed=1),
        draw_at_fmr(tally, [0.05], replicates=1000, seed=1),
    ):
        assert threshold.dtype == np.float64
        assert np.array_equal(threshold, threshold.astype(np.float32))


def test_what_cannot_be_drawn_is_refused():
    tally = Tally.from_scores([1.0, 2.0], [0.0, 1.0])
    with pytest.raises(MatedError, match="a false match rate must lie between 0 and 1"):
        draw_at_fmr(tally, [0.0], replicates=10, seed=1)
    with pytest.raises(MatedError, match="at least 2 bootstrap replicates"):
        draw_eer(tally, replicates=1, seed=1)
    with pytest.raises(MatedError, match="a threshold must be a number"):
        draw_at_threshold(tally, [math.nan], replicates=10, seed=1)
    many = Tally.from_scores([0.5], np.arange(AUC_SCORES))
    with pytest.raises(MatedError, match="DeLong"):
        draw_auc(many, replicates=10, seed=1)


# -- bands --------------------------------------------------------------------------------------------------


def _drawn(tally, grid, replicates, seed):
    ascending = sorted(grid)
    tmr = np.array([at_fmr(tally, f).tmr for f in ascending])
    return ascending, tmr, draw_at_fmr(tally, ascending, replicates=replicates, seed=seed)[0]


def pointwise_band(tally, grid, *, level, replicates, seed):
    return bands.pointwise_band(*_drawn(tally, grid, replicates, seed), level)


def simultaneous_band(tally, grid, *, level, replicates, seed):
    return bands.simultaneous_band(*_drawn(tally, grid, replicates, seed), level, trials=tally.n_mated)


def test_the_pointwise_band_holds_the_percentile_intervals_of_its_points():
    mated, nonmated, unit = sample("integers")
    tally = Tally.from_scores(mated, nonmated, unit=unit)
    band = pointwise_band(tally, [0.2, 0.05], level=0.9, replicates=1500, seed=3)
    drawn = draw_at_fmr(tally, [0.05, 0.2], replicates=1500, seed=3)[0]
    assert band.fmr.tolist() == [0.05, 0.2]
    assert band.tmr.tolist() == [at_fmr(tally, f).tmr for f in (0.05, 0.2)]
    for column in range(2):
        interval = Replicates(drawn[:, column], 0.0).percentile_interval(0.9)
        assert (band.low[column], band.high[column]) == interval


def test_the_simultaneous_band_holds_the_stated_share_of_replicate_curves_and_the_pointwise_band():
    mated, nonmated, unit = sample("continuous")
    tally = Tally.from_scores(mated, nonmated, unit=unit)
    grid = [0.03, 0.05, 0.1, 0.2, 0.4]
    band = simultaneous_band(tally, grid, level=0.9, replicates=2000, seed=3)
    point = pointwise_band(tally, grid, level=0.9, replicates=2000, seed=3)
    drawn = draw_at_fmr(tally, grid, replicates=2000, seed=3)[0]
    assert ((band.low <= drawn) & (drawn <= band.high)).all(axis=1).mean() >= 0.9
    assert (band.low <= point.low).all()
    assert (point.high <= band.high).all()
    for ends in (band.low, band.high):
        assert (np.diff(ends) >= 0).all()


def test_the_simultaneous_band_has_width_where_nothing_is_missed():
    tally = Tally.from_scores([10.0] * 50, np.arange(100) / 100, unit="continuous")
    band = simultaneous_band(tally, [0.1, 0.5], level=0.95, replicates=1000, seed=1)
    # Clopper–Pearson of 50 out of 50: 0.025^(1/50).
    assert band.low == pytest.approx([0.025 ** (1 / 50)] * 2)
    assert band.high.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(("d", "grid"), [(1.5, np.geomspace(0.02, 0.5, 8)), (2.5, np.geomspace(0.01, 0.9, 8))])
def test_the_simultaneous_band_covers_the_true_curve_as_often_as_stated(d, grid):
    # 300 tests of 300 mated and 1000 non-mated scores: the share is known to 1.3 % (one standard error at 95 %).
    # The second grid runs to where nothing is missed. Three standard errors either way, and more on the safe side.
    grid = np.round(grid, 4).tolist()
    truth = ndtr(d + ndtri(np.array(grid)))
    rng = np.random.default_rng(7495)
    held = 0
    for test in range(300):
        tally = Tally.from_scores(rng.normal(d, 1, 300), rng.normal(0, 1, 1000), unit="continuous")
        band = simultaneous_band(tally, grid, level=0.95, replicates=1000, seed=test)
        held += bool(((band.low <= truth) & (truth <= band.high)).all())
    assert 0.95 - 3 * 0.0126 <= held / 300 <= 0.995
