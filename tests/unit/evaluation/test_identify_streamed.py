"""`mated.identify` of files and lazy frames that are read in chunks gives the numbers of those that are held."""

from __future__ import annotations

import polars as pl
import pytest

import mated
from mated.errors import MatedError
from mated.io.write import write_comparisons
from mated.synthetic import GaussianIdentities

SAID = "the comparisons were read in chunks; every number is that of all comparisons in memory"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    here = tmp_path_factory.mktemp("searches")
    table = GaussianIdentities((0.9, 0.9)).draw(20, 3, rng=1).comparisons("llr", scale=10, decimals=0)
    write_comparisons(table, here / "whole.csv")
    frame = pl.read_csv(here / "whole.csv")
    frame.write_parquet(here / "whole.parquet", row_group_size=300)
    (here / "parts").mkdir()
    for k in range(3):
        frame[k::3].write_parquet(here / "parts" / f"{k}.parquet")
    return here


def dictionary(source, **options):
    found = mated.identify(
        source, name="system", replicates=20, threshold=0, probes="mate removed", **options
    ).to_dict()
    notes = [note for note in found.pop("notes") if note != SAID]
    return found, notes


@pytest.mark.parametrize("source", ["whole.csv", "whole.parquet", "parts"])
@pytest.mark.parametrize("symmetric", ["auto", "no"])
def test_a_file_or_a_folder_read_in_chunks_is_that_in_memory(folder, source, symmetric):
    path = folder / source
    held = dictionary(path, symmetric=symmetric, stream=False)
    assert dictionary(path, symmetric=symmetric, stream=True) == held
    assert held[0]["gallery_size"] == 20


def test_it_says_that_it_was_read_in_chunks_and_tells_how_far_it_is(folder):
    told = []
    found = mated.identify(folder / "whole.parquet", stream=True, progress=lambda *now: told.append(now))
    assert SAID in found.remarks
    assert told[-1] == (2, 60 * 59 // 2, 60 * 59 // 2)


def test_a_lazy_frame_is_never_collected_and_a_filter_holds(folder):
    lazy = pl.scan_parquet(folder / "whole.parquet")
    assert dictionary(lazy) == dictionary(folder / "whole.parquet")
    assert SAID in mated.identify(lazy).remarks
    kept = {"where": "score > -5"}
    assert dictionary(lazy, **kept) == dictionary(folder / "whole.csv", **kept)


def test_small_files_are_held(folder):
    assert SAID not in mated.identify(folder / "whole.parquet").remarks


def test_large_files_are_not_held_unless_they_do_not_name_subjects(folder, monkeypatch):
    monkeypatch.setattr("mated.evaluation.streaming_choice._SMALL", 0)
    monkeypatch.setattr("mated.io.scanning.LARGE_ROWS", 100)
    assert SAID in mated.identify(folder / "whole.parquet").remarks
    frame = pl.read_parquet(folder / "whole.parquet")
    flags = frame.with_columns(mated=pl.col("probe_subject") == pl.col("reference_subject"))
    path = folder / "linked.parquet"
    flags.drop("probe_subject", "reference_subject").write_parquet(path)
    assert SAID not in mated.identify(path).remarks
    with pytest.raises(MatedError, match="or read the table whole"):
        mated.identify(path, stream=True)


def test_what_is_in_memory_is_not_streamed_and_a_cluster_is_not_held(folder):
    with pytest.raises(MatedError, match="in memory already"):
        mated.identify(mated.read(folder / "whole.csv"), stream=True)
    with pytest.raises(MatedError, match="a cluster counts in chunks"):
        mated.identify(folder / "whole.csv", stream=False, engine="dask")
    with pytest.raises(MatedError, match="no engine 'spark'"):
        mated.identify(folder / "whole.csv", engine="spark")
