"""Wu (2008) with stand-in scores: Tables 1 to 6 and Figures 2 to 5, ours beside the published.

The scores of the six algorithms are not public. Stand-ins of the same number are drawn from ROCs through the published
points, evaluated by the method of the paper, and set beside its numbers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from mated.io.atomic import write_text
from mated.reproduce import wu2008_published as paper
from mated.reproduce.pages import Beside, Quoted, beside_csv, beside_markdown, csv_text, markdown_table, paragraph
from mated.reproduce.stand_ins import Draw, StandIn, draw_again
from mated.reproduce.wu2008_published import (
    ALGORITHMS,
    FMR,
    N_MATED,
    N_NONMATED,
    label_names,
    quoted,
    table_4_beside,
    tables_beside,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from mated.evaluation.estimates import Box
    from mated.plots.replicates import Box as SureBox

__all__ = ["DRAWS", "TOLERANCE", "run"]

DRAWS = {"small": 10, "full": 200}
"""How often stand-ins are drawn. Tables and figures show the first draw, the others how much draws differ."""

TOLERANCE = 0.15
"""How far our standard errors may lie from the published before it needs an explanation."""

_NUMBERS = ("none", "one", "two", "three", "four", "five", "six")


def run(
    directory: Path,
    *,
    seed: int,
    size: Literal["small", "full"],
    jobs: int,
    progress: Callable[[int, int], None],
) -> list[Path]:
    """Write the tables as CSV, the figures as SVG and PNG, and the page wu2008.md; return the files."""
    draws: list[Draw] = []
    for draw in draw_again(seed, DRAWS[size], jobs):
        draws.append(draw)
        progress(len(draws), DRAWS[size] + 1)
    ours = {k: StandIn(k, seed) for k in ALGORITHMS}
    tables = tables_beside(ours)
    texts = {f"{name}.csv": beside_csv(label_names(rows), rows) for name, rows in tables.items()}
    texts["table4.csv"] = csv_text(*table_4_beside(ours))
    files = []
    for name in sorted(texts):
        write_text(directory / name, texts[name])
        files.append(directory / name)
    files += _figures(directory, ours)
    page = directory / "wu2008.md"
    write_text(page, "\n\n".join(_page(ours, tables, draws, seed)) + "\n")
    progress(DRAWS[size] + 1, DRAWS[size] + 1)
    return [page, *files]


# -- figures -----------------------------------------------------------------------------------------


def _figures(directory: Path, ours: Mapping[int, StandIn]) -> list[Path]:
    from mated.plots import draw_error_bars, draw_replicates, draw_roc, save
    from mated.plots.style import add_note

    curves = {k: s.bootstrap.verification for k, s in ours.items()}
    bands = {curves[k].name: ours[k].bootstrap.band([FMR]) for k in (1, 3)}
    marks = {curves[k].name: (FMR, ours[k].at_fmr.point.tmr) for k in (1, 3)}
    figures = {"figure2": draw_roc({curves[k].name: curves[k].roc for k in (1, 3)}, log=True, marks=marks, bands=bands)}

    first = ours[1]
    point = first.at_threshold.point
    place, threshold = (point.fmr, point.tmr), f"threshold {point.threshold} (stand-in)"
    rectangle = _sure(first.at_threshold.rectangle)
    figures["figure3"] = draw_roc({curves[1].name: curves[1].roc}, log=True, marks={curves[1].name: place})
    _outline(figures["figure3"], rectangle)
    lowest = float(curves[1].roc(figures["figure3"].get_xlim()[0]))
    figures["figure3"].set_ylim(bottom=np.floor(200 * lowest) / 200)
    add_note(figures["figure3"], [f"rectangle: the 95 % intervals of both rates at threshold {point.threshold}"])

    figures["figure4"] = draw_replicates(
        *first.bootstrap.scatter(point.threshold),
        point=place,
        rectangle=rectangle,
        joint=_sure(first.bootstrap.joint_rectangle(point.threshold)),
        curve=curves[1].roc,
        label=threshold,
    )
    p_values = f"p = {first.normality.p_value:.4f} (published: {paper.NORMALITY_P_VALUE})"
    add_note(figures["figure4"], [f"multivariate Shapiro–Wilk test of the replicates: {p_values}"])

    bars = {}
    for k, stand_in in ours.items():
        for whose, eer in (("stand-in", quoted(stand_in.eer.eer)), ("published", paper.TABLE_5[k])):
            bars[f"algorithm {k}, {whose}"] = (eer.value, eer.low, eer.high)
    figures["figure5"] = draw_error_bars(bars)
    files = []
    for name, ax in figures.items():
        figure = ax.get_figure(root=True)
        assert figure is not None
        files += save(figure, directory, name, ("svg", "png"))
    return files


def _sure(box: Box) -> SureBox:
    (left, right), (bottom, top) = box
    assert left is not None
    assert right is not None
    assert bottom is not None
    assert top is not None
    return (left, right), (bottom, top)


def _outline(ax: Axes, box: SureBox) -> None:
    """Draw the rectangle of two intervals around a point of an ROC."""
    (left, right), (bottom, top) = box
    corners = [left, right, right, left, left], [bottom, bottom, top, top, bottom]
    ax.plot(*corners, color="black", linewidth=1.0, label="_rectangle", zorder=3.5)


# -- the page ----------------------------------------------------------------------------------------

_TOP = """\
**These are stand-ins, not the original scores.** The scores of the six fingerprint algorithms in Wu (2008) are
proprietary. For each algorithm, scores were drawn at random from a binormal ROC, TMR = Φ(a + b·Φ⁻¹(FMR)), through two
published points: its TMR at FMR 0.001 and its EER. They were then written in its scoring system so that the two
published thresholds come out. So TMR, EER and thresholds agree by construction, up to sampling, and show nothing.
Standard errors, intervals and what discreteness does were not fitted: they are what is compared here."""


def _page(
    ours: Mapping[int, StandIn], tables: Mapping[str, list[Beside]], draws: Sequence[Draw], seed: int
) -> list[str]:
    first = ours[1]
    above = quoted(first.at_fmr.tmr).low > quoted(ours[3].at_fmr.tmr).high
    shown = {name: beside_markdown(["algorithm"], [_briefly(row) for row in rows]) for name, rows in tables.items()}
    return [
        "# Wu (2008) with stand-ins for its six algorithms",
        paragraph(*_TOP.split()),
        paragraph(
            f"Each stand-in has {N_MATED:,} mated and {N_NONMATED:,} non-mated scores (the paper: a little more of",
            f"both) and {paper.REPLICATES} bootstrap replicates; seed {seed}. TMR and FMR are the TAR and FAR of the",
            "paper, SE is the standard error, and a ratio is ours over the published.",
        ),
        "## Standard errors, ours over the published",
        _ratios(tables),
        paragraph(_agreement("TMR at FMR 0.001", tables["table1"]), _agreement("the EER", tables["table5"])),
        "## Table 1: TMR at FMR 0.001",
        shown["table1"],
        paragraph(
            "Standard errors grow as the ROC falls, as published. The interval of algorithm 1 lies",
            f"{'above' if above else 'not wholly above'} that of algorithm 3 (published: above), see Figure 2. Away",
            "from FMR 0.001 and from the EER the curves are guesses; that they cross means nothing.",
        ),
        "![Figure 2: ROC of stand-ins 1 and 3 with their intervals at FMR 0.001](figure2.svg)",
        "## Table 2: threshold at FMR 0.001",
        shown["table2"],
        paragraph(
            "Thresholds come back in each algorithm's own scores, interval ends rounded outwards. The widths depend",
            "on how densely non-mated scores lie around the threshold, which two published thresholds do not fix:",
            "do not expect them to agree. No rate depends on it.",
        ),
        "## Table 3: TMR and FMR at that threshold",
        shown["table3"],
        paragraph(
            "At a fixed threshold, ours at our own, both are plain proportions. Their standard errors do not depend",
            "on the shape of the ROC and agree closely with the published.",
        ),
        _consistency(ours),
        "![Figure 3: upper part of the ROC of stand-in 1 with the rectangle of both intervals](figure3.svg)",
        "![Figure 4: replicates of stand-in 1, with two 95 % and two 97.5 % intervals](figure4.svg)",
        _replicates(first, draws),
        "## Table 4: what discreteness leaves at the EER",
        markdown_table(
            ["algorithm", *_twice("published", "ours", "score", "least difference", "relative error, %")],
            [[*row[:3], *row[4:7], row[8]] for row in table_4_beside(ours)[1]],  # the EER is in Table 5
        ),
        paragraph(
            "The relative error is half the least difference over the EER. That difference is a matter of chance,",
            "of the order of a quarter of the share of comparisons at one score:",
            ", ".join(f"{_share(ours[k]) / 4:.6f} for {k}" for k in (1, 2, 5)) + ",",
            "and a few comparisons for the others. The published ones are compatible with that. A range means that",
            "several legitimate scores share the least difference.",
        ),
        "## Table 5: EER",
        shown["table5"],
        paragraph(
            "This definition counts comparisons at the threshold in both errors, which lifts it above the EER of the",
            f"fit: by {ours[2].eer_lift:.6f} for the coarse integers of algorithm 2, {ours[5].eer_lift:.6f} for",
            "algorithm 5 and less than 0.00001 for the others. The rest of the difference is sampling.",
        ),
        "![Figure 5: EER of the six stand-ins and as published, with 95 % intervals](figure5.svg)",
        "## Table 6: threshold of the EER",
        shown["table6"],
        paragraph("As in Table 2, the widths depend on how densely scores lie, which was not fitted."),
        "## Normal and percentile intervals of algorithm 1",
        _normal(first),
        paragraph("As published, the two kinds agree to about the fourth decimal."),
        "## The two errors of the EER",
        _two_errors(ours),
        paragraph(
            "Systematic: the relative error of Table 4. Statistical: the coefficient of variation, SE/EER. The paper",
            "finds the first to be about 10 % of the second for algorithm 1, and less for the others. Statistical",
            f"errors agree as far as SE does; systematic ones are chance, {100 * _systematic(first):.0f} % of the",
            f"statistical for stand-in 1 and at most {100 * max(map(_systematic, ours.values())):.0f} %.",
        ),
        "## What deviates, and why",
        *_deviations(ours, tables),
        f"## The same for {len(draws)} draws of stand-ins",
        *_spread(draws),
    ]


def _briefly(row: Beside) -> Beside:
    """Leave the thresholds of Table 3 out, as Table 2 has them."""
    return row if len(row.labels) == 1 else replace(row, labels=(f"{row.labels[0]}, {row.labels[-1]}",))


def _ratios(tables: Mapping[str, list[Beside]]) -> str:
    columns = [tables["table1"], tables["table3"][::2], tables["table3"][1::2], tables["table5"]]
    rows = [[str(k), *(f"{column[place].ratio:.2f}" for column in columns)] for place, k in enumerate(ALGORITHMS)]
    names = ("TMR at FMR (Table 1)", "TMR at threshold (Table 3)", "FMR at threshold (Table 3)", "EER (Table 5)")
    return markdown_table(["algorithm", *names], rows)


def _agreement(what: str, rows: Sequence[Beside]) -> str:
    ratios = [row.ratio for row in rows]
    beyond = [row.labels[0] for row in rows if abs(row.ratio - 1) > TOLERANCE]
    which = f"; on {' and '.join(beyond)} see below" if beyond else ""
    return (
        f"For {what}, {_NUMBERS[len(rows) - len(beyond)]} of six lie within {100 * TOLERANCE:.0f} % of the published "
        f"({min(ratios):.2f} to {max(ratios):.2f}{which})."
    )


def _consistency(ours: Mapping[int, StandIn]) -> str:
    theirs = [k for k in ALGORITHMS if _consistent(paper.TABLE_1[k], paper.TABLE_3[k].tmr)]
    mine = [s for s in ours.values() if _consistent(quoted(s.at_fmr.tmr), quoted(s.at_threshold.tmr))]
    fmr = [s for s in ours.values() if FMR in s.at_threshold.fmr]
    return paragraph(
        "Consistency of Tables 1 and 3: TMR at the FMR and TMR at its threshold each lie in the other's interval for",
        f"{_NUMBERS[len(theirs)]} of six published algorithms and {_NUMBERS[len(mine)]} of six stand-ins. FMR 0.001",
        f"lies in its interval at the threshold for {_NUMBERS[len(fmr)]} of six stand-ins (published: six).",
    )


def _consistent(one: Quoted, other: Quoted) -> bool:
    return one.value in other and other.value in one


def _replicates(first: StandIn, draws: Sequence[Draw]) -> str:
    p_values = [draw.p_value for draw in draws]
    return paragraph(
        "The rectangle of two 95 % intervals is no joint confidence region; two 97.5 % intervals hold about 95 % of",
        "the replicates together. The multivariate Shapiro–Wilk test of the replicates gives",
        f"p = {first.normality.p_value:.4f} (published: {paper.NORMALITY_P_VALUE}). It jumps with the draw: over",
        f"{len(draws)} draws from {min(p_values):.1g} to {max(p_values):.1g}, above 0.05 in",
        f"{sum(p > 0.05 for p in p_values)}. Of truly normal points this test rejects one set in ten at 5 %, so that",
        "replicates are near to normal and no more can be said.",
    )


def _normal(first: StandIn) -> str:
    estimates = (paper.TABLE_1[1], first.at_fmr.tmr), (paper.TABLE_3[1].fmr, first.at_threshold.fmr)
    rows = []
    for (name, normal), (theirs, mine) in zip(
        paper.NORMAL_INTERVALS.items(), (*estimates, (paper.TABLE_5[1], first.eer.eer)), strict=True
    ):
        assert mine.normal is not None
        intervals = (theirs.low, theirs.high), normal, (mine.low, mine.high), mine.normal
        rows.append([name, *(f"({low:.6f}, {high:.6f})" for low, high in intervals)])
    return markdown_table(["", "published: percentile", "normal", "ours: percentile", "normal"], rows)


def _systematic(stand_in: StandIn) -> float:
    return stand_in.eer.systematic_to_statistical or 0.0


def _share(stand_in: StandIn) -> float:
    return sum(stand_in.shares_at_eer_score)


def _two_errors(ours: Mapping[int, StandIn]) -> str:
    rows = []
    for k, stand_in in ours.items():
        systematic = paper.TABLE_4[k].least_difference / 2 / paper.TABLE_5[k].value
        statistical = (paper.TABLE_5[k].se or 0.0) / paper.TABLE_5[k].value
        mine = stand_in.eer.point.relative_error, stand_in.eer.coefficient_of_variation or 0.0, _systematic(stand_in)
        shares = (systematic, statistical, systematic / statistical, *mine)
        rows.append([str(k), *(f"{100 * share:.2f} %" for share in shares)])
    return markdown_table(["algorithm", *_twice("published", "ours", "systematic", "statistical", "ratio")], rows)


def _twice(one: str, other: str, first: str, *others: str) -> list[str]:
    """Return the same column names for two groups, the first of each with the group's name."""
    return [f"{one}: {first}", *others, f"{other}: {first}", *others]


def _deviations(ours: Mapping[int, StandIn], tables: Mapping[str, list[Beside]]) -> list[str]:
    rows, deviating = [], []
    for stand_in, tmr, eer in zip(ours.values(), tables["table1"], tables["table5"], strict=True):
        cells = [str(stand_in.algorithm)]
        for what, row, fit in (("TMR at FMR 0.001", tmr, stand_in.expected_tmr), ("EER", eer, stand_in.expected_eer)):
            wanted = "none" if fit.implied is None else f"{fit.implied:.2f}"
            cells += [f"{fit.ratio:.2f}", f"{fit.slope:.2f}", wanted]
            if abs(row.ratio - 1) > TOLERANCE:
                deviating.append(
                    paragraph(
                        f"**{what} of algorithm {stand_in.algorithm}: {row.ratio:.2f}.** Of this, {fit.ratio:.2f} is",
                        f"the shape of the fit (slope {fit.slope:.2f}, where {wanted} is asked for), and",
                        f"{row.ratio / fit.ratio:.2f} the chance of this draw and the rounding of scores.",
                    )
                )
        rows.append(cells)
    return [
        paragraph(
            "These standard errors depend on the slope of the ROC at the point, which two published points do not fix:",
            "the binormal shape is a guess. The table gives the large-sample standard error of the fitted ROC over",
            "the published, free of any draw; the slope of the fit; and the slope that the published standard error",
            'asks for, "none" where it is below what the mated scores alone give at any slope.',
        ),
        markdown_table(["algorithm", *_twice("TMR at FMR", "EER", "SE ratio", "slope", "asked for")], rows),
        *(deviating or ["No standard error of Tables 1 and 5 deviates by more than 15 % in this draw."]),
        paragraph(
            "Rounding matters most for the small integers of algorithm 2: at its EER one score holds a share of",
            f"{_share(ours[2]):.6f}, more than the standard error, so that replicates of the EER go in steps.",
        ),
    ]


def _spread(draws: Sequence[Draw]) -> list[str]:
    rows = [[str(k)] for k in ALGORITHMS]
    enough = []
    for ratios in (np.array([draw.tmr for draw in draws]), np.array([draw.eer for draw in draws])):
        within = np.abs(ratios - 1) <= TOLERANCE
        enough.append(int((within.sum(axis=1) >= len(ALGORITHMS) - 1).sum()))
        for row, some, inside in zip(rows, ratios.T, within.T, strict=True):
            row += [f"{some.mean():.2f}", f"{some.min():.2f} to {some.max():.2f}", f"{100 * inside.mean():.0f} %"]
    return [
        paragraph(
            "A standard error is itself an estimate: other scores from the same ROC give another one, the more so the",
            "steeper the ROC. The published ones are one draw each, too. SE ratios of all draws, the first being",
            f"that of the tables above (`--size full` takes {DRAWS['full']}):",
        ),
        markdown_table(["algorithm", *_twice("TMR at FMR", "EER", "mean", "range", "within 15 %")], rows),
        paragraph(
            f"At least five of six lie within 15 % in {enough[0]} of {len(draws)} draws for TMR at the FMR and in",
            f"{enough[1]} for the EER. For the EER of algorithm 2 the mean is {rows[1][4]} and the fit alone gives",
            f"{StandIn(2, 0).expected_eer.ratio:.2f}: the deviation is the shape of the fit, hardly the rounding.",
        ),
    ]
