"""Passes given to a runner count what passes here count, to the last bit, and keep what a checkpoint keeps."""

from __future__ import annotations

import sys
from dataclasses import replace
from operator import add

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mated.engine import (
    Checkpoint,
    DaskRunner,
    Limits,
    LocalRunner,
    Points,
    Scoring,
    Source,
    count,
    from_arrays,
    from_lists,
    from_parquet,
    split_parquet,
    stream_tally,
)
from mated.errors import MatedError
from mated.io.atomic import replacing
from mated.verification import at_fmr, equal_error_rate

FMRS = (0.1, 0.01)


@pytest.fixture
def scored():
    rng = np.random.default_rng(3)
    flags = rng.random(9000) < 0.2
    return rng.normal(size=9000) + 2 * flags, flags


@pytest.fixture
def file(tmp_path, scored):
    path = tmp_path / "scores.parquet"
    pl.DataFrame({"score": scored[0], "mated": scored[1]}).write_parquet(path, row_group_size=1000)
    return path


class Backwards:
    """A runner that counts the last part first and merges pairs of pairs."""

    def map_reduce(self, parts, count, *, merge, name_of, done=None, brief=None):
        level = []
        for part in reversed(parts):
            level.insert(0, count(part))
            if done is not None:
                done(level[0] if brief is None else brief(level[0]))
        while len(level) > 1:
            level = [merge(*level[i : i + 2]) if i + 1 < len(level) else level[i] for i in range(0, len(level), 2)]
        return level[0]


@given(st.lists(st.text(max_size=3), min_size=1, max_size=20))
def test_parts_are_merged_in_their_order_and_told_one_by_one(words):
    told = []
    merged = LocalRunner().map_reduce(words, str.upper, merge=add, name_of=str, done=told.append, brief=len)
    assert merged == "".join(words).upper()
    assert told == [len(word.upper()) for word in words]


def test_nothing_to_count_is_said():
    with pytest.raises(MatedError, match="nothing to count"):
        LocalRunner().map_reduce([], str, merge=add, name_of=str)


def test_an_error_in_a_part_comes_out_as_it_is_and_later_parts_are_not_counted():
    counted = []

    def count_or_refuse(number):
        counted.append(number)
        if number == 2:
            raise MatedError("part 2 is damaged")
        return number

    with pytest.raises(MatedError, match=r"^part 2 is damaged$"):
        LocalRunner().map_reduce(range(5), count_or_refuse, merge=add, name_of=str)
    assert counted == [0, 1, 2]


@pytest.mark.parametrize("runner", [LocalRunner(), Backwards()])
@pytest.mark.parametrize("rows", [300, 2500, 9000, 10**6])
def test_a_file_in_any_parts_gives_the_numbers_of_the_whole(file, runner, rows):
    points, limits = Points(FMRS), Limits(whole=0, most=3000)
    here = stream_tally(from_parquet(file), points, limits=limits)
    there = stream_tally(split_parquet(file, rows), points, limits=limits, runner=runner)
    assert there.tally == here.tally
    assert there.given_up == here.given_up
    assert repr(equal_error_rate(there.tally)) == repr(equal_error_rate(here.tally))
    assert [repr(at_fmr(there.tally, f)) for f in FMRS] == [repr(at_fmr(here.tally, f)) for f in FMRS]


def test_progress_with_a_runner_ends_with_all_comparisons_of_each_pass(file):
    calls = []
    there = stream_tally(
        split_parquet(file, 2000),
        Points(FMRS),
        limits=Limits(whole=0),
        runner=LocalRunner(),
        progress=lambda *a: calls.append(a),
    )
    assert there.passes == 2
    assert calls == [(number, min(2000 * k, 9000), 9000) for number in (1, 2) for k in range(1, 6)]


def test_parts_of_a_file_have_their_rows_and_say_the_row_of_a_bad_score(tmp_path):
    path = tmp_path / "scores.parquet"
    pl.DataFrame({"score": [0.1, 0.2, 0.3, None, 0.5], "mated": [True, False, True, False, True]}).write_parquet(path)
    sources = split_parquet(path, 2)
    assert [(source.rows, source.first_row) for source in sources] == [(2, 1), (2, 3), (1, 5)]
    assert len({source.reads for source in sources}) == 3
    for runner in (None, LocalRunner()):
        with pytest.raises(MatedError, match=r"scores.parquet, row 4: the score is NaN"):
            count(sources, runner=runner)
    with pytest.raises(MatedError, match="rows=0"):
        split_parquet(path, 0)


def test_a_file_without_rows_is_one_part_without_rows(tmp_path):
    path = tmp_path / "none.parquet"
    pl.DataFrame({"score": [], "mated": []}, schema={"score": pl.Float32, "mated": pl.Boolean}).write_parquet(path)
    (source,) = split_parquet(path, 10)
    assert (source.rows, count(source, runner=LocalRunner()).rows) == (0, 0)


def test_sources_of_every_kind_can_be_sent_elsewhere(file, scored):
    cloudpickle = pytest.importorskip("cloudpickle")
    scores, flags = scored
    sources = (
        from_arrays(scores, flags),
        from_lists(scores[flags], scores[~flags]),
        from_parquet(file),
        *split_parquet(file, 9000, mated=pl.col("mated").cast(pl.Int8)),
    )
    expected = count(sources[0])
    for source in sources:
        arrived = cloudpickle.loads(cloudpickle.dumps(source))
        assert count(arrived, scoring=Scoring(), runner=LocalRunner()) == expected


def test_what_was_kept_of_a_file_is_not_given_to_the_runner_again(tmp_path, scored):
    scores, flags = scored
    read = []

    def watched(number):
        path = tmp_path / f"part{number}.parquet"
        rows = slice(3000 * number, 3000 * (number + 1))
        if not path.exists():
            pl.DataFrame({"score": scores[rows], "mated": flags[rows]}).write_parquet(path)
        source = from_parquet(path)

        def chunks():
            read.append(number)
            if number == broken:
                raise MatedError("part 2 cannot be read")
            yield from source.chunks()

        return replace(source, chunks=chunks)

    checkpoint = Checkpoint(tmp_path / "kept", replacing)
    options = {"limits": Limits(whole=0), "checkpoint": checkpoint, "runner": LocalRunner()}
    broken = 2
    with pytest.raises(MatedError, match="part 2 cannot be read"):
        stream_tally([watched(n) for n in range(3)], Points(FMRS), **options)
    assert read == [0, 1, 2]
    broken = None
    read.clear()
    progress = []
    found = stream_tally(
        [watched(n) for n in range(3)], Points(FMRS), progress=lambda *a: progress.append(a), **options
    )
    assert read == [2, 0, 1, 2]  # the rest of the first pass, and the second
    assert progress[:3] == [(1, 3000, 9000), (1, 6000, 9000), (1, 9000, 9000)]
    read.clear()
    again = stream_tally([watched(n) for n in range(3)], Points(FMRS), **options)
    assert read == []
    whole = stream_tally(from_arrays(scores, flags), Points(FMRS), limits=Limits(whole=0))
    assert found.tally == again.tally == whole.tally


def test_a_source_without_a_file_is_counted_beside_kept_ones(file, tmp_path, scored):
    checkpoint = Checkpoint(tmp_path / "kept", replacing)
    sources = (from_parquet(file), from_arrays(*scored))
    expected = count(sources)
    for _ in range(2):
        assert count(sources, checkpoint=checkpoint, runner=LocalRunner()) == expected
    assert len(list(checkpoint.folder.iterdir())) == 1


def test_a_source_that_ends_early_is_closed():
    closed = []

    def chunks():
        try:
            yield np.array([0.1]), np.array([True])
            yield np.array([np.nan]), np.array([True])
        finally:
            closed.append(True)

    with pytest.raises(MatedError, match="row 2"):
        count(Source("a list", chunks), runner=LocalRunner())
    assert closed == [True]


def test_without_dask_the_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MatedError, match=r"pip install 'mated\[dask\]'"):
        DaskRunner()
