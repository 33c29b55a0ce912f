"""Thinned curves stay as close to the whole ones as they say, and keep what is marked."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mated.report.thinning import TOLERANCE, thin_line, thin_steps

_SHARES = st.floats(0, 1, allow_nan=False, width=32)


def _ascending(most: int):
    """Two ascending lists of shares of an axis, as an ROC has them, ties among them."""
    return st.integers(1, most).flatmap(
        lambda n: st.tuples(
            st.lists(_SHARES, min_size=n, max_size=n).map(sorted), st.lists(_SHARES, min_size=n, max_size=n).map(sorted)
        )
    )


def _distance_to_line(x: float, y: float, line: list[tuple[float, float]]) -> float:
    """Return the distance of a point from a line of straight pieces, one piece after the other."""
    nearest = np.hypot(x - line[0][0], y - line[0][1])
    for (ax, ay), (bx, by) in itertools.pairwise(line):
        length = (bx - ax) ** 2 + (by - ay) ** 2
        part = 0.0 if length == 0 else min(max(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length, 0.0), 1.0)
        nearest = min(nearest, np.hypot(x - ax - part * (bx - ax), y - ay - part * (by - ay)))
    return float(nearest)


def _along(line: list[tuple[float, float]], pieces: int = 7) -> list[tuple[float, float]]:
    """Return many places on a line, its corners among them."""
    return [
        ((1 - k / pieces) * ax + k / pieces * bx, (1 - k / pieces) * ay + k / pieces * by)
        for (ax, ay), (bx, by) in itertools.pairwise(line)
        for k in range(pieces + 1)
    ] or line


def _stairs(x: np.ndarray, y: np.ndarray, first_up: bool) -> list[tuple[float, float]]:
    corners = [(float(x[0]), float(y[0]))]
    for k in range(1, len(x)):
        corners.append((x[k - 1], y[k]) if first_up else (x[k], y[k - 1]))
        corners.append((x[k], y[k]))
    return [(float(a), float(b)) for a, b in corners]


@settings(max_examples=60)
@given(_ascending(30), st.floats(0.001, 0.2))
def test_no_place_of_the_whole_line_is_further_from_the_thinned_one_than_the_error_says(curve, tolerance):
    x, y = (np.array(values, dtype=np.float64) for values in curve)
    drawn = thin_line(x, y, (x, y), tolerance=tolerance)
    line = list(zip(drawn.x.tolist(), drawn.y.tolist(), strict=True))
    furthest = max(_distance_to_line(*place, line) for place in _along(list(zip(x, y, strict=True))))
    assert furthest <= drawn.error + 1e-12
    assert drawn.error <= tolerance


@settings(max_examples=60)
@given(_ascending(25), st.booleans(), st.floats(0.001, 0.2))
def test_no_place_of_a_staircase_is_further_from_the_thinned_one_than_the_error_says(curve, first_up, tolerance):
    x, y = (np.array(values, dtype=np.float64) for values in curve)
    drawn = thin_steps(x, y, (x, y), tolerance=tolerance, first_up=first_up)
    line = list(zip(drawn.x.tolist(), drawn.y.tolist(), strict=True))
    furthest = max(_distance_to_line(*place, line) for place in _along(_stairs(x, y, first_up)))
    assert furthest <= drawn.error + 1e-12
    assert drawn.error <= tolerance


@settings(max_examples=60)
@given(_ascending(40), st.data())
def test_marked_points_and_both_ends_stay(curve, data):
    x, y = (np.array(values, dtype=np.float64) for values in curve)
    keep = data.draw(st.lists(st.integers(0, len(x) - 1), max_size=5))
    drawn = thin_line(x, y, (x, y), keep=keep, tolerance=0.5)
    shown = set(zip(drawn.x.tolist(), drawn.y.tolist(), strict=True))
    assert {(x[k], y[k]) for k in (*keep, 0, len(x) - 1)} <= shown


def test_the_error_is_that_of_the_one_point_left_out():
    # Hand calculation: (0.5, 0.51) lies 0.01/√2 from the diagonal.
    x, y = np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.51, 1.0])
    drawn = thin_line(x, y, (x, y), tolerance=0.02)
    assert drawn.x.tolist() == [0.0, 1.0]
    assert drawn.error == pytest.approx(0.01 / np.sqrt(2), rel=1e-12)


def test_a_million_points_become_few_and_straight_lines_become_two():
    x = np.linspace(0, 1, 1_000_001)
    bent = thin_line(x, x**3, (x, x**3))
    straight = thin_line(x, x, (x, x))
    assert len(bent.x) < 200
    assert bent.error <= TOLERANCE
    assert straight.x.tolist() == [0.0, 1.0]
    assert straight.error == pytest.approx(0, abs=1e-15)
