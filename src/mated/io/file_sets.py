"""Data sets: one table in several files, given as a folder or a pattern such as "parts/*.parquet".

All parts have the same columns. Of a folder every file of a known ending is read, also in folders below; hidden files
and those whose name begins with "_", which other tools leave behind, are not. Folders named "sensor=A", as Spark and
Dask write them, add a column `sensor` to Parquet and Arrow files.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mated.errors import MatedError
from mated.io.bytes_in import InputFile, joined, read_text
from mated.io.columns import quoted
from mated.io.delimited import is_number, sniff_separator, split_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mated.io.bytes_in import Text
    from mated.io.request import Header

__all__ = ["FileSet", "join", "join_texts", "locate"]

_ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".pq", ".arrow", ".feather", ".ipc")
_WILD = "*?["


@dataclass(frozen=True)
class FileSet:
    """The files of one table in the order of their names; `folders` says for each what its folders add to its rows."""

    name: str
    parts: tuple[InputFile, ...]
    folders: tuple[Mapping[str, str], ...] = field(default=())


def locate(given: Any) -> Any:
    """Turn a path, a folder, a pattern or a sequence of paths into the files it stands for; leave anything else."""
    if isinstance(given, list | tuple) and given and all(isinstance(path, str | os.PathLike) for path in given):
        return _set_of(", ".join(str(path) for path in given), [Path(path) for path in given])
    if not isinstance(given, str | os.PathLike):
        return given
    path = Path(given)
    if os.path.isdir(path):  # noqa: PTH112 - False, and no exception, where it may not be looked at
        return _of_folder(path)
    if not os.path.exists(path) and any(sign in str(path) for sign in _WILD):  # noqa: PTH110 - likewise
        found = sorted(Path(name) for name in glob(str(path), recursive=True))  # noqa: PTH207 - absolute patterns too
        files = [file for file in found if file.is_file()]
        if not files:
            raise MatedError(f"no file matches {path}; check the pattern, and put it in quotation marks")
        return _set_of(str(path), files)
    return InputFile(path)


def join_texts(files: FileSet, header: Header) -> Text:
    """Read text files as one; a header must stand in all of them or in none, and be the same."""
    return join([read_text(file) for file in files.parts], files.name, header)


def join(texts: Sequence[Text], name: str, header: Header) -> Text:
    """Put texts one after another, with the header of the first where they have one."""
    lines = [text.first_lines(1)[0] for text in texts]
    headed = [_is_header(line, text) if header == "auto" else header for line, text in zip(lines, texts, strict=True)]
    for text, line, is_headed in zip(texts, lines, headed, strict=True):
        if text.separator != texts[0].separator:
            raise MatedError(f"{text.name} names another separator than {texts[0].name}; write all parts alike")
        if is_headed != headed[0]:
            with_it, without = (text, texts[0]) if is_headed else (texts[0], text)
            raise MatedError(
                f"{with_it.name} has a header and {without.name} has none; give all parts one, or, if the first lines "
                "are data, say so with header=False (--no-header)"
            )
        if is_headed and line != lines[0]:
            raise MatedError(
                f"{text.name} has another header than {texts[0].name}; all parts need the same columns in one order"
            )
    if headed[0]:
        texts = [texts[0], *(text.without_first() for text in texts[1:])]
    return joined(name, texts)


def _is_header(line: str, text: Text) -> bool:
    separator = text.separator or sniff_separator([line])
    return not any(is_number(part) for part in split_line(line, separator))


def _of_folder(folder: Path) -> InputFile | FileSet:
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not any(name.startswith((".", "_")) for name in path.relative_to(folder).parts)
    )
    known = [path for path in files if InputFile(path).ending in _ENDINGS]
    if not known:
        raise MatedError(
            f"{folder} is a directory without a file that ends in {', '.join(_ENDINGS[:-1])} or {_ENDINGS[-1]}; give a "
            "file, or a pattern of names in quotation marks"
        )
    endings = sorted({InputFile(path).ending for path in known})
    if len(endings) > 1:
        raise MatedError(
            f"{folder} is a directory with files of several kinds ({', '.join(endings)}); say which with a pattern "
            f"such as '{folder}/*{endings[0]}'"
        )
    return _set_of(str(folder), known, within=folder)


def _set_of(name: str, paths: Sequence[Path], *, within: Path | None = None) -> InputFile | FileSet:
    folders = tuple(_folder_values(path if within is None else path.relative_to(within)) for path in paths)
    if len(paths) == 1 and not folders[0]:
        return InputFile(paths[0])
    for path, values in zip(paths, folders, strict=True):
        if values.keys() != folders[0].keys():
            raise MatedError(
                f"the folders of {path} name {quoted(list(values)) or 'no column'} and those of {paths[0]} "
                f"{quoted(list(folders[0])) or 'none'}; all parts need the same columns"
            )
    return FileSet(name, tuple(InputFile(path) for path in paths), folders)


def _folder_values(path: Path) -> dict[str, str]:
    """Read off what folders such as "sensor=A" say."""
    return dict(part.split("=", 1) for part in path.parts[:-1] if "=" in part)
