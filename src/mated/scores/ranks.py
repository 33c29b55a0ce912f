"""`Ranks`: what a search of a gallery gave, probe by probe; all that closed- and open-set identification need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mated.errors import MatedError
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.scores.unit import UnitChoice

__all__ = ["ABSENT", "FAILED", "MATES_ALONE", "SCORED", "Ranks", "SearchResults"]

ABSENT, FAILED, SCORED = 0, 1, 2
"""What is known of a probe and its mate: never compared, no comparison gave a score, a score."""

MATES_ALONE = (
    "no probe has a score with anybody but its mate, so that every mate would rank first; identification needs "
    "comparisons with other identities too"
)

_PER_MATED = ("subject", "above", "tied", "others", "mate_score", "best_other")
_PER_OPEN = ("open_subject", "open_others", "open_best")


class SearchResults(NamedTuple):
    """What was found for each probe, before probes are told apart; from it `Ranks.of_searches` makes `Ranks`.

    Attributes
    ----------
    subject
        Code of the probe's subject.
    other_references
        References of that subject, other than the probe's own sample.
    compared
        Whether any comparison of the probe, other than with itself, was tried.
    state
        What is known of the mate: ABSENT, FAILED or SCORED.
    mate_score
        The best score with a reference of the probe's subject, −∞ where there is none.
    above, tied, scored, best_other
        The other identities that score higher than the mate, the same, or at all, and the highest (−∞ where none does).
    """

    subject: NDArray[np.int64]
    other_references: NDArray[np.int64]
    compared: NDArray[np.bool_]
    state: NDArray[np.int8]
    mate_score: NDArray[np.float64]
    above: NDArray[np.int64]
    tied: NDArray[np.int64]
    scored: NDArray[np.int64]
    best_other: NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Ranks:
    """Per probe, the place of its mate among the identities of the gallery; build it with `rank`.

    A gallery holds identities. One with several references scores as its best reference. A probe whose identity is in
    the gallery is a mated probe; one whose identity is not is an open-set probe. The probe's own sample is no reference
    for it. Where every comparison of a probe with its mate failed, the mate ranks last and its score is −∞: below the
    identities with a score, or in the whole gallery where the probe has no score at all.

    Scores are similarities (dissimilarities are held negated).

    Attributes
    ----------
    subject
        Of each mated probe, the code of its subject.
    above, tied
        How many other identities scored higher than the mate, and how many the same: the mate's rank lies between
        `above` + 1 and `above` + `tied` + 1.
    others
        How many other identities have a score with the probe: the gallery it saw has one more. For a probe without any
        score, all other identities of the gallery.
    mate_score, best_other
        The mate's score, and the highest score of another identity (−∞ where there is none).
    open_subject, open_others, open_best
        Of each open-set probe: its subject's code, the other identities as in `others`, the highest score.
    gallery_size
        Identities enrolled.
    names
        The subjects behind the codes.
    failed_mates
        Mated probes whose every comparison with the mate failed; they are ranked last.
    unsearched
        Probes whose identity is enrolled but was never compared with them, and probes compared with nobody; they are in
        no count.
    missing
        Pairs of a counted probe and another identity of the gallery without a score, because it failed or was not made.
    dissimilarity, unit
        How the user writes scores.
    notes
        What was decided about the input on the way in, in words.
    """

    subject: NDArray[np.int64]
    above: NDArray[np.int64]
    tied: NDArray[np.int64]
    others: NDArray[np.int64]
    mate_score: NDArray[np.float64]
    best_other: NDArray[np.float64]
    open_subject: NDArray[np.int64]
    open_others: NDArray[np.int64]
    open_best: NDArray[np.float64]
    gallery_size: int
    names: tuple[str, ...]
    failed_mates: int = 0
    unsearched: int = 0
    missing: int = 0
    dissimilarity: bool = False
    unit: UnitChoice = "auto"
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in (*_PER_MATED, *_PER_OPEN):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @classmethod
    def of_searches(
        cls, found: SearchResults, enrolled: NDArray[np.bool_], names: tuple[str, ...], **about: Any
    ) -> Ranks:
        """Sort probes into mated, open-set and unsearched ones; `enrolled` tells for each subject if it has references.

        `about` are the remaining attributes: `dissimilarity`, `unit`, `notes`.
        """
        mated = found.state != ABSENT
        unmated = ~mated & found.compared & (found.other_references == 0)
        gallery_size = int(np.count_nonzero(enrolled))
        strangers = gallery_size - enrolled[found.subject]
        nothing = (found.scored == 0) & (found.state != SCORED)
        others = np.where(nothing, strangers, found.scored)
        above = np.where(found.state == SCORED, found.above, others)
        return cls(
            subject=found.subject[mated],
            above=above[mated],
            tied=found.tied[mated],
            others=others[mated],
            mate_score=found.mate_score[mated] + 0.0,
            best_other=found.best_other[mated] + 0.0,
            open_subject=found.subject[unmated],
            open_others=others[unmated],
            open_best=found.best_other[unmated] + 0.0,
            gallery_size=gallery_size,
            names=names,
            failed_mates=int(np.count_nonzero(found.state == FAILED)),
            unsearched=int(np.count_nonzero(~mated & ~unmated)),
            missing=int((strangers - found.scored)[mated | unmated].sum()),
            **about,
        )

    @property
    def n_mated(self) -> int:
        """Number of probes whose identity is in the gallery."""
        return len(self.subject)

    @property
    def n_open(self) -> int:
        """Number of probes whose identity is not in the gallery."""
        return len(self.open_subject)

    @property
    def n_subjects(self) -> int:
        """Number of distinct subjects among all probes."""
        return len(np.union1d(self.subject, self.open_subject))

    @property
    def mates_alone(self) -> bool:
        """Whether the gallery holds others and no probe has a score with any of them: every mate ranks first then."""
        nobody = all((best == -np.inf).all() for best in (self.best_other, self.open_best))
        return bool(self.missing) and nobody

    def __add__(self, other: object) -> Ranks:
        """Put together the searches of different probes in one gallery; no probe may be in both parts."""
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, Ranks):
            return NotImplemented
        for name in ("gallery_size", "names", "dissimilarity", "unit"):
            if getattr(self, name) != getattr(other, name):
                raise MatedError(f"ranks can be added only for one gallery and one scoring system; {name} differs")
        arrays: dict[str, Any] = {
            name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in (*_PER_MATED, *_PER_OPEN)
        }
        return Ranks(
            **arrays,
            gallery_size=self.gallery_size,
            names=self.names,
            failed_mates=self.failed_mates + other.failed_mates,
            unsearched=self.unsearched + other.unsearched,
            missing=self.missing + other.missing,
            dissimilarity=self.dissimilarity,
            unit=self.unit,
            notes=tuple(dict.fromkeys((*self.notes, *other.notes))),
        )

    __radd__ = __add__

    def __repr__(self) -> str:
        open_set = f", {self.n_open} open-set probes" if self.n_open else ""
        return f"Ranks({self.n_mated} mated probes{open_set}, gallery of {self.gallery_size})"
