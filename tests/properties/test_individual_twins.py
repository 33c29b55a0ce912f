"""Individual and average ROCs against their definitions, and subject tallies against plain counting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import brute_force
from mated.errors import MatedError
from mated.scores import Comparisons, MatedGrid, SubjectTallies
from mated.verification import average_roc, individual_rocs
from strategies import integers

comparisons = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), integers), min_size=1, max_size=40)


def table(rows) -> Comparisons:
    probe, reference, score = zip(*rows, strict=True)
    return Comparisons.from_arrays(score, probe_subject=probe, reference_subject=reference)


def own_scores(rows, subject, symmetric):
    mated = [s for p, r, s in rows if p == r == subject]
    nonmated = [s for p, r, s in rows if p != r and (p == subject or (symmetric and r == subject))]
    return mated, nonmated


@given(comparisons, st.booleans())
def test_subject_tallies_count_each_subjects_own_comparisons(rows, symmetric):
    data = table(rows)
    tallies = SubjectTallies.of(data, "yes" if symmetric else "no")
    names = data.subjects.names
    for entry, (code, score) in enumerate(zip(tallies.grid.subject, tallies.grid.score, strict=True)):
        mated, nonmated = own_scores(rows, int(names[code]), symmetric)
        assert tallies.grid.count[entry] == mated.count(score)
        assert tallies.nonmated_at_or_above[entry] == sum(s >= score for s in nonmated)
        assert tallies.nonmated_above[entry] == sum(s > score for s in nonmated)
        assert tallies.nonmated_total[code] == len(nonmated)


@given(comparisons, st.booleans())
def test_individual_rocs_are_those_of_the_equations(rows, symmetric):
    data = table(rows)
    tallies = SubjectTallies.of(data, "yes" if symmetric else "no")
    expected = {}
    for code, name in enumerate(data.subjects.names):
        mated, nonmated = own_scores(rows, int(name), symmetric)
        if mated and nonmated:
            expected[code] = brute_force.individual_roc(mated, nonmated)
    if not expected:
        with pytest.raises(MatedError, match="no subject has both"):
            individual_rocs(tallies)
        return
    rocs = individual_rocs(tallies)
    assert rocs.subjects.tolist() == sorted(expected)
    for code, roc in zip(rocs.subjects, rocs, strict=True):
        corners = [(float(x), float(y)) for x, y in expected[code]]
        assert list(zip(roc.fmr, roc.tmr, strict=True)) == corners
    average = average_roc(rocs)
    asked = np.union1d(np.linspace(0, 1, 23), average.fmr)
    mean = np.mean([roc(asked) for roc in rocs], axis=0)
    np.testing.assert_allclose(average(asked), mean, atol=1e-12)
    assert average.area == pytest.approx(np.mean([roc.area for roc in rocs]), abs=1e-12)


@given(comparisons, st.integers(0, 40))
def test_chunks_counted_on_one_grid_add_up_to_the_whole(rows, cut):
    data = table(rows)
    here = np.arange(len(rows)) < cut
    first, second = data.take(here), data.take(~here)
    grid = MatedGrid.of(first) + MatedGrid.of(second)
    parts = [SubjectTallies.on_grid(grid, part, symmetric=True) for part in (first, second)]
    merged, whole = sum(parts), SubjectTallies.of(data, "yes")
    for name in ("nonmated_at_or_above", "nonmated_above", "nonmated_total"):
        assert np.array_equal(getattr(merged, name), getattr(whole, name))
    assert np.array_equal(merged.grid.count, whole.grid.count)


def test_counts_on_different_grids_cannot_be_added():
    one = SubjectTallies.of(table([(0, 0, 1.0), (0, 1, 0.0)]))
    other = SubjectTallies.of(table([(0, 0, 2.0), (0, 1, 0.0)]))
    with pytest.raises(MatedError, match="same grid"):
        _ = one + other


class TestWhetherPairsAreListedOnce:
    def test_a_table_with_each_pair_of_samples_once_is(self):
        data = Comparisons.from_arrays(
            [1.0, 2.0, 3.0],
            probe_subject=["a", "a", "b"],
            reference_subject=["a", "b", "b"],
            probe_sample=["a1", "a2", "b1"],
            reference_sample=["a2", "b1", "b2"],
        )
        assert SubjectTallies.of(data).symmetric

    def test_a_table_with_both_orders_is_not(self):
        assert not SubjectTallies.of(table([(0, 0, 1.0), (0, 1, 0.0), (1, 0, 0.0)])).symmetric

    def test_probes_and_references_that_are_different_samples_are_not(self):
        data = Comparisons.from_arrays(
            [1.0, 2.0],
            probe_subject=["a", "a"],
            reference_subject=["a", "b"],
            probe_sample=["a1", "a1"],
            reference_sample=["a2", "b2"],
        )
        assert not SubjectTallies.of(data).symmetric
