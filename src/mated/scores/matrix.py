"""`ScoreMatrix`: every probe against every reference, as a rectangle of scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.scores.comparisons import Comparisons
from mated.scores.counting import count_distinct
from mated.scores.ids import PairIds, encode_pairs, within
from mated.scores.tally import Tally
from mated.scores.unit import UnitChoice, parse_unit
from mated.scores.validation import NanPolicy, as_similarity, check_exact, read_only

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["ScoreMatrix"]

_BLOCK_ENTRIES = 1 << 24


@dataclass(frozen=True, eq=False, repr=False)
class ScoreMatrix:
    """Probes × references with the subjects of both; build it with `from_arrays` or `mated.read`.

    Two kinds of entry are not comparisons of the test and are left out of every count: those the mask
    leaves out, and, where samples are named, those of a sample with itself. A square matrix over the same
    samples that is its own transpose holds every comparison twice; `symmetric` is then true and each is
    counted once.

    Attributes
    ----------
    scores
        As the user gave them, not turned round: the array may be memory-mapped.
    subjects
        Subject codes of the probes (rows) and of the references (columns).
    samples
        Sample codes likewise, None where samples are not named.
    used
        True where an entry is a comparison, None for everywhere.
    """

    scores: NDArray[Any]
    subjects: PairIds
    samples: PairIds | None = None
    used: NDArray[np.bool_] | None = None
    dissimilarity: bool = False
    unit: UnitChoice = "auto"
    nan: NanPolicy = "refuse"
    symmetric: bool = False
    notes: tuple[str, ...] = ()

    @classmethod
    def from_arrays(
        cls,
        scores: Any,
        probe_subject: Any,
        reference_subject: Any,
        *,
        probe_sample: Any = None,
        reference_sample: Any = None,
        mask: Any = None,
        dissimilarity: bool = False,
        unit: object = "auto",
        nan: NanPolicy = "refuse",
        notes: tuple[str, ...] = (),
    ) -> ScoreMatrix:
        """Check sizes and put a matrix together; `mask` is true where an entry is to be used."""
        matrix = scores if isinstance(scores, np.memmap) else np.asarray(scores)
        if matrix.ndim != 2 or not matrix.size or matrix.dtype.kind not in "fiu":
            raise MatedError(
                f"a score matrix is two-dimensional, numeric and not empty; this has shape {matrix.shape} "
                f"and type {matrix.dtype}"
            )
        for ids, size, side in (
            (probe_subject, matrix.shape[0], "row"),
            (reference_subject, matrix.shape[1], "column"),
            (probe_sample, matrix.shape[0], "row"),
            (reference_sample, matrix.shape[1], "column"),
        ):
            if ids is not None and len(ids) != size:
                raise MatedError(
                    f"the matrix has {size} {side}s and there are {len(ids)} ids for them; they must be as many"
                )
        if nan not in ("refuse", "failure"):
            raise MatedError(f"nan must be 'refuse' or 'failure', not {nan!r}")
        check_exact(matrix, "the matrix")
        used = None if mask is None else np.asarray(mask, dtype=bool)
        if used is not None and used.shape != matrix.shape:
            raise MatedError(f"the mask has shape {used.shape} and the matrix {matrix.shape}; they must be equal")
        if (probe_sample is None) != (reference_sample is None):
            raise MatedError("name the samples of both sides of the matrix or of neither")
        subjects = encode_pairs(probe_subject, reference_subject, "subject")
        samples = None if probe_sample is None else encode_pairs(probe_sample, reference_sample, "sample")
        if samples is not None:
            samples = within(subjects, samples)
        same_sides = samples is not None and _same_on_both_sides(samples)
        symmetric = same_sides and _is_own_transpose(matrix, used)
        if symmetric:
            notes = (*notes, "the matrix is its own transpose; each pair of samples is counted once")
        elif same_sides:
            notes = (*notes, "the same samples stand on both sides of an asymmetric matrix; both orders are counted")
        return cls(
            read_only(matrix),
            subjects,
            samples,
            None if used is None else read_only(used),
            dissimilarity=dissimilarity,
            unit=parse_unit(unit),
            nan=nan,
            symmetric=symmetric,
            notes=notes,
        )

    def tally(self) -> Tally:
        """Reduce to the counts of both classes at the distinct scores, a block of rows at a time."""
        mated, nonmated, failures = [], [], np.zeros(2, dtype=np.int64)
        for block in self._blocks():
            counted, failed = self._counted(block)
            same = self._same_subject(block)
            scores = as_similarity(np.asarray(self.scores[block]), self.dissimilarity)
            mated.append(scores[counted & same])
            nonmated.append(scores[counted & ~same])
            failures += np.count_nonzero(failed & same), np.count_nonzero(failed & ~same)
        return Tally(
            *count_distinct(np.concatenate(mated), np.concatenate(nonmated)),
            dissimilarity=self.dissimilarity,
            unit_choice=self.unit,
            mated_failures=int(failures[0]),
            nonmated_failures=int(failures[1]),
        )

    def comparisons(self) -> Comparisons:
        """List every comparison of the matrix as a table."""
        whole = slice(0, self.scores.shape[0])
        counted, failed = self._counted(whole)
        same = self._same_subject(whole)
        rows, columns = np.nonzero(counted)
        lost = np.nonzero(failed)
        return Comparisons(
            as_similarity(np.asarray(self.scores)[rows, columns], self.dissimilarity),
            same[rows, columns],
            _listed(self.subjects, rows, columns),
            None if self.samples is None else _listed(self.samples, rows, columns),
            dissimilarity=self.dissimilarity,
            unit=self.unit,
            failed_mated=same[failed],
            failed_subjects=_listed(self.subjects, *lost),
            failed_samples=None if self.samples is None else _listed(self.samples, *lost),
            notes=self.notes,
        )

    def _blocks(self) -> Iterator[slice]:
        yield from _row_blocks(*self.scores.shape)

    def _same_subject(self, block: slice) -> NDArray[np.bool_]:
        same: NDArray[np.bool_] = self.subjects.probe[block, None] == self.subjects.reference[None, :]
        return same

    def _counted(self, block: slice) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which entries of some rows are comparisons with a score, and which are failures."""
        counted = np.ones((block.stop - block.start, self.scores.shape[1]), dtype=bool)
        if self.used is not None:
            counted &= self.used[block]
        if self.samples is not None:
            probe, reference = self.samples.probe[block, None], self.samples.reference[None, :]
            counted &= (probe < reference) if self.symmetric else (probe != reference)
        failed = counted & np.isnan(self.scores[block])
        if self.nan == "refuse" and failed.any():
            row, column = np.argwhere(failed)[0]
            raise MatedError(
                f"the matrix has NaN at row {block.start + row + 1}, column {column + 1}; mask such entries, "
                "or count them as failures to acquire with nan='failure' (--nan failure)"
            )
        return counted & ~failed, failed

    @property
    def n_subjects(self) -> int:
        """Number of distinct subjects on either side."""
        return len(self.subjects.names)

    def __repr__(self) -> str:
        rows, columns = self.scores.shape
        return f"ScoreMatrix({rows} probes × {columns} references, {self.n_subjects} subjects)"


def _row_blocks(rows: int, columns: int) -> Iterator[slice]:
    """Give the rows in blocks of bounded size."""
    step = max(1, _BLOCK_ENTRIES // max(1, columns))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))


def _listed(ids: PairIds, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> PairIds:
    """Return the ids of some entries, one pair each."""
    return replace(ids, probe=ids.probe[rows], reference=ids.reference[columns])


def _same_on_both_sides(samples: PairIds) -> bool:
    return np.array_equal(samples.probe, samples.reference) and len(samples.names) == len(samples.probe)


def _is_own_transpose(matrix: NDArray[Any], used: NDArray[np.bool_] | None) -> bool:
    """Tell whether a square matrix is symmetric up to rounding, wherever both entries are used and have a score.

    Entries that are not used mean nothing. Rows are compared with columns a block at a time.
    """
    blocks = list(_row_blocks(*matrix.shape))
    if used is not None and not all(np.array_equal(used[block], used[:, block].T) for block in blocks):
        return False
    rounding = 1e-6 * _range(matrix, used, blocks) if matrix.dtype.kind == "f" else 0.0
    for block in blocks:
        here, across = matrix[block], matrix[:, block].T
        equal = here == across
        if matrix.dtype.kind == "f":
            with np.errstate(invalid="ignore"):
                equal |= (np.abs(here - across) <= rounding) | np.isnan(here) | np.isnan(across)
        if used is not None:
            equal |= ~used[block]
        if not equal.all():
            return False
    return True


def _range(matrix: NDArray[Any], used: NDArray[np.bool_] | None, blocks: list[slice]) -> float:
    """Return the difference of the highest and the lowest finite score of two samples that is used."""
    low, high = np.inf, -np.inf
    for block in blocks:
        known = np.isfinite(matrix[block])
        known[np.arange(block.stop - block.start), np.arange(block.start, block.stop)] = False
        if used is not None:
            known &= used[block]
        low = min(low, float(np.min(matrix[block], where=known, initial=np.inf)))
        high = max(high, float(np.max(matrix[block], where=known, initial=-np.inf)))
    return high - low if high > low else 0.0
