"""Layouts and tallies: what they accept, what they refuse and what they say then."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from mated.errors import MatedError
from mated.scores import Comparisons, ScoreMatrix, Tally
from mated.scores.unit import detect_unit, parse_unit, unit_name


class TestUnit:
    @pytest.mark.parametrize(
        ("scores", "unit"),
        [
            ([1.0, 2.0, 40.0], 1),
            ([0.25, 0.5], Fraction(1, 100)),
            ([31.3983, 40.8472], Fraction(1, 10_000)),
            ([0.510836, 0.51], Fraction(1, 10**6)),
            ([np.pi, 1.0], None),
            ([1 / 3], None),
            ([np.inf, -np.inf], 1),
            ([1e300, 2e300], None),
            ([2.0**51, 2.0**51 - 1], 1),
        ],
    )
    def test_is_the_finest_decimal_step_of_the_scores(self, scores, unit):
        assert detect_unit(np.array(scores)) == unit

    def test_of_float32_decimals_is_found(self):
        assert detect_unit(np.float32([0.57, 0.3])) == Fraction(1, 100)

    def test_of_float32_noise_is_none_however_coarse_the_floats(self):
        assert detect_unit(np.random.default_rng(1).normal(3000, 100, 5000).astype(np.float32)) is None

    def test_a_rare_decimal_is_not_missed_by_looking_at_a_sample(self):
        scores = np.arange(100_000, dtype=float)
        scores[77_777] += 0.5
        assert detect_unit(scores) == Fraction(1, 10)

    @pytest.mark.parametrize(
        ("text", "unit"), [("auto", "auto"), ("continuous", "continuous"), ("none", "continuous"), (None, "continuous")]
    )
    def test_words_are_understood(self, text, unit):
        assert parse_unit(text) == unit

    @pytest.mark.parametrize("text", ["0", "-1", "one", "nan", "1e400", "1e-400"])
    def test_what_is_no_unit_is_refused(self, text):
        with pytest.raises(MatedError, match="positive number"):
            parse_unit(text)

    def test_has_a_name(self):
        assert [unit_name(u) for u in (None, Fraction(1), Fraction(1, 10**6), Fraction(1, 3))] == [
            "continuous",
            "integers",
            "in steps of 0.000001",
            "in steps of 1/3",
        ]

    def test_that_the_scores_do_not_follow_is_refused(self):
        with pytest.raises(MatedError, match=r"score 0.5 is not a multiple of the unit 1"):
            Tally.from_scores([0.5], [1], unit=1)


class TestTally:
    def test_refuses_nan_and_says_where(self):
        with pytest.raises(MatedError, match=r"1 of 3 non-mated scores is NaN \(the first is number 2\)"):
            Tally.from_scores([1.0], [0.0, np.nan, 2.0])

    def test_counts_nan_as_failures_when_told_to(self):
        tally = Tally.from_scores([1.0, np.nan], [0.0, np.nan, np.nan], nan="failure")
        assert (tally.n_mated, tally.n_nonmated) == (1, 1)
        assert (tally.mated_failures, tally.nonmated_failures) == (1, 2)
        assert (tally + tally).nonmated_failures == 4

    def test_refuses_text_and_shows_it(self):
        with pytest.raises(MatedError, match="'high' is none"):
            Tally.from_scores([1.0, "high"], np.array([1, "high"], dtype=object))

    def test_refuses_more_than_one_dimension(self):
        with pytest.raises(MatedError, match="ScoreMatrix"):
            Tally.from_scores(np.zeros((2, 2)), [1])

    def test_refuses_integers_that_floats_cannot_hold(self):
        for huge in (2**53 + 2, 2**70):
            with pytest.raises(MatedError, match=r"2\^53"):
                Tally.from_scores([huge], [0])

    def test_of_similarities_and_of_dissimilarities_do_not_add(self):
        with pytest.raises(MatedError, match="cannot be added"):
            _ = Tally.from_scores([1], [0]) + Tally.from_scores([1], [0], dissimilarity=True)

    def test_cannot_be_written_to(self):
        tally = Tally.from_scores([1], [0])
        with pytest.raises(ValueError, match="read-only"):
            tally.scores[0] = 7

    def test_does_not_change_what_it_was_given(self):
        scores = np.array([3.5, -0.0, 1.0])
        Tally.from_scores(scores, scores, dissimilarity=True)
        assert scores.tolist() == [3.5, -0.0, 1.0]

    def test_large_arrays_sorted_in_several_runs_count_the_same(self):
        rng = np.random.default_rng(3)
        mated = rng.normal(2, 1, 200_000).astype(np.float32)
        nonmated = rng.normal(0, 1, 2_500_000).astype(np.float32)
        tally = Tally.from_scores(mated, nonmated)
        values, counts = np.unique(np.concatenate([mated, nonmated]), return_counts=True)
        assert np.array_equal(tally.scores, values)
        assert tally.scores.dtype == np.float32
        assert np.array_equal(tally.mated + tally.nonmated, counts)
        at = np.searchsorted(values, mated)
        assert np.array_equal(tally.mated, np.bincount(at, minlength=len(values)))

    def test_scores_beyond_the_whole_numbers_of_floats_are_counted_all_the_same(self):
        assert Tally.from_scores([1e19, 1e30], [1e19]).mated.tolist() == [1, 1]

    def test_nan_is_no_score_of_a_histogram(self):
        with pytest.raises(MatedError, match="NaN is no score"):
            Tally.from_counts([1, np.nan], [1, 1], [1, 1])

    def test_counts_of_a_histogram_may_come_in_any_order(self):
        tally = Tally.from_counts([5, 1, 3], [2, 0, 0], [0, 4, 0])
        assert tally == Tally.from_scores([5, 5], [1, 1, 1, 1])

    @pytest.mark.parametrize("counts", [[1, -1], [1.5, 2], [1]])
    def test_counts_must_be_counts(self, counts):
        with pytest.raises(MatedError, match="non-negative integers"):
            Tally.from_counts([1, 2], counts, [1, 1])


class TestComparisons:
    def test_subjects_say_what_is_mated(self):
        data = Comparisons.from_arrays([1, 2, 3], probe_subject=["a", "a", "b"], reference_subject=["a", "b", "b"])
        assert data.mated.tolist() == [True, False, True]
        assert data.n_subjects == 2

    def test_a_flag_that_contradicts_the_subjects_is_refused(self):
        with pytest.raises(MatedError, match="comparison 2 is marked mated, but its subjects differ"):
            Comparisons.from_arrays([1, 2], [1, 1], probe_subject=["a", "a"], reference_subject=["a", "b"])

    def test_a_flag_that_is_none_is_refused(self):
        with pytest.raises(MatedError, match="comparison 2 has"):
            Comparisons.from_arrays([1, 2], [1, 2])

    def test_one_side_alone_is_refused(self):
        with pytest.raises(MatedError, match="probe_subject is given without reference_subject"):
            Comparisons.from_arrays([1, 2], [1, 0], probe_subject=["a", "b"])

    def test_columns_of_different_lengths_are_refused(self):
        with pytest.raises(MatedError, match="probe_subject has 1 values and there are 2 scores"):
            Comparisons.from_arrays([1, 2], probe_subject=["a"], reference_subject=["a", "b"])

    def test_a_missing_subject_is_refused_with_its_row(self):
        with pytest.raises(MatedError, match="'probe_subject' has no value in row 2"):
            Comparisons.from_arrays([1, 2], probe_subject=["a", None], reference_subject=["a", "b"])

    def test_numbers_as_ids_keep_their_digits(self):
        data = Comparisons.from_arrays([1, 2], probe_subject=[7, 10], reference_subject=[7, 7])
        assert data.subjects.names == ("10", "7")  # sorted as the texts that a text file would hold

    def test_failures_are_counted_by_class(self):
        data = Comparisons.from_arrays([1, np.nan, np.nan], [1, 1, 0], nan="failure")
        assert (data.tally().mated_failures, data.tally().nonmated_failures, len(data)) == (1, 1, 1)

    def test_groups_are_split_by_covariates(self):
        data = Comparisons.from_arrays([1, 2, 3], [1, 0, 0], covariates={"sensor": ["x", "y", "x"], "day": [1, 1, 2]})
        assert list(data.groups("sensor")) == ["x", "y"]
        assert list(data.groups("sensor", "day")) == ["x / 1", "x / 2", "y / 1"]

    def test_groups_whose_plain_names_collide_are_quoted_apart(self):
        data = Comparisons.from_arrays([1, 2], [1, 0], covariates={"u": ["x / y", "x"], "v": ["z", "y / z"]})
        assert list(data.groups("u", "v")) == ["'x' / 'y / z'", "'x / y' / 'z'"]

    def test_failures_belong_to_their_group_and_a_missing_value_is_a_group(self):
        data = Comparisons.from_arrays(
            [1, np.nan, np.nan, 2], [1, 1, 0, 0], covariates={"g": np.array(["a", "b", None, None])}, nan="failure"
        )
        groups = data.groups("g")
        assert list(groups) == ["(missing)", "a", "b"]
        assert [(g.tally().mated_failures, g.tally().nonmated_failures) for g in groups.values()] == [
            (0, 1),
            (0, 0),
            (1, 0),
        ]

    def test_sample_numbers_that_repeat_from_person_to_person_are_told_apart(self):
        data = Comparisons.from_arrays(
            [1, 2, 3],
            probe_subject=["a", "a", "b"],
            reference_subject=["a", "b", "b"],
            probe_sample=[1, 1, 1],
            reference_sample=[2, 1, 2],
        )
        assert data.notes == ()
        assert data.samples.names == ("a/1", "a/2", "b/1", "b/2")

    def test_hashes_can_be_ids(self):
        ids = np.array([2**64 - 1, 5], dtype=np.uint64)
        assert Comparisons.from_arrays([1, 2], probe_subject=ids, reference_subject=ids[:1].repeat(2)).n_subjects == 2

    def test_an_unknown_covariate_is_refused_with_those_there_are(self):
        data = Comparisons.from_arrays([1, 2], [1, 0], covariates={"sensor": ["x", "y"]})
        with pytest.raises(MatedError, match="no column 'age' to group by; the further columns are: 'sensor'"):
            data.groups("age")

    def test_a_sample_compared_with_itself_is_mentioned(self):
        data = Comparisons.from_arrays([1, 2], [1, 0], probe_sample=["a", "a"], reference_sample=["a", "b"])
        assert data.notes == ("1 comparisons have the same sample on both sides and are counted",)


class TestScoreMatrix:
    def test_a_sample_with_itself_is_no_comparison(self):
        matrix = ScoreMatrix.from_arrays(
            [[9, 1, 2], [3, 9, 4]],
            ["a", "b"],
            ["a", "b", "a"],
            probe_sample=["a1", "b1"],
            reference_sample=["a1", "b1", "a2"],
        )
        assert (matrix.tally().n_mated, matrix.tally().n_nonmated) == (1, 3)

    def test_a_symmetric_matrix_counts_each_pair_once(self):
        scores = np.array([[9, 1, 2], [1, 9, 3], [2, 3, 9]])
        names = ["a1", "a2", "b1"]
        matrix = ScoreMatrix.from_arrays(
            scores, ["a", "a", "b"], ["a", "a", "b"], probe_sample=names, reference_sample=names
        )
        assert matrix.symmetric
        assert matrix.tally() == Tally.from_scores([1], [2, 3])
        assert "counted once" in matrix.notes[0]

    def test_rounding_and_failures_do_not_hide_a_symmetric_matrix(self):
        scores = np.array([[9, 1, 2], [1, 9, 3], [2, np.nextafter(3, 4), 9]])
        scores[0, 2] = np.nan
        names = ["a1", "a2", "b1"]
        matrix = ScoreMatrix.from_arrays(
            scores, ["a", "a", "b"], ["a", "a", "b"], probe_sample=names, reference_sample=names, nan="failure"
        )
        assert matrix.symmetric
        assert (matrix.tally().n_mated, matrix.tally().n_nonmated, matrix.tally().nonmated_failures) == (1, 1, 1)

    @pytest.mark.parametrize("dtype", [np.int64, np.float32, np.float64])
    def test_entries_that_are_not_used_do_not_hide_a_symmetric_matrix(self, dtype, monkeypatch):
        monkeypatch.setattr("mated.scores.matrix._BLOCK_ENTRIES", 4)  # a row at a time
        scores, used = np.array([[0, 5, 9], [5, 0, 7], [1, 7, 0]], dtype=dtype), np.ones((3, 3), dtype=bool)
        used[0, 2] = used[2, 0] = False
        names = ["a", "b", "c"]
        made = ScoreMatrix.from_arrays(scores, names, names, probe_sample=names, reference_sample=names, mask=used)
        assert made.symmetric
        assert made.comparisons().score.tolist() == [5, 7]
        whole = ScoreMatrix.from_arrays(scores, names, names, probe_sample=names, reference_sample=names)
        assert not whole.symmetric

    def test_an_asymmetric_square_matrix_counts_both_directions(self):
        names = ["a1", "a2"]
        matrix = ScoreMatrix.from_arrays(
            [[9, 1], [2, 9]], ["a", "a"], ["a", "a"], probe_sample=names, reference_sample=names
        )
        assert matrix.tally().n_mated == 2
        assert "both orders are counted" in matrix.notes[0]

    def test_rows_and_ids_must_be_as_many(self):
        with pytest.raises(MatedError, match="the matrix has 2 columns and there are 3 ids"):
            ScoreMatrix.from_arrays(np.zeros((2, 2)), ["a", "b"], ["a", "b", "c"])

    def test_nan_is_refused_with_its_place(self):
        matrix = ScoreMatrix.from_arrays([[1, 2], [3, np.nan]], ["a", "b"], ["a", "b"])
        with pytest.raises(MatedError, match="NaN at row 2, column 2"):
            matrix.tally()

    def test_nan_can_be_masked_or_counted(self):
        scores = [[1, 2], [3, np.nan]]
        masked = ScoreMatrix.from_arrays(scores, ["a", "b"], ["a", "b"], mask=[[1, 1], [1, 0]])
        counted = ScoreMatrix.from_arrays(scores, ["a", "b"], ["a", "b"], nan="failure")
        assert masked.tally().n_mated == counted.tally().n_mated == 1
        assert counted.tally().mated_failures == counted.comparisons().tally().mated_failures == 1
        assert masked.tally().mated_failures == 0

    def test_dissimilarities_are_turned_round(self):
        matrix = ScoreMatrix.from_arrays([[0, 5]], ["a"], ["a", "b"], dissimilarity=True)
        assert matrix.tally() == Tally.from_scores([0], [5], dissimilarity=True)

    def test_a_cube_is_refused(self):
        with pytest.raises(MatedError, match="two-dimensional"):
            ScoreMatrix.from_arrays(np.zeros((2, 2, 2)), ["a"], ["a"])
