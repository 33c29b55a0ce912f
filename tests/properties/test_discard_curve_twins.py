"""Mean score, d′, fixed counterpart and parts by quality against discarding by hand and counting again."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quality_brute_force as by_hand
from mated.errors import MatedError
from mated.quality import (
    d_prime_curve,
    fixed_counterpart_curve,
    mean_score_curve,
    sample_utility,
    tallies_by_discard,
)
from mated.scores import Comparisons, Tally
from mated.scores.discard_order import DiscardOrder
from quality_brute_force import Row

qualities = st.one_of(st.integers(0, 3).map(float), st.floats(-1, 1).map(lambda q: q + 0.0))
scores = st.one_of(st.integers(0, 3).map(float), st.integers(-20, 20).map(lambda n: n / 8))
one_class = st.lists(st.builds(Row, qualities, scores, st.just(True)), min_size=2, max_size=14)
both_classes = st.lists(st.builds(Row, qualities, scores, st.booleans()), min_size=2, max_size=14)
limits = st.one_of(st.just(1.0), st.integers(1, 40).map(lambda n: n / 40))


def order_of(rows, limit=1.0) -> DiscardOrder:
    return DiscardOrder.of(np.array([row.score for row in rows]), np.array([row.quality for row in rows]), limit=limit)


def joint_order(rows, limit=1.0) -> DiscardOrder:
    return DiscardOrder.of(
        np.array([row.score for row in rows]),
        np.array([row.quality for row in rows]),
        mated=np.array([row.mated for row in rows]),
        limit=limit,
    )


class TestOtherCurves:
    @given(one_class, st.booleans(), st.booleans(), limits)
    def test_the_mean_score_is_that_of_the_comparisons_kept(self, rows, mated, dissimilarity, limit):
        curve = mean_score_curve(order_of(rows, limit), mated=mated, dissimilarity=dissimilarity)
        expected = by_hand.mean_points(rows)[: len(curve)]
        sign = -1 if dissimilarity else 1
        np.testing.assert_allclose(curve.discard, [float(x) for x, _ in expected], atol=0)
        np.testing.assert_allclose(curve.value, [sign * float(y) for _, y in expected], atol=1e-13)
        assert curve.higher_is_better == (mated is not dissimilarity)

    @given(both_classes, limits)
    def test_d_prime_is_that_of_the_comparisons_kept(self, rows, limit):
        expected = [by_hand.d_prime(kept) for _, kept in by_hand.kept_by_step(rows)]
        if expected[0] is None:
            with pytest.raises(MatedError, match="no value"):
                d_prime_curve(joint_order(rows))
            return
        stop = next(k for k, value in enumerate(expected) if value is None)
        held = [*expected[:stop], expected[stop - 1]]
        whole, part = d_prime_curve(joint_order(rows)), d_prime_curve(joint_order(rows, limit))
        np.testing.assert_allclose(whole.value, held, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(part.value, held[: len(part)], rtol=1e-9, atol=1e-12)
        usual = d_prime_curve(joint_order(rows), convention="usual")
        np.testing.assert_allclose(usual.value, np.sqrt(2) * whole.value, rtol=1e-12)

    @given(
        both_classes,
        st.sampled_from(["fmr", "fnmr"]),
        st.sampled_from(["interpolated", "conservative"]),
        st.one_of(st.integers(1, 99).map(lambda n: n / 100), st.just(1 / 3)),
        limits,
    )
    def test_a_fixed_counterpart_is_found_anew_at_each_step(self, rows, fixed, rule, rate, limit):
        target = Fraction(str(rate))
        expected = [by_hand.fixed_counterpart(kept, target, fixed, rule) for _, kept in by_hand.kept_by_step(rows)]
        if expected[0] is None:
            with pytest.raises(MatedError, match="one class"):
                fixed_counterpart_curve(joint_order(rows), rate, fixed=fixed, rule=rule)
            return
        stop = next(k for k, value in enumerate(expected) if value is None)
        held = [float(value) for value in (*expected[:stop], expected[stop - 1])]
        curve = fixed_counterpart_curve(joint_order(rows, limit), rate, fixed=fixed, rule=rule)
        np.testing.assert_allclose(curve.value, held[: len(curve)], atol=1e-12)
        assert curve.end >= limit or len(curve) == len(held)

    @given(both_classes, st.lists(st.integers(0, 39), min_size=1, max_size=4, unique=True), st.booleans())
    def test_parts_by_quality_hold_what_is_kept_or_what_lies_between(self, rows, parts, bins):
        asked = [part / 40 for part in sorted(parts)]
        steps = by_hand.kept_by_step(rows)

        def kept_at(fraction):
            return [kept for _, kept in steps if Fraction(len(rows) - len(kept), len(rows)) <= Fraction(fraction)][-1]

        expected = [kept_at(Fraction(str(f))) for f in asked]
        if bins:
            ends = [*expected[1:], []]
            expected = [
                [r for r in a if r.quality not in {o.quality for o in b}] for a, b in zip(expected, ends, strict=True)
            ]
        whole = Tally.from_scores([r.score for r in rows if r.mated], [r.score for r in rows if not r.mated])
        order = joint_order(rows)
        if any(len({r.mated for r in part}) < 2 for part in expected):
            with pytest.raises(MatedError, match="has no comparison"):
                tallies_by_discard(order, whole, asked, division="bins" if bins else "discard")
            return
        found = tallies_by_discard(order, whole, asked, division="bins" if bins else "discard")
        for part, mine in zip(expected, found, strict=True):
            counted = Tally.from_scores([r.score for r in part if r.mated], [r.score for r in part if not r.mated])
            assert np.array_equal(mine.tally.scores, counted.scores)
            assert np.array_equal(mine.tally.mated, counted.mated)
            assert np.array_equal(mine.tally.nonmated, counted.nonmated)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), scores, st.booleans()), min_size=1, max_size=25))
def test_the_utility_of_a_sample_is_d_prime_of_its_own_comparisons(rows):
    data = Comparisons.from_arrays(
        [r[2] for r in rows],
        [r[3] for r in rows],
        probe_sample=[r[0] for r in rows],
        reference_sample=[r[1] for r in rows],
    )
    found = sample_utility(data)
    used = sorted({s for row in rows for s in row[:2]})
    expected = {sample: by_hand.utility(rows, sample) for sample in used}
    known = {sample: value for sample, value in expected.items() if value is not None}
    names = [int(data.samples.names[code]) for code in found.code]
    assert names == sorted(known)
    assert found.left_out == len(used) - len(known)
    np.testing.assert_allclose(found.value, [known[name] for name in names], rtol=1e-9, atol=1e-12)
