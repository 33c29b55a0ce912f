"""What could be of two formats with different numbers is refused with both named; the rest is told and said."""

from __future__ import annotations

import numpy as np
import pytest

from mated.errors import MatedError
from mated.io import Columns, read
from mated.io.reading import request_for
from mated.io.registry import candidates


def written(tmp_path, text, name="scores.txt"):
    path = tmp_path / name
    path.write_text(text)
    return path


def recognised(path, format_name="auto", **options):
    return candidates(request_for(path, **options), format_name)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        # a flag, a score and something more, here an age
        ("1 0.83 31\n0 0.12 44\n", ["--format table", "--mated-column 1 --score-column 2"]),
        # a key of VoxCeleb whose samples are numbers, taken for scores
        ("1 12 31\n0 12 44\n", ["--format table", "--mated-column 1 --score-column 2", "--key"]),
        ("-1 12 31\n1 12 44\n", ["--format table", "--key"]),
        # a flag, a file name and a score
        ("1 a.png 0.83\n0 b.png 0.12\n", ["--format table", "--mated-column 1 --score-column 3", "--key"]),
        # a matrix of two references whose corner is not empty
        ("id 1 2\n1 0.9 0.1\n2 0.2 0.8\n", ["--format table", "--format matrix"]),
    ],
)
def test_three_columns_that_could_be_something_else_are_refused_with_the_candidates(tmp_path, text, named):
    path = written(tmp_path, text)
    with pytest.raises(MatedError, match=r"scores\.txt has no header, and .*it could be .*say which") as error:
        read(path)
    for option in named:
        assert option in str(error.value)
    assert len(read(path, format="table")) >= 2  # what was asked for is not doubted


def test_naming_the_columns_settles_it(tmp_path):
    path = written(tmp_path, "1 0.83 31\n0 0.12 44\n")
    found = read(path, columns=Columns(mated=1, score=2))
    assert found.score.tolist() == [0.83, 0.12]
    assert found.mated.tolist() == [True, False]


@pytest.mark.parametrize(
    "text",
    [
        "0 0 0.9\n0 1 0.2\n1 1 0.8\n",  # two subjects called 0 and 1
        "1 1 0.9\n1 2 0.2\n1 3 0.1\n",  # all probes of one subject
        "007 007 0.9\n007 7 0.2\n",
        "a a 0.9\na b 0.2\n",
        "12 12 40\n12 13 7\n",
    ],
)
def test_two_subjects_and_a_score_are_still_read_as_such(tmp_path, text):
    assert read(written(tmp_path, text)).mated.any()


def test_two_columns_of_flags_name_bob_as_a_candidate(tmp_path):
    path = written(tmp_path, "1 0\n0 0\n")
    with pytest.raises(MatedError, match=r"either of its columns could be the mated flag.*--format bob"):
        read(path)
    found = read(path, format="bob")
    assert found.mated.tolist() == [True, False]
    assert found.score.tolist() == [0, 0]


def test_a_long_file_is_not_refused_for_its_beginning(tmp_path):
    lines = "1 0\n0 1\n" * 20_000 + "1 0.5\n"
    assert len(read(written(tmp_path, lines))) == 40_001


@pytest.mark.parametrize(
    ("name", "text", "format_name", "told_by", "because"),
    [
        ("s.csv", "mated,score\n1,2\n", "table", "content", "the names in its first line"),
        ("s.txt", "a a 2\na b 1\n", "table", "content", "its lines of text without a header"),
        ("s.csv", ",a,b\na,1,2\nb,2,3\n", "matrix", "content", "its empty first cell"),
        ("s.json", " {", "dasec", "content", "its first bytes"),
        ("s.json", "", "dasec", "ending", "its ending .json"),
        ("s.csv", "bio_ref_subject_id,probe_subject_id,score\na,a,2\n", "bob", "content", "its header, which is bob's"),
        ("s.mtx", "", "bee", "ending", "its ending .mtx"),
    ],
)
def test_the_format_is_told_and_it_is_said_how(tmp_path, name, text, format_name, told_by, because):
    found = recognised(written(tmp_path, text, name))
    assert (found.reader.name, found.told_by, found.because) == (format_name, told_by, because)


def test_an_option_and_files_tell_a_format_too(tmp_path):
    path = written(tmp_path, "a b 2\n")
    assert recognised(path, "table").told_by == "option"
    assert recognised(path, key=written(tmp_path, "a b target\n", "key")).because == "--key"
    assert recognised(path, columns=Columns(score=3, mated=1)).because == "the columns given"
    np.save(tmp_path / "s.npy", np.zeros((2, 2)))
    assert recognised(tmp_path / "s.npy").because == "its first bytes"
    assert recognised(None, mated=path, nonmated=path).because == "two files being given"


@pytest.mark.parametrize(
    ("text", "option"),
    [("1 0.5\n0 0.25\n", "--format bob"), ("a b 0.5\na c 0.25\n", "--key FILE")],
)
def test_other_readings_that_change_no_number_or_need_more_files_are_only_named(tmp_path, text, option):
    found = recognised(written(tmp_path, text))
    assert [(other.option, other.differs) for other in found.others] == [(option, False)]


def test_lists_of_whole_numbers_could_be_histograms(tmp_path):
    counts, scores = written(tmp_path, "0\n3\n1\n", "counts"), written(tmp_path, "1.5\n2\n", "scores")
    found = recognised(None, mated=scores, nonmated=counts)
    assert [other.option for other in found.others] == ["--histogram nonmated"]
    assert recognised(None, mated=scores, nonmated=scores).others == ()
    assert recognised(None, mated=scores, nonmated=counts, histogram="nonmated").others == ()
