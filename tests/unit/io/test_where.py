"""Filters in SQL: which rows of a table are read."""

from __future__ import annotations

import gzip
import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from mated.cli.main import app
from mated.errors import MatedError
from mated.io import read, scan
from mated.io.where import parse_where

TEXT = """probe_subject,reference_subject,score,sensor,age,Eye Colour,code,ok
007,007,0.5,A,61,blue,010,true
007,8,0.25,B,20,,011,false
8,8,0.75,A,75,green,012,true
8,9,0.125,,33,blue,010,
9,9,1,B,64,brown,011,true
"""
SCORES = [0.5, 0.25, 0.75, 0.125, 1.0]


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "scores.csv"
    file.write_text(TEXT)
    return file


def refusal(source, where, **options):
    with pytest.raises(MatedError) as error:
        read(source, where=where, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("sensor = 'A'", [0, 2]),
        ("sensor = 'A' and age > 60", [0, 2]),
        ("age > 60", [0, 2, 4]),
        ("age between 20 and 33 or sensor = 'A'", [0, 1, 2, 3]),
        ("sensor is null", [3]),
        ("sensor <> 'A'", [1, 4]),
        ("not sensor = 'A'", [1, 4]),
        ("sensor in ('A', 'C')", [0, 2]),
        ("\"Eye Colour\" like 'b%'", [0, 3, 4]),
        ("probe_subject = '007'", [0, 1]),
        ("probe_subject = reference_subject", [0, 2, 4]),
        ("score >= 0.5", [0, 2, 4]),
        ("score = 0.125", [3]),
        ("age in (20, 33)", [1, 3]),
        ("age not in (20, 33) and sensor not in ('B')", [0, 2]),
        ("age % 2 = 0", [1, 4]),
        ("round(score, 1) = 0.8 or score / 2 = 0.25", [0, 2]),
        ("age * 2 > 121 and score < 1", [0, 2]),
        ("code = '010'", [0, 3]),
        ("upper(sensor) = 'B' and abs(age - 20) < 1", [1]),
        ("case when sensor = 'A' then age > 70 else age < 30 end", [1, 2]),
        ("coalesce(sensor, 'none') = 'none'", [3]),
        ("ok = 'true'", [0, 2, 4]),
    ],
)
def test_a_filter_keeps_the_rows_it_is_true_for(path, where, kept):
    assert read(path, where=where).score.tolist() == [SCORES[row] for row in kept]


def test_a_flag_written_in_numbers_is_compared_with_numbers(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("score,mated\n0.5,1\n0.25,0\n0.75,1\n")
    assert read(path, where="mated = 1").score.tolist() == [0.5, 0.75]
    path.write_text("1 0.5\n0 0.25\n")
    assert read(path, where='"column 1" = 0').score.tolist() == [0.25]


def test_lines_stay_those_of_the_file(path):
    path.write_text(TEXT.replace("0.75,A", "nan,A").replace("0.125", "nan"))
    assert "line 4, column 'score': the score is NaN" in refusal(path, "sensor = 'A'")
    assert "line 5, column 'score': the score is NaN; " in refusal(path, "sensor is null")
    assert read(path, where="sensor = 'B'").score.tolist() == [0.25, 1.0]


def test_rows_of_several_files_stay_those_of_their_file(tmp_path):
    for name, rows in (("a", [1.0, 2.0]), ("b", [1.0, np.nan])):
        pl.DataFrame({"score": rows, "mated": [1, 0], "age": [1, 9]}).write_parquet(tmp_path / f"{name}.parquet")
    assert "b.parquet, row 2, column 'score'" in refusal(tmp_path, "age > 5")


def test_types_are_those_of_the_whole_column(path):
    """`code` has leading zeros in every row but those kept, and stays a text."""
    path.write_text("score,mated,code\n1,1,10\n2,0,011\n3,1,12\n")
    assert read(path, where="code <> '011'").covariates["code"].tolist() == ["10", "12"]
    assert read(path, where="score <> 2").covariates["code"].tolist() == ["10", "12"]


def test_failures_are_filtered_too(path):
    path.write_text(TEXT.replace("0.75,A", "nan,A").replace("0.125", "nan"))
    result = read(path, where="sensor = 'A'", nan="failure")
    assert result.failed_mated.tolist() == [True]
    assert result.score.tolist() == [0.5]


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("age >", "the filter 'age >' is not understood"),
        ("", "is not understood"),
        ("*", "is not understood"),
        ("age > 60; drop table x", "is not understood"),
        ("__import__('os')", "is not understood"),
        ("random() > 0.5", "is not understood"),
        ("select age", "is not understood|has no column"),
        ("age", "gives numbers and not true or false"),
        ("sensor", "gives texts and not true or false"),
        ("age + 1", "gives numbers and not true or false"),
        ("1 = 1", "names no column"),
        ("true", "names no column"),
        ("agee > 3", "has no column 'agee' for the filter 'agee > 3'; did you mean 'age'\\? the columns are"),
        ("Sensor = 'A'", "has no column 'Sensor'.*did you mean 'sensor'"),
        ('sensor = "A"', "has no column 'A'.*a text stands in single quotes"),
        ("sensor > 60", "does not fit the columns \\(.*\\): 'sensor' holds texts; compare numbers with numbers"),
        ("probe_subject = 7", "does not fit the columns"),
        ("age > 'old'", "does not fit the columns"),
        ("age > avg(age)", "looks at more than one row"),
        ("max(age) > 3", "looks at more than one row"),
        ("count(*) > 3", "looks at more than one row"),
        ("sum(age) > 3", "looks at more than one row"),
        ("median(age) > 3", "looks at more than one row"),
        ("stddev(age) > 3", "looks at more than one row"),
        ("corr(age, score) > 3", "looks at more than one row"),
        ("quantile_cont(age, 0.5) > 3", "looks at more than one row"),
        ("string_agg(sensor, ',') = 'A'", "looks at more than one row|is not understood"),
        ("array_agg(age) is null", "looks at more than one row"),
        ("first(age) > 3", "looks at more than one row"),
        ("unnest(age) > 3", "looks at more than one row"),
        ("row_number() over (order by age) > 3", "looks at more than one row"),
        ("age > lag(age) over (order by age)", "looks at more than one row"),
        ("age in (select 1)", "looks at more than one row"),
        ("exists (select 1)", "looks at more than one row"),
        ('"^a.*$" > 3', "looks at more than one row or column"),
        ("age > 1000", "no row passes the filter 'age > 1000'"),
        ("cast(sensor as integer) > 3", "the filter .* cannot be applied"),
    ],
)
def test_what_is_no_filter_of_rows_is_refused(path, where, said):
    with pytest.raises(MatedError, match=said) as error:
        read(path, where=where)
    assert "\n" not in str(error.value)
    with pytest.raises(MatedError) as scanned:
        scan(path, where=where)
    assert str(scanned.value) == str(error.value)


def test_other_things_than_texts_are_refused(path):
    assert "where must be a text such as \"sensor = 'A'\", not a Expr" in refusal(path, pl.col("age") > 60)


@pytest.mark.parametrize(
    ("name", "contents"),
    [("m.csv", b",a,b\na,1,2\nb,2,1\n"), ("m.json", b"{}")],
)
def test_formats_without_columns_are_refused(tmp_path, name, contents):
    (tmp_path / name).write_bytes(contents)
    assert "which has no columns to filter by" in refusal(tmp_path / name, "age > 60")


def test_score_lists_have_no_columns_to_filter_by(tmp_path):
    for name in ("m.txt", "n.txt"):
        (tmp_path / name).write_text("1\n2\n")
    for call in (read, scan):
        with pytest.raises(MatedError, match=r"the pair of score lists is read as lists .* no columns to filter by"):
            call(mated=tmp_path / "m.txt", nonmated=tmp_path / "n.txt", where="score > 1")


def test_lists_of_bob_are_filtered_by_their_columns(tmp_path):
    (tmp_path / "scores.txt").write_text("ann ann a1 0.9\nann bob b1 0.2\nbob ann a1 0.3\nbob bob b1 0.8\n")
    result = read(tmp_path / "scores.txt", format="bob", where="\"claimed id\" = 'ann'")
    assert result.score.tolist() == [0.9, 0.2]


def test_the_command_line_takes_a_filter(tmp_path, path):
    path.write_text("score,mated,age\n" + "".join(f"{k % 7},{k % 2},{k}\n" for k in range(40)) + "nan,1,99\n")
    run = CliRunner().invoke(app, ["verify", str(path), "--where", "age < 20", "--json"])
    assert run.exit_code == 0, run.output
    assert json.loads(run.stdout)["counts"]["mated"] == 10
    run = CliRunner().invoke(app, ["verify", str(path), "--where", "age >"])
    assert run.exit_code != 0
    assert isinstance(run.exception, MatedError | SystemExit)
    assert "is not understood" in f"{run.output}{run.exception}"


values = st.one_of(st.none(), st.integers(-3, 3))
rows = st.lists(
    st.tuples(st.integers(-5, 5), st.booleans(), values, st.sampled_from(["A", "b", "it's", None])),
    min_size=1,
    max_size=30,
)
comparison = st.builds(
    lambda column, sign, value: (f"{column} {sign} {value}", (column, sign, value)),
    st.sampled_from(["n", "score"]),
    st.sampled_from(["<", "<=", "=", "<>", ">", ">="]),
    st.integers(-4, 4),
)
word = st.builds(
    lambda value: ("w = '{}'".format(value.replace("'", "''")), ("w", "=", value)),
    st.sampled_from(["A", "b", "it's", "Z"]),
)
absent = st.sampled_from([("n is null", ("n", "null", None)), ("w is not null", ("w", "given", None))])
filters = st.recursive(
    st.one_of(comparison, word, absent),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: (f"({p[0][0]}) and ({p[1][0]})", ("and", p[0][1], p[1][1]))),
        st.tuples(inner, inner).map(lambda p: (f"({p[0][0]}) or ({p[1][0]})", ("or", p[0][1], p[1][1]))),
        inner.map(lambda p: (f"not ({p[0]})", ("not", p[1]))),
    ),
    max_leaves=4,
)


def holds(tree, row):
    """Evaluate a filter as SQL does, with None for unknown."""
    head, *rest = tree
    if head == "not":
        inner = holds(rest[0], row)
        return None if inner is None else not inner
    if head in ("and", "or"):
        found = [holds(part, row) for part in rest]
        if head == "and":
            return False if False in found else None if None in found else True
        return True if True in found else None if None in found else False
    sign, value = rest
    held = row[head]
    if sign in ("null", "given"):
        return (held is None) == (sign == "null")
    if held is None:
        return None
    return {
        "<": held < value if sign == "<" else None,
        "<=": held <= value if sign == "<=" else None,
        "=": held == value,
        "<>": held != value,
        ">": held > value if sign == ">" else None,
        ">=": held >= value if sign == ">=" else None,
    }[sign]


@given(rows=rows, wanted=filters)
def test_a_filter_means_what_sql_says_of_each_row(rows, wanted):
    """The twin evaluates three-valued logic by hand; text, frames and scans must agree with it."""
    text, tree = wanted
    data = pl.DataFrame(
        rows, schema={"score": pl.Float64, "mated": pl.Boolean, "n": pl.Int64, "w": pl.String}, orient="row"
    )
    kept = [k for k, row in enumerate(data.iter_rows(named=True)) if holds(tree, row) is True]
    if not kept:
        with pytest.raises(MatedError, match="no row passes the filter"):
            read(data, where=text)
        return
    expected = data[kept]
    for found in (read(data, where=text), read(data.lazy(), where=text)):
        assert found.score.tolist() == expected["score"].to_list()
        assert found.covariates["w"].tolist() == expected["w"].to_list()
    scanned = scan(data.lazy(), where=text)
    batches = pl.concat([b for part in scanned.parts for b in part.batches(("score", "mated", "n", "w"))])
    assert batches.equals(expected)


def test_a_filter_knows_its_columns():
    assert parse_where("a > 1 and (b = 'x' or a < -1)").columns == ("a", "b")
    assert parse_where("\"Eye Colour\" like '%a%'").columns == ("Eye Colour",)


def test_packed_text_is_filtered(tmp_path):
    (tmp_path / "scores.csv.gz").write_bytes(gzip.compress(TEXT.encode()))
    assert read(tmp_path / "scores.csv.gz", where="sensor = 'A'").score.tolist() == [0.5, 0.75]
