"""BEE matrices and masks, written here by their description."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mated.errors import MatedError
from mated.io import Columns, read
from mated.scores import Comparisons, ScoreMatrix, rank

LITTLE, BIG = b"\x78\x56\x34\x12", b"\x12\x34\x56\x78"
FAILURE = np.float32(-3.4028234663852886e38)
SCORES = [[9.0, 1, 2], [3, 8, 4], [5, 7, 6]]
MASK = [[255, 127, 127], [127, 255, 127], [127, 255, 127]]
"""Rows 2 and 3 are mated with column 2, row 1 with column 1, nobody with column 3."""


def bee(numbers, kind=b"MF", order=LITTLE, form=b"S2", target=b"gallery.xml", query=b"probes.xml") -> bytes:
    values = np.asarray(numbers)
    dtype = {b"MF": "f4", b"MB": "u1"}[kind]
    body = values.astype({LITTLE: "<", BIG: ">"}[order] + dtype).tobytes()
    size = b"%d %d" % values.shape
    return b"\n".join([form, target, query, kind + b" " + size + b" " + order]) + b"\n" + body


@pytest.fixture
def matrix(tmp_path):
    def write(scores=SCORES, mask=MASK, *, name="scores.mtx", raw=None, raw_mask=None, **form):
        path = tmp_path / name
        path.write_bytes(bee(scores, **form) if raw is None else raw)
        if mask is not None or raw_mask is not None:
            (tmp_path / "the.mask").write_bytes(bee(mask, b"MB") if raw_mask is None else raw_mask)
        return path

    return write


@pytest.fixture
def refusal(matrix, tmp_path):
    def of(*args, options=None, **form):
        path = matrix(*args, **form)
        given_mask = {"mask": tmp_path / "the.mask"} if (tmp_path / "the.mask").exists() else {}
        with pytest.raises(MatedError) as error:
            read(path, **{**given_mask, **(options or {})}).tally()
        assert "\n" not in str(error.value)
        return str(error.value)

    return of


@pytest.mark.parametrize("order", [LITTLE, BIG])
@pytest.mark.parametrize("form", [b"S2", b"D2"])
def test_scores_of_either_byte_order_and_meaning_are_read(matrix, tmp_path, order, form):
    result = read(matrix(order=order, form=form), mask=tmp_path / "the.mask")
    assert isinstance(result, ScoreMatrix)
    assert result.scores.tolist() == SCORES
    assert result.dissimilarity == (form == b"D2")
    sign = -1 if form == b"D2" else 1
    tally = result.tally()
    assert (tally.n_mated, tally.n_nonmated) == (3, 6)
    assert result.comparisons().score[result.comparisons().mated].tolist() == [9 * sign, 8 * sign, 7 * sign]


def test_mated_entries_link_rows_and_columns_to_identities(matrix, tmp_path):
    result = read(matrix(), mask=tmp_path / "the.mask")
    assert (
        result.subjects.probe.tolist()[1] == result.subjects.probe.tolist()[2] == result.subjects.reference.tolist()[1]
    )
    assert result.n_subjects == 3
    assert "subjects are not named: rows and columns linked by mated entries are one identity" in result.notes
    ranks = rank(result)
    assert (ranks.n_mated, ranks.gallery_size) == (3, 3)
    assert ranks.above.tolist() == [0, 0, 0]


def test_a_mask_of_the_same_name_is_found_and_said(matrix, tmp_path):
    path = matrix()
    (tmp_path / "the.mask").rename(tmp_path / "scores.mask")
    assert any(note.endswith("scores.mask, found beside the matrix") for note in read(path).notes)


def test_the_matrix_is_mapped_and_not_loaded(matrix, tmp_path):
    assert isinstance(read(matrix(), mask=tmp_path / "the.mask").scores.base, np.memmap)


def test_a_packed_matrix_is_read(matrix, tmp_path):
    path = tmp_path / "scores.mtx.gz"
    path.write_bytes(gzip.compress(bee(SCORES)))
    matrix()
    assert read(path, mask=tmp_path / "the.mask").tally().n_mated == 3


@pytest.mark.parametrize("target", [b"g", b"ga", b"gal", b"gall"])
def test_the_numbers_may_begin_at_any_byte(matrix, tmp_path, target):
    result = read(matrix(target=target), mask=tmp_path / "the.mask")
    assert result.tally().n_mated == 3
    assert rank(result).above.tolist() == [0, 0, 0]


def test_ignored_entries_are_in_no_count(matrix, tmp_path):
    mask = np.array(MASK)
    mask[0, 2] = mask[2, 1] = 0
    tally = read(matrix(mask=mask), mask=tmp_path / "the.mask").tally()
    assert (tally.n_mated, tally.n_nonmated) == (2, 5)


def test_what_is_ignored_may_hold_anything(matrix, tmp_path):
    scores, mask = np.array(SCORES), np.array(MASK)
    scores[0, 2], mask[0, 2] = np.nan, 0
    scores[0, 1], mask[0, 1] = FAILURE, 0
    tally = read(matrix(scores, mask), mask=tmp_path / "the.mask").tally()
    assert (tally.n_nonmated, tally.nonmated_failures) == (4, 0)


@pytest.mark.parametrize(("form", "value"), [(b"S2", FAILURE), (b"D2", FAILURE), (b"D2", -FAILURE)])
@pytest.mark.parametrize("order", [LITTLE, BIG])
def test_the_lowest_float_is_a_failure_without_being_asked_for(matrix, tmp_path, form, value, order):
    scores = np.array(SCORES, dtype=np.float32)
    scores[0, 0] = scores[0, 1] = scores[1, 2] = value
    path = matrix(scores, form=form, order=order)
    before = path.read_bytes()
    result = read(path, mask=tmp_path / "the.mask")
    tally = result.tally()
    assert (tally.mated_failures, tally.nonmated_failures) == (1, 2)
    assert (tally.n_mated, tally.n_nonmated) == (2, 4)
    assert "3 comparisons have the score of a failure, −FLT_MAX, and count as failures" in result.notes
    assert rank(result).failed_mates == 1
    assert path.read_bytes() == before


def test_nan_is_no_failure_unless_that_is_said(refusal, matrix, tmp_path):
    scores = np.array(SCORES)
    scores[1, 2] = np.nan
    assert "scores.mtx, row 2, column 3: the score is NaN; " in refusal(scores)
    assert read(matrix(scores), mask=tmp_path / "the.mask", nan="failure").tally().nonmated_failures == 1


def test_one_sigset_on_both_sides_is_not_compared_with_itself(matrix, tmp_path):
    """Samples 1 and 2 are of one person, 3 of another; the diagonal is ignored as OpenBR does, or marked mated."""
    scores = [[99, 5, 1], [5, 99, 2], [1, 2, 99]]
    for diagonal in (0, 255):
        mask = [[diagonal, 255, 127], [255, diagonal, 127], [127, 127, diagonal]]
        path = matrix(scores, mask, target=b"all.xml", query=b"all.xml")
        result = read(path, mask=tmp_path / "the.mask")
        tally = result.tally()
        assert (tally.n_mated, tally.n_nonmated) == (1, 2)
        assert result.n_subjects == 2
        assert "both sides are one sigset: a sample is not compared with itself" in result.notes


def test_sigsets_of_one_name_are_two_where_the_diagonal_is_non_mated(matrix, tmp_path):
    mask = [[127, 255], [255, 127]]
    path = matrix([[1, 5], [6, 2]], mask, target=b"unknown", query=b"unknown")
    result = read(path, mask=tmp_path / "the.mask")
    assert result.samples is None
    assert (result.tally().n_mated, result.tally().n_nonmated) == (2, 2)


def test_ids_name_the_subjects_and_the_mask_agrees(matrix, tmp_path, refusal):
    ids = {"probe_ids": ["ann", "bob", "bob"], "reference_ids": ["ann", "bob", "zoe"]}
    result = read(matrix(), mask=tmp_path / "the.mask", **ids)
    assert result.subjects.names == ("ann", "bob", "zoe")
    (tmp_path / "the.mask").unlink()
    assert read(matrix(mask=None), **ids).tally().n_mated == 3
    wrong = {"probe_ids": ["bob", "ann", "bob"], "reference_ids": ["ann", "bob", "zoe"]}
    message = refusal(options=wrong)
    assert "the.mask, row 1, column 1: the comparison is marked mated, but its subjects differ by the ids" in message
    assert "give both probe_ids= and reference_ids=" in refusal(options={"probe_ids": ["a", "b", "c"]})
    assert "has 3 rows and probe_ids has 2 ids" in refusal(
        options={"probe_ids": ["a", "b"], "reference_ids": ["a", "b", "c"]}
    )


def test_rows_of_candidates_are_a_table_since_columns_are_no_references(matrix, tmp_path):
    """Eight searches with their five best candidates; linked by columns, different people would be one identity."""
    scores = -np.sort(-np.random.default_rng(1).normal(size=(8, 5)), axis=1)
    mask = np.full((8, 5), 127)
    mask[:, 4] = 0
    mask[np.arange(8), [0, 0, 0, 1, 0, 2, 0, 3]] = 255
    for form, sign in ((b"S2", 1), (b"D2", -1)):
        result = read(matrix(sign * scores, mask, form=form), mask=tmp_path / "the.mask")
        assert isinstance(result, Comparisons)
        assert (result.subjects, result.samples) == (None, None)
        assert (result.tally().n_mated, result.tally().n_nonmated) == (8, 24)
        assert any("every row has its best score first" in note for note in result.notes)


def test_links_that_contradict_a_mark_leave_a_table(matrix, tmp_path):
    """Row 1 is mated with columns 1 and 2, row 2 with column 1 but not with column 2."""
    result = read(matrix([[1, 2], [2, 1]], [[255, 255], [255, 127]]), mask=tmp_path / "the.mask")
    assert isinstance(result, Comparisons)
    assert result.mated.tolist() == [True, True, True, False]
    assert any("others mark non-mated" in note for note in result.notes)


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=6),
    st.lists(st.integers(0, 3), min_size=1, max_size=6),
    st.sampled_from([LITTLE, BIG]),
    st.sampled_from([b"S2", b"D2"]),
    st.integers(0, 2**32),
)
def test_a_mask_made_of_subjects_counts_as_the_subjects_do(tmp_path_factory, probes, references, order, form, seed):
    folder = tmp_path_factory.mktemp("bee")
    draw = np.random.default_rng(seed)
    scores = draw.integers(0, 9, size=(len(probes), len(references))).astype(np.float32)
    same = np.array(probes)[:, None] == np.array(references)
    used = draw.random(same.shape) < 0.8
    if not used.any():
        return
    (folder / "a.mtx").write_bytes(bee(scores, order=order, form=form))
    (folder / "a.mask").write_bytes(bee(np.where(used, np.where(same, 255, 127), 0), b"MB", order=order))
    expected = ScoreMatrix.from_arrays(scores, probes, references, mask=used, dissimilarity=form == b"D2")
    assert read(folder / "a.mtx").tally() == expected.tally()


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"", "scores.mtx is empty"),
        (b"S3\na\nb\nMF 1 1 " + LITTLE + b"\n0000", "is no BEE matrix: its first line is not S2"),
        (b"%%MatrixMarket matrix array real general\n2 2\n", "is no BEE matrix"),
        (b"S2\na\nb\n", "line 4: a BEE matrix has MF, its rows, its columns and four bytes"),
        (b"S2\na\nb\nMF 2 x " + LITTLE + b"\n", "line 4: a BEE matrix has MF"),
        (b"S2\na\nb\nMF 1 1 " + b"abcd" + b"\n0000", "line 4: the bytes 0x61626364 do not tell the byte order"),
        (bee(MASK, b"MB"), "line 4: this is a mask, and a matrix of scores is needed"),
        (b"S2\na\nb\nMD 1 1 " + LITTLE + b"\n0000", "line 4: this is M'D', neither scores (MF) nor a mask (MB)"),
        (bee(SCORES)[:-1], "is cut short: 3 rows and 3 columns need 74 bytes, and it has 73"),
        (bee(SCORES) + b"\0", "is too long: 3 rows and 3 columns need 74 bytes, and it has 75"),
        (b"S2\na\nb\nMF 0 3 " + LITTLE + b"\n", "has 0 rows and 3 columns; it holds no scores"),
        (gzip.compress(bee(SCORES)[:-1]), "is cut short"),
    ],
    ids=range(12),
)
def test_a_damaged_matrix_is_refused(refusal, raw, expected):
    """The header of `SCORES` has 38 bytes and its nine numbers 36."""
    message = refusal(raw=raw)
    assert "scores.mtx" in message
    assert expected in message


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (bee([[255, 127, 127]], b"MB"), "the.mask has 1 rows and 3 columns and the matrix 3 and 3"),
        (bee([[255, 127, 5]] * 3, b"MB"), "the.mask, row 1, column 3: the byte 0x05 is none of a mask"),
        (bee([[0, 0, 0]] * 3, b"MB"), "the.mask ignores every comparison"),
        (bee(SCORES), "the.mask, line 4: this is a matrix of scores, and a mask is needed"),
        (bee(MASK, b"MB")[:-2], "the.mask is cut short"),
        (b"", "the.mask is empty"),
    ],
    ids=range(6),
)
def test_a_mask_that_does_not_fit_is_refused(refusal, raw, expected):
    assert expected in refusal(raw_mask=raw)


def test_a_matrix_without_a_mask_is_refused(refusal):
    assert "give its mask with mask= (--mask), or the ids of its rows" in refusal(mask=None)


def test_columns_and_foreign_options_are_refused(refusal, matrix, tmp_path):
    assert "read as a BEE matrix, without a column for score" in refusal(options={"columns": Columns(score=1)})
    (tmp_path / "a.csv").write_text("score,mated\n1,1\n")
    with pytest.raises(MatedError, match=r"mask= \(--mask\) belongs to bee"):
        read(tmp_path / "a.csv", mask=tmp_path / "the.mask")
