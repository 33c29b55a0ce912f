"""Rivals: what is counted, in which scope and direction, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from mated.errors import MatedError
from mated.scores import Comparisons, ScoreMatrix, SubjectTallies
from mated.scores import rivals as module
from mated.scores.rivals import Rivals
from mated.scores.searches import search_blocks
from mated.synthetic import GaussianIdentities
from mated.verification import individual_rocs

PEOPLE = ["a", "a", "b", "b", "c"]
SAMPLES = ["a1", "a2", "b1", "b2", "c1"]
SCORES = np.array(
    [
        [9.0, 5.0, 6.0, 5.0, 1.0],
        [5.0, 9.0, 4.0, 5.0, 7.0],
        [6.0, 4.0, 9.0, 3.0, 3.0],
        [5.0, 5.0, 3.0, 9.0, 2.0],
        [1.0, 7.0, 3.0, 2.0, 9.0],
    ]
)


def matrix(scores=SCORES, **options) -> ScoreMatrix:
    return ScoreMatrix.from_arrays(
        scores, PEOPLE, PEOPLE, probe_sample=SAMPLES, reference_sample=SAMPLES, unit=1, **options
    )


class TestCounts:
    """By hand from the matrix above; columns are a, b, c."""

    def test_of_the_probe_alone(self):
        rivals = Rivals.of(matrix())
        assert rivals.names == ("a", "b", "c")
        assert rivals.subject.tolist() == [0, 0, 1, 1]
        assert rivals.mated_score.tolist() == [5, 5, 3, 3]
        assert rivals.above.tolist() == [[0, 1, 0], [0, 0, 1], [2, 0, 0], [2, 0, 0]]
        assert rivals.tied.tolist() == [[0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]]
        assert rivals.total[rivals.search].tolist() == [[0, 2, 1], [0, 2, 1], [2, 0, 1], [2, 0, 1]]
        assert rivals.others.tolist() == [2, 2, 2, 2]

    def test_of_all_probes_of_the_subject(self):
        rivals = Rivals.of(matrix(), scope="subject")
        assert rivals.above.tolist() == [[0, 1, 1]] * 2 + [[4, 0, 0]] * 2
        assert rivals.tied.tolist() == [[0, 2, 0]] * 2 + [[0, 0, 1]] * 2
        assert rivals.total.tolist() == [[0, 4, 2], [4, 0, 2]]

    def test_of_dissimilarities_are_those_of_the_scores_turned_round(self):
        turned, plain = Rivals.of(matrix(-SCORES, dissimilarity=True)), Rivals.of(matrix())
        for name in ("above", "tied", "total", "mated_score"):
            np.testing.assert_array_equal(getattr(turned, name), getattr(plain, name))

    def test_leave_out_failures_and_masked_entries(self):
        scores = SCORES.copy()
        scores[0, 2] = scores[2, 0] = np.nan
        used = np.ones((5, 5), dtype=bool)
        used[1, 4] = used[4, 1] = False
        rivals = Rivals.of(matrix(scores, mask=used, nan="failure"))
        assert rivals.total[rivals.search].tolist() == [[0, 1, 1], [0, 2, 0], [1, 0, 1], [2, 0, 1]]
        assert rivals.others.tolist() == [2, 1, 2, 2]

    def test_of_a_matrix_without_sample_names_take_each_row_as_a_probe(self):
        rivals = Rivals.of(ScoreMatrix.from_arrays([[3.0, 4.0], [5.0, 5.0]], ["a", "b"], ["a", "b"]))
        assert rivals.above.tolist() == [[0, 1], [0, 0]]
        assert rivals.tied.tolist() == [[0, 0], [1, 0]]

    def test_use_one_of_two_entries_that_differ_by_rounding(self):
        scores = SCORES.copy()
        scores[3, 0] += 1e-9  # b2 against a1, no tie with a1 against a2 if this entry were read
        uneven = ScoreMatrix.from_arrays(scores, PEOPLE, PEOPLE, probe_sample=SAMPLES, reference_sample=SAMPLES)
        assert uneven.symmetric
        table = Rivals.of(uneven.comparisons(), symmetric="yes")
        for name in ("above", "tied", "total"):
            np.testing.assert_array_equal(getattr(Rivals.of(uneven), name), getattr(table, name))

    def test_give_the_false_match_rates_of_the_individual_rocs(self):
        data = GaussianIdentities().draw(12, 4, rng=5).matrix(decimals=1)
        rivals = Rivals.of(data, scope="subject")
        at_or_above = (rivals.above.astype(int) + rivals.tied).sum(axis=1) / rivals.total.sum(axis=1)[rivals.search]
        rocs = individual_rocs(SubjectTallies.of(data.comparisons()))
        for code, roc in zip(rocs.subjects, rocs, strict=True):
            corners = set(np.unique(at_or_above[rivals.subject == code]).tolist())
            assert corners | {0.0, 1.0} == set(roc.fmr.tolist())


class TestParts:
    def test_come_subject_after_subject_and_add_up_to_the_whole(self, monkeypatch):
        data = GaussianIdentities().draw(10, 3, rng=1).matrix(decimals=1)
        for scope in ("probe", "subject"):
            whole = Rivals.of(data, scope=scope)
            with monkeypatch.context() as patch:
                patch.setattr("mated.scores.searches._BLOCK_ENTRIES", 100)
                parts = list(Rivals.blocks(data, scope=scope))
            assert len(parts) > 3
            joined = sum(parts)
            for name in ("subject", "mated_score", "search", "above", "tied", "total"):
                np.testing.assert_array_equal(getattr(joined, name), getattr(whole, name))

    def test_of_different_scopes_cannot_be_added(self):
        with pytest.raises(MatedError, match="one scope"):
            _ = Rivals.of(matrix()) + Rivals.of(matrix(), scope="subject")

    def test_are_no_wider_than_their_counts_need(self):
        assert Rivals.of(matrix()).above.dtype == np.uint8
        crowd = np.zeros((1, 401))
        rivals = Rivals.of(ScoreMatrix.from_arrays(crowd, ["a"], ["a"] + ["b"] * 400))
        assert rivals.tied.dtype == np.uint16
        assert rivals.tied[0, 1] == 400

    def test_too_many_to_hold_at_once_are_refused(self, monkeypatch):
        monkeypatch.setattr(module, "_MOST_CELLS", 11)
        with pytest.raises(MatedError, match=r"Rivals\.blocks"):
            Rivals.of(matrix())


class TestRefusals:
    def test_a_table_without_samples_does_not_know_its_probes(self):
        table = Comparisons.from_arrays([1.0, 2.0], probe_subject=["a", "a"], reference_subject=["a", "b"])
        with pytest.raises(MatedError, match="probe_sample and reference_sample"):
            Rivals.of(table)
        assert Rivals.of(table, scope="subject", symmetric="no").n_mated == 1

    def test_a_table_without_subjects_cannot_be_searched(self):
        with pytest.raises(MatedError, match="who was compared"):
            Rivals.of(Comparisons.from_arrays([1.0, 2.0], [True, False]), scope="subject")

    def test_an_unknown_scope_is_refused(self):
        with pytest.raises(MatedError, match="scope must be"):
            search_blocks(matrix(), scope="gallery")

    def test_data_in_which_no_mated_score_meets_a_rival_are_refused(self):
        alone = ScoreMatrix.from_arrays([[1.0, 2.0]], ["a"], ["b", "c"])
        with pytest.raises(MatedError, match="no probe has both"):
            Rivals.of(alone)

    def test_missing_scores_are_refused_with_their_place(self):
        scores = SCORES.copy()
        scores[1, 4] = scores[4, 1] = np.nan
        with pytest.raises(MatedError, match="row 2, column 5"):
            Rivals.of(matrix(scores))
