"""Many comparisons of systems at once: adjusted p-values, and which systems cannot be told apart."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mated.errors import MatedError
from mated.uncertainty.binomial import check_level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Ranking", "holm", "ranking"]


def holm(p_values: Sequence[float] | NDArray[Any]) -> NDArray[np.float64]:
    """Return p-values adjusted for their number, in the order given.

    Formula: with the p-values ascending, p₍₁₎ ≤ … ≤ p₍ₖ₎, the adjusted j-th is the largest of (k − i + 1)·p₍ᵢ₎ over
    i ≤ j, at most 1. Rejecting where the adjusted value is at most α keeps the probability of any false rejection at α.

    Holds whatever the dependence between the tests, and is never weaker than Bonferroni's correction. All tests
    that were made must be in the list, also those that showed nothing.

    Reference: Holm (1979).
    """
    p = _as_p_values(p_values)
    if p.ndim != 1:
        raise MatedError(f"p-values to adjust are a one-dimensional list, and these have shape {p.shape}")
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


@dataclass(frozen=True)
class Ranking:
    """Systems from best to worst, with letters: two systems share a letter if and only if no difference was shown.

    Attributes
    ----------
    names, estimates
        The systems and their estimates, best first.
    letters
        The letters of each system; "ab" belongs to the groups a and b. After z comes a′.
    groups
        The systems of each letter, in the order of the letters: the largest sets without a difference shown.
    better
        Whether low or high estimates are the better ones.
    alpha
        Adjusted p-values at or below it count as a difference.
    """

    names: tuple[str, ...]
    estimates: tuple[float, ...]
    letters: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    better: Literal["low", "high"]
    alpha: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


def ranking(
    names: Sequence[str],
    estimates: Sequence[float] | NDArray[Any],
    p_adjusted: NDArray[Any] | Sequence[Sequence[float]],
    *,
    better: Literal["low", "high"] = "low",
    alpha: float = 0.05,
) -> Ranking:
    """Order systems by their estimates and mark those that cannot be told apart by common letters.

    `p_adjusted[i, j]` is the adjusted p-value (see `holm`) of the difference between systems i and j; the matrix is
    symmetric and its diagonal is not read.

    The letters are a compact letter display. Each stands for a largest set of systems no two of which differ; sets
    are grown from the best system that still misses a common letter with an equal, and a set that adds nothing is
    left out. The number of letters is small, though not always the smallest possible, which is NP-hard to find.

    Sharing a letter means that no difference was shown, never that the systems are equal; and it need not be
    transitive: a = b and b = c with a ≠ c is common.

    Reference: Piepho (2004); Gramm, Guo, Hüffner, Niedermeier, Piepho and Schmid (2007).
    """
    check_level(alpha)
    if better not in ("low", "high"):
        raise MatedError(f"better is 'low' or 'high', not {better!r}")
    values, p = np.asarray(estimates, dtype=np.float64), _as_matrix(p_adjusted, len(names))
    if values.shape != (len(names),) or not np.isfinite(values).all():
        raise MatedError(f"a ranking needs one finite estimate for each of the {len(names)} systems")
    if len(set(names)) != len(names):
        raise MatedError("the names of ranked systems must differ from each other")
    order = np.argsort(values if better == "low" else -values, kind="stable")
    alike = p[np.ix_(order, order)] > alpha
    sets = _cover(alike)
    ordered = [names[i] for i in order]
    return Ranking(
        names=tuple(ordered),
        estimates=tuple(float(values[i]) for i in order),
        letters=tuple("".join(_letter(k) for k, s in enumerate(sets) if i in s) for i in range(len(ordered))),
        groups=tuple(tuple(ordered[i] for i in sorted(s)) for s in sets),
        better=better,
        alpha=float(alpha),
    )


def _as_p_values(p_values: Any) -> NDArray[np.float64]:
    try:
        p = np.asarray(p_values, dtype=np.float64)
    except (TypeError, ValueError):
        raise MatedError("p-values must be numbers") from None
    wrong = ~((p >= 0) & (p <= 1))
    if wrong.any():
        raise MatedError(f"a p-value lies between 0 and 1, and {p[wrong][0]:g} does not")
    return p


def _as_matrix(p_adjusted: Any, count: int) -> NDArray[np.float64]:
    try:
        matrix = np.array(p_adjusted, dtype=np.float64)
    except (TypeError, ValueError):
        raise MatedError("p-values must be numbers") from None
    if matrix.shape != (count, count):
        raise MatedError(
            f"{count} systems need a {count} × {count} matrix of p-values, and this has shape {matrix.shape}"
        )
    np.fill_diagonal(matrix, 1.0)
    _as_p_values(matrix)
    if not np.array_equal(matrix, matrix.T):
        raise MatedError("the matrix of p-values must be symmetric: the pair (i, j) has one p-value")
    return matrix


def _cover(alike: NDArray[np.bool_]) -> list[set[int]]:
    """Return maximal sets of mutually alike systems that together hold every alike pair, ordered by their members."""
    count = len(alike)
    covered = np.zeros_like(alike)
    sets: list[set[int]] = []
    # A pair (i, i) at the end of each row gives systems unlike all others a set of their own.
    for i in range(count):
        for j in [*range(i + 1, count), i]:
            if not alike[i, j] or covered[i, j]:
                continue
            members = [i, j] if i != j else [i]
            for v in range(count):
                if v not in members and alike[v, members].all():
                    members.append(v)
            covered[np.ix_(members, members)] = True
            sets.append(set(members))
    for candidate in list(sets):
        held = np.zeros(alike.shape, dtype=int)
        for s in sets:
            held[np.ix_(sorted(s), sorted(s))] += 1
        if (held[np.ix_(sorted(candidate), sorted(candidate))] > 1).all():
            sets.remove(candidate)
    return sorted(sets, key=sorted)


def _letter(number: int) -> str:
    return ascii_lowercase[number % 26] + "′" * (number // 26)
