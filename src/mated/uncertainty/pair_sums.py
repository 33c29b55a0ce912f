"""The sums over pairs of subjects that the variance of FMR is made of; the formulas stand in `cluster`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.scores.subject_pairs import PairTotals, SubjectPairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["PairSums", "Variance", "least_filled", "most_squares", "pair_variance"]

Variance: TypeAlias = Literal["mid", "row", "u"]


@dataclass(frozen=True, eq=False)
class PairSums:
    """The sums over pairs of subjects that the variance of FMR is made of.

    Attributes
    ----------
    matches, trials
        False matches and comparisons each subject takes part in.
    pair_matches, pair_trials
        M_ij > 0 and the N_ij beside it, unordered pairs.
    near_matches, near_trials
        For each such pair the false matches, and the comparisons, in which one of its subjects or both take part.
    total, squares
        ΣN and ΣN² over all unordered pairs.
    """

    matches: NDArray[np.int64]
    trials: NDArray[np.int64]
    pair_matches: NDArray[np.int64]
    pair_trials: NDArray[np.int64]
    near_matches: NDArray[np.int64]
    near_trials: NDArray[np.int64]
    total: int
    squares: float

    @classmethod
    def of_counts(
        cls, first: NDArray[np.int64], second: NDArray[np.int64], counts: NDArray[np.int64], totals: PairTotals
    ) -> PairSums:
        """Sum M given by its pairs (first < second) with the totals of all pairs."""
        matches, trials, pair_trials = (
            np.zeros(totals.n_subjects, np.int64),
            totals.of_subject,
            totals.at(first, second),
        )
        for side in (first, second):
            np.add.at(matches, side, counts)
        near = (matches[first] + matches[second] - counts, trials[first] + trials[second] - pair_trials)
        return cls(matches, trials, counts, pair_trials, *near, totals.total, totals.squares)

    @classmethod
    def of_matrices(cls, false_matches: Any, totals: Any) -> PairSums:
        """Sum two symmetric matrices with zero diagonal."""
        matches, trials = _upper(false_matches), _upper(totals)
        if matches.shape != trials.shape:
            raise MatedError(f"false matches are of size {matches.shape} and comparisons of size {trials.shape}")
        entries = matches.tocoo()
        first, second = (index.astype(np.int64) for index in entries.coords)
        sums = cls.of_counts(first, second, entries.data, PairTotals(trials.shape[0], None, Fraction(0), trials))
        if (sums.pair_matches > sums.pair_trials).any():
            raise MatedError("a pair of subjects has more false matches than comparisons")
        return sums.compact()

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
    def count(self) -> int:
        """Number of false matches."""
        return int(self.pair_matches.sum())

    @property
    def residual_rows(self) -> Floats:
        """The r_i of each subject."""
        rows: Floats = (self.matches - self.count / self.total * self.trials) / self._mean_trials
        return rows

    @property
    def residual_squares(self) -> float:
        """The sum Q of K² over ordered pairs."""
        rate, m = self.count / self.total, self.pair_matches.astype(np.float64)
        upper = float(m @ m) - 2 * rate * float(m @ self.pair_trials) + rate**2 * self.squares
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
        rate, m = k / self.total, self.pair_matches
        shared = np.minimum(k**2, -least_filled(m, -self.near_matches, k))
        rows = np.minimum(most_squares(self.matches, 2 * k), shared + most_squares(m, k))
        rows = rows - 2 * rate * least_filled(m, self.near_trials + self.pair_trials, k)
        shared = shared - 2 * rate * least_filled(m, self.near_trials, k)
        constant = float((self.trials.astype(np.float64) ** 2).sum())
        rows, shared = rows + rate**2 * constant, shared + rate**2 * (constant - self.squares)
        parts = (np.maximum(rows, 0.0) / self._mean_trials**2, 2 * (rows - shared) / self._mean_trials**2)
        result: Floats = pair_variance(*parts, self.subjects, kind, floor=rate * (1 - rate) / self.total)
        return result

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


def most_squares(sizes: NDArray[np.int64], amount: Floats) -> Floats:
    """Return the greatest Σx² of numbers 0 ≤ x ≤ sizes that sum to `amount`: the largest are filled first."""
    ordered = np.sort(sizes)[::-1].astype(np.float64)
    filled, squares = (np.append(0.0, np.cumsum(values)) for values in (ordered, ordered**2))
    full = np.searchsorted(filled, amount, side="right") - 1
    most: Floats = squares[full] + (amount - filled[full]) ** 2
    return most


def least_filled(sizes: NDArray[np.int64], rates: NDArray[np.int64], amount: Floats) -> Floats:
    """Return the least Σx·rate of such numbers: the lowest rates are filled first."""
    order = np.argsort(rates, kind="stable")
    size = sizes[order].astype(np.float64)
    filled = np.append(0.0, np.cumsum(size))
    least: Floats = np.interp(amount, filled, np.append(0.0, np.cumsum(size * rates[order])))
    return least


def _upper(matrix: Any) -> Any:
    """Return the upper triangle as a sparse matrix of integers."""
    from scipy.sparse import csr_matrix, triu

    given = csr_matrix(matrix)
    if given.shape[0] != given.shape[1] or given.diagonal().any() or (given != given.T).nnz or (given.data < 0).any():
        raise MatedError("counts of pairs of subjects must be a symmetric matrix, zero on the diagonal, none negative")
    upper = triu(given, 1, format="csr").astype(np.int64)
    upper.eliminate_zeros()
    return upper
