"""Scores that stand for a failure, in every kind of file."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from mated import identify, verify
from mated.errors import MatedError
from mated.io import read
from mated.scores import Comparisons, ScoreMatrix, rank

FLT_MAX = "3.4028234663852886e+38"
NAN = float("nan")


def failures(layout):
    tally = layout.tally()
    return tally.n_mated, tally.n_nonmated, tally.mated_failures, tally.nonmated_failures


@pytest.fixture
def table(tmp_path):
    def of(*scores, name="score"):
        """Write five comparisons, the first two mated."""
        path = tmp_path / "table.csv"
        pairs = ["1,1,x", "2,2,y", "1,2,x", "2,1,y", "1,3,x"]
        lines = [f"probe_subject,reference_subject,sensor,{name}"]
        path.write_text("\n".join([*lines, *(f"{p},{s}" for p, s in zip(pairs, scores, strict=True))]) + "\n")
        return path

    return of


def test_a_score_that_stands_for_a_failure_is_counted_as_one(table):
    layout = read(table(-1, 5, 0, -1, 2), failure_score=-1)
    assert failures(layout) == (1, 2, 1, 1)
    assert layout.failed_covariates["sensor"].tolist() == ["x", "y"]
    names = layout.failed_subjects.names
    assert [names[code] for code in layout.failed_subjects.reference] == ["1", "1"]
    assert layout.notes[-1] == "2 comparisons have the score -1 of a failure and count as failures"
    assert layout.tally() == read(table("", 5, 0, "", 2), nan="failure").tally()


def test_a_score_that_does_not_occur_is_said_to_be_missing(table):
    layout = read(table(1, 5, 0, 3, 2), failure_score=-1)
    assert failures(layout) == (2, 3, 0, 0)
    assert layout.notes[-1] == "no comparison has the score -1 of a failure"


def test_a_distance_that_stands_for_a_failure_is_given_as_it_is_written(table):
    layout = read(table(9999, 5, 0, 9999, 2, name="distance"), failure_score=9999)
    assert layout.dissimilarity
    assert failures(layout) == (1, 2, 1, 1)


@pytest.mark.parametrize("written", [f"-{FLT_MAX}", "-3.40282e+38", "-3.4028235e38", "-3.402823e38"])
@pytest.mark.parametrize("given", [-3.4028235e38, -3.4028234663852886e38, -3.40282e38])
def test_the_lowest_float_is_recognised_however_it_is_rounded(table, written, given):
    assert failures(read(table(1, 5, 0, written, written), failure_score=given)) == (2, 1, 0, 2)


@pytest.mark.parametrize("other", ["3.4028235e38", "-3.3e38", "-inf"])
def test_other_huge_scores_are_no_failures(table, other):
    assert failures(read(table(1, 5, 0, other, 2), failure_score=-3.4028235e38)) == (2, 3, 0, 0)


def test_nan_is_still_refused_beside_it(table):
    with pytest.raises(MatedError, match="is missing"):
        read(table(-1, 5, 0, "", 2), failure_score=-1)
    both = read(table(-1, 5, 0, "", 2), failure_score=-1, nan="failure")
    assert failures(both) == (1, 2, 1, 1)
    assert sorted(both.failed_mated.tolist()) == [False, True]


@pytest.mark.parametrize("value", ["x", NAN, None])
def test_what_is_no_score_is_refused(table, value):
    if value is None:
        assert failures(read(table(-1, 5, 0, 3, 2), failure_score=None)) == (2, 3, 0, 0)
        return
    with pytest.raises(MatedError, match="--failure-score"):
        read(table(-1, 5, 0, 3, 2), failure_score=value)


def test_two_lists_and_data_frames(tmp_path):
    (tmp_path / "m.txt").write_text("5\n-1\n4\n")
    (tmp_path / "n.txt").write_text("-1\n-1\n0\n")
    assert failures(read(mated=tmp_path / "m.txt", nonmated=tmp_path / "n.txt", failure_score=-1)) == (2, 1, 1, 2)
    frame = pl.DataFrame({"mated": [1, 1, 0], "score": [3.0, -1.0, -1.0]}).with_columns(
        pl.col("score").cast(pl.Float32)
    )
    assert failures(read(frame, failure_score=-1)) == (1, 0, 1, 1)
    tenth = frame.with_columns(pl.Series("score", [3.0, 0.1, 0.1], dtype=pl.Float32))
    assert failures(read(tenth, failure_score=0.1)) == (1, 0, 1, 1)


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.float64])
def test_matrices(tmp_path, dtype):
    scores = np.array([[9, 1, -1], [2, -1, 3], [0, 1, 7]], dtype=dtype)
    np.save(tmp_path / "m.npy", scores)
    options = {"probe_ids": ["a", "b", "c"], "reference_ids": ["a", "b", "c"]}
    plain = read(tmp_path / "m.npy", **options)
    layout = read(tmp_path / "m.npy", **options, failure_score=-1)
    assert isinstance(layout, ScoreMatrix)
    assert failures(plain) == (3, 6, 0, 0)
    assert failures(layout) == (2, 5, 1, 1)
    assert "2 entries have the score -1 of a failure and count as failures" in layout.notes
    assert read(tmp_path / "m.npy", **options, failure_score=-7).scores.dtype == dtype


def test_nan_in_a_matrix_is_still_refused_beside_it(tmp_path):
    np.save(tmp_path / "m.npy", np.array([[9, NAN], [-1, 8]]))
    options = {"probe_ids": ["a", "b"], "reference_ids": ["a", "b"], "failure_score": -1}
    with pytest.raises(MatedError, match="NaN at row 1, column 2"):
        read(tmp_path / "m.npy", **options)
    assert failures(read(tmp_path / "m.npy", **options, nan="failure")) == (2, 0, 0, 2)


FRTE = f"""\
enrollTempl verifTempl simScore returnCode
1.t 7.t 3.25 0
1.t 8.t -{FLT_MAX} 0
1.t 9.t 0.5 0
2.t 7.t 0.25 0
2.t 8.t -3.40282e+38 0
2.t 9.t -1 5
3.t 9.t 2 0
"""


def test_an_frte_log_counts_return_codes_and_the_lowest_float(tmp_path):
    """By hand: 1-7, 2-8 and 3-9 are mated, of which 2-8 failed; 1-8 and 2-9 failed of the other four."""
    (tmp_path / "match.log").write_text(FRTE)
    (tmp_path / "key.txt").write_text("1.t 7.t\n2.t 8.t\n3.t 9.t\n")
    layout = read(tmp_path / "match.log", key=tmp_path / "key.txt")
    assert isinstance(layout, Comparisons)
    assert failures(layout) == (2, 2, 1, 2)
    assert "1 comparisons have a return code other than 0 and count as failures" in layout.notes
    assert "2 comparisons have the score of a failure, −FLT_MAX, and count as failures" in layout.notes
    v = verify(layout)
    rates = v.with_failures(v.at_threshold(0.5))
    assert (rates.frr, rates.far) == (1 / 3, 1 / 4)
    with_codes = read(tmp_path / "match.log", key=tmp_path / "key.txt", failure_score=0.25)
    assert failures(with_codes) == (2, 1, 1, 3)


def test_a_bee_matrix_with_failures_gives_frr_and_far(tmp_path):
    """By hand: of 3 mated entries one failed and none is below 8; of 6 non-mated two failed and none reaches 8."""
    lowest = -float(FLT_MAX)
    scores = np.array([[9, 1, lowest], [lowest, 8, 4], [5, 7, lowest]])
    mask = np.where(np.eye(3) == 1, 255, 127)
    for name, kind, values, dtype in (("s.mtx", b"MF", scores, "<f4"), ("s.mask", b"MB", mask, "u1")):
        head = b"\n".join([b"S2", b"g.xml", b"p.xml", kind + b" 3 3 \x78\x56\x34\x12"]) + b"\n"
        (tmp_path / name).write_bytes(head + values.astype(dtype).tobytes())
    layout = read(tmp_path / "s.mtx")
    assert failures(layout) == (2, 4, 1, 2)
    v = verify(layout)
    rates = v.with_failures(v.at_threshold(8))
    assert (rates.frr, rates.far) == (1 / 3, 0)
    assert v.with_failures(v.at_threshold(5)).far == 2 / 6


def test_identify_says_how_many_probes_failed(table):
    layout = read(table(-1, 5, 0, -1, 2), failure_score=-1)
    assert rank(layout).failed_mates == 1
    found = identify(layout, replicates=10)
    assert found.to_dict()["probes"]["failed_mates"] == 1
    assert any("every comparison with the mate failed" in said for said in found.to_dict()["notes"])
