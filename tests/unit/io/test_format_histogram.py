"""Score lists of which one or both count scores, as pyeer has them: line i, from 0, holds the count of score i."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mated.errors import MatedError
from mated.io import read
from mated.scores import Tally


@pytest.fixture
def lists(tmp_path):
    def write(mated, nonmated="2\n0\n1\n"):
        paths = {"mated": tmp_path / "mated.txt", "nonmated": tmp_path / "nonmated.txt"}
        paths["mated"].write_text(mated)
        paths["nonmated"].write_text(nonmated)
        return paths

    return write


def test_the_non_mated_file_counts_and_the_mated_one_lists(lists):
    result = read(**lists("3\n2\n2\n"), histogram="nonmated")
    assert result.score.tolist() == [3, 2, 2, 0, 0, 2]
    assert result.mated.tolist() == [True] * 3 + [False] * 3
    assert "the non-mated file is read as a histogram" in result.notes[0]


def test_either_file_may_count(lists):
    assert read(**lists("0\n1\n"), histogram="both").score.tolist() == [1, 0, 0, 2]
    assert read(**lists("0\n1\n"), histogram="mated").score.tolist() == [1, 2, 0, 1]


def test_counts_may_have_blanks_around_them_and_lines_after_the_last(lists):
    assert read(**lists("1\n", " 2\n 0 \n\t1\n\n"), histogram="nonmated").score.tolist() == [1, 0, 0, 2]


@given(counts=st.lists(st.integers(0, 5), min_size=1).filter(any), scores=st.lists(st.integers(0, 9), min_size=1))
def test_a_histogram_counts_as_the_list_of_its_scores(tmp_path_factory, counts, scores):
    folder = tmp_path_factory.mktemp("histogram")
    (folder / "m").write_text("\n".join(map(str, scores)))
    (folder / "n").write_text("\n".join(map(str, counts)))
    tally = read(mated=folder / "m", nonmated=folder / "n", histogram="nonmated").tally()
    assert tally == Tally.from_scores(scores, np.repeat(np.arange(len(counts)), counts))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1\n2.5\n", "line 2: '2.5' is not a count"),
        ("1\n-1\n", "line 2: '-1' is not a count"),
        ("score count\n1 2\n", "line 1: 'score count' is not a count"),
        ("1\n\n2\n", "line 2 is blank, and in a histogram the number of a line is the score"),
        ("\n1\n", "line 1 is blank"),
        ("0\n0\n", "counts no comparison"),
        ("0\n99999999999\n", "counts 99999999999 comparisons, and at most 2147483648"),
        ("", "is empty"),
    ],
)
def test_what_is_no_histogram_is_refused(lists, text, expected):
    with pytest.raises(MatedError) as error:
        read(**lists("1\n", text), histogram="nonmated")
    assert "nonmated.txt" in str(error.value)
    assert expected in str(error.value)


def test_which_file_counts_has_to_be_said(lists):
    with pytest.raises(MatedError, match=r"which of the two files counts scores is not known.*--histogram"):
        read(**lists("1\n"), format="histogram")
    with pytest.raises(MatedError, match="histogram must be 'mated', 'nonmated' or 'both', not 'yes'"):
        read(**lists("1\n"), histogram="yes")


def test_it_belongs_to_score_lists(lists, tmp_path):
    lists("1\n")
    with pytest.raises(MatedError, match=r"histogram= \(--histogram\) belongs to histogram"):
        read(tmp_path / "mated.txt", histogram="mated")
    with pytest.raises(MatedError, match=r"histogram= \(--histogram\) belongs to histogram"):
        read(**lists("1\n"), histogram="mated", format="lists")
