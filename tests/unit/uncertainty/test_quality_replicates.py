"""Replicates of discard curves against comparisons repeated by their weights, and what is made of the replicates."""

from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quality_brute_force as slow
from mated.errors import MatedError
from mated.quality import SampleQualities, pair_qualities, partial_area, starting_errors
from mated.quality.edc import error_curve
from mated.scores import Comparisons
from mated.uncertainty.quality import CurveDraws, draw_curves, draw_units
from mated.uncertainty.quality_models import CounterpartModel, Discarding, DPrimeModel, ErrorModel, MeanModel
from mated.uncertainty.quality_units import resampling_units

GRID = [0.0, 0.1, 0.2, 0.25, 0.3]


@st.composite
def tables(draw):
    """Comparisons of a few people's samples with heavy ties in score and quality, and weights of the people."""
    people = draw(st.integers(2, 5))
    owner = [p for p in range(people) for _ in range(draw(st.integers(1, 3)))]
    pairs = [(a, b) for b in range(len(owner)) for a in range(b)]
    pairs = [pair for pair in pairs if draw(st.booleans())] or pairs[:1] or [(0, 0)]
    scores = [float(draw(st.integers(0, 4))) for _ in pairs]
    quality = {a: [float(draw(st.integers(0, 3))) for _ in owner] for a in ("one", "two")}
    weights = draw(st.lists(st.lists(st.integers(0, 3), min_size=people, max_size=people), min_size=1, max_size=3))
    return owner, pairs, scores, quality, weights


def prepared(table, **options):
    owner, pairs, scores, quality, _ = table
    first, second = (np.array(side) for side in zip(*pairs, strict=True))
    subject = np.array(owner)
    data = Comparisons.from_arrays(
        scores,
        probe_subject=subject[first],
        reference_subject=subject[second],
        probe_sample=[f"s{k}" for k in first],
        reference_sample=[f"s{k}" for k in second],
        unit="continuous",
        **options,
    )
    names = [f"s{k}" for k in range(len(owner))]
    return pair_qualities(data, SampleQualities.from_arrays(names, quality))


def expanded(table, weight, algorithm, mated):
    """The comparisons of a replicate, and the qualities of its samples that occur in them in the data."""
    owner, pairs, scores, quality, _ = table
    q = quality[algorithm]
    rows, occurring = [], set()
    for (a, b), score in zip(pairs, scores, strict=True):
        same = owner[a] == owner[b]
        if mated is not None and same is not mated:
            continue
        occurring |= {a, b}
        times = weight[owner[a]] if same else weight[owner[a]] * weight[owner[b]]
        rows += [slow.Row(min(q[a], q[b]), score, same)] * times
    return rows, [q[s] for s in occurring for _ in range(weight[owner[s]])]


def units_of(table, mated, kind="subjects"):
    data = prepared(table).comparisons
    rows = None if mated is None else (data.mated if mated else ~data.mated)
    return resampling_units(data, rows, resample=kind)


def weight_rows(table, units, mated):
    """The weights of the people that occur, in the order of their units, and the last one of ones."""
    owner, pairs, _, _, weights = table
    chosen = [p for p in pairs if mated is None or (owner[p[0]] == owner[p[1]]) is mated]
    occurring = sorted({owner[s] for pair in chosen for s in pair}, key=str)
    assert len(occurring) == units.count
    return np.array([[row[p] for p in occurring] + [1] for row in weights], dtype=np.uint8)


def enough(table, mated):
    owner, pairs, *_ = table
    chosen = [p for p in pairs if mated is None or (owner[p[0]] == owner[p[1]]) is mated]
    return len({owner[s] for pair in chosen for s in pair}) > 1


def agree(points, area, values, limit, interpolation):
    """Compare with exact points, the last value held to the right of them."""
    points = [*points, (Fraction(1), points[-1][1])] if points[-1][0] < 1 else points
    high = Fraction(str(limit))
    assert area == pytest.approx(float(slow.area(points, Fraction(0), high, interpolation)), abs=1e-12)
    expected = [float(slow.read(points, Fraction(str(x)), interpolation)) for x in GRID]
    assert values.tolist() == pytest.approx(expected, abs=1e-9)


def nearest(rows, kind, share):
    """The threshold whose share of errors is nearest to the one given, None where there is none."""
    found = slow.starting_errors([row.score for row in rows], kind)
    if not found:
        return None
    errors = min(found, key=lambda e: (abs(Fraction(e, len(rows)) - share), e))
    return found[errors]


@settings(max_examples=120)
@given(
    tables(),
    st.sampled_from(["fnm", "fm"]),
    st.sampled_from(["kept", "all"]),
    st.sampled_from(["step", "linear"]),
    st.sampled_from(["comparisons", "samples"]),
    st.booleans(),
    st.sampled_from([0.3, 0.5, 0.95]),
)
def test_error_curves_are_those_of_the_repeated_comparisons(table, kind, among, interpolation, axis, refind, limit):
    mated = kind == "fnm"
    paired = prepared(table)
    if not enough(table, mated):
        return
    try:
        start = starting_errors(paired.comparisons.tally(), kind).nearest(0.4)
    except MatedError:
        return
    units = units_of(table, mated)
    weights = weight_rows(table, units, mated)
    discarding = Discarding(paired, mated, units, limit, np.array(GRID), interpolation, axis)
    area, values = ErrorModel(discarding, start, among, refind).block(weights)
    for k, algorithm in enumerate(paired.algorithms):
        for b, weight in enumerate(table[4]):
            rows, samples = expanded(table, weight, algorithm, mated)
            threshold = nearest(rows, kind, Fraction(start.errors, start.comparisons)) if refind else start.inner
            wrong = 0 if threshold is None else sum(slow.is_error(r.score, threshold, kind) for r in rows)
            if wrong == 0:
                assert math.isnan(area[k, b])
                continue
            points = slow.error_points(rows, threshold, kind, among)
            if axis == "samples":
                points = slow.with_sample_axis(points, rows, samples)
            agree(points, area[k, b], values[k, b], limit, interpolation)


@settings(max_examples=60)
@given(tables(), st.booleans(), st.booleans(), st.sampled_from(["step", "linear"]))
def test_mean_scores_are_those_of_the_repeated_comparisons(table, mated, dissimilarity, interpolation):
    paired = prepared(table, dissimilarity=dissimilarity)
    if not enough(table, mated):
        return
    units = units_of(table, mated)
    discarding = Discarding(paired, mated, units, 0.5, np.array(GRID), interpolation)
    area, values = MeanModel(discarding).block(weight_rows(table, units, mated))
    for k, algorithm in enumerate(paired.algorithms):
        for b, weight in enumerate(table[4]):
            rows, _ = expanded(table, weight, algorithm, mated)
            if not rows:
                assert math.isnan(area[k, b])
                continue
            agree(slow.mean_points(rows), area[k, b], values[k, b], 0.5, interpolation)


def stopped(rows, value):
    """Points of a value until it does not exist, which repeats the one before; None where it never does."""
    points = []
    for _, kept in slow.kept_by_step(rows):
        found = value(kept)
        if found is None and not points:
            return None
        points.append((Fraction(len(rows) - len(kept), len(rows)), points[-1][1] if found is None else found))
        if found is None:
            break
    return points


@settings(max_examples=60)
@given(tables(), st.sampled_from(["schlett2023", "usual"]))
def test_d_prime_is_that_of_the_repeated_comparisons(table, convention):
    paired = prepared(table)
    mated = paired.comparisons.mated
    if mated.all() or not mated.any():
        return
    units = units_of(table, None)
    discarding = Discarding(paired, None, units, 0.5, np.array(GRID))
    area, values = DPrimeModel(discarding, convention).block(weight_rows(table, units, None))
    scale = 1 if convention == "schlett2023" else math.sqrt(2)

    def value(kept):
        found = slow.d_prime(kept)
        return None if found is None else Fraction(found * scale)

    for k, algorithm in enumerate(paired.algorithms):
        for b, weight in enumerate(table[4]):
            rows, _ = expanded(table, weight, algorithm, None)
            points = stopped(rows, value) if rows else None
            if points is None:
                assert math.isnan(area[k, b])
            else:
                agree(points, pytest.approx(area[k, b], abs=1e-9), values[k, b], 0.5, "step")


@settings(max_examples=60)
@given(tables(), st.sampled_from(["fmr", "fnmr"]), st.sampled_from([0.1, 0.3, 0.5]))
def test_fixed_counterparts_are_those_of_the_repeated_comparisons(table, fixed, rate):
    paired = prepared(table)
    mated = paired.comparisons.mated
    if mated.all() or not mated.any():
        return
    units = units_of(table, None)
    discarding = Discarding(paired, None, units, 0.5, np.array(GRID))
    area, values = CounterpartModel(discarding, rate, fixed).block(weight_rows(table, units, None))
    held = Fraction(str(rate))
    for k, algorithm in enumerate(paired.algorithms):
        for b, weight in enumerate(table[4]):
            rows, _ = expanded(table, weight, algorithm, None)
            points = stopped(rows, lambda kept: slow.fixed_counterpart(kept, held, fixed, "interpolated"))
            if points is None:
                assert math.isnan(area[k, b])
            else:
                agree(points, area[k, b], values[k, b], 0.5, "step")


# -- larger data ---------------------------------------------------------------------------------------------------


def people(subjects, samples, rng, spread=0.2):
    """Scores that depend on whether a sample of the pair is bad; people differ in how often theirs are.

    A sample is bad with probability p, and p is 0 or `spread` for half of the people each. A pair has quality 0 if one
    sample is bad. Its score is uniform on [0, 1], else on [0, 5]. `useless` is quality without any meaning.
    """
    often = np.where(rng.random(subjects) < 0.5, 0.0, spread)
    bad = rng.random((subjects, samples)) < often[:, None]
    i, j = np.triu_indices(samples, 1)
    pair_bad = (bad[:, i] | bad[:, j]).ravel()
    score = rng.random(len(pair_bad)) * np.where(pair_bad, 1.0, 5.0)
    who = np.repeat(np.arange(subjects), len(i))
    name = [f"{s}.{k}" for s in range(subjects) for k in range(samples)]
    start = np.arange(subjects)[:, None] * samples
    data = Comparisons.from_arrays(
        score,
        probe_subject=who,
        reference_subject=who,
        probe_sample=np.array(name)[(start + i).ravel()],
        reference_sample=np.array(name)[(start + j).ravel()],
        unit="continuous",
    )
    quality = {"useful": 1.0 - bad.ravel(), "useless": rng.random(subjects * samples)}
    return pair_qualities(data, SampleQualities.from_arrays(name, quality))


def drawn(paired, *, start=0.1, limit=0.3, kind="auto", replicates=200, **options):
    units = resampling_units(paired.comparisons, resample=kind)
    begin = starting_errors(paired.comparisons.tally()).nearest(start)
    discarding = Discarding(paired, True, units, limit, np.linspace(0, limit, 4))
    refind = options.pop("refind", True)
    return draw_curves(ErrorModel(discarding, begin, refind=refind), replicates=replicates, **options), begin


def test_an_interval_of_the_area_holds_the_truth_as_often_as_it_says():
    """By hand: a share D = ½·(1 − .8²) = .18 of pairs is bad; at threshold t FNMR is .18·t + .82·t/5 = .1, and after
    the one step t/5. So the area to .3 is .1·.18 + t/5·.12. The share of 250 tests has a standard error of .014 at .95.
    """
    t = 0.1 / (0.18 + 0.82 / 5)
    truth = 0.1 * 0.18 + t / 5 * 0.12
    rng = np.random.default_rng(4)
    held = 0
    for run in range(250):
        paired = people(60, 4, rng)
        replicates, begin = drawn(paired, seed=run)
        value = partial_area(error_curve(paired.order("useful"), begin), 0.3).raw
        low, high = replicates.interval(replicates.areas("useful"), value)
        held += low <= truth <= high
    assert 0.95 - 3.5 * 0.014 <= held / 250 <= 1


def test_people_make_intervals_wider_than_independent_comparisons_would():
    """All 6 comparisons of a person are alike, so that they tell no more than one: standard errors differ by √6."""
    rng = np.random.default_rng(1)
    who = np.repeat(np.arange(300), 6)
    alike, good = rng.random(300)[who], rng.random(300)[who]
    data = Comparisons.from_arrays(
        alike + good / 2,
        probe_subject=who,
        reference_subject=who,
        probe_sample=[f"{s}.a" for s in who],
        reference_sample=[f"{s}.b" for s in who],
        unit="continuous",
    )
    names = [f"{s}.{k}" for s in range(300) for k in "ab"]
    paired = pair_qualities(data, SampleQualities.from_arrays(names, {"q": np.repeat(good[::6], 2)}))
    spread = {kind: drawn(paired, kind=kind)[0].areas("q").std() for kind in ("subjects", "comparisons")}
    # Two standard deviations of 200 replicates each are known to 5 %, their quotient to 7 %.
    assert spread["subjects"] / spread["comparisons"] == pytest.approx(math.sqrt(6), rel=0.21)


def test_the_useful_algorithm_is_above_the_useless_one_in_nearly_all_replicates():
    replicates, _ = drawn(people(100, 4, np.random.default_rng(2)))
    assert replicates.probability_above("useful", "useless") > 0.99
    assert replicates.probability_best()["useful"] > 0.99
    assert (replicates.relative("useful") < 1).all()
    low, high = np.quantile(replicates.relative("useless"), [0.025, 0.975])
    assert low < 1 < high


def test_a_threshold_found_anew_keeps_the_starting_error_and_a_held_one_does_not():
    paired = people(80, 4, np.random.default_rng(3))
    anew, begin = drawn(paired)
    held, _ = drawn(paired, refind=False)
    assert np.abs(anew.start - begin.value).max() < 0.01
    assert held.start.std() > 5 * anew.start.std()
    assert held.areas("useful").std() > anew.areas("useful").std()


def test_of_two_starting_errors_equally_near_a_replicate_takes_the_lower():
    """By hand: four scores, each drawn once, allow 1/4, 2/4 and 3/4; 3/8 lies between the first two, 5/8 the others.

    Drawn as (0, 4, 0, 0) there is one score, and no threshold tells any apart.
    """
    from mated.uncertainty.quality_kernels import nearest_cuts

    weight = np.array([[1, 1, 1, 1, 1], [0, 4, 0, 0, 1]], dtype=np.uint8)
    units, ones = np.arange(4, dtype=np.int32), np.full(4, 4, dtype=np.int32)
    ends, total = np.arange(1, 5), np.array([4, 4])
    for part, whole, errors in ((3, 8, 1), (5, 8, 2), (1, 100, 1), (99, 100, 3), (1, 2, 2)):
        cut, found = nearest_cuts(weight, units, ones, ends, total, part, whole)
        assert (cut.tolist(), found.tolist()) == ([errors, 0], [errors, 0])


def test_first_replicates_stay_when_more_are_drawn_on_any_number_of_threads():
    paired = people(30, 3, np.random.default_rng(5))
    few, many = drawn(paired, replicates=70)[0], drawn(paired, replicates=150, threads=3)[0]
    np.testing.assert_array_equal(few.area, many.area[:, :70])
    np.testing.assert_array_equal(few.value, many.value[:, :70])
    assert not np.array_equal(few.area, drawn(paired, replicates=70, seed=2)[0].area)


def test_progress_is_told_until_all_is_done():
    told = []
    drawn(
        people(30, 3, np.random.default_rng(5)), replicates=150, progress=lambda done, total: told.append((done, total))
    )
    assert told[-1] == (150, 150)
    assert [done for done, _ in told] == sorted({done for done, _ in told})


def test_an_order_that_is_too_short_for_a_replicate_is_continued(monkeypatch):
    from mated.uncertainty import quality_models

    paired = people(40, 4, np.random.default_rng(6))
    whole = drawn(paired)[0]
    monkeypatch.setattr(quality_models, "_SMALL", 0)
    np.testing.assert_array_equal(drawn(paired)[0].area, whole.area)


def test_weights_are_those_of_drawing_with_replacement():
    """Each row sums to the number of units, and a unit's weight has mean 1 and variance 1 − 1/U (multinomial)."""
    weight = draw_units(np.random.default_rng(1), 4000, 20)
    assert weight.shape == (4000, 21)
    assert (weight[:, :20].sum(axis=1) == 20).all()
    assert (weight[:, 20] == 1).all()
    values = weight[:, :20].astype(float)
    assert values.mean() == 1
    # The variance of 80,000 nearly independent weights is known to about ±.01.
    assert values.var() == pytest.approx(1 - 1 / 20, abs=0.02)


# -- who is drawn --------------------------------------------------------------------------------------------------


def test_samples_that_mated_comparisons_join_are_one_unit():
    """By hand: a–b–c and d–e are joined; f was compared with others only."""
    data = Comparisons.from_arrays(
        [1, 2, 3, 4, 5],
        [True, True, True, False, False],
        probe_sample=["a", "c", "d", "a", "f"],
        reference_sample=["b", "b", "e", "d", "b"],
    )
    units = resampling_units(data)
    assert (units.kind, units.count) == ("joined samples", 3)
    assert units.first.tolist() == [0, 0, 1, 0, 2]
    assert units.second.tolist() == [3, 3, 3, 1, 0]
    assert dict(zip(data.samples.names, units.sample.tolist(), strict=True)) == dict(
        zip("abcdef", [0, 0, 0, 1, 1, 2], strict=True)
    )
    assert "samples joined by mated comparisons" in units.caution


def test_comparisons_are_drawn_where_nobody_is_known_and_that_is_said():
    units = resampling_units(Comparisons.from_arrays([1, 2, 3], [True, True, True]))
    assert (units.kind, units.count, units.first.tolist(), units.second.tolist()) == (
        "comparisons",
        3,
        [0, 1, 2],
        [3] * 3,
    )
    assert "subjects are not known" in units.caution


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("subjects", "subjects can be resampled only where they are named"),
        ("joined samples", "samples can be joined only where they are named"),
        ("people", "there is no resampling of 'people'"),
    ],
)
def test_units_that_are_not_known_are_refused(kind, words):
    with pytest.raises(MatedError, match=words):
        resampling_units(Comparisons.from_arrays([1, 2], [True, True]), resample=kind)


def test_one_subject_cannot_be_resampled():
    data = Comparisons.from_arrays([1, 2], probe_subject=["a", "a"], reference_subject=["a", "a"])
    with pytest.raises(MatedError, match="of one subject, and two or more are needed"):
        resampling_units(data)


# -- what is made of replicates ------------------------------------------------------------------------------------


def toy(area, higher_is_better=False):
    area = np.array(area, dtype=float)
    value = np.full((*area.shape, 2), 0.1)
    return CurveDraws(("a", "b", "c")[: len(area)], area, value, np.array([0.0, 0.2]), 0.2, higher_is_better, 30, 1)


def test_probabilities_count_replicates_and_share_ties():
    """By hand: a is better than b in replicates 1 and 2, ties in 3, is worse in 4; c is always last but in 4."""
    draws = toy([[1, 1, 2, 5], [2, 3, 2, 4], [9, 9, 9, 4]])
    assert draws.probability_above("a", "b") == (1 + 1 + 0.5 + 0) / 4
    assert draws.probability_above("b", "a") == 1 - draws.probability_above("a", "b")
    assert draws.probability_best() == {"a": 2.5 / 4, "b": (0.5 + 0.5) / 4, "c": 0.5 / 4}
    assert toy([[1, 1], [2, 0]], higher_is_better=True).probability_above("a", "b") == 0.5
    assert toy([[1, 1], [2, 3]], higher_is_better=True).probability_above("a", "b") == 0


def test_areas_are_set_against_the_best_and_the_constant_of_each_replicate():
    """By hand: starting error .1, limit .2: best .1²/2 = .005, constant .02, so .0125 is halfway."""
    draws = toy([[0.005, 0.0125, 0.02, 0.0275]])
    assert draws.above_best("a").tolist() == pytest.approx([0, 0.0075, 0.015, 0.0225])
    assert draws.relative("a").tolist() == pytest.approx([0, 0.5, 1, 1.5])


def test_an_interval_is_that_of_the_percentiles_widened_by_t():
    """By hand: percentiles of 1 to 1000 at 95 % are 25.5 and 975.5; t with 29 degrees of freedom is 2.04523."""
    draws = toy([np.arange(1, 1001)])
    se = np.std(np.arange(1, 1001), ddof=1)
    low, high = draws.interval(draws.areas("a"), 300.0)
    assert low == pytest.approx(300 - 2.0452296 * se, rel=1e-7)
    assert high == 975.5
    low, high = draws.interval(draws.areas("a"), 900.0)
    assert (low, high) == (25.5, pytest.approx(900 + 2.0452296 * se, rel=1e-7))


def test_a_band_has_the_percentiles_at_every_fraction():
    draws = CurveDraws(
        ("a",), np.zeros((1, 1000)), np.stack([np.full(1000, 0.1), np.arange(1.0, 1001)], axis=1)[None],
        np.array([0.0, 0.2]), 0.2, False, 30, 1,
    )  # fmt: skip
    band = draws.band("a", np.array([0.1, 400.0]))
    assert band.low.tolist() == [0.1, 25.5]
    assert band.high.tolist() == [0.1, 975.5]
    with pytest.raises(MatedError, match="no quality algorithm 'z'; the algorithms are: 'a'"):
        draws.areas("z")


def test_replicates_without_a_curve_are_left_out_and_counted():
    """Two people, and the only non-mated comparisons are between them: gone where one was not drawn, in half of all."""
    data = Comparisons.from_arrays(
        [1, 2, 3],
        probe_subject=["a"] * 3,
        reference_subject=["b"] * 3,
        probe_sample=list("xyx"),
        reference_sample=list("uuv"),
    )
    paired = pair_qualities(data, SampleQualities.from_arrays("xyuv", {"q": [1, 2, 3, 4]}))
    begin = starting_errors(data.tally(), "fm").nearest(0.4)
    units = resampling_units(data)
    model = ErrorModel(Discarding(paired, False, units, 0.5, np.array([0.0, 0.5])), begin)
    draws = draw_curves(model, replicates=400)
    assert draws.lost + draws.replicates == 400
    assert draws.lost / 400 == pytest.approx(0.5, abs=0.1)  # four standard errors
    with pytest.raises(MatedError, match="at least 2 bootstrap replicates"):
        draw_curves(model, replicates=1)


def test_importing_the_module_imports_nothing_heavy():
    code = (
        "import sys, mated.uncertainty.quality_models; print(sorted({'numba', 'scipy', 'polars'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
