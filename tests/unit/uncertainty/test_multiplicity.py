"""Holm's adjustment and letters for systems that cannot be told apart."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mated.errors import MatedError
from mated.uncertainty.multiplicity import holm, ranking

p_values = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.05, 1.0])), min_size=1, max_size=7)


class TestHolm:
    def test_a_hand_example(self):
        # Ascending .005 .01 .03 .04 times 4 3 2 1 is .02 .03 .06 .04; the last is raised to its predecessor.
        assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])

    def test_one_test_needs_no_adjustment(self):
        assert holm([0.04]) == pytest.approx([0.04])

    def test_no_tests_give_none(self):
        assert holm([]).tolist() == []

    @given(p_values)
    def test_it_is_closed_testing_with_bonferroni(self, p):
        # A hypothesis falls where every intersection that holds it falls: the largest Bonferroni p-value of those.
        everything = range(len(p))
        for i, adjusted in enumerate(holm(p)):
            subsets = (s for k in everything for s in itertools.combinations(everything, k + 1) if i in s)
            closed = max(min(1, len(s) * min(p[j] for j in s)) for s in subsets)
            assert adjusted == pytest.approx(closed, abs=1e-15)

    @given(p_values, st.randoms())
    def test_the_order_of_the_tests_does_not_matter(self, p, random):
        order = list(range(len(p)))
        random.shuffle(order)
        assert holm([p[i] for i in order]).tolist() == holm(p)[order].tolist()

    @pytest.mark.parametrize("wrong", [[-0.1], [1.1], [float("nan")], ["x"], [[0.1]]])
    def test_what_is_no_list_of_p_values_is_refused(self, wrong):
        with pytest.raises(MatedError, match=r"p-value"):
            holm(wrong)


def matrix(count, different):
    p = np.ones((count, count))
    for i, j in different:
        p[i, j] = p[j, i] = 0.001
    return p


class TestRanking:
    def test_neighbours_that_overlap_share_letters_and_the_ends_do_not(self):
        result = ranking("xyz", [0.03, 0.01, 0.02], matrix(3, [(0, 1)]))
        assert result.names == ("y", "z", "x")
        assert result.estimates == (0.01, 0.02, 0.03)
        assert result.letters == ("a", "ab", "b")
        assert result.groups == (("y", "z"), ("z", "x"))

    def test_high_estimates_may_be_the_better_ones(self):
        assert ranking("xyz", [0.97, 0.99, 0.98], matrix(3, []), better="high").names == ("y", "z", "x")

    def test_systems_that_all_differ_have_a_letter_each(self):
        assert ranking("abc", [1, 2, 3], matrix(3, [(0, 1), (0, 2), (1, 2)])).letters == ("a", "b", "c")

    def test_systems_of_which_none_differ_have_one_letter(self):
        assert ranking("abcd", [1, 2, 3, 4], matrix(4, [])).letters == ("a",) * 4

    def test_the_example_of_gramm_and_others_needs_three_letters(self):
        # Gramm et al. (2007), Fig. 2: five treatments, differences {1,5}, {2,3}, {2,5}, {3,5}.
        result = ranking("12345", range(5), matrix(5, [(0, 4), (1, 2), (1, 4), (2, 4)]))
        assert result.groups == (("1", "2", "4"), ("1", "3", "4"), ("4", "5"))
        assert result.letters == ("ab", "a", "b", "abc", "c")

    def test_a_p_value_of_alpha_is_a_difference(self):
        assert ranking("ab", [1, 2], [[1, 0.05], [0.05, 1]], alpha=0.05).letters == ("a", "b")

    def test_equal_estimates_keep_their_order(self):
        assert ranking("ba", [1, 1], matrix(2, [])).names == ("b", "a")

    def test_more_groups_than_letters_get_primes(self):
        everything = list(itertools.combinations(range(28), 2))
        letters = ranking([str(i) for i in range(28)], range(28), matrix(28, everything)).letters
        assert letters[25:] == ("z", "a′", "b′")

    @given(
        st.integers(1, 7).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.booleans(), min_size=21, max_size=21)))
    )
    def test_two_systems_share_a_letter_if_and_only_if_no_difference_was_shown(self, drawn):
        count, flags = drawn
        pairs = list(itertools.combinations(range(count), 2))
        different = {pair for pair, flag in zip(pairs, flags, strict=False) if flag}
        result = ranking([str(i) for i in range(count)], range(count), matrix(count, different))
        for i, j in pairs:
            assert bool(set(result.letters[i]) & set(result.letters[j])) == ((i, j) not in different)
        assert all(result.letters)
        for group in result.groups:
            members = {int(name) for name in group}
            outside = set(range(count)) - members
            # No system could be added to a group.
            assert all(any(tuple(sorted((v, m))) in different for m in members) for v in outside)

    def test_the_result_is_a_plain_dictionary(self):
        result = ranking("ab", [1, 2], matrix(2, [])).to_dict()
        assert list(result) == ["names", "estimates", "letters", "groups", "better", "alpha"]

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ({"names": "aa"}, "must differ"),
            ({"estimates": [1]}, "one finite estimate for each of the 2 systems"),
            ({"estimates": [1, float("nan")]}, "one finite estimate"),
            ({"p_adjusted": [[1, 1]]}, "2 × 2 matrix"),
            ({"p_adjusted": [[1, 0.1], [0.2, 1]]}, "symmetric"),
            ({"p_adjusted": [[1, 2], [2, 1]]}, "between 0 and 1"),
            ({"p_adjusted": [["x", 1], [1, 1]]}, "must be numbers"),
            ({"better": "mid"}, "'low' or 'high'"),
            ({"alpha": 5}, "between 0 and 1"),
        ],
    )
    def test_input_that_does_not_fit_is_named(self, change, says):
        given_ = {"names": "ab", "estimates": [1, 2], "p_adjusted": matrix(2, [])} | change
        with pytest.raises(MatedError, match=says):
            ranking(**given_)
