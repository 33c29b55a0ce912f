"""Who executes a pass over parts of the data: this process, one part after another, or a cluster.

A pass is a function of one part and a merge of two results that is associative, so whoever executes it may count
every part where it lies and add in any tree: the numbers are the same to the last bit. `mated.engine.dask_cluster` has
the runner that gives parts to a Dask cluster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from mated.errors import MatedError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["LocalRunner", "Runner", "nothing_to_count"]

_T = TypeVar("_T")
_P = TypeVar("_P")


class Runner(Protocol):
    """Executes a pass."""

    def map_reduce(
        self,
        parts: Sequence[_T],
        count: Callable[[_T], _P],
        *,
        merge: Callable[[_P, _P], _P],
        name_of: Callable[[_T], str],
        done: Callable[[Any], None] | None = None,
        brief: Callable[[_P], Any] | None = None,
    ) -> _P:
        """Count every part and merge what was found.

        Parameters
        ----------
        parts
            What is counted; at least one. They are sent to other machines where there are any, so they can be pickled.
        count
            Counts a part and returns a result. May be called more than once for a part, where a machine was lost.
        merge
            Makes one result of those of two neighbouring runs of parts. Associative; changes neither of them.
        name_of
            What messages call a part.
        done
            Called here with the result of each part as soon as there is one, in any order, once a part: for progress
            and to keep it.
        brief
            What `done` is given in place of the whole result, taken where the part was counted: a number of rows is
            sent in no time, and a table is not.

        Returns
        -------
        The result of all parts. An error in any of them is raised, a `MatedError` as it is, and nothing is returned.
        """


class LocalRunner:
    """Counts here, one part after another; never more than two results are held."""

    def map_reduce(
        self,
        parts: Sequence[_T],
        count: Callable[[_T], _P],
        *,
        merge: Callable[[_P, _P], _P],
        name_of: Callable[[_T], str],
        done: Callable[[Any], None] | None = None,
        brief: Callable[[_P], Any] | None = None,
    ) -> _P:
        """Count every part and merge what was found; see `Runner`."""
        if not parts:
            raise nothing_to_count()
        merged: _P | None = None
        for number, part in enumerate(parts):
            found = count(part)
            if done is not None:
                done(found if brief is None else brief(found))
            # `number`, as a result may itself be None
            merged = found if number == 0 else merge(merged, found)  # type: ignore[arg-type]
        return merged  # type: ignore[return-value]


def nothing_to_count() -> MatedError:
    """Return the error for a pass over no parts at all."""
    return MatedError("there is nothing to count; give at least one source of comparisons")
