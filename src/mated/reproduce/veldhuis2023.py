"""Veldhuis & Raja (2023): how a CMC follows from ROCs, on their synthetic data and in Figures 1 to 6.

Data sets are drawn from the Gaussian identity model with the parameters of Table I. On each, the CMC predicted from the
average, the global and the individual ROCs is compared with the empirical one, and what the paper says is set beside
what was measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from mated.identification.convergence import ExponentialRoc
from mated.io.atomic import write_text
from mated.reproduce import veldhuis2023_published as paper
from mated.reproduce.pages import csv_text, markdown_table, paragraph
from mated.reproduce.processes import mapped
from mated.reproduce.veldhuis2023_measured import EMPIRICAL, ESTIMATORS, ROCS, Cell, Faces, Measured, faces_folder
from mated.reproduce.veldhuis2023_statements import Theory, median, statements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from mated.reproduce.veldhuis2023_measured import Curves

    Found: TypeAlias = Mapping[str, Sequence[Measured]]

__all__ = ["CELLS", "DRAWS", "TARGET", "run"]

DRAWS = {"small": 1, "full": 10}
"""Data sets of each experiment. Figures show the first, tables the median of all."""

CELLS = tuple(
    Cell(f"figure{number}", n, m, m_g, classifier)
    for number, (n, classifier) in paper.FIGURES.items()
    for size, m, m_g in paper.TABLE_1["synthetic data"]
    if size == n
)
"""The experiments of Figures 3 to 6."""

TARGET = 4.0
"""How many times further from the empirical CMC the global ROC is to be, log-likelihood ratio at n = 100."""

_FACE_COORDINATES = (128, 8)
_FAR = 480  # galleries from here on show the power of n that Theorem 2 is about


def run(
    directory: Path,
    *,
    seed: int,
    size: Literal["small", "full"],
    jobs: int,
    progress: Callable[[int, int], None],
) -> list[Path]:
    """Write gaps.csv, facts.csv, convergence.csv, the figures as SVG and PNG, and veldhuis2023.md; return the files.

    The same seed gives the same numbers on any number of processes.
    """
    cells: list[Cell | Faces] = list(CELLS)
    folder = faces_folder()
    if folder is not None:
        m_g = paper.TABLE_1["FVC2006 data"][0].m_g  # the paper's choice for ten samples of each identity
        cells += [Faces(folder, m_g, coordinates) for coordinates in _FACE_COORDINATES]
    tasks = [(cell, seed, number) for cell in cells for number in range(DRAWS[size] if isinstance(cell, Cell) else 1)]
    found: dict[str, list[Measured]] = {cell.name: [] for cell in cells}
    for done, ((cell, _, _), measured) in enumerate(zip(tasks, mapped(_one, tasks, jobs), strict=True), start=1):
        found[cell.name].append(measured)
        progress(done, len(tasks) + 1)
    theory = Theory.of(ExponentialRoc())
    texts = {"gaps.csv": _gaps_csv(found), "facts.csv": _facts_csv(found), "convergence.csv": theory.csv()}
    files = []
    for name, text in texts.items():
        write_text(directory / name, text)
        files.append(directory / name)
    files += _figures(directory, found, theory)
    page = directory / "veldhuis2023.md"
    write_text(page, "\n\n".join(_page(found, theory, cells, seed)) + "\n")
    progress(len(tasks) + 1, len(tasks) + 1)
    return [page, *files]


def _one(task: tuple[Cell | Faces, int, int]) -> Measured:
    cell, seed, number = task
    return cell.draw(seed, number)


# -- files for programs --------------------------------------------------------------------------------


def _gaps_csv(found: Found) -> str:
    return csv_text(
        ["experiment", "data_set", "empirical", "roc", "estimator", "largest", "at_rank", "rms"],
        [
            [name, str(number), *key, f"{gap.largest:.9g}", str(gap.at_rank or ""), f"{gap.rms:.9g}"]
            for name, draws in found.items()
            for number, measured in enumerate(draws, start=1)
            for key, gap in measured.gaps.items()
        ],
    )


def _facts_csv(found: Found) -> str:
    return csv_text(
        ["experiment", "data_set", "fact", "value"],
        [
            [name, str(number), fact, f"{value:.9g}"]
            for name, draws in found.items()
            for number, measured in enumerate(draws, start=1)
            for fact, value in measured.facts.items()
        ],
    )


# -- figures -------------------------------------------------------------------------------------------


def _figures(directory: Path, found: Found, theory: Theory) -> list[Path]:
    from mated.plots import draw_convergence, draw_convergence_rate, draw_rank_kernels, save
    from mated.plots.save import save_axes

    fmr = np.linspace(0.0, 1.0, 2001)
    far = theory.sizes >= _FAR
    axes = {
        "figure1": draw_rank_kernels(paper.FIGURE_1),
        "figure2": draw_convergence((fmr, theory.roc(fmr)), {n: theory.roc.cmc(n) for n in paper.FIGURE_2}),
        "theorem2": draw_convergence_rate(
            theory.sizes[far],
            {"largest over ranks": theory.convergence.largest[far], "rank 1": theory.at_rank_1[far]},
            bounds={"rank 1": theory.bound_at_rank_1[far]},
        ),
    }
    files = [file for name, ax in axes.items() for file in save_axes(ax, directory, name, ("svg", "png"))]
    for name, draws in found.items():
        if _shown(name):
            files += save(_panels(draws[0].curves), directory, name, ("svg", "png"))
    return files


def _shown(name: str) -> bool:
    """Tell whether there is something to see: near-perfect recognition leaves a corner of the axes."""
    return name != "faces128"


def _panels(curves: Curves) -> Figure:
    """Draw the three panels of Figures 3 to 6: some subjects, all together, and predicted against empirical."""
    from mated.plots import draw_empirical_against_predicted, draw_fractional
    from mated.plots.style import LABEL_SIZE, new_figure

    figure, whole = new_figure(14.4, 4.6)
    whole.remove()
    panels: Sequence[Axes] = figure.subplots(1, 3)
    n = len(curves.empirical["drawn"])
    fractions = np.arange(1, n + 1) / n
    three = {f"subject {place + 1}": place for place in curves.some_subjects()}
    draw_fractional(
        {name: (curves.rocs[place].fmr, curves.rocs[place].tmr) for name, place in three.items()},
        predicted={name: (fractions, curves.predicted["individual", "linear"][k]) for name, k in three.items()},
        empirical={name: (fractions, curves.individual["drawn"][k]) for name, k in three.items()},
        ax=panels[0],
        named=False,
    )
    draw_fractional(
        {
            "global ROC": (curves.overall.fmr, curves.overall.tmr),
            "average ROC": (curves.average.fmr, curves.average.tmr),
        },
        predicted={"average ROC": (fractions, curves.predicted["average", "linear"])},
        empirical={"empirical CMC": (fractions, curves.empirical["drawn"])},
        ax=panels[1],
    )
    draw_empirical_against_predicted(
        {
            "average ROC": curves.predicted["average", "linear"],
            "average ROC, step": curves.predicted["average", "step"],
            "global ROC": curves.predicted["global", "linear"],
        },
        curves.empirical["drawn"],
        ax=panels[2],
    )
    for ax, title in zip(
        panels, ("a. Three subjects", "b. All subjects", "c. Predicted and empirical CMC"), strict=True
    ):
        ax.set_title(title, fontsize=LABEL_SIZE, loc="left")
    return figure


# -- the page ------------------------------------------------------------------------------------------


def _page(found: Found, theory: Theory, cells: Sequence[Cell | Faces], seed: int) -> Iterator[str]:
    draws = len(found[CELLS[0].name])
    yield "# Veldhuis & Raja (2023): from ROCs to the CMC"
    yield paragraph(
        "The Gaussian identity model of Eq. 30 with the scores of Eqs. 31 and 32 and the parameters of Table I.",
        f"Numbers are medians of {draws} data sets of each kind" if draws > 1 else "Numbers are those of one data set",
        f"(`--size full` takes {DRAWS['full']}); figures show the first. Seed {seed}. The published figures are single",
        "draws, so compare what they show and not their points.",
    )
    yield "## Predicted against empirical CMC"
    yield paragraph(
        "Largest and root-mean-square |empirical − predicted| over the ranks. Drawn: the empirical CMC of m_g random",
        "galleries for each probe, as published. Expected: its exact expectation over all of them, with no Monte-Carlo",
        "error. Linear: ROCs with straight lines between their corners, as published. Step: the mean over mated scores",
        "of the rank law at their false match rate; for the global ROC that is Eq. 16 of Bolle et al. (2005). For the",
        "individual ROCs, means over the subjects.",
    )
    yield _gap_table(found, cells)
    yield _ratio(found)
    yield "## What the paper says, and what was measured"
    yield "\n".join(statement.line() for statement in statements(found, theory))
    yield "## Where the deviation at rank 1 comes from"
    yield paragraph(
        "The paper ascribes it to inaccurate individual ROCs. It can be taken apart. The corners of a ROC lie at the",
        "upper ends of its steps, so straight lines between them are too high (linear against step). The prediction",
        "takes all rivals of a subject for alike; but look-alikes do most of the beating, and the chance that nobody",
        "beats the mate is the smaller the more the rivals' rates differ around one mean (step against own rates for",
        "each rival). And it takes all probes of a subject for alike (the rest).",
    )
    yield _rank_1_table(found, cells)
    yield "## Figures"
    yield "![Figure 1: the weight of the ROC at FMR α in the CMC at rank r of n](figure1.svg)"
    yield "![Figure 2: CMCs over fractional rank come up to the ROC from below as the gallery grows](figure2.svg)"
    yield "![Theorem 2: the distance between CMC and ROC against the size of the gallery](theorem2.svg)"
    for cell in cells:
        if _shown(cell.name):
            yield f"![{_title(cell)}]({cell.name}.svg)"
    yield paragraph(
        "Panel a shows the subjects a tenth, half and nine tenths up in the order of the area under their ROC. Rings",
        "are predicted CMCs, crosses empirical ones.",
    )
    yield "## Real data"
    yield paragraph(paper.NOT_PUBLIC)
    yield paragraph(*_about_faces(found))


def _title(cell: Cell | Faces) -> str:
    if isinstance(cell, Faces):
        return f"Faces, n = 40: cosine of {cell.coordinates} coordinates"
    return f"Figure {cell.name.removeprefix('figure')}: n = {cell.n}, {paper.CLASSIFIERS[cell.classifier]}"


def _gap_table(found: Found, cells: Sequence[Cell | Faces]) -> str:
    header = [f"{kind}, {how}: {what}" for kind in EMPIRICAL for how in ESTIMATORS for what in ("largest", "rms")]
    rows = []
    for cell in cells:
        for roc in ROCS:
            row = [f"{_title(cell)}, {roc} ROC" if roc != "individual" else f"{_title(cell)}, individual ROCs"]
            for kind in EMPIRICAL:
                for how in ESTIMATORS:
                    gaps = [measured.gaps[kind, roc, how] for measured in found[cell.name]]
                    row += [
                        f"{np.median([gap.largest for gap in gaps]):.4f}",
                        f"{np.median([g.rms for g in gaps]):.4f}",
                    ]
            rows.append(row)
    return markdown_table(["experiment, prediction from", *header], rows)


def _ratio(found: Found) -> str:
    ratios = [measured.facts["rms ratio"] for measured in found["figure5"]]
    met = "met" if np.median(ratios) >= TARGET else "not met"
    over = f"; {min(ratios):.1f} to {max(ratios):.1f} over the data sets" if len(ratios) > 1 else ""
    sentences = [
        "For the log-likelihood ratio at n = 100 the prediction from the global ROC is",
        f"{np.median(ratios):.1f} times as far from the expected CMC as that from the average ROC, by root mean square",
        f"(required: at least {TARGET:g}, {met}{over}).",
    ]
    same_people = median(found, "figure6", "rms ratio")
    if same_people < 1:
        sentences += [
            f"For the cosine it is only {same_people:.2f} times as far: where people have the same false match rates",
            "the global ROC may be used, and it is the better one, as its corners lie closer.",
        ]
    return paragraph(*sentences)


def _rank_1_table(found: Found, cells: Sequence[Cell | Faces]) -> str:
    names = {"linear": "rank 1 linear", "step": "rank 1 step", "own rates": "rank 1 rivals", "expected": "rank 1"}
    rows = [[_title(cell), *(f"{median(found, cell.name, fact):.4f}" for fact in names.values())] for cell in cells]
    header = ["linear", "step", "step, own rates for each rival", "expected empirical CMC(1)"]
    return markdown_table(["experiment", *header], rows)


def _about_faces(found: Found) -> Iterator[str]:
    names = [f"faces{coordinates}" for coordinates in _FACE_COORDINATES]
    if names[0] not in found:
        yield (
            "Their section VI-B in small, on face embeddings of 40 people with 10 images each, was left out: there is "
            "no folder att_faces in the one that MATED_REFERENCE_DATA names (default: ../shared/data)."
        )
        return
    ideal, weak = (found[name][0] for name in names)
    yield "Their section VI-B in small: 40 people with 10 face images each, cosine of dlib embeddings, m_g = 30."
    yield (
        f"With all 128 coordinates recognition is nearly perfect (rank 1: {ideal.facts['rank 1']:.4f}) and every "
        "prediction is close; the paper avoids such data for that reason."
    )
    yield (
        "With the first 8 coordinates, a comparator that errs, people differ in their false match rates and the global "
        f"ROC predicts {weak.curves.predicted['global', 'linear'][0]:.3f} at rank 1, the average ROC "
        f"{weak.facts['rank 1 linear']:.3f}, where {weak.facts['rank 1']:.3f} is measured: the global one is too low, "
        "as the literature reports of real data, and not too high as for the log-likelihood ratio."
    )
    gaps = [weak.gaps["expected", "average", how].rms for how in ESTIMATORS]
    if gaps[1] > gaps[0]:
        yield (
            f"The step estimator is no improvement there ({gaps[1]:.4f} against {gaps[0]:.4f}, root mean square): it "
            "takes out the upward bias of the corners, which on these data offsets what differences between the "
            "probes of a person do."
        )
