"""Scores of every awkward kind, for Hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

integers = st.integers(-6, 6).map(float)
"""A small range, so that ties are heavy."""

decimals = st.integers(-30, 30).map(lambda n: n / 10)
"""Reals with one decimal."""

continuous = st.one_of(
    st.floats(-5, 5, allow_nan=False).map(lambda x: x + 0.0),
    st.sampled_from([0.1234567890123, -1 / 3, 2 / 3]),
)

with_infinities = st.one_of(integers, st.sampled_from([float("inf"), float("-inf")]))


def two_lists(values, most: int = 12):
    """Mated and non-mated scores, one to `most` of each."""
    return st.tuples(st.lists(values, min_size=1, max_size=most), st.lists(values, min_size=1, max_size=most))


any_pair = st.one_of(
    two_lists(integers),
    two_lists(decimals),
    two_lists(continuous),
    two_lists(with_infinities),
    st.tuples(st.lists(st.just(3.0), min_size=1, max_size=5), st.lists(st.just(3.0), min_size=1, max_size=5)),
    st.tuples(st.lists(st.floats(1, 2), min_size=1, max_size=8), st.lists(st.floats(-2, -1), min_size=1, max_size=8)),
)
"""Heavy ties, few decimals, continuous, infinities, one distinct score, classes that do not overlap."""

targets = st.one_of(st.integers(1, 99).map(lambda n: n / 100), st.sampled_from([1e-6, 1e-3, 0.5, 1 / 3, 0.999, 0.07]))
