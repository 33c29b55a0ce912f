"""What must hold of tallies whatever the scores: they form a monoid, and rates do not depend on trivia."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mated.scores import Comparisons, ScoreMatrix, Tally
from mated.verification import area_under_roc, at_fmr, equal_error_rate
from strategies import any_pair, continuous, integers, targets, two_lists


def flagged(pair):
    mated, nonmated = pair
    return np.array(mated + nonmated), np.array([True] * len(mated) + [False] * len(nonmated))


@given(any_pair)
def test_counts_at_the_distinct_scores_are_those_of_a_plain_count(pair):
    mated, nonmated = pair
    tally = Tally.from_scores(mated, nonmated)
    assert tally.scores.tolist() == sorted(set(mated + nonmated))
    assert tally.mated.tolist() == [mated.count(s) for s in tally.scores]
    assert tally.nonmated.tolist() == [nonmated.count(s) for s in tally.scores]


@given(any_pair, any_pair, any_pair)
def test_adding_is_associative_and_commutative_with_zero_as_identity(a, b, c):
    a, b, c = (Tally.from_scores(*pair) for pair in (a, b, c))
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert sum([a]) == a


@given(any_pair, st.data())
def test_a_tally_of_chunks_in_any_order_is_the_tally_of_the_whole(pair, data):
    scores, flags = flagged(pair)
    order = np.array(data.draw(st.permutations(range(len(scores)))))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(scores)), max_size=4)))
    chunks = np.split(order, cuts)
    parts = [Tally.from_scores(scores[c][flags[c]], scores[c][~flags[c]]) for c in chunks]
    assert sum(parts) == Tally.from_scores(*pair)


@given(two_lists(integers))
def test_integers_count_the_same_without_sorting_and_with(pair):
    # A distant pair of scores makes the range too wide for counters, and is then taken out again.
    far = 10.0**7
    counted = Tally.from_scores(*pair)
    sorted_too = Tally.from_scores([*pair[0], far], [*pair[1], far])
    assert np.array_equal(sorted_too.scores[:-1], counted.scores)
    assert np.array_equal(sorted_too.mated[:-1], counted.mated)
    assert np.array_equal(sorted_too.nonmated[:-1], counted.nonmated)


@given(two_lists(integers))
def test_integers_and_the_same_numbers_as_floats_count_the_same(pair):
    whole = [np.array(scores, dtype=np.int16) for scores in pair]
    assert Tally.from_scores(*whole) == Tally.from_scores(*pair)


@given(any_pair, targets)
def test_a_monotone_transform_changes_no_rate(pair, target):
    finite = [[s for s in scores if math.isfinite(s)] or [0.0] for scores in pair]
    # Halving and shifting by a power of two keep every order and every tie exactly.
    changed = [[s / 2 + 64 for s in scores] for scores in finite]
    if len({*finite[0], *finite[1]}) != len({*changed[0], *changed[1]}):
        return  # the shift rounded two scores together
    before, after = Tally.from_scores(*finite), Tally.from_scores(*changed)
    assert area_under_roc(before) == area_under_roc(after)
    assert at_fmr(before, target).tmr == at_fmr(after, target).tmr
    a, b = equal_error_rate(before).by_definition, equal_error_rate(after).by_definition
    assert {k: a[k] for k in a if k != "wu2008"} == {k: b[k] for k in b if k != "wu2008"}


@given(any_pair, targets)
def test_negated_scores_read_as_dissimilarities_give_the_same_rates_and_negated_thresholds(pair, target):
    turned = [[-s for s in scores] for scores in pair]
    similar, different = Tally.from_scores(*pair), Tally.from_scores(*turned, dissimilarity=True)
    a, b = at_fmr(similar, target), at_fmr(different, target)
    assert (a.tmr, a.fnmr_conservative) == (b.tmr, b.fnmr_conservative)
    assert a.threshold == -b.threshold
    a, b = equal_error_rate(similar), equal_error_rate(different)
    assert a.by_definition == b.by_definition
    assert a.threshold == -b.threshold


@given(any_pair, st.data())
def test_the_order_of_comparisons_does_not_matter(pair, data):
    scores, flags = flagged(pair)
    order = np.array(data.draw(st.permutations(range(len(scores)))))
    assert Comparisons.from_arrays(scores[order], flags[order]).tally() == Tally.from_scores(*pair)


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=5), st.lists(st.integers(0, 3), min_size=1, max_size=5), st.data()
)
def test_a_matrix_and_the_table_of_its_entries_have_one_tally(probes, references, data):
    size = (len(probes), len(references))
    values = data.draw(st.lists(continuous, min_size=size[0] * size[1], max_size=size[0] * size[1]))
    used = data.draw(st.lists(st.booleans(), min_size=size[0] * size[1], max_size=size[0] * size[1]))
    matrix = ScoreMatrix.from_arrays(np.reshape(values, size), probes, references, mask=np.reshape(used, size))
    pairs = [(p, r) for p in probes for r in references]
    mated = [v for v, u, (p, r) in zip(values, used, pairs, strict=True) if u and p == r]
    nonmated = [v for v, u, (p, r) in zip(values, used, pairs, strict=True) if u and p != r]
    assert matrix.tally() == Tally.from_scores(mated, nonmated)
    assert matrix.comparisons().tally() == matrix.tally()
