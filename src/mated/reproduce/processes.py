"""The same work for many tasks, on one process or on several."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["mapped"]

Task = TypeVar("Task")
Result = TypeVar("Result")


def mapped(function: Callable[[Task], Result], tasks: Iterable[Task], jobs: int) -> Iterator[Result]:
    """Yield the result of each task in their order; the function must be importable where there are several jobs."""
    if jobs <= 1:
        yield from map(function, tasks)
        return
    from multiprocessing import get_context

    with get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap(function, tasks)
