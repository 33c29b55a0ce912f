"""Groups of comparisons are what a mask for each group gives: the same rows in the same order, failures too."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mated.scores import Comparisons
from mated.scores.comparisons import _by_code

values = {
    "integers": st.integers(-3, 12),
    "unsigned": st.integers(0, 3).map(np.uint8),
    "floats": st.sampled_from([0.1, 2.0, -1.5, float("nan")]),
    "narrow floats": st.sampled_from([0.1, 2.0, 0.3]).map(np.float32),
    "texts": st.sampled_from(["a", "b", "", "é"]),
    "objects": st.sampled_from(["a", "b", None]),
    "booleans": st.booleans(),
    "dates": st.integers(0, 3).map(lambda day: np.datetime64("2020-01-01") + day),
}


@st.composite
def tables(draw):
    n = draw(st.integers(1, 25))
    columns = {}
    for name in ("u", "v"):
        kind = draw(st.sampled_from(sorted(values)))
        drawn = draw(st.lists(values[kind], min_size=n, max_size=n))
        columns[name] = np.array(drawn, dtype=object if kind == "objects" else None)
    scores = draw(st.lists(st.sampled_from([1.0, 2.0, 3.0, float("nan")]), min_size=n, max_size=n))
    subjects = [draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)) for _ in range(2)]
    return Comparisons.from_arrays(
        scores, probe_subject=subjects[0], reference_subject=subjects[1], covariates=columns, nan="failure"
    )


def key(columns, names, row):
    """Write the values of one row as a label, a missing one as None."""
    found = [columns[name][row] for name in names]
    found = [value.item() if hasattr(value, "item") else value for value in found]
    missing = [value is None or value != value for value in found]  # NaN
    return tuple(None if gone else _text(value) for value, gone in zip(found, missing, strict=True))


def _text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


@given(data=tables(), names=st.sampled_from([("u",), ("u", "v"), ("v", "u")]))
def test_groups_are_what_masks_give(data, names):
    keys = [key(data.covariates, names, row) for row in range(len(data))]
    failed = [key(data.failed_covariates, names, row) for row in range(len(data.failed_mated))]
    distinct = sorted(set(keys) | set(failed), key=lambda k: [(v is not None, v or "") for v in k])
    groups = data.groups(*names)
    assert len(groups) == len(distinct)
    for group, wanted in zip(groups.values(), distinct, strict=True):
        rows = np.array([row for row, k in enumerate(keys) if k == wanted], dtype=int)
        left = np.array([row for row, k in enumerate(failed) if k == wanted], dtype=int)
        np.testing.assert_array_equal(group.score, data.score[rows])
        np.testing.assert_array_equal(group.mated, data.mated[rows])
        np.testing.assert_array_equal(group.subjects.probe, data.subjects.probe[rows])
        np.testing.assert_array_equal(group.covariates["v"], data.covariates["v"][rows])
        np.testing.assert_array_equal(group.failed_mated, data.failed_mated[left])
        if data.failed_subjects is not None:
            np.testing.assert_array_equal(group.failed_subjects.reference, data.failed_subjects.reference[left])


def test_more_groups_than_fit_into_16_bits_are_told_apart():
    codes = np.random.default_rng(1).permutation(70_000).repeat(2)
    ordered = _by_code(codes, 70_000)
    np.testing.assert_array_equal(codes[ordered.order], np.arange(70_000).repeat(2))
    for code in (0, 65_535, 65_536, 69_999):
        np.testing.assert_array_equal(ordered.order[ordered.slice(code)], np.flatnonzero(codes == code))


@pytest.mark.parametrize("n_groups", [1, 3])
def test_groups_cannot_be_written_through(n_groups):
    data = Comparisons.from_arrays([1, 2, 3], [1, 0, 0], covariates={"g": np.arange(3) % n_groups})
    with pytest.raises(ValueError, match="read-only"):
        next(iter(data.groups("g").values())).score[0] = 5
