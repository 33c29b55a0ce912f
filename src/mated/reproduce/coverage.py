"""`mated reproduce coverage`: how often each interval holds the truth, and how wide it is.

Data sets are drawn from models whose error rates are known. Coverage is the share of the intervals that hold the truth,
95 % if they mean what they say. The ideal width is 2·1.96 standard deviations of the estimates over the runs: what an
interval would need if that deviation were known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.io.atomic import write_text
from mated.reproduce.coverage_cells import (
    DEFAULT,
    FEW,
    INDEPENDENT,
    MAIN,
    BinormalCell,
    Cell,
    Interval,
    SubjectCell,
    exact_coverage,
    simulate,
)
from mated.reproduce.coverage_truth import TRUTH
from mated.reproduce.pages import csv_text, markdown_table, paragraph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

__all__ = ["PLANS", "Row", "exact_rows", "in_scope", "meets", "run", "summarise"]

EXPECTED = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0)
"""Numbers of errors expected among 10,000 independent comparisons."""

PLANS: dict[str, tuple[Cell, ...]] = {
    "small": (
        *(BinormalCell(n, runs=200, replicates=500) for n in (2_000, 10_000, 30_000, 100_000)),
        *(SubjectCell(*size, runs=200, replicates=500) for size in ((30, 5), (100, 2), (100, 5), (100, 10))),
    ),
    "full": (
        *(BinormalCell(n, runs=2000, replicates=1000) for n in (2_000, 10_000, 30_000, 100_000)),
        *(
            SubjectCell(*size, runs=2000, replicates=1000)
            for size in ((30, 5), (100, 2), (100, 5), (100, 10), (300, 5), (300, 10))
        ),
    ),
}
"""The cells of each size of the study."""

COVERS, WIDEST = (0.93, 0.99), 1.35
"""What is asked of the default methods: coverage, and mean width relative to the ideal."""
LEAST_SUBJECTS, LEAST_ERRORS = 100, 30
"""Where it is asked: subjects, and errors expected under the model."""


@dataclass(frozen=True)
class Row:
    """One method for one statistic in one cell.

    Attributes
    ----------
    runs
        None where the coverage was computed and not simulated.
    coverage, mc_se
        The share of intervals that hold the truth, and the Monte-Carlo standard error of that share.
    width_ratio
        Mean width over the ideal one.
    above
        The share of intervals that lie wholly below the truth: error rates said to be lower than they are.
    """

    kind: str
    cell: str
    subjects: int | None
    statistic: str
    method: str
    truth: float
    expected_errors: float
    runs: int | None
    coverage: float
    mc_se: float
    width_ratio: float
    above: float


def run(directory: Path, *, seed: int, size: str, jobs: int, progress: Callable[[int, int], None]) -> list[Path]:
    """Run the study and write coverage.csv, coverage.md, coverage.png and coverage.svg.

    The same seed gives the same numbers on any number of processes.
    """
    if size not in PLANS:
        raise MatedError(f"there is no size {size!r}; the sizes are {', '.join(PLANS)}")
    cells = PLANS[size]
    results = simulate(cells, seed=seed, jobs=jobs, progress=progress)
    rows = exact_rows()
    for cell, runs in zip(cells, results, strict=True):
        rows += summarise(cell, runs)
    from mated.plots.save import save

    files = [directory / "coverage.csv", directory / "coverage.md"]
    write_text(files[0], _csv(rows))
    write_text(files[1], _page(rows, cells, seed, size))
    return files + save(_figure(rows), directory, "coverage", ("png", "svg"))


# -- numbers ----------------------------------------------------------------------------------------


def summarise(cell: Cell, runs: Sequence[Sequence[Interval]]) -> list[Row]:
    """Count how often the intervals of a cell hold the truth, and relate their widths to the ideal one."""
    subjects = cell.subjects if isinstance(cell, SubjectCell) else None
    rows = []
    for intervals in zip(*runs, strict=True):
        statistic, method = intervals[0][:2]
        question = cell.questions[statistic]
        value, low, high = np.array([interval[2:] for interval in intervals]).T
        above = int((high < question.truth).sum())
        hits, n = len(value) - above - int((low > question.truth).sum()), len(value)
        shrunk = (hits + 0.5) / (n + 1)  # so that no coverage is without an error
        ideal = 2 * 1.959964 * float(np.std(value, ddof=1))
        rows.append(
            Row(
                cell.kind,
                cell.name,
                subjects,
                statistic,
                method,
                *question,
                n,
                hits / n,
                float(np.sqrt(shrunk * (1 - shrunk) / n)),
                float(np.mean(high - low)) / ideal if ideal else float("nan"),
                above / n,
            )
        )
    return rows


def exact_rows() -> list[Row]:
    """Return the coverage of binomial intervals, computed and not simulated."""
    return [
        Row("exact", f"{expected:g}", None, "rate at a threshold", exact.method, expected / 10_000, expected, None,
            exact.coverage, 0.0, exact.width_ratio, exact.above)
        for expected in EXPECTED
        for exact in exact_coverage(expected)
    ]  # fmt: skip


def in_scope(row: Row) -> bool:
    """Tell whether the requirement speaks of this row: a default method, enough subjects, enough expected errors."""
    return (
        row.subjects is not None
        and row.subjects >= LEAST_SUBJECTS
        and row.expected_errors >= LEAST_ERRORS
        and row.method.startswith(DEFAULT)
    )


def meets(row: Row) -> bool:
    """Tell whether coverage and width are as required."""
    return COVERS[0] <= row.coverage <= COVERS[1] and row.width_ratio <= WIDEST


# -- files ------------------------------------------------------------------------------------------


def _csv(rows: Sequence[Row]) -> str:
    header = ["data", "cell", "statistic", "method", "truth", "expected_errors"]
    return csv_text(
        [*header, "runs", "coverage", "mc_se", "mean_width_ratio", "truth_above"],
        [
            [
                row.kind,
                row.cell,
                row.statistic,
                row.method,
                f"{row.truth:.10g}",
                f"{row.expected_errors:.6g}",
                "exact" if row.runs is None else str(row.runs),
                f"{row.coverage:.6f}",
                f"{row.mc_se:.6f}",
                f"{row.width_ratio:.4f}",
                f"{row.above:.6f}",
            ]
            for row in rows
        ],
    )


def _page(rows: Sequence[Row], cells: Sequence[Cell], seed: int, size: str) -> str:
    by_kind = {kind: [row for row in rows if row.kind == kind] for kind in ("exact", "independent", "subjects")}
    subject_cells = [cell for cell in cells if isinstance(cell, SubjectCell)]
    binormal_cells = [cell for cell in cells if isinstance(cell, BinormalCell)]
    parts = [
        "# Coverage of 95 % intervals",
        paragraph(
            "Each entry is the coverage in per cent, with its Monte-Carlo standard error where it was simulated, and",
            "the mean width of the interval divided by the ideal width, 2·1.96 standard deviations of the estimates",
            f"over the runs. Made by `mated reproduce coverage --size {size} --seed {seed}`.",
        ),
    ]
    if subject_cells:
        parts += [
            "## Comparisons that share subjects",
            paragraph(
                "Gaussian identities in four dimensions, log-likelihood-ratio scores, all pairs of S subjects × m",
                f"samples. True EER {100 * TRUTH.eer:.2f} %, true FNMR at FMR 1e-2 {100 * TRUTH.fnmr:.2f} %.",
                f"Bootstraps draw {_several({str(cell.replicates) for cell in subject_cells})} replicates.",
            ),
            _table([row for row in by_kind["subjects"] if row.statistic in MAIN], subject_cells),
            "Few errors: thresholds at which FNMR is 1e-2 and FMR is 1e-4; the errors expected stand above.",
            _table([row for row in by_kind["subjects"] if row.statistic in FEW], subject_cells, few=True),
            "![Coverage over the sizes of the test](coverage.png)",
            "## The requirement",
            *_verdict(rows),
        ]
    if binormal_cells:
        parts += [
            "## Independent comparisons: TMR at an FMR, EER",
            paragraph(
                "Normal scores, the classes three standard deviations apart, N non-mated and N/2 mated; f = 1e-3.",
                f"Bootstraps draw {_several({str(cell.replicates) for cell in binormal_cells})} replicates.",
            ),
            _table(by_kind["independent"], binormal_cells),
        ]
    parts += [
        "## Independent comparisons: a rate at a threshold",
        paragraph(
            "10,000 comparisons, by the number of errors expected. Computed from binomial probabilities, not",
            "simulated; the percentile bootstrap in the limit of many replicates.",
        ),
        _exact_table(by_kind["exact"]),
        "The mean over 100 rates between, and the lowest in brackets:",
        _range_table(),
    ]
    return "\n\n".join(parts) + "\n"


def _table(rows: Sequence[Row], cells: Sequence[Cell], *, few: bool = False) -> str:
    """Write methods down and cells across, a line for the number of runs first."""
    places = {cell.name: place for place, cell in enumerate(cells)}
    lines: dict[tuple[str, str], list[str]] = {}
    body: list[list[str]] = [["runs", *(str(cell.runs) for cell in cells)]]
    if few:
        for statistic in FEW:
            expected = [f"{cell.questions[statistic].expected_errors:.3g}" for cell in cells]
            body.append([f"errors expected, {statistic}", *expected])
    for row in rows:
        line = lines.setdefault((row.statistic, row.method), ["–"] * len(cells))
        line[places[row.cell]] = f"{100 * row.coverage:.1f}±{100 * row.mc_se:.1f} / {row.width_ratio:.2f}"
    said = ""
    for (statistic, method), line in lines.items():
        body.append([f"{'…' if statistic == said else statistic}, {method}", *line])
        said = statistic
    return markdown_table(["statistic, method", *places], body)


def _exact_table(rows: Sequence[Row]) -> str:
    methods = dict.fromkeys(row.method for row in rows)
    body = [
        [method, *(f"{100 * row.coverage:.1f} / {row.width_ratio:.2f}" for row in rows if row.method == method)]
        for method in methods
    ]
    return markdown_table(["errors expected", *(f"{expected:g}" for expected in EXPECTED)], body)


def _range_table() -> str:
    ranges = ((0.5, 2.0), (2.0, 10.0), (10.0, 30.0), (30.0, 100.0))
    columns = []
    for low, high in ranges:
        found = [exact_coverage(float(expected)) for expected in np.linspace(low, high, 100)]
        columns.append(np.array([[row.coverage for row in exact] for exact in found]))
    names = [row.method for row in exact_coverage(1.0)]
    body = [
        [name, *(f"{100 * column[:, k].mean():.1f} ({100 * column[:, k].min():.1f})" for column in columns)]
        for k, name in enumerate(names)
    ]
    return markdown_table(["errors expected", *(f"{low:g} to {high:g}" for low, high in ranges)], body)


def _verdict(rows: Sequence[Row]) -> Iterator[str]:
    """Say whether the default methods do what is asked of them, and name those that do not."""
    asked = [row for row in rows if in_scope(row)]
    missed = [row for row in asked if not meets(row)]
    yield paragraph(
        f"With subjects known, at least {LEAST_SUBJECTS} of them and at least {LEAST_ERRORS} errors expected under",
        f"the model, the default methods are to cover {100 * COVERS[0]:.0f} to {100 * COVERS[1]:.0f} % with a mean",
        f"width of at most {WIDEST} times the ideal. Met by {len(asked) - len(missed)} of {len(asked)} entries.",
    )
    if missed:
        yield "\n".join(
            f"- not met: {row.statistic}, {row.cell}: {100 * row.coverage:.1f}±{100 * row.mc_se:.1f} %, "
            f"{row.width_ratio:.2f} times the ideal width"
            for row in missed
        )


def _several(words: set[str]) -> str:
    return " or ".join(sorted(words, key=int))


def _figure(rows: Sequence[Row]) -> Figure:
    """Draw a panel for each statistic: independence presumed against the default, over the sizes of the test."""
    from mated.plots.coverage import draw_coverage
    from mated.plots.style import LABEL_SIZE, new_figure

    figure, whole = new_figure(9.0, 6.4)
    whole.remove()
    panels: Any = figure.subplots(2, 2).ravel()
    for ax, statistic in zip(panels, MAIN, strict=True):
        drawn: dict[str, dict[str, float]] = {}
        for name, start in (
            ("comparisons taken as independent", INDEPENDENT),
            ("subjects allowed for (default)", DEFAULT),
        ):
            drawn[name] = {
                row.cell: row.coverage
                for row in rows
                if row.kind == "subjects" and row.statistic == statistic and row.method.startswith(start)
            }
        draw_coverage(drawn, ax=ax)
        ax.set(ylim=(0.0, 1.03))
        ax.set_title(statistic, fontsize=LABEL_SIZE, loc="left")
        legend = ax.get_legend()
        handles, names = legend.legend_handles, [text.get_text() for text in legend.get_texts()]
        legend.remove()
    figure.legend(handles, names, loc="outside upper center", ncols=3, frameon=False, fontsize=LABEL_SIZE)
    figure.supxlabel("subjects × samples of each", fontsize=LABEL_SIZE)
    return figure
