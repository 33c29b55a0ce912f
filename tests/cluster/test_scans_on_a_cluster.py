"""Parts of scans are read by a worker; the only one there is must not wait for itself."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from mated.io import scan

distributed = pytest.importorskip("distributed")
pytest.importorskip("dask.dataframe")

DATA = pl.DataFrame({"score": np.arange(100) / 8, "mated": np.arange(100) % 3 == 0, "sensor": ["A", "B"] * 50})
EXPECTED = DATA.filter(pl.col("sensor") == "A").select("mated", "score")


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as connected,
    ):
        yield connected


def sources(client, folder):
    import dask.dataframe as dd

    DATA.write_parquet(folder / "scores.parquet", row_group_size=30)
    DATA.write_csv(folder / "scores.csv")
    frame = dd.from_pandas(DATA.to_pandas(), npartitions=3)
    return {
        "parquet": folder / "scores.parquet",
        "text": folder / "scores.csv",
        "a lazy query": pl.scan_parquet(folder / "scores.parquet"),
        "Dask": frame,
        "Dask, persisted": client.persist(frame),
    }


@pytest.mark.parametrize("kind", ["parquet", "text", "a lazy query", "Dask", "Dask, persisted"])
def test_a_worker_reads_the_parts_of_a_scan(client, tmp_path, kind):
    scanned = scan(sources(client, tmp_path)[kind], where="sensor = 'A'", rows_per_part=40)
    waiting = client.map(lambda part: pl.concat(list(part.batches(("mated", "score")))), scanned.parts, pure=False)
    assert pl.concat(client.gather(waiting)).equals(EXPECTED)
