"""Results as small HTML tables for notebooks; every text is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["table_html"]


def table_html(frame: pl.DataFrame, *, caption: str) -> str:
    """Write a frame as an HTML table with a caption; missing values stay empty."""
    head = "".join(f"<th>{escape(name)}</th>" for name in frame.columns)
    rows = "".join("<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>" for row in frame.rows())
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return escape(f"{value:.6g}" if isinstance(value, float) else str(value))
