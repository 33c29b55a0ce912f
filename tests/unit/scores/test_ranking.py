"""Searches: who is a probe, what is enrolled, which direction counts, what failed, and what is refused."""

from __future__ import annotations

import math
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from mated.errors import MatedError
from mated.scores import Comparisons, PairIds, ScoreMatrix, rank
from mated.scores.ranking import rank_rows, rank_table

NAN = math.nan


def table(*rows, **options) -> Comparisons:
    """A table of (probe sample, reference sample, score); a sample is named by its subject's letter and a number."""
    probe, reference, score = zip(*rows, strict=True)
    return Comparisons.from_arrays(
        score,
        probe_subject=[name[0] for name in probe],
        reference_subject=[name[0] for name in reference],
        probe_sample=probe,
        reference_sample=reference,
        **options,
    )


def gallery(probe: str, *scores: float, references=("a1", "b1", "c1")) -> list[tuple[str, str, float]]:
    """The rows of one probe against the references."""
    return [(probe, reference, score) for reference, score in zip(references, scores, strict=True)]


class TestAProbe:
    def test_ranks_its_mate_among_identities_by_their_best_references(self):
        """Worked by hand: a scores max(3, 5) = 5, b max(6, 1) = 6, c 5: one above, one tied."""
        references = ("a1", "a2", "b1", "b2", "c1")
        ranks = rank(table(*gallery("a9", 3, 5, 6, 1, 5, references=references)))
        assert (ranks.above.tolist(), ranks.tied.tolist(), ranks.others.tolist()) == ([1], [1], [2])
        assert (ranks.mate_score.tolist(), ranks.best_other.tolist()) == ([5.0], [6.0])
        assert (ranks.gallery_size, ranks.names[ranks.subject[0]]) == (3, "a")
        assert repr(ranks) == "Ranks(1 mated probes, gallery of 3)"

    def test_whose_subject_is_not_enrolled_is_an_open_set_probe(self):
        ranks = rank(table(*gallery("a9", 3, 2, 1), *gallery("z9", 3, 7, 1)))
        assert (ranks.n_mated, ranks.n_open, ranks.n_subjects) == (1, 1, 2)
        assert (ranks.open_best.tolist(), ranks.open_others.tolist()) == ([7.0], [3])

    def test_is_not_compared_with_itself(self):
        """a1 finds a2 alone; b1 has no other sample, so that it is an open-set probe in a gallery without b."""
        ranks = rank(
            table(("a1", "a1", 9), ("a1", "a2", 1), ("a1", "b1", 2), ("b1", "b1", 9), ("b1", "a2", 3), ("b1", "a1", 4))
        )
        assert (ranks.mate_score.tolist(), ranks.above.tolist()) == ([1.0], [1])
        assert (ranks.open_best.tolist(), ranks.open_others.tolist()) == ([4.0], [1])
        assert (ranks.gallery_size, ranks.missing) == (2, 0)
        assert "a sample is not searched for in itself" in ranks.notes
        assert not any("are counted" in note for note in ranks.notes)

    def test_that_was_never_compared_with_its_enrolled_mate_is_in_no_count(self):
        ranks = rank(table(*gallery("a9", 3, 2, 1), ("b9", "a1", 5), ("b9", "c1", 5)))
        assert (ranks.n_mated, ranks.n_open, ranks.unsearched, ranks.missing) == (1, 0, 1, 0)

    def test_compared_with_itself_alone_is_in_no_count(self):
        ranks = rank(table(*gallery("a9", 3, 2, 1), ("z1", "z1", 5)), symmetric="no")
        assert (ranks.n_mated, ranks.n_open, ranks.unsearched) == (1, 0, 1)
        assert ranks.gallery_size == 4

    def test_that_missed_an_identity_is_ranked_among_the_others(self):
        ranks = rank(table(*gallery("a9", 3, 2, 1), ("b9", "a1", 5), ("b9", "b1", 4)))
        assert (ranks.others.tolist(), ranks.missing) == ([2, 1], 1)

    def test_compared_twice_with_a_reference_scores_its_best_and_that_is_said(self):
        ranks = rank(table(("a9", "a1", 1), ("a9", "a1", 3), ("a9", "b1", 2)))
        assert (ranks.mate_score.tolist(), ranks.above.tolist()) == ([3.0], [0])
        assert any("more than once" in note for note in ranks.notes)


class TestFailures:
    def test_of_all_comparisons_with_the_mate_rank_it_last(self):
        rows = gallery("b9", 5, NAN, 4) + gallery("a9", 3, 2, 1)
        ranks = rank(table(*rows, nan="failure"))
        assert (ranks.above.tolist(), ranks.tied.tolist(), ranks.others.tolist()) == ([0, 2], [0, 0], [2, 2])
        assert ranks.mate_score.tolist() == [3.0, -math.inf]
        assert (ranks.failed_mates, ranks.missing, ranks.unsearched) == (1, 0, 0)

    def test_of_one_reference_of_the_mate_leave_the_other(self):
        ranks = rank(table(("a9", "a1", NAN), ("a9", "a2", 4), ("a9", "b1", 5), nan="failure"))
        assert (ranks.above.tolist(), ranks.mate_score.tolist(), ranks.failed_mates) == ([1], [4.0], 0)

    def test_of_other_identities_cannot_beat_the_mate(self):
        ranks = rank(table(*gallery("a9", 3, NAN, 4), nan="failure"))
        assert (ranks.above.tolist(), ranks.others.tolist(), ranks.missing) == ([1], [1], 1)

    def test_of_all_comparisons_of_a_probe_rank_its_mate_last_in_the_whole_gallery(self):
        ranks = rank(table(*gallery("a9", 3, 2, 1), *gallery("b9", NAN, NAN, NAN), nan="failure"))
        assert (ranks.above.tolist(), ranks.others.tolist(), ranks.missing) == ([0, 2], [2, 2], 2)
        assert (ranks.failed_mates, ranks.best_other.tolist()) == (1, [2.0, -math.inf])

    def test_of_all_comparisons_of_an_open_set_probe_match_nobody(self):
        ranks = rank(table(*gallery("a9", 3, 2, 1), *gallery("z9", NAN, NAN, NAN), nan="failure"))
        assert (ranks.open_best.tolist(), ranks.open_others.tolist(), ranks.missing) == ([-math.inf], [3], 3)

    def test_are_told_from_a_score_of_minus_infinity(self):
        ranks = rank(table(*gallery("a9", -math.inf, 2, -math.inf)))
        assert (ranks.above.tolist(), ranks.tied.tolist(), ranks.failed_mates) == ([1], [1], 0)

    def test_whose_comparisons_are_not_known_are_taken_as_not_made(self):
        known = table(*gallery("a9", 3, 2, 1), ("b9", "b1", NAN), ("b9", "a1", 2), nan="failure")
        lost = Comparisons(known.score, known.mated, known.subjects, known.samples, failed_mated=known.failed_mated)
        assert rank(known).failed_mates == 1
        assert (rank(lost).failed_mates, rank(lost).unsearched) == (0, 1)
        assert any("taken as not made" in note for note in rank(lost).notes)

    def test_keep_who_was_compared_and_their_group(self):
        data = Comparisons.from_arrays(
            [1.0, NAN, NAN],
            probe_subject=["a", "a", "b"],
            reference_subject=["a", "b", "b"],
            probe_sample=["p", "p", "q"],
            reference_sample=["r", "s", "s"],
            covariates={"sensor": ["x", "x", "y"]},
            nan="failure",
        )
        assert [data.subjects.names[code] for code in data.failed_subjects.probe] == ["a", "b"]
        assert [data.samples.names[code] for code in data.failed_samples.reference] == ["s", "s"]
        groups = data.groups("sensor")
        assert [len(group.failed_samples.probe) for group in groups.values()] == [1, 1]
        assert groups["y"].failed_subjects.same.tolist() == [True]


class TestDirections:
    ONCE = (("a1", "a2", 5.0), ("a1", "b1", 6.0), ("a2", "b1", 1.0))

    def test_a_table_that_lists_each_pair_once_is_searched_from_both_sides(self):
        """Three probes: a1 is beaten by b1, a2 is not, and b1 has no mate."""
        ranks = rank(table(*self.ONCE))
        assert (ranks.above.tolist(), ranks.mate_score.tolist()) == ([1, 0], [5.0, 5.0])
        assert ranks.open_best.tolist() == [6.0]
        assert any("counts in both directions" in note for note in ranks.notes)

    def test_a_table_that_lists_both_orders_is_searched_as_listed(self):
        ranks = rank(table(*self.ONCE, ("b1", "a1", 3.0), ("a2", "a1", 7.0)))
        assert sorted(ranks.mate_score.tolist()) == [5.0, 7.0]
        assert ranks.open_best.tolist() == [3.0]
        assert any("for its probe alone" in note for note in ranks.notes)

    def test_a_table_of_probes_and_other_references_says_nothing_about_directions(self):
        assert rank(table(*gallery("a9", 3, 2, 1))).notes == ()

    def test_the_user_has_the_last_word(self):
        one_way, both = (rank(table(*self.ONCE), symmetric=choice) for choice in ("no", "yes"))
        assert (one_way.mate_score.tolist(), one_way.open_best.tolist()) == ([5.0], [1.0])
        assert (both.n_mated, both.n_open) == (2, 1)

    @pytest.mark.parametrize("call", [lambda x: rank(x, symmetric="maybe"), lambda x: rank_table(x, symmetric=True)])
    def test_any_other_word_is_refused(self, call):
        with pytest.raises(MatedError, match="symmetric must be 'auto', 'yes' or 'no'"):
            call(table(*self.ONCE))


class TestATableWithoutSamples:
    def test_has_a_probe_a_subject_where_each_pair_occurs_once(self):
        ranks = rank(
            Comparisons.from_arrays(
                [3, 4, 1, 2, 5, 0],
                probe_subject=["a", "a", "b", "b", "z", "z"],
                reference_subject=["a", "b", "a", "b", "a", "b"],
            )
        )
        assert (ranks.above.tolist(), ranks.n_open, ranks.gallery_size) == ([1, 0], 1, 2)
        assert "samples are not named: each probe subject is one probe" in ranks.notes

    def test_is_refused_where_a_pair_occurs_twice(self):
        data = Comparisons.from_arrays(
            [3, 4, NAN], probe_subject=["a", "a", "a"], reference_subject=["a", "b", "b"], nan="failure"
        )
        with pytest.raises(MatedError, match=r"subject 'a' was compared with subject 'b' more than once.*probe_sample"):
            rank(data)

    def test_and_without_subjects_is_refused(self):
        with pytest.raises(MatedError, match="which comparisons are of one probe; give probe_sample"):
            rank(Comparisons.from_arrays([1, 2], [1, 0]))

    def test_of_one_triangle_counts_in_both_directions(self):
        data = Comparisons.from_arrays([3, 4, 5], probe_subject=["a", "a", "b"], reference_subject=["a", "b", "b"])
        assert rank(data).above.tolist() == [1, 0]
        assert rank(data).missing == 0


class TestATableWithoutSubjects:
    @staticmethod
    def table(*rows, **options):
        probe, reference, mated, score = zip(*rows, strict=True)
        return Comparisons.from_arrays(score, mated, probe_sample=probe, reference_sample=reference, **options)

    def test_makes_one_identity_of_samples_that_mated_comparisons_link(self):
        """r1 and r2 are linked by p; q is linked with r3; nobody is linked with r4, and o with nobody."""
        rows = [("p", "r1", 1, 1.0), ("p", "r2", 1, 2.0), ("p", "r3", 0, 3.0), ("p", "r4", 0, 2.0)]
        rows += [("q", "r1", 0, 1.0), ("q", "r3", 1, 5.0), ("o", "r1", 0, 4.0), ("o", "r2", 0, 6.0)]
        ranks = rank(self.table(*rows))
        assert (ranks.gallery_size, ranks.n_mated, ranks.n_open) == (3, 2, 1)
        assert (ranks.above.tolist(), ranks.tied.tolist()) == ([1, 0], [1, 0])
        assert (ranks.open_best.tolist(), ranks.open_others.tolist(), ranks.missing) == ([6.0], [1], 3)
        assert any("linked by mated comparisons are one identity" in note for note in ranks.notes)

    def test_counts_a_failed_comparison_as_a_link(self):
        ranks = rank(self.table(("p", "r1", 1, NAN), ("p", "r2", 0, 1.0), ("q", "r2", 1, 1.0), nan="failure"))
        assert (ranks.failed_mates, ranks.above.tolist()) == (1, [1, 0])

    def test_is_refused_where_a_probe_has_mates_of_two_identities(self):
        rows = [("p", "r1", 1, 1.0), ("q", "r2", 1, 2.0), ("q", "r1", 0, 3.0), ("p", "r2", 1, 2.0)]
        with pytest.raises(MatedError, match=r"probe 'q' and reference 'r1' are marked non-mated.*correct the flags"):
            rank(self.table(*rows))

    def test_may_list_each_pair_once(self):
        ranks = rank(self.table(("s", "t", 1, 1.0), ("s", "u", 0, 2.0), ("t", "u", 0, 0.0)))
        assert (ranks.above.tolist(), ranks.n_open) == ([1, 0], 1)


class TestASampleUnderTwoSubjects:
    @staticmethod
    def rows(relabelled=None, names="pqrstu"):
        """Six probes of three subjects against a reference of each; one comparison may be relabelled."""
        rows = []
        for number, name in enumerate(names):
            for reference in "abc":
                subject = "abc"[number % 3]
                if relabelled == (name, reference):
                    subject = reference
                rows.append((name, subject, f"ref {reference}", reference, float(len(rows) % 5)))
        return rows

    @staticmethod
    def table(rows):
        probe, subject, reference, owner, score = zip(*rows, strict=True)
        return Comparisons.from_arrays(
            score, probe_subject=subject, reference_subject=owner, probe_sample=probe, reference_sample=reference
        )

    def test_is_refused_by_its_name_where_it_is_one_of_few(self):
        assert rank(self.table(self.rows())).n_mated == 6
        with pytest.raises(MatedError, match=r"probe 'p' is listed under 2 subjects, as 'a/p' and 'b/p' \(1 of 6"):
            rank(self.table(self.rows(relabelled=("p", "b"))))

    def test_is_refused_where_it_is_listed_again_under_another_subject(self):
        rows = self.rows() + [(n, "c", r, o, s) for n, _, r, o, s in self.rows() if n == "q"]
        with pytest.raises(MatedError, match="probe 'q' is listed under 2 subjects"):
            rank(self.table(rows))

    def test_is_refused_where_it_is_the_only_probe(self):
        rows = [("p", "a", "ref a", "a", 1.0), ("p", "b", "ref b", "b", 2.0)]
        with pytest.raises(MatedError, match="probe 'p' is listed under 2 subjects"):
            rank(self.table(rows))

    def test_is_refused_on_the_reference_side_too(self):
        rows = [*self.rows(), ("p", "a", "ref b", "c", 1.0)]
        with pytest.raises(MatedError, match="reference 'ref b' is listed under 2 subjects"):
            rank(self.table(rows))

    @pytest.mark.parametrize("counts", [(2, 2, 2), (1, 1, 1), (9, 2, 1), (3, 3)])
    def test_is_another_sample_where_samples_are_numbered_within_each_subject(self, counts):
        subjects = "abc"[: len(counts)]
        rows = [
            (str(number), subject, f"ref {other}", other, float(subject == other))
            for subject, count in zip(subjects, counts, strict=True)
            for number in range(1, count + 1)
            for other in subjects
        ]
        ranks = rank(self.table(rows))
        assert ranks.n_mated == sum(counts)
        assert not ranks.above.any()
        assert ranks.notes == ("samples of one name and different subjects are different samples",)

    def test_is_refused_in_a_table_put_together_by_hand(self):
        subjects = PairIds(np.array([0, 1]), np.array([0, 1]), ("a", "b"))
        samples = PairIds(np.array([0, 0]), np.array([1, 2]), ("p", "r", "s"))
        data = Comparisons(np.array([1.0, 2.0]), subjects.same, subjects, samples)
        with pytest.raises(MatedError, match="probe 'p' is listed under two subjects"):
            rank(data)

    def test_is_refused_in_a_matrix(self):
        def matrix(subjects):
            return ScoreMatrix.from_arrays(
                np.ones((5, 2)), subjects, ["a", "b"], probe_sample=list("ppqrs"), reference_sample=["x", "y"]
            )

        assert rank(matrix(["a", "a", "a", "b", "b"])).n_mated == 5
        with pytest.raises(MatedError, match="probe 'p' is listed under 2 subjects"):
            rank(matrix(["a", "b", "a", "b", "b"]))


class TestProbeSamplesAlone:
    def test_name_probes_of_a_gallery_with_one_reference_a_subject(self):
        data = Comparisons.from_arrays(
            [3, 2, 1, 4],
            probe_subject=["a", "a", "b", "b"],
            reference_subject=["a", "b", "a", "b"],
            probe_sample=["p", "p", "q", "q"],
        )
        assert rank(data).above.tolist() == [0, 0]
        assert data.notes == ("reference samples are not named: each subject is taken to have one reference",)

    def test_without_subjects_are_refused(self):
        with pytest.raises(MatedError, match="probe_sample is given without reference_sample"):
            Comparisons.from_arrays([3, 2], [1, 0], probe_sample=["p", "p"])

    def test_must_be_as_many_as_the_scores(self):
        with pytest.raises(MatedError, match="probe_sample has 1 values and there are 2 scores"):
            Comparisons.from_arrays([3, 2], probe_subject=["a", "a"], reference_subject=["a", "b"], probe_sample=["p"])


class TestNoMatedProbe:
    def test_is_refused_where_no_subject_is_enrolled(self):
        with pytest.raises(
            MatedError, match=r"no probe was compared with a mate.*no subject of a probe is in the gall"
        ):
            rank(table(*gallery("z9", 1, 2, 3)))
        assert rank_table(table(*gallery("z9", 1, 2, 3))).n_open == 1

    def test_is_refused_where_mates_were_never_compared(self):
        with pytest.raises(MatedError, match="1 probes were never compared with the references of their subject"):
            rank(table(("a9", "b1", 1.0), ("z9", "a1", 1.0)))

    def test_what_is_no_layout_is_refused(self):
        with pytest.raises(MatedError, match="not of list"):
            rank([1, 2])


class TestAMatrix:
    NAMES = ("a1", "a2", "b1")

    def symmetric(self, scores, **options):
        subjects = [name[0] for name in self.NAMES]
        return ScoreMatrix.from_arrays(
            scores, subjects, subjects, probe_sample=self.NAMES, reference_sample=self.NAMES, **options
        )

    def test_that_is_its_own_transpose_is_searched_row_by_row(self):
        """Pairs a1–a2 5, a1–b1 6, a2–b1 1, as in the table above."""
        ranks = rank(self.symmetric([[9, 5, 6], [5, 9, 1], [6, 1, 9]]))
        assert (ranks.above.tolist(), ranks.open_best.tolist()) == ([1, 0], [6.0])
        assert len(ranks.notes) == 1
        assert "counts in both directions" in ranks.notes[0]

    def test_of_integers_that_float32_cannot_tell_apart_is_ranked_exactly(self):
        scores = np.array([[2**24, 2**24 + 1]], dtype=np.int32)
        assert rank(ScoreMatrix.from_arrays(scores, ["a"], ["a", "b"])).above.tolist() == [1]

    def test_mapped_from_a_file_is_read_from_there(self, tmp_path):
        scores = np.random.default_rng(1).normal(size=(30, 40)).astype(np.float32)
        np.save(tmp_path / "scores.npy", scores)
        mapped = np.load(tmp_path / "scores.npy", mmap_mode="r")
        probe, reference = np.arange(30), np.arange(40) % 35
        one, other = (rank(ScoreMatrix.from_arrays(s, probe, reference)) for s in (scores, mapped))
        assert np.array_equal(one.above, other.above)
        assert np.array_equal(one.mate_score, other.mate_score)

    @pytest.mark.parametrize(("row", "column"), [(0, 1), (1, 0), (2, 2)])
    @pytest.mark.parametrize("masked", [False, True])
    def test_with_nan_is_refused_by_row_and_column(self, row, column, masked):
        scores = np.arange(9.0).reshape(3, 3)
        scores[row, column] = NAN
        mask = np.ones((3, 3), bool) if masked else None
        matrix = ScoreMatrix.from_arrays(scores, ["a", "b", "z"], ["a", "b", "c"], mask=mask)
        with pytest.raises(MatedError, match=f"NaN at row {row + 1}, column {column + 1}; mask such entries"):
            rank(matrix)
        failing = rank(ScoreMatrix.from_arrays(scores, ["a", "b", "z"], ["a", "b", "c"], mask=mask, nan="failure"))
        assert failing.missing == 1

    @pytest.mark.parametrize("mask", [None, np.array([[1, 1, 1], [0, 1, 1], [0, 0, 1]], bool)])
    def test_may_have_nan_where_a_sample_meets_itself(self, mask):
        scores = np.array([[NAN, 5, 6], [5, NAN, 1], [6, 1, NAN]])
        assert rank(self.symmetric(scores, mask=mask)).above.tolist() == [1, 0]

    def test_of_which_one_triangle_is_used_names_the_place_of_nan_in_that_triangle(self):
        scores = np.array([[9.0, 5, NAN], [0, 9, 1], [0, 0, 9]])
        with pytest.raises(MatedError, match="NaN at row 1, column 3"):
            rank(self.symmetric(scores, mask=np.triu(np.ones((3, 3), bool))))
        with pytest.raises(MatedError, match="NaN at row 1, column 3"):
            rank_rows(self.symmetric(scores, mask=np.triu(np.ones((3, 3), bool))), 2, 3)

    def test_with_a_row_that_is_masked_away_has_a_probe_less(self):
        mask = [[1, 1], [0, 0], [0, 0]]
        ranks = rank(ScoreMatrix.from_arrays(np.ones((3, 2)), ["a", "b", "z"], ["a", "b"], mask=mask))
        assert (ranks.n_mated, ranks.n_open, ranks.unsearched, ranks.tied.tolist()) == (1, 0, 2, [1])

    def test_of_other_samples_cannot_be_turned(self):
        matrix = ScoreMatrix.from_arrays(np.ones((2, 2)), ["a", "b"], ["a", "b"])
        with pytest.raises(MatedError, match="symmetric='yes' needs a matrix with the same named samples"):
            rank(matrix, symmetric="yes")

    def test_has_only_the_rows_it_has(self):
        matrix = ScoreMatrix.from_arrays(np.ones((2, 2)), ["a", "b"], ["a", "b"])
        with pytest.raises(MatedError, match="rows 0 to 3 are not within the 2 rows"):
            rank_rows(matrix, 0, 3)
        with pytest.raises(MatedError, match="symmetric must be"):
            rank_rows(matrix, 0, 1, symmetric="perhaps")
        assert rank_rows(matrix, 1, 1).n_mated == 0

    def test_and_one_with_another_gallery_do_not_add_up(self):
        one, other = (rank(ScoreMatrix.from_arrays(np.ones((1, 2)), ["a"], ["a", b])) for b in "bc")
        with pytest.raises(MatedError, match="names differs"):
            _ = one + other

    def test_is_ranked_in_little_memory(self):
        """Besides the matrix of 9 MB there are a few numbers a row."""
        rng = np.random.default_rng(2)
        matrix = ScoreMatrix.from_arrays(rng.random((1500, 1500), np.float32), np.arange(1500), np.arange(1500) // 2)
        rank(matrix)
        tracemalloc.start()
        try:
            rank(matrix)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 0.1 * matrix.scores.nbytes


def test_ranks_cannot_be_written_to():
    ranks = rank(table(*gallery("a9", 3, 2, 1)))
    with pytest.raises(ValueError, match="read-only"):
        ranks.above[0] = 7


def test_loading_the_package_does_not_load_the_compiler():
    code = "import sys, mated.scores.ranking; sys.exit('numba' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_single_precision_stays_so_that_thresholds_are_the_scores_as_written():
    import mated

    table = Comparisons.from_arrays(
        np.array([0.1, 0.3, 0.2, 0.4], dtype=np.float32),
        probe_subject=[1, 1, 2, 2],
        reference_subject=[1, 2, 1, 2],
        probe_sample=["a", "a", "b", "b"],
        reference_sample=["r", "q", "r", "q"],
        dissimilarity=True,
    )
    # By hand: the mate of a scores 0.1 and is found at 0.1; the mate of b scores 0.4 and is not.
    assert rank(table).mate_score.dtype == np.float32
    assert mated.identify(table, probes="mate removed", replicates=0).at_threshold(0.1)[0].fnir == 0.5
