"""Published data of other projects, read as they are; skipped where they are not at hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mated.io import Columns, read

ROOT = Path(__file__).resolve().parents[3]
DATA = Path(os.environ.get("MATED_REFERENCE_DATA", ROOT.parent / "shared" / "data"))


def data_file(name: str) -> Path:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{name} is not at hand")
    return path


@pytest.mark.parametrize(("experiment", "mated", "nonmated"), [(1, 2793, 4950), (2, 180, 3619), (3, 2786, 66633)])
def test_the_lists_of_pyeer_are_read(experiment, mated, nonmated):
    folder = "pyeer/non_hist"
    result = read(
        mated=data_file(f"{folder}/exp{experiment}_true.txt"), nonmated=data_file(f"{folder}/exp{experiment}_false.txt")
    )
    assert (int(result.mated.sum()), int((~result.mated).sum())) == (mated, nonmated)


def test_the_face_distances_are_read_as_dissimilarities():
    result = read(data_file("att_faces/comparisons.csv.gz"))
    assert (int(result.mated.sum()), int((~result.mated).sum())) == (1800, 78000)
    assert result.n_subjects == 40
    assert result.dissimilarity
    assert result.samples is not None
    assert any("dissimilarity" in note for note in result.notes)


def test_a_four_column_file_of_bob_is_read_by_column_numbers():
    result = read(data_file("bob/dev-4col.txt"), columns=Columns(reference_subject=1, probe_subject=2, score=4))
    assert len(result) == 910
    assert result.n_subjects == 26
    assert result.score[0] == 0.006299
