"""How things are timed and how memory is measured."""

from __future__ import annotations

import multiprocessing
import resource
import time
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
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    call(data)
    seconds = time.perf_counter() - start
    pipe.send((seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024))


def peak_memory(prepare: Callable[[], Any], call: Callable[[Any], Any]) -> tuple[float, float]:
    """Seconds and bytes that one call takes beyond its data, in a process of its own."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_measured, args=(prepare, call, sender))
    process.start()
    sender.close()
    try:
        return receiver.recv()
    finally:
        process.join()
