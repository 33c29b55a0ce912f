"""Pairs of subjects against plain counting; parts add up to the whole."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mated.errors import MatedError
from mated.scores import Comparisons
from mated.scores.subject_pairs import PairTotals, SubjectPairs
from strategies import integers
from subject_brute_force import table

rows_of_table = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), integers), min_size=1, max_size=40)


def content(pairs: SubjectPairs):
    """Everything held, in an order that does not depend on how it was built."""
    triples = zip(pairs.score.tolist(), pairs.first.tolist(), pairs.second.tolist(), strict=True)
    own = zip(pairs.mated_score.tolist(), pairs.mated_subject.tolist(), strict=True)
    totals = list(zip(*(column.tolist() for column in pairs.totals.entries), strict=True))
    complete = None if pairs.totals.samples is None else (pairs.totals.samples.tolist(), pairs.totals.scale)
    return pairs.names, pairs.subjects, sorted(own), sorted(triples), totals, complete, pairs.tail_above


def all_pairs(samples: dict[str, int]) -> list[tuple[str, str, float]]:
    """Each sample against each other, once."""
    names = [name for name, count in samples.items() for _ in range(count)]
    return [(a, b, float(k % 7)) for k, (a, b) in enumerate(combinations(names, 2))]


@given(rows_of_table, integers)
def test_errors_at_a_threshold_are_those_of_a_plain_count(rows, threshold):
    pairs = SubjectPairs.of(table(rows))
    names = [int(name) for name in pairs.subjects]
    missed = pairs.false_nonmatches(threshold)
    for code, name in enumerate(names):
        own = [s for p, r, s in rows if p == r == name]
        assert (pairs.mated_per_subject[code], missed[code]) == (len(own), sum(s < threshold for s in own))
    matched = {(i, j): n for i, j, n in zip(*map(np.ndarray.tolist, pairs.false_matches(threshold)), strict=True)}
    for i, j in combinations(range(len(names)), 2):
        both = [s for p, r, s in rows if {p, r} == {names[i], names[j]}]
        assert matched.get((i, j), 0) == sum(s >= threshold for s in both)
        assert pairs.totals.at(np.array([i]), np.array([j])).tolist() == [len(both)]
    assert pairs.nonmated_from(threshold) == sum(matched.values())
    assert (pairs.n_mated, pairs.n_nonmated) == (sum(p == r for p, r, _ in rows), sum(p != r for p, r, _ in rows))


@given(rows_of_table)
def test_scores_run_from_the_highest_down_and_cannot_be_written(rows):
    pairs = SubjectPairs.of(table(rows))
    assert pairs.score.tolist() == sorted((s for p, r, s in rows if p != r), reverse=True)
    assert pairs.mated_score.tolist() == sorted((s for p, r, s in rows if p == r), reverse=True)
    assert (pairs.first < pairs.second).all()
    for array in (pairs.score, pairs.first, pairs.second, pairs.mated_score, pairs.mated_subject, pairs.present):
        assert not array.flags.writeable


@given(rows_of_table, st.integers(0, 40), st.integers(0, 40))
def test_parts_add_up_to_the_whole(rows, one, other):
    data = table(rows)
    edges = sorted((min(one, len(rows)), min(other, len(rows))))
    chunks = np.split(np.arange(len(rows)), edges)
    assert content(sum(SubjectPairs.of(data.take(chunk)) for chunk in chunks)) == content(SubjectPairs.of(data))


@given(rows_of_table, integers, st.integers(0, 40))
def test_a_cut_keeps_the_tail_and_all_totals_and_cut_parts_add_up(rows, cut, here):
    data = table(rows)
    whole, tail = SubjectPairs.of(data), SubjectPairs.of(data, tail_above=cut)
    assert tail.score.tolist() == [s for s in whole.score.tolist() if s >= cut]
    assert content(tail)[4:6] == content(whole)[4:6]
    first = np.arange(len(rows)) < here
    parts = [SubjectPairs.of(data.take(part), tail_above=cut) for part in (first, ~first)]
    assert content(parts[0] + parts[1]) == content(tail)
    assert tail.nonmated_from(cut) == whole.nonmated_from(cut)
    with pytest.raises(MatedError, match="were not kept"):
        tail.nonmated_from(cut - 1)


@given(rows_of_table, st.lists(st.lists(st.integers(0, 5), min_size=5, max_size=5), min_size=1, max_size=3))
def test_weighted_totals_sum_over_pairs(rows, weights):
    pairs = SubjectPairs.of(table(rows))
    w = np.array(weights, dtype=np.uint8)[:, : pairs.n_subjects]
    expected = [sum(n * int(row[i]) * int(row[j]) for i, j, n in zip(*pairs.totals.entries, strict=True)) for row in w]
    assert pairs.totals.weighted(w).tolist() == expected
    assert pairs.totals.squares == pytest.approx(sum(float(n) ** 2 for n in pairs.totals.entries[2]))
    assert pairs.totals.of_subject.sum() == 2 * pairs.totals.total


class TestACompleteDesign:
    @pytest.mark.parametrize(
        ("samples", "vector", "scale"),
        [
            ({"a": 2, "b": 3, "c": 4, "d": 1}, [2, 3, 4, 1], 1),
            ({"a": 3, "b": 3, "c": 3}, [1, 1, 1], 9),
            ({"a": 5, "b": 2}, [1, 1], 10),
        ],
    )
    def test_is_held_as_a_vector(self, samples, vector, scale):
        totals = SubjectPairs.of(table(all_pairs(samples))).totals
        assert (totals.matrix, totals.samples.tolist(), totals.scale) == (None, vector, scale)

    def test_may_be_listed_in_both_orders(self):
        once = all_pairs({"a": 1, "b": 3, "c": 2, "d": 2})
        totals = SubjectPairs.of(table(once + [(b, a, s) for a, b, s in once])).totals
        assert (totals.samples.tolist(), totals.scale) == ([1, 3, 2, 2], 2)

    def test_may_need_a_fraction(self):
        # N_12 = 2, N_13 = N_23 = 1 is ½·m_i·m_j with m = (2, 2, 1).
        totals = PairTotals.count(3, np.array([0, 0, 0, 1]), np.array([1, 1, 2, 2]))
        assert (totals.samples.tolist(), totals.scale) == ([2, 2, 1], Fraction(1, 2))
        assert totals.weighted(np.array([[1, 1, 1], [2, 0, 3]])).tolist() == [4, 6]

    def test_may_leave_out_a_subject_with_mated_comparisons_only(self):
        totals = SubjectPairs.of(table([*all_pairs({"a": 2, "b": 3, "c": 1}), ("z", "z", 1.0)])).totals
        assert totals.samples.tolist() == [2, 3, 1, 0]

    def test_of_nothing_is_nothing(self):
        assert SubjectPairs.of(table([("a", "a", 1.0)])).totals.total == 0

    def test_is_not_made_of_large_counts_without_a_pattern(self):
        # Any three counts are c·m_i·m_j, but these need an m of a hundred thousand millions.
        first, second = np.repeat([0, 0, 1], [99_991, 99_989, 99_971]), np.repeat([1, 2, 2], [99_991, 99_989, 99_971])
        totals = PairTotals.count(3, first, second)
        assert totals.samples is None
        assert totals.weighted(np.array([[1, 2, 0]])).tolist() == [2 * 99_991]

    def test_without_one_comparison_is_complete_no_more(self):
        rows = all_pairs({"a": 2, "b": 3, "c": 4, "d": 2})
        rows.remove(next(r for r in rows if r[0] != r[1]))
        assert SubjectPairs.of(table(rows)).totals.samples is None


def test_subjects_without_a_comparison_are_dropped_and_come_back_with_the_part_that_has_them():
    data = table([("a", "a", 1.0), ("b", "c", 2.0), ("d", "d", 3.0)])
    first, second = SubjectPairs.of(data.take(np.array([0, 1]))), SubjectPairs.of(data.take(np.array([2])))
    assert (first.subjects, second.subjects, (first + second).subjects) == (("a", "b", "c"), ("d",), tuple("abcd"))


def test_parts_of_different_tables_or_cuts_cannot_be_added():
    one, other = (SubjectPairs.of(table([("a", b, 1.0)])) for b in "bc")
    with pytest.raises(MatedError, match="same subjects"):
        _ = one + other
    with pytest.raises(MatedError, match="cut both alike"):
        _ = one + SubjectPairs.of(table([("a", "b", 1.0)]), tail_above=0.0)


def test_a_table_without_subjects_is_refused():
    with pytest.raises(MatedError, match="who was compared"):
        SubjectPairs.of(Comparisons.from_arrays([1.0, 2.0], [True, False]))
