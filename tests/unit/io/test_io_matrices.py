"""Score matrices as text and as .npy."""

from __future__ import annotations

import gzip

import numpy as np
import polars as pl
import pytest

from mated.errors import MatedError
from mated.io import Columns, read
from mated.scores import ScoreMatrix

TEXT = ",a,b,a\na,1,2,3.5\nc,4,5,6\n"


@pytest.fixture
def write(tmp_path):
    def write_file(content, name="m.csv"):
        path = tmp_path / name
        if isinstance(content, np.ndarray):
            np.save(path, content)
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


def names(pair, side):
    return [pair.names[code] for code in getattr(pair, side)]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " , "])
def test_a_text_whose_first_cell_is_empty_is_a_matrix_of_subjects(write, separator):
    result = read(write(TEXT.replace(",", separator)))
    assert isinstance(result, ScoreMatrix)
    assert result.scores.tolist() == [[1, 2, 3.5], [4, 5, 6]]
    assert names(result.subjects, "probe") == ["a", "c"]
    assert names(result.subjects, "reference") == ["a", "b", "a"]
    assert result.samples is None
    assert result.used is None
    assert result.notes == ()


@pytest.mark.parametrize("change", [lambda t: gzip.compress(t), lambda t: b"\xef\xbb\xbf" + t.replace(b"\n", b"\r\n")])
def test_packed_matrices_and_other_line_ends_are_read(write, change):
    assert read(write(change(TEXT.encode()))).scores.tolist() == [[1, 2, 3.5], [4, 5, 6]]


def test_a_quoted_empty_first_cell_is_empty_too(write):
    assert isinstance(read(write('"","a","b"\n"a",1,2\n')), ScoreMatrix)


def test_a_named_first_cell_needs_the_format(write):
    assert isinstance(read(write(TEXT.replace(",a", "probe,a", 1)), format="matrix"), ScoreMatrix)


def test_a_table_may_be_insisted_on(write):
    with pytest.raises(MatedError, match="no score column"):
        read(write(",a,b\na,1,2\n"), format="table")


def test_an_empty_cell_is_masked_and_nan_is_not(write):
    result = read(write(",a,b,c\na,1,,nan\nb,,2,3\n"), nan="failure")
    assert result.used.tolist() == [[True, False, True], [False, True, True]]
    assert np.isnan(result.scores[0, 2])
    tally = result.tally()
    assert (tally.n_mated, tally.n_nonmated, tally.nonmated_failures) == (2, 1, 1)


def test_an_empty_last_cell_is_no_ragged_row(write):
    assert read(write(",a,b\na,1,\nb,3,4\n")).used.tolist() == [[True, False], [True, True]]


def test_nan_is_refused_when_the_matrix_is_counted(write):
    with pytest.raises(MatedError, match="NaN at row 1, column 2"):
        read(write(",a,b\na,1,nan\n")).tally()


def test_a_square_matrix_of_distinct_subjects_notes_its_diagonal(write):
    result = read(write(",a,b\na,1,2\nb,3,4\n"))
    assert result.notes == (
        "rows and columns have the same subjects, each once: the diagonal is taken as the mated comparisons",
    )
    assert result.tally().n_mated == 2


SAMPLES = ",a1,a2,b1\na1,9,8,1\na2,8,9,2\nb1,1,2,9\n"


@pytest.mark.parametrize(
    "ids",
    [
        pl.DataFrame({"sample": ["b1", "a2", "a1", "c9"], "subject": ["b", "a", "a", "c"]}),
        pl.DataFrame({"Subject": ["b", "a", "a"], "file": ["x", "y", "z"], "Sample": ["b1", "a2", "a1"]}),
        ["a", "a", "b"],
        np.array(["a", "a", "b"]),
        pl.DataFrame({"subject": ["a", "a", "b"]}),
    ],
)
def test_ids_make_the_names_of_a_text_matrix_samples(write, ids):
    result = read(write(SAMPLES), ids=ids)
    assert names(result.subjects, "probe") == names(result.subjects, "reference") == ["a", "a", "b"]
    assert result.samples.names == ("a1", "a2", "b1")
    assert result.symmetric
    assert (result.tally().n_mated, result.tally().n_nonmated) == (1, 2)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("sample,subject\nb1,b\na1,a\na2,a\n", "ids.csv"),
        ("sample subject\nb1 b\na1 a\na2 a\n", "ids.txt"),
        (gzip.compress(b"subject;sample\nb;b1\na;a1\na;a2\n"), "ids.csv.gz"),
        ("a\na\nb\n", "ids.txt"),
        ("subject\na\na\nb\n", "ids.csv"),
        (np.array(["a", "a", "b"]), "ids.npy"),
    ],
)
def test_ids_may_be_a_file(write, content, name):
    result = read(write(SAMPLES), ids=write(content, name))
    assert names(result.subjects, "probe") == ["a", "a", "b"]


def test_ids_may_be_a_parquet_file(write, tmp_path):
    pl.DataFrame({"sample": ["a1", "a2", "b1"], "subject": [1, 1, 2]}).write_parquet(tmp_path / "ids.parquet")
    assert read(write(SAMPLES), ids=tmp_path / "ids.parquet").subjects.names == ("1", "2")


def test_each_side_may_have_its_own_ids(write):
    text = ",g1,g2\np1,1,2\np2,3,4\np3,5,6\n"
    probes = pl.DataFrame({"sample": ["p1", "p2", "p3"], "subject": ["a", "a", "b"]})
    references = pl.DataFrame({"sample": ["g2", "g1"], "subject": ["b", "a"]})
    result = read(write(text), probe_ids=probes, reference_ids=references)
    assert names(result.subjects, "probe") == ["a", "a", "b"]
    assert names(result.subjects, "reference") == ["a", "b"]
    assert names(result.samples, "reference") == ["g1", "g2"]


def test_ids_of_one_side_leave_the_other_subjects(write):
    result = read(
        write(",a,b\np1,1,2\np2,3,4\n"), probe_ids=pl.DataFrame({"sample": ["p1", "p2"], "subject": ["b", "a"]})
    )
    assert names(result.subjects, "probe") == ["b", "a"]
    assert names(result.subjects, "reference") == ["a", "b"]
    assert result.samples is None


def test_leading_zeros_of_ids_are_kept(write):
    result = read(write(",007,7\n007,1,2\n"))
    assert result.subjects.names == ("007", "7")
    result = read(write(",01,02\n01,1,2\n"), ids=write("sample,subject\n01,007\n02,7\n", "ids.csv"))
    assert result.subjects.names == ("007", "7")


def test_a_sample_without_a_subject_is_refused_by_name(write):
    ids = write("sample,subject\na1,a\nb1,b\n", "ids.csv")
    with pytest.raises(MatedError, match=r"ids\.csv has no sample 'a2' of the rows of .*m\.csv"):
        read(write(SAMPLES), ids=ids)


def test_a_sample_of_two_subjects_is_refused(write):
    ids = write("sample,subject\na1,a\na1,b\na2,a\nb1,b\n", "ids.csv")
    with pytest.raises(MatedError, match=r"ids\.csv gives sample 'a1' to both 'a' and 'b'"):
        read(write(SAMPLES), ids=ids)


def test_ids_without_a_subject_column_are_refused_with_the_names(write):
    with pytest.raises(MatedError, match=r"ids\.csv has no column 'subject'; the columns are 'sample', 'who'"):
        read(write(SAMPLES), ids=write("sample,who\na1,a\n", "ids.csv"))
    with pytest.raises(MatedError, match="ids has no column 'subject'; the columns are 'who'"):
        read(write(SAMPLES), ids=pl.DataFrame({"who": ["a"]}))


def test_missing_ids_are_refused_with_their_place(write):
    with pytest.raises(MatedError, match=r"ids\.csv, line 3, column 'subject': there is no value"):
        read(write(SAMPLES), ids=write("sample,subject\na1,a\na2,\n", "ids.csv"))
    with pytest.raises(MatedError, match="ids: id number 2 is missing"):
        read(write(SAMPLES), ids=["a", None, "b"])


@pytest.mark.parametrize("ids", [7, np.ones((2, 2)), [1.5, 2.5]])
def test_other_objects_are_no_ids(write, ids):
    with pytest.raises(MatedError, match="ids must be a path, a data frame or a sequence"):
        read(write(SAMPLES), ids=ids)


def test_ids_for_both_sides_and_for_one_are_refused_together(write):
    with pytest.raises(MatedError, match="either ids, or probe_ids and reference_ids"):
        read(write(SAMPLES), ids=["a", "a", "b"], probe_ids=["a", "a", "b"])


def test_text_in_a_cell_is_refused_with_line_and_column(write):
    with pytest.raises(MatedError, match=r"m\.csv, line 3, column 'b': the score 'x' is not a number"):
        read(write(",a,b\na,1,2\nb,3,x\n"))


@pytest.mark.parametrize("row", ["b,3", "b,3,4,5"])
def test_a_ragged_row_is_refused_with_its_line(write, row):
    with pytest.raises(MatedError, match=rf"m\.csv, line 3 has {row.count(',') + 1} fields instead of 3"):
        read(write(f",a,b\na,1,2\n{row}\n"))


def test_a_row_or_column_without_an_id_is_refused(write):
    with pytest.raises(MatedError, match=r"m\.csv, line 2: the row has no id"):
        read(write(",a,b\n,1,2\n"))
    with pytest.raises(MatedError, match=r"m\.csv: column 3 has no id in the header"):
        read(write(",a,\na,1,2\n"))


def test_a_header_alone_is_refused(write):
    with pytest.raises(MatedError, match=r"m\.csv has a header and no data"):
        read(write(",a,b\n"))


def test_columns_are_refused_for_a_matrix_and_ids_for_a_table(write):
    with pytest.raises(MatedError, match=r"m\.csv is read as a matrix, without a column for score"):
        read(write(TEXT), columns=Columns(score=1))
    with pytest.raises(MatedError, match=r"m\.csv is read as a table, and probe_ids belongs to a score matrix"):
        read(write("score,mated\n1,1\n"), probe_ids=["a"])


SQUARE = np.array([[9, 8, 1], [8, 9, 2], [1, 2, 9]], dtype=np.float32)


def test_an_array_takes_its_ids_in_order(write):
    ids = pl.DataFrame({"sample": ["x", "y", "z"], "subject": ["a", "a", "b"]})
    result = read(write(SQUARE, "m.npy"), ids=ids)
    assert np.array_equal(result.scores, SQUARE)
    assert result.scores.dtype == np.float32
    assert names(result.subjects, "probe") == ["a", "a", "b"]
    assert result.samples.names == ("x", "y", "z")


def test_an_array_with_subjects_alone_has_no_samples(write):
    result = read(write(SQUARE, "m.npy"), ids=["a", "a", "b"])
    assert result.samples is None


def test_an_array_is_mapped_and_a_packed_one_is_loaded(write, tmp_path):
    path = write(SQUARE, "m.npy")
    packed = write(gzip.compress(path.read_bytes()), "p.npy.gz")
    assert isinstance(read(path, ids=[1, 1, 2]).scores, np.memmap)
    assert np.array_equal(read(packed, ids=[1, 1, 2]).scores, SQUARE)


def test_a_rectangular_array_takes_ids_for_each_side(write):
    result = read(write(SQUARE[:2], "m.npy"), probe_ids=[1, 2], reference_ids=["1", "2", "3"])
    assert result.subjects.names == ("1", "2", "3")


def test_an_array_without_ids_is_refused(write):
    for given in ({}, {"probe_ids": [1, 2, 3]}):
        with pytest.raises(MatedError, match=r"m\.npy does not say .*--ids.*--probe-ids and --reference-ids"):
            read(write(SQUARE, "m.npy"), **given)


def test_ids_of_another_size_are_refused_with_both_sizes(write):
    with pytest.raises(MatedError, match=r"m\.npy has 3 rows and ids has 2 ids"):
        read(write(SQUARE, "m.npy"), ids=["a", "b"])
    with pytest.raises(MatedError, match=r"m\.npy has 3 columns and .*ids\.txt has 2 ids"):
        read(write(SQUARE, "m.npy"), probe_ids=[1, 2, 3], reference_ids=write("a\nb\n", "ids.txt"))
    with pytest.raises(MatedError, match=r"m\.npy has 2 rows and 3 columns; ids= is for a square matrix"):
        read(write(SQUARE[:2], "m.npy"), ids=["a", "b", "c"])


def test_pickled_arrays_are_never_loaded(tmp_path):
    path = tmp_path / "m.npy"
    np.save(path, np.array([[object()]], dtype=object), allow_pickle=True)
    with pytest.raises(MatedError, match=r"m\.npy holds pickled Python objects, which are never loaded"):
        read(path, ids=["a"])


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.ones(3), "one-dimensional array.*--mated and --nonmated"),
        (np.ones((2, 2, 2)), r"shape \(2, 2, 2\)"),
        (np.array([["a"]]), "type <U1"),
        (np.ones((0, 3)), "is empty"),
    ],
)
def test_other_arrays_are_refused(write, array, words):
    with pytest.raises(MatedError, match=rf"m\.npy .*{words}"):
        read(write(array, "m.npy"), ids=["a"])


@pytest.mark.parametrize("size", [0, 5, 20, 130])
def test_a_truncated_array_is_refused(write, size):
    path = write(SQUARE, "m.npy")
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(MatedError, match=r"m\.npy is (empty|not a)"):
        read(path, ids=["a"])


def test_dissimilarity_of_a_matrix_is_said_by_the_user(write):
    assert not read(write(TEXT)).dissimilarity
    assert read(write(TEXT), dissimilarity=True).dissimilarity
