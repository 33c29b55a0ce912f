"""The two ways in which replicates are drawn: comparisons as if independent, or whole subjects.

Both give arrays with one row a replicate; thresholds are inner similarities.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from mated.scores import Tally
    from mated.scores.subject_pairs import SubjectPairs

    Arrays = tuple[NDArray[np.float64], NDArray[np.float64]]

__all__ = ["IndependentResampling", "SubjectResampling"]


@dataclass(frozen=True, eq=False)
class IndependentResampling:
    """The two-sample bootstrap of Wu (2008), drawn exactly from the tally."""

    kind: ClassVar[str] = "iid"
    tally: Tally
    replicates: int
    seed: int
    threads: int = 1

    def at_fmr(self, fmrs: Sequence[float]) -> Arrays:
        """TMR and threshold at false match rates."""
        from mated.uncertainty.independent import draw_at_fmr

        return draw_at_fmr(self.tally, fmrs, replicates=self.replicates, seed=self.seed, threads=self.threads)

    def at_tmr(self, tmrs: Sequence[float]) -> Arrays:
        """FMR and threshold at true match rates."""
        from mated.uncertainty.independent import draw_at_tmr

        return draw_at_tmr(self.tally, tmrs, replicates=self.replicates, seed=self.seed, threads=self.threads)

    def at_threshold(self, thresholds: Sequence[float]) -> Arrays:
        """FMR and TMR at thresholds of the user's scoring system."""
        from mated.uncertainty.independent import draw_at_threshold

        return draw_at_threshold(
            self.tally, thresholds, replicates=self.replicates, seed=self.seed, threads=self.threads
        )

    def eer(self) -> Arrays:
        """Equal error rate and its threshold."""
        from mated.uncertainty.independent import draw_eer

        return draw_eer(self.tally, replicates=self.replicates, seed=self.seed, threads=self.threads)


@dataclass(frozen=True, eq=False)
class SubjectResampling:
    """The pigeonhole bootstrap: subjects are drawn, and bring all their comparisons."""

    kind: ClassVar[str] = "subject"
    tally: Tally
    pairs: SubjectPairs
    replicates: int
    seed: int
    threads: int = 1

    @cached_property
    def weights(self) -> NDArray[np.uint8]:
        """How often each subject was drawn in each replicate."""
        from mated.uncertainty.pigeonhole import draw_weights

        return draw_weights(self.pairs.n_subjects, self.replicates, self.seed, threads=self.threads)

    def at_fmr(self, fmrs: Sequence[float]) -> Arrays:
        """TMR and threshold at false match rates."""
        from mated.uncertainty.pigeonhole import at_fmr

        return at_fmr(self.pairs, self.weights, fmrs, threads=self.threads)

    def at_tmr(self, tmrs: Sequence[float]) -> Arrays:
        """FMR and threshold at true match rates."""
        from mated.uncertainty.pigeonhole import at_tmr

        return at_tmr(self.pairs, self.weights, tmrs, threads=self.threads)

    def at_threshold(self, thresholds: Sequence[float]) -> Arrays:
        """FMR and TMR at thresholds of the user's scoring system."""
        from mated.uncertainty.pigeonhole import at_threshold

        inner = [self.tally.from_user(t) for t in thresholds]
        fmr, fnmr = at_threshold(self.pairs, self.weights, inner, threads=self.threads)
        return fmr, 1 - fnmr

    def eer(self) -> Arrays:
        """Equal error rate and its threshold."""
        from mated.uncertainty.pigeonhole import eer

        return eer(self.pairs, self.weights, self.tally.unit, threads=self.threads)

    def auc(self) -> NDArray[np.float64] | None:
        """Area under the ROC, None where it would cost too much."""
        from mated.uncertainty.pigeonhole import auc

        return auc(self.pairs, self.weights, threads=self.threads)
