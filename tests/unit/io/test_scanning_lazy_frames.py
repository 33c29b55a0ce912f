"""Lazy frames of other libraries are read batch by batch, and give what `read` gives."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import polars as pl
import pytest

from mated.errors import MatedError
from mated.io import read, scan, scan_frames

N = 40
RNG = np.random.default_rng(3)
DATA = pl.DataFrame(
    {
        "probe_subject": RNG.choice(["007", "8", "ann"], N),
        "reference_subject": RNG.choice(["007", "8", "ann"], N),
        "score": RNG.integers(0, 9, N) / 8,
        "sensor": pl.Series(RNG.choice(["A", "B", ""], N)).replace("", None),
        "age": RNG.integers(20, 80, N),
    }
)
WHERE = "sensor = 'A' and age > 40 or probe_subject = '007'"
COLUMNS = ("score", "mated", "probe_subject", "reference_subject", "sensor", "age")


def polars_frame(data, _folder):
    return data.lazy()


def parquet_scan(data, folder):
    data.write_parquet(folder / "scores.parquet", row_group_size=7)
    return pl.scan_parquet(folder / "scores.parquet")


def duckdb_relation(data, folder):
    duckdb = pytest.importorskip("duckdb")
    data.write_parquet(folder / "scores.parquet")
    return duckdb.connect().read_parquet(str(folder / "scores.parquet"))


def dask_frame(data, _folder):
    dask = pytest.importorskip("dask.dataframe")
    return dask.from_pandas(data.to_pandas(), npartitions=3)


def pyspark_frame(data, _folder):
    sql = pytest.importorskip("pyspark.sql")
    session = sql.SparkSession.builder.master("local[1]").getOrCreate()
    return session.createDataFrame(data.rows(), schema=data.columns)


MAKERS = [polars_frame, parquet_scan, duckdb_relation, dask_frame, pyspark_frame]


def whole(scanned, columns=COLUMNS):
    return pl.concat([batch for part in scanned.parts for batch in part.batches(columns)])


def expected(data, where):
    kept = (
        data
        if where is None
        else data.filter((pl.col("sensor") == "A") & (pl.col("age") > 40) | (pl.col("probe_subject") == "007"))
    )
    return kept.with_columns(mated=pl.col("probe_subject") == pl.col("reference_subject")).select(COLUMNS)


@pytest.mark.parametrize("where", [None, WHERE])
@pytest.mark.parametrize("make", MAKERS)
def test_a_lazy_frame_gives_its_rows_in_order(tmp_path, monkeypatch, make, where):
    monkeypatch.setattr(scan_frames, "BATCH", 16)
    scanned = scan(make(DATA, tmp_path), where=where)
    assert scanned.lazy
    assert scanned.covariates == ("sensor", "age")
    assert whole(scanned).equals(expected(DATA, where))
    assert whole(scanned).equals(expected(DATA, where))  # and again


@pytest.mark.parametrize("make", MAKERS)
def test_reading_a_lazy_frame_collects_it(tmp_path, make):
    result = read(make(DATA, tmp_path), where=WHERE)
    found = expected(DATA, WHERE)
    assert result.score.tolist() == found["score"].to_list()
    assert result.mated.tolist() == found["mated"].to_list()


@pytest.mark.parametrize("make", MAKERS)
def test_a_bad_value_is_refused_with_its_row(tmp_path, make):
    bad = DATA.with_columns(score=pl.when(pl.int_range(pl.len()) == 20).then(None).otherwise("score"), age=pl.lit(50))
    for where in (None, "age > 40 or score > 99"):
        with pytest.raises(MatedError, match=r"row \d+, column 'score': the score is (missing|NaN)") as error:
            whole(scan(make(bad, tmp_path), where=where))
        if make is not dask_frame:
            assert "the data frame, row 21," in str(error.value)
        else:
            assert "the data frame, partition 2, row 7," in str(error.value)


@pytest.mark.parametrize("make", MAKERS)
def test_a_filter_that_does_not_fit_is_refused(tmp_path, make):
    for where, said in (
        ("site = 'A'", "has no column 'site'"),
        ("sensor > 60", "does not fit the columns"),
        ("sensor = 'Z'", "no row passes the filter"),
    ):
        with pytest.raises(MatedError, match=said):
            scan(make(DATA, tmp_path), where=where)


def test_a_filter_keeps_the_numbers_of_rows_of_a_lazy_frame():
    data = pl.DataFrame({"score": [1.0, None, None], "mated": [1, 0, 0], "age": [9, 1, 9]})
    with pytest.raises(MatedError, match="row 3, column 'score'"):
        whole(scan(data.lazy(), where="age > 5"), ("score",))


def test_columns_and_filters_reach_the_files_of_a_lazy_frame(tmp_path):
    scanned = scan(parquet_scan(DATA, tmp_path), where="age > 40")
    batches = scanned.parts[0].batches
    plan = batches.frame.filter(scanned.parts[0].batches.checks.where.expression).select("score").explain()
    assert "PROJECT 2/5 COLUMNS" in plan
    assert "SELECTION" in plan


def test_a_query_that_fails_is_refused_in_one_sentence(tmp_path):
    missing = pl.scan_parquet(tmp_path / "nothing.parquet")
    with pytest.raises(MatedError, match="the data frame cannot be read: "):
        scan(missing)
    wrong = DATA.lazy().with_columns(score=pl.col("sensor").cast(pl.Float64))
    with pytest.raises(MatedError, match="the data frame cannot be read: "):
        whole(scan(wrong))


@pytest.mark.parametrize("make", [polars_frame, parquet_scan, dask_frame])
def test_parts_of_lazy_frames_can_be_sent_to_another_process(tmp_path, make):
    cloudpickle = pytest.importorskip("cloudpickle")
    scanned = scan(make(DATA, tmp_path), where=WHERE)
    parts = [cloudpickle.loads(cloudpickle.dumps(part)) for part in scanned.parts]
    assert pl.concat([b for part in parts for b in part.batches(COLUMNS)]).equals(expected(DATA, WHERE))


def test_a_partition_of_dask_is_a_part(tmp_path):
    frame = dask_frame(DATA, tmp_path)
    assert [part.name for part in scan(frame).parts] == [f"the data frame, partition {k}" for k in (1, 2, 3)]


def test_a_relation_of_duckdb_stays_where_it_is(tmp_path):
    scanned = scan(duckdb_relation(DATA, tmp_path))
    with pytest.raises(MatedError, match="a DuckDB relation cannot be sent to another process"):
        pickle.dumps(scanned.parts[0])


def test_duckdb_types_without_a_peer_are_read(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.connect().sql(
        """select s::decimal(5, 2) as score, (170141183460469231731687303715884105000 + s)::hugeint as probe_subject,
        (170141183460469231731687303715884105000 + t)::hugeint as reference_subject, 'a b'::varchar as "the ""site"
        from (values (1, 1), (2, 1)) as v(s, t)"""
    )
    found = whole(scan(relation), ("score", "mated", 'the "site'))
    assert found.rows() == [(1.0, True, "a b"), (2.0, False, "a b")]


class Row(tuple):
    """A row of Spark, which is a tuple."""


class StandInForSpark:
    """The part of PySpark's data frame that is used, so that its reader is held without Spark."""

    def __init__(self, data):
        self.data = data

    def select(self, *names):
        assert all(name.startswith("`") and name.endswith("`") for name in names)
        return StandInForSpark(self.data.select(name[1:-1].replace("``", "`") for name in names))

    def toLocalIterator(self):  # noqa: N802 - its name in Spark
        return iter([Row(row) for row in self.data.rows()])


def test_rows_of_spark_come_in_pieces(monkeypatch):
    monkeypatch.setattr(scan_frames, "BATCH", 16)
    pieces = scan_frames.SparkPieces(StandInForSpark(DATA.rename({"age": "a`ge"})))
    frames = [pl.DataFrame(dict(piece)) for piece in pieces(["score", "a`ge", "sensor"])]
    assert [piece.height for piece in frames] == [16, 16, 8]
    assert pl.concat(frames).equals(DATA.select("score", pl.col("age").alias("a`ge"), "sensor"))
    with pytest.raises(MatedError, match="cannot be sent to another process"):
        pickle.dumps(pieces)


def test_a_lazy_frame_of_another_make_is_collected_by_read_alone():
    sqlframe = pytest.importorskip("sqlframe")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = sqlframe.duckdb.DuckDBSession()
    assert scan(session.createDataFrame(DATA.rows(), schema=DATA.columns)) is None
