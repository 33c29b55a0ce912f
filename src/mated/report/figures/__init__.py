"""The figures of the page, one module each: data in, a `FigureSpec` out that Plotly draws in the browser."""

from __future__ import annotations

from mated.report.figures.style import FigureSpec, Key

__all__ = ["FigureSpec", "Key"]
