"""Collecting during the first pass saves the second where it can, and changes nothing but the number of passes."""

from __future__ import annotations

import numpy as np
import pytest

from mated.engine import Checkpoint, Limits, Points, Scoring, Source, count, from_arrays, refine, stream_tally
from mated.engine import ahead as module
from mated.io.atomic import replacing
from mated.verification import default_fmrs

SIZE = 200_000
FMRS = (1e-1, 1e-2, 1e-3)
LIMITS = Limits(whole=1000, most=150_000, split=256)
POINTS = Points(FMRS, (0.99,), (2.0,))


@pytest.fixture
def small_sample(monkeypatch):
    monkeypatch.setattr(module, "SAMPLE", 20_000)


def comparisons(dtype=np.float64):
    rng = np.random.default_rng(8)
    flags = rng.random(SIZE) < 0.3
    return (rng.standard_normal(SIZE) + 3 * flags).astype(dtype), flags


def assert_same_cells(a, b):
    for name in ("low", "high", "mated", "nonmated"):
        assert np.array_equal(getattr(a.cells, name), getattr(b.cells, name))
    assert a.given_up == b.given_up


@pytest.mark.usefixtures("small_sample")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("dissimilarity", [False, True])
def test_comparisons_in_no_order_are_read_once(dtype, dissimilarity):
    scores, flags = comparisons(dtype)
    source = from_arrays(-scores if dissimilarity else scores, flags, chunk=7001)
    scoring = Scoring(dissimilarity=dissimilarity)
    points = Points(FMRS, (0.99,), tuple(-t if dissimilarity else t for t in POINTS.threshold))
    once = stream_tally(source, points, scoring=scoring, limits=LIMITS)
    twice = refine(count(source, scoring=scoring), source, points, limits=LIMITS)
    assert (once.passes, twice.passes) == (1, 2)
    assert not once.whole
    assert_same_cells(once, twice)


@pytest.mark.usefixtures("small_sample")
@pytest.mark.parametrize("order", ["ascending", "descending", "mated first", "non-mated first", "a drift"])
def test_comparisons_in_an_order_that_misleads_are_read_again(order):
    scores, flags = comparisons()
    rank = {
        "ascending": np.argsort(scores),
        "descending": np.argsort(-scores),
        "mated first": np.argsort(~flags),
        "non-mated first": np.argsort(flags),
        "a drift": np.argsort(scores + np.random.default_rng(1).normal(0, 3, SIZE)),
    }[order]
    source = from_arrays(scores[rank], flags[rank], chunk=7001)
    streamed = stream_tally(source, POINTS, limits=LIMITS)
    assert streamed.passes == 2
    assert_same_cells(streamed, refine(count(source), source, POINTS, limits=LIMITS))


def test_data_no_larger_than_the_sample_are_read_once_whatever_is_asked():
    scores, flags = comparisons()
    reads = []

    def chunks():
        reads.append(True)
        buffer = np.empty(1000)
        for begin in range(0, 50_000, 1000):
            buffer[:] = scores[begin : begin + 1000]  # the same array each time
            yield buffer, flags[begin : begin + 1000]

    # So little room that cells are divided, in several rounds.
    limits = Limits(whole=0, most=500, split=64)
    streamed = stream_tally(Source("generated", chunks), POINTS, limits=limits)
    assert (streamed.passes, len(reads)) == (1, 1)
    plain = from_arrays(scores[:50_000], flags[:50_000])
    assert_same_cells(streamed, refine(count(plain), plain, POINTS, limits=limits))


@pytest.mark.usefixtures("small_sample")
def test_more_scores_than_may_be_held_are_let_go():
    scores, flags = comparisons()
    # From the sample few are expected, and then all that follow are in the bins around the thresholds.
    narrow = np.concatenate([scores[:20_000], np.full(SIZE, 2.0)])
    both = np.concatenate([flags[:20_000], np.arange(SIZE) % 2 == 0])
    source = from_arrays(narrow, both, chunk=5000)
    ahead = module.CountAhead(Scoring(), lambda _: POINTS, len(narrow), most=30_000)
    for values, marks in source.chunks():
        ahead.add(values, marks)
    assert ahead._picker is None
    assert ahead._collected == []
    streamed = stream_tally(source, POINTS, limits=LIMITS)
    assert_same_cells(streamed, refine(count(source), source, POINTS, limits=LIMITS))


@pytest.mark.usefixtures("small_sample")
def test_points_may_depend_on_the_number_of_comparisons():
    scores, flags = comparisons()
    source, asked = from_arrays(scores, flags), []

    def points(n_nonmated):
        asked.append(n_nonmated)
        return Points(default_fmrs(count(source)))

    streamed = stream_tally(source, points, limits=LIMITS)
    assert streamed.passes == 1
    exact = int(np.count_nonzero(~flags))
    assert asked[-1] == exact
    assert abs(asked[0] - exact) < 0.05 * exact  # foreseen from the sample and the number of rows


def test_with_a_checkpoint_passes_are_kept_apart(tmp_path):
    scores, flags = comparisons()
    source = from_arrays(scores, flags)
    streamed = stream_tally(source, POINTS, limits=LIMITS, checkpoint=Checkpoint(tmp_path, replacing))
    assert streamed.passes == 2


@pytest.mark.usefixtures("small_sample")
def test_failures_in_sample_and_rest_are_counted():
    scores, flags = comparisons()
    scores[::1000] = np.nan
    source = from_arrays(scores, flags)
    scoring = Scoring(nan="failure")
    streamed = stream_tally(source, POINTS, scoring=scoring, limits=LIMITS)
    assert streamed.passes == 1
    assert streamed.tally.mated_failures + streamed.tally.nonmated_failures == SIZE // 1000
    assert_same_cells(streamed, refine(count(source, scoring=scoring), source, POINTS, limits=LIMITS))
