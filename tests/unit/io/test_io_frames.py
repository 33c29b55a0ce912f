"""Data frames of every make give the same comparisons as the file."""

from __future__ import annotations

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from mated.errors import MatedError
from mated.io import Columns, read
from mated.io.comparison_table import Table
from mated.io.labels import as_labels
from mated.scores import Comparisons

DATA = {
    "probe_subject": ["a", "a", "b"],
    "reference_subject": ["a", "b", "c"],
    "score": [0.5, 0.25, -1.0],
    "site": ["x", "y", "x"],
    "age": [30, 40, 50],
}

MAKERS = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "narwhals": lambda data: nw.from_native(pl.DataFrame(data)),
    "pandas objects": lambda data: pd.DataFrame(data).astype({"site": object, "probe_subject": object}),
    "pandas categories": lambda data: pd.DataFrame(data).astype({"site": "category", "probe_subject": "category"}),
    "polars categories": lambda data: pl.DataFrame(data).with_columns(pl.col("probe_subject").cast(pl.Categorical)),
    "pandas nullable": lambda data: pd.DataFrame(data).convert_dtypes(),
}


def check_is_the_data(result):
    assert isinstance(result, Comparisons)
    assert result.score.tolist() == DATA["score"]
    assert result.mated.tolist() == [True, False, False]
    assert result.subjects.names == ("a", "b", "c")
    assert result.covariates["site"].tolist() == DATA["site"]
    assert result.covariates["age"].tolist() == DATA["age"]


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
def test_every_data_frame_gives_the_same_comparisons(make):
    check_is_the_data(read(make(DATA)))


@pytest.mark.parametrize("ending", ["csv", "parquet", "pq", "arrow", "feather", "ipc"])
def test_files_written_from_a_frame_give_the_same_comparisons(tmp_path, ending):
    path = tmp_path / f"scores.{ending}"
    frame = pl.DataFrame(DATA)
    write = {"csv": frame.write_csv, "parquet": frame.write_parquet, "pq": frame.write_parquet}
    write.get(ending, frame.write_ipc)(path)
    check_is_the_data(read(path))


def test_parquet_and_arrow_are_told_by_their_first_bytes(tmp_path):
    path = tmp_path / "scores"
    pl.DataFrame(DATA).write_parquet(path)
    check_is_the_data(read(path))
    check_is_the_data(read(path, format="parquet"))
    pl.DataFrame(DATA).write_ipc(path)
    check_is_the_data(read(path))


@pytest.mark.parametrize("dtype", [pl.Float32, pl.Float64, pl.Int16, pl.UInt8, pl.Int64])
def test_the_type_of_the_scores_is_kept(dtype):
    result = read(pl.DataFrame({"score": [1, 2], "mated": [1, 0]}, schema_overrides={"score": dtype}))
    assert pl.Series(result.score).dtype == dtype


def test_scores_written_as_text_or_decimals_are_numbers():
    texts = pl.DataFrame({"score": ["0.5", " 0.25 "], "mated": [1, 0]})
    assert read(texts).score.tolist() == [0.5, 0.25]
    assert read(texts.with_columns(pl.Series("score", [0.5, 0.25]).cast(pl.Decimal(5, 2)))).score.tolist() == [
        0.5,
        0.25,
    ]


def test_integer_identifiers_made_floats_by_pandas_are_integers_again():
    frame = pd.DataFrame({"probe_subject": [1.0, 2.0], "reference_subject": ["1", "1"], "score": [1, 2]})
    assert read(frame).mated.tolist() == [True, False]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_hashes_of_64_bits_are_identifiers(make, tmp_path):
    first, second = np.array([2**64 - 1, 5], dtype=np.uint64), np.array([2**64 - 1, 2**64 - 2], dtype=np.uint64)
    frame = {"probe_subject": first, "reference_subject": second, "mated": [1, 0], "score": [1, 2]}
    result = read(make(frame))
    assert result.mated.tolist() == [True, False]
    assert set(result.subjects.names) == {"5", str(2**64 - 1), str(2**64 - 2)}
    pl.DataFrame(frame).write_parquet(tmp_path / "scores.parquet")
    assert read(tmp_path / "scores.parquet").mated.tolist() == [True, False]


def test_hashes_are_made_texts_on_reading():
    hashes = pl.Series([2**64 - 1, 5], dtype=pl.UInt64)
    assert as_labels(hashes, "probe_subject", Table("t", {}), noun="subject").to_list() == [str(2**64 - 1), "5"]


def test_a_hash_matches_the_same_number_of_another_type():
    frame = pl.DataFrame(
        {"probe_subject": [7, 8], "reference_subject": [7, 7], "score": [1, 2]},
        schema_overrides={"probe_subject": pl.UInt64},
    )
    assert read(frame).mated.tolist() == [True, False]


def test_hashes_that_became_floats_are_refused():
    frame = pl.DataFrame({"probe_subject": [2.0**60, 2.0], "reference_subject": [2.0, 2.0], "score": [1, 2]})
    with pytest.raises(MatedError, match="column 'probe_subject' holds identifiers beyond 2\\^53 as floating point"):
        read(frame)


def test_texts_and_decimals_beyond_floating_point_are_refused():
    for scores in (["1", "9007199254740993"], pl.Series(["1", "9007199254740993"]).cast(pl.Decimal(20, 0))):
        with pytest.raises(
            MatedError, match="the data frame, row 2, column 'score': the score 9007199254740993 is bey"
        ):
            read(pl.DataFrame({"score": scores, "mated": [1, 0]}))


def test_numbers_with_decimals_are_no_identifiers():
    frame = pl.DataFrame({"probe_subject": [1.5, 2.0], "reference_subject": [1.5, 2.0], "score": [1, 2]})
    with pytest.raises(MatedError, match="column 'probe_subject' holds numbers with decimals"):
        read(frame)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_missing_identifier_is_refused_with_its_row(make):
    for missing in (["a", None], [1, None], ["a", "  "]):
        data = {"probe_subject": missing, "reference_subject": missing, "score": [1, 2]}
        with pytest.raises(MatedError, match="the data frame, row 2, column 'probe_subject': there is no value"):
            read(make(data))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_missing_score_is_refused_with_its_row_or_counted(make):
    frame = make({"score": [0.5, None, 0.25], "mated": [1, 1, 0]})
    with pytest.raises(MatedError, match=r"the data frame, row 2, column 'score': the score is (missing|NaN); .*--nan"):
        read(frame)
    result = read(frame, nan="failure")
    assert result.score.tolist() == [0.5, 0.25]
    assert result.tally().mated_failures == 1


def test_missing_integers_become_failures_too():
    assert read(pl.DataFrame({"score": [5, None], "mated": [1, 0]}), nan="failure").tally().nonmated_failures == 1


def test_text_in_the_score_column_is_refused_with_its_row():
    with pytest.raises(MatedError, match="the data frame, row 2, column 'score': the score 'high' is not a number"):
        read(pl.DataFrame({"score": ["1", "high"], "mated": [1, 0]}))


def test_dates_and_booleans_are_no_scores():
    with pytest.raises(MatedError, match="column 'score' holds Boolean values and scores are numbers"):
        read(pl.DataFrame({"score": [True, False], "mated": [1, 0]}))


def test_columns_of_a_frame_may_be_numbered_even_where_names_are_numbers():
    frame = pd.DataFrame(np.array([[0.5, 1], [0.25, 0]]))
    assert read(frame, columns=Columns(score="0", mated="1")).score.tolist() == [0.5, 0.25]


def test_a_frame_without_rows_is_refused():
    with pytest.raises(MatedError, match="the data frame has no rows"):
        read(pl.DataFrame({"score": [], "mated": []}))


def test_repeated_names_in_a_frame_are_refused():
    with pytest.raises(MatedError, match="two columns of one name"):
        read(pd.DataFrame([[1, 2, 1]], columns=["score", "score", "mated"]))
    with pytest.raises(MatedError, match="two columns of one name"):
        read(pd.DataFrame([[1, 2, 1]], columns=[1, "1", "mated"]))


@pytest.mark.parametrize("source", [[1, 2], np.arange(4), {"score": [1]}, 7, pd.Series([1])])
def test_other_objects_are_refused_by_their_type(source):
    with pytest.raises(MatedError, match=f"a {type(source).__name__} is neither a path nor a data frame.*from_arrays"):
        read(source)


def test_truncated_parquet_is_refused(tmp_path):
    path = tmp_path / "scores.parquet"
    pl.DataFrame(DATA).write_parquet(path)
    whole = path.read_bytes()
    for size in (2, 4, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(MatedError, match=r"scores\.parquet is not a whole Parquet file"):
            read(path)


def test_truncated_arrow_is_refused(tmp_path):
    path = tmp_path / "scores.arrow"
    pl.DataFrame(DATA).write_ipc(path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(MatedError, match=r"scores\.arrow is not a whole Arrow file"):
        read(path)


def test_empty_parquet_and_text_called_parquet_are_refused(tmp_path):
    path = tmp_path / "scores.parquet"
    path.write_bytes(b"")
    with pytest.raises(MatedError, match=r"scores\.parquet is empty"):
        read(path)
    path.write_text("score,mated\n0.5,1\n")
    with pytest.raises(MatedError, match=r"scores\.parquet is not a whole Parquet file"):
        read(path)


def test_errors_in_parquet_name_the_row(tmp_path):
    path = tmp_path / "scores.parquet"
    pl.DataFrame({"score": [0.5, float("nan")], "mated": [1, 0]}).write_parquet(path)
    with pytest.raises(MatedError, match=r"scores\.parquet, row 2, column 'score': the score is NaN"):
        read(path)
