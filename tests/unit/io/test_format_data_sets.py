"""One table in several files: folders, patterns, sequences of paths; text, Parquet and Arrow."""

from __future__ import annotations

import gzip
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mated.errors import MatedError
from mated.io import Columns, read

ROWS = [("ann", "ann", 0.5), ("ann", "bob", 0.25), ("bob", "bob", 0.75), ("bob", "ann", 0.125), ("eve", "eve", 1.0)]
HEADER = "probe_subject,reference_subject,score"


def frame(rows=ROWS):
    return pl.DataFrame(rows, schema=HEADER.split(","), orient="row")


def lines(rows=ROWS):
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def write_parts(folder, ending, parts=(ROWS[:2], ROWS[2:4], ROWS[4:])):
    folder.mkdir(exist_ok=True)
    for number, rows in enumerate(parts):
        path = folder / f"part-{number}{ending}"
        if ending == ".csv":
            path.write_text(f"{HEADER}\n{lines(rows)}")
        elif ending == ".csv.gz":
            path.write_bytes(gzip.compress(f"{HEADER}\n{lines(rows)}".encode()))
        elif ending == ".parquet":
            frame(rows).write_parquet(path)
        elif ending == ".feather":
            frame(rows).write_ipc(path)
        elif ending == ".arrow":
            frame(rows).write_ipc_stream(path)
    return folder


def refusal(source, **options):
    with pytest.raises(MatedError) as error:
        read(source, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet", ".feather", ".arrow"])
def test_a_folder_and_a_pattern_and_a_sequence_are_the_whole(tmp_path, ending):
    folder = write_parts(tmp_path / "parts", ending)
    files = sorted(folder.iterdir())
    for source in (folder, str(folder), folder / f"*{ending}", str(tmp_path / "**" / f"part-?{ending}"), files):
        result = read(source)
        assert result.score.tolist() == [row[2] for row in ROWS]
        assert result.mated.tolist() == [row[0] == row[1] for row in ROWS]
        assert result.subjects.names == ("ann", "bob", "eve")


def test_one_file_of_a_folder_is_that_file(tmp_path):
    folder = write_parts(tmp_path / "parts", ".csv", [ROWS])
    assert len(read(folder)) == 5
    assert len(read(str(folder / "*.csv"))) == 5


def test_a_file_whose_name_has_a_wild_sign_is_itself(tmp_path):
    for ending in (".csv", ".parquet", ".feather"):
        write_parts(tmp_path / "a", ending, [ROWS])
        path = (tmp_path / "a" / f"part-0{ending}").rename(tmp_path / f"scores[1]{ending}")
        assert len(read(path)) == 5


def test_files_that_other_tools_leave_behind_are_skipped(tmp_path):
    folder = write_parts(tmp_path / "parts", ".parquet")
    (folder / "_SUCCESS").write_text("")
    (folder / "_common_metadata.parquet").write_text("no table")
    (folder / ".part-0.parquet.crc").write_text("x")
    (folder / "README.md").write_text("# scores")
    assert len(read(folder)) == 5


def test_folders_of_a_partition_add_their_column_to_parquet(tmp_path):
    for sensor, rows in (("A", ROWS[:2]), ("B", ROWS[2:])):
        write_parts(tmp_path / f"sensor={sensor}", ".parquet", [rows])
    result = read(tmp_path)
    assert result.covariates["sensor"].tolist() == ["A", "A", "B", "B", "B"]
    assert list(result.groups("sensor")) == ["A", "B"]


def test_a_partition_may_say_which_comparisons_are_mated(tmp_path):
    for flag, rows in (("1", [0.5, 0.75]), ("0", [0.25])):
        (tmp_path / f"mated={flag}").mkdir()
        pl.DataFrame({"score": rows}).write_parquet(tmp_path / f"mated={flag}" / "a.parquet")
    result = read(tmp_path)
    assert sorted(result.score[result.mated].tolist()) == [0.5, 0.75]


def test_partitions_of_different_columns_are_refused(tmp_path):
    write_parts(tmp_path / "sensor=A", ".parquet", [ROWS])
    write_parts(tmp_path / "b", ".parquet", [ROWS])
    assert "all parts need the same columns" in refusal(tmp_path)


@given(cuts=st.lists(st.integers(0, 5), max_size=4).map(sorted), ending=st.sampled_from([".csv", ".parquet"]))
def test_cut_anywhere_the_parts_are_the_whole(tmp_path_factory, cuts, ending):
    folder = tmp_path_factory.mktemp("cut")
    bounds = [0, *cuts, len(ROWS)]
    parts = [ROWS[a:b] for a, b in pairwise(bounds) if b > a]
    result = read(write_parts(folder / "parts", ending, parts))
    assert result.tally() == read(frame()).tally()
    assert result.subjects.probe.tolist() == read(frame()).subjects.probe.tolist()


def test_columns_of_parquet_may_stand_in_any_order_and_differ_in_width(tmp_path):
    frame().write_parquet(tmp_path / "a.parquet")
    narrow = (
        frame().select("score", "reference_subject", "probe_subject").with_columns(pl.col("score").cast(pl.Float32))
    )
    narrow.write_parquet(tmp_path / "b.parquet")
    assert read(tmp_path).score.tolist() == [row[2] for row in ROWS] * 2


def test_categories_and_columns_without_values_are_merged(tmp_path):
    frame().with_columns(pl.lit("x").cast(pl.Categorical).alias("site"), note=None).write_parquet(
        tmp_path / "a.parquet"
    )
    frame().with_columns(pl.lit("y").cast(pl.Categorical).alias("site"), note=pl.lit(7)).write_parquet(
        tmp_path / "b.parquet"
    )
    covariates = read(tmp_path).covariates
    assert covariates["site"].tolist() == ["x"] * 5 + ["y"] * 5
    assert np.isnan(covariates["note"][0].astype(float))


def test_text_without_a_header_is_read_by_column_numbers(tmp_path):
    (tmp_path / "a.txt").write_text("1 0.5\n0 0.25\n")
    (tmp_path / "b.txt").write_text("1 0.75\n0 0.1\n")
    assert read(tmp_path).score.tolist() == [0.5, 0.25, 0.75, 0.1]
    result = read(tmp_path, columns=Columns(mated=1, score=2))
    assert result.mated.tolist() == [True, False, True, False]


def test_lists_of_bob_and_trials_come_in_parts_too(tmp_path):
    (tmp_path / "a.txt").write_text("ann ann a1 0.5\nann bob b1 0.25\n")
    (tmp_path / "b.txt").write_text("bob bob b1 0.75\nbob ann a1 0.1\n")
    assert len(read(tmp_path, format="bob")) == 4
    (tmp_path / "key").write_text("ann b1 nontarget\nann a1 target\n")
    (tmp_path / "a.txt").write_text("ann a1 0.5\n")
    (tmp_path / "b.txt").write_text("ann b1 0.25\n")
    assert read(tmp_path, key=tmp_path / "key").mated.tolist() == [True, False]


def test_covariates_of_text_are_numbers_only_where_they_are_in_all_parts(tmp_path):
    (tmp_path / "a.csv").write_text("mated,score,age\n1,0.5,30\n")
    (tmp_path / "b.csv").write_text("mated,score,age\n0,0.25,young\n")
    assert read(tmp_path).covariates["age"].tolist() == ["30", "young"]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_an_error_names_the_part_and_the_line_in_it(tmp_path, ending):
    parts = [ROWS, [("ann", "ann", 0.5), ("ann", "bob", float("nan"))], ROWS]
    message = refusal(write_parts(tmp_path / "parts", ending, parts))
    line = "line 3" if ending == ".csv" else "row 2"
    assert f"part-1{ending}, {line}, column 'score': the score is NaN; " in message


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        (f"{HEADER}\nann,ann,high\n", "b.csv, line 2, column 'score': the score 'high' is not a number"),
        (f"{HEADER}\n\nann,ann,0.5\nann,bob\n", "b.csv, line 4 has 2 fields instead of 3"),
        (f"{HEADER}\nann;ann;0.5\n", "b.csv, line 2 has 1 field instead of 3; it has ';' between the fields"),
        (f"{HEADER}\n,ann,0.5\n", "b.csv, line 2, column 'probe_subject': there is no value"),
        ("ann,ann,0.5\n", "a.csv has a header and "),
        ("score,probe_subject,reference_subject\n0.5,ann,ann\n", "b.csv has another header than"),
        (f"sep=;\n{HEADER}\nann,ann,0.5\n", "b.csv names another separator than"),
        ("", "b.csv is empty"),
        ("ann,ann,0.5\n\xff", "b.csv, line 2: the byte 0xff is not UTF-8 text"),
    ],
)
def test_parts_of_text_that_do_not_fit_are_refused(tmp_path, second, expected):
    (tmp_path / "a.csv").write_text(f"{HEADER}\n{lines()}")
    (tmp_path / "b.csv").write_bytes(second.encode("latin-1"))
    assert expected in refusal(tmp_path)


def test_parts_of_parquet_that_do_not_fit_are_refused(tmp_path):
    frame().write_parquet(tmp_path / "a.parquet")
    frame().drop("score").write_parquet(tmp_path / "b.parquet")
    assert "b.parquet lacks 'score', unlike" in refusal(tmp_path)
    frame().with_columns(site=pl.lit("x")).write_parquet(tmp_path / "b.parquet")
    assert "b.parquet has 'site' besides, unlike" in refusal(tmp_path)
    frame().with_columns(pl.col("score").cast(pl.String)).write_parquet(tmp_path / "b.parquet")
    assert "b.parquet: column 'score' holds String values, and in " in refusal(tmp_path)
    (tmp_path / "b.parquet").write_bytes((tmp_path / "a.parquet").read_bytes()[:-9])
    assert "b.parquet is not a whole Parquet file" in refusal(tmp_path)


def test_old_feather_is_named(tmp_path):
    (tmp_path / "a.feather").write_bytes(b"FEA1" + b"\0" * 40)
    assert "is Feather of version 1, which is not read" in refusal(tmp_path / "a.feather")


def test_files_of_several_kinds_need_a_pattern(tmp_path):
    write_parts(tmp_path / "parts", ".csv")
    write_parts(tmp_path / "parts", ".parquet")
    assert "with files of several kinds (.csv, .parquet); say which with a pattern" in refusal(tmp_path / "parts")
    assert len(read(tmp_path / "parts" / "*.csv")) == 5
    assert "part-0.csv is neither Parquet nor Arrow" in refusal(
        [tmp_path / "parts" / "part-0.parquet", tmp_path / "parts" / "part-0.csv"]
    )


def test_nothing_found_is_said(tmp_path):
    assert "is a directory without a file that ends in .csv" in refusal(tmp_path)
    assert "no file matches" in refusal(tmp_path / "*.parquet")
    assert "there is no file" in refusal([tmp_path / "a.csv", tmp_path / "b.csv"])


def test_a_matrix_is_read_from_one_file(tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(",ann,bob\nann,1,2\nbob,3,4\n")
    assert "stands for 2 files, and matrix" in refusal(tmp_path)
