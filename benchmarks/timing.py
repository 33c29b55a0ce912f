"""How things are timed and how memory is measured."""

from __future__ import annotations

import multiprocessing
import time
import tracemalloc
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["best_cpu_time", "best_time", "cpu_time", "peak_memory"]


def best_time(call: Callable[[], Any], *, repeats: int = 5, clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds of the fastest of several calls, after one that warms up."""
    call()
    best = float("inf")
    for _ in range(repeats):
        start = clock()
        call()
        best = min(best, clock() - start)
    return best


def best_cpu_time(call: Callable[[], Any], *, repeats: int = 5) -> float:
    """Processor seconds of the same: for what runs on one thread, the time on a machine that does nothing else."""
    return best_time(call, repeats=repeats, clock=time.process_time)


def cpu_time(call: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds of one call that takes long, and its result; what else the machine does is not in them."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


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
