"""The tables of a report as CSV, for a machine, and as LaTeX, for a paper; what a user wrote is shown literally."""

from __future__ import annotations

import csv
import io
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mated.io.atomic import write_text
from mated.report.tables import tables_of

if TYPE_CHECKING:
    from mated.report.findings import Findings
    from mated.report.tables import Cell, ReportTable

__all__ = ["csv_text", "latex_text", "latex_words", "save_tables"]

_FORMULA = ("=", "+", "-", "@")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': r"\textquotedbl{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    "-": r"{-}",  # two in a row would become a dash
    "[": r"{[}",  # after the end of a row it would begin an amount of space
    "*": r"{*}",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "−": r"$-$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "′": r"$'$",
    "–": r"\textendash{}",
    "—": r"\textemdash{}",
    "…": r"\ldots{}",
    "\u00a0": "~",
    "\u202f": r"\,",
}
_WORDS = ("Sentence", "Caution", "Reason")
"""Columns of sentences, which a table on paper has no room for; the CSV holds them."""


def save_tables(findings: Findings, directory: str | Path) -> list[Path]:
    """Write every table as NAME.csv and NAME.tex into a folder, each whole or not at all."""
    folder = Path(directory)
    texts = {}
    for table in tables_of(findings):  # all are made before any is written
        texts[folder / f"{table.name}.csv"] = csv_text(table)
        texts[folder / f"{table.name}.tex"] = latex_text(table)
    for path, text in texts.items():
        write_text(path, text)
    return list(texts)


def csv_text(table: ReportTable) -> str:
    """Write a table as CSV with a header; numbers have all their digits, a missing value is empty.

    A text that a spreadsheet would take for a formula gets an apostrophe in front. Line breaks and control characters
    in a text become blanks, so that a row is a line.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([_field(cell) for cell in row] for row in table.rows)
    return buffer.getvalue()


def latex_text(table: ReportTable) -> str:
    """Write a table as a LaTeX `table` with booktabs rules, to be put in; numbers have four digits."""
    shown = [k for k, column in enumerate(table.columns) if column not in _WORDS or len(table.columns) < 3]
    numeric = [all(not isinstance(row[k], str) for row in table.rows) for k in shown]
    lines = [
        "% Needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}.",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex_words(table.title)}}}",
        rf"\label{{tab:{table.name.replace('_', '-')}}}",
        rf"\begin{{tabular}}{{{''.join('r' if number else 'l' for number in numeric)}}}",
        r"\toprule",
        _line([latex_words(table.columns[k]) for k in shown]),
        r"\midrule",
        *(_line([_latex_cell(row[k]) for k in shown]) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def latex_words(text: str) -> str:
    """Escape a text so that LaTeX prints it as it is; line breaks and control characters become blanks."""
    return "".join(_LATEX.get(sign, sign) for sign in _CONTROL.sub(" ", text))


def _field(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        text = _CONTROL.sub(" ", cell)
        return f"'{text}" if text.lstrip().startswith(_FORMULA) else text
    return repr(float(cell)) if isinstance(cell, float) else str(cell)


def _line(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _latex_cell(cell: Cell) -> str:
    if cell is None:
        return r"\textendash{}"
    if isinstance(cell, str):
        return latex_words(cell)
    if isinstance(cell, int):
        whole = f"{abs(cell):,}".replace(",", r"\,")
        return f"$-{whole}$" if cell < 0 else whole
    if math.isinf(cell):
        return r"$\infty$" if cell > 0 else r"$-\infty$"
    if math.isnan(cell):
        return r"\textendash{}"
    written = f"{cell:.4g}"
    if "e" in written:
        mantissa, exponent = written.split("e")
        return rf"${mantissa}\times 10^{{{int(exponent)}}}$"
    return f"${written}$" if written.startswith("-") else written
