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


@pytest.mark.parametrize("header", ["id,Alice,Bob,Eve", "id,Alice,Alice,Bob", "id,1,2,3"])
def test_a_named_first_cell_is_met_with_the_format_to_name(write, header):
    with pytest.raises(MatedError, match=r"m\.csv .*; if it is a score matrix, .*\(--format matrix\)") as error:
        read(write(f"{header}\nAlice,1,2,3\nBob,4,5,6\n"))
    assert "Alice" not in str(error.value)


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


def test_nan_is_refused_with_file_line_and_column(write):
    with pytest.raises(
        MatedError, match=r"m\.csv, line 4, column 3: the score is NaN \(2 such scores\); .*--nan failure"
    ):
        read(write(",a,b\na,1,2\n\nc,2,nan\nd,nan,2\n"))


def test_nan_of_a_sample_with_itself_is_no_comparison_and_not_refused(write):
    text = SAMPLES.replace("9", "nan")
    assert read(write(text), ids=["a", "a", "b"]).tally().n_mated == 1


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
        (gzip.compress(b"subject;sample\nb;b1\na;a1\na;a2\n", mtime=0), "ids.csv.gz"),
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


def test_a_sample_without_a_subject_is_refused_by_its_place(write):
    ids = write("sample,subject\na1,a\nb1,b\n", "ids.csv")
    with pytest.raises(MatedError, match=r"ids\.csv has no sample for line 3 of .*m\.csv; add it"):
        read(write(SAMPLES), ids=ids)
    whole = write("sample,subject\na1,a\na2,a\nb1,b\n", "whole.csv")
    ids = write("sample,subject\nb1,b\n", "ids.csv")
    with pytest.raises(
        MatedError, match=r"ids\.csv has no sample for column 2 of .*\(2 columns have no sample there\)"
    ):
        read(write(SAMPLES), probe_ids=whole, reference_ids=ids)


def test_a_sample_of_two_subjects_is_refused(write):
    ids = write("sample,subject\na1,a\na1,b\na2,a\nb1,b\n", "ids.csv")
    with pytest.raises(MatedError, match=r"ids\.csv, line 3: the sample is given to another subject than in line 2; "):
        read(write(SAMPLES), ids=ids)


def test_ids_without_a_subject_column_are_refused_with_the_names(write):
    with pytest.raises(MatedError, match=r"ids\.csv has no column 'subject'; the columns are 'sample', 'who'"):
        read(write(SAMPLES), ids=write("sample,who\na1,a\n", "ids.csv"))
    with pytest.raises(MatedError, match="ids has no column 'subject', nor any other name it knows; put names"):
        read(write(SAMPLES), ids=pl.DataFrame({"who": ["a"]}))


def test_ids_without_a_header_are_refused_without_showing_them(write):
    with pytest.raises(MatedError, match=r"ids\.csv has no column 'subject', nor any other name") as error:
        read(write(SAMPLES), ids=write("a1,Alice\na2,Bob\n", "ids.csv"))
    assert "Alice" not in str(error.value)


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
    with pytest.raises(MatedError, match=r"m\.csv, line 3, column 3: the score is not a number; .*--score-column"):
        read(write(",a,b\na,1,2\nb,3,x\n"))


def test_a_score_that_floating_point_does_not_keep_is_refused_with_line_and_column(write):
    with pytest.raises(MatedError, match=r"m\.csv, line 2, column 3: the score 1e400 is too large for floating point"):
        read(write(",a,b\na,1,1e400\nb,9007199254740993,x\n".replace("x", "1")))


@pytest.mark.parametrize("row", ["b,3", "b,3,4,5"])
def test_a_ragged_row_is_refused_with_its_line(write, row):
    with pytest.raises(MatedError, match=rf"m\.csv, line 3 has {row.count(',') + 1} fields instead of 3"):
        read(write(f",a,b\na,1,2\n{row}\n"))


def test_a_table_with_row_names_and_names_of_its_own_is_not_shown(write):
    with pytest.raises(MatedError, match=r"m\.csv, line 2, column 3: the score is not a number") as error:
        read(write(",value,p,r\n0,0.5,Alice,Alice\n1,0.25,Alice,Bob\n"))
    assert "Alice" not in str(error.value)


@pytest.mark.parametrize("word", ["NA", "nan", "None"])
def test_a_word_for_nobody_is_no_id(write, word):
    with pytest.raises(MatedError, match=r"m\.csv, line 2: the row has no id"):
        read(write(f",a,b\n{word},1,2\n"))
    with pytest.raises(MatedError, match=r"m\.csv: column 3 has no id in the header"):
        read(write(f",a,{word}\na,1,2\n"))
    with pytest.raises(MatedError, match="ids: id number 2 is missing"):
        read(write(SAMPLES), ids=["a", word, "b"])


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
        read(write(TEXT), columns=Columns(score=1), format="matrix")
    with pytest.raises(MatedError, match=r"m\.csv is read as a table, and probe_ids belongs to score matrices"):
        read(write("score,mated\n1,1\n"), probe_ids=["a"])


SQUARE = np.array([[9, 8, 1], [8, 9, 2], [1, 2, 9]], dtype=np.float32)


def test_an_array_takes_its_ids_in_order(write):
    ids = pl.DataFrame({"sample": ["x", "y", "z"], "subject": ["a", "a", "b"]})
    result = read(write(SQUARE, "m.npy"), ids=ids)
    assert np.array_equal(result.scores, SQUARE)
    assert result.scores.dtype == np.float32
    assert names(result.subjects, "probe") == ["a", "a", "b"]
    assert result.samples.names == ("x", "y", "z")


SAME = "rows and columns list the same samples in the same order: a sample is not compared with itself"


@pytest.mark.parametrize(
    ("ids", "name"),
    [(["a", "a", "b"], None), ("a\na\nb\n", "ids.txt"), ("subject\na\na\nb\n", "ids.csv")],
)
def test_one_list_of_subjects_says_that_both_sides_are_the_same_samples(write, ids, name):
    result = read(write(SQUARE, "m.npy"), ids=ids if name is None else write(ids, name))
    assert result.samples.names == ("1", "2", "3")
    assert result.symmetric
    assert (result.tally().n_mated, result.tally().n_nonmated) == (1, 2)
    assert result.notes[0] == SAME


def test_an_asymmetric_array_of_the_same_samples_counts_both_orders(write):
    array = SQUARE.copy()
    array[0, 1] = 7
    tally = read(write(array, "m.npy"), ids=["a", "a", "b"]).tally()
    assert (tally.n_mated, tally.n_nonmated) == (2, 4)


def test_one_list_of_subjects_with_one_sample_each_is_refused(write):
    with pytest.raises(MatedError, match=r"m\.npy: ids= says .* every subject has one.*--probe-ids"):
        read(write(SQUARE, "m.npy"), ids=["a", "b", "c"])


def test_subjects_for_each_side_leave_the_samples_apart(write):
    array = SQUARE + np.arange(9, dtype=np.float32).reshape(3, 3)
    result = read(write(array, "m.npy"), probe_ids=["a", "a", "b"], reference_ids=["a", "a", "b"])
    assert result.samples is None
    assert result.tally().n_mated == 5


def test_subjects_for_each_side_of_samples_against_themselves_are_refused(write):
    sides = {"probe_ids": ["a", "a", "b"], "reference_ids": ["a", "a", "b"]}
    with pytest.raises(MatedError, match=r"m\.npy is its own transpose.*with ids= \(--ids\)"):
        read(write(SQUARE, "m.npy"), **sides)
    named = {
        side: pl.DataFrame({"sample": [f"{side}{i}" for i in range(3)], "subject": s}) for side, s in sides.items()
    }
    assert read(write(SQUARE, "m.npy"), **named).tally().n_mated == 5


def test_sample_names_that_repeat_between_subjects_are_told_apart(write):
    ids = pl.DataFrame({"sample": ["1", "2", "1"], "subject": ["a", "a", "b"]})
    result = read(write(SQUARE, "m.npy"), ids=ids)
    assert result.symmetric
    assert (result.tally().n_mated, result.tally().n_nonmated) == (1, 2)


@pytest.mark.parametrize("row", ["a1,9,8,1", "a1,9,7,1"])
def test_repeated_subjects_on_both_sides_of_a_text_are_the_same_samples(write, row):
    text = SAMPLES.replace("a1,9,8,1", row).replace("a1", "a").replace("a2", "a").replace("b1", "b")
    result = read(write(text))
    symmetric = row == "a1,9,8,1"
    assert result.symmetric is symmetric
    assert (result.tally().n_mated, result.tally().n_nonmated) == ((1, 2) if symmetric else (2, 4))
    assert result.notes[0] == SAME


def test_repeated_names_beside_a_list_of_subjects_are_no_samples(write):
    text = SAMPLES.replace("a1", "a").replace("a2", "a").replace("b1", "b")
    tally = read(write(text), ids=["x", "x", "y"]).tally()
    assert (tally.n_mated, tally.n_nonmated) == (1, 2)


def test_names_that_never_agree_beside_a_list_of_subjects_are_no_samples(write):
    result = read(write(",V1,V2,V3\n1,9,8,1\n2,8,9,2\n3,1,2,9\n"), ids=["a", "a", "b"])
    assert (result.tally().n_mated, result.tally().n_nonmated) == (1, 2)


def test_a_list_of_subjects_for_names_in_two_orders_is_refused(write):
    with pytest.raises(MatedError, match=r"m\.csv: row 3 and column 2 of the matrix are one sample with two subjects"):
        read(write(",a1,b1,a2\na1,9,1,8\na2,8,2,9\nb1,1,9,2\n"), ids=["a", "a", "b"])


LOOKS = r"m\.csv is its own transpose.*looks like samples compared with themselves; .*sample and subject.*--ids"


@pytest.mark.parametrize("cells", ["9,8,1 8,9,2 1,2,9", "9,, 8,9, 1,2,9", "9,8,1 ,9,2 ,,9", "0,1,2 1,0,3 2,3,0"])
def test_distinct_ids_of_samples_against_themselves_are_refused(write, cells):
    rows = [f"{name},{row}" for name, row in zip("abc", cells.split(), strict=True)]
    with pytest.raises(MatedError, match=LOOKS):
        read(write("\n".join([",a,b,c", *rows])))


@pytest.mark.parametrize(
    ("cells", "options"),
    [
        ("9,8,1 7,9,2 1,2,9", {}),
        ("9,8,1 8,7,2 1,2,9", {}),
        ("9,8,1 8,9,2 1,2,9", {"dissimilarity": True}),
        ("0,1,2 1,0,3 2,3,0", {"dissimilarity": False}),
    ],
)
def test_distinct_ids_of_another_matrix_make_its_diagonal_mated(write, cells, options):
    rows = [f"{name},{row}" for name, row in zip("abc", cells.split(), strict=True)]
    result = read(write("\n".join([",a,b,c", *rows])), **options)
    assert result.tally().n_mated == 3
    assert "the diagonal is taken as the mated comparisons" in result.notes[0]


def test_symmetry_beyond_the_first_rows_is_looked_at(write):
    generator = np.random.default_rng(3)
    half = generator.random((600, 600)).astype(np.float32)
    array = half + half.T + 3 * np.eye(600, dtype=np.float32)
    sides = {"probe_ids": range(600), "reference_ids": range(600)}
    with pytest.raises(MatedError, match="own transpose"):
        read(write(array, "m.npy"), **sides)
    array[599, 0] += 1
    assert read(write(array, "m.npy"), **sides).tally().n_mated == 600


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
