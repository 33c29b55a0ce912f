"""Text tables without a header."""

from __future__ import annotations

import pytest

from mated.errors import MatedError
from mated.io import Columns, read


def write(tmp_path, text, name="scores.txt"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_a_first_line_with_a_number_is_data(tmp_path):
    result = read(write(tmp_path, "a a 0.5\na b 0.25\n"))
    assert len(result) == 2


def test_a_first_line_whose_only_number_is_nan_is_data(tmp_path):
    assert len(read(write(tmp_path, "a a nan\na b 0.25\n"), nan="failure")) == 1


@pytest.mark.parametrize(("text", "flag", "score"), [("1 0.5\n0 2\n", 1, 2), ("0.5,1\n2,0\n", 2, 1)])
def test_two_columns_are_flag_and_score_in_either_order(tmp_path, text, flag, score):
    result = read(write(tmp_path, text))
    assert result.score.tolist() == [0.5, 2]
    assert result.mated.tolist() == [True, False]
    assert result.notes == (
        f"without a header, column {flag} is taken as the mated flag and column {score} as the score",
    )


def test_flags_of_two_columns_may_be_one_and_minus_one(tmp_path):
    assert read(write(tmp_path, "0.5 1\n0 -1\n3 1\n")).mated.tolist() == [True, False, True]


def test_two_columns_that_could_both_be_flags_are_refused(tmp_path):
    path = write(tmp_path, "1 0\n0 0\n")
    with pytest.raises(MatedError, match=r"scores\.txt has no header, and either .*--score-column and --mated-column"):
        read(path)
    assert read(path, columns=Columns(score=1, mated=2)).score.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("0.5 2\n0.25 3\n", "fields 1 and 2 are numbers"), ("genuine 0.5\nimpostor 0.25\n", "field 2 is a number")],
)
def test_two_columns_without_a_flag_of_numbers_need_numbers(tmp_path, text, numbers):
    with pytest.raises(MatedError) as error:
        read(write(tmp_path, text))
    for part in ("scores.txt", "not clear", "--score-column", f"the first line has 2 fields, of which {numbers}"):
        assert part in str(error.value)


def test_three_columns_are_two_subjects_and_a_score(tmp_path):
    result = read(write(tmp_path, "007 007 0.5\n007 7 0.25\n"))
    assert result.mated.tolist() == [True, False]
    assert result.subjects.names == ("007", "7")
    assert result.notes == ("without a header, the columns are taken as probe subject, reference subject and score",)


def test_three_columns_without_a_score_at_the_end_need_numbers(tmp_path):
    path = write(tmp_path, "0.5 a a\n0.25 a b\n")
    with pytest.raises(
        MatedError, match=r"scores\.txt has no header and its columns are not clear.*3 fields, of which field 1 is"
    ):
        read(path)
    assert read(path, columns=Columns(score=1, probe_subject=2, reference_subject=3)).mated.tolist() == [True, False]


def test_four_columns_need_numbers_and_the_rest_become_covariates(tmp_path):
    path = write(tmp_path, "a a x1 0.5\na b x2 0.25\n")
    with pytest.raises(MatedError, match=r"the first line has 4 fields, of which field 4 is a number; give"):
        read(path)
    result = read(path, columns=Columns(reference_subject="1", probe_subject="2", score="4"))
    assert result.score.tolist() == [0.5, 0.25]
    assert result.covariates["column 3"].tolist() == ["x1", "x2"]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Alice Alice x1 0.5\n", {}),
        ("Alice 0.5\n", {}),
        ("0.5 Alice Alice\n", {}),
        ("Alice Alice 0.5\n", {"columns": Columns(score="sim")}),
        ("Alice Alice 0.5\n", {"columns": Columns(probe_subject=1, reference_subject=2)}),
        ("Alice,Alice,O.5\n", {}),
        ("Alice,Bob,O.5\n", {}),
        ("Alice,Bob,O.5\n", {"columns": Columns(score="sim")}),
        ("Alice,Bob,O.5\n", {"columns": Columns(score=3)}),
        ("Alice,Bob,high\n", {"header": False}),
        ("Alice;Bob;0,5\n", {}),
    ],
)
def test_names_of_people_on_the_first_line_are_not_shown(tmp_path, text, options):
    with pytest.raises(MatedError, match=r"scores\.txt") as error:
        read(write(tmp_path, text * 2), **options)
    assert "Alice" not in str(error.value)
    assert "Bob" not in str(error.value)


@pytest.mark.parametrize(
    "text", ["1;0,5\n0;0,25\n", "1 0,5\n0 0,25\n", "a\ta\t0,5\na\tb\t0,25\n", "a a 0,5\na b 0,25\n"]
)
def test_a_decimal_comma_without_a_header_is_met_with_advice(tmp_path, text):
    with pytest.raises(MatedError, match=r"scores\.txt .*; if a comma in it is a decimal comma, write a decimal point"):
        read(write(tmp_path, text))


def test_names_are_refused_where_there_is_no_header(tmp_path):
    with pytest.raises(MatedError, match=r"scores\.txt has no header, so score cannot be column 'sim'.*1 to 3"):
        read(write(tmp_path, "a a 0.5\n"), columns=Columns(score="sim"))


def test_numbers_without_one_for_the_score_are_refused(tmp_path):
    with pytest.raises(MatedError, match=r"scores\.txt has no header and its score column is not given"):
        read(write(tmp_path, "a a 0.5\n"), columns=Columns(probe_subject=1, reference_subject=2))


def test_one_column_is_taken_for_a_score_list(tmp_path):
    with pytest.raises(MatedError, match=r"scores\.txt has one column; .*--mated and --nonmated"):
        read(write(tmp_path, "0.5\n0.25\n"))


def test_no_header_may_be_insisted_on(tmp_path):
    path = write(tmp_path, "a,a,high\n")
    with pytest.raises(MatedError, match=r"scores\.txt has no header"):
        read(path, header=False)


def test_a_broken_score_on_the_first_line_is_not_lost_as_a_header(tmp_path):
    with pytest.raises(MatedError, match=r"no score column.*it has 3 columns.*--no-header"):
        read(write(tmp_path, "a,b,O.5\na,a,0.25\n"))


def test_text_among_the_scores_is_refused_with_its_line(tmp_path):
    with pytest.raises(MatedError, match=r"scores\.txt, line 2, column 'column 3': the score 'x' is not a number"):
        read(write(tmp_path, "a a 0.5\na b x\n"))
    with pytest.raises(MatedError, match=r"scores\.txt, line 2, column 'column 2': the value 'x' is not a number"):
        read(write(tmp_path, "1 0.5\n0 x\n"))
