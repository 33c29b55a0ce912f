"""An interrupted run goes on from the tallies already made, and a changed file is counted again."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from mated.engine import Checkpoint, Points, Scoring, count, from_parquet, refine
from mated.engine.checkpoint import fingerprint_of
from mated.engine.refine import Limits
from mated.errors import MatedError
from mated.io.atomic import replacing
from mated.scores import Tally
from mated.verification import at_fmr, equal_error_rate

PART = 4000
FMRS = (0.1, 0.01)


def part(index):
    rng = np.random.default_rng(index)
    flags = rng.random(PART) < 0.2
    return rng.normal(size=PART) + 2 * flags, flags


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / f"part{i}.parquet" for i in range(3)]
    for i, path in enumerate(paths):
        scores, flags = part(i)
        pl.DataFrame({"score": scores, "mated": flags}).write_parquet(path)
    return paths


@pytest.fixture
def checkpoint(tmp_path):
    return Checkpoint(tmp_path / "kept", replacing)


class Reads:
    """Sources that note each time they are read, and stop at one of them if told so."""

    def __init__(self, paths):
        self.paths, self.read, self.stop_at = paths, [], None

    def sources(self):
        return [self._watch(from_parquet(path)) for path in self.paths]

    def _watch(self, source):
        def chunks():
            self.read.append(source.path.stem)
            for chunk in source.chunks():
                if source.path.stem == self.stop_at:
                    raise KeyboardInterrupt
                yield chunk

        return replace(source, chunks=chunks)

    def taken(self):
        read, self.read = self.read, []
        return read


def streamed(reads, checkpoint):
    sources = reads.sources()
    keyed = count(sources, checkpoint=checkpoint)
    return refine(keyed, sources, Points(FMRS), limits=Limits(whole=0), checkpoint=checkpoint)


def memory(indices=(0, 1, 2)):
    scores, flags = (np.concatenate(arrays) for arrays in zip(*map(part, indices), strict=True))
    return Tally.from_scores(scores[flags], scores[~flags])


def assert_same_answers(found, tally):
    assert repr(equal_error_rate(found.tally)) == repr(equal_error_rate(tally))
    assert [repr(at_fmr(found.tally, f)) for f in FMRS] == [repr(at_fmr(tally, f)) for f in FMRS]


def test_a_second_run_reads_nothing_and_answers_the_same(files, checkpoint):
    reads = Reads(files)
    first = streamed(reads, checkpoint)
    assert_same_answers(first, memory())
    names = [path.stem for path in files]
    assert reads.taken() == names * first.passes
    again = streamed(reads, checkpoint)
    assert reads.taken() == []
    assert again.tally == first.tally


def test_a_run_interrupted_in_the_first_pass_resumes_with_the_next_file(files, checkpoint):
    reads = Reads(files)
    reads.stop_at = "part1"
    with pytest.raises(KeyboardInterrupt):
        streamed(reads, checkpoint)
    assert reads.taken() == ["part0", "part1"]
    assert [path.name.split("-")[0] for path in checkpoint.folder.iterdir()] == ["part0"]  # and nothing half-written
    reads.stop_at = None
    resumed = streamed(reads, checkpoint)
    assert reads.taken()[:2] == ["part1", "part2"]
    assert_same_answers(resumed, memory())


def test_a_run_interrupted_in_a_further_pass_resumes_there(files, checkpoint):
    reads = Reads(files)
    count(reads.sources(), checkpoint=checkpoint)
    reads.stop_at = "part2"
    with pytest.raises(KeyboardInterrupt):
        streamed(reads, checkpoint)
    reads.stop_at = None
    reads.taken()
    resumed = streamed(reads, checkpoint)
    assert reads.taken() == ["part2"]
    assert_same_answers(resumed, memory())


def test_a_changed_file_is_counted_again_and_the_others_are_not(files, checkpoint):
    reads = Reads(files)
    count(reads.sources(), checkpoint=checkpoint)
    reads.taken()
    scores, flags = part(7)
    pl.DataFrame({"score": scores, "mated": flags}).write_parquet(files[1])
    assert_same_answers(streamed(reads, checkpoint), memory((0, 7, 2)))
    assert reads.taken()[0] == "part1"


def test_size_time_and_both_ends_make_the_fingerprint(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"a" * 200_000)
    os.utime(path, ns=(10**18, 10**18))
    seen = {fingerprint_of(path)}
    for contents, time in (
        (b"b" + b"a" * 199_999, 10**18),
        (b"a" * 199_999 + b"b", 10**18),
        (b"a" * 200_001, 10**18),
        (b"a" * 200_000, 10**18 + 1),
    ):
        path.write_bytes(contents)
        os.utime(path, ns=(time, time))
        seen.add(fingerprint_of(path))
    assert len(seen) == 5
    path.write_bytes(b"a" * 200_000)
    os.utime(path, ns=(10**18, 10**18))
    assert fingerprint_of(path) in seen


def test_what_was_read_in_another_way_is_kept_apart(files, checkpoint):
    reads = Reads(files[:1])
    count(reads.sources(), checkpoint=checkpoint)
    turned = count(reads.sources(), scoring=Scoring(dissimilarity=True), checkpoint=checkpoint)
    assert turned.dissimilarity
    inverted = from_parquet(files[0], mated=~pl.col("mated"))
    assert count(inverted, checkpoint=checkpoint).n_mated == turned.n_nonmated
    assert len(list(checkpoint.folder.iterdir())) == 3


@pytest.mark.parametrize("damage", ["cut", "empty", "other", "pickle", "one array"])
def test_a_damaged_tally_is_made_anew(files, checkpoint, damage):
    reads = Reads(files[:1])
    whole = count(reads.sources(), checkpoint=checkpoint)
    (kept,) = checkpoint.folder.iterdir()
    if damage == "cut":
        kept.write_bytes(kept.read_bytes()[:-100])
    elif damage == "empty":
        kept.write_bytes(b"")
    elif damage == "one array":
        with kept.open("wb") as file:
            np.save(file, np.arange(3))
    elif damage == "other":
        np.savez(kept, fingerprint=np.array(fingerprint_of(files[0])), bins=np.arange(3))
    else:
        np.savez(kept, fingerprint=np.array(fingerprint_of(files[0])), bins=np.array([{}], dtype=object))
    reads.taken()
    assert count(reads.sources(), checkpoint=checkpoint) == whole
    assert reads.taken() == ["part0"]


def test_a_file_that_changes_while_it_is_counted_is_refused(files, checkpoint):
    source = from_parquet(files[0])

    def chunks():
        yield from source.chunks()
        os.utime(files[0], ns=(1, 1))

    with pytest.raises(MatedError, match=r"part0\.parquet changed while it was counted"):
        count(replace(source, chunks=chunks), checkpoint=checkpoint)


def test_a_file_that_is_gone_is_named(files, checkpoint):
    sources = [from_parquet(path) for path in files]
    count(sources, checkpoint=checkpoint)
    files[2].unlink()
    with pytest.raises(MatedError, match=r"part2\.parquet"):
        count(sources, checkpoint=checkpoint)
