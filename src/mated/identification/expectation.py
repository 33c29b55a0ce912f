"""The exact expectation of the empirical CMC: the law of a mate's rank, without drawing galleries.

Veldhuis & Raja (2023, section VI) estimate a CMC by drawing galleries: for a probe and each other identity ν one of ν's
samples at random, then the rank of a mated score among them. Given the probe and its mated score, ν beats it with
probability p_ν, the share of ν's samples that score higher, and the draws are independent. The number of rivals that
beat the mate is therefore a sum of independent Bernoulli variables (the Poisson-binomial law), and the expectation over
all galleries is computed by adding one rival after the other: subjects × ranks operations a mated comparison.

Equal scores. Galleries sort equal scores in random order. Let u be the place of the mate among them, uniform on [0, 1]:
given u, ν beats the mate with probability P(>) + u·P(=), all ν independently, and the law is the mean over u. As a
function of u a probability of that law is a polynomial of degree T, the number of rivals with ties, so ⌈(T + 1)/2⌉
nodes of Gauss–Legendre quadrature give its mean exactly. Fewer do where ties are rare: on the ellipse with foci 0 and 1
that corresponds to ρ > 1 the polynomial is at most Π(1 + e_ν(c − 1)) ≤ exp((c − 1)E), with c = (ρ + 1/ρ)/2, e_ν = P(=)
and E = Σe_ν, so that K nodes err by at most 8/3·exp((c − 1)E)·ρ^(−2K)/(1 − ρ^−2). K is the smallest number for which
that is below 10^−15 for some ρ, or the exact one if smaller.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from mated.errors import MatedError
from mated.identification.cmc import Ties, as_ranks
from mated.scores.comparisons import Comparisons
from mated.scores.matrix import ScoreMatrix
from mated.scores.rivals import Rivals
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

    from mated.scores.searches import Layout

__all__ = ["ExpectedCmc", "check_gallery", "check_ties", "expected_cmc", "rank_distributions"]

_QUADRATURE_ERROR = 1e-15
_MOST_NODES = 1024  # enough for 55,000 ties of one mated score
_AT_ONCE = 1 << 21  # probabilities held at a time: mated comparisons × ranks
_MOST_STEPS = 5e10  # of the small-gallery law, about a minute


@dataclass(frozen=True, eq=False, repr=False)
class ExpectedCmc:
    """The expectation of the empirical CMC over all galleries, for each subject and for all.

    Attributes
    ----------
    ranks
        The ranks asked for.
    rate
        P(rank ≤ r): the mean of the individual ones, every subject counting once (Veldhuis & Raja 2023, Eq. 14).
    individual
        One row for each subject, the mean over its mated comparisons.
    subjects
        Codes of those subjects, ascending; `names` are their names.
    comparisons
        How many mated comparisons each has.
    gallery_size
        Identities in a gallery, the mate's included; the largest, where not all probes met the same number.
    incomplete
        Mated comparisons whose probe met fewer identities than that.
    """

    ranks: NDArray[np.int64]
    rate: NDArray[np.float64]
    individual: NDArray[np.float64]
    subjects: NDArray[np.int64]
    names: tuple[str, ...]
    comparisons: NDArray[np.int64]
    gallery_size: int
    ties: Ties
    incomplete: int = 0

    def __post_init__(self) -> None:
        for name in ("ranks", "rate", "individual", "subjects", "comparisons"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def __repr__(self) -> str:
        return (
            f"ExpectedCmc(rank {self.ranks[0]}: {self.rate[0]:.4f}, {len(self.subjects)} subjects, "
            f"gallery of {self.gallery_size})"
        )


def expected_cmc(
    rivals: Layout | Rivals | Iterable[Rivals],
    ranks: ArrayLike | None = None,
    *,
    gallery_size: int | None = None,
    ties: Ties = "expected",
) -> ExpectedCmc:
    """Return what the empirical CMC by random galleries is on average, exactly.

    Parameters
    ----------
    rivals
        A table or matrix of comparisons (its `Rivals.blocks` are used), or rivals counted already.
    ranks
        Ranks to give; all ranks up to the gallery size where left out. The cost grows with the largest.
    gallery_size
        Identities in a gallery with the mate's. Left out: all a probe was compared with, one reference each. Smaller:
        as many others as needed, every set equally likely, which costs more (refused beyond 5·10^10 steps).
    ties
        Where the mate stands among equal scores.

    Notes
    -----
    The law is that of galleries drawn from the data at hand; how far other data would differ, it does not say.

    The rates are right to about 10^−13: sums of products of positive numbers, and a mean over ties whose error is
    bounded by 10^−15.
    """
    check_ties(ties)
    if isinstance(rivals, Comparisons | ScoreMatrix):
        rivals = Rivals.blocks(rivals)
    sums: dict[int, NDArray[np.float64]] = {}
    counts: dict[int, int] = {}
    met: dict[int, int] = {}
    names: tuple[str, ...] = ()
    steps = 0.0
    for part in [rivals] if isinstance(rivals, Rivals) else rivals:
        names = part.names
        others, how_many = np.unique(part.others, return_counts=True)
        for size, number in zip(others.tolist(), how_many.tolist(), strict=True):
            met[size] = met.get(size, 0) + number
        if gallery_size is not None:
            check_gallery(gallery_size, int(others[0]))
        largest = gallery_size or len(names)
        most = largest if ranks is None else int(as_ranks(ranks, largest).max())
        codes, place = np.unique(part.subject, return_inverse=True)
        here = np.zeros((len(codes), most))
        step = max(1, _AT_ONCE // most)
        for start in range(0, part.n_mated, step):
            rows = slice(start, min(start + step, part.n_mated))
            laws, spent = _distributions(part, rows, most, gallery_size, ties, _MOST_STEPS - steps)
            steps += spent
            np.add.at(here, place[rows], laws)
        for code, number, total in zip(codes.tolist(), np.bincount(place).tolist(), here, strict=True):
            sums[code] = sums[code] + total if code in sums else total
            counts[code] = counts.get(code, 0) + number
    if not sums:
        raise MatedError("no probe has both mated and non-mated comparisons, so there is no rank to expect")
    size = max(met) + 1 if gallery_size is None else int(gallery_size)
    wanted = np.arange(1, size + 1) if ranks is None else np.atleast_1d(as_ranks(ranks, size))
    subjects = np.array(sorted(sums))
    comparisons = np.array([counts[code] for code in subjects.tolist()])
    individual = np.array([sums[code] for code in subjects.tolist()])[:, wanted - 1] / comparisons[:, None]
    return ExpectedCmc(
        wanted,
        individual.mean(axis=0),
        individual,
        subjects,
        tuple(names[code] for code in subjects.tolist()),
        comparisons,
        size,
        ties,
        sum(number for others, number in met.items() if others + 1 < size),
    )


def rank_distributions(
    rivals: Rivals, max_rank: int, *, gallery_size: int | None = None, ties: Ties = "expected"
) -> NDArray[np.float64]:
    """Return P(rank ≤ r), r = 1 to `max_rank`, of each mated comparison: one row each."""
    check_ties(ties)
    most = int(as_ranks(max_rank, gallery_size or len(rivals.names)))
    if gallery_size is not None:
        check_gallery(gallery_size, int(rivals.others.min()))
    return _distributions(rivals, slice(0, rivals.n_mated), most, gallery_size, ties, _MOST_STEPS)[0]


def check_ties(ties: str) -> None:
    """Refuse what is no rule for equal scores."""
    if ties not in get_args(Ties):
        raise MatedError(f"ties must be one of {', '.join(map(repr, get_args(Ties)))}, not {ties!r}")


def check_gallery(gallery_size: int, fewest_others: int) -> None:
    """Refuse galleries of fewer than two identities, and those for which the data have not enough."""
    if gallery_size < 2 or gallery_size != int(gallery_size):
        raise MatedError(f"a gallery holds at least 2 identities, a whole number, and {gallery_size!r} is not")
    if gallery_size - 1 > fewest_others:
        raise MatedError(
            f"a gallery of {gallery_size} needs {gallery_size - 1} other identities, and some probe was compared with "
            f"{fewest_others} only; ask for a smaller gallery, or predict a larger one from the average ROC"
        )


def _distributions(
    rivals: Rivals, rows: slice, most: int, gallery_size: int | None, ties: Ties, steps_left: float
) -> tuple[NDArray[np.float64], float]:
    """Return P(rank ≤ r) of some mated comparisons, and the steps it took where galleries are smaller than the data."""
    from mated.identification.poisson_binomial_kernels import full_gallery, small_gallery

    above, tied, search = rivals.above[rows], rivals.tied[rows], rivals.search[rows]
    if ties != "expected":
        if ties == "pessimistic":
            above = read_only(above + tied)
        tied = read_only(np.zeros_like(tied))  # one kind of array, so that the kernels are compiled once
    rule, sizes = _quadrature(tied, rivals.total, search)
    points = [np.polynomial.legendre.leggauss(size) for size in sizes]
    node_start = np.append(0, np.cumsum(sizes))
    node = np.concatenate([(1 + x) / 2 for x, _ in points])
    weight = np.concatenate([w / 2 for _, w in points])
    result = np.empty((len(search), most))
    if gallery_size is None or gallery_size > int(rivals.others[rows].max()):
        full_gallery(above, tied, rivals.total, search, rule, node_start, node, weight, result)
        return result, 0.0
    steps = _small_gallery_steps(above, tied, np.array(sizes)[rule], gallery_size, most)
    if steps > steps_left:
        raise MatedError(
            f"the exact law in galleries of {gallery_size} out of more identities would take over {_MOST_STEPS:.0e} "
            "steps here; ask for fewer ranks, leave gallery_size out, or draw galleries with simulate_cmc"
        )
    small_gallery(above, tied, rivals.total, search, gallery_size - 1, rule, node_start, node, weight, result)
    return result, steps


def _small_gallery_steps(
    above: NDArray[Any], tied: NDArray[Any], nodes: NDArray[np.int64], gallery_size: int, ranks: int
) -> float:
    n_tied = np.count_nonzero(tied, axis=1)
    plain = np.count_nonzero((above > 0) & (tied == 0), axis=1)
    deep = np.minimum(plain + n_tied, gallery_size - 1) + 1
    return float(((plain + nodes * n_tied) * deep).sum()) * ranks


def _quadrature(
    tied: NDArray[Any], total: NDArray[Any], search: NDArray[np.int64]
) -> tuple[NDArray[np.int64], list[int]]:
    """Return for each mated comparison the number of a quadrature rule, and how many nodes each rule has."""
    with_ties = np.flatnonzero(tied.any(axis=1))
    if not len(with_ties):
        return np.zeros(len(tied), dtype=np.int64), [1]
    here = tied[with_ties]
    expected = (here / np.maximum(total[search[with_ties]], 1)).sum(axis=1)
    exact = np.count_nonzero(here, axis=1) // 2 + 1
    nodes = np.ones(len(tied), dtype=np.int64)
    nodes[with_ties] = np.minimum(exact, 1 + np.searchsorted(_most_ties(), expected))
    if nodes.max() > _MOST_NODES:
        raise MatedError(
            f"a mated score is expected to tie with {expected.max():.0f} other identities, too many for the mean over "
            "their order; use ties='pessimistic' and 'optimistic' for its bounds"
        )
    sizes, rule = np.unique(nodes, return_inverse=True)
    return rule.astype(np.int64), sizes.tolist()


@cache
def _most_ties() -> NDArray[np.float64]:
    """Return the largest expected number of ties for which 1, 2, … nodes are accurate, by the bound above."""
    rho = 1 + np.logspace(-3, 3, 400)
    nodes = np.arange(1, _MOST_NODES + 1)[:, None]
    room = np.log(_QUADRATURE_ERROR * 3 / 8) + 2 * nodes * np.log(rho) + np.log1p(-(rho**-2))
    most: NDArray[np.float64] = (room / ((rho + 1 / rho) / 2 - 1)).max(axis=1)
    return np.maximum.accumulate(np.maximum(most, 0.0))
