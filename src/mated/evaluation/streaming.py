"""From a scan to a `Verification` without holding the comparisons.

The tally is streamed (`mated.engine`) so that what is asked for at the start, and its bootstrap, are those of all
comparisons in memory to the last bit. What is asked for later is exact too where its scores happen to be known one by
one, and says so where not (`mated.evaluation.streaming_exactness`). Subjects and groups take further passes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

from mated.engine import Limits, Points, stream_tally
from mated.engine.groups import GroupName, stream_groups
from mated.engine.reach import EER_INTERVALS, INTERVALS
from mated.errors import MatedError
from mated.evaluation.collection import groups_of, refuse_one_class
from mated.evaluation.streaming_exactness import Exactness
from mated.evaluation.streaming_sources import GroupPart, scoring_of, source_of
from mated.evaluation.streaming_subjects import StreamedSubjectResampling, StreamedSubjects
from mated.evaluation.verification import Verification
from mated.scores.group_names import check_group_columns, group_labels
from mated.verification.costs import bayes_threshold
from mated.verification.rates import supported_fmrs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from mated.engine import Checkpoint, Runner, Streamed
    from mated.engine.chunk_pass import TablePart
    from mated.engine.stream import Progress
    from mated.evaluation.collection import Verifications
    from mated.evaluation.verification import Costs, OperatingPoints
    from mated.io.scanning import Scan
    from mated.scores import SubjectTallies, Tally
    from mated.scores.subject_pairs import SubjectPairs

__all__ = ["StreamOptions", "StreamedComparisons", "stream_by", "verify_scan"]

_SUBJECTS = ("probe_subject", "reference_subject")


@dataclass(frozen=True)
class StreamOptions:
    """How comparisons are passed over.

    Attributes
    ----------
    replicates
        Whether a bootstrap may follow; without one fewer scores have to be known one by one.
    subjects
        Whether subjects, where they are known, are counted and resampled.
    checkpoint
        Where tallies of files are kept, so that an interrupted run goes on.
    runner
        Who counts; None for this process alone.
    progress
        Called with the number of the pass, the comparisons done, and how many there are where that is known.
    limits
        How much may be held.
    """

    replicates: bool = True
    subjects: bool = True
    checkpoint: Checkpoint | None = None
    runner: Runner | None = None
    progress: Progress | None = None
    limits: Limits = field(default_factory=Limits)

    @property
    def passes(self) -> dict[str, Any]:
        """The arguments that all passes share."""
        return {
            "limits": self.limits,
            "checkpoint": self.checkpoint,
            "runner": self.runner,
            "progress": self.progress,
        }


def verify_scan(
    scan: Scan,
    *,
    points: OperatingPoints,
    options: StreamOptions | None = None,
    name: str | None = None,
    transferred_threshold: float | None = None,
    **settings: Any,
) -> Verification:
    """Measure how well one system verifies, from comparisons that are read in chunks.

    Parameters
    ----------
    scan
        Where the comparisons are.
    points
        Where to read off; only here every number is exact.
    settings
        Further fields of `Verification`.
    """
    how = options or StreamOptions()
    asked = partial(_asked, points, transferred_threshold, how.replicates)
    sources = [source_of(part) for part in scan.parts]
    counted = partial(_with_cost, asked, scan, settings.get("costs"))
    streamed = stream_tally(sources, counted, scoring=scoring_of(scan), **how.passes)
    refuse_one_class(name or scan.name, streamed.tally, scan.notes, subjects="probe_subject" in scan.knows)
    return Verification(
        streamed.tally,
        name=name or scan.name,
        points=points,
        transferred_threshold=transferred_threshold,
        notes=scan.notes,
        streaming=StreamedComparisons(scan, how, streamed, asked(streamed.cells.n_nonmated)),
        **settings,
    )


def stream_by(
    scan: Scan,
    columns: Sequence[str],
    *,
    points: OperatingPoints,
    options: StreamOptions | None = None,
    name: str | None = None,
    transferred_threshold: float | None = None,
    **settings: Any,
) -> Verifications:
    """Evaluate each value of one or more covariates apart; all groups share the passes over the comparisons.

    The arguments are those of `verify_scan`. With subjects, each group takes passes of its own for them.
    """
    how, called = options or StreamOptions(), name or scan.name
    check_group_columns(columns, scan.covariates)
    asked = partial(_asked, points, transferred_threshold, how.replicates)
    sources = [source_of(part, tuple(columns)) for part in scan.parts]
    counted = partial(_with_cost, asked, scan, settings.get("costs"))
    found = stream_groups(sources, counted, scoring=scoring_of(scan), **how.passes)
    groups = [*found.streamed, *found.left_out]
    labels = dict(zip(groups, group_labels(groups), strict=True))
    members = {}
    for group, streamed in found.streamed.items():
        behind = StreamedComparisons(
            scan, how, streamed, asked(streamed.cells.n_nonmated), tuple(columns), group, labels[group]
        )
        members[labels[group]] = Verification(
            streamed.tally,
            name=labels[group],
            points=points,
            transferred_threshold=transferred_threshold,
            notes=scan.notes,
            streaming=behind,
            **settings,
        )
    left_out = {labels[group]: counts for group, counts in found.left_out.items()}
    return groups_of(called, members, left_out, columns)


def _asked(points: OperatingPoints, transferred: float | None, replicates: bool, n_nonmated: int) -> Points:
    """Return everything that will be read off, once the number of non-mated comparisons is known."""
    return Points(
        supported_fmrs(n_nonmated) if points.fmr is None else points.fmr,
        points.tmr,
        points.threshold if transferred is None else (*points.threshold, transferred),
        replicates=replicates,
    )


def _with_cost(asked: Callable[[int], Points], scan: Scan, costs: Costs | None, n_nonmated: int) -> Points:
    """Add the threshold at which the actual detection cost is read off; intervals do not reach there."""
    points = asked(n_nonmated)
    if costs is None or scan.dissimilarity:
        return points
    bayes = bayes_threshold(costs.prior, costs.miss, costs.false)
    return replace(points, threshold=(*points.threshold, bayes))


@dataclass(frozen=True, eq=False)
class StreamedComparisons:
    """The comparisons behind a verification that does not hold them, and what is exact in it.

    Attributes
    ----------
    scan, options
        Where the comparisons are, and how they are passed over.
    streamed
        Their tally.
    asked
        What was to be read off.
    columns, group, label
        Of a group: the columns that make it, their values, and its name.
    """

    scan: Scan
    options: StreamOptions
    streamed: Streamed
    asked: Points
    columns: tuple[str, ...] = ()
    group: GroupName | None = None
    label: str | None = None

    @cached_property
    def exactness(self) -> Exactness:
        """What is exact."""
        return Exactness(self.streamed)

    @property
    def tally(self) -> Tally:
        """The tally that `exactness` speaks of."""
        return self.streamed.tally

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """How the numbers were made, in sentences."""
        said = self.exactness.remarks()
        if self._knows_subjects:
            counted = (
                "counted in further passes" if self.options.subjects else "not counted, as nothing asked for needs them"
            )
            said = (*said, f"subjects were {counted}")
        return said

    def to_dict(self, *, by_subject: bool = False) -> dict[str, Any] | None:
        """What the dictionary of a verification says of it; None where every number is exact.

        Intervals by subject are not drawn from the tally. That of the area under the ROC needs all scores.
        """
        if not by_subject:
            return self.exactness.to_dict()
        missing = ("auc intervals",) if self._subjects().cut else ()
        return self.exactness.to_dict(without=missing, leaving_out=(INTERVALS, EER_INTERVALS))

    # -- subjects --------------------------------------------------------------------------------

    @property
    def _knows_subjects(self) -> bool:
        return set(_SUBJECTS) <= self.scan.knows

    @cached_property
    def subjects(self) -> StreamedSubjects | None:
        """Who was compared with whom; None where that is not known or not wanted."""
        if not (self._knows_subjects and self.options.subjects):
            return None
        return self.subjects_in(self.parts, self.tally, self.asked)

    @property
    def parts(self) -> Sequence[TablePart]:
        """The parts of the scan, of a group with its comparisons alone."""
        if self.group is None:
            return self.scan.parts
        return [GroupPart(p, self.columns, self.group) for p in self.scan.parts]

    def subjects_in(self, parts: Sequence[TablePart], tally: Tally, points: Points) -> StreamedSubjects:
        """Say who was compared with whom in parts of the same table, which have this tally."""
        return StreamedSubjects(
            parts,
            knows=self.scan.knows,
            scoring=scoring_of(self.scan),
            tally=tally,
            points=points,
            limits=self.options.limits,
            name=self.label or self.scan.name,
            runner=self.options.runner,
            progress=None if self.options.progress is None else self._tell,
        )

    def _tell(self, number: int, done: int, rows: int | None) -> None:
        """Number the passes over subjects on from those before."""
        assert self.options.progress is not None
        self.options.progress(self.streamed.passes + number, done, rows)

    @property
    def n_subjects(self) -> int | None:
        """Number of subjects, None where they are not known."""
        return None if self.subjects is None else self.subjects.pairs.n_subjects

    def subject_pairs(self) -> SubjectPairs:
        """Who was compared with whom, as far down as operating points reach."""
        return self._subjects().pairs

    def subject_tallies(self, symmetric: Literal["auto", "yes", "no"]) -> SubjectTallies:
        """Counts of each subject's comparisons."""
        return self._subjects().tallies(symmetric)

    def subject_resampling(self, replicates: int, seed: int, threads: int) -> StreamedSubjectResampling:
        """Return the bootstrap of subjects."""
        source = self._subjects()
        return StreamedSubjectResampling(self.tally, source.pairs, replicates, seed, threads, source)

    def _subjects(self) -> StreamedSubjects:
        if self.subjects is None:
            raise MatedError(
                f"{self.label or self.scan.name}: this needs to know who was compared; give probe_subject and "
                "reference_subject"
            )
        return self.subjects

    # -- replicates and groups ---------------------------------------------------------------------

    def check_resampling(self) -> None:
        """Refuse a bootstrap that was not foreseen, as its thresholds may lie where scores are not known one by one."""
        if not (self.options.replicates or self.streamed.whole):
            raise MatedError(
                "the comparisons were read in chunks without a bootstrap in mind; read them again with one"
            )

    def uncovered(self, thresholds: NDArray[Any]) -> str | None:
        """Say that replicates lie where scores are known in ranges only; None where they do not."""
        known = thresholds[thresholds == thresholds]  # replicates without a value have no threshold
        if self.streamed.covers(known):
            return None
        return (
            "replicates reach scores that are known in ranges only; ask for this point at the start to have its "
            "interval exactly"
        )

    def by(self, verification: Verification, columns: Sequence[str]) -> Verifications:
        """Evaluate each value of one or more covariates apart, in further passes over the same comparisons."""
        if self.group is not None:
            raise MatedError(f"{self.label}: a group is not divided again; name all columns at once")
        v = verification
        return stream_by(
            self.scan,
            columns,
            points=v.points,
            options=self.options,
            name=v.name,
            transferred_threshold=v.transferred_threshold,
            costs=v.costs,
            symmetric=v.symmetric,
            individual=v.individual,
            failures=v.failures,
        )
