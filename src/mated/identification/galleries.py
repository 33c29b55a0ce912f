"""The empirical CMC by random galleries, as in section VI of Veldhuis & Raja (2023).

For every probe a gallery is drawn: of each other identity one sample at random. Every mated score of the probe is
ranked in it. `expected_cmc` gives what this estimates without drawing; the simulation is its check, and stays cheap
where a small gallery makes the exact law dear.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

import numpy as np

from mated.errors import MatedError
from mated.identification.cmc import Ties, as_ranks
from mated.identification.expectation import check_gallery, check_ties
from mated.scores.searches import search_blocks
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from mated.scores.searches import Layout, Searches
    from mated.scores.subject_tallies import Symmetry

__all__ = ["SimulatedCmc", "simulate_cmc"]

_UNIFORMS_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False, repr=False)
class SimulatedCmc:
    """The empirical CMC of drawn galleries, for each subject and for all, with its Monte-Carlo error.

    The standard errors say how far the mean over the galleries drawn is from that over all galleries; how far other
    probes or subjects would differ, they do not say. They are NaN where one gallery was drawn for each probe.

    Attributes
    ----------
    ranks, rate, individual, subjects, names, comparisons, gallery_size, ties, incomplete
        As in `ExpectedCmc`.
    se, individual_se
        Monte-Carlo standard errors of `rate` and `individual`, from the spread between the galleries of each probe.
    galleries
        How many were drawn for each probe.
    """

    ranks: NDArray[np.int64]
    rate: NDArray[np.float64]
    se: NDArray[np.float64]
    individual: NDArray[np.float64]
    individual_se: NDArray[np.float64]
    subjects: NDArray[np.int64]
    names: tuple[str, ...]
    comparisons: NDArray[np.int64]
    galleries: int
    gallery_size: int
    ties: Ties
    incomplete: int = 0

    def __post_init__(self) -> None:
        for name in ("ranks", "rate", "se", "individual", "individual_se", "subjects", "comparisons"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def __repr__(self) -> str:
        return (
            f"SimulatedCmc(rank {self.ranks[0]}: {self.rate[0]:.4f} ± {self.se[0]:.4f}, {self.galleries} galleries "
            f"a probe, gallery of {self.gallery_size})"
        )


def simulate_cmc(
    layout: Layout,
    ranks: ArrayLike | None = None,
    *,
    galleries: int = 5,
    gallery_size: int | None = None,
    ties: Ties = "expected",
    rng: np.random.Generator | int | None = None,
    symmetric: Symmetry = "auto",
) -> SimulatedCmc:
    """Draw galleries for every probe and rank its mated scores in them.

    Parameters
    ----------
    galleries
        m_g of Veldhuis & Raja (2023): galleries drawn for each probe; all its mated scores are ranked in each.
    gallery_size
        Identities in a gallery with the mate's. Left out: all a probe was compared with. Smaller: as many others as
        needed, drawn without replacement for each gallery.
    ties
        Where the mate stands among equal scores; "expected" draws its place at random.
    rng
        A seed or a generator. Every probe has a stream of its own: more galleries add to the same first ones.
    """
    check_ties(ties)
    if galleries < 1 or galleries != int(galleries):
        raise MatedError(f"draw at least one gallery for each probe, a whole number, not {galleries!r}")
    seed = _seed(rng)
    sums = _Sums()
    for searches in search_blocks(layout, symmetric=symmetric):
        largest = gallery_size or len(searches.names)
        most = largest if ranks is None else int(as_ranks(ranks, largest).max())
        _search(searches, most, galleries, gallery_size, ties, seed, sums)
    if not sums.found:
        raise MatedError("no probe has both mated and non-mated comparisons, so there is nobody to search for")
    size = max(sums.met) + 1 if gallery_size is None else int(gallery_size)
    wanted = np.arange(1, size + 1) if ranks is None else np.atleast_1d(as_ranks(ranks, size))
    subjects = np.array(sorted(sums.found))
    comparisons = np.array([sums.comparisons[code] for code in subjects.tolist()])
    individual = np.array([sums.found[code] for code in subjects.tolist()])[:, wanted - 1]
    variance = np.array([sums.variance[code] for code in subjects.tolist()])[:, wanted - 1]
    individual = individual / (galleries * comparisons[:, None])
    variance = variance / comparisons[:, None] ** 2
    return SimulatedCmc(
        wanted,
        individual.mean(axis=0),
        np.sqrt(variance.sum(axis=0)) / len(subjects),
        individual,
        np.sqrt(variance),
        subjects,
        tuple(sums.names[code] for code in subjects.tolist()),
        comparisons,
        int(galleries),
        size,
        ties,
        sum(number for others, number in sums.met.items() if others + 1 < size),
    )


class _Sums:
    """What has been found so far, by subject code; `met` counts mated comparisons by how many rivals they met."""

    def __init__(self) -> None:
        self.found: dict[int, NDArray[np.float64]] = {}
        self.variance: dict[int, NDArray[np.float64]] = {}
        self.comparisons: dict[int, int] = {}
        self.met: dict[int, int] = {}
        self.names: tuple[str, ...] = ()


def _search(
    searches: Searches, most: int, galleries: int, gallery_size: int | None, ties: Ties, seed: int, sums: _Sums
) -> None:
    """Search galleries for every probe of a block, and add up what was found by subject."""
    from mated.identification.galleries_kernels import search_galleries

    rule = get_args(Ties).index(ties)
    sums.names = searches.names
    starts_rival = np.append(True, np.diff(searches.rival) != 0)
    starts_rival[searches.rival_start[:-1]] = True
    starts = np.append(np.flatnonzero(starts_rival), len(searches.rival))
    for g in range(len(searches)):
        low, high = np.searchsorted(starts, searches.rival_start[g : g + 2])
        segments = starts[low : high + 1]
        others = len(segments) - 1
        if gallery_size is not None:
            check_gallery(gallery_size, others)
        drawn = others if gallery_size is None else gallery_size - 1
        mated = searches.mated_score[searches.mated_start[g] : searches.mated_start[g + 1]]
        width = others + len(mated) + (drawn if drawn < others else 0)
        generator = np.random.default_rng([seed, int(searches.subject[g]), int(searches.number[g])])
        found, squared = np.zeros(most), np.zeros(most)
        step = max(1, _UNIFORMS_AT_ONCE // width)
        for start in range(0, galleries, step):
            uniform = generator.random((min(step, galleries - start), width))
            search_galleries(mated, segments, searches.rival_score, drawn, uniform, rule, found, squared)
        code = int(searches.subject[g])
        spread = np.full(most, np.nan)
        if galleries > 1:
            spread = np.maximum(squared - found**2 / galleries, 0.0) / (galleries * (galleries - 1))
        sums.found[code] = sums.found.get(code, 0.0) + found
        sums.variance[code] = sums.variance.get(code, 0.0) + spread
        sums.comparisons[code] = sums.comparisons.get(code, 0) + len(mated)
        sums.met[others] = sums.met.get(others, 0) + len(mated)


def _seed(rng: np.random.Generator | int | None) -> int:
    try:
        return int(np.random.default_rng(rng).integers(2**63))
    except (TypeError, ValueError):
        raise MatedError(f"rng takes a whole number from 0 up or a NumPy generator, not {rng!r}") from None
