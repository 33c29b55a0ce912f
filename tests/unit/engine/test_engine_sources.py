"""Sources give the same comparisons each time they are read, from memory or from files, and say what is wrong."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from mated.engine import Points, Scoring, Source, count, from_arrays, from_lazy_frame, from_lists, from_parquet, refine
from mated.errors import MatedError
from mated.scores.keyed_tally import KeyedTally

RNG = np.random.default_rng(6)
FLAGS = RNG.random(5000) < 0.2
SCORES = RNG.normal(size=5000).astype(np.float32) + 2 * FLAGS.astype(np.float32)
WHOLE = KeyedTally.from_scores(SCORES, FLAGS)


@pytest.fixture
def parquet(tmp_path):
    path = tmp_path / "scores.parquet"
    frame = pl.DataFrame({"other": np.arange(5000), "mated": FLAGS, "score": SCORES})
    frame.write_parquet(path, row_group_size=700)
    return path


def test_arrays_and_lists_of_any_chunk_are_counted_alike():
    for chunk in (1000, 4999, 10**6):
        assert count(from_arrays(SCORES, FLAGS, chunk=chunk)) == WHOLE
        assert count(from_lists(SCORES[FLAGS], SCORES[~FLAGS], chunk=chunk)) == WHOLE


def test_memory_maps_are_read_from_disk(tmp_path):
    np.save(tmp_path / "scores.npy", SCORES)
    np.save(tmp_path / "mated.npy", FLAGS)
    scores, flags = (np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in ("scores", "mated"))
    assert count(from_arrays(scores, flags, chunk=512)) == WHOLE


def test_a_parquet_file_is_read_in_pieces_and_knows_its_rows(parquet):
    source = from_parquet(parquet)
    assert source.rows == 5000
    assert source.path == parquet
    assert count(source) == WHOLE
    assert count(source) == WHOLE  # as often as one likes


def test_several_sources_are_one(parquet):
    halves = [from_parquet(parquet), from_arrays(SCORES[:100], FLAGS[:100])]
    assert count(halves) == WHOLE + KeyedTally.from_scores(SCORES[:100], FLAGS[:100])


def test_a_text_table_is_read_as_a_lazy_frame(tmp_path):
    path = tmp_path / "scores.csv"
    pl.DataFrame({"s": SCORES.astype(np.float64), "m": FLAGS.astype(np.int8)}).write_csv(path)
    source = from_lazy_frame(pl.scan_csv(path), score="s", mated="m", name="scores.csv")
    assert count(source) == KeyedTally.from_scores(SCORES.astype(np.float64), FLAGS)


def test_mated_comparisons_may_be_told_by_an_expression():
    frame = pl.LazyFrame({"a": ["p", "p", "q"], "b": ["p", "q", "q"], "score": [3, 1, 2]})
    source = from_lazy_frame(frame, mated=pl.col("a") == pl.col("b"))
    assert count(source) == KeyedTally.from_scores([3, 1, 2], [True, False, True])


def test_missing_scores_are_failures_whatever_their_type():
    for values in ([1, None, 3], [1.0, None, 3.0]):
        source = from_lazy_frame(pl.LazyFrame({"score": values, "mated": [True, False, False]}))
        assert count(source, scoring=Scoring(nan="failure")).nonmated_failures == 1
        with pytest.raises(MatedError, match="frame, row 2: the score is NaN"):
            count(source)


def test_what_cannot_be_used_is_said_with_its_source():
    cases = {
        "do not say whether they are mated": {"score": [1.0, 2.0], "mated": [True, None]},
        "true and false, or 1 and 0": {"score": [1.0, 2.0], "mated": [1, 2]},
        "scores are numbers, and this column holds String": {"score": ["a", "b"], "mated": [True, False]},
        "cannot be read to its end": {"points": [1.0, 2.0], "mated": [True, False]},
    }
    for said, columns in cases.items():
        with pytest.raises(MatedError, match=rf"table\.x.*{said}"):
            count(from_lazy_frame(pl.LazyFrame(columns), name="table.x"))
    with pytest.raises(MatedError, match="there is nothing to count"):
        count([])
    with pytest.raises(MatedError, match="2 flags of mated comparisons for 3 scores"):
        from_arrays(np.zeros(3), np.zeros(2, dtype=bool))


def test_a_file_cut_short_is_named(parquet, tmp_path):
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(parquet.read_bytes()[:-2000])
    with pytest.raises(MatedError, match=r"cut\.parquet cannot be read to its end"):
        from_parquet(cut)
    with pytest.raises(MatedError, match=r"nowhere\.parquet cannot be read"):
        from_parquet(tmp_path / "nowhere.parquet")
    # Damage within the data shows when they are read, and no partial answer is given.
    broken = bytearray(parquet.read_bytes())
    broken[2000:6000] = bytes(4000)
    damaged = tmp_path / "damaged.parquet"
    damaged.write_bytes(broken)
    with pytest.raises(MatedError, match=r"damaged\.parquet cannot be read"):
        count([from_arrays(SCORES, FLAGS), from_parquet(damaged)])


def test_progress_is_told_pass_by_pass_and_ends_with_all_rows():
    told = []
    source = from_arrays(SCORES, FLAGS, chunk=700)
    keyed = count(source, progress=lambda *said: told.append(said))
    refine(keyed, source, Points((0.01,)), progress=lambda *said: told.append(said))
    first, second = ([done for number, done, _ in told if number == wanted] for wanted in (1, 2))
    assert first == second == [*range(700, 5000, 700), 5000]
    assert {total for *_, total in told} == {5000}


def test_an_unknown_number_of_rows_is_known_after_the_first_pass():
    told = []
    source = Source("generated", lambda: iter([(SCORES, FLAGS)]))
    keyed = count(source, progress=lambda *said: told.append(said))
    refine(keyed, source, Points((0.01,)), progress=lambda *said: told.append(said))
    assert told == [(1, 5000, None), (2, 5000, 5000)]


def test_an_interruption_passes_through_and_closes_the_source():
    closed = []

    def chunks():
        try:
            yield SCORES, FLAGS
            yield SCORES, FLAGS
        finally:
            closed.append(True)

    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        count(Source("generated", chunks), progress=interrupt)
    assert closed == [True]
