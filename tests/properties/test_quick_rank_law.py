"""The quick way to the law of low ranks, for replicates, against the exact one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from mated.identification.rank_law import mean_rank_cdf

rates = st.one_of(st.floats(0, 1), st.floats(-18, 0).map(lambda power: 10.0**power))


@given(
    st.lists(st.tuples(rates, rates), min_size=1, max_size=20),
    st.sampled_from([2, 3, 10, 33, 1000, 10**6, 10**12]),
    st.sets(st.integers(1, 40), min_size=1, max_size=5),
    st.booleans(),
)
def test_differs_from_the_exact_one_by_rounding_alone(ranges, size, ranks, points):
    low, high = np.sort(np.array(ranges), axis=1).T
    if points:
        high = low
    weight = np.full(len(low), 1 / len(low))
    asked = np.array(sorted(min(rank, size) for rank in ranks))
    exact, quick = (mean_rank_cdf(low, high, weight, size, asked, quick=how) for how in (False, True))
    np.testing.assert_allclose(quick, exact, rtol=1e-12, atol=1e-13)
    assert np.all(np.diff(quick, axis=1) >= 0)
    assert np.all((quick >= 0) & (quick <= 1))


@given(st.floats(-9, -2.3), st.integers(1, 32))  # up to 25 rivals expected to beat the mate
def test_is_the_binomial_law(power, rank):
    size, p = 5000, np.array([10.0**power])
    found = mean_rank_cdf(p, p, np.ones(1), size, np.array([rank]), quick=True)[0, 0]
    np.testing.assert_allclose(found, binom.cdf(rank - 1, size - 1, p[0]), rtol=1e-11)
