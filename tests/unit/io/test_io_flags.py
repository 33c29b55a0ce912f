"""The mated flag in its many spellings."""

from __future__ import annotations

import pytest

from mated.errors import MatedError
from mated.io import read


def flags(tmp_path, *values, name="scores.csv"):
    path = tmp_path / name
    path.write_text("score,mated\n" + "".join(f"{i},{value}\n" for i, value in enumerate(values)))
    return read(path).mated.tolist()


@pytest.mark.parametrize(
    ("mated", "nonmated"),
    [
        ("1", "0"),
        ("1", "-1"),
        ("+1", "-1"),
        ("1.0", "0.0"),
        ("true", "false"),
        ("TRUE", "False"),
        ("T", "F"),
        ("yes", "no"),
        ("mated", "nonmated"),
        ("Mated", "Non-Mated"),
        ("mated", "non_mated"),
        ("genuine", "impostor"),
        ("Genuine", "imposter"),
        ("target", "nontarget"),
        ("target", "non-target"),
        (" 1", " 0 "),
    ],
)
def test_every_usual_spelling_is_understood(tmp_path, mated, nonmated):
    assert flags(tmp_path, mated, nonmated, mated) == [True, False, True]


@pytest.mark.parametrize("value", ["2", "maybe", "0.5", "nan"])
def test_anything_else_is_refused_with_its_line(tmp_path, value):
    with pytest.raises(MatedError, match=r"scores\.csv, line 3, column 'mated': this does not say"):
        flags(tmp_path, "1", value, "0")


def test_a_missing_flag_is_refused_with_its_line(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("mated,score\n1,0.5\n,0.25\n")
    with pytest.raises(MatedError, match=r"scores\.csv, line 3, column 'mated': the mated flag is missing"):
        read(path)


def test_zero_and_minus_one_together_are_refused(tmp_path):
    with pytest.raises(MatedError, match=r"scores\.csv, line 4, column 'mated': the mated flag is -1 and elsewhere"):
        flags(tmp_path, "1", "0", "-1")


@pytest.mark.parametrize("values", [[True, False], [1, 0], [1, -1], [1.0, 0.0], ["genuine", "impostor"]])
def test_flags_of_a_data_frame_may_have_any_type(values):
    import polars as pl

    assert read(pl.DataFrame({"score": [1, 2], "mated": values})).mated.tolist() == [True, False]


@pytest.mark.parametrize("value", [0.5, 2.0, float("nan"), None])
def test_other_numbers_of_a_data_frame_are_refused(value):
    import polars as pl

    with pytest.raises(MatedError, match="the data frame, row 2, column 'mated'"):
        read(pl.DataFrame({"score": [1, 2], "mated": [1.0, value]}))


def test_names_of_people_in_a_column_taken_for_the_flag_are_not_shown(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("score,label\n0.5,Alice\n0.25,Bob\n")
    with pytest.raises(MatedError, match=r"line 2, column 'label': this does not say") as error:
        read(path)
    assert "Alice" not in str(error.value)


def test_a_flag_that_contradicts_the_subjects_is_refused_with_its_line(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("subject_a,subject_b,score,mated\na,a,1,1\na,b,2,0\nb,b,2,0\n")
    with pytest.raises(MatedError, match=r"scores\.csv, line 4: the comparison is marked non-mated") as error:
        read(path)
    assert "'b'" not in str(error.value)
    path.write_text("subject_a,subject_b,score,mated\na,b,1,yes\n")
    with pytest.raises(MatedError, match=r"scores\.csv, line 2: .* is marked mated, but its subjects differ"):
        read(path)
