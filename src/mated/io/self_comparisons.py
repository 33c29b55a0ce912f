"""Which entries of a matrix compare a sample with itself: they are no comparisons of a test.

Where samples are named, their names tell. Where only subjects are known, one table of ids for both sides says that rows
and columns are the same samples, and so do the ids of a text matrix that stand in the same order on both sides and
repeat: a person with one reference would be named once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.io.matrix_ids import Side
    from mated.io.request import Request

__all__ = ["apart_by_subject", "settle_samples"]

_ROWS_AT_ONCE = 256
_ROUNDING = 1e-6


def apart_by_subject(probes: Side, references: Side) -> tuple[Side, Side]:
    """Tell samples apart by subject where a name stands for samples of several, as the first of each person."""
    if probes.samples is None or references.samples is None:
        return probes, references
    pairs = {pair for side in (probes, references) for pair in zip(side.samples or (), side.subjects, strict=True)}
    if len({sample for sample, _ in pairs}) == len(pairs):
        return probes, references
    return _qualified(probes), _qualified(references)


def settle_samples(
    scores: NDArray[Any], used: NDArray[np.bool_] | None, probes: Side, references: Side, request: Request
) -> tuple[Side, Side, tuple[str, ...]]:
    """Name samples by their positions where both sides are the same samples, and note what was decided.

    `used` is true where an entry is a comparison, None for everywhere.
    """
    if probes.samples is not None and references.samples is not None:
        _refuse_two_subjects(probes, references, request)
        return probes, references, ()
    each_once = len(set(probes.subjects)) == len(probes.subjects)
    if request.ids is not None and each_once:
        raise MatedError(
            f"{request.name}: ids= says that rows and columns are the same samples, and every subject has one, so none "
            "is compared with another of its own; if rows and columns are different samples, give probe_ids= and "
            "reference_ids= (--probe-ids and --reference-ids)"
        )
    same = probes.subjects == references.subjects
    told_apart = request.probe_ids is not None or request.reference_ids is not None
    if request.ids is not None or (same and not each_once and not told_apart):
        positions = list(range(1, len(probes.subjects) + 1))
        note = "rows and columns list the same samples in the same order: a sample is not compared with itself"
        return replace(probes, samples=positions), replace(references, samples=positions), (note,)
    if not same:
        return probes, references, ()
    if _looks_compared_with_itself(scores, used, request.dissimilarity):
        raise MatedError(
            f"{request.name} is its own transpose and nothing is more alike than on its diagonal, so it looks like "
            "samples compared with themselves; give a table of sample and subject with ids= (--ids), or, if rows and "
            "columns are different samples, names that differ, with probe_ids= and reference_ids= (--probe-ids and "
            "--reference-ids)"
        )
    note = "rows and columns have the same subjects, each once: the diagonal is taken as the mated comparisons"
    return probes, references, (note,) if each_once else ()


def _qualified(side: Side) -> Side:
    pairs = zip(side.subjects, side.samples or (), strict=True)
    return replace(side, samples=[f"{subject}/{sample}" for subject, sample in pairs])


def _refuse_two_subjects(probes: Side, references: Side, request: Request) -> None:
    seen: dict[str, tuple[str, str]] = {}
    for side, name in ((probes, "row"), (references, "column")):
        samples = map(str, side.samples or ())
        for number, (sample, subject) in enumerate(zip(samples, side.subjects, strict=True), start=1):
            known, place = seen.setdefault(sample, (subject, f"{name} {number}"))
            if known != subject:
                raise MatedError(
                    f"{request.name}: {place} and {name} {number} of the matrix are one sample with two subjects; "
                    "check the order of the ids, or give every sample a name of its own"
                )


def _looks_compared_with_itself(
    scores: NDArray[Any], used: NDArray[np.bool_] | None, dissimilarity: bool | None
) -> bool:
    """Say whether a square matrix is its own transpose and most alike on the diagonal, up to rounding.

    A triangle with its diagonal counts too. Where the orientation is not said, either may be meant. The matrix is read
    a few rows at a time, and only as far as it is symmetric: it may be mapped from a file.
    """
    size = len(scores)
    if size < 2:
        return False
    whole = scores if used is None else _completed_triangle(scores, used)
    highest, lowest = dissimilarity is not True, dissimilarity is not False
    # A corner settles nearly every matrix without a walk through the file.
    for limit in (min(size, _ROWS_AT_ONCE), size):
        for start in range(0, limit, _ROWS_AT_ONCE):
            block = slice(start, min(start + _ROWS_AT_ONCE, limit))
            rows = np.asarray(whole[block, :limit], dtype=np.float64)
            columns = np.asarray(whole[:limit, block], dtype=np.float64).T
            diagonal = np.diagonal(rows, offset=start)
            finite = rows[np.isfinite(rows)]
            rounding = _ROUNDING * float(np.ptp(finite)) if finite.size and whole.dtype.kind == "f" else 0.0
            if not np.allclose(rows, columns, rtol=0, atol=rounding, equal_nan=True):
                return False
            highest = highest and bool((np.fmax.reduce(rows, axis=1) <= diagonal + rounding).all())
            lowest = lowest and bool((np.fmin.reduce(rows, axis=1) >= diagonal - rounding).all())
            if not (highest or lowest):
                return False
    return True


def _completed_triangle(scores: NDArray[Any], used: NDArray[np.bool_]) -> NDArray[Any]:
    """Return a matrix in memory with NaN where there is no comparison; one with an empty triangle is mirrored."""
    given = np.where(used, scores, np.nan)
    if np.triu(used, 1).any() and np.tril(used, -1).any():
        return given
    return np.where(used, given, given.T)
