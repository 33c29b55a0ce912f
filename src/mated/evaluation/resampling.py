"""The two ways in which replicates are drawn: comparisons as if independent, or whole subjects.

Both give arrays with one row a replicate; thresholds are inner similarities.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mated.scores import Tally
from mated.uncertainty.streams import block_generator
from mated.verification.eer import wu2008
from mated.verification.rates import at_fmr, at_threshold
from mated.verification.separation import area_under_roc

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from mated.scores.subject_pairs import SubjectPairs
    from mated.scores.unit import UnitChoice
    from mated.uncertainty.cluster import ClusterInterval

    Arrays = tuple[NDArray[np.float64], NDArray[np.float64]]

__all__ = ["AlignedResampling", "IndependentResampling", "SubjectResampling"]


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

    def auc(self) -> NDArray[np.float64] | None:
        """Area under the ROC, None where there are too many distinct scores to resample them all."""
        from mated.uncertainty.independent import AUC_SCORES, draw_auc

        if len(self.tally.scores) > AUC_SCORES:
            return None
        return draw_auc(self.tally, replicates=self.replicates, seed=self.seed, threads=self.threads)


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
        from mated.uncertainty import pigeonhole

        return pigeonhole.draw_weights(self.pairs.n_subjects, self.replicates, self.seed, threads=self.threads)

    def at_fmr(self, fmrs: Sequence[float]) -> Arrays:
        """TMR and threshold at false match rates."""
        from mated.uncertainty import pigeonhole

        return pigeonhole.at_fmr(self.pairs, self.weights, fmrs, threads=self.threads)

    def at_tmr(self, tmrs: Sequence[float]) -> Arrays:
        """FMR and threshold at true match rates."""
        from mated.uncertainty import pigeonhole

        return pigeonhole.at_tmr(self.pairs, self.weights, tmrs, threads=self.threads)

    def at_threshold(self, thresholds: Sequence[float]) -> Arrays:
        """FMR and TMR at thresholds of the user's scoring system."""
        from mated.uncertainty import pigeonhole

        inner = [self.tally.from_user(t) for t in thresholds]
        fmr, fnmr = pigeonhole.at_threshold(self.pairs, self.weights, inner, threads=self.threads)
        return fmr, 1 - fnmr

    def rates_at_thresholds(
        self, thresholds: Sequence[float], level: float
    ) -> list[tuple[ClusterInterval, ClusterInterval]]:
        """Intervals of FMR and FNMR at inner thresholds, without replicates."""
        from mated.uncertainty.cluster import rates_at_thresholds

        return rates_at_thresholds(self.pairs, thresholds, level)

    def eer(self) -> Arrays:
        """Equal error rate and its threshold."""
        from mated.uncertainty import pigeonhole

        return pigeonhole.eer(self.pairs, self.weights, self.tally.unit, threads=self.threads)

    def auc(self) -> NDArray[np.float64] | None:
        """Area under the ROC, None where it would cost too much."""
        from mated.uncertainty import pigeonhole

        return pigeonhole.auc(self.pairs, self.weights, threads=self.threads)


@dataclass(frozen=True, eq=False)
class AlignedResampling:
    """Comparisons are drawn with replacement, in an order that several systems share.

    Two systems with the same number of comparisons, the same flags and the same seed get the same draws. Each
    replicate counts all comparisons again, so this costs time in proportion to their number.
    """

    tally: Tally
    score: NDArray[np.floating[Any]]
    mated: NDArray[np.bool_]
    replicates: int
    seed: int

    def at_fmr(self, fmrs: Sequence[float]) -> Arrays:
        """TMR and threshold at false match rates."""

        def read(tally: Tally) -> list[float]:
            points = [at_fmr(tally, f) for f in fmrs]
            return [p.tmr for p in points] + [tally.from_user(p.threshold) for p in points]

        return self._halves(read)

    def at_threshold(self, thresholds: Sequence[float]) -> Arrays:
        """FMR and TMR at thresholds of the user's scoring system."""

        def read(tally: Tally) -> list[float]:
            points = [at_threshold(tally, t) for t in thresholds]
            return [p.fmr for p in points] + [p.tmr for p in points]

        return self._halves(read)

    def eer(self) -> Arrays:
        """Equal error rate and its threshold."""
        rate, threshold = self._halves(lambda tally: list(wu2008(tally)))
        return rate[:, 0], threshold[:, 0]

    def auc(self) -> NDArray[np.float64]:
        """Area under the ROC."""
        return self._read(lambda tally: [area_under_roc(tally)])[:, 0]

    def _halves(self, read: Callable[[Tally], list[float]]) -> Arrays:
        both = self._read(read)
        middle = both.shape[1] // 2
        return both[:, :middle], both[:, middle:]

    def _read(self, read: Callable[[Tally], list[float]]) -> NDArray[np.float64]:
        """Draw the comparisons of each replicate, count them and read statistics off the count."""
        scores = self.tally.scores
        codes = np.searchsorted(scores, self.score)
        classes = [codes[self.mated], codes[~self.mated]]
        unit: UnitChoice = "continuous" if self.tally.unit is None else self.tally.unit

        rows = []
        for replicate in range(self.replicates):
            rng = block_generator(self.seed, "aligned", replicate)
            drawn = [c[rng.integers(len(c), size=len(c))] for c in classes]
            counts = [np.bincount(d, minlength=len(scores))[::-1].cumsum()[::-1] for d in drawn]
            rows.append(read(Tally(scores, counts[0], counts[1], self.tally.dissimilarity, unit)))
        return np.array(rows)
