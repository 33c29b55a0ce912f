"""Ranks in chunks: a hand example, how many passes they take, what is said and what is refused."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest

from chunked_tables import AnyOrder, ChangingPart, FramePart, comparisons_of, frame_of
from mated.engine.rank_chunks import stream_ranks
from mated.engine.stream import Scoring
from mated.errors import MatedError
from mated.scores.ranking import rank

HAND = [
    # p1 (a): the mate scores 5 (its best reference); b 7 is above, c 5 is tied, d failed.
    (3.0, "a", "a", "p1", "a1"),
    (5.0, "a", "a", "p1", "a2"),
    (2.0, "a", "b", "p1", "b1"),
    (7.0, "a", "b", "p1", "b2"),
    (5.0, "a", "c", "p1", "c1"),
    (None, "a", "d", "p1", "d1"),
    # p2 (b): every comparison with the mate failed, so that it ranks below a and c.
    (None, "b", "b", "p2", "b1"),
    (1.0, "b", "a", "p2", "a1"),
    (0.0, "b", "c", "p2", "c1"),
    # p3 (x) is not enrolled.
    (4.0, "x", "d", "p3", "d1"),
    (6.0, "x", "c", "p3", "c1"),
]
BY_PROBE = (
    "subject",
    "above",
    "tied",
    "others",
    "mate_score",
    "best_other",
    "open_subject",
    "open_others",
    "open_best",
)


def same(one, other) -> bool:
    return one.notes == other.notes and all(
        getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in BY_PROBE
    )


@pytest.mark.parametrize("runner", [None, AnyOrder(1), AnyOrder(2)])
def test_a_search_by_hand(runner):
    frame = frame_of(HAND)
    parts = [FramePart(frame[k::3], (1, 2)) for k in range(3)]
    found = stream_ranks(parts, scoring=Scoring(nan="failure"), runner=runner)
    assert [found.names[code] for code in found.subject] == ["a", "b"]
    assert found.above.tolist() == [1, 2]
    assert found.tied.tolist() == [1, 0]
    assert found.others.tolist() == [2, 2]
    assert found.mate_score.tolist() == [5.0, -np.inf]
    assert found.best_other.tolist() == [7.0, 1.0]
    assert (found.open_others.tolist(), found.open_best.tolist()) == ([2], [6.0])
    # d without a score for p1 and for p2; a and b not compared with p3.
    assert (found.gallery_size, found.failed_mates, found.unsearched, found.missing) == (4, 1, 0, 4)


def table(rows, seed=1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return frame_of([(float(rng.integers(-3, 4)), p[0], r[0], p, r) for p, r in rows])


SAMPLES = [f"{subject}{number}" for subject in "abcd" for number in range(3)]
ONCE = list(itertools.combinations(SAMPLES, 2))
BOTH = list(itertools.permutations(SAMPLES, 2))


class TestPasses:
    def passes(self, frame, **options) -> int:
        told = []
        parts = [FramePart(frame[k::2]) for k in range(2)]
        found = stream_ranks(parts, scoring=Scoring(), progress=lambda *now: told.append(now), **options)
        assert same(found, rank(comparisons_of(frame), symmetric=options.get("symmetric", "auto")))
        assert told[-1][1:] == (frame.height, frame.height)
        return told[-1][0]

    def test_two_where_each_pair_is_listed_once_or_each_in_both_orders(self):
        assert self.passes(table(ONCE)) == 2
        assert self.passes(table(BOTH)) == 2

    def test_two_where_probes_and_references_are_apart_or_it_is_said_what_a_comparison_counts_for(self):
        assert self.passes(table([(p, r) for p in SAMPLES[::2] for r in SAMPLES[1::2]])) == 2
        for symmetric in ("yes", "no"):
            assert self.passes(table(ONCE), symmetric=symmetric) == 2

    def test_three_where_the_number_of_rows_misleads(self):
        one_turned = [*ONCE[:2], *ONCE[5:], ("d2", "a0")]
        assert self.passes(table(one_turned)) == 3
        repeated = ONCE + ONCE
        assert self.passes(table(repeated)) == 3

    def test_one_for_as_many_probes_as_there_is_room_for(self, monkeypatch):
        monkeypatch.setattr("mated.engine.rank_chunks.MOST_BITS", 48)  # 12 samples, 4 identities: 4 probes at a time
        assert self.passes(table(ONCE), symmetric="no") == 1 + 3
        assert self.passes(table(ONCE), symmetric="yes") == 1 + 2


class TestWhatIsSaid:
    def test_notes_are_those_in_memory_after_those_of_the_table(self):
        rows = [*ONCE, ("a0", "a0"), ("b1", "c1")]
        found = stream_ranks([FramePart(table(rows))], scoring=Scoring(), notes=("read so",))
        assert found.notes == ("read so", *rank(comparisons_of(table(rows))).notes)
        assert "a sample is not searched for in itself" in found.notes
        assert any("compared more than once" in note for note in found.notes)

    def test_numbers_within_each_subject_are_samples_of_their_own(self):
        frame = table(ONCE).with_columns(pl.col("probe_sample", "reference_sample").str.slice(1))
        found = stream_ranks([FramePart(frame[k::2]) for k in range(2)], scoring=Scoring(), runner=AnyOrder(3))
        assert same(found, rank(comparisons_of(frame)))
        assert "samples of one name and different subjects are different samples" in found.notes

    def test_a_sample_under_two_subjects_by_mistake_is_refused_in_the_same_words(self):
        rows = [*HAND, (1.0, "b", "c", "p1", "c1")]
        with pytest.raises(MatedError, match="listed under 2 subjects") as there:
            rank(comparisons_of(frame_of(rows), nan="failure"))
        with pytest.raises(MatedError) as here:
            stream_ranks([FramePart(frame_of(rows))], scoring=Scoring(nan="failure"))
        assert str(here.value) == str(there.value)


class TestWhatIsRefused:
    def test_a_table_without_subjects(self):
        knows = ("score", "mated", "probe_sample", "reference_sample")
        with pytest.raises(MatedError, match=r"give probe_subject and reference_subject, or read the table whole"):
            stream_ranks([FramePart(table(ONCE))], scoring=Scoring(), knows=knows)

    def test_references_named_and_probes_not(self):
        knows = ("score", "mated", "probe_subject", "reference_subject", "reference_sample")
        with pytest.raises(MatedError, match="reference_sample is given without probe_sample"):
            stream_ranks([FramePart(table(ONCE))], scoring=Scoring(), knows=knows)

    def test_subjects_without_samples_compared_twice(self):
        frame = frame_of([(1.0, "a", "b"), (2.0, "b", "b"), (1.0, "c", "b"), (3.0, "b", "b"), (3.0, "c", "b")])
        parts = [FramePart(frame[k::2]) for k in range(2)]
        for runner in (None, AnyOrder(1)):
            with pytest.raises(MatedError, match="subject 'b' was compared with subject 'b' more than once"):
                stream_ranks(parts, scoring=Scoring(), knows=frame.columns, runner=runner)

    def test_too_many_samples_on_both_sides_must_be_spoken_of(self, monkeypatch):
        monkeypatch.setattr("mated.engine.rank_chunks.MOST_BITS", 100)
        with pytest.raises(MatedError, match=r"10 samples stand on both sides.*symmetric='yes' or 'no'"):
            stream_ranks([FramePart(table(ONCE))], scoring=Scoring())

    def test_data_that_change_between_passes(self):
        for later in (table([*ONCE, ("e1", "a1")]), table(ONCE[1:])):
            with pytest.raises(MatedError, match="not what they were"):
                stream_ranks([ChangingPart([table(ONCE), later])], scoring=Scoring())

    def test_probes_without_a_mate_and_a_wrong_word(self):
        frame = frame_of([(1.0, "a", "b", "a1", "b1")])
        with pytest.raises(MatedError, match="no probe was compared with a mate"):
            stream_ranks([FramePart(frame)], scoring=Scoring())
        with pytest.raises(MatedError, match="symmetric must be"):
            stream_ranks([FramePart(frame)], scoring=Scoring(), symmetric="both")


def test_what_a_worker_is_sent_and_sends_back_can_be_pickled():
    cloudpickle = pytest.importorskip("cloudpickle")

    class Elsewhere(AnyOrder):
        def map_reduce(self, parts, count, *, merge, **options):
            def there(part):
                sent = cloudpickle.loads(cloudpickle.dumps((count, part)))
                return cloudpickle.loads(cloudpickle.dumps(sent[0](sent[1])))

            return super().map_reduce(parts, there, merge=merge, **options)

    frame = table(ONCE)
    found = stream_ranks([FramePart(frame[k::5]) for k in range(5)], scoring=Scoring(), runner=Elsewhere(4))
    assert same(found, rank(comparisons_of(frame)))
