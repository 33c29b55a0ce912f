"""Put two systems' comparisons side by side: the same pairs of samples, whatever their order in the files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.scores import Comparisons

__all__ = ["aligned_rows", "check_same_subjects"]


def check_same_subjects(a: tuple[str, ...], b: tuple[str, ...], names: tuple[str, str]) -> bool:
    """Tell whether two tests were made with the same subjects; refuse those that share only some."""
    first, second = set(a), set(b)
    if first == second:
        return True
    if not first & second:
        return False
    lacking, missing = (names[1], first - second) if first - second else (names[0], second - first)
    raise MatedError(
        f"{names[0]} and {names[1]} share {len(first & second)} subjects but not all: {lacking} lacks "
        f"{len(missing)}, the first of them {min(missing)!r}; compare the same ones, or use paired='no' (--unpaired)"
    )


def aligned_rows(a: Comparisons, b: Comparisons, names: tuple[str, str]) -> NDArray[np.intp]:
    """Return for each comparison of `a` the row of the same comparison in `b`; both must list the same ones.

    A comparison is known by its two samples, in either order where that tells all apart, else in the order given.
    """
    for ordered in (False, True):
        left, right = _keys(a, ordered), _keys(b, ordered)
        if left["key"].is_unique().all() and right["key"].is_unique().all():
            return _matched(a, b, left, right, names)
    raise MatedError(
        f"{names[0]} and {names[1]} list some pair of samples more than once, so comparisons cannot be told apart; "
        "remove the repetitions, or use paired='no' (--unpaired)"
    )


def _matched(a: Comparisons, b: Comparisons, left: Any, right: Any, names: tuple[str, str]) -> NDArray[np.intp]:
    joined = left.join(right, on="key", how="left", maintain_order="left", suffix="_b")
    lacking = joined["row_b"].null_count()
    if lacking or len(left) != len(right):
        who, count, frame = (names[1], lacking, joined.filter(joined["row_b"].is_null()))
        if not lacking:
            who, frame = names[0], right.join(left, on="key", how="anti")
            count = len(frame)
        raise MatedError(
            f"{names[0]} and {names[1]} do not list the same comparisons: {who} lacks {count}, the first of them of "
            f"samples {frame['key'][0]}; compare the same ones, or use paired='no' (--unpaired)"
        )
    rows: NDArray[np.intp] = joined["row_b"].to_numpy().astype(np.intp)
    if not np.array_equal(a.mated, b.mated[rows]):
        where = joined["key"][int(np.flatnonzero(a.mated != b.mated[rows])[0])]
        raise MatedError(f"{names[0]} and {names[1]} do not agree whether the comparison of samples {where} is mated")
    return rows


def _keys(data: Comparisons, ordered: bool) -> Any:
    import polars as pl

    assert data.samples is not None
    labels = np.array(data.samples.names, dtype=object)
    frame = pl.DataFrame(
        {"p": labels[data.samples.probe], "r": labels[data.samples.reference], "row": np.arange(len(data))},
        schema={"p": pl.String, "r": pl.String, "row": pl.Int64},
    )
    if not ordered:
        frame = frame.with_columns(p=pl.min_horizontal("p", "r"), r=pl.max_horizontal("p", "r"))
    return frame.select(key=pl.format("{} and {}", "p", "r"), row="row")
