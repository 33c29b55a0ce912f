"""Which columns a source has, and what each is taken for, without reading it."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

from mated.io.bytes_in import text_start
from mated.io.columns import ROLES, Roles, resolve
from mated.io.delimited import Delimited
from mated.io.frame import columns_of
from mated.io.text_table import settle_columns

if TYPE_CHECKING:
    from mated.io.registry import Reader
    from mated.io.request import Request

__all__ = ["HeldColumn", "held_columns"]

_ARROW, _STREAM = b"ARROW1", b"\xff\xff\xff\xff"


@dataclass(frozen=True)
class HeldColumn:
    """A column: its name, the role it plays (None for a covariate), and its type where the source says it."""

    name: str
    role: str | None
    type: str | None = None


def held_columns(reader: Reader, request: Request) -> tuple[HeldColumn, ...] | None:
    """Return the columns of a table, None for a format without columns that have names."""
    if reader.name == "table":
        return _of_text(request)
    if reader.name == "frame":
        columns = columns_of(request.source) or {}
        return _named({name: series.dtype for name, series in columns.items()}, request)
    return _named(_columnar_schema(request), request) if reader.name == "parquet" else None


def _of_text(request: Request) -> tuple[HeldColumn, ...] | None:
    start = text_start(request.file)
    settled = None if start is None else settle_columns(Delimited.sniff(start), request)
    if settled is None:
        return None
    role_of = _role_of(settled.roles)
    # Identifiers are texts whatever they look like, and scores numbers; the rest is known when it is read.
    types = dict.fromkeys(ROLES, "string") | {"score": "float64", "mated": None}
    return tuple(
        HeldColumn(name, role, None if role is None else types[role])
        for name, role in ((name, role_of.get(name)) for name in settled.names)
    )


def _named(schema: dict[str, Any], request: Request) -> tuple[HeldColumn, ...]:
    role_of = _role_of(resolve(list(schema), request.columns, source=request.name))
    return tuple(HeldColumn(name, role_of.get(name), str(dtype).lower()) for name, dtype in schema.items())


def _columnar_schema(request: Request) -> dict[str, Any]:
    import polars as pl

    file = request.file
    held = file.packed or not file.path.is_file() or any(sign in file.name for sign in "*?[")
    source: Any = BytesIO(file.contents) if held else file.path
    if file.head.startswith(_STREAM):
        return dict(pl.read_ipc_stream(source).schema)
    return dict(pl.read_ipc_schema(source) if file.head.startswith(_ARROW) else pl.read_parquet_schema(source))


def _role_of(roles: Roles) -> dict[str, str]:
    return {name: role for role in ROLES if (name := getattr(roles, role)) is not None}
