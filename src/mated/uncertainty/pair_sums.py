"""The sums over pairs of subjects that the variance of FMR is made of; the formulas stand in `cluster`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.scores.subject_pairs import PairTotals, SubjectPairs
from mated.uncertainty.fillings import Fill, Squares, amounts_by_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["PairSums", "Variance", "pair_variance"]

Variance: TypeAlias = Literal["mid", "row", "u"]


@dataclass(frozen=True, eq=False)
class PairSums:
    """The sums over pairs of subjects that the variance of FMR is made of.

    Attributes
    ----------
    matches, trials
        False matches and comparisons each subject takes part in.
    count, total, squares
        ΣM, ΣN and ΣN² over all unordered pairs.
    match_trials
        ΣM·N.
    of_pairs
        ΣM², or the greatest that k of the false matches could have.
    near_matches
        Each false match counted with those that share a subject with it: the most such sum of k of them.
    near_trials, side_trials
        Each false match counted with the comparisons in which one of its subjects or both take part, and with those of
        its one and of its other subject: the least such sums of k of them.
    """

    matches: NDArray[np.int64]
    trials: NDArray[np.int64]
    count: int
    total: int
    squares: float
    match_trials: float
    of_pairs: Squares
    near_matches: Fill
    near_trials: Fill
    side_trials: Fill

    @classmethod
    def of_counts(
        cls, first: NDArray[np.int64], second: NDArray[np.int64], counts: NDArray[np.int64], totals: PairTotals
    ) -> PairSums:
        """Sum M given by its pairs (first < second, M > 0) with the totals of all pairs."""
        matches, trials, pair_trials = (
            np.zeros(totals.n_subjects, np.int64),
            totals.of_subject,
            totals.at(first, second),
        )
        for side in (first, second):
            np.add.at(matches, side, counts)
        sides = trials[first] + trials[second]
        return cls(
            matches,
            trials,
            int(counts.sum()),
            totals.total,
            totals.squares,
            float(counts.astype(np.float64) @ pair_trials),
            Squares.of(counts),
            Fill.dearest_first(*amounts_by_value(matches[first] + matches[second] - counts, counts)),
            Fill.cheapest_first(*amounts_by_value(sides - pair_trials, counts)),
            Fill.cheapest_first(*amounts_by_value(sides, counts)),
        )

    @classmethod
    def of_matrices(cls, false_matches: Any, totals: Any) -> PairSums:
        """Sum two symmetric matrices with zero diagonal."""
        matches, trials = _upper(false_matches), _upper(totals)
        if matches.shape != trials.shape:
            raise MatedError(f"false matches are of size {matches.shape} and comparisons of size {trials.shape}")
        entries = matches.tocoo()
        first, second = (index.astype(np.int64) for index in entries.coords)
        compared = PairTotals(trials.shape[0], None, Fraction(0), trials)
        if (entries.data > compared.at(first, second)).any():
            raise MatedError("a pair of subjects has more false matches than comparisons")
        return cls.of_counts(first, second, entries.data, compared).compact()

    @classmethod
    def at(cls, pairs: SubjectPairs, threshold: float) -> PairSums:
        """Sum the non-mated comparisons at or above a threshold."""
        return cls.of_counts(*pairs.false_matches(threshold), pairs.totals)

    def compact(self) -> PairSums:
        """Leave out the subjects without a comparison."""
        used = self.trials > 0
        return replace(self, matches=self.matches[used], trials=self.trials[used])

    @property
    def subjects(self) -> int:
        """Number of subjects."""
        return len(self.trials)

    @property
    def residual_rows(self) -> Floats:
        """The r_i of each subject."""
        rows: Floats = (self.matches - self.count / self.total * self.trials) / self._mean_trials
        return rows

    @property
    def residual_squares(self) -> float:
        """The sum Q of K² over ordered pairs."""
        rate = self.count / self.total
        upper = self.of_pairs.total - 2 * rate * self.match_trials + rate**2 * self.squares
        return 2 * max(upper, 0.0) / self._mean_trials**2

    def variance(self, kind: Variance = "mid") -> float:
        """Return the variance of U."""
        rate, rows = self.count / self.total, float(self.residual_rows @ self.residual_rows)
        floor = rate * (1 - rate) / self.total
        return float(pair_variance(rows, self.residual_squares, self.subjects, kind, floor=floor))

    def largest_variance(self, k: Floats, kind: Variance) -> Floats:
        """Return, for each number k of errors, at least the largest variance that k of the errors could show.

        Errors are filled into pairs from one end. Two errors that share a subject are counted from each: an error has
        no more of them than its pair has near it, nor than there are; at k = all that is the variance itself.
        """
        rows, shared = self._row_sums(k, k)
        rate = k / self.total
        floor = rate * (1 - rate) / self.total
        parts = (np.maximum(rows, 0.0) / self._mean_trials**2, 2 * (rows - shared) / self._mean_trials**2)
        result: Floats = pair_variance(*parts, self.subjects, kind, floor=floor)
        return result

    def variance_limit(self, least: Floats, most: Floats, kind: Variance) -> Floats:
        """Return what `largest_variance` exceeds for no k from `least` to `most`: each term where it is greatest."""
        rows, shared = self._row_sums(least, most)
        low, high = least / self.total, most / self.total
        floor = (
            np.where((low <= 0.5) & (high >= 0.5), 0.25, np.maximum(low * (1 - low), high * (1 - high))) / self.total
        )
        # Rows that could be negative would count as 0, while what is taken from them would not.
        below = np.maximum(-self._row_sums(most, least)[0], 0.0)
        entries = 2 * (np.maximum(rows, 0.0) - shared - below) / self._mean_trials**2
        result: Floats = pair_variance(
            np.maximum(rows, 0.0) / self._mean_trials**2, entries, self.subjects, kind, floor=floor
        )
        return result

    def _row_sums(self, least: Floats, most: Floats) -> tuple[Floats, Floats]:
        """Return Σr² and its part from pairs that share one subject, both times N̄², of k errors at most.

        For ranges of k each term is taken where the sum becomes greatest, and with the ends exchanged where least.
        """
        low, high = least / self.total, most / self.total
        shared = np.minimum(most**2, self.near_matches(most))
        rows = np.minimum(self._of_subjects(2 * most), shared + self.of_pairs(most))
        rows = rows - 2 * low * self.side_trials(least) + high**2 * self._trial_squares
        shared = shared - 2 * low * self.near_trials(least) + high**2 * (self._trial_squares - self.squares)
        return rows, shared

    @cached_property
    def _of_subjects(self) -> Squares:
        return Squares.of(self.matches)

    @cached_property
    def _trial_squares(self) -> float:
        return float((self.trials.astype(np.float64) ** 2).sum())

    @property
    def _mean_trials(self) -> float:
        return self.total / (self.subjects * (self.subjects - 1) / 2)


def pair_variance(rows: Any, entries: Any, subjects: int, kind: Variance, *, floor: Any = 0.0) -> Any:
    """Return V_u, V_row or V_mid from Σr² and Q of K with ΣK = 0; four subjects at least for V_u and V_mid."""
    if kind not in ("mid", "row", "u"):
        raise MatedError(f"there is no variance {kind!r}; the variances are 'mid', 'row' and 'u'")
    if subjects < 4 and kind != "row":
        raise MatedError(f"V_{kind} needs four subjects or more, and there are {subjects}")
    s = float(subjects)
    of_rows = np.maximum(4 * rows / (s * (s - 1) ** 3), floor)
    if kind == "row":
        return of_rows
    unbiased = np.maximum((4 * rows - 2 * entries) / (s * (s - 1) * (s - 2) * (s - 3)), floor)
    return unbiased if kind == "u" else (unbiased + of_rows) / 2


def _upper(matrix: Any) -> Any:
    """Return the upper triangle as a sparse matrix of integers."""
    from scipy.sparse import csr_matrix, triu

    given = csr_matrix(matrix)
    if given.shape[0] != given.shape[1] or given.diagonal().any() or (given != given.T).nnz or (given.data < 0).any():
        raise MatedError("counts of pairs of subjects must be a symmetric matrix, zero on the diagonal, none negative")
    upper = triu(given, 1, format="csr").astype(np.int64)
    upper.eliminate_zeros()
    return upper
