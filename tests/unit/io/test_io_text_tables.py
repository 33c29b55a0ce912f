"""Text tables with a header: separators, line ends, packing, identifiers, covariates."""

from __future__ import annotations

import gzip
import os
import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mated.errors import MatedError
from mated.io import Columns, read
from mated.scores import Comparisons

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    ["probe_subject", "reference_subject", "score", "site", "age"],
    ["s1", "s1", "0.75", "Ghent", "31"],
    ["s1", "s2", "-1e-3", "Graz", "42"],
    ["s3", "s2", "0.5", "Ghent", "53"],
]


def write(tmp_path: Path, content: str | bytes, name: str = "scores.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def joined(separator: str, end: str = "\n") -> str:
    return "".join(separator.join(row) + end for row in ROWS)


def check_is_the_table(result: object) -> None:
    assert isinstance(result, Comparisons)
    assert result.score.tolist() == [0.75, -1e-3, 0.5]
    assert result.mated.tolist() == [True, False, False]
    assert result.subjects is not None
    assert result.subjects.names == ("s1", "s2", "s3")
    assert list(result.covariates) == ["site", "age"]
    assert result.covariates["site"].tolist() == ["Ghent", "Graz", "Ghent"]
    assert result.covariates["age"].tolist() == [31, 42, 53]
    assert result.covariates["age"].dtype == np.int64
    assert result.notes == ()


@pytest.mark.parametrize("separator", [",", "\t", ";", "|", " ", "   ", " \t", ", "])
def test_every_usual_separator_is_found(tmp_path, separator):
    check_is_the_table(read(write(tmp_path, joined(separator))))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_usual_line_end_is_understood(tmp_path, end):
    check_is_the_table(read(write(tmp_path, joined(",", end))))


@pytest.mark.parametrize("tail", ["", "\n", "\n\n\n", "\r\n\r\n", "\n   \n\t\n"])
def test_the_last_line_may_be_unended_or_followed_by_blank_ones(tmp_path, tail):
    check_is_the_table(read(write(tmp_path, joined(",").rstrip("\n") + tail)))


def test_blank_lines_before_and_between_are_skipped(tmp_path):
    check_is_the_table(read(write(tmp_path, "\n  \n" + joined(",").replace("\n", "\n\n"))))


def test_blanks_before_and_after_the_fields_of_a_line_do_not_matter(tmp_path):
    text = "".join("  " + "  ".join(row) + " \n" for row in ROWS)
    check_is_the_table(read(write(tmp_path, text, "scores.txt")))


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path):
    check_is_the_table(read(write(tmp_path, b"\xef\xbb\xbf" + joined(",").encode())))


@pytest.mark.parametrize("name", ["scores.csv.gz", "scores.CSV.GZ", "scores.csv"])
def test_gzip_is_unpacked_whatever_the_ending(tmp_path, name):
    check_is_the_table(read(write(tmp_path, gzip.compress(joined(",").encode()), name)))


def test_a_path_may_be_a_text_or_an_object(tmp_path):
    path = write(tmp_path, joined(","))
    check_is_the_table(read(str(path)))
    check_is_the_table(read(path, format="table"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_read_once(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(joined(","),))
    writer.start()
    check_is_the_table(read(pipe))
    writer.join()


def test_quoted_fields_may_hold_the_separator(tmp_path):
    result = read(write(tmp_path, 'score,mated,place\n"0.5",1,"Ghent, Graz"\n0.25,0,"say ""no"""\n'))
    assert result.score.tolist() == [0.5, 0.25]
    assert result.covariates["place"].tolist() == ["Ghent, Graz", 'say "no"']


def test_quoted_fields_of_a_blank_separated_table_keep_their_blanks(tmp_path):
    result = read(write(tmp_path, '"score" "mated" "place"\n0.5  1  "New  York"\n0.25 0 "Rome"\n'))
    assert result.covariates["place"].tolist() == ["New  York", "Rome"]


def test_identifiers_with_leading_zeros_stay_as_they_are(tmp_path):
    result = read(write(tmp_path, "probe_subject,reference_subject,score,zone\n007,7,1,01\n007,007,2,02\n1.0,1,3,03\n"))
    assert result.subjects.names == ("007", "1", "1.0", "7")
    assert result.mated.tolist() == [False, True, False]
    assert result.covariates["zone"].tolist() == ["01", "02", "03"]


def test_blanks_around_identifiers_do_not_make_them_differ(tmp_path):
    result = read(write(tmp_path, "probe_subject,reference_subject,score\ns1, s1,1\n s2 ,s2,2\n"))
    assert result.mated.tolist() == [True, True]


def test_blanks_around_scores_do_not_matter(tmp_path):
    assert read(write(tmp_path, "score, mated\n0.5 ,1\n 0.25\t,0\n")).score.tolist() == [0.5, 0.25]


def test_covariates_with_gaps_keep_their_type(tmp_path):
    result = read(write(tmp_path, "score,mated,age,site\n0.5,1,,a\n0.25,0,42,\n"))
    assert np.isnan(result.covariates["age"][0])
    assert result.covariates["age"][1] == 42
    assert result.covariates["site"].tolist() == ["a", None]


def test_a_covariate_that_turns_to_text_late_is_text(tmp_path):
    lines = "".join(f"{i},{i % 2},{i}\n" for i in range(2000))
    result = read(write(tmp_path, f"score,mated,batch\n{lines}1,1,last\n"))
    assert result.covariates["batch"][0] == "0"
    assert result.covariates["batch"][-1] == "last"


def test_infinite_scores_are_scores(tmp_path):
    assert read(write(tmp_path, "score,mated\ninf,1\n-Infinity,0\n")).score.tolist() == [np.inf, -np.inf]


def test_non_ascii_text_is_kept(tmp_path):
    result = read(write(tmp_path, "probe_subject,reference_subject,score\nZoë,Zoë,1\nZoë,Łukasz,2\n"))
    assert result.subjects.names == ("Zoë", "Łukasz")


def test_the_row_names_pandas_writes_are_left_out(tmp_path):
    result = read(write(tmp_path, ",score,mated\n0,0.5,1\n1,0.25,0\n"))
    assert result.score.tolist() == [0.5, 0.25]
    assert dict(result.covariates) == {}
    assert result.notes == ("the first column has no name and is left out",)


def test_named_columns_make_a_table_of_what_pandas_writes(tmp_path):
    path = write(tmp_path, ",value,p,r\n0,0.5,a,a\n1,0.25,a,b\n")
    result = read(path, columns=Columns(score="value", probe_subject="p", reference_subject="r"))
    assert result.score.tolist() == [0.5, 0.25]
    assert result.mated.tolist() == [True, False]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_wide_text_is_told_by_its_mark(tmp_path, encoding):
    mark = "" if encoding in ("utf-16", "utf-32") else "\ufeff"
    check_is_the_table(read(write(tmp_path, (mark + joined("\t", "\r\n")).encode(encoding), "scores.txt")))
    matrix = read(write(tmp_path, f"{mark}\ta\tb\r\na\t1\t2\r\n".encode(encoding), "m.txt"))
    assert matrix.scores.tolist() == [[1, 2]]


@pytest.mark.parametrize("said", ["sep={}", '"sep={}"', "SEP={}"])
@pytest.mark.parametrize("separator", [";", ",", "\t", "|", ":"])
def test_the_separator_may_be_said_in_the_first_line_as_excel_does(tmp_path, said, separator):
    first = said.format(separator) + "\r\n"
    check_is_the_table(read(write(tmp_path, first + joined(separator, "\r\n"))))
    matrix = read(write(tmp_path, first + ",a,b\na,1,2\n".replace(",", separator), "m.csv"))
    assert matrix.scores.tolist() == [[1, 2]]


def test_a_line_that_says_the_separator_counts_as_a_line(tmp_path):
    with pytest.raises(MatedError, match=r"scores\.csv, line 4, column 'score': the score 'x' is not a number"):
        read(write(tmp_path, "sep=;\nscore;mated\n1;1\nx;0\n"))
    with pytest.raises(MatedError, match=r"scores\.csv is empty"):
        read(write(tmp_path, "sep=;\n"))


def test_a_header_may_be_insisted_on(tmp_path):
    path = write(tmp_path, "1,2\n0.5,1\n0.25,0\n")
    result = read(path, header=True, columns=Columns(score="1", mated="2"))
    assert result.score.tolist() == [0.5, 0.25]


def test_nan_and_missing_scores_are_failures_when_asked(tmp_path):
    path = write(tmp_path, "score,mated,site\n0.5,1,a\nNaN,1,b\n0.25,0,c\n,0,d\nnan,0,e\n")
    result = read(path, nan="failure")
    assert result.score.tolist() == [0.5, 0.25]
    assert (result.tally().mated_failures, result.tally().nonmated_failures) == (1, 2)
    assert result.covariates["site"].tolist() == ["a", "c"]


def test_the_unit_is_handed_on(tmp_path):
    from fractions import Fraction

    assert read(write(tmp_path, "score,mated\n1,1\n2,0\n"), unit="0.5").unit == Fraction(1, 2)


def test_samples_are_read(tmp_path):
    header = "probe_sample,reference_sample,probe_subject,reference_subject,score\n"
    result = read(write(tmp_path, header + "a1,a2,a,a,1\na1,b1,a,b,0\n"))
    assert result.samples.names == ("a1", "a2", "b1")
    assert dict(result.covariates) == {}
