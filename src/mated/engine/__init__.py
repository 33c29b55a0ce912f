"""Counting in chunks: data larger than memory, with the answers of data in memory."""

from __future__ import annotations

from mated.engine.checkpoint import Checkpoint
from mated.engine.dask_cluster import DaskRunner
from mated.engine.reach import Points
from mated.engine.refine import Limits, Streamed, refine, stream_tally
from mated.engine.runner import LocalRunner, Runner
from mated.engine.stream import (
    Scoring,
    Source,
    count,
    from_arrays,
    from_lazy_frame,
    from_lists,
    from_parquet,
    split_parquet,
)

__all__ = [
    "Checkpoint",
    "DaskRunner",
    "Limits",
    "LocalRunner",
    "Points",
    "Runner",
    "Scoring",
    "Source",
    "Streamed",
    "count",
    "from_arrays",
    "from_lazy_frame",
    "from_lists",
    "from_parquet",
    "refine",
    "split_parquet",
    "stream_tally",
]
