"""Statistics by subject of comparisons read in chunks: further passes, made when they are first needed.

Intervals by subject need who was compared with whom, but non-mated scores only where thresholds and their replicates
lie: those below are counted and not kept. Where that cut is put is a guess from the first pass. A replicate that needs
a score below it is noticed, and the comparisons are passed over again with more of them kept, so that the guess decides
how long it takes and never what comes out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from mated.errors import MatedError, ScoresNotKeptError
from mated.evaluation.resampling import SubjectResampling
from mated.verification.eer import wu2008
from mated.verification.rates import at_fmr, at_threshold, at_tmr

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Literal

    from numpy.typing import NDArray

    from mated.engine import Limits, Points, Runner, Scoring
    from mated.engine.chunk_pass import TablePart
    from mated.engine.stream import Progress
    from mated.scores import SubjectTallies, Tally
    from mated.scores.subject_pairs import SubjectPairs
    from mated.uncertainty.cluster import ClusterInterval

    Arrays = tuple[NDArray[np.float64], NDArray[np.float64]]

__all__ = ["StreamedSubjectResampling", "StreamedSubjects", "rank_needed"]

# So many times as many non-mated scores are kept as the estimates reach; a rate of a resample is rarely so far off.
_GENEROUS, _SPARING = 4, 1.5
# At least so many, which design effects of the tail are estimated from (mated.uncertainty.cluster), and more.
_FEWEST = 1000
# At most so many, 16 bytes each and thrice that while they are sorted.
_LARGEST = 1 << 26

_T = TypeVar("_T")


class StreamedSubjects:
    """Who was compared with whom, in parts of a scan.

    Parameters
    ----------
    parts, knows
        What is read (`mated.io.scanning.ScanPart`), and which of the columns there are.
    tally
        The tally of the same comparisons, exact at the points.
    points
        What will be read off.
    name
        What messages call the comparisons.
    """

    def __init__(
        self,
        parts: Sequence[TablePart],
        *,
        knows: Collection[str],
        scoring: Scoring,
        tally: Tally,
        points: Points,
        limits: Limits,
        name: str,
        runner: Runner | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._parts, self._scoring, self._tally, self._name = parts, scoring, tally, name
        self._options: dict[str, Any] = {"knows": knows, "runner": runner, "progress": progress}
        self._pairs: SubjectPairs | None = None
        self._rank = self._first_rank(rank_needed(tally, points), limits)

    def _first_rank(self, needed: int, limits: Limits) -> int:
        """Return how many non-mated scores to keep at first; all of them where they are few."""
        total = self._tally.n_nonmated
        if total <= limits.most:
            return total
        generous = min(max(int(_GENEROUS * needed), _FEWEST), total)
        if generous <= _LARGEST:
            return generous
        return min(int(_SPARING * needed), total)

    @property
    def pairs(self) -> SubjectPairs:
        """Scores of subjects and of pairs of subjects, as far down as they have been needed."""
        if self._pairs is None:
            from mated.engine.subject_chunks import stream_subject_pairs

            self._check_size()
            found = stream_subject_pairs(
                self._parts, scoring=self._scoring, tail_above=self._tail_above(), **self._options
            )
            if (found.n_mated, found.n_nonmated) != (self._tally.n_mated, self._tally.n_nonmated):
                raise MatedError(
                    f"{self._name}: the comparisons are not the same as in the pass before; count them again when the "
                    "data no longer change"
                )
            self._pairs = found
        return self._pairs

    @property
    def cut(self) -> bool:
        """Whether non-mated scores are left out that intervals of the area under the ROC would need."""
        return self._rank < self._tally.n_nonmated

    def keep_more(self) -> None:
        """Put the cut lower; the next use of `pairs` passes over the comparisons again."""
        if self._rank >= self._tally.n_nonmated:
            raise MatedError(f"{self._name}: a replicate needs a score that no comparison has")
        more = max(int(_GENEROUS * self._rank), self._rank + _FEWEST)
        self._rank, self._pairs = min(more, self._tally.n_nonmated), None

    def tallies(self, symmetric: Literal["auto", "yes", "no"]) -> SubjectTallies:
        """Counts of each subject's comparisons."""
        from mated.engine.subject_chunks import stream_subject_tallies

        return stream_subject_tallies(self._parts, scoring=self._scoring, symmetric=symmetric, **self._options)

    def _tail_above(self) -> float | None:
        """Return the lowest score to keep, so that at least the wanted number are kept."""
        if self._rank >= self._tally.n_nonmated:
            return None
        at_or_above = self._tally.nonmated_at_or_above
        index = len(at_or_above) - 1 - int(np.searchsorted(at_or_above[::-1], self._rank))
        return float(self._tally.scores[index])

    def _check_size(self) -> None:
        if self._rank > _LARGEST:
            raise MatedError(
                f"{self._name}: intervals by subject at these operating points would hold {self._rank} non-mated "
                "scores; ask for lower false match rates, or take comparisons as independent with intervals='iid' "
                "(--intervals iid)"
            )


def rank_needed(tally: Tally, points: Points) -> int:
    """Return how many of the highest non-mated scores the estimates reach."""
    ranks = [at_fmr(tally, rate).errors_nonmated for rate in points.fmr]
    ranks += [at_tmr(tally, rate).errors_nonmated for rate in points.tmr]
    ranks += [at_threshold(tally, threshold).errors_nonmated for threshold in points.threshold]
    if points.eer:
        ranks.append(at_threshold(tally, tally.to_user(wu2008(tally)[1])).errors_nonmated)
    return max(ranks, default=0) + 1


@dataclass(frozen=True, eq=False)
class StreamedSubjectResampling(SubjectResampling):
    """The pigeonhole bootstrap of comparisons read in chunks: more scores are kept where a replicate needs them."""

    source: StreamedSubjects | None = None

    def at_fmr(self, fmrs: Sequence[float]) -> Arrays:
        """TMR and threshold at false match rates."""
        return self._with_enough(lambda plain: plain.at_fmr(fmrs))

    def at_tmr(self, tmrs: Sequence[float]) -> Arrays:
        """FMR and threshold at true match rates."""
        return self._with_enough(lambda plain: plain.at_tmr(tmrs))

    def at_threshold(self, thresholds: Sequence[float]) -> Arrays:
        """FMR and TMR at thresholds of the user's scoring system."""
        return self._with_enough(lambda plain: plain.at_threshold(thresholds))

    def eer(self) -> Arrays:
        """Equal error rate and its threshold."""
        return self._with_enough(SubjectResampling.eer)

    def rates_at_thresholds(
        self, thresholds: Sequence[float], level: float
    ) -> list[tuple[ClusterInterval, ClusterInterval]]:
        """Intervals of FMR and FNMR at inner thresholds."""
        return self._with_enough(lambda plain: plain.rates_at_thresholds(thresholds, level))

    def _with_enough(self, draw: Callable[[SubjectResampling], _T]) -> _T:
        """Draw from what is kept, and keep more until that is enough; the draws are the same each time."""
        assert self.source is not None
        while True:
            plain = SubjectResampling(self.tally, self.source.pairs, self.replicates, self.seed, self.threads)
            object.__setattr__(plain, "weights", self.weights)
            try:
                return draw(plain)
            except ScoresNotKeptError:
                self.source.keep_more()
