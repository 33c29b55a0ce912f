"""Laws of scans: batches put together are the columns that `read` gives, however the table is divided."""

from __future__ import annotations

import gzip
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from mated.errors import MatedError
from mated.io import Columns, bytes_in, read, scan, scan_frames, text_blocks

words = st.sampled_from(["a", "b", "007", "7", "x y", 'q"q', "é", " a ", "NA", ""])
labels = st.sampled_from(["a", "b", "007", "7", "x y", "é"])
numbers = st.sampled_from(["1", "2.5", "-3", "+4", "1e3", "", " 7", "07", "x", "0.10", "9007199254740993"])
scores = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False, width=32).map(str),
    st.integers(-(10**6), 10**6).map(str),
    st.sampled_from(["0.1", "0.30000000000000004", "1e-300", " 2", "inf", "123456789.123456789", "nan", "", "-0"]),
)
flags = st.sampled_from(["1", "0", "true", "No", "genuine", "IMPOSTOR", " 1"])
filters = st.sampled_from([None, "n > 1", "w = 'a'", "p = r", "s >= 0", "n is null or w <> 'b'", "w like '%a%'"])


@st.composite
def tables(draw):
    """Text of a table in columns p, r, s, m, w, n: subjects, score, perhaps a flag, a word, perhaps a number."""
    n_rows = draw(st.integers(1, 12))
    names = ["p", "r", "s", "w", "n"]
    columns = [st.lists(kind, min_size=n_rows, max_size=n_rows) for kind in (labels, labels, scores, words, numbers)]
    drawn = {name: draw(values) for name, values in zip(names, columns, strict=True)}
    if draw(st.booleans()):
        same = [p == r for p, r in zip(drawn["p"], drawn["r"], strict=True)]
        spelt = draw(st.sampled_from([("1", "0"), ("yes", "no"), ("1", "-1"), ("TRUE", "false")]))
        drawn["m"] = [spelt[0] if is_mated else spelt[1] for is_mated in same]
        if draw(st.integers(0, 9)) == 0:
            drawn["m"][draw(st.integers(0, n_rows - 1))] = draw(flags)
    separator = draw(st.sampled_from([",", ";", "\t", "|"]))
    quoted = [[_quoted(value, separator) for value in row] for row in zip(*drawn.values(), strict=True)]
    end = draw(st.sampled_from(["\n", "\r\n", "\n\n"]))
    return end.join(separator.join(row) for row in [list(drawn), *quoted]) + draw(st.sampled_from(["", "\n"]))


def _quoted(value, separator):
    return '"{}"'.format(value.replace('"', '""')) if separator in value or '"' in value else value


COLUMNS = {"score": "s", "probe_subject": "p", "reference_subject": "r"}


def options(names):
    return {"columns": Columns(**COLUMNS, mated="m" if "m" in names else None), "nan": "failure"}


def outcome(call, *arguments, **how):
    """Return what a call gives, or what it says."""
    try:
        return call(*arguments, **how)
    except MatedError as error:
        return str(error)


def gathered(source, **how):
    scanned = scan(source, **how)
    columns = ("score", "mated", "probe_subject", "reference_subject", *scanned.covariates)
    frames = [batch for part in scanned.parts for batch in part.batches(columns)]
    assert frames, "a scan without batches"
    return pl.concat(frames), scanned


def check_agrees(source, **how):
    expected, found = outcome(read, source, **how), outcome(gathered, source, **how)
    if isinstance(expected, str):
        # Of several mistakes a scan meets the first by rows, `read` the first by columns. Parts are read each by
        # itself, so that one may write -1 and another 0, which means the same.
        assert isinstance(found, str) or "-1 and elsewhere it is 0" in expected, expected
        return
    assert not isinstance(found, str), found
    frame, scanned = found
    event("compared")
    types = {name: frame[name].to_numpy().dtype for name in scanned.covariates}
    frame = frame.filter(pl.col("score").is_not_null() & ~pl.col("score").is_nan())
    np.testing.assert_array_equal(frame["mated"].to_numpy(), expected.mated)
    np.testing.assert_array_equal(frame["score"].to_numpy(), expected.score)
    for side in ("probe", "reference"):
        names = [expected.subjects.names[code] for code in getattr(expected.subjects, side)]
        assert [str(label) for label in frame[f"{side}_subject"]] == names
    assert scanned.covariates == tuple(expected.covariates)
    for name, values in expected.covariates.items():
        assert types[name] == values.dtype
        np.testing.assert_array_equal(frame[name].to_numpy(), values)
    assert scanned.notes == expected.notes


@settings(max_examples=100)
@given(
    text=tables(),
    where=filters,
    block=st.integers(1, 200),
    piece=st.integers(1, 50),
    packed=st.booleans(),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_a_scan_of_text_is_what_is_read(text, where, block, piece, packed, encoding):
    with (
        TemporaryDirectory() as folder,
        patch.object(text_blocks, "BLOCK", block),
        patch.object(bytes_in, "_PIECE", piece),
    ):
        path = Path(folder) / ("scores.csv.gz" if packed else "scores.csv")
        data = text.encode(encoding)
        path.write_bytes(gzip.compress(data) if packed else data)
        check_agrees(path, where=where, **options(text.splitlines()[0]))


@settings(max_examples=40)
@given(first=tables(), second=tables(), where=filters, block=st.integers(1, 100))
def test_a_scan_of_texts_in_parts_is_what_is_read(first, second, where, block):
    with TemporaryDirectory() as folder, patch.object(text_blocks, "BLOCK", block):
        for number, text in enumerate((first, second)):
            (Path(folder) / f"part-{number}.csv").write_text(text, newline="")
        check_agrees(folder, where=where, **options(first.splitlines()[0]))


@st.composite
def frames(draw):
    n_rows = draw(st.integers(1, 30))

    def column(values):
        return draw(st.lists(values, min_size=n_rows, max_size=n_rows))

    subjects = draw(st.sampled_from([labels, st.integers(0, 3)]))
    data = pl.DataFrame(
        {
            "p": column(subjects),
            "r": column(subjects),
            "s": pl.Series(
                column(st.one_of(st.integers(-9, 9), st.none() if draw(st.booleans()) else st.just(1)))
            ).cast(draw(st.sampled_from([pl.Float64, pl.Float32, pl.Int32, pl.Int64]))),
            "w": pl.Series(column(st.sampled_from(["a", "b", "ab", None])), dtype=pl.String).cast(
                draw(st.sampled_from([pl.String, pl.Categorical]))
            ),
            "n": pl.Series(column(st.one_of(st.none(), st.integers(-3, 3))), dtype=pl.Int64),
        }
    )
    if draw(st.booleans()):
        data = data.with_columns(m=(pl.col("p") == pl.col("r")).cast(draw(st.sampled_from([pl.Boolean, pl.Int8]))))
    return data


@settings(max_examples=50)
@given(
    data=frames(),
    where=filters,
    rows=st.integers(1, 40),
    per_part=st.one_of(st.none(), st.integers(1, 40)),
    kind=st.sampled_from(["parquet", "arrow", "folder"]),
)
def test_a_scan_of_columnar_files_is_what_is_read(data, where, rows, per_part, kind):
    how = {**options(data.columns), "where": where}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "scores"
        if kind == "parquet":
            data.write_parquet(path, row_group_size=rows)
        elif kind == "arrow":
            data.write_ipc(path, record_batch_size=rows)
        else:
            path.mkdir()
            for number, start in enumerate(range(0, data.height, rows)):
                data.slice(start, rows).write_parquet(path / f"{number:03}.parquet")
        expected = outcome(read, path, **how)
        found = outcome(gathered, path, rows_per_part=per_part, **how)
        assert isinstance(expected, str) == isinstance(found, str)
        if not isinstance(expected, str):
            check_agrees(path, **how)
            assert found[0].equals(gathered(path, **how)[0])


@settings(max_examples=40)
@given(data=frames(), where=filters, batch=st.integers(1, 40))
def test_a_scan_of_lazy_frames_is_what_is_read(data, where, batch):
    how = {**options(data.columns), "where": where}
    expected = outcome(read, data, **how)
    sources = [data, data.lazy()]
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection, patch.object(scan_frames, "BATCH", batch):
        plain = data.with_columns(pl.col("w").cast(pl.String)).to_arrow()
        sources.append(connection.from_arrow(plain))
        for source in sources:
            found = outcome(gathered, source, **how)
            assert isinstance(found, str) == isinstance(expected, str), (found, expected)
            if not isinstance(found, str):
                kept = found[0].filter(pl.col("score").is_not_null())
                np.testing.assert_array_equal(kept["score"].to_numpy(), expected.score)
                np.testing.assert_array_equal(kept["mated"].to_numpy(), expected.mated)
                assert kept["w"].to_list() == list(expected.covariates["w"])
