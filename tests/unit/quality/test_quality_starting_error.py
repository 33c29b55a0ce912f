"""Starting errors, the thresholds that come with them, and what is said where none fits."""

from __future__ import annotations

import pytest

from mated.errors import MatedError
from mated.quality import starting_errors
from mated.scores import Tally

INTEGERS = Tally.from_scores([10, 20, 20, 30, 40], [5, 10, 15, 15, 25])


def test_false_non_matches_are_mated_scores_below_an_observed_mated_score():
    """Below 20: 1 of 5, below 30: 3, below 40: 4; 15 and 25 are no mated scores."""
    found = starting_errors(INTEGERS, "fnm")
    assert found.errors.tolist() == [1, 3, 4]
    assert found.inner.tolist() == [20, 30, 40]
    assert found.value.tolist() == [0.2, 0.6, 0.8]


def test_false_matches_are_non_mated_scores_at_or_above_an_observed_non_mated_score():
    found = starting_errors(INTEGERS, "fm")
    assert found.errors.tolist() == [1, 3, 4]
    assert found.inner.tolist() == [25, 15, 10]


def test_the_nearest_is_given_with_its_own_value():
    start = starting_errors(INTEGERS).nearest(0.5)
    assert (start.asked, start.value, start.errors, start.comparisons) == (0.5, 0.6, 3, 5)
    assert start.threshold == 30
    assert isinstance(start.threshold, int)


def test_of_two_equally_near_the_lower_is_given():
    assert starting_errors(INTEGERS).nearest(0.4).value == 0.2
    assert starting_errors(INTEGERS).nearest(0.7).value == 0.6


def test_thresholds_of_dissimilarities_are_dissimilarities():
    """Distances .1 and .2 match at .2 and below; .9 and .5 do not: FNMR 2/4 with the threshold at .2."""
    tally = Tally.from_scores([0.1, 0.2, 0.5, 0.9], [], dissimilarity=True)
    start = starting_errors(tally).nearest(0.5)
    assert (start.threshold, start.inner, start.errors) == (0.2, -0.2, 2)


def test_none_within_a_factor_of_two_is_refused_with_the_nearest():
    with pytest.raises(MatedError, match=r"none within a factor of two of 0\.05; the nearest are 0\.2, 0\.6, 0\.8"):
        starting_errors(INTEGERS).nearest(0.05)
    assert starting_errors(INTEGERS).nearest(0.1).value == 0.2  # exactly twice


def test_one_within_a_factor_of_two_is_taken_even_where_another_is_nearer():
    """Of 100: 2 and 9 errors; asked for 5, 2 is nearer but less than half."""
    tally = Tally.from_scores([1] * 2 + [2] * 7 + [3] * 91, [])
    assert starting_errors(tally).errors.tolist() == [2, 9]
    assert starting_errors(tally).nearest(0.05).errors == 9


def test_a_threshold_can_be_asked_for():
    found = starting_errors(INTEGERS)
    start = found.at_threshold(25)
    assert (start.errors, start.asked, start.threshold, start.inner) == (3, None, 25, 25.0)
    with pytest.raises(MatedError, match="at threshold 5 0 of 5 comparisons are errors"):
        found.at_threshold(5)
    with pytest.raises(MatedError, match="a threshold must be a number, and 'high' is none"):
        found.at_threshold("high")
    turned = starting_errors(Tally.from_scores([0.1, 0.2, 0.5, 0.9], [0.3, 1.2], dissimilarity=True), "fm")
    assert turned.at_threshold(0.4).errors == 1


def test_several_are_found_together():
    assert [s.errors for s in starting_errors(INTEGERS).nearest_each((0.2, 0.6))] == [1, 3]


@pytest.mark.parametrize("rate", [0, 1, -0.1, 5, "much"])
def test_what_is_no_rate_is_refused(rate):
    with pytest.raises(MatedError, match="a starting error must"):
        starting_errors(INTEGERS).nearest(rate)


def test_one_score_or_no_comparison_has_no_starting_error():
    with pytest.raises(MatedError, match="all 2 mated comparisons have one score"):
        starting_errors(Tally.from_scores([1, 1], [0, 3]))
    with pytest.raises(MatedError, match="no non-mated comparison"):
        starting_errors(Tally.from_scores([1, 2], []), "fm")
    with pytest.raises(MatedError, match="there is no error 'fr'"):
        starting_errors(INTEGERS, "fr")
