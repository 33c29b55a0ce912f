"""A few passes over the data give the numbers, and the bootstrap replicates, of all comparisons in memory.

Limits are set so low that most scores are never known one by one; the tests see to that.
"""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import mated
from mated.engine import Points, Scoring, Source, count, from_arrays, from_lists, refine
from mated.engine.bounds import area_bounds, curve_steps
from mated.engine.reach import EER_INTERVALS, ROCCH
from mated.engine.recount import Recounter, plan_for
from mated.engine.refine import NEVER_EXACT, Limits
from mated.errors import MatedError
from mated.scores import Tally
from mated.uncertainty.independent import draw_at_fmr, draw_at_threshold, draw_at_tmr, draw_eer
from mated.verification import area_under_roc, at_fmr, at_threshold, at_tmr, equal_error_rate, roc_curve
from mated.verification.costs import fvc_rates

SIZE = 200_000
FMRS, TMRS, THRESHOLDS = (1e-1, 1e-2, 1e-3, 1e-4), (0.9, 0.99, 1), (1.5, 2.25, -100.0, 100.0)
LOW = Limits(whole=1000, most=60_000, split=256)

CASES = {
    # type, share of mated comparisons, scale, offset, decimals
    "float32": (np.float32, 0.2, 1, 0, None),
    "float64": (np.float64, 0.2, 1, 0, None),
    "float64 in two bins": (np.float64, 0.2, 1e-4, 1000, None),
    "float32 in a few bins": (np.float32, 0.2, 1e-2, 100, None),
    "a dissimilarity": (np.float64, 0.5, -1, 0, None),
    "few non-mated": (np.float32, 0.99, 1, 0, None),
    "five decimals": (np.float64, 0.2, 1, 0, 5),
    "one value for a third of the scores": (np.float64, 0.2, 1, 0, "pile"),
}


def drawn(case, size=SIZE):
    dtype, share, scale, offset, decimals = CASES[case]
    rng = np.random.default_rng(len(case))
    flags = rng.random(size) < share
    scores = (rng.standard_normal(size) + 3 * flags) * scale + offset
    if decimals == "pile":
        scores[rng.random(size) < 1 / 3] = 0.7
    elif decimals is not None:
        scores = np.round(scores, decimals)
    return scores.astype(dtype), flags, tuple(t * scale + offset for t in THRESHOLDS), scale < 0


def same(a, b):
    return repr(a) == repr(b)


@pytest.mark.parametrize("case", CASES)
def test_numbers_and_replicates_are_those_of_all_comparisons_in_memory(case):
    scores, flags, thresholds, dissimilarity = drawn(case)
    source = from_arrays(scores, flags, chunk=30_001)
    keyed = count(source, scoring=Scoring(dissimilarity=dissimilarity))
    streamed = refine(keyed, source, Points(FMRS, TMRS, thresholds), limits=LOW)
    tally, memory = streamed.tally, Tally.from_scores(scores[flags], scores[~flags], dissimilarity=dissimilarity)
    assert not streamed.whole
    assert len(tally.scores) < 0.8 * len(memory.scores)
    assert streamed.given_up == ()
    assert tally.unit == memory.unit
    for read, places in ((at_fmr, FMRS), (at_tmr, TMRS), (at_threshold, thresholds)):
        assert all(same(read(tally, place), read(memory, place)) for place in places)
    assert same(equal_error_rate(tally), equal_error_rate(memory))
    assert same(fvc_rates(tally), fvc_rates(memory))
    options = {"replicates": 2000, "seed": 5}
    for draw, where in ((draw_at_fmr, FMRS), (draw_at_tmr, TMRS), (draw_at_threshold, thresholds), (draw_eer, None)):
        places = () if where is None else (where,)
        found, expected = draw(tally, *places, **options), draw(memory, *places, **options)
        assert all(np.array_equal(f, e) for f, e in zip(found, expected, strict=True))
        if draw is not draw_at_threshold:
            assert streamed.covers(found[1])


def test_what_a_user_sees_of_a_verification_with_intervals_is_the_same():
    scores, flags, thresholds, _ = drawn("float32")
    source = from_arrays(scores, flags)
    streamed = refine(count(source), source, Points(FMRS, TMRS, thresholds[:2]), limits=LOW)
    seen = []
    for tally in (streamed.tally, Tally.from_scores(scores[flags], scores[~flags])):
        verification = mated.verify(tally, fmr=FMRS, tmr=TMRS, threshold=thresholds[:2])
        seen.append([verification.bootstrap(2000, rng=7, intervals=how).to_dict() for how in ("auto", "bootstrap")])
    for found, expected in zip(*seen, strict=True):
        for key in ("auc", "d_prime", "cllr", "min_cllr"):
            assert key in NEVER_EXACT
            assert found.pop(key) != expected.pop(key)
        assert same(found, expected)


def test_two_passes_are_enough_where_cells_are_small():
    scores, flags, *_ = drawn("float32")
    source = from_arrays(scores, flags)
    streamed = refine(count(source), source, Points(FMRS), limits=Limits(whole=0))
    assert streamed.passes == 2


def test_cells_that_hold_too_many_scores_are_divided_first():
    scores, flags, *_ = drawn("float64 in two bins")
    source = from_arrays(scores, flags)
    keyed = count(source)
    assert len(keyed.bins) <= 2
    divided = refine(keyed, source, Points(FMRS), limits=LOW)
    collected = refine(keyed, source, Points(FMRS), limits=Limits(whole=0))
    # The scores lie in a few of the 1024 parts of their bins; these are divided once more and then collected.
    assert (collected.passes, divided.passes) == (2, 4)
    assert same(equal_error_rate(divided.tally), equal_error_rate(collected.tally))


def test_without_room_for_any_score_five_divisions_come_to_single_ones():
    # 64 bits of a key less the 22 of its bin, ten at a time.
    scores, flags, *_ = drawn("float64", 5000)
    source = from_arrays(scores, flags)
    points = Points((0.01,), replicates=False)
    streamed = refine(count(source), source, points, limits=Limits(whole=0, most=0))
    assert streamed.passes == 6
    memory = Tally.from_scores(scores[flags], scores[~flags])
    assert same(at_fmr(streamed.tally, 0.01), at_fmr(memory, 0.01))
    assert same(equal_error_rate(streamed.tally), equal_error_rate(memory))


def test_data_with_few_distinct_scores_are_known_as_a_whole():
    rng = np.random.default_rng(4)
    mated, nonmated = rng.integers(3000, 9000, 20_000), rng.integers(0, 6000, 50_000)
    source = from_lists(mated, nonmated, chunk=7000)
    streamed = refine(count(source), source, Points())
    assert streamed.whole
    assert streamed.inexact == ()
    memory = Tally.from_scores(mated, nonmated)
    assert np.array_equal(streamed.tally.scores, memory.scores)
    assert np.array_equal(streamed.tally.mated_at_or_above, memory.mated_at_or_above)
    assert np.array_equal(streamed.tally.nonmated_at_or_above, memory.nonmated_at_or_above)
    assert "every number is that of all comparisons in memory" in streamed.remarks()[0]


def test_integers_with_a_bin_each_need_no_second_pass():
    # float64 keeps whole numbers up to 2048 in bins of their own.
    source = from_lists(np.arange(500, 2000), np.arange(1500))
    streamed = refine(count(source), source, Points())
    assert (streamed.passes, streamed.whole) == (1, True)


def test_failures_are_counted_and_left_out_of_every_pass():
    scores, flags, *_ = drawn("float64", 5000)
    scores[:40] = np.nan
    source = from_arrays(scores, flags)
    streamed = refine(count(source, scoring=Scoring(nan="failure")), source, Points((0.01,)))
    assert streamed.tally == Tally.from_scores(scores[flags], scores[~flags], unit="continuous", nan="failure")


def test_the_lowest_rates_of_fvc_are_exact_without_being_asked_for():
    # In the top bin of non-mated scores a mated score lies between; only score by score is it seen to be missed.
    scores = np.array([1.0, 1 + 2.0**-12, 1 + 2.0**-11, *np.linspace(-3, -1, 50), *np.linspace(-3, -1, 50)])
    flags = np.array([False, True, False, *[False] * 50, *[True] * 50])
    source = from_arrays(scores, flags)
    streamed = refine(count(source), source, Points(eer=False, replicates=False), limits=Limits(whole=0))
    assert fvc_rates(streamed.tally) == fvc_rates(Tally.from_scores(scores[flags], scores[~flags]))
    assert fvc_rates(streamed.tally)["zero_fmr"] == 1.0


def test_the_conservative_threshold_is_the_next_score_even_in_the_next_bin():
    # One false match in a hundred is allowed, and the second highest non-mated score is the last of its bin.
    nonmated = np.array([*np.linspace(0, 1, 98), 1.2, 1.7])
    mated = np.array([1.5003, 1.5001, 1.9])
    source = from_lists(mated, nonmated)
    streamed = refine(count(source), source, Points((0.01,), eer=False, replicates=False), limits=Limits(whole=0))
    assert at_fmr(streamed.tally, 0.01).threshold_conservative == 1.5001


def test_scores_that_change_between_passes_are_noticed():
    scores, flags, *_ = drawn("float64", 5000)
    times = iter(range(10))
    source = Source("moving", lambda: [(scores + next(times), flags)])
    with pytest.raises(MatedError, match="not the same as in the pass before"):
        refine(count(source), source, Points())
    keyed, shorter = count(from_arrays(scores, flags)), from_arrays(scores[:4000], flags[:4000])
    for limits in (None, Limits(whole=0, most=10)):
        with pytest.raises(MatedError, match="not the same as in the pass before"):
            refine(keyed, shorter, Points(), limits=limits)
    other = from_arrays(scores.astype(np.float32), flags)
    with pytest.raises(MatedError, match="float64 in the pass before and are float32 now"):
        refine(keyed, other, Points())


def test_scores_that_a_reading_comes_upon_are_made_exact_in_a_further_pass():
    scores, flags, *_ = drawn("float64")
    source = from_arrays(scores, flags)
    keyed = count(source)
    asked = np.quantile(scores, [0.2, 0.3])
    points = Points((0.01,), replicates=False)
    plain = refine(keyed, source, points, limits=LOW)
    assert not plain.covers(asked)
    streamed = refine(keyed, source, points, limits=LOW, read=lambda tally: asked)
    assert streamed.covers(asked)
    assert streamed.passes == plain.passes + 1
    memory = Tally.from_scores(scores[flags], scores[~flags])
    for threshold in asked.tolist():
        assert same(at_threshold(streamed.tally, threshold), at_threshold(memory, threshold))


def test_what_would_reach_too_many_scores_is_given_up_and_said():
    rng = np.random.default_rng(2)
    source = from_lists(rng.normal(2, 1, 40), rng.normal(0, 1, 100_000))
    streamed = refine(count(source), source, Points((0.01,)), limits=Limits(whole=0, most=2000, split=1))
    assert EER_INTERVALS in streamed.given_up
    assert streamed.inexact == (*NEVER_EXACT, *streamed.given_up)
    assert EER_INTERVALS in streamed.remarks()[-1]
    # Nothing that is a matter of a threshold suffers.
    rng = np.random.default_rng(2)
    memory = Tally.from_scores(rng.normal(2, 1, 40), rng.normal(0, 1, 100_000))
    found, expected = equal_error_rate(streamed.tally), equal_error_rate(memory)
    if ROCCH in streamed.given_up:
        del found.by_definition["rocch"], expected.by_definition["rocch"]
    assert same(found, expected)
    assert same(at_fmr(streamed.tally, 0.01), at_fmr(memory, 0.01))


def test_the_area_is_bounded_and_a_drawn_curve_lies_on_the_true_one():
    scores, flags, *_ = drawn("float32")
    source = from_arrays(scores, flags)
    streamed = refine(count(source), source, Points((0.01,), replicates=False), limits=LOW)
    memory = Tally.from_scores(scores[flags], scores[~flags])
    low, high = area_bounds(streamed.cells)
    assert low < area_under_roc(memory) < high
    assert high - low < 1e-5
    assert low <= area_under_roc(streamed.tally) <= high
    steps, drawn_curve, true_curve = curve_steps(streamed.cells), roc_curve(streamed.tally), roc_curve(memory)
    grid = np.linspace(0, 1, 5001)
    assert np.max(np.abs(drawn_curve(grid) - true_curve(grid))) <= steps.tmr < 1e-3
    points = set(zip(true_curve.fmr.tolist(), true_curve.tmr.tolist(), strict=True))
    assert points.issuperset(zip(drawn_curve.fmr.tolist(), drawn_curve.tmr.tolist(), strict=True))
    assert f"between {low:.9g} and {high:.9g}" in streamed.remarks()[1]


def test_one_class_alone_or_nothing_at_all_is_counted_without_further_passes():
    source = from_lists(np.array([0.1, 0.7]), np.zeros(0))
    streamed = refine(count(source), source, Points((0.01,)), limits=Limits(whole=0))
    assert (streamed.tally.n_mated, streamed.tally.n_nonmated, streamed.passes) == (2, 0, 1)
    empty = from_lists(np.zeros(0), np.zeros(0))
    assert refine(count(empty), empty, Points((0.01,))).tally.n_mated == 0


def test_rates_and_thresholds_that_are_none_are_refused():
    for wrong, said in (
        ({"fmr": (2,)}, "between 0 and 1, and 2 does not"),
        ({"fmr": (1,)}, "between 0 and 1, and 1 does not"),
        ({"tmr": ("x",)}, "between 0 and 1, and 'x' does not"),
        ({"threshold": (np.nan,)}, "a threshold must be a number"),
    ):
        with pytest.raises(MatedError, match=said):
            Points(**wrong)
    assert Points(tmr=(1,)).tmr == (1,)


def test_a_plan_collects_the_small_divides_the_large_and_leaves_the_rest_for_later():
    scores = 1 + np.repeat(np.arange(4), [1, 2, 50, 60]) * 2.0**-10 + np.arange(113) * 2.0**-30
    source = from_arrays(scores, np.arange(113) % 2 == 0)
    from mated.engine.cells import Cells

    cells = Cells.of(count(source))
    plan = plan_for(cells, np.ones(4, dtype=bool), most=3, split=1)
    assert plan.collected.tolist() == [True, True, False, False]
    assert plan.divided.tolist() == [False, False, False, True]
    recounter = Recounter(plan)
    recounter.add(scores, np.arange(113) % 2 == 0)
    found = recounter.result()
    restored = plan.restored(found.arrays())
    assert np.array_equal(restored.divided, found.divided)
    refined = plan.refined(restored)
    assert np.count_nonzero(refined.exact) == 3
    assert (refined.n_mated, refined.n_nonmated) == (57, 56)
    with pytest.raises(MatedError, match="not the outcome of this pass"):
        plan.restored({**found.arrays(), "divided": found.divided[:0]})


def test_memory_does_not_grow_with_the_comparisons():
    def generated(chunks):
        def make():
            rng = np.random.default_rng(1)
            for _ in range(chunks):
                flags = rng.random(100_000) < 0.2
                yield rng.standard_normal(100_000) + 3 * flags, flags

        return Source("generated", make, chunks * 100_000)

    def peak(source):
        tracemalloc.start()
        streamed = refine(count(source), source, Points(FMRS), limits=Limits(whole=0, most=60_000))
        held = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert not streamed.whole
        return held

    peak(generated(1))  # compiles and imports
    few, many = peak(generated(4)), peak(generated(24))
    assert many < 1.3 * few
    assert many < 120e6
