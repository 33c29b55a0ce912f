"""A keyed tally counts as a plain loop does, adds like a tally, and finds the unit that a tally finds."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from mated.errors import MatedError
from mated.scores import Tally
from mated.scores import keyed_tally as module
from mated.scores.keyed_tally import KeyedCounter, KeyedTally
from mated.scores.keys import key_order

RNG = np.random.default_rng(22)
FLAGS = RNG.random(4000) < 0.3

SCORES = {
    "integers": RNG.integers(-300, 300, 4000),
    "integers as floats": RNG.integers(-300, 300, 4000).astype(float),
    "two decimals": np.round(RNG.normal(size=4000), 2),
    "two decimals, float32": np.round(RNG.normal(size=4000), 2).astype(np.float32),
    "nine decimals": np.round(RNG.normal(size=4000), 9),
    "continuous": RNG.normal(size=4000),
    "continuous, float32": RNG.normal(size=4000).astype(np.float32),
    "large integers": RNG.integers(0, 2**52, 4000),
    "integers too large for float32": RNG.integers(0, 2**30, 4000).astype(np.float32),
    "infinities only": np.where(FLAGS, math.inf, -math.inf),
    "integers with infinities": np.where(RNG.random(4000) < 0.1, math.inf, RNG.integers(0, 9, 4000)),
    "zeros of both signs": np.where(FLAGS, 0.0, -0.0),
}


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("dissimilarity", [False, True])
def test_counts_are_those_of_a_loop_over_bins(kind, dissimilarity):
    scores = SCORES[kind]
    keyed = KeyedTally.from_scores(scores, FLAGS, dissimilarity=dissimilarity)
    order = key_order(keyed.dtype)
    expected = {}
    for score, flag in zip(scores.tolist(), FLAGS.tolist(), strict=True):
        name = order.key(-score if dissimilarity else score) >> order.shift
        expected.setdefault(name, [0, 0])[flag] += 1
    assert keyed.bins.tolist() == sorted(expected)
    assert [list(pair) for pair in zip(keyed.nonmated, keyed.mated, strict=True)] == [
        expected[b] for b in sorted(expected)
    ]


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("chunk", [1, 7, 4000])
def test_the_unit_of_chunks_is_the_unit_of_a_tally(kind, chunk):
    scores = SCORES[kind]
    counter = KeyedCounter()
    for begin in range(0, 400, chunk):
        counter.add(scores[begin : min(begin + chunk, 400)], FLAGS[begin : min(begin + chunk, 400)])
    some, flags = scores[:400], FLAGS[:400]
    assert counter.result().unit == Tally.from_scores(some[flags], some[~flags]).unit


@pytest.mark.parametrize("kind", SCORES)
def test_parts_add_to_the_whole_in_any_order(kind):
    scores = SCORES[kind]
    parts = [
        KeyedTally.from_scores(s, f) for s, f in zip(np.array_split(scores, 5), np.array_split(FLAGS, 5), strict=True)
    ]
    whole = KeyedTally.from_scores(scores, FLAGS)
    assert sum(parts) == sum(parts[::-1]) == parts[0] + (parts[1] + parts[2]) + (parts[3] + parts[4]) == whole


def test_a_part_that_alone_would_be_of_integers_does_not_hide_the_decimals_of_another():
    integers, decimals = KeyedTally.from_scores([1.0, 7.0], [1, 0]), KeyedTally.from_scores([0.25, 3.0], [1, 0])
    assert (integers.unit, decimals.unit, (integers + decimals).unit) == (1, Fraction(1, 100), Fraction(1, 100))


def test_a_large_score_in_one_part_makes_decimals_of_another_too_fine_to_be_told():
    # The step of floats near 10^13 is about 0.002; a unit of 0.01 is then no unit, for a tally as well.
    parts = KeyedTally.from_scores([0.25, 3.0], [1, 0]) + KeyedTally.from_scores([1e13], [1])
    assert parts.unit is None
    assert Tally.from_scores([0.25, 1e13], [3.0]).unit is None


def test_scores_that_are_no_multiples_of_the_unit_given_are_refused():
    with pytest.raises(MatedError, match=r"score 0\.3 is not a multiple of the unit 0\.25"):
        KeyedTally.from_scores([0.5, 0.3], [1, 0], unit=0.25)
    with pytest.raises(MatedError, match=r"score 0\.3 is not a multiple"):
        KeyedTally.from_scores([0.5, 0.3], [1, 0], unit=0.25, dissimilarity=True)
    assert KeyedTally.from_scores([0.5, 0.75], [1, 0], unit="0.25").unit == Fraction(1, 4)
    assert KeyedTally.from_scores([1, 2], [1, 0], unit="continuous").unit is None


def test_nan_is_refused_with_its_row_or_counted_by_class():
    scores, flags = np.array([1.0, np.nan, np.nan, 2.0]), np.array([True, True, False, False])
    with pytest.raises(MatedError, match="file, row 12: the score is NaN"):
        KeyedCounter().add(scores, flags, name="file", first_row=11)
    keyed = KeyedTally.from_scores(scores, flags, nan="failure")
    assert (keyed.n_mated, keyed.n_nonmated, keyed.mated_failures, keyed.nonmated_failures) == (1, 1, 1, 1)
    assert keyed.rows == 4
    with pytest.raises(MatedError, match="nan must be"):
        KeyedCounter(nan="drop")


def test_types_orientations_and_units_do_not_mix():
    single, double = (KeyedTally.from_scores(np.array([0.1, 0.7], dtype=d), [1, 0]) for d in (np.float32, np.float64))
    with pytest.raises(MatedError, match="different types of scores"):
        single + double
    with pytest.raises(MatedError, match="different orientations"):
        double + KeyedTally.from_scores([0.5], [1], dissimilarity=True)
    with pytest.raises(MatedError, match="different units"):
        double + KeyedTally.from_scores([0.5], [1], unit="continuous")
    counter = KeyedCounter()
    counter.add(np.float32([0.5]), [True])
    with pytest.raises(MatedError, match="scores of type float64 follow scores of type float32"):
        counter.add(np.float64([0.5]), [True])


def test_a_part_without_scores_adds_nothing_whatever_its_type():
    single = KeyedTally.from_scores(np.float32([0.5, 0.7]), [1, 0])
    empty = KeyedTally.from_scores([], [])
    assert empty + single == single + empty == single
    assert sum([empty, empty, single]) == single
    assert empty.rows == 0


def test_flags_are_true_and_false_or_one_and_zero_one_for_each_score():
    assert KeyedTally.from_scores([1, 2], [1, 0]) == KeyedTally.from_scores([1, 2], [True, False])
    assert KeyedTally.from_scores([1, 2], [1.0, 0.0]) == KeyedTally.from_scores([1, 2], [True, False])
    with pytest.raises(MatedError, match="true and false, or 1 and 0"):
        KeyedTally.from_scores([1, 2], [1, 2])
    with pytest.raises(MatedError, match="1 flags of mated comparisons for 2 scores"):
        KeyedTally.from_scores([1, 2], [True])


def test_counters_are_emptied_before_they_overflow(monkeypatch):
    monkeypatch.setattr(module, "_COUNTER", 1500)
    scores = SCORES["two decimals"]
    counter = KeyedCounter()
    for begin in range(0, 4000, 500):
        counter.add(scores[begin : begin + 500], FLAGS[begin : begin + 500])
    assert counter.result() == KeyedTally.from_scores(scores[:1500], FLAGS[:1500]) + sum(
        KeyedTally.from_scores(scores[b : b + 500], FLAGS[b : b + 500]) for b in range(1500, 4000, 500)
    )


def test_arrays_bring_it_back_and_anything_else_is_refused():
    for keyed in (
        KeyedTally.from_scores(SCORES["continuous, float32"], FLAGS),
        KeyedTally.from_scores([0.5, 0.75], [1, 0], unit=0.25, dissimilarity=True),
        KeyedTally.from_scores([], []),
    ):
        assert KeyedTally.from_arrays(keyed.arrays()) == keyed
    good = keyed_arrays = KeyedTally.from_scores([1, 2, 3], [1, 0, 1]).arrays()
    for name, wrong in (
        ("bins", good["bins"][::-1]),
        ("bins", good["bins"] + 2**22),
        ("mated", -good["mated"]),
        ("nonmated", good["nonmated"][:1]),
        ("bits", np.array(20)),
        ("decimals", np.array(10)),
        ("dtype", np.array("int32")),
    ):
        with pytest.raises(MatedError, match=r"not a keyed tally|have keys as"):
            KeyedTally.from_arrays({**keyed_arrays, name: wrong})
    with pytest.raises(MatedError, match="not a keyed tally"):
        KeyedTally.from_arrays({"bins": good["bins"]})
