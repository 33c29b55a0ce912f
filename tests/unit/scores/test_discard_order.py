"""The order in which comparisons are discarded: groups, limits, fractions, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from mated.errors import MatedError
from mated.scores.discard_order import DiscardOrder, is_error

SCORE = np.array([0.9, 0.1, 0.5, 0.3, 0.7])
QUALITY = np.array([2.0, 1.0, 1.0, 3.0, 2.0])


def test_each_step_discards_exactly_the_comparisons_of_the_next_lowest_quality():
    order = DiscardOrder.of(SCORE, QUALITY)
    assert order.quality.tolist() == [1, 2, 3]
    assert order.ends.tolist() == [2, 4, 5]
    assert order.discarded.tolist() == [0, 2, 4, 5]
    assert order.fractions().tolist() == [0, 0.4, 0.8, 1]
    assert sorted(order.position[:2]) == [1, 2]
    assert order.complete
    assert (len(order), order.steps, order.total) == (3, 3, 5)


def test_errors_are_cumulated_at_the_steps():
    """Below .6 are .1, .5 (quality 1) and .3 (quality 3); at or above it .9 and .7 (quality 2)."""
    order = DiscardOrder.of(SCORE, QUALITY)
    assert order.errors_discarded(0.6, "fnm").tolist() == [0, 2, 2, 3]
    assert order.errors(0.6, "fnm") == 3
    assert order.errors_discarded(0.6, "fm").tolist() == [0, 0, 2, 2]
    assert order.errors(0.6, "fm") == 2


def test_a_score_at_the_threshold_matches():
    assert is_error(SCORE, 0.5, "fnm").tolist() == [False, True, False, True, False]
    assert is_error(SCORE, 0.5, "fm").tolist() == [True, False, True, False, True]


def test_only_what_a_limit_needs_is_sorted_and_a_group_is_never_split():
    order = DiscardOrder.of(SCORE, QUALITY, limit=0.2)
    assert order.ends.tolist() == [2]  # one comparison of five, and the other of its quality
    assert not order.complete
    assert order.total == 5
    assert order.errors(0.6, "fnm") == 3
    assert "the lowest 2 in order" in repr(order)


def test_the_lowest_part_of_a_large_order_is_sorted():
    rng = np.random.default_rng(1)
    score, quality = rng.random(10_000), rng.random(10_000)
    part, whole = (DiscardOrder.of(score, quality, limit=limit) for limit in (0.2, 1.0))
    assert 2000 <= part.steps <= 2001
    assert np.array_equal(part.position, whole.position[: part.steps])
    assert np.array_equal(part.score, score[part.position])


def test_samples_are_discarded_at_or_below_the_quality_of_a_step():
    order = DiscardOrder.of(SCORE, QUALITY, sample_quality=np.array([4.0, 2.0, 3.0, 1.0]))
    assert order.fractions("samples").tolist() == [0, 0.25, 0.5, 0.75]


def test_a_fraction_is_that_of_the_last_step_that_does_not_exceed_it():
    order = DiscardOrder.of(SCORE, QUALITY)
    assert [order.step_at(fraction) for fraction in (0, 0.39, 0.4, 0.79, 0.8, 1)] == [0, 0, 1, 1, 2, 3]
    with pytest.raises(MatedError, match=r"from 0 to 1, and 1\.1 is outside"):
        order.step_at(1.1)


def test_both_classes_keep_their_flags():
    flags = np.array([True, False, True, True, False])
    order = DiscardOrder.of(SCORE, QUALITY, mated=flags)
    assert order.mated.tolist() == flags[order.position].tolist()
    assert DiscardOrder.of(SCORE, QUALITY).mated is None


def test_infinite_qualities_are_first_and_last():
    order = DiscardOrder.of(SCORE, np.array([np.inf, 0.0, -np.inf, 1.0, np.inf]), limit=0.9)
    assert order.quality.tolist() == [-np.inf, 0, 1, np.inf]
    assert order.ends.tolist() == [1, 2, 3, 5]


def test_arrays_cannot_be_written():
    order = DiscardOrder.of(SCORE.copy(), QUALITY)
    for array in (order.score, order.all_scores, order.ends, order.quality, order.position, order.discarded):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


class TestWhatIsRefused:
    @pytest.mark.parametrize("limit", [0, -0.1, 1.5, np.nan, "0.2", None])
    def test_a_limit_outside_0_to_1(self, limit):
        with pytest.raises(MatedError, match="a discard limit lies above 0 and goes up to 1"):
            DiscardOrder.of(SCORE, QUALITY, limit=limit)

    def test_an_axis_that_does_not_exist(self):
        with pytest.raises(MatedError, match="'comparisons' or of 'samples', not of 'subjects'"):
            DiscardOrder.of(SCORE, QUALITY, axis="subjects")

    def test_a_fraction_of_samples_without_their_qualities(self):
        with pytest.raises(MatedError, match="needs the qualities of the samples"):
            DiscardOrder.of(SCORE, QUALITY, axis="samples")
        with pytest.raises(MatedError, match="this order has none"):
            DiscardOrder.of(SCORE, QUALITY).fractions("samples")

    def test_a_quality_that_is_nan(self):
        with pytest.raises(MatedError, match="pair quality of comparison 2 is NaN"):
            DiscardOrder.of(SCORE, np.array([1, np.nan, 1, 1, 1]))

    def test_more_qualities_than_scores_and_none_at_all(self):
        with pytest.raises(MatedError, match="6 pair qualities and 5 scores"):
            DiscardOrder.of(SCORE, np.ones(6))
        with pytest.raises(MatedError, match="no comparison to discard"):
            DiscardOrder.of(np.zeros(0), np.zeros(0))

    def test_an_error_that_does_not_exist(self):
        with pytest.raises(MatedError, match="there is no error 'fr'"):
            DiscardOrder.of(SCORE, QUALITY).errors(0.5, "fr")
