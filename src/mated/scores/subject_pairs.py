"""`SubjectPairs`: who was compared with whom at which score, all that dependence between comparisons needs.

Comparisons that share a subject are not independent. Intervals that know this need the mated scores of each subject,
the non-mated scores of each pair of subjects and how often each pair was compared. Non-mated scores below every
threshold in use need only be counted: memory then grows with the subjects and the tail, not with the comparisons.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError, ScoresNotKeptError
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.scores.comparisons import Comparisons

__all__ = ["PairTotals", "SubjectPairs", "highest_first"]

_ROWS = 256  # replicates weighed at once, so that no temporary array grows with their number


@dataclass(frozen=True, eq=False, repr=False)
class PairTotals:
    """How often each unordered pair of subjects was compared, N_ij, by codes 0 to `n_subjects` − 1.

    A complete design, where N_ij = c·m_i·m_j for all i ≠ j (every sample against every other, both orders listed, a
    constant number for each pair), is held as the vector m and the factor c. Any other is a sparse matrix.

    Attributes
    ----------
    samples
        The vector m, whole numbers without a common divisor; None where the design is not complete.
    scale
        The factor c; 0 where there is a matrix instead.
    matrix
        The upper triangle of N as a SciPy CSR matrix of integers; None where the design is complete.
    """

    n_subjects: int
    samples: NDArray[np.int64] | None
    scale: Fraction
    matrix: Any

    @classmethod
    def count(cls, n_subjects: int, first: NDArray[Any], second: NDArray[Any]) -> PairTotals:
        """Count pairs of codes, each with first < second."""
        return cls.of_entries(n_subjects, *_count_pairs(n_subjects, first, second))

    @classmethod
    def of_entries(
        cls, n_subjects: int, rows: NDArray[np.int64], columns: NDArray[np.int64], counts: NDArray[np.int64]
    ) -> PairTotals:
        """Take the distinct pairs i < j, sorted by i, then j, and how often each occurs."""
        complete = _product_form(n_subjects, rows, columns, counts)
        if complete is not None:
            return cls(n_subjects, read_only(complete[0]), complete[1], None)
        from scipy.sparse import csr_matrix

        matrix = csr_matrix((counts, (rows, columns)), shape=(n_subjects, n_subjects), dtype=np.int64)
        return cls(n_subjects, None, Fraction(0), matrix)

    @classmethod
    def of_triangle(cls, n_subjects: int, triangle: NDArray[Any]) -> PairTotals:
        """Take a counter for every pair, that of i < j at j·(j − 1)/2 + i.

        A complete design is recognised column by column, so that no list of its pairs is ever made.
        """
        starts = np.arange(n_subjects + 1) * (np.arange(n_subjects + 1) - 1) // 2
        columns = [triangle[starts[j] : starts[j + 1]] for j in range(n_subjects)]
        complete = _product_form_of_columns(n_subjects, columns)
        if complete is not None:
            return cls(n_subjects, read_only(complete[0]), complete[1], None)
        from scipy.sparse import csc_matrix

        rows = [np.flatnonzero(column) for column in columns]
        indices = np.concatenate([row.astype(np.int32) for row in rows])
        counts = np.concatenate([column[row].astype(np.int64) for column, row in zip(columns, rows, strict=True)])
        ends = np.append(0, np.cumsum([len(row) for row in rows]))
        matrix = csc_matrix((counts, indices, ends), shape=(n_subjects, n_subjects)).tocsr()
        return cls(n_subjects, None, Fraction(0), matrix)

    @cached_property
    def entries(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Every pair that was compared and how often: i, j with i < j, N_ij. Grows with the square of the subjects."""
        if self.samples is not None:
            rows, columns = np.triu_indices(self.n_subjects, 1)
            counts = self.at(rows, columns)
            seen = counts > 0
            return rows[seen], columns[seen], counts[seen]
        triples = self.matrix.tocoo()
        return triples.row.astype(np.int64), triples.col.astype(np.int64), triples.data

    def at(self, first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.int64]:
        """Return N_ij of the pairs asked for, each with first < second."""
        if self.samples is not None:
            product: NDArray[np.int64] = self.samples[first] * self.samples[second]
            return product * self.scale.numerator // self.scale.denominator
        if not len(first):  # SciPy would return a matrix
            return np.zeros(0, dtype=np.int64)
        return np.asarray(self.matrix[first, second], dtype=np.int64).reshape(-1)

    @cached_property
    def of_subject(self) -> NDArray[np.int64]:
        """Number of non-mated comparisons each subject takes part in."""
        if self.samples is not None:
            others = self.samples.sum() - self.samples
            return read_only(self.samples * others * self.scale.numerator // self.scale.denominator)
        return read_only(np.asarray(self.matrix.sum(axis=0) + self.matrix.sum(axis=1).T, dtype=np.int64).reshape(-1))

    @cached_property
    def total(self) -> int:
        """Number of non-mated comparisons."""
        return int(self.of_subject.sum()) // 2

    @cached_property
    def squares(self) -> float:
        """Sum of N_ij² over the unordered pairs."""
        if self.samples is None:
            return float(np.square(self.matrix.data.astype(np.float64)).sum())
        m = self.samples.astype(np.float64)
        return float(self.scale) ** 2 * float((m**2).sum() ** 2 - (m**4).sum()) / 2

    def weighted(self, weights: NDArray[Any]) -> NDArray[np.int64]:
        """Return Σ w_i·w_j·N_ij over the unordered pairs for each row of `weights`, whole numbers.

        For a complete design that is c·((Σ w·m)² − Σ w²·m²)/2, without looking at any pair.
        """
        result = np.empty(len(weights), dtype=np.int64)
        for start in range(0, len(weights), _ROWS):
            rows = weights[start : start + _ROWS].astype(np.int64)
            if self.samples is not None:
                twice = (rows @ self.samples) ** 2 - (rows**2) @ (self.samples**2)
                result[start : start + _ROWS] = twice * self.scale.numerator // (2 * self.scale.denominator)
            else:
                result[start : start + _ROWS] = np.einsum("bi,ib->b", rows, self.matrix @ rows.T)
        return result

    def recoded(self, codes: NDArray[np.int64], n_subjects: int) -> PairTotals:
        """Give subject k the code `codes[k]` (ascending) among `n_subjects`."""
        if self.samples is not None:
            samples = np.zeros(n_subjects, dtype=np.int64)
            samples[codes] = self.samples
            return PairTotals(n_subjects, read_only(samples), self.scale, None)
        rows, columns, counts = self.entries
        return PairTotals.of_entries(n_subjects, codes[rows], codes[columns], counts)

    def __add__(self, other: PairTotals) -> PairTotals:
        if other.n_subjects != self.n_subjects:
            raise MatedError(f"totals of {self.n_subjects} and of {other.n_subjects} subjects cannot be added")
        both = [np.concatenate(parts) for parts in zip(self.entries, other.entries, strict=True)]
        seen, place = np.unique(both[0] * self.n_subjects + both[1], return_inverse=True)
        counts = np.zeros(len(seen), dtype=np.int64)
        np.add.at(counts, place, both[2])
        return PairTotals.of_entries(self.n_subjects, seen // self.n_subjects, seen % self.n_subjects, counts)

    def __repr__(self) -> str:
        kind = "complete" if self.samples is not None else "incomplete"
        return f"PairTotals({self.n_subjects} subjects, {self.total} comparisons, {kind})"


@dataclass(frozen=True, eq=False, repr=False)
class SubjectPairs:
    """The scores of every subject and of every pair of subjects; build it with `of`, add the parts of a table.

    Scores are similarities, as in `Comparisons`. Subjects are coded by their place in `present`. A non-mated comparison
    belongs to an unordered pair of subjects; listed in both orders, (a, b) and (b, a), it counts twice.

    Attributes
    ----------
    names
        The names of all subjects of the table, also of those without a comparison here.
    present
        Codes into `names`, ascending, of the subjects that have a comparison: only they are in any count.
    mated_subject, mated_score
        Subject and score of each mated comparison, highest score first.
    first, second, score
        The two subjects (first < second) and the score of each non-mated comparison kept, highest score first.
    totals
        How often each pair was compared, whether the scores were kept or not.
    tail_above
        The lowest non-mated score that is kept; None where all are.
    """

    names: tuple[str, ...]
    present: NDArray[np.int64]
    mated_subject: NDArray[np.int32]
    mated_score: NDArray[np.float64]
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    score: NDArray[np.float64]
    totals: PairTotals
    tail_above: float | None = None

    def __post_init__(self) -> None:
        for name in ("present", "mated_subject", "mated_score", "first", "second", "score"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @classmethod
    def of(cls, comparisons: Comparisons, *, tail_above: float | None = None) -> SubjectPairs:
        """Sort a table whose subjects are known; non-mated scores below `tail_above` are only counted."""
        ids = comparisons.subjects
        if ids is None:
            raise MatedError(
                "subject-level uncertainty needs to know who was compared: give probe_subject and reference_subject"
            )
        if tail_above is not None and np.isnan(tail_above):
            raise MatedError("tail_above must be a number, and nan is none")
        seen = np.zeros(len(ids.names), dtype=bool)
        seen[ids.probe] = True
        seen[ids.reference] = True
        code = (np.cumsum(seen) - 1).astype(np.int32)
        mated = comparisons.mated
        probe, reference = code[ids.probe[~mated]], code[ids.reference[~mated]]
        first, second = np.minimum(probe, reference), np.maximum(probe, reference)
        score = comparisons.score[~mated].astype(np.float64)
        totals = PairTotals.count(int(seen.sum()), first, second)
        if tail_above is not None:
            kept = score >= tail_above
            first, second, score = first[kept], second[kept], score[kept]
        own = highest_first(comparisons.score[mated].astype(np.float64), code[ids.probe[mated]])
        pairs = highest_first(score, first, second)
        return cls(ids.names, np.flatnonzero(seen), own[1], own[0], pairs[1], pairs[2], pairs[0], totals, tail_above)

    @property
    def n_subjects(self) -> int:
        """Number of subjects with at least one comparison."""
        return len(self.present)

    @property
    def subjects(self) -> tuple[str, ...]:
        """Their names, in the order of their codes."""
        return tuple(self.names[code] for code in self.present)

    @property
    def n_mated(self) -> int:
        """Number of mated comparisons."""
        return len(self.mated_score)

    @property
    def n_nonmated(self) -> int:
        """Number of non-mated comparisons, those below the cut included."""
        return self.totals.total

    @cached_property
    def mated_per_subject(self) -> NDArray[np.int64]:
        """Number of mated comparisons of each subject."""
        return read_only(np.bincount(self.mated_subject, minlength=self.n_subjects))

    def mated_from(self, threshold: float) -> int:
        """Number of mated comparisons with this score or a higher one."""
        return self.n_mated - int(np.searchsorted(self.mated_score[::-1], threshold))

    def nonmated_from(self, threshold: float) -> int:
        """Number of non-mated comparisons with this score or a higher one."""
        if self.tail_above is not None and threshold < self.tail_above:
            raise ScoresNotKeptError(
                f"the non-mated scores below {self.tail_above:g} were not kept, and the threshold {threshold:g} needs "
                "them; keep more of the tail"
            )
        return len(self.score) - int(np.searchsorted(self.score[::-1], threshold))

    def false_nonmatches(self, threshold: float) -> NDArray[np.int64]:
        """Count, for each subject, the mated comparisons below a threshold."""
        missed = self.mated_subject[self.mated_from(threshold) :]
        return np.bincount(missed, minlength=self.n_subjects)

    def false_matches(self, threshold: float) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Count, for each pair that has any, the non-mated comparisons at or above a threshold: i, j, M_ij."""
        reached = self.nonmated_from(threshold)
        return _count_pairs(self.n_subjects, self.first[:reached], self.second[:reached])

    def __add__(self, other: object) -> SubjectPairs:
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, SubjectPairs):
            return NotImplemented
        if self.names != other.names:
            raise MatedError("pairs of subjects can be added only when both parts name the same subjects in one order")
        if self.tail_above != other.tail_above:
            raise MatedError(
                f"pairs of subjects cut at {self.tail_above} and at {other.tail_above} cannot be added; cut both alike"
            )
        present = np.union1d(self.present, other.present)
        codes = [np.searchsorted(present, part.present) for part in (self, other)]

        def joined(name: str, recode: bool) -> NDArray[Any]:
            parts = [getattr(part, name) for part in (self, other)]
            return np.concatenate(
                [c[p].astype(np.int32) for c, p in zip(codes, parts, strict=True)] if recode else parts
            )

        own = highest_first(joined("mated_score", False), joined("mated_subject", True))
        pairs = highest_first(joined("score", False), joined("first", True), joined("second", True))
        totals = self.totals.recoded(codes[0], len(present)) + other.totals.recoded(codes[1], len(present))
        return SubjectPairs(self.names, present, own[1], own[0], pairs[1], pairs[2], pairs[0], totals, self.tail_above)

    __radd__ = __add__

    def __repr__(self) -> str:
        return f"SubjectPairs({self.n_subjects} subjects, {self.n_mated} mated, {self.n_nonmated} non-mated)"


def highest_first(score: NDArray[np.float64], *columns: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Sort by score, highest first, and take the columns along; the order within equal scores means nothing."""
    order = np.argsort(score)[::-1]
    return score[order] + 0.0, *(column[order] for column in columns)


def _count_pairs(
    n_subjects: int, first: NDArray[Any], second: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct pairs, sorted, and how often each occurs."""
    key = first.astype(np.int64) * n_subjects + second
    if n_subjects**2 <= 2 * len(key) + (1 << 20):  # a counter for every pair is no larger than the data
        counters = np.bincount(key, minlength=n_subjects**2)
        seen = np.flatnonzero(counters)
        counts = counters[seen]
    else:
        seen, counts = np.unique(key, return_counts=True)
    return seen // n_subjects, seen % n_subjects, counts


def _product_form(
    n_subjects: int, rows: NDArray[np.int64], columns: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Fraction] | None:
    """Return m and c with N_ij = c·m_i·m_j for all pairs, None where there are none; entries sorted by i, then j."""
    involved = np.union1d(rows, columns)
    size = len(involved)
    if len(counts) != size * (size - 1) // 2:
        return None
    # Sorted by i, the pairs of the first subject come first, and that of the second and third follows.
    form = _candidate(n_subjects, involved, counts[: size - 1], counts[size - 1 : size], int(counts.max(initial=0)))
    if form is None:
        return None
    samples, scale = form
    if not np.array_equal(counts * scale.denominator, scale.numerator * samples[rows] * samples[columns]):
        return None
    return form


def _product_form_of_columns(n_subjects: int, columns: list[NDArray[Any]]) -> tuple[NDArray[np.int64], Fraction] | None:
    """Answer as `_product_form`, from N_ij for all i < j, column by column."""
    seen = np.zeros(n_subjects, dtype=bool)
    for j, column in enumerate(columns):
        met = column > 0
        seen[:j] |= met
        seen[j] = met.any()
    involved = np.flatnonzero(seen)
    first, *others = involved.tolist() or [0]
    with_first = np.array([columns[j][first] for j in others], dtype=np.int64)
    second_third = np.array([columns[others[1]][others[0]]] if len(others) > 1 else [], dtype=np.int64)
    largest = max((int(column.max(initial=0)) for column in columns), default=0)
    if not (with_first.all() and second_third.all()):
        return None
    form = _candidate(n_subjects, involved, with_first, second_third, largest)
    if form is None:
        return None
    samples, scale = form
    for j, column in enumerate(columns):
        if not np.array_equal(column.astype(np.int64) * scale.denominator, scale.numerator * samples[:j] * samples[j]):
            return None
    return form


def _candidate(
    n_subjects: int,
    involved: NDArray[np.int64],
    with_first: NDArray[np.int64],
    second_third: NDArray[np.int64],
    largest: int,
) -> tuple[NDArray[np.int64], Fraction] | None:
    """Return the only m and c that N_ij = c·m_i·m_j can hold with, None where they are too large.

    `with_first` are the counts of the first subject involved with each other one, `second_third` that of the next two.
    """
    samples = np.zeros(n_subjects, dtype=np.int64)
    samples[involved] = 1
    if len(involved) < 3:
        return samples, Fraction(int(with_first[0])) if len(involved) else Fraction(1)
    # With the first subject as yardstick m_i ∝ N_1i, and its own m_1 ∝ N_12·N_13/N_23.
    samples[involved[1:]] = with_first * second_third[0]
    samples[involved[0]] = with_first[0] * with_first[1]
    samples //= np.gcd.reduce(samples[involved])
    scale = Fraction(int(with_first[0]), int(samples[involved[0]]) * int(samples[involved[1]]))
    # Counts without a pattern give large vectors; weighted by up to 255 their squares must fit 64 bits.
    if scale.numerator * (255 * int(samples.sum())) ** 2 >= 2**62 or largest * scale.denominator >= 2**62:
        return None
    return samples, scale
