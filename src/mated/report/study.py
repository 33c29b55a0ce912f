"""`Study`: what is to be reported, from a study file or from files named on the spot."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mated.errors import MatedError
from mated.evaluation.verify import bare_name
from mated.io import Columns
from mated.report.claims_grammar import parse_claim
from mated.verification.rates import exact_rate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mated.evaluation.bootstrap import Intervals
    from mated.evaluation.compare import Pairing
    from mated.identification.cmc import Ties
    from mated.quality.pairing import PairFunction
    from mated.report.claims_grammar import Claim
    from mated.scores.validation import NanPolicy

__all__ = [
    "ClaimSpec",
    "CompareSpec",
    "Enabled",
    "ForecastSpec",
    "GroupsSpec",
    "IdentifySpec",
    "PointsSpec",
    "QualitySpec",
    "Study",
    "SystemSpec",
    "given_reading",
    "lists_of_one_system",
    "nearest",
    "study_of_files",
]

Enabled: TypeAlias = Literal["auto", "true", "false"]
"""Whether to make a section: where the data allow it, in any case (or say what is wrong), or never."""

_MOST_IN_A_TITLE = 4


@dataclass(frozen=True)
class PointsSpec:
    """Where verification is read off; `fmr=None` takes what the data support."""

    fmr: tuple[float, ...] | None = None
    tmr: tuple[float, ...] = ()
    threshold: tuple[float, ...] = ()


@dataclass(frozen=True)
class SystemSpec:
    """One system: its name, where its scores are and how they are read; see `mated.read`.

    `file` is a path, several paths of one table, or, in Python, anything that `mated.verify` takes.
    """

    name: str
    file: Any = None
    mated: Path | None = None
    nonmated: Path | None = None
    format: str = "auto"
    key: Path | None = None
    mask: Path | None = None
    histogram: Literal["mated", "nonmated", "both"] | None = None
    header: bool | Literal["auto"] = "auto"
    columns: Columns = field(default_factory=Columns)
    ids: Any = None
    probe_ids: Any = None
    reference_ids: Any = None
    dissimilarity: bool | None = None
    unit: object = "auto"
    nan: NanPolicy = "refuse"
    failure_score: float | None = None
    fte: float | str | None = None
    fta: float | str | None = None
    where: Any = None
    stream: bool | None = None
    symmetric: Literal["auto", "yes", "no"] = "auto"

    def reading(self) -> dict[str, Any]:
        """Return the options of `mated.io.read` that differ from its defaults."""
        return given_reading({name: getattr(self, name) for name in _READING})

    @property
    def paths(self) -> tuple[Path, ...]:
        """The paths the author gave, the scores first; data frames and arrays have none."""
        given: list[Any] = [self.file] if isinstance(self.file, str | os.PathLike) else []
        if isinstance(self.file, list | tuple):
            given = [part for part in self.file if isinstance(part, str | os.PathLike)]
        given += [self.mated, self.nonmated, self.key, self.mask, self.ids, self.probe_ids, self.reference_ids]
        return tuple(Path(path) for path in given if isinstance(path, str | os.PathLike))


_READING: dict[str, Any] = {
    "mated": None,
    "nonmated": None,
    "format": "auto",
    "key": None,
    "mask": None,
    "histogram": None,
    "header": "auto",
    "columns": Columns(),
    "ids": None,
    "probe_ids": None,
    "reference_ids": None,
    "dissimilarity": None,
    "unit": "auto",
    "nan": "refuse",
    "failure_score": None,
    "where": None,
}


@dataclass(frozen=True)
class GroupsSpec:
    """Groups: sets of columns, the columns of probe and reference, or a table of subjects and some of its columns."""

    by: tuple[tuple[str, ...], ...] = ()
    probe: str | None = None
    reference: str | None = None
    subjects: Path | None = None
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class IdentifySpec:
    """Searches in the gallery of the data."""

    enabled: Enabled = "auto"
    ranks: tuple[int, ...] | None = None
    fpir: tuple[float, ...] | None = None
    threshold: tuple[float, ...] = ()
    length: int = 1
    ties: Ties = "expected"
    mate_removed: bool = False


@dataclass(frozen=True)
class ForecastSpec:
    """Galleries of other sizes; none named means up to a hundred times the subjects."""

    enabled: Enabled = "auto"
    gallery: tuple[int, ...] = ()
    ranks: tuple[int, ...] = ()
    fpir: tuple[float, ...] = ()
    replicates: int = 200


@dataclass(frozen=True)
class QualitySpec:
    """Quality algorithms: files of sample qualities, named or not, or columns of pair qualities."""

    files: tuple[Any, ...] | Mapping[str, Any] = ()
    pair_columns: tuple[str, ...] = ()
    columns: Mapping[str, Any] = field(default_factory=dict)
    type: Literal["fnm", "fm"] = "fnm"
    starting_error: float = 0.05
    threshold: float | None = None
    limit: float = 0.2
    pair: PairFunction = "minimum"
    replicates: int = 1000


@dataclass(frozen=True)
class CompareSpec:
    """Tests between systems."""

    enabled: Enabled = "auto"
    paired: Pairing = "auto"


@dataclass(frozen=True)
class ClaimSpec:
    """A claim to check, of one system or of each, at a level of its own or at that of the study."""

    text: str
    system: str | None = None
    level: float | None = None

    @property
    def claim(self) -> Claim:
        """What the text says; a text that is no claim is refused."""
        return parse_claim(self.text)


@dataclass(frozen=True)
class Study:
    """Everything that a report is to say; `mated.report.evaluate.evaluate` finds it out.

    Names that the claims use are checked here, so that a slip costs no computing.
    """

    systems: tuple[SystemSpec, ...]
    title: str = "Report"
    notes: str = ""
    level: float = 0.95
    seed: int = 1
    replicates: int = 2000
    intervals: Intervals = "auto"
    show_ids: bool = False
    points: PointsSpec = PointsSpec()
    groups: GroupsSpec = GroupsSpec()
    identify: IdentifySpec = IdentifySpec()
    forecast: ForecastSpec = ForecastSpec()
    quality: QualitySpec = QualitySpec()
    compare: CompareSpec = CompareSpec()
    claims: tuple[ClaimSpec, ...] = ()
    path: Path | None = None

    def __post_init__(self) -> None:
        exact_rate(self.level, "level: a confidence level")
        if self.replicates == 1 or self.replicates < 0:
            raise MatedError(f"replicates are two or more, or 0 for no intervals, and {self.replicates} is neither")
        if not self.systems:
            raise MatedError("a study needs one system or more: [[system]] with a file")
        names = [system.name for system in self.systems]
        for name, count in Counter(names).items():
            if count > 1:
                raise MatedError(f"two systems are called {name!r}; give each a name of its own")
        if (self.groups.probe is None) != (self.groups.reference is None):
            raise MatedError("[groups] probe and reference go together: a column for each side of a comparison")
        for spec in self.claims:
            self._check_claim(spec, names)

    def _check_claim(self, spec: ClaimSpec, names: list[str]) -> None:
        claim = spec.claim
        if self.replicates == 0:
            raise MatedError(f"the claim {claim.text!r} needs intervals, and replicates is 0; ask for some")
        about = [spec.system] if spec.system is not None else []
        if claim.about is not None and claim.measure != "pauc":
            about.append(claim.about)
        for name in about:
            if name not in names:
                raise MatedError(
                    f"the claim {claim.text!r} is about a system {name!r}, and there is none; {nearest(name, names)}"
                )
        if len(set(about)) > 1:
            raise MatedError(f"the claim {claim.text!r} is given for the system {about[0]!r} and says another one")
        if claim.measure == "pauc" and not (self.quality.files or self.quality.pair_columns):
            judged = [s.name for s in self.systems if any(p.suffix == ".json" for p in s.paths)]
            if not judged:  # a dasec JSON holds qualities beside the scores
                raise MatedError(f"the claim {claim.text!r} is about quality, and no quality files are given")


def nearest(name: str, known: Sequence[str]) -> str:
    """Return the end of a sentence that refuses a name: the one that may be meant, and all there are."""
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    meant = f"did you mean {near[0]!r}? " if near else ""
    return f"{meant}there is: {', '.join(map(repr, known))}" if known else f"{meant}there is none"


def study_of_files(sources: Any, *, reading: Mapping[str, Any] | None = None, **options: Any) -> Study:
    """Make a study of one file or several, each a system, or of a mapping from names to what `mated.verify` takes.

    `reading` says how all of them are read: fields of `SystemSpec`; `options` are further fields of `Study`.
    """
    if isinstance(sources, str | os.PathLike):
        sources = [sources]
    if isinstance(sources, list | tuple):
        named: Mapping[str, Any] = _named(sources)
    else:
        named = sources if isinstance(sources, Mapping) else {"scores": sources}
    given = given_reading(reading or {})
    systems = tuple(SystemSpec(str(name), file, **given) for name, file in named.items())
    return Study(systems, **{"title": _title([spec.name for spec in systems]), **options})


def lists_of_one_system(mated: str | Path, nonmated: str | Path, reading: Mapping[str, Any] | None = None) -> Study:
    """Make a study of one system whose scores are two lists."""
    name = f"{bare_name(mated)} + {bare_name(nonmated)}"
    given = {**given_reading(reading or {}), "mated": Path(mated), "nonmated": Path(nonmated)}
    return Study((SystemSpec(name, **given),), title=name)


def given_reading(options: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the options of reading that say something other than the default."""
    found = {}
    for name, value in options.items():
        if name not in _READING and name != "symmetric":
            raise MatedError(f"there is no option {name!r} of reading; {nearest(name, list(_READING))}")
        # A data frame of ids has no plain answer to whether it differs from a text.
        default = _READING.get(name)
        if value is not None and (default is None or value != default):
            found[name] = value
    return found


def _title(names: Sequence[str]) -> str:
    """Call a study that nobody named after its systems."""
    if len(names) > _MOST_IN_A_TITLE or not names:
        return f"{len(names)} systems"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _named(files: Sequence[Any]) -> dict[str, Any]:
    """Name each file by its bare name, or as it was given where names repeat."""
    if not files:
        raise MatedError("give the score files of one system or more")
    if not all(isinstance(file, str | os.PathLike) for file in files):
        raise MatedError("give a mapping from the name of a system to its scores where these are not files")
    repeated = Counter(map(bare_name, files))
    names = [str(file) if repeated[bare_name(file)] > 1 else bare_name(file) for file in files]
    if len(set(names)) < len(names):
        raise MatedError("the same file is given twice")
    return dict(zip(names, files, strict=True))
