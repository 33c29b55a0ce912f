"""Rivals and the expected CMC against every gallery and every order of equal scores, one by one."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rival_brute_force as brute
from mated.identification.expectation import expected_cmc
from mated.scores import searches
from mated.scores.rivals import Rivals
from rival_brute_force import Rectangle

scores = st.integers(-2, 2).map(float)
ties = st.sampled_from(["expected", "pessimistic", "optimistic"])
scopes = st.sampled_from(["probe", "subject"])


@st.composite
def rectangles(draw, holes: bool = True) -> Rectangle:
    """Few people with few samples: probes against other samples, all samples in both orders, or in one."""
    people = draw(st.integers(2, 4))
    kind = draw(st.sampled_from(["apart", "both orders", "symmetric"]))
    rows = draw(st.lists(st.integers(0, people - 1), min_size=2, max_size=6))
    columns = rows if kind != "apart" else draw(st.lists(st.integers(0, people - 1), min_size=2, max_size=6))
    entry = st.one_of(scores, st.none()) if holes else scores
    table = [[draw(entry) for _ in columns] for _ in rows]
    if kind == "symmetric":
        table = [[table[min(i, j)][max(i, j)] for j in range(len(rows))] for i in range(len(rows))]
    return Rectangle(rows, columns, table, kind != "apart")


def counted(rivals: Rivals) -> Counter:
    """Each mated comparison as subject, score, and per rival how many scored above, the same, at all."""
    found: Counter = Counter()
    for m in range(rivals.n_mated):
        total = rivals.total[rivals.search[m]]
        per_rival = [
            (int(rivals.names[v]), int(rivals.above[m, v]), int(rivals.tied[m, v]), int(total[v]))
            for v in np.flatnonzero(total)
        ]
        key = (int(rivals.names[rivals.subject[m]]), float(rivals.mated_score[m]), frozenset(per_rival))
        found[key] += 1
    return found


def plainly_counted(data: Rectangle, scope: str) -> Counter:
    return Counter(
        (
            subject,
            mated,
            frozenset((v, sum(s > mated for s in x), sum(s == mated for s in x), len(x)) for v, x in rivals.items()),
        )
        for subject, mated, rivals in data.searches(scope)
    )


@given(rectangles(), scopes, st.sampled_from([3, 1 << 21]))
def test_rivals_of_a_matrix_are_those_of_plain_counting(data, scope, block):
    expected = plainly_counted(data, scope)
    assume(expected)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searches, "_BLOCK_ENTRIES", block)
        parts = list(Rivals.blocks(data.matrix(), scope=scope))
    assert counted(sum(parts)) == expected


@given(rectangles(), scopes, st.sampled_from([3, 1 << 21]))
def test_rivals_of_a_table_are_those_of_its_matrix(data, scope, block):
    expected = plainly_counted(data, scope)
    assume(expected)
    matrix = data.matrix()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searches, "_BLOCK_ENTRIES", block)
        parts = list(Rivals.blocks(matrix.comparisons(), scope=scope, symmetric="yes" if matrix.symmetric else "no"))
    assert counted(sum(parts)) == expected


@given(rectangles(), ties, scopes, st.sampled_from([None, 2, 3, 4]))
def test_the_expected_cmc_is_the_mean_over_every_gallery(data, ties, scope, gallery_size):
    met = [len(rivals) for _, _, rivals in data.searches(scope)]
    assume(met and (gallery_size is None or gallery_size <= min(met) + 1))
    result = expected_cmc(Rivals.blocks(data.matrix(), scope=scope), gallery_size=gallery_size, ties=ties)
    assert result.gallery_size == (max(met) + 1 if gallery_size is None else gallery_size)
    expected = brute.expected_cmc(data, ties, scope, gallery_size)
    assert result.names == tuple(str(subject) for subject in sorted(expected))
    for row, subject in zip(result.individual, sorted(expected), strict=True):
        np.testing.assert_allclose(row, [float(x) for x in expected[subject][: len(row)]], atol=1e-14)
    mean = np.mean([[float(x) for x in law] for law in expected.values()], axis=0)
    np.testing.assert_allclose(result.rate, mean[: len(result.rate)], atol=1e-14)
    assert result.incomplete == (sum(n < max(met) for n in met) if gallery_size is None else 0)


@given(rectangles(holes=False), st.sampled_from([None, 2, 3]))
def test_the_expected_cmc_rises_to_one_and_lies_between_the_bounds(data, gallery_size):
    met = [len(rivals) for _, _, rivals in data.searches("probe")]
    assume(met and (gallery_size is None or gallery_size <= min(met) + 1))
    rivals = Rivals.of(data.matrix())
    low, middle, high = (
        expected_cmc(rivals, gallery_size=gallery_size, ties=rule).individual
        for rule in ("pessimistic", "expected", "optimistic")
    )
    assert (low <= middle + 1e-14).all()
    assert (middle <= high + 1e-14).all()
    for curve in (low, middle, high):
        assert (np.diff(curve, axis=1) >= 0).all()
        np.testing.assert_array_equal(curve[:, -1], 1.0)


@given(rectangles(holes=False), st.lists(st.integers(1, 3), min_size=1, max_size=3))
def test_ranks_that_are_asked_for_cut_the_curve_and_change_nothing(data, ranks):
    met = [len(rivals) for _, _, rivals in data.searches("probe")]
    assume(met and max(ranks) <= max(met) + 1)
    rivals = Rivals.of(data.matrix())
    whole, cut = expected_cmc(rivals), expected_cmc(rivals, ranks)
    np.testing.assert_allclose(cut.individual, whole.individual[:, np.array(ranks) - 1], atol=1e-15)
