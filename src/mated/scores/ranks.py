"""`Ranks`: what a search of a gallery gave, probe by probe; all that closed- and open-set identification need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.scores.unit import UnitChoice

__all__ = ["Ranks"]

_PER_MATED = ("subject", "above", "tied", "others", "mate_score", "best_other")
_PER_OPEN = ("open_subject", "open_others", "open_best")


@dataclass(frozen=True, eq=False, repr=False)
class Ranks:
    """Per probe, the place of its mate among the identities of the gallery; build it with `rank`.

    A gallery holds identities. One with several references scores as its best reference. A probe whose identity is in
    the gallery is a mated probe; one whose identity is not is an open-set probe. Where the comparison of a probe with
    its mate failed, the mate ranks last and its score is −∞.

    Scores are similarities (dissimilarities are held negated).

    Attributes
    ----------
    subject
        Of each mated probe, the code of its subject.
    above, tied
        How many other identities scored higher than the mate, and how many the same: the mate's rank lies between
        `above` + 1 and `above` + `tied` + 1.
    others
        With how many other identities the probe was compared: the gallery it saw has one more.
    mate_score, best_other
        The mate's score, and the highest score of another identity (−∞ where there is none).
    open_subject, open_others, open_best
        Of each open-set probe: its subject's code, the identities it was compared with, the highest score.
    gallery_size
        Identities enrolled.
    names
        The subjects behind the codes.
    failed_mates
        Mated probes whose every comparison with the mate failed; they are ranked last.
    unsearched
        Probes whose identity is enrolled but was never compared with them; they are in no count.
    missing
        Pairs of a probe and another identity without a score.
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
