"""The verb `report`: score files or a study in, a `Report` out that saves itself as a page, tables and figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mated.errors import MatedError
from mated.report.study import ClaimSpec, GroupsSpec, PointsSpec, QualitySpec, Study, given_reading, study_of_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np

    from mated.report.evaluate import Progress
    from mated.report.findings import Findings

__all__ = ["Report", "report", "study_for"]


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """A study, evaluated; `findings` holds every result, names of subjects and samples only where they may be shown."""

    findings: Findings

    def __post_init__(self) -> None:
        if not self.findings.show_ids:
            from mated.report.hidden_names import without_names

            object.__setattr__(self, "findings", without_names(self.findings))

    def html(self) -> str:
        """Return the page: one HTML text that needs nothing else."""
        from mated.report.page import render

        return render(self.findings)

    def save(self, path: str | Path = "report.html") -> Path:
        """Write the page, whole or not at all, and return where it is."""
        from mated.io.atomic import write_text

        target = Path(path)
        if target.is_dir():
            raise MatedError(f"{target} is a directory; give the name of a file, such as {target / 'report.html'}")
        write_text(target, self.html())
        return target

    def save_tables(self, directory: str | Path) -> list[Path]:
        """Write every table as CSV and LaTeX into a folder."""
        from mated.report.tables_files import save_tables

        return save_tables(self.findings, directory)

    def save_figures(self, directory: str | Path, formats: Sequence[str] = ("svg", "pdf")) -> list[Path]:
        """Write every figure for a paper into a folder."""
        from mated.report.study_figures import save_figures

        return save_figures(self.findings, directory, formats)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers and texts; the keys are documented in docs/how-to/report.md."""
        from mated.report.findings_dictionary import findings_dictionary

        return findings_dictionary(self.findings)

    def __repr__(self) -> str:
        f = self.findings
        said = [f"{sum(c.verdict == verdict for c in f.claims)} {verdict}" for verdict in _VERDICTS] if f.claims else []
        claims = f"; claims: {', '.join(said)}" if said else ""
        return f"Report({f.title!r}: {', '.join(f.systems)}{claims})"

    def _repr_html_(self) -> str:
        import polars as pl

        from mated.evaluation.html import table_html
        from mated.report.tables import tables_of

        shown = [t for t in tables_of(self.findings) if t.name in ("claims", "verification")]
        frames = [
            table_html(
                pl.DataFrame({c: [row[k] for row in t.rows] for k, c in enumerate(t.columns)}, strict=False),
                caption=f"{self.findings.title}: {t.title}",
            )
            for t in shown
        ]
        return "".join(frames)


_VERDICTS = ("supported", "not supported", "undecided")


def report(
    source: Any,
    *,
    title: str | None = None,
    notes: str | None = None,
    fmr: float | Iterable[float] | None = None,
    tmr: float | Iterable[float] | None = None,
    threshold: float | Iterable[float] | None = None,
    by: str | Sequence[str | Sequence[str]] = (),
    quality: Any = (),
    gallery: float | Iterable[float] = (),
    claims: str | Sequence[str] = (),
    level: float | None = None,
    replicates: int | None = None,
    rng: int | np.random.Generator | None = None,
    show_ids: bool | None = None,
    reading: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    command: str = "",
) -> Report:
    """Evaluate one or more systems, or a whole study, and gather everything a report says.

    Parameters
    ----------
    source
        The path of a study file (.toml), a `Study`, one path of a score file or several, each a system, or a mapping
        from the name of a system to whatever `mated.verify` takes.
    title, notes, level, replicates, rng, show_ids
        As in a study file; here they go before what it says.
    fmr, tmr, threshold
        Operating points.
    by
        Columns that make groups; a sequence within the sequence crosses its columns.
    quality
        Files of qualities, or a mapping from the name of an algorithm to its file.
    gallery
        Sizes of galleries to forecast.
    claims
        Claims to check, such as "fnmr <= 0.03 at fmr 1e-4"; they are added to those of a study.
    reading
        How score files are read: options of `mated.read`. A study says it itself.
    progress
        Called with a sentence, the stages done and their number.

    Examples
    --------
    >>> import mated
    >>> from mated.report.report import report
    >>> from mated.synthetic import GaussianIdentities
    >>> people = GaussianIdentities().draw(40, 3, rng=1)
    >>> made = report({"alpha": people.comparisons("llr")}, claims="eer <= 0.5", replicates=100)
    >>> made.findings.claims[0].verdict
    'supported'
    """
    from mated.report.evaluate import evaluate
    from mated.uncertainty.streams import seed_of

    study = study_for(
        source,
        reading=reading,
        title=title,
        notes=notes,
        fmr=fmr,
        tmr=tmr,
        threshold=threshold,
        by=by,
        quality=quality,
        gallery=gallery,
        claims=claims,
        level=level,
        replicates=replicates,
        seed=None if rng is None else seed_of(rng),
        show_ids=show_ids,
    )
    return Report(evaluate(study, progress=progress, command=command))


def study_for(
    source: Any,
    *,
    reading: Mapping[str, Any] | None = None,
    fmr: Any = None,
    tmr: Any = None,
    threshold: Any = None,
    by: Any = (),
    quality: Any = (),
    gallery: Any = (),
    claims: Any = (),
    **options: Any,
) -> Study:
    """Return the study that `report` evaluates: read or made of files, then changed by what is given here."""
    study = _base(source, reading)
    changes = {name: value for name, value in options.items() if value is not None}
    changes["points"] = _points(study.points, fmr, tmr, threshold)
    groupings = _groupings(by)
    if groupings:
        changes["groups"] = (
            replace(study.groups, by=groupings) if study.groups != GroupsSpec() else GroupsSpec(groupings)
        )
    files = quality if isinstance(quality, Mapping) else _several(quality)
    if len(files):
        changes["quality"] = (
            replace(study.quality, files=files) if study.quality != QualitySpec() else QualitySpec(files)
        )
    sizes = _several(gallery)
    if sizes:
        changes["forecast"] = replace(study.forecast, gallery=tuple(_size(n) for n in sizes))
    texts = (claims,) if isinstance(claims, str) else tuple(claims)
    changes["claims"] = (*study.claims, *map(ClaimSpec, texts))
    return replace(study, **changes)


def _base(source: Any, reading: Mapping[str, Any] | None) -> Study:
    from mated.report.study_files import is_study_file, read_study

    several = list(source) if isinstance(source, list | tuple) else [source]
    if any(is_study_file(one) or isinstance(one, Study) for one in several):
        if len(several) > 1:
            raise MatedError("give one study file, or score files, not both: a study names its files itself")
        given = given_reading(reading or {})
        if given:
            raise MatedError(f"the study says how its files are read; leave out {', '.join(given)}, or set it there")
        return several[0] if isinstance(several[0], Study) else read_study(several[0])
    return study_of_files(source, reading=reading)


def _points(base: PointsSpec, fmr: Any, tmr: Any, threshold: Any) -> PointsSpec:
    from mated.evaluation.verify import several
    from mated.verification.rates import exact_rate

    given = {"fmr": fmr, "tmr": tmr, "threshold": threshold}
    found = {name: several(value) for name, value in given.items() if value is not None}
    for name in ("fmr", "tmr"):
        for rate in found.get(name, ()):
            exact_rate(rate, f"--{name}: a rate", one_allowed=name == "tmr")
    return replace(base, **found)


def _groupings(by: Any) -> tuple[tuple[str, ...], ...]:
    given = (by,) if isinstance(by, str) else by
    return tuple((one,) if isinstance(one, str) else tuple(one) for one in given)


def _several(given: Any) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, list | tuple | set) else (given,)


def _size(number: Any) -> int:
    if not isinstance(number, int | float) or number != int(number) or number < 2:
        raise MatedError(f"a gallery holds two identities or more, a whole number, and {number!r} is none")
    return int(number)
