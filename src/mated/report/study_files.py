"""Reading a study file: TOML whose tables and keys are those of `study_schema`; every slip is named where it stands."""

from __future__ import annotations

import glob
import math
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mated.errors import MatedError
from mated.evaluation.verify import bare_name
from mated.io import Columns
from mated.report.study import (
    ClaimSpec,
    CompareSpec,
    ForecastSpec,
    GroupsSpec,
    IdentifySpec,
    PointsSpec,
    QualitySpec,
    Study,
    SystemSpec,
    nearest,
)
from mated.report.study_schema import SCHEMA, Key, Table, table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["is_study_file", "read_study"]

_SPECS: dict[str, type] = {
    "points": PointsSpec,
    "groups": GroupsSpec,
    "identify": IdentifySpec,
    "forecast": ForecastSpec,
    "quality": QualitySpec,
    "compare": CompareSpec,
}
_ROLES = ("score", "mated", "probe_subject", "reference_subject", "probe_sample", "reference_sample")
_QUALITY_ROLES = ("sample", "subject", "algorithm", "quality")
_WILD = "*?["


def is_study_file(path: Any) -> bool:
    """Say whether a path names a study file: by its ending."""
    return isinstance(path, str | Path) and Path(path).suffix.lower() == ".toml"


def read_study(path: str | Path) -> Study:
    """Read a study file.

    Paths in it are relative to its folder.

    Raises
    ------
    MatedError
        It is no TOML, has a table or key that is not known, or a value of the wrong kind; the sentence names file,
        table and key, and what may stand there.
    """
    file = Path(path)
    raw = _toml(file)
    _refuse_unknown_tables(raw, file)
    top = {key: value for key, value in raw.items() if key in {k.name for k in table("").keys}}
    fields = _values(top, table(""), file, "")
    for name, spec in _SPECS.items():
        if name in raw:
            fields[name] = spec(**_values(raw[name], table(name), file, f"[{name}]"))
    systems = _entries(raw, "system", file)
    claims = _entries(raw, "claim", file)
    if not systems:
        raise MatedError(f'{file} names no system; add one: [[system]] and file = "scores.csv"')
    try:
        return Study(
            tuple(_system(values, f"{file}: [[system]] {k}") for k, values in enumerate(systems, start=1)),
            claims=tuple(_claim(values, f"{file}: [[claim]] {k}") for k, values in enumerate(claims, start=1)),
            path=file,
            **fields,
        )
    except MatedError as error:
        told = str(error)
        raise MatedError(told if told.startswith(str(file)) else f"{file}: {told}") from None


def _toml(file: Path) -> dict[str, Any]:
    if file.is_dir():
        raise MatedError(f"{file} is a directory; give a study file, or make one with mated init {file}")
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise MatedError(f"there is no file {file}; check the path, or make a study with mated init") from None
    except OSError as error:
        raise MatedError(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise MatedError(f"{file} is not UTF-8 text (byte {error.start + 1}); save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise MatedError(f"{file} is not TOML: {error}") from None


def _refuse_unknown_tables(raw: Mapping[str, Any], file: Path) -> None:
    tables = [t.name for t in SCHEMA if t.name]
    keys = [k.name for k in table("").keys]
    for name, value in raw.items():
        if name in keys:
            continue
        if name not in tables:
            what = "table" if _is_table(value) else "key"
            raise MatedError(f"{file} has no {what} {name!r}; {nearest(name, tables if what == 'table' else keys)}")
        wanted = table(name)
        if wanted.repeated and not (isinstance(value, list) and all(isinstance(entry, dict) for entry in value)):
            raise MatedError(f"{file}: {name} is written {wanted.heading}, in double brackets, once for each {name}")
        if not wanted.repeated and not isinstance(value, dict):
            raise MatedError(f"{file}: {name} is written {wanted.heading}, once, with its keys below")


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and bool(value) and isinstance(value[0], dict))


def _entries(raw: Mapping[str, Any], name: str, file: Path) -> list[dict[str, Any]]:
    return [_values(entry, table(name), file, f"[[{name}]] {k}") for k, entry in enumerate(raw.get(name, []), start=1)]


def _values(raw: Mapping[str, Any], wanted: Table, file: Path, where: str) -> dict[str, Any]:
    """Check the keys of one table and convert their values."""
    known = {key.name: key for key in wanted.keys}
    place = f"{file}: {where} " if where else f"{file}: "
    for name in raw:
        if name not in known:
            raise MatedError(f"{place}has no key {name!r}; {nearest(name, list(known))}")
    try:
        return {name: _convert(value, known[name], place, file.parent) for name, value in raw.items()}
    except MatedError as error:
        told = str(error)
        raise MatedError(told if told.startswith(place) else f"{place}{told}") from None


def _system(values: dict[str, Any], place: str) -> SystemSpec:
    lists = [values.get("mated"), values.get("nonmated")]
    if (values.get("file") is None) == (lists == [None, None]):
        raise MatedError(f"{place} needs its scores: file = ..., or the two lists mated = ... and nonmated = ...")
    if lists != [None, None] and None in lists:
        raise MatedError(f"{place}: mated and nonmated go together: two score lists of one system")
    if "name" not in values:
        given = values.get("file")
        first = given[0] if isinstance(given, tuple) else given
        values["name"] = bare_name(first) if first is not None else " + ".join(bare_name(p) for p in lists if p)
    return SystemSpec(**values)


def _claim(values: dict[str, Any], place: str) -> ClaimSpec:
    if "text" not in values:
        raise MatedError(f'{place} needs its text, such as text = "eer <= 0.02"')
    spec = ClaimSpec(**values)
    try:
        _ = spec.claim
    except MatedError as error:
        raise MatedError(f"{place}: {error}") from None
    return spec


def _convert(value: Any, key: Key, place: str, folder: Path) -> Any:
    """Turn what TOML gives into what the study holds, or say what is expected."""
    wrong = MatedError(f"{place}{key.name} takes {key.takes}, and {_written(value)} is none of that")
    if key.kind == "choice":
        text = str(value).lower() if isinstance(value, bool) else value
        if text not in key.choices:
            meant = f"; {nearest(text, key.choices)}" if isinstance(text, str) else ""
            raise MatedError(f"{wrong}{meant}")
        return text
    if key.kind in ("rates", "numbers", "whole numbers"):
        one = _CONVERT[key.kind[:-1]]
        found = [one(v) for v in (value if isinstance(value, list) else [value])]
        if None in found:
            raise wrong
        return tuple(dict.fromkeys(found))
    if key.kind in ("path", "paths", "named paths"):
        converted = _paths(value, key.kind, folder)
    elif key.kind in ("columns", "quality columns"):
        return _columns(value, key, place, wrong)
    else:
        converted = _CONVERT[key.kind](value)
    if converted is None:
        raise wrong
    return converted


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if len(repr(value)) < 60 else f"{repr(value)[:57]}..."


def _number(value: Any) -> int | float | None:
    fits = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return value if fits else None


def _rate(value: Any) -> float | None:
    number = _number(value)
    return number if number is not None and 0 < number < 1 else None


def _whole(value: Any, least: int = 1) -> int | None:
    number = _number(value)  # 1e6 is a float in TOML
    return int(number) if number is not None and number == int(number) and number >= least else None


def _texts(value: Any) -> tuple[str, ...] | None:
    given = value if isinstance(value, list) else [value]
    return tuple(given) if given and all(isinstance(v, str) and v for v in given) else None


def _groupings(value: Any) -> tuple[tuple[str, ...], ...] | None:
    given = value if isinstance(value, list) else [value]
    found = [_texts(v) for v in given]
    return None if None in found else tuple(f for f in found if f is not None)


def _unit(value: Any) -> object | None:
    if value in ("auto", "continuous"):
        return str(value)
    number = _number(value)
    return number if number is not None and number > 0 else None


_CONVERT: dict[str, Callable[[Any], Any]] = {
    "text": lambda value: value if isinstance(value, str) else None,
    "number": _number,
    "rate": _rate,
    "count": lambda value: _whole(value, 0),
    "whole number": _whole,
    "yes or no": lambda value: value if isinstance(value, bool) else None,
    "unit": _unit,
    "failures": lambda value: value if isinstance(value, str) and value else _number(value),
    "names": _texts,
    "groupings": _groupings,
}


def _paths(value: Any, kind: str, folder: Path) -> Any:
    if kind == "named paths" and isinstance(value, dict):
        return {name: _path(v, folder) for name, v in value.items()} if all(map(_texts, value.values())) else None
    texts = _texts(value)
    if texts is None or (kind == "path" and isinstance(value, list)):
        return None
    if kind == "path" or (kind == "paths" and not isinstance(value, list)):
        return _path(texts[0], folder)
    return tuple(found for text in texts for found in _expanded(_path(text, folder)))


def _path(text: str, folder: Path) -> Path:
    """Put a path under the folder of the study; a pattern matches the folder's name literally."""
    path = folder / text
    if path.exists() or not any(sign in text for sign in _WILD):
        return path
    return Path(glob.escape(str(folder))) / text


def _expanded(path: Path) -> list[Path]:
    if path.exists() or not any(sign in str(path) for sign in _WILD):
        return [path]
    found = sorted(Path(name) for name in glob.glob(str(path), recursive=True))  # noqa: PTH207 - absolute patterns too
    if not found:
        raise MatedError(f"names files that are not there: no file matches {path}; check the pattern")
    return found


def _columns(value: Any, key: Key, place: str, wrong: MatedError) -> Any:
    roles = _ROLES if key.kind == "columns" else _QUALITY_ROLES
    if not isinstance(value, dict):
        raise wrong
    for role, column in value.items():
        if role not in roles:
            raise MatedError(f"{place}{key.name} has no role {role!r}; {nearest(role, roles)}")
        several = role == "quality" and _texts(column) is not None
        numbered = key.kind == "columns" and _whole(column) is not None and not isinstance(column, float)
        if not (several or numbered or (isinstance(column, str) and column)):
            raise MatedError(f"{place}{key.name}.{role} takes the name of a column, and {_written(column)} is none")
    if key.kind == "columns":
        return replace(Columns(), **value)
    return {role: _texts(column) if role == "quality" else column for role, column in value.items()}
