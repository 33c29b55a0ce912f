"""What can be computed from comparisons, how far it goes, and why not where it cannot."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from mated.errors import MatedError
from mated.uncertainty.binomial import rule_of_three
from mated.verification.cautions import FEW_ERRORS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mated.scores import Comparisons, ScoreMatrix

__all__ = ["Abilities", "Ability", "Reach", "Task"]

Task: TypeAlias = Literal["verify", "intervals", "identify", "open set", "predict", "quality", "groups"]

_MOST_TRIED = 2_000_000
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


@dataclass(frozen=True)
class Ability:
    """One task: whether the comparisons allow it, how or how far, and what is missing where they do not."""

    task: Task
    possible: bool
    how: str
    why_not: str | None = None


@dataclass(frozen=True, eq=False)
class Abilities:
    """What is known of the comparisons, as far as it decides what can be computed.

    `layout` is there where they are in memory; searches are then tried and not merely judged by what is named.
    `qualities_inside` says that qualities of the samples stand in the same file.
    """

    n_mated: int
    n_nonmated: int
    subjects: int | None
    knows_subjects: bool
    knows_samples: bool
    covariates: Sequence[str]
    numeric_covariates: Sequence[str]
    layout: Comparisons | ScoreMatrix | None
    qualities_inside: bool = False

    def all(self) -> tuple[Ability, ...]:
        """Return every task."""
        closed, open_set = self._searches()
        return (self._verify(), self._intervals(), closed, open_set, self._predict(), self._quality(), self._groups())

    def _lacking_class(self) -> str | None:
        for count, kind in ((self.n_mated, "mated"), (self.n_nonmated, "non-mated")):
            if not count:
                return f"there is no {kind} comparison with a score"
        return None

    def _verify(self) -> Ability:
        if (lacking := self._lacking_class()) is not None:
            return Ability("verify", False, "", lacking)
        least = f"FMR from {1 / self.n_nonmated:.2g}, FNMR from {1 / self.n_mated:.2g}"
        few = [kind for n, kind in ((self.n_nonmated, "FMR"), (self.n_mated, "FNMR")) if n < FEW_ERRORS]
        return Ability("verify", True, least + (f"; no {' or '.join(few)} can rest on 30 errors" if few else ""))

    def _intervals(self) -> Ability:
        if (lacking := self._lacking_class()) is not None:
            return Ability("intervals", False, "", lacking)
        if self.knows_subjects and self.subjects != 1:
            many = "" if self.subjects is None else f", of {self.subjects}"
            return Ability("intervals", True, f"by subject{many}: dependence of comparisons is taken into account")
        reason = "there is one subject" if self.knows_subjects else "subjects are not named"
        return Ability("intervals", True, f"as if comparisons were independent: {reason}")

    def _searches(self) -> tuple[Ability, Ability]:
        layout = self.layout
        if layout is None or self.n_mated + self.n_nonmated > _MOST_TRIED:
            return self._untried_searches()
        from mated.scores.ranking import rank
        from mated.scores.ranks import MATES_ALONE

        nothing = Ability("open set", False, "", "nothing can be searched")
        try:
            found = rank(layout)
        except MatedError as error:
            reason = _QUOTED.sub("…", str(error))  # it may be somebody's name
            return Ability("identify", False, "", reason), nothing
        if found.mates_alone:
            return Ability("identify", False, "", MATES_ALONE), nothing
        closed = Ability("identify", True, f"{found.n_mated} probes with a mate among {found.gallery_size} identities")
        if found.n_open:
            return closed, Ability("open set", True, f"{found.n_open} probes without a mate in the gallery")
        return closed, Ability("open set", True, "with each probe's mate taken out (--mate-removed)")

    def _untried_searches(self) -> tuple[Ability, Ability]:
        if self.knows_samples:
            how = "probes and references are named; not tried, since there are many comparisons"
            return Ability("identify", True, how), Ability("open set", True, how)
        reason = "samples are not named, so probes are not told apart"
        return Ability("identify", False, "", reason), Ability("open set", False, "", reason)

    def _predict(self) -> Ability:
        if (lacking := self._lacking_class()) is not None:
            return Ability("predict", False, "", lacking)
        if self.knows_subjects:
            return Ability("predict", True, "by every method")
        return Ability("predict", True, "from the global ROC alone (--method global): subjects are not named")

    def _quality(self) -> Ability:
        if self.qualities_inside:
            return Ability("quality", True, "with the qualities in this file, or a table of them (--quality FILE)")
        if self.knows_samples:
            return Ability("quality", True, "with a table of sample qualities (--quality FILE)")
        if self.numeric_covariates:
            return Ability("quality", True, "with a column of pair qualities (--pair-quality): samples are not named")
        return Ability("quality", False, "", "samples are not named, and no column could hold qualities of pairs")

    def _groups(self) -> Ability:
        if self.covariates:
            return Ability("groups", True, "by " + ", ".join(self.covariates) + " (--by)")
        return Ability("groups", False, "", "there is no further column with a few values")


@dataclass(frozen=True)
class Reach:
    """How small a rate so many comparisons can speak of, as if they were independent.

    Attributes
    ----------
    least
        1/N: one error.
    thirty_errors
        30/N: known to about ±30 % with 90 % confidence (Doddington et al. 2000); None where N is below 30.
    no_error
        Without any error, the rate that is shown not to be exceeded with 95 % confidence, about 3/N.
    """

    rate: Literal["FMR", "FNMR"]
    comparisons: int
    least: float
    thirty_errors: float | None
    no_error: float

    @classmethod
    def of(cls, rate: Literal["FMR", "FNMR"], comparisons: int) -> Reach | None:
        """Return the reach of some comparisons, None of none."""
        if not comparisons:
            return None
        thirty = FEW_ERRORS / comparisons if comparisons >= FEW_ERRORS else None
        return cls(rate, comparisons, 1 / comparisons, thirty, rule_of_three(comparisons).exact)
