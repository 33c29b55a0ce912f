"""Subjects in chunks: what is refused and said, how pairs are counted, and the bootstrap that is drawn from them."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest

from chunked_tables import AnyOrder, ChangingPart, FramePart, comparisons_of, frame_of
from mated.engine import chunk_labels, chunk_pairs
from mated.engine.chunk_labels import IntegerCoder, LabelCoder
from mated.engine.chunk_pairs import PairCounter
from mated.engine.stream import Scoring
from mated.engine.subject_chunks import stream_subject_pairs, stream_subject_tallies
from mated.errors import MatedError
from mated.evaluation.resampling import SubjectResampling
from mated.scores.subject_pairs import PairTotals, SubjectPairs
from mated.scores.subject_tallies import SubjectTallies

SUBJECTS = ("score", "mated", "probe_subject", "reference_subject")


def people(n=25, samples=3, seed=6) -> pl.DataFrame:
    """Each sample against each other, once, in no order; one score in fifty missing."""
    rng = np.random.default_rng(seed)
    names = [f"person {k}" for k in rng.permutation(n)]
    of = [(name, f"{name}/{j}") for name in names for j in range(samples)]
    pairs = list(itertools.combinations(of, 2))
    rng.shuffle(pairs)
    rows = [(None if rng.random() < 0.02 else float(rng.normal(2 * (p == r))), p, r, a, b) for (p, a), (r, b) in pairs]
    return frame_of(rows)


TABLE = people()
WHOLE = comparisons_of(TABLE, nan="failure")
SCORING = Scoring(nan="failure")
PARTS = [FramePart(TABLE[k::4], (100, 350), f"part {k}") for k in range(4)]


class TestTheBootstrapBySubject:
    """The same weights by subject code and the same scores, so every replicate is the same number."""

    tally = WHOLE.tally()
    whole = SubjectResampling(tally, SubjectPairs.of(WHOLE), 300, seed=5)

    def drawn(self, tail_above, runner=None) -> SubjectResampling:
        pairs = stream_subject_pairs(PARTS, scoring=SCORING, tail_above=tail_above, runner=runner)
        return SubjectResampling(self.tally, pairs, 300, seed=5)

    @pytest.mark.parametrize("tail_above", [None, 0.0])
    @pytest.mark.parametrize("runner", [None, AnyOrder(3)])
    def test_rates_at_thresholds_and_at_false_match_rates_are_the_same_to_the_last_bit(self, tail_above, runner):
        chunked = self.drawn(tail_above, runner)
        for draw in (
            lambda r: r.at_fmr([0.01, 0.1]),
            lambda r: r.at_threshold([0.5, 1.7]),
            lambda r: r.at_tmr([0.6]),
            lambda r: r.eer(),
        ):
            for one, other in zip(draw(chunked), draw(self.whole), strict=True):
                assert one.tobytes() == other.tobytes()

    def test_the_area_under_the_curve_too_where_all_scores_are_kept(self):
        assert self.drawn(None).auc().tobytes() == self.whole.auc().tobytes()


class TestPairsOfSubjects:
    def counted(self, pairs, n):
        counter = PairCounter()
        for chunk in np.array_split(pairs, 7):
            counter.add(chunk[:, 0], chunk[:, 1], n)
        return counter

    def entries(self, totals: PairTotals):
        return [column.tolist() for column in totals.entries]

    @pytest.mark.parametrize("small", [0, 10, 1 << 26])
    @pytest.mark.parametrize("size", [30, 3000])
    def test_lists_of_pairs_and_triangles_count_alike(self, monkeypatch, small, size):
        monkeypatch.setattr(chunk_pairs, "_SMALL", small)
        pairs = np.random.default_rng(1).integers(60, size=(size, 2))
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        found = self.counted(pairs, 60).result(60)
        assert found.total == len(pairs)
        assert (found.triangle is None) == (small < 60 * 59 // 2 and size == 30)
        expected = PairTotals.count(60, pairs.min(axis=1), pairs.max(axis=1))
        assert self.entries(found.totals()) == self.entries(expected)
        turned = np.random.default_rng(2).permutation(80)[:60]
        recoded = np.sort(turned[pairs], axis=1)
        expected = PairTotals.count(80, recoded[:, 0], recoded[:, 1])
        assert self.entries(found.recoded(turned, 80).totals()) == self.entries(expected)

    def test_a_triangle_of_few_pairs_is_handed_over_as_a_list(self, monkeypatch):
        monkeypatch.setattr(chunk_pairs, "_LITTLE", 0)
        pairs = np.random.default_rng(3).integers(40, size=(60, 2))
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        found = self.counted(pairs, 40).result(40)
        assert found.triangle is None
        expected = PairTotals.count(40, pairs.min(axis=1), pairs.max(axis=1))
        assert self.entries(found.totals()) == self.entries(expected)

    def test_a_list_becomes_a_triangle_once_it_would_be_smaller(self, monkeypatch):
        monkeypatch.setattr(chunk_pairs, "_SMALL", 10)
        counter, everything = PairCounter(), np.array(list(itertools.combinations(range(40), 2)))
        counter.add(everything[:20, 0], everything[:20, 1], 40)
        assert counter.result(40).triangle is None
        counter.add(everything[20:, 0], everything[20:, 1], 40)
        assert counter.result(40).triangle.tolist() == [1] * (40 * 39 // 2)

    def test_counts_of_more_comparisons_than_32_bits_hold(self):
        counter = PairCounter()
        one = chunk_pairs.PairCounts(2, np.array([2**32 - 1], np.uint32), *[np.zeros(0, np.int64)] * 2, 2**32 - 1)
        for _ in range(3):
            counter.take_in(one, np.array([1, 0]), 2)
        assert counter.result(2).triangle.tolist() == [3 * (2**32 - 1)]

    def test_a_triangle_gives_the_same_matrix_as_a_list(self):
        rng = np.random.default_rng(4)
        triangle = rng.integers(0, 3, size=10 * 9 // 2).astype(np.uint32)
        rows, columns = np.triu_indices(10, 1)
        counts = triangle[columns * (columns - 1) // 2 + rows].astype(np.int64)
        met = counts > 0
        expected = PairTotals.of_entries(10, rows[met], columns[met], counts[met])
        found = PairTotals.of_triangle(10, triangle)
        assert found.samples is None
        for name in ("data", "indices", "indptr"):
            assert getattr(found.matrix, name).tolist() == getattr(expected.matrix, name).tolist()


class TestLabels:
    def test_integers_are_numbered_as_they_come(self):
        keys = np.random.default_rng(0).integers(-(2**62), 2**62, size=5000)
        coder, seen = IntegerCoder(), {}
        for chunk in np.array_split(np.concatenate([keys, keys[::-1]]), 9):
            expected = [seen.setdefault(key, len(seen)) for key in chunk.tolist()]
            assert coder.codes(chunk).tolist() == expected
        assert coder.known.tolist() == list(seen)

    def test_texts_of_one_hash_are_told_apart(self, monkeypatch):
        monkeypatch.setattr(chunk_labels, "_hashes", lambda texts: texts.str.len_bytes().to_numpy().astype(np.int64))
        coder = LabelCoder()
        assert coder.codes(pl.Series(["a", "bb", "a"]), "").tolist() == [0, 1, 0]
        assert coder.codes(pl.Series(["bb", "cc", "dd", "a"]), "").tolist() == [1, 2, 3, 0]
        assert LabelCoder(coder.labels).codes(pl.Series(["dd", "a", "new"]), "").tolist() == [3, 0, 4]

    def test_integers_become_texts_where_texts_are_met(self):
        coder = LabelCoder()
        assert coder.codes(pl.Series([7, 9]), "").tolist() == [0, 1]
        assert coder.codes(pl.Series(["9", "x"]), "").tolist() == [1, 2]
        assert coder.codes(pl.Series([9, 7]), "").tolist() == [1, 0]

    def test_hashes_beyond_63_bits_are_labels_too(self):
        big = pl.Series("probe_subject", [2**64 - 1, 3], dtype=pl.UInt64)
        frame = pl.DataFrame({"score": [1.0, 2.0], "mated": [False, True], "probe_subject": big}).with_columns(
            reference_subject=pl.lit(3, pl.UInt64)
        )
        found = stream_subject_pairs([FramePart(frame)], scoring=Scoring())
        assert found.names == SubjectPairs.of(comparisons_of(frame)).names == ("18446744073709551615", "3")

    def test_parts_with_integers_and_parts_with_texts_are_one_table(self):
        parts = [FramePart(frame_of([(1.0, 10, 9), (2.0, 9, 9)])), FramePart(frame_of([(3.0, "10", "a")]))]
        whole = comparisons_of(frame_of([(1.0, "10", "9"), (2.0, "9", "9"), (3.0, "10", "a")]))
        for runner in (None, AnyOrder(1)):
            found = stream_subject_pairs(parts, scoring=Scoring(), runner=runner)
            assert found.names == whole.subjects.names
            assert found.totals.of_subject.tolist() == SubjectPairs.of(whole).totals.of_subject.tolist()


class TestTallies:
    def test_passes_are_told_and_the_second_pass_counts(self):
        told = []
        found = stream_subject_tallies(PARTS, scoring=SCORING, progress=lambda *now: told.append(now))
        assert found.symmetric
        assert found.nonmated_above.tolist() == SubjectTallies.of(WHOLE).nonmated_above.tolist()
        assert {number for number, _, _ in told} == {1, 2}
        assert told[-1] == (2, TABLE.height, TABLE.height)

    def test_a_runner_tells_how_far_it_is(self):
        told = []
        stream_subject_pairs(PARTS, scoring=SCORING, runner=AnyOrder(2), progress=lambda *now: told.append(now))
        assert len(told) == len(PARTS)
        assert told[-1] == (1, TABLE.height, TABLE.height)

    def test_integer_scores_with_a_missing_one_are_counted_as_in_memory(self):
        rows = [(3, "a", "a"), (2, "a", "b"), (None, "b", "a"), (5, "b", "b"), (3, "b", "c")]
        frame = frame_of(rows, dtype=pl.Int32)
        whole = SubjectTallies.of(comparisons_of(frame, nan="failure"))
        found = stream_subject_tallies([FramePart(frame, (2,))], scoring=SCORING, knows=SUBJECTS)
        assert found.nonmated_at_or_above.tolist() == whole.nonmated_at_or_above.tolist()

    def test_too_many_samples_on_both_sides_must_be_spoken_of(self, monkeypatch):
        monkeypatch.setattr("mated.engine.subject_chunks.MOST_BITS", 100)
        with pytest.raises(MatedError, match=r"73 samples stand on both sides.*symmetric='yes' or 'no'"):
            stream_subject_tallies(PARTS, scoring=SCORING)
        assert stream_subject_tallies(PARTS, scoring=SCORING, symmetric="yes").symmetric

    def test_data_that_change_between_passes_are_refused(self):
        for later in (frame_of([(1.0, "z", "z")]), TABLE[1:]):
            with pytest.raises(MatedError, match="not what they were"):
                stream_subject_tallies([ChangingPart([TABLE, later])], scoring=SCORING, knows=SUBJECTS)


class TestWhatIsRefused:
    def test_a_missing_score_by_its_row(self):
        rows = [(1.0, "a", "b"), (2.0, "a", "a"), (None, "b", "a")]
        with pytest.raises(MatedError, match=r"part, row 3: the score is missing or NaN.*nan='failure'"):
            stream_subject_pairs([FramePart(frame_of(rows), (2,))], scoring=Scoring())

    def test_a_flag_that_subjects_contradict(self):
        frame = frame_of([(1.0, "a", "b"), (2.0, "a", "a")]).with_columns(mated=pl.lit(True))
        with pytest.raises(MatedError, match=r"part, row 1: the comparison is marked mated, but its subjects differ"):
            stream_subject_pairs([FramePart(frame)], scoring=Scoring())

    @pytest.mark.parametrize(
        ("knows", "said"),
        [
            (("score", "mated"), "give probe_subject and reference_subject"),
            (("score", "mated", "probe_subject"), "probe_subject is given without reference_subject"),
        ],
    )
    def test_subjects_that_are_not_named(self, knows, said):
        for stream in (stream_subject_pairs, stream_subject_tallies):
            with pytest.raises(MatedError, match=said):
                stream(PARTS, scoring=Scoring(), knows=knows)

    @pytest.mark.parametrize(
        ("column", "said"), [([1.5, 2.0], "names are texts or whole numbers"), (["a", None], "rows without a value")]
    )
    def test_labels_that_are_none(self, column, said):
        frame = pl.DataFrame({"score": [1.0, 2.0], "mated": [False] * 2, "probe_subject": column})
        with pytest.raises(MatedError, match=said):
            stream_subject_pairs([FramePart(frame.with_columns(reference_subject=pl.lit("b")))], scoring=Scoring())

    def test_scores_that_are_texts(self):
        frame = frame_of([(1.0, "a", "b")]).with_columns(score=pl.lit("high"))
        with pytest.raises(MatedError, match="scores are numbers"):
            stream_subject_pairs([FramePart(frame)], scoring=Scoring())

    def test_nothing_at_all_and_a_tail_above_nothing(self):
        with pytest.raises(MatedError, match="nothing to count"):
            stream_subject_pairs([], scoring=Scoring())
        with pytest.raises(MatedError, match="tail_above must be a number"):
            stream_subject_pairs(PARTS, scoring=SCORING, tail_above=float("nan"))
        with pytest.raises(MatedError, match="symmetric must be"):
            stream_subject_tallies(PARTS, scoring=SCORING, symmetric="maybe")
        with pytest.raises(MatedError, match="nan must be"):
            stream_subject_pairs(PARTS, scoring=Scoring(nan="ignore"))


def test_what_a_worker_is_sent_and_sends_back_can_be_pickled():
    cloudpickle = pytest.importorskip("cloudpickle")

    class Elsewhere(AnyOrder):
        def map_reduce(self, parts, count, *, merge, **options):
            def there(part):
                sent = cloudpickle.loads(cloudpickle.dumps((count, part)))
                return cloudpickle.loads(cloudpickle.dumps(sent[0](sent[1])))

            return super().map_reduce(parts, there, merge=merge, **options)

    found = stream_subject_tallies(PARTS, scoring=SCORING, runner=Elsewhere(4))
    assert found.nonmated_above.tolist() == SubjectTallies.of(WHOLE).nonmated_above.tolist()
    pairs = stream_subject_pairs(PARTS, scoring=SCORING, runner=Elsewhere(4))
    assert pairs.score.tobytes() == SubjectPairs.of(WHOLE).score.tobytes()
