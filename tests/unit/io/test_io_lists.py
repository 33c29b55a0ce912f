"""Two score lists."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from mated.errors import MatedError
from mated.io import Columns, read, scan


@pytest.fixture
def lists(tmp_path):
    def write(mated, nonmated=b"0.1\n0.2\n"):
        paths = tmp_path / "mated.txt", tmp_path / "nonmated.txt"
        for path, content in zip(paths, (mated, nonmated), strict=True):
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return {"mated": paths[0], "nonmated": paths[1]}

    return write


@pytest.mark.parametrize(
    "text",
    [
        "0.5\n0.75\n-1e3\n",
        " 0.5\n  0.75\n\t-1e3",
        "0.5 \n0.75\t\n-1e3  \n",
        "\n0.5\n\n0.75\n-1e3\n\n",
        "score\n0.5\n0.75\n-1e3\n",
        gzip.compress(b"0.5\n0.75\n-1e3\n", mtime=0),
    ],
)
def test_a_line_is_a_score(lists, text):
    result = read(**lists(text))
    assert result.score.tolist() == [0.5, 0.75, -1000, 0.1, 0.2]
    assert result.mated.tolist() == [True, True, True, False, False]
    assert result.subjects is None
    assert result.notes == ()


@pytest.mark.parametrize(
    "text",
    [
        "a b 0.5\nc 0.75\n-1e3\n",
        "a\tb\t0.5\r\na\tc\t0.75\r\na\td\t-1e3\r\n\r\n",
        "probe reference score\na b 0.5\na c 0.75\na d -1e3\n",
        "Probe  Reference  Similarity\na b 0.5\na c 0.75\na d -1e3\n",
    ],
)
def test_the_score_is_the_last_field_of_each_line_and_a_note_says_so(lists, text):
    result = read(**lists(text))
    assert result.score.tolist() == [0.5, 0.75, -1000, 0.1, 0.2]
    assert result.notes == ("in the mated list the score is the last of 3 fields",)


def test_lists_of_equal_width_are_noted_once(lists):
    result = read(**lists("a 0.5\nb 0.75\n", "a 0.1\nc 0.2\n"))
    assert result.notes == ("the score is the last of 2 fields",)


def test_a_header_whose_last_word_is_a_distance_means_a_dissimilarity(lists):
    result = read(**lists("probe distance\na 0.5\n", "probe distance\nb 0.75\n"))
    assert result.dissimilarity
    assert result.notes[1].startswith("the header 'distance' is taken to mean a dissimilarity")


@pytest.mark.parametrize("text", ["0.5 Alice\n0.75 Bob\n", "Alice,Bob,0.5\nAlice,Eve,0.75\n", "0.5 Alice;0.5\n"])
def test_a_line_without_a_score_at_its_end_is_refused_without_showing_it(lists, text):
    with pytest.raises(MatedError, match=r"mated\.txt, line 1: .* not a number") as error:
        read(**lists(text))
    assert "Alice" not in str(error.value)


@pytest.mark.parametrize(("text", "line"), [("1\n9007199254740993\n", 2), ("a 1\nb 2\nc 1e400\n", 3)])
def test_numbers_that_floating_point_does_not_keep_are_refused(lists, text, line):
    with pytest.raises(MatedError, match=rf"mated\.txt, line {line}: the score .*; divide the scores first"):
        read(**lists(text))


def test_arrays_are_lists_too(tmp_path):
    np.save(tmp_path / "m.npy", np.array([1, 2], dtype=np.float32))
    np.save(tmp_path / "n.npy", np.array([0.5], dtype=np.float32))
    result = read(mated=tmp_path / "m.npy", nonmated=str(tmp_path / "n.npy"), format="lists")
    assert result.score.tolist() == [1, 2, 0.5]
    assert result.score.dtype == np.float32


def test_packed_arrays_are_lists_too(tmp_path):
    np.save(tmp_path / "m.npy", np.array([1.0, 2.0]))
    (tmp_path / "n.npy.gz").write_bytes(gzip.compress((tmp_path / "m.npy").read_bytes()))
    assert read(mated=tmp_path / "m.npy", nonmated=tmp_path / "n.npy.gz").score.tolist() == [1, 2, 1, 2]


def test_dissimilarity_is_said_by_the_user_or_a_header(lists):
    assert read(**lists("0.5\n"), dissimilarity=True).score.tolist() == [-0.5, -0.1, -0.2]
    result = read(**lists("distance\n0.5\n", "distance\n0.7\n"))
    assert result.dissimilarity
    assert result.notes == ("the header 'distance' is taken to mean a dissimilarity: a lower score means more alike",)


def test_a_header_may_be_insisted_on(lists):
    assert read(**lists("my words\n0.5\n", "other\n0.25\n"), header=True).score.tolist() == [0.5, 0.25]


@pytest.mark.parametrize("text", ["0.5\nhigh\n0.25\n", "0.5\nhigh"])
def test_text_is_refused_with_its_line(lists, text):
    with pytest.raises(MatedError, match=r"mated\.txt, line 2: the score 'high' is not a number"):
        read(**lists(text))


def test_line_numbers_count_blank_lines(lists):
    with pytest.raises(MatedError, match=r"nonmated\.txt, line 5: the score 'x' is not a number"):
        read(**lists("0.5\n", "\n0.5\n\n0.25\nx\n"))


def test_a_decimal_comma_is_refused_with_advice(lists):
    with pytest.raises(MatedError, match=r"line 1: the score '0,5' is not a number.*decimals with a point"):
        read(**lists("0,5\n"))


def test_nan_is_refused_with_its_line_or_counted(lists, tmp_path):
    with pytest.raises(MatedError, match=r"mated\.txt, line 2: the score is NaN \(2 such scores\); .*--nan failure"):
        read(**lists("1\nnan\n2\nNaN\n"))
    tally = read(**lists("1\nnan\n2\nNaN\n"), nan="failure").tally()
    assert (tally.mated_failures, tally.nonmated_failures) == (2, 0)
    np.save(tmp_path / "m.npy", np.array([1, np.nan]))
    with pytest.raises(MatedError, match=r"m\.npy, value 2: the score is NaN; "):
        read(mated=tmp_path / "m.npy", nonmated=tmp_path / "nonmated.txt")


@pytest.mark.parametrize("content", ["", "\n\n", "   \n", b"\xef\xbb\xbf"])
def test_an_empty_list_is_refused(lists, content):
    with pytest.raises(MatedError, match=r"nonmated\.txt is empty"):
        read(**lists("0.5\n", content))


def test_a_header_alone_is_refused(lists):
    with pytest.raises(MatedError, match=r"nonmated\.txt has a header and no data"):
        read(**lists("0.5\n", "score\n"))


def test_one_list_alone_or_a_source_beside_them_is_refused(lists):
    given = lists("0.5\n")
    with pytest.raises(MatedError, match="--mated, --nonmated"):
        read(mated=given["mated"])
    with pytest.raises(MatedError, match="--mated, --nonmated"):
        read()
    with pytest.raises(MatedError, match="not both"):
        read(given["mated"], **given)


def test_columns_and_ids_are_refused(lists):
    with pytest.raises(MatedError, match="read as score lists, without a column for score"):
        read(**lists("0.5\n"), columns=Columns(score=1))
    with pytest.raises(MatedError, match="read as score lists, and ids belongs to score matrices"):
        read(**lists("0.5\n"), ids=["a"])


def test_a_matrix_or_an_empty_array_is_no_list(lists, tmp_path):
    given = lists("0.5\n")
    np.save(tmp_path / "m.npy", np.ones((2, 2)))
    with pytest.raises(MatedError, match=r"m\.npy holds an array of shape \(2, 2\)"):
        read(mated=tmp_path / "m.npy", nonmated=given["nonmated"])
    np.save(tmp_path / "m.npy", np.ones(0))
    with pytest.raises(MatedError, match=r"m\.npy is empty"):
        read(mated=tmp_path / "m.npy", nonmated=given["nonmated"])
    np.save(tmp_path / "m.npy", np.array(["a"]))
    with pytest.raises(MatedError, match=r"m\.npy holds values of type <U1; scores are numbers"):
        read(mated=tmp_path / "m.npy", nonmated=given["nonmated"])


@pytest.mark.parametrize(("mated", "said"), [("0\n3\n12\n", True), ("0\n3\n12.5\n", False), ("0\n-3\n12\n", False)])
def test_lists_that_could_be_counts_are_said_to_be_read_as_scores(lists, mated, said):
    given = lists(mated, "5\n9\n1\n0\n")
    for notes in (read(**given).notes, scan(**given).notes):
        assert any("one score" in note and "--histogram" in note for note in notes) == said
