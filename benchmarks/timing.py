"""How things are timed and how memory is measured."""

from __future__ import annotations

import multiprocessing
import time
import tracemalloc
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["best_time", "peak_memory"]


def best_time(call: Callable[[], Any], *, repeats: int = 5) -> float:
    """Seconds of the fastest of several calls, after one that warms up."""
    call()
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def _measured(prepare: Callable[[], Any], call: Callable[[Any], Any], pipe: Any) -> None:
    data = prepare()
    start = time.perf_counter()
    call(data)
    seconds = time.perf_counter() - start
    tracemalloc.start()  # NumPy reports its arrays to it
    call(data)
    pipe.send((seconds, tracemalloc.get_traced_memory()[1]))


def peak_memory(prepare: Callable[[], Any], call: Callable[[Any], Any]) -> tuple[float, float]:
    """Seconds of a first call in a process of its own, and the most bytes a call holds beyond its data."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_measured, args=(prepare, call, sender))
    process.start()
    sender.close()
    try:
        return receiver.recv()
    finally:
        process.join()
