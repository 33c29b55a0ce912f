"""Turn what a user hands over into clean one-dimensional score arrays, or say what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mated.errors import MatedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NanPolicy", "as_scores", "as_similarity", "check_exact", "drop_failures", "read_only"]

NanPolicy = Literal["refuse", "failure"]
"""What a NaN score means: a mistake in the input, or a failure to acquire or enrol that is counted apart."""

_EXACT_INTEGER = 2**53


def as_scores(values: Any, what: str) -> NDArray[Any]:
    """Return `values` as a one-dimensional array of numbers: float32, float64 or an integer type."""
    try:
        array = np.asarray(values)
        if array.dtype.kind == "O" and any(isinstance(v, int) and abs(v) > _EXACT_INTEGER for v in array.flat):
            raise MatedError(f"{what}: integers beyond 2^53 cannot be counted exactly; divide them first")
        if array.dtype.kind in "OUS":
            array = array.astype(np.float64)
    except MatedError:
        raise
    except (TypeError, ValueError):
        raise MatedError(f"{what} must be numbers, and {_first_text(values)!r} is none") from None
    if array.ndim != 1:
        raise MatedError(
            f"{what} must be a one-dimensional array of numbers, and this has shape {array.shape}; "
            "for a matrix of probes and references use ScoreMatrix"
        )
    if array.dtype.kind not in "fiu":
        raise MatedError(f"{what} must be numbers, and these are of type {array.dtype}")
    if array.dtype.kind == "f":
        return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)
    check_exact(array, what)
    return array


def check_exact(array: NDArray[Any], what: str) -> None:
    """Refuse integers that floating point cannot tell apart."""
    if array.dtype.kind not in "iu" or not array.size:
        return
    if max(abs(int(array.min())), abs(int(array.max()))) > _EXACT_INTEGER:
        raise MatedError(f"{what}: integers beyond 2^53 cannot be counted exactly; divide them first")


def _first_text(values: Any) -> object:
    """Return the first value that is no number, to show it."""
    for value in np.ravel(np.asarray(values, dtype=object)):
        try:
            float(value)
        except (TypeError, ValueError):
            return value
    return values


def as_similarity(scores: NDArray[Any], dissimilarity: bool) -> NDArray[Any]:
    """Turn dissimilarity scores round, so that everywhere inside a higher score means more alike."""
    if not dissimilarity:
        return scores
    return -scores.astype(np.int64) if scores.dtype.kind in "iu" else -scores


def drop_failures(scores: NDArray[Any], nan: NanPolicy, what: str) -> tuple[NDArray[np.bool_] | None, int]:
    """Return which scores are usable (None: all of them) and how many are failures, by the policy given."""
    if nan not in ("refuse", "failure"):
        raise MatedError(f"nan must be 'refuse' or 'failure', not {nan!r}")
    if scores.dtype.kind != "f":
        return None, 0
    bad = np.isnan(scores)
    failures = int(np.count_nonzero(bad))
    if not failures:
        return None, 0
    if nan == "refuse":
        where = int(np.flatnonzero(bad)[0]) + 1
        raise MatedError(
            f"{failures} of {len(scores)} {what} {'is' if failures == 1 else 'are'} NaN (the first is number {where}); "
            "remove them, or count them as failures to acquire with nan='failure' (--nan failure)"
        )
    return ~bad, failures


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view of `array` that nobody can write through."""
    view = array.view()
    view.flags.writeable = False
    return view
