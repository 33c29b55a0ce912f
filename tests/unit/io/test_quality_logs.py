"""FRTE logs of qualities in a quality evaluation."""

from __future__ import annotations

import gzip

import polars as pl
import pytest

from mated import quality
from mated.errors import MatedError
from mated.io.quality_files import QualityColumns, read_qualities

LOG = "id image returnCode quality\n1 x/a.png 0 87.5\n2 x/b.png 3 -1\n3 x/c.png 0 12\n4 x/d.png 0 30\n"


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "q.log"
    path.write_text(LOG)
    return path


def as_dict(read):
    return {s: q for s, q in zip(read.samples, read.values["quality"].tolist(), strict=True) if q == q}


def test_a_return_code_is_no_algorithm_and_a_failure_no_quality(log):
    read = read_qualities(log)
    assert list(read.values) == ["quality"]
    assert as_dict(read) == {"x/a.png": 87.5, "x/c.png": 12, "x/d.png": 30}
    assert as_dict(read.otherwise) == {"1": 87.5, "3": 12, "4": 30}
    assert read.notes == (
        f"{log} is read as an FRTE log of qualities",
        f"{log}: samples with a return code other than 0, and so without a quality: 1",
    )


def test_a_compressed_log_is_read_too(log, tmp_path):
    (tmp_path / "q.log.gz").write_bytes(gzip.compress(LOG.encode()))
    assert as_dict(read_qualities(tmp_path / "q.log.gz")) == as_dict(read_qualities(log))


def test_the_name_of_samples_can_be_chosen(log):
    assert as_dict(read_qualities(log, QualityColumns(sample="id"))) == {"1": 87.5, "3": 12, "4": 30}
    with pytest.raises(MatedError, match="has no column 'template'"):
        read_qualities(log, QualityColumns(sample="template"))
    with pytest.raises(MatedError, match="its column of qualities is 'quality'"):
        read_qualities(log, QualityColumns(quality=("returnCode",)))


def test_one_image_with_two_qualities_is_refused(tmp_path):
    (tmp_path / "q.log").write_text(LOG + "5 x/a.png 0 40\n")
    with pytest.raises(MatedError, match=r"one sample has two qualities, 87\.5 and 40"):
        read_qualities(tmp_path / "q.log")


@pytest.mark.parametrize("names", [["x/a.png", "x/b.png", "x/c.png", "x/d.png"], ["1", "2", "3", "4"]])
def test_qualities_go_to_the_comparisons_by_image_or_id(log, names):
    """By hand: of six pairs three have sample b, which has no quality; the worst of each other pair: 12, 30 and 12."""
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    table = pl.DataFrame(
        {
            "probe_sample": [names[i] for i, _ in pairs],
            "reference_sample": [names[j] for _, j in pairs],
            "mated": [1] * 6,
            "score": [5, 4, 3, 2, 1, 0],
        }
    )
    found = quality(table, log, starting_error=0.4, replicates=0).to_dict()
    assert found["counts"]["mated"] == 3
    assert found["counts"]["comparisons_left_out"] == 3
    assert list(found["algorithms"]) == ["quality"]
    assert found["algorithms"]["quality"]["samples_without_quality"] == 1
