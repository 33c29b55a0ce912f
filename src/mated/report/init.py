"""`mated init`: look through a folder and write a commented study of what is found.

Score files become systems, two score lists called after mated and non-mated comparisons one system, tables of sample
qualities the quality section, a table of subjects and further columns with few values the groups. Files up to 32 MB are
read whole, of larger ones the beginning; what cannot be used is named in a comment with the reason.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mated.errors import MatedError
from mated.io import read
from mated.io.atomic import write_text
from mated.io.bytes_in import InputFile
from mated.io.parquet_files import is_columnar
from mated.io.quality_files import read_qualities
from mated.report.evaluate_groups import read_subject_groups
from mated.report.study_schema import SCHEMA, Key, Table
from mated.scores import Comparisons

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Found", "find_inputs", "study_text", "write_study"]

_ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".pq", ".arrow", ".feather", ".ipc", ".json", ".npy", ".mtx", ".scores")
_MOST_FILES = 200
_READ_WHOLE = 32 << 20
_HEAD_ROWS = 10_000
_MOST_VALUES = 12
_CLASSES = {
    "nonmated": re.compile(r"non[-_ ]?mated?|impost[eo]rs?|non[-_ ]?targets?|different|(?<![a-z])false", re.IGNORECASE),
    "mated": re.compile(r"mated?|genuines?|targets?|same|(?<![a-z])true", re.IGNORECASE),
}
_SIDES = (("probe_", "reference_"), ("probe_", "ref_"))


@dataclass(frozen=True)
class Found:
    """What a folder holds: systems by name with the keys of their table, other inputs, and what was not understood."""

    systems: Mapping[str, Mapping[str, Any]]
    quality: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    sides: tuple[str, str] | None = None
    subjects: str | None = None
    notes: tuple[str, ...] = ()


def write_study(folder: str | Path, output: str | Path | None = None, *, force: bool = False) -> tuple[Path, Found]:
    """Write a study of what a folder holds; a file that is there already stays unless `force` says otherwise."""
    place = Path(folder)
    target = place / "study.toml" if output is None else Path(output)
    if not place.is_dir():
        raise MatedError(f"{place} is no folder; give the one with the score files")
    if target.exists() and not force:
        raise MatedError(f"{target} exists and is left as it is; choose another name (--output), or use --force")
    found = find_inputs(place, relative_to=target.parent)
    if not found.systems:
        why = "; ".join(found.notes[:3]) or "it holds no file of a known ending"
        raise MatedError(f"no score file was found in {place}: {why}")
    write_text(target, study_text(found, title=place.resolve().name or "Report"))
    return target, found


def find_inputs(folder: Path, *, relative_to: Path | None = None) -> Found:
    """Look through the files of a folder, not those of folders below it, in the order of their names."""
    base = (relative_to or folder).resolve()
    files = [path for path in sorted(folder.iterdir()) if _is_candidate(path)]
    notes = []
    if len(files) > _MOST_FILES:
        notes.append(f"only the first {_MOST_FILES} of {len(files)} files were looked at")
    search = _Search(base)
    for path in files[:_MOST_FILES]:
        search.look_at(path)
    return search.result(notes)


def study_text(found: Found, *, title: str = "Report") -> str:
    """Write the study file: what was found as keys, and every other key in a comment that says what it does."""
    values: dict[str, list[dict[str, Any]]] = {table.name: [{}] for table in SCHEMA}
    values[""] = [{"title": title}]
    values["system"] = [{"name": name, **keys} for name, keys in found.systems.items()]
    values["claim"] = []
    if found.quality:
        values["quality"] = [{"files": list(found.quality)}]
    groups: dict[str, Any] = {"by": list(found.by)} if found.by else {}
    if found.sides is not None:
        groups |= dict(zip(("probe", "reference"), found.sides, strict=True))
    if found.subjects is not None:
        groups["subjects"] = found.subjects
    values["groups"] = [groups]
    lines = ["# A study for `mated report`, written by `mated init`.", "# Take the # away from a key to set it.", ""]
    lines += [f"# {_one_line(note)}" for note in found.notes]
    for table in SCHEMA:
        lines += _table_lines(table, values[table.name])
    return "\n".join(lines) + "\n"


def _table_lines(table: Table, entries: list[dict[str, Any]]) -> list[str]:
    lines = ["", f"# {table.meaning}"] if table.name else []
    for number, entry in enumerate(entries):
        lines += [table.heading] if table.name else []
        for key in table.keys:
            if key.name in entry:
                lines.append(f"{key.name} = {_toml(entry[key.name])}")
            elif number == 0:
                lines.append(_comment(key))
        lines.append("")
    if not entries:
        lines += [f"# {table.heading}", *(_comment(key) for key in table.keys), ""]
    return lines[:-1]


def _comment(key: Key) -> str:
    default = "" if key.default in ("none", key.example) else f"; without it: {key.default}"
    return f"# {key.name} = {key.example}    # {key.meaning}{default if key.default != 'needed' else ''}"


def _toml(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    # A JSON text is a TOML text, but for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def _one_line(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f\u0085\u2028\u2029]+", " ", text)


class _Search:
    """Sorts the files of a folder."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.systems: dict[str, dict[str, Any]] = {}
        self.lists: dict[str, dict[str, list[Path]]] = {}
        self.quality: list[str] = []
        self.subjects: list[str] = []
        self.columns: dict[str, Any] = {}
        self.notes: list[str] = []

    def look_at(self, path: Path) -> None:
        """Try what a file may be: comparisons, a score list, qualities, a table of subjects."""
        name = self.relative(path)
        if name is None:
            self.notes.append(f"{path.name!r} has a name that cannot be written in UTF-8")
            return
        try:
            layout = _beginning(path)
        except (MatedError, OSError) as error:
            self.look_beside(path, name, error)
            return
        label = path.name.split(".")[0] or path.name
        self.systems[label if label not in self.systems else path.name] = {"file": name}
        if isinstance(layout, Comparisons):
            for column in _group_columns(layout):
                self.columns.setdefault(column, layout.covariates[column])

    def look_beside(self, path: Path, name: str, error: Exception) -> None:
        named = _list_kind(path)
        if named is not None:
            kind, rest = named
            self.lists.setdefault(rest, {}).setdefault(kind, []).append(path)
            return
        try:
            read_subject_groups(path)
        except (MatedError, OSError):
            pass
        else:
            if _is_about_subjects(path):
                self.subjects.append(name)
                return
        try:
            read_qualities(path)
        except (MatedError, OSError):
            self.notes.append(f"{path.name} is not used: {error}")
        else:
            self.quality.append(name)

    def relative(self, path: Path) -> str | None:
        """Write a path as seen from the study, or None where TOML cannot hold it."""
        text = Path(os.path.relpath(path.resolve(), self.base)).as_posix()
        try:
            text.encode()
        except UnicodeEncodeError:
            return None
        return text

    def result(self, notes: list[str]) -> Found:
        for rest, found in self.lists.items():
            mated, nonmated = found.get("mated", []), found.get("nonmated", [])
            if len(mated) == len(nonmated) == 1:
                pair = {"mated": self.relative(mated[0]), "nonmated": self.relative(nonmated[0])}
                name = rest or f"{mated[0].stem} + {nonmated[0].stem}"
                self.systems[name if name not in self.systems else f"{name} lists"] = pair
            else:
                said = ", ".join(path.name for path in (*mated, *nonmated))
                self.notes.append(f"score lists that could not be put in pairs: {said}")
        sides, by = _sides_of(self.columns)
        if len(self.subjects) > 1:
            self.notes.append(f"tables of subjects that are not used: {', '.join(self.subjects[1:])}")
        return Found(
            self.systems, tuple(self.quality), by, sides, self.subjects[0] if self.subjects else None,
            (*notes, *self.notes),
        )  # fmt: skip


def _is_candidate(path: Path) -> bool:
    if not path.is_file() or path.name.startswith((".", "_")):
        return False
    return InputFile(path).ending in _ENDINGS


def _beginning(path: Path) -> Any:
    """Read a file, or of a large one its beginning."""
    if path.stat().st_size <= _READ_WHOLE:
        return read(path)
    file = InputFile(path)
    if is_columnar(file):
        import polars as pl

        scan = pl.scan_parquet if file.ending in (".parquet", ".pq") else pl.scan_ipc
        try:
            return read(scan(path).head(_HEAD_ROWS).collect())
        except pl.exceptions.PolarsError as error:
            raise MatedError(f"{path} cannot be read: {error}") from None
    if file.ending in (".json", ".npy"):
        raise MatedError(f"{path} is larger than {_READ_WHOLE >> 20} MB and cannot be read in part; name it yourself")
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder) / path.name.removesuffix(".gz")
        part.write_bytes(file.head[: file.head.rfind(b"\n") + 1])
        return read(part)


def _list_kind(path: Path) -> tuple[str, str] | None:
    """Say which class a list of bare numbers is of by its name, and what the rest of the name is."""
    named = next(((kind, word) for kind, word in _CLASSES.items() if word.search(path.stem)), None)
    if named is None:
        return None
    lines = InputFile(path).head.split(b"\n")[:20]
    try:
        numbers = [float(line) for line in lines[: -1 if len(lines) == 20 else None] if line.strip()]
    except ValueError:
        return None
    return (named[0], named[1].sub("", path.stem, count=1).strip("-_. ")) if numbers else None


def _is_about_subjects(path: Path) -> bool:
    """Say whether some column has few values: groups, not numbers of each subject."""
    groups = read_subject_groups(path).groups
    people = len(next(iter(groups.values())))
    return all(1 < len(set(column.values())) <= min(_MOST_VALUES, max(people // 2, 2)) for column in groups.values())


def _group_columns(table: Comparisons) -> Iterable[str]:
    """Find further columns with a few values, at least one of them with both classes."""
    for name, values in table.covariates.items():
        if values.dtype.kind == "f":
            continue
        mated, nonmated = set(values[table.mated].tolist()), set(values[~table.mated].tolist())
        if 2 <= len(mated | nonmated) <= _MOST_VALUES and mated & nonmated:
            yield name


def _sides_of(columns: Mapping[str, Any]) -> tuple[tuple[str, str] | None, tuple[str, ...]]:
    """Tell a pair of columns, one for each side, from columns of whole comparisons."""
    for probe, reference in _SIDES:
        for name in columns:
            other = reference + name.removeprefix(probe)
            if name.startswith(probe) and other in columns:
                rest = tuple(c for c in columns if not c.startswith(("probe_", "reference_", "ref_")))
                return (name, other), rest
    return None, tuple(columns)
