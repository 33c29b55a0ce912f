"""Open-set identification: what a search tells people who are enrolled, and people who are not.

A search with threshold T and candidate lists of length R returns the identities that score T or more, the R best of
them (ISO/IEC 19795-1; NIST FRTE 1:N):

    FPIR(T)    = share of open-set probes whose best score ≥ T: a list that should have been empty
    FNIR(T, R) = share of mated probes whose mate scores below T or ranks beyond R: a mate that was not found
    TPIR       = 1 − FNIR, also called the detection-and-identification rate

At T = −∞, FNIR(T, R) = 1 − CMC(R). A mate whose comparison failed scores −∞: no other threshold finds it. Ties in rank
follow the named choices of `mated.identification.cmc`; under the expected rule a probe whose mate ties across R is
missed in part.

FPIR belongs to the size of the gallery: with N times as many identities it is nearly N times as high while it is small.

Thresholds go in and come out in the user's own scoring system.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.identification.cmc import Ties, shares_within
from mated.scores.counting import count_distinct
from mated.scores.tally import Tally
from mated.scores.unit import detect_unit
from mated.scores.validation import read_only
from mated.verification.cautions import FEW_ERRORS
from mated.verification.rates import at_fmr, exact_rate, inner_threshold

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import ArrayLike, NDArray

    from mated.scores.ranks import Ranks

    Floats: TypeAlias = NDArray[np.float64]

__all__ = [
    "OpenSetCurve",
    "OpenSetPoint",
    "UnmatedProbes",
    "WatchList",
    "open_set_at_fpir",
    "open_set_at_threshold",
    "open_set_curve",
    "open_set_tally",
    "score_tally",
    "unmated_searches",
    "watch_list",
]

UnmatedProbes: TypeAlias = Literal["open", "mate removed"]
"""Who searches without a mate: open-set probes, or the mated probes in a gallery without their mate."""


@dataclass(frozen=True)
class OpenSetPoint:
    """Both error rates of a search at one threshold.

    Attributes
    ----------
    threshold
        In the user's scoring system.
    rank
        Length of the candidate list; None where it has no limit.
    fpir, fnir
        The rates as observed at the threshold.
    errors_open, errors_mated
        Open-set probes with a candidate; mated probes without their mate in the list, a fraction under expected ties.
    below_threshold
        Of the latter, those that the threshold alone turned away.
    n_open, n_mated
        Searches behind each rate.
    probes, gallery_size
        Who searched without a mate, and among how many identities.
    ties
        Where a mate stands among the identities that score the same.
    target
        The FPIR asked for, where the threshold was chosen by one.
    caution
        What the data cannot support, in words.
    """

    threshold: int | float
    rank: int | None
    fpir: float
    fnir: float
    errors_open: int
    errors_mated: int | float
    below_threshold: int
    n_open: int
    n_mated: int
    probes: UnmatedProbes
    gallery_size: int
    ties: Ties
    target: float | None = None
    caution: str | None = None

    @property
    def tpir(self) -> float:
        """Share of mated probes whose mate was found: the detection-and-identification rate."""
        return 1 - self.fnir


@dataclass(frozen=True, eq=False, repr=False)
class OpenSetCurve:
    """FNIR against FPIR over all thresholds, from one that nothing reaches down to the lowest score.

    Between two points there is no threshold, so the curve is a staircase: `curve(f)` is the FNIR of the smallest
    threshold whose FPIR does not exceed f, the value of `open_set_at_fpir`.

    Attributes
    ----------
    fpir, fnir
        Coordinates, the first ascending from 0 to 1, the second descending from 1 to 1 − CMC(R).
    scores
        The distinct scores of mates and of the best candidates of open-set probes, inner similarities from the highest
        down, one for each point after the first.
    n_open, n_mated, rank, ties, probes
        As in `OpenSetPoint`.
    dissimilarity
        Whether the user's scores are those negated.
    """

    fpir: Floats
    fnir: Floats
    scores: NDArray[np.floating[Any]]
    n_open: int
    n_mated: int
    rank: int | None
    ties: Ties
    probes: UnmatedProbes
    dissimilarity: bool = False

    def __post_init__(self) -> None:
        for name in ("fpir", "fnir", "scores"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @cached_property
    def threshold(self) -> NDArray[np.floating[Any]]:
        """The threshold of each point in the user's scoring system; at the first one that nothing reaches."""
        inner = np.concatenate([[self.scores.dtype.type(np.inf)], self.scores])
        return read_only((-inner if self.dissimilarity else inner) + self.scores.dtype.type(0))

    def __call__(self, fpir: ArrayLike) -> Any:
        """FNIR at the given false positive identification rates, each read as the decimal it is written as."""
        asked = np.asarray(fpir)
        counts = np.rint(self.fpir * self.n_open).astype(np.int64)
        allowed = [
            int(exact_rate(f, "an FPIR", one_allowed=True, zero_allowed=True) * self.n_open // 1)
            for f in asked.ravel().tolist()
        ]
        value = self.fnir[np.searchsorted(counts, allowed, side="right") - 1].reshape(asked.shape)
        return value if value.ndim else float(value)

    def __len__(self) -> int:
        return len(self.fpir)

    def __repr__(self) -> str:
        return f"OpenSetCurve({len(self)} points, {self.n_mated} mated and {self.n_open} open-set probes)"


@dataclass(frozen=True)
class WatchList:
    """What a list of wanted people does with those on it and those not (Bolle et al. 2005, Eq. 8).

    Attributes
    ----------
    length, threshold
        Length K of the candidate list, and the score from which on an identity enters it; None for any score.
    found, missed
        Share of the wanted whose identity is among their K candidates, and P_F(K) = 1 − that.
    flagged
        Share of people not on the list who get a candidate all the same; None without open-set probes.
    """

    length: int
    threshold: int | float | None
    found: float
    missed: float
    flagged: float | None


def open_set_at_threshold(
    ranks: Ranks,
    threshold: float,
    rank: int | None = 1,
    *,
    ties: Ties = "expected",
    probes: UnmatedProbes = "open",
) -> OpenSetPoint:
    """Count both errors at a threshold of the user's scoring system.

    Parameters
    ----------
    rank
        Length R of the candidate list; None for no limit.
    probes
        "open" takes FPIR from the open-set probes. "mate removed" serves tests without any: each mated probe searches
        the gallery without its mate, which is then smaller by one. Such probes are those of enrolled people, and the
        same as behind FNIR.
    """
    tally = open_set_tally(ranks, probes)
    inner = inner_threshold(tally, threshold)
    return _point(ranks, tally, inner, threshold, rank, ties, probes)


def open_set_at_fpir(
    ranks: Ranks, fpir: float, rank: int | None = 1, *, ties: Ties = "expected", probes: UnmatedProbes = "open"
) -> OpenSetPoint:
    """Count both errors at the smallest threshold whose FPIR does not exceed a target.

    The target is the decimal a user writes: with N open-set probes at most ⌊f·N⌋ may get a candidate, in exact
    arithmetic. The threshold lies one unit above the highest score that lets in more; for continuous scores it is the
    next score of a mate or of a best candidate. `fpir` of the result is the rate observed there, never above the
    target.
    """
    target = exact_rate(fpir, "an FPIR")
    tally = open_set_tally(ranks, probes)
    threshold = at_fmr(tally, fpir).threshold_conservative
    point = _point(ranks, tally, tally.from_user(threshold), threshold, rank, ties, probes, target)
    if point.errors_open > target * point.n_open:
        raise MatedError(
            f"no threshold keeps FPIR at {fpir}: {point.errors_open} of {point.n_open} searches without a mate "
            "scored infinity"
        )
    return point


def open_set_curve(
    ranks: Ranks, rank: int | None = 1, *, ties: Ties = "expected", probes: UnmatedProbes = "open"
) -> OpenSetCurve:
    """Return FPIR and FNIR at every threshold that makes a difference, by one sort."""
    tally = open_set_tally(ranks, probes)
    found = shares_within(ranks, rank, ties)
    place = np.searchsorted(tally.scores, ranks.mate_score)
    at_score = np.bincount(place, weights=found.parts, minlength=len(tally.scores))[::-1]
    reached, total = np.concatenate([[0.0], np.cumsum(at_score)]), tally.n_mated * (found.unit or 1)
    false_positives = np.concatenate([[0], tally.nonmated_at_or_above[::-1]])
    return OpenSetCurve(
        fpir=false_positives / tally.n_nonmated,
        fnir=np.maximum(total - reached, 0.0) / total,
        scores=tally.scores[::-1],
        n_open=tally.n_nonmated,
        n_mated=tally.n_mated,
        rank=rank,
        ties=ties,
        probes=probes,
        dissimilarity=ranks.dissimilarity,
    )


def watch_list(ranks: Ranks, length: int, threshold: float | None = None, *, ties: Ties = "expected") -> WatchList:
    """Decide "is on the list" iff the true identity is among the K best candidates (Bolle et al. 2005, Eq. 8).

    For the wanted the rule is right with CMC(K). It returns K candidates to everybody, so that each person not on the
    list is flagged too (`flagged` = 1): the paper assumes there are none. With a threshold candidates below it are left
    out, and the shares are 1 − FNIR(T, K) and FPIR(T).
    """
    inner = -np.inf if threshold is None else inner_threshold(score_tally(ranks, ranks.open_best), threshold)
    found = shares_within(ranks, length, ties)
    total = ranks.n_mated * (found.unit or 1)
    hits = float(found.parts[ranks.mate_score >= inner].sum())
    flagged = int(np.count_nonzero(ranks.open_best >= inner)) / ranks.n_open if ranks.n_open else None
    return WatchList(int(length), threshold, hits / total, (total - hits) / total, flagged)


def unmated_searches(ranks: Ranks, probes: UnmatedProbes = "open") -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the best score of each search without a mate, and the code of its subject."""
    if probes == "open":
        if not ranks.n_open:
            raise MatedError(
                "there are no open-set probes, so there is no FPIR: add probes of people who are not in the gallery, "
                "or take the mated probes with their mates left out (probes='mate removed')"
            )
        return ranks.open_best, ranks.open_subject
    if probes != "mate removed":
        raise MatedError(f"probes must be 'open' or 'mate removed', not {probes!r}")
    if not ranks.n_mated:
        raise MatedError("no probe has its identity in the gallery, so there is no mate to remove")
    if ranks.gallery_size < 2:
        raise MatedError("a gallery of one identity is empty without the mate, so there is no FPIR")
    return ranks.best_other, ranks.subject


def open_set_tally(ranks: Ranks, probes: UnmatedProbes = "open") -> Tally:
    """Return the tally whose FMR is the FPIR: scores of mates, and the best scores of searches without one."""
    best = unmated_searches(ranks, probes)[0]
    if not ranks.n_mated:
        raise MatedError("no probe has its identity in the gallery, so there is no FNIR; check the ids of both sides")
    return score_tally(ranks, best)


def score_tally(ranks: Ranks, best: NDArray[Any]) -> Tally:
    """Return the tally of the mates' scores and the best scores given; it knows the scoring system."""
    choice = ranks.unit
    if choice == "auto":  # every score that is known tells of the unit, also those that are not counted here
        choice = detect_unit(np.concatenate([ranks.mate_score, ranks.best_other, ranks.open_best])) or "continuous"
    counted = count_distinct(ranks.mate_score, best)
    return Tally(*counted, dissimilarity=ranks.dissimilarity, unit_choice=choice)


def _point(
    ranks: Ranks,
    tally: Tally,
    inner: float,
    threshold: int | float,
    rank: int | None,
    ties: Ties,
    probes: UnmatedProbes,
    target: Fraction | None = None,
) -> OpenSetPoint:
    found = shares_within(ranks, rank, ties)
    accepted = ranks.mate_score >= inner
    total = ranks.n_mated * (found.unit or 1)
    missed = total - float(found.parts[accepted].sum())
    errors = missed / (found.unit or 1)
    false_positives = tally.nonmated_from(int(np.searchsorted(tally.scores, inner)))
    return OpenSetPoint(
        threshold=threshold,
        rank=rank,
        fpir=false_positives / tally.n_nonmated,
        fnir=missed / total,
        errors_open=false_positives,
        errors_mated=int(errors) if errors.is_integer() else errors,
        below_threshold=int(np.count_nonzero(~accepted)),
        n_open=tally.n_nonmated,
        n_mated=ranks.n_mated,
        probes=probes,
        gallery_size=ranks.gallery_size - (probes == "mate removed"),
        ties=ties,
        target=None if target is None else float(target),
        caution=_caution(tally, inner, target, false_positives, errors, probes),
    )


def _caution(
    tally: Tally, inner: float, target: Fraction | None, false_positives: int, missed: float, probes: UnmatedProbes
) -> str | None:
    parts = []
    if target is None and (inner > tally.scores[-1] or inner <= tally.scores[0]):
        low, high = sorted((tally.to_user(float(tally.scores[0])), tally.to_user(float(tally.scores[-1]))))
        parts.append(f"the threshold separates no observed scores, which run from {low} to {high}")
    if target is not None and target * tally.n_nonmated < 1:
        parts.append(
            f"the target is below 1/N: {tally.n_nonmated} searches without a mate can speak of false positive "
            f"identification rates down to {1 / tally.n_nonmated:.2g}"
        )
    elif false_positives < FEW_ERRORS:
        parts.append(f"only {_several(false_positives, 'false positive')}" if false_positives else "no false positives")
    if missed < FEW_ERRORS:
        parts.append(f"only {_several(missed, 'missed mate')}" if missed else "no missed mates")
    if probes == "mate removed":
        parts.append("FPIR is that of the mated probes in a gallery without their mate, smaller by one")
    return "; ".join(parts) if parts else None


def _several(count: float, what: str) -> str:
    return f"{count:.3g} {what}{'' if count == 1 else 's'}"
