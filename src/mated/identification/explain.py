"""Why a CMC predicted from verification misses the measured one: subjects that differ in their false match rates.

The global ROC applies one threshold to everybody, the average ROC gives every subject the threshold of its own at which
its false match rate is the one asked for. A CMC follows from the average ROC (Veldhuis & Raja 2023, Eq. 17); predicted
from the global one it is right only where all subjects have one false match rate at every threshold (their Eq. 12).
`explain` puts both predictions beside the exact expectation of the empirical CMC, measures how far the subjects' false
match rates lie apart, and says how much of the gap each score normalisation closes.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.identification.expectation import expected_cmc
from mated.identification.normalisation import ORDER_KEEPING, normalise
from mated.scores.rivals import Rivals
from mated.scores.searches import search_blocks
from mated.scores.subject_tallies import MatedGrid, SubjectTallies
from mated.scores.validation import read_only
from mated.verification.individual import average_roc, individual_rocs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from mated.identification.cmc import Ties
    from mated.identification.expectation import ExpectedCmc
    from mated.identification.normalisation import Normalisation
    from mated.scores.searches import Layout
    from mated.scores.subject_tallies import Symmetry
    from mated.scores.tally import Tally

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["Explanation", "FmrSpread", "Gap", "Normalised", "SearchGain", "explain", "search_gain"]

_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")
_FMRS = (1e-1, 1e-2, 1e-3)
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class Gap:
    """How far a predicted CMC is from the empirical one: predicted minus empirical, over the ranks asked for.

    Attributes
    ----------
    largest, at_rank
        The difference of the largest size, with its sign, and the first rank where it occurs.
    rms
        Root of the mean square over the ranks.
    """

    largest: float
    at_rank: int
    rms: float

    @classmethod
    def between(cls, predicted: Floats, empirical: Floats, ranks: NDArray[np.int64]) -> Gap:
        """Measure two curves at the same ranks."""
        difference = predicted - empirical
        worst = int(np.argmax(np.abs(difference)))
        return cls(float(difference[worst]), int(ranks[worst]), float(np.sqrt(np.mean(difference**2))))


@dataclass(frozen=True)
class FmrSpread:
    """How the false match rates of the subjects differ at one threshold, p_fm(t|ω) over ω.

    Attributes
    ----------
    fmr, threshold, global_fmr
        The false match rate asked for, the highest score whose global false match rate reaches it (as the user writes
        scores), and the global rate there.
    quantiles
        Of the subjects' rates: 5, 25, 50, 75 and 95 per cent.
    largest
        The largest of them.
    variation
        Their coefficient of variation: standard deviation over mean.
    counting
        The coefficient of variation that counting alone would give if all were equal and comparisons independent. They
        are not, so this is a lower bound of what chance does.
    without
        Share of the subjects that have no false match at all.
    """

    fmr: float
    threshold: float
    global_fmr: float
    quantiles: tuple[float, ...]
    largest: float
    variation: float
    counting: float
    without: float

    @property
    def largest_to_median(self) -> float:
        """The largest rate over the median one; infinite where half of the subjects have no false match."""
        return self.largest / self.quantiles[2] if self.quantiles[2] else float("inf")


@dataclass(frozen=True, eq=False)
class Normalised:
    """What the global ROC predicts after a normalisation.

    Attributes
    ----------
    predicted, empirical
        The CMC from the global ROC of the normalised scores, and the expected empirical CMC of those.
    gap
        How far they are apart.
    closed
        1 − gap.rms over that of the scores as they are: 1 where nothing is left of the gap, below 0 where it grew. It
        says little where the gap was no larger than the average ROC's.
    """

    predicted: Floats
    empirical: Floats
    gap: Gap
    closed: float


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """The empirical CMC, what the global and the average ROC predict, and the reason for the difference.

    Attributes
    ----------
    ranks, gallery_size
        Where the curves are given, and identities in a gallery.
    empirical
        The exact expectation of the empirical CMC.
    from_global, from_average
        The CMC predicted from the global and from the average ROC.
    gap_global, gap_average
        How far those are from the empirical one.
    spread
        The false match rates of the subjects at thresholds of the global ones; smaller rates than one comparison are
        left out.
    normalised
        By the name of a normalisation, what is left of the gap.
    """

    ranks: NDArray[np.int64]
    gallery_size: int
    empirical: ExpectedCmc
    from_global: Floats
    from_average: Floats
    gap_global: Gap
    gap_average: Gap
    spread: tuple[FmrSpread, ...]
    normalised: Mapping[Normalisation, Normalised]

    @property
    def rms_ratio(self) -> float:
        """How many times further the global ROC's prediction is from the empirical CMC than the average ROC's."""
        return self.gap_global.rms / self.gap_average.rms if self.gap_average.rms else float("inf")

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists, for JSON."""
        return {
            "gallery_size": self.gallery_size,
            "ranks": self.ranks.tolist(),
            "empirical": self.empirical.rate.tolist(),
            "from_global": self.from_global.tolist(),
            "from_average": self.from_average.tolist(),
            "gap_global": asdict(self.gap_global),
            "gap_average": asdict(self.gap_average),
            "spread": [{**asdict(at), "quantiles": list(at.quantiles)} for at in self.spread],
            "normalised": {
                by: {"predicted": it.predicted.tolist(), "empirical": it.empirical.tolist(), "gap": asdict(it.gap)}
                | {"closed": it.closed}
                for by, it in self.normalised.items()
            },
        }

    def __repr__(self) -> str:
        return (
            f"Explanation(gallery of {self.gallery_size}: rms gap {self.gap_global.rms:.4f} from the global ROC, "
            f"{self.gap_average.rms:.4f} from the average ROC)"
        )


def explain(
    layout: Layout,
    ranks: ArrayLike | None = None,
    *,
    gallery_size: int | None = None,
    ties: Ties = "expected",
    normalisations: tuple[Normalisation, ...] = ("probe", "reference", "equal-fmr"),
    fmrs: tuple[float, ...] = _FMRS,
    symmetric: Symmetry = "auto",
) -> Explanation:
    """Compare the CMC predicted from the global and the average ROC with the empirical one, and say why they differ.

    The empirical CMC is that of galleries of one random reference for each identity (`expected_cmc`). Predictions treat
    all rivals of a subject alike, and all its probes: part of what is left between the average ROC and the empirical
    CMC comes from that. The rest comes from the individual ROCs, which have few corners where a subject has few
    samples; a corner keeps the best true match rate at its false match rate, so at low ranks the prediction is too
    high.

    Parameters
    ----------
    ranks, gallery_size, ties
        As in `expected_cmc`; a gallery cannot hold more identities than the data.
    normalisations
        Which score normalisations to try; the empirical CMC is computed again only where ranks change ("reference").
    fmrs
        False match rates at whose global thresholds the subjects are looked at.
    symmetric
        Of a table, whether each comparison counts in both directions (`SubjectTallies.of`).
    """
    from mated.identification.roc_to_cmc import cmc_of_roc, global_roc

    empirical = expected_cmc(Rivals.blocks(layout, symmetric=symmetric), ranks, gallery_size=gallery_size, ties=ties)
    asked, size = empirical.ranks, empirical.gallery_size
    tally = layout.tally()
    tallies, spread = _by_subject(layout, tally, _checked(fmrs, tally), symmetric)
    from_global = cmc_of_roc(global_roc(tally), size, asked)
    from_average = cmc_of_roc(average_roc(individual_rocs(tallies)), size, asked)
    gap = Gap.between(from_global, empirical.rate, asked)
    normalised: dict[Normalisation, Normalised] = {}
    for by in normalisations:
        scores = normalise(layout, by, symmetric=symmetric)
        truth = empirical.rate
        if by not in ORDER_KEEPING:
            truth = expected_cmc(scores, asked, gallery_size=gallery_size, ties=ties).rate
        predicted = cmc_of_roc(global_roc(scores.tally()), size, asked)
        left = Gap.between(predicted, truth, asked)
        normalised[by] = Normalised(
            read_only(predicted), truth, left, 1 - left.rms / gap.rms if gap.rms else float("nan")
        )
    return Explanation(
        asked,
        size,
        empirical,
        read_only(from_global),
        read_only(from_average),
        gap,
        Gap.between(from_average, empirical.rate, asked),
        spread,
        MappingProxyType(normalised),
    )


@dataclass(frozen=True, eq=False)
class SearchGain:
    """What a search adds beyond sorting the scores of its comparator: empirical minus theoretical CMC.

    Attributes
    ----------
    difference
        Empirical minus theoretical rate at each of `ranks`.
    largest, at_rank
        The largest difference, and the first rank where it occurs.
    mean
        The mean over the ranks.
    first
        The difference at rank 1, NaN where it is not among the ranks.
    """

    ranks: NDArray[np.int64]
    difference: Floats
    largest: float
    at_rank: int
    mean: float
    first: float


def search_gain(empirical: ArrayLike, theoretical: ArrayLike, ranks: ArrayLike | None = None) -> SearchGain:
    """Return empirical minus theoretical CMC (Bolle et al. 2005, section 7).

    A search that only sorts the scores of one-to-one comparisons has the CMC that follows from their ROC. What a search
    engine gets beyond that (an index, a fusion, a normalisation over the gallery) shows as a positive difference. It
    measures that only as far as the theoretical curve is right: that of a global ROC also holds what different false
    match rates of the subjects do (`explain`), so take the average ROC's.

    Both curves are given at the same `ranks`, by default 1, 2, ….
    """
    curves = [np.asarray(curve, dtype=np.float64) for curve in (empirical, theoretical)]
    if curves[0].ndim != 1 or not curves[0].size or curves[0].shape != curves[1].shape:
        raise MatedError(
            f"two CMCs are compared rank by rank, and these have shapes {curves[0].shape} and {curves[1].shape}; "
            "give both at the same ranks"
        )
    if any(not ((curve >= 0) & (curve <= 1)).all() for curve in curves):
        raise MatedError("a CMC holds rates between 0 and 1, and one of these does not")
    at = np.arange(1, len(curves[0]) + 1) if ranks is None else np.asarray(ranks, dtype=np.int64)
    if at.shape != curves[0].shape:
        raise MatedError(f"there are {at.size} ranks and {curves[0].size} rates; they must be as many")
    difference = curves[0] - curves[1]
    best = int(np.argmax(difference))
    first = difference[at == 1]
    return SearchGain(
        read_only(at),
        read_only(difference),
        float(difference[best]),
        int(at[best]),
        float(difference.mean()),
        float(first[0]) if len(first) else float("nan"),
    )


def _checked(fmrs: tuple[float, ...], tally: Tally) -> list[float]:
    """Return the false match rates that the data can show."""
    for fmr in fmrs:
        if not 0 < fmr < 1:
            raise MatedError(f"a false match rate lies between 0 and 1, and {fmr!r} does not")
    return [fmr for fmr in fmrs if fmr * tally.n_nonmated >= 1]


def _by_subject(
    layout: Layout, tally: Tally, fmrs: list[float], symmetric: Symmetry
) -> tuple[SubjectTallies, tuple[FmrSpread, ...]]:
    """Count each subject's non-mated scores at its mated ones, and at the thresholds of global false match rates."""
    reached = tally.nonmated_at_or_above
    places = [int(np.flatnonzero(reached >= fmr * tally.n_nonmated)[-1]) for fmr in fmrs]
    thresholds = tally.scores[places].astype(np.float64)
    owner: list[NDArray[Any]] = []
    parts: list[tuple[NDArray[Any], ...]] = []
    rates: list[Floats] = []
    totals: list[int] = []
    names: tuple[str, ...] = ()
    for searches in search_blocks(layout, scope="subject", symmetric=symmetric):
        for g in range(len(searches)):
            against = np.sort(searches.rival_score[searches.rival_start[g] : searches.rival_start[g + 1]])
            mated = searches.mated_score[searches.mated_start[g] : searches.mated_start[g + 1]]
            score, count = np.unique(mated, return_counts=True)
            parts.append(
                (score, count, *(len(against) - np.searchsorted(against, score, side=side) for side in _SIDES))
            )
            owner.append(np.full(len(score), searches.subject[g]))
            rates.append((len(against) - np.searchsorted(against, thresholds)) / len(against))
            totals.append(len(against))
        names = searches.names
    score, count, at_or_above, above = (np.concatenate(column) for column in zip(*parts, strict=True))
    grid = MatedGrid(np.concatenate(owner), score, count)
    nonmated = np.zeros(len(names), dtype=np.int64)
    nonmated[[int(codes[0]) for codes in owner]] = totals
    individual = np.array(rates).reshape(len(totals), len(fmrs))
    spread = tuple(
        _spread(fmr, individual[:, k], float(reached[place] / tally.n_nonmated), place, tally, np.array(totals))
        for k, (fmr, place) in enumerate(zip(fmrs, places, strict=True))
    )
    return SubjectTallies(grid, at_or_above, above, nonmated, symmetric=True), spread


def _spread(
    fmr: float, rates: Floats, overall: float, place: int, tally: Tally, totals: NDArray[np.int64]
) -> FmrSpread:
    mean = float(rates.mean())
    spread = float(rates.std(ddof=1)) if len(rates) > 1 else float("nan")
    return FmrSpread(
        fmr,
        tally.to_user(float(tally.scores[place])),
        overall,
        tuple(np.quantile(rates, _QUANTILES).tolist()),
        float(rates.max()),
        spread / mean if mean else float("nan"),
        float(np.sqrt(np.mean((1 - overall) / (overall * totals)))),
        float(np.mean(rates == 0)),
    )
