"""Searches of a table, sorted without comparing: those of plain lists, in both scopes and both directions."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mated.scores import Comparisons
from mated.scores import searches as module
from mated.scores.ids import PairIds, within
from mated.scores.searches import search_blocks
from mated.scores.subject_tallies import _places_in, in_both_orders


@st.composite
def tables(draw):
    """A table of up to six subjects with up to three samples, some of them compared with themselves."""
    names = [(subject, f"{subject}{sample}") for subject in "abcdef" for sample in range(3)]
    pairs = draw(st.lists(st.tuples(st.sampled_from(names), st.sampled_from(names)), min_size=1, max_size=40))
    scores = draw(st.lists(st.integers(-5, 5).map(float), min_size=len(pairs), max_size=len(pairs)))
    return Comparisons.from_arrays(
        scores,
        probe_subject=[p[0] for p, _ in pairs],
        reference_subject=[r[0] for _, r in pairs],
        probe_sample=[p[1] for p, _ in pairs],
        reference_sample=[r[1] for _, r in pairs],
    )


def listed(table, scope, both):
    """The twin: (subject, number) → (mated scores, rivals with scores), comparison by comparison."""
    found = defaultdict(lambda: ([], []))
    subjects, samples = table.subjects, table.samples
    for row, score in enumerate(table.score.tolist()):
        sides = [(subjects.probe[row], samples.probe[row]), (subjects.reference[row], samples.reference[row])]
        for (one, sample), (other, _) in [sides] + ([sides[::-1]] if both and sides[0][1] != sides[1][1] else []):
            mated, rivals = found[int(one), int(sample if scope == "probe" else one)]
            if one == other:
                mated.append(score)
            else:
                rivals.append((int(other), score))
    return {key: (sorted(mated), sorted(rivals)) for key, (mated, rivals) in found.items() if mated and rivals}


@given(tables(), st.sampled_from(["probe", "subject"]), st.booleans(), st.sampled_from([1, 7, 1 << 21]))
def test_searches_are_those_of_plain_lists(table, scope, both, block):
    found, order = {}, []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK_ENTRIES", block)
        for part in search_blocks(table, scope=scope, symmetric="yes" if both else "no"):
            for g in range(len(part)):
                own = slice(*part.mated_start[g : g + 2])
                others = slice(*part.rival_start[g : g + 2])
                key = int(part.subject[g]), int(part.number[g])
                rivals = list(zip(part.rival[others].tolist(), part.rival_score[others].tolist(), strict=True))
                assert part.mated_score[own].tolist() == sorted(part.mated_score[own].tolist())
                if scope == "probe":
                    assert part.rival[others].tolist() == sorted(part.rival[others].tolist())
                found[key] = (part.mated_score[own].tolist(), sorted(rivals))
                order.append(key)
    assert found == listed(table, scope, both)
    assert order == sorted(order)  # subject after subject, and none twice


@given(st.integers(1, 12), st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30), st.booleans())
def test_pairs_in_both_orders_are_found_by_flags_and_by_sorting(size, pairs, many):
    listed = [(a % size, b % size) for a, b in pairs] * (20 if many else 1)  # many: a flag for every pair
    probe, reference = (np.array([p[k] for p in listed], dtype=np.int64) for k in (0, 1))
    expected = any((b, a) in set(listed) for a, b in listed if a != b)
    assert in_both_orders(probe, reference, size) is expected


@given(st.lists(st.integers(0, 9), max_size=30).map(sorted), st.lists(st.integers(0, 9), min_size=1, max_size=30))
def test_places_are_those_of_a_search_with_few_keys_and_with_many(entries, keys):
    sought = np.array(entries, dtype=np.int64)
    for repeated in (np.array(keys), np.tile(keys, 10)):
        np.testing.assert_array_equal(_places_in(sought, repeated, 10), np.searchsorted(sought, repeated))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=1))
def test_samples_are_told_apart_where_a_name_belongs_to_several_subjects(rows):
    columns = np.array(rows).T
    subjects, samples = (PairIds(columns[k], columns[k + 1], ("a", "b", "c", "d")) for k in (0, 2))
    owners = {(sample, subject) for row in rows for sample, subject in ((row[2], row[0]), (row[3], row[1]))}
    told = within(subjects, samples)
    if len(owners) == len({sample for sample, _ in owners}):
        assert told is samples
    else:
        assert len(told.names) == len(owners)
        for row, (probe, reference) in zip(rows, zip(told.probe, told.reference, strict=True), strict=True):
            assert told.names[probe] == f"{'abcd'[row[0]]}/{'abcd'[row[2]]}"
            assert told.names[reference] == f"{'abcd'[row[1]]}/{'abcd'[row[3]]}"
