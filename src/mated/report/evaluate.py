"""`evaluate`: a study in, `Findings` out, section by section; what the data do not allow is left out and said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil, log10
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from mated.errors import MatedError
from mated.evaluation import compare, identify, predict, quality
from mated.io.quality_files import QualityColumns, is_quality_file, read_qualities
from mated.report.evaluate_claims import answer_claims, claims_about
from mated.report.evaluate_groups import (
    Resampling,
    further_columns,
    grouped,
    grouped_by_sides,
    grouped_by_subjects,
    read_subject_groups,
)
from mated.report.evaluate_inputs import input_records, provenance
from mated.report.evaluate_reading import points_of, read_system, renamed, samples_known, searches_of
from mated.report.findings import Findings, GroupFindings, SystemFindings
from mated.report.study import nearest

if TYPE_CHECKING:
    from mated.evaluation import Bootstrap, Comparison, Identification, Prediction, QualityEvaluation, Verification
    from mated.report.evaluate_groups import SubjectGroups
    from mated.report.study import Study, SystemSpec

__all__ = ["Progress", "evaluate", "gallery_grid"]

Progress: TypeAlias = Callable[[str, int, int], None]
"""Told what is being done, and how many stages of how many are done."""

_USUAL_RANKS = (1, 5, 10)
_TIMES_SUBJECTS = 100
_PER_DECADE = 2


def evaluate(study: Study, *, progress: Progress | None = None, command: str = "") -> Findings:
    """Find out everything that a study asks for.

    Parameters
    ----------
    progress
        Called with a sentence, the stages done and their number, before each stage.
    command
        What the user ran, for the page.

    Raises
    ------
    MatedError
        A file cannot be read, a column or name is not there, or a section that was demanded is not possible. Sections
        that were not demanded and are not possible are named in `left_out` instead.
    """
    return _Evaluation(study, progress).findings(command)


def gallery_grid(subjects: int, asked: tuple[int, ...]) -> tuple[int, ...]:
    """Return galleries from 10 on, two in every power of ten, up to the largest asked for, and all asked for.

    Where none is asked for they go up to a hundred times the subjects.
    """
    largest = max(asked) if asked else max(_TIMES_SUBJECTS * subjects, 10)
    steps = range(_PER_DECADE, ceil(_PER_DECADE * log10(max(largest, 10))) + 1)
    between = (round(10 ** (k / _PER_DECADE)) for k in steps)
    return tuple(sorted({*asked, largest, *(n for n in between if n <= largest)}))


@dataclass(eq=False)
class _Evaluation:
    """The work in progress: what is done, what was left out, and what several sections share."""

    study: Study
    progress: Progress | None
    left_out: list[tuple[str, str]] = field(default_factory=list)
    why: dict[tuple[str, str], str] = field(default_factory=dict)
    done: int = 0

    def findings(self, command: str) -> Findings:
        s = self.study
        people, judged = self.people, self.judged  # what is wrong with them is said before any counting
        del people, judged
        counted = {spec.name: self.count(spec) for spec in s.systems}
        self.check_columns(counted)
        systems = {spec.name: self.system(spec, counted[spec.name]) for spec in s.systems}
        comparison = self.comparison(systems)
        qualities = self.qualities(systems)
        if s.claims:
            self.stage("Checking the claims", "")
        claims = answer_claims(s, systems, qualities, self.why)
        self.stage("Recording what was used", "")
        beside = [s.path, s.groups.subjects, *self.quality_paths]
        return Findings(
            title=s.title,
            systems=systems,
            provenance=provenance(command, s.seed),
            comparison=comparison,
            quality=qualities,
            claims=claims,
            notes=s.notes,
            level=s.level,
            left_out=tuple(self.left_out),
            inputs=input_records(path for path in beside if path is not None),
            show_ids=s.show_ids,
        )

    # -- what sections share -----------------------------------------------------------------------

    @cached_property
    def people(self) -> SubjectGroups | None:
        groups = self.study.groups
        return None if groups.subjects is None else read_subject_groups(groups.subjects, groups.columns)

    @cached_property
    def judged(self) -> list[Any]:
        """The qualities of samples, read once, named as the study names them."""
        spec = self.study.quality
        columns = QualityColumns(**spec.columns) if spec.columns else None
        if isinstance(spec.files, tuple):
            return [read_qualities(file, columns) for file in spec.files]
        return [renamed(name, read_qualities(file, columns)) for name, file in spec.files.items()]

    @property
    def quality_paths(self) -> list[Path]:
        files = self.study.quality.files
        given = files if isinstance(files, tuple) else files.values()
        return [Path(file) for file in given if isinstance(file, str | Path)]

    @cached_property
    def sure(self) -> Resampling:
        s = self.study
        return Resampling(s.replicates, s.seed, s.level, s.intervals)

    @property
    def stages(self) -> int:
        s = self.study
        with_quality = bool(s.quality.files or s.quality.pair_columns)
        return 5 * len(s.systems) + (len(s.systems) > 1) + with_quality * len(s.systems) + bool(s.claims) + 1

    def stage(self, doing: str, of: str) -> None:
        if self.progress is not None:
            self.progress(f"{doing} {of}".strip(), self.done, self.stages)
        self.done += 1

    def leave_out(self, section: str, system: str, reason: str, *, demanded: bool = False) -> None:
        """Note that a section cannot be made, or fail where it was demanded."""
        named = not system or len(self.study.systems) == 1 or reason.startswith((f"{system}:", f"{system} "))
        told = reason if named else f"{system}: {reason}"
        if demanded:
            raise MatedError(f"{section.lower()} was asked for and is not possible: {told}")
        self.why[section, system] = reason
        self.left_out.append((section, told))

    # -- one system ----------------------------------------------------------------------------------

    def count(self, spec: SystemSpec) -> Verification:
        s = self.study
        self.stage("Counting", spec.name)
        return read_system(spec, points_of(s, spec.name))

    def system(self, spec: SystemSpec, v: Verification) -> SystemFindings:
        name = spec.name
        self.stage("Resampling", name)
        sure = self.bootstrap(v)
        self.stage("Looking at the groups of", name)
        groups = self.groups(v)
        self.stage("Searching with", name)
        found = self.identification(v)
        self.stage("Forecasting larger galleries for", name)
        predicted = self.prediction(v)
        return SystemFindings(
            name,
            v,
            sure,
            groups=tuple(groups),
            identification=found,
            prediction=predicted,
            inputs=input_records(spec.paths),
            galleries=self.asked_galleries(name),
        )

    def bootstrap(self, v: Verification) -> Bootstrap | None:
        s = self.study
        if not s.replicates:
            return None
        made = v.bootstrap(s.replicates, rng=s.seed, level=s.level, intervals=s.intervals)
        made.eer()
        made.auc()
        return made

    def groups(self, v: Verification) -> list[GroupFindings]:
        spec = self.study.groups
        asked: list[tuple[str, Callable[[], GroupFindings]]] = [
            (" and ".join(columns), lambda columns=columns: grouped(v, columns, self.sure))  # type: ignore[misc]
            for columns in spec.by
        ]
        if spec.probe is not None and spec.reference is not None:
            sides = (spec.probe, spec.reference)
            asked.append((" and ".join(sides), lambda: grouped_by_sides(v, *sides, self.sure)))
        people = self.people
        if people is not None:
            asked += [
                (column, lambda column=column: grouped_by_subjects(v, people, column, self.sure))  # type: ignore[misc]
                for column in people.groups
            ]
        found = []
        for what, make in asked:
            try:
                found.append(make())
            except MatedError as error:
                self.leave_out(f"Groups by {what}", v.name, str(error))
        return found

    def identification(self, v: Verification) -> Identification | None:
        s, spec = self.study, self.study.identify
        section = "Identification"
        if spec.enabled == "false":
            self.why[section, v.name] = "searches are switched off in the study"
            return None
        demanded = spec.enabled == "true"
        if not samples_known(v):
            reason = "searches need the samples and subjects of both sides (probe_sample, reference_sample, ...)"
            self.leave_out(section, v.name, reason, demanded=demanded)
            return None
        try:
            found = identify(
                searches_of(v),
                ranks=spec.ranks,
                fpir=spec.fpir,
                threshold=spec.threshold,
                length=spec.length,
                ties=spec.ties,
                probes="mate removed" if spec.mate_removed else "open",
                symmetric=v.symmetric,
                level=s.level,
                replicates=s.replicates,
                rng=s.seed,
                name=v.name,
            )
            found.compute()
        except MatedError as error:
            self.leave_out(section, v.name, str(error), demanded=demanded)
            return None
        return found

    def asked_galleries(self, system: str) -> tuple[int, ...]:
        """Return the galleries that the study and its claims about a system name."""
        claimed = {int(claim.at["gallery"]) for claim in claims_about(self.study, system) if claim.forecast}
        return tuple(sorted({*self.study.forecast.gallery, *claimed}))

    def prediction(self, v: Verification) -> Prediction | None:
        s, spec = self.study, self.study.forecast
        section = "Larger galleries"
        if spec.enabled == "false":
            return None
        demanded = spec.enabled == "true"
        if v.n_subjects is None or v.layout is None:
            reason = "forecasts need to know who was compared: give both subjects of every comparison"
            if v.streaming is not None:
                reason = "forecasts need all comparisons in memory, and these were read in chunks"
            self.leave_out(section, v.name, reason, demanded=demanded)
            return None
        sizes = gallery_grid(v.n_subjects, self.asked_galleries(v.name))
        ranks = spec.ranks or tuple(rank for rank in _USUAL_RANKS if rank <= sizes[0])
        try:
            return predict(
                v,
                gallery=sizes,
                ranks=ranks,
                fpir=spec.fpir,
                length=min(self.study.identify.length, sizes[0]),
                replicates=spec.replicates,
                rng=s.seed,
                level=s.level,
            )
        except MatedError as error:
            self.leave_out(section, v.name, str(error), demanded=demanded)
            return None

    # -- sections over all systems -------------------------------------------------------------------

    def check_columns(self, systems: dict[str, Verification]) -> None:
        """Refuse a column that no system has: a slip, not a matter of the data."""
        spec = self.study.groups
        asked = {column for columns in spec.by for column in columns} | ({spec.probe, spec.reference} - {None})
        asked |= set(self.study.quality.pair_columns)
        known = list(dict.fromkeys(column for v in systems.values() for column in further_columns(v)))
        for column in sorted(name for name in asked if name is not None):
            if column not in known:
                raise MatedError(f"no system has a column {column!r}; {nearest(column, known)}")

    def comparison(self, systems: dict[str, SystemFindings]) -> Comparison | None:
        s = self.study
        if len(systems) < 2 or s.compare.enabled == "false" or not s.replicates:
            return None
        self.stage("Comparing the systems", "")
        try:
            return compare(
                *(system.verification for system in systems.values()),
                names=list(systems),
                fmr=s.points.fmr,
                paired=s.compare.paired,
                replicates=s.replicates,
                rng=s.seed,
                level=s.level,
            )
        except MatedError as error:
            self.leave_out("Comparison of systems", "", str(error), demanded=s.compare.enabled == "true")
            return None

    def qualities(self, systems: dict[str, SystemFindings]) -> dict[str, QualityEvaluation]:
        spec, found = self.study.quality, {}
        for name, system in systems.items():
            sources: Any = self.judged or None
            if not sources and not spec.pair_columns:
                held = [path for path in self._spec(name).paths if is_quality_file(path)]
                if not held:
                    continue
                sources = held  # a dasec JSON holds qualities beside the scores
            self.stage("Judging qualities by", name)
            try:
                made = self.quality(system.verification, sources)
            except MatedError as error:
                self.leave_out("Quality", name, str(error))
                continue
            found[name] = made
        return found

    def quality(self, v: Verification, sources: Any) -> QualityEvaluation:
        s, spec = self.study, self.study.quality
        if v.layout is None:
            chunks = v.streaming is not None
            raise MatedError(
                "qualities need all comparisons in memory, and these were read in chunks" if chunks
                else "qualities need to know which samples were compared"
            )  # fmt: skip
        made = quality(
            v.layout,
            sources if not spec.pair_columns else None,
            pair_columns=spec.pair_columns,
            starting_error=spec.starting_error,
            threshold=spec.threshold,
            limit=spec.limit,
            type=spec.type,
            pair=spec.pair,
            replicates=spec.replicates,
            rng=s.seed,
            level=s.level,
            name=v.name,
        )
        _ = made.results  # what the data do not allow shows here
        return made

    def _spec(self, name: str) -> SystemSpec:
        return next(spec for spec in self.study.systems if spec.name == name)
