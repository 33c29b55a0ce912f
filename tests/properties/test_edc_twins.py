"""Discard curves, their areas and rankings against discarding by hand and counting again."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import quality_brute_force as by_hand
from mated.errors import MatedError
from mated.quality import (
    DiscardCurve,
    PairQualities,
    SampleQualities,
    area_between,
    area_grid,
    error_curve,
    pair_qualities,
    partial_area,
    ranking_grid,
    starting_errors,
)
from mated.quality.pairing import PAIR_FUNCTIONS
from mated.scores import Comparisons, Tally
from mated.scores.discard_order import DiscardOrder
from quality_brute_force import Row

qualities = st.one_of(st.integers(0, 3).map(float), st.floats(-1, 1).map(lambda q: q + 0.0))
scores = st.one_of(st.integers(0, 3).map(float), st.integers(-20, 20).map(lambda n: n / 8))
"""Scores are dyadic, so that sums of them are exact."""

one_class = st.lists(st.builds(Row, qualities, scores, st.just(True)), min_size=2, max_size=14)
kinds = st.sampled_from(["fnm", "fm"])
amongs = st.sampled_from(["kept", "all"])
interpolations = st.sampled_from(["step", "linear"])
fractions = st.fractions(0, 1, max_denominator=40)
limits = st.one_of(st.just(1.0), st.integers(1, 40).map(lambda n: n / 40))


def order_of(rows, limit=1.0) -> DiscardOrder:
    return DiscardOrder.of(np.array([row.score for row in rows]), np.array([row.quality for row in rows]), limit=limit)


def tally_of(rows, kind) -> Tally:
    own, none = [row.score for row in rows], []
    return Tally.from_scores(*((own, none) if kind == "fnm" else (none, own)))


def starts_of(rows, kind):
    assume(len({row.score for row in rows}) > 1)
    return starting_errors(tally_of(rows, kind), kind)


def start_number(found, index):
    return found.nearest(float(found.value[index]))


class TestStartingErrors:
    @given(one_class, kinds)
    def test_are_the_rates_at_every_observed_score(self, rows, kind):
        expected = by_hand.starting_errors([row.score for row in rows], kind)
        if not expected:
            with pytest.raises(MatedError, match="one score"):
                starting_errors(tally_of(rows, kind), kind)
            return
        found = starting_errors(tally_of(rows, kind), kind)
        assert dict(zip(found.errors.tolist(), found.inner.tolist(), strict=True)) == expected
        assert found.errors.tolist() == sorted(expected)

    @given(one_class, kinds, st.integers(1, 99))
    def test_nearest_is_the_nearest_and_is_refused_beyond_a_factor_of_two(self, rows, kind, percent):
        found = starts_of(rows, kind)
        asked = Fraction(percent, 100)
        expected = by_hand.starting_errors([row.score for row in rows], kind)
        allowed = [k for k in expected if asked / 2 <= Fraction(k, len(rows)) <= 2 * asked]
        if not allowed:
            with pytest.raises(MatedError, match="within a factor of two"):
                found.nearest(percent / 100)
            return
        errors = min(allowed, key=lambda k: (abs(Fraction(k, len(rows)) - asked), k))
        nearest = found.nearest(percent / 100)
        assert (nearest.errors, nearest.inner, nearest.threshold) == (errors, expected[errors], expected[errors])


@given(one_class, kinds, amongs, interpolations, st.data())
def test_an_error_curve_is_what_is_left_when_comparisons_are_discarded(rows, kind, among, interpolation, data):
    found = starts_of(rows, kind)
    start = found.nearest(float(data.draw(st.sampled_from(found.value.tolist()))))
    points = by_hand.error_points(rows, start.inner, kind, among)
    curve = error_curve(order_of(rows), start, among=among, interpolation=interpolation)
    assert curve.discard.tolist() == [float(x) for x, _ in points]
    assert curve.value.tolist() == [float(y) for _, y in points]
    for (_, kept), left, errors in zip(by_hand.kept_by_step(rows), curve.kept, curve.errors, strict=True):
        assert (left, errors) == (len(kept), sum(by_hand.is_error(row.score, start.inner, kind) for row in kept))
    low, high = sorted(data.draw(st.tuples(fractions, fractions)))
    assert curve(float(low)) == pytest.approx(float(by_hand.read(points, low, interpolation)), abs=1e-12)
    if low < high:
        expected = by_hand.area(points, low, high, interpolation)
        assert curve.area(float(high), float(low)) == pytest.approx(float(expected), abs=1e-12)
        area = partial_area(curve, float(high), float(low))
        best = by_hand.theoretical_best_area(Fraction(start.errors, start.comparisons), low, high)
        assert area.best == pytest.approx(float(best), abs=1e-12)
        assert area.above_best == pytest.approx(float(expected - best), abs=1e-12)


@given(one_class, kinds, limits)
def test_an_order_up_to_a_limit_is_the_beginning_of_the_whole_order(rows, kind, limit):
    start = start_number(starts_of(rows, kind), 0)
    whole, part = error_curve(order_of(rows), start), error_curve(order_of(rows, limit), start)
    assert part.end >= limit
    assert part.discard.tolist() == whole.discard[: len(part)].tolist()
    assert part.value.tolist() == whole.value[: len(part)].tolist()
    assert part.area(limit) == whole.area(limit)


@given(one_class, kinds, amongs, interpolations, st.lists(limits, min_size=1, max_size=4), st.data())
def test_a_grid_of_areas_is_that_of_the_single_curves(rows, kind, among, interpolation, highs, data):
    found = starts_of(rows, kind)
    chosen = data.draw(st.lists(st.integers(0, len(found) - 1), min_size=1, max_size=4))
    starts = [start_number(found, index) for index in chosen]
    grid = area_grid(order_of(rows, max(highs)), starts, highs, among=among, interpolation=interpolation)
    assert grid.shape == (len(starts), len(highs))
    for start, row in zip(starts, grid, strict=True):
        points = by_hand.error_points(rows, start.inner, kind, among)
        for high, value in zip(highs, row, strict=True):
            expected = by_hand.area(points, Fraction(0), Fraction(str(high)), interpolation)
            assert value == pytest.approx(float(expected), abs=1e-12)


sample_tables = st.tuples(
    st.lists(qualities, min_size=3, max_size=7),
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), scores), min_size=2, max_size=14),
)


def sample_comparisons(table) -> tuple[Comparisons, SampleQualities, list[tuple[int, int]], dict[int, float]]:
    values, rows = table
    rows = [(a % len(values), b % len(values), score) for a, b, score in rows]
    data = Comparisons.from_arrays(
        [score for *_, score in rows],
        [True] * len(rows),
        probe_sample=[a for a, _, _ in rows],
        reference_sample=[b for _, b, _ in rows],
    )
    quality = dict(enumerate(values))
    return data, SampleQualities.from_mappings({"q": quality}), [(a, b) for a, b, _ in rows], quality


class TestPairing:
    @given(sample_tables, st.sampled_from(sorted(PAIR_FUNCTIONS)))
    def test_gives_each_comparison_the_function_of_its_two_samples(self, table, rule):
        data, given_qualities, pairs, quality = sample_comparisons(table)
        expected = [by_hand.pair_quality(rule, quality[a], quality[b]) for a, b in pairs]
        if np.isnan(expected).any():
            with pytest.raises(MatedError, match="not a number"):
                pair_qualities(data, given_qualities, function=rule)
            return
        assert pair_qualities(data, given_qualities, function=rule).values["q"].tolist() == expected

    @given(sample_tables)
    def test_discarding_by_the_minimum_is_discarding_samples(self, table):
        """Schlett et al. (2023), section I-A: the pairwise minimum and the discarding of samples are equivalent."""
        data, given_qualities, pairs, quality = sample_comparisons(table)
        order = pair_qualities(data, given_qualities).order("q")
        for level, ends in zip(order.quality, order.ends, strict=True):
            left = sorted(set(range(len(pairs))) - set(order.position[:ends].tolist()))
            assert left == by_hand.kept_by_samples(pairs, quality, level)
        # and a sample whose quality is no step takes no further comparison with it
        for value in quality.values():
            gone = int(np.searchsorted(order.quality, value, side="right"))
            left = len(pairs) - int(order.discarded[gone])
            assert left == len(by_hand.kept_by_samples(pairs, quality, value))

    @given(sample_tables, kinds, limits)
    def test_the_sample_axis_counts_samples_at_or_below_the_quality_of_a_step(self, table, kind, limit):
        data, given_qualities, pairs, quality = sample_comparisons(table)
        assume(len(set(data.score.tolist())) > 1)
        paired = pair_qualities(data, given_qualities)
        found = starting_errors(tally_of([Row(0, s) for s in data.score.tolist()], kind), kind)
        start = start_number(found, 0)
        rows = [Row(q, s) for q, s in zip(paired.values["q"].tolist(), data.score.tolist(), strict=True)]
        used = [quality[sample] for sample in sorted({s for pair in pairs for s in pair})]
        points = by_hand.with_sample_axis(by_hand.error_points(rows, start.inner, kind, "kept"), rows, used)
        curve = error_curve(paired.order("q", axis="samples"), start, axis="samples")
        assert curve.discard.tolist() == [float(x) for x, _ in points]
        assert curve.value.tolist() == [float(y) for _, y in points]
        part = error_curve(paired.order("q", axis="samples", limit=limit), start, axis="samples")
        assert part.end >= min(limit, curve.end)
        assert part.discard.tolist() == curve.discard[: len(part)].tolist()
        assert part.value.tolist() == curve.value[: len(part)].tolist()
        high = min(limit, curve.end)
        expected = by_hand.area(points, Fraction(0), Fraction(high), "step")
        assert part.area(high) == pytest.approx(float(expected), abs=1e-12)
        grid = area_grid(paired.order("q", axis="samples", limit=limit), [start], [high], axis="samples")
        assert grid[0, 0] == pytest.approx(float(expected), abs=1e-12)


@settings(max_examples=80)
@given(st.lists(st.tuples(*[qualities] * 3, scores), min_size=3, max_size=12), st.data())
def test_a_ranking_grid_normalises_the_areas_of_every_configuration(table, data):
    columns = list(zip(*table, strict=True))
    own_scores = columns.pop()
    assume(len(set(own_scores)) > 1)
    found = starting_errors(Tally.from_scores(own_scores, []))
    starts = found.nearest_each(data.draw(st.lists(st.sampled_from(found.value.tolist()), min_size=1, max_size=3)))
    highs = data.draw(st.lists(limits, min_size=1, max_size=3))
    paired = PairQualities.from_columns(
        Comparisons.from_arrays(own_scores, [True] * len(own_scores)), dict(zip("abc", columns, strict=True))
    )
    grid = ranking_grid(paired.orders(limit=max(highs)), starts, highs)
    expected = np.empty((3, len(starts), len(highs)))
    for i, start in enumerate(starts):
        for j, high in enumerate(highs):
            areas = [
                by_hand.area(
                    by_hand.error_points(
                        [Row(*r) for r in zip(c, own_scores, strict=True)], start.inner, "fnm", "kept"
                    ),
                    Fraction(0),
                    Fraction(str(high)),
                    "step",
                )
                for c in columns
            ]
            expected[:, i, j] = [float(p) for p in by_hand.relative_ranking(areas)]
    np.testing.assert_allclose(grid.relative, expected, atol=1e-10)
    mean = expected.mean(axis=(1, 2))
    by_eq_1 = sum(abs(expected[k] - mean[k]) for k in range(3))
    np.testing.assert_allclose(grid.divergence(), by_eq_1, atol=1e-9)
    by_eq_2 = sum(abs(expected[k] - e) for k, e in enumerate((0, 0.5, 1)))
    np.testing.assert_allclose(grid.divergence([1, 2, 3]), by_eq_2, atol=1e-9)


shapes = st.lists(st.tuples(st.integers(1, 15), st.integers(0, 8)), min_size=1, max_size=5, unique_by=lambda p: p[0])


def any_curve(shape, first, interpolation):
    points = [(Fraction(0), Fraction(first, 8)), *((Fraction(x, 16), Fraction(y, 8)) for x, y in sorted(shape))]
    points.append((Fraction(1), points[-1][1]))
    columns = (np.array([float(value) for value in column]) for column in zip(*points, strict=True))
    return points, DiscardCurve(*columns, "height", interpolation=interpolation)


@given(shapes, shapes, st.integers(0, 8), st.integers(0, 8), interpolations, st.tuples(fractions, fractions))
def test_the_area_between_two_curves_is_exact_also_where_they_cross(one, other, a, b, interpolation, ends):
    low, high = sorted(ends)
    assume(low < high)
    (points, curve), (points_too, curve_too) = any_curve(one, a, interpolation), any_curve(other, b, interpolation)
    expected = by_hand.area_between(points, points_too, low, high, interpolation)
    assert area_between(curve, curve_too, float(high), float(low)) == pytest.approx(float(expected), abs=1e-12)
