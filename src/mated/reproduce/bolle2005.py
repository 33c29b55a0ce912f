"""Bolle et al. (2005): the CMC computed from score distributions against the one measured, as in their Figure 6.

Their fingerprint scores are not public. Stand-ins come from the Gaussian identity model in twelve dimensions, scored in
three ways that differ in how far people have score distributions of their own, since Eq. 16 assumes that they have not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from mated.identification.explain import search_gain
from mated.io.atomic import write_text
from mated.reproduce.bolle2005_searches import (
    BETWEEN,
    CLEARNESS,
    GALLERY,
    MODELS,
    SAMPLES,
    SEARCHES,
    draw_scores,
    measure,
)
from mated.reproduce.pages import csv_text, markdown_table, paragraph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from mated.reproduce.bolle2005_searches import Measured, Model

    Floats: TypeAlias = NDArray[np.float64]
    Found: TypeAlias = Mapping[Model, Sequence[Measured]]

__all__ = ["DRAWS", "PUBLISHED", "run"]

PUBLISHED = 0.02
"""The largest discrepancy between empirical and theoretical CMC in their Figure 6: "about two percent"."""

DRAWS = {"small": 2, "full": 20}
"""Data sets of each model. The figures show the first, the tables the median of all."""


def run(
    directory: Path,
    *,
    seed: int,
    size: Literal["small", "full"],
    jobs: int,
    progress: Callable[[int, int], None],
) -> list[Path]:
    """Write bolle2005.csv, figure6.csv, two figures as SVG and PNG, and bolle2005.md; return the files.

    It is done in seconds, so one process does it whatever `jobs` says.
    """
    found: dict[Model, list[Measured]] = {model: [] for model in MODELS}
    for number in range(DRAWS[size]):
        for model, draws in found.items():
            draws.append(measure(draw_scores(model, seed, number)))
        progress(number + 1, DRAWS[size] + 1)
    texts = {"bolle2005.csv": _csv(found), "figure6.csv": _curves_csv(found)}
    files = []
    for name, text in texts.items():
        write_text(directory / name, text)
        files.append(directory / name)
    files += _figures(directory, found)
    page = directory / "bolle2005.md"
    write_text(page, "\n\n".join(_page(found, seed)) + "\n")
    progress(DRAWS[size] + 1, DRAWS[size] + 1)
    return [page, *files]


# -- files -------------------------------------------------------------------------------------------


def _csv(found: Found) -> str:
    rows = []
    for model, draws in found.items():
        for number, measured in enumerate(draws, start=1):
            for name in ("theoretical", "narrow", "average"):
                largest, at_rank = measured.discrepancy(getattr(measured, name))
                rows.append([model, str(number), f"empirical minus {name}, largest", f"{largest:.9g}", str(at_rank)])
            for by, search in measured.searches.items():
                gain = search_gain(search, measured.theoretical)
                rows.append([model, str(number), f"gain: {SEARCHES[by]}", f"{gain.first:.9g}", "1"])
            for name, value in vars(measured.pairs).items():
                rows.append([model, str(number), f"gallery of two: {name}", f"{value:.9g}", ""])
    return csv_text(["model", "data_set", "quantity", "value", "at_rank"], rows)


def _curves_csv(found: Found) -> str:
    columns = ("empirical", "theoretical", "narrow", "average")
    return csv_text(
        ["model", "rank", *columns],
        [
            [model, str(place + 1), *(f"{getattr(draws[0], name)[place]:.9g}" for name in columns)]
            for model, draws in found.items()
            for place in range(len(draws[0].empirical))
        ],
    )


def _figures(directory: Path, found: Found) -> list[Path]:
    from mated.plots import save

    figures = {"figure6": _figure_6(found), "section7": _section_7(found["clear"][0])}
    return [file for name, figure in figures.items() for file in save(figure, directory, name, ("svg", "png"))]


def _figure_6(found: Found) -> Figure:
    from mated.plots import draw_cmc
    from mated.plots.style import LABEL_SIZE, new_figure

    figure, whole = new_figure(14.4, 4.4)
    whole.remove()
    panels: Sequence[Axes] = figure.subplots(1, len(MODELS), sharey=True)
    for ax, (model, title) in zip(panels, MODELS.items(), strict=True):
        first = found[model][0]
        curves = {"empirical": first.empirical, "Eq. 16": first.theoretical, "Eq. 17 (narrow)": first.narrow}
        draw_cmc({name: _with_ranks(rates) for name, rates in curves.items()}, ax=ax)
        ax.set_title(title, fontsize=LABEL_SIZE, loc="left")
    lowest = min(ax.get_ylim()[0] for ax in panels)
    for ax in panels:
        ax.set_ylim(lowest, 1.0)
        ax.label_outer()
    return figure


def _section_7(measured: Measured) -> Figure:
    from mated.plots import draw_cmc
    from mated.plots.style import new_figure

    figure, ax = new_figure(6.4, 4.6)
    curves = {
        "measured, normalised per reference": measured.searches["reference"],
        "measured, plain or normalised per probe": measured.searches[None],
        "Eq. 16, scores normalised per probe": measured.own_theory["probe"],
        "Eq. 16, scores as they are": measured.theoretical,
    }
    draw_cmc({name: _with_ranks(rates) for name, rates in curves.items()}, ax=ax)
    return figure


def _with_ranks(rates: Floats) -> tuple[NDArray[np.int64], Floats]:
    return np.arange(1, len(rates) + 1), rates


# -- the page ----------------------------------------------------------------------------------------


def _page(found: Found, seed: int) -> Iterator[str]:
    yield "# Bolle et al. (2005): theoretical and empirical CMC"
    yield paragraph(
        "**These are stand-ins, not the original scores.** The fingerprint scores behind Figure 6 are not public, and",
        f"the paper says neither how many there were nor how large the gallery was. Here {GALLERY} people of the",
        f"Gaussian identity model in {len(BETWEEN)} dimensions have one reference in the gallery and {SAMPLES - 1}",
        f"probes each. Numbers are medians of {len(found['alike'])} data sets (`--size full` takes {DRAWS['full']}),",
        f"and figures show the first. Seed {seed}.",
    )
    yield paragraph(
        "Eq. 16 takes all people to have the same two score distributions. The same people are therefore scored in",
        "three ways. Cosine: the non-mated scores of every probe have the same distribution, as Eq. 16 wants it.",
        "Log-likelihood ratio: people far from the mean are less often mistaken, and a score means the same for all.",
        "Cosine, some people clearer: (1 + cosine)/2 times a factor of either person, log-normal with standard",
        f"deviation {CLEARNESS}, as where people with more features score higher with everybody; the same score then",
        "means something else for each. Scores are continuous, so it does not matter how ties are counted.",
    )
    yield "## Figure 6: the largest discrepancy"
    yield _discrepancies(found)
    yield paragraph(
        "Largest |empirical − theoretical| CMC, and its range over the data sets with the sign of empirical minus",
        f"theoretical. For the log-likelihood ratio Eq. 16 is {_side(found['calibrated'])}, and where some people are",
        f"clearer {_side(found['clear'])}: a search compares only scores of one probe, so what makes all scores of a",
        "probe high or low does it no harm. Eq. 17 puts every mate at the mean mated score and forgets those that",
        "score low. The last column is the law of Eq. 16 with each person's own false match rates, as by Veldhuis &",
        "Raja (2023); it takes all rivals of a person for alike, and in a gallery some are look-alikes.",
    )
    yield "\n".join(_statements(found))
    yield "![Figure 6: empirical and theoretical CMC of the three stand-ins](figure6.svg)"
    yield "## Eqs. 10 and 11: a gallery of two"
    yield _pairs_table(found)
    agree = all(measured.pairs.agree for draws in found.values() for measured in draws)
    yield paragraph(
        "Both integrals, P(1) by Eq. 14 and the area under the ROC are the same number, and P(2) is the rest",
        "(to 1e-12 in every data set)." if agree else "(**not in every data set**).",
        "The last column ranks the mate against one rival of the same probe, the mean over all of them. That is not",
        "the area under the ROC, which also pairs scores of different probes.",
    )
    yield "## Section 7: what a search adds"
    yield paragraph(
        "The paper proposes empirical minus theoretical CMC as the measure of what a search adds beyond sorting the",
        "scores of its comparator. Three searches are measured against Eq. 16 from the scores as they are, and against",
        "Eq. 16 from the scores they sort by.",
    )
    yield _gains(found)
    yield paragraph(*_about_gains(found["clear"]))
    yield "![Section 7: searches where some people are clearer, and what Eq. 16 says of them](section7.svg)"


def _discrepancies(found: Found) -> str:
    rows = []
    for model, title in MODELS.items():
        draws = found[model]
        names = ("theoretical", "narrow", "average")
        signed = {name: [m.discrepancy(getattr(m, name))[0] for m in draws] for name in names}
        sizes = {name: f"{np.median(np.abs(values)):.4f}" for name, values in signed.items()}
        ends = [_signed(end(signed["theoretical"])) for end in (min, max)]
        at_rank = np.median([m.discrepancy(m.theoretical)[1] for m in draws])
        first = [f"{np.median([getattr(m, name)[0] for m in draws]):.4f}" for name in ("empirical", "theoretical")]
        ours = [sizes["theoretical"], " to ".join(ends), f"{at_rank:g}", *first, sizes["narrow"], sizes["average"]]
        rows.append([title, f"about {PUBLISHED}", *ours])
    header = ["published", "Eq. 16", "range", "at rank", "CMC(1) measured", "CMC(1) by Eq. 16"]
    return markdown_table(["scores", *header, "Eq. 17 (narrow)", "own rates"], rows)


def _side(draws: Sequence[Measured]) -> str:
    low = [m.discrepancy(m.theoretical)[0] > 0 for m in draws]
    if len(set(low)) > 1:
        return f"too low in {sum(low)} of {len(low)} data sets and too high in the others"
    return "too low" if low[0] else "too high"


def _statements(found: Found) -> Iterator[str]:
    sizes = {model: [abs(m.discrepancy(m.theoretical)[0]) for m in draws] for model, draws in found.items()}
    percent = {model: f"{100 * np.median(values):.1f} %" for model, values in sizes.items()}
    close = sum(size <= PUBLISHED for size in sizes["alike"])
    yield _item(
        f"Published: the largest discrepancy is about two per cent. Measured: {percent['alike']} where people are",
        f"alike, and at most two per cent in {close} of {len(sizes['alike'])} data sets; {percent['calibrated']} for",
        f"the log-likelihood ratio; {percent['clear']} where some people are clearer.",
    )
    every = [np.abs(m.empirical - m.theoretical) for draws in found.values() for m in draws]
    tenth = GALLERY // 10
    parts = (slice(0, tenth), slice(tenth, None))
    first, others = (float(np.median([apart[part].mean() for apart in every])) for part in parts)
    yield _item(
        "Published: the difference becomes smaller as the list becomes longer, and both curves end at 1. Measured: it",
        f"is {first:.4f} on average over the first tenth of the ranks, {others:.4f} over the others and",
        f"{max(apart[-1] for apart in every):.0g} at the last.",
    )


def _pairs_table(found: Found) -> str:
    names = ("by_mated", "by_nonmated", "predicted", "area", "second", "measured")
    rows = [
        [title, *(f"{getattr(found[model][0].pairs, name):.6f}" for name in names)] for model, title in MODELS.items()
    ]
    header = ["∫ f (1 − FAR)", "∫ g (1 − FRR)", "P(1), Eq. 14", "area under the ROC", "P(2)", "rank 1 of 2 measured"]
    return markdown_table(["scores, first data set", *header], rows)


def _gains(found: Found) -> str:
    rows = []
    for model, title in MODELS.items():
        for by, search in SEARCHES.items():
            draws = found[model]
            gains = [search_gain(m.searches[by], m.theoretical) for m in draws]
            own = [search_gain(m.searches[by], m.own_theory[by]).first for m in draws]
            values = [[gain.first for gain in gains], [gain.largest for gain in gains], own]
            rate = f"{np.median([m.searches[by][0] for m in draws]):.4f}"
            rows.append([f"{title}: {search}", rate, *(_signed(float(np.median(value))) for value in values)])
    header = ["CMC(1)", "gain at rank 1", "largest gain", "at rank 1 over its own scores"]
    return markdown_table(["scores: search", *header], rows)


def _about_gains(clear: Sequence[Measured]) -> Iterator[str]:
    def gain(of: Callable[[Measured], float]) -> str:
        return _signed(float(np.median([of(measured) for measured in clear])), 3)

    plain = gain(lambda m: m.searches[None][0] - m.theoretical[0])
    own = gain(lambda m: m.searches["probe"][0] - m.own_theory["probe"][0])
    per_reference = gain(lambda m: m.searches["reference"][0] - m.theoretical[0])
    added = gain(lambda m: m.searches["reference"][0] - m.searches[None][0])
    yield (
        "Normalising per probe changes no rank, so its CMC and its gain are those of plain sorting. Where some people "
        f"are clearer that gain is {plain} at rank 1, though nothing was added: Eq. 16 compares scores of different "
        f"probes and the search does not. Over the normalised scores {own} is left."
    )
    yield (
        f"Normalising per reference changes ranks. Of its gain of {per_reference}, {added} is what the search adds to "
        "plain sorting and the rest is what Eq. 16 misses."
    )
    yield (
        "So the measure means what a search adds only beside a theoretical CMC that is right for plain sorting. Where "
        "people differ, take the one from their own false match rates, or measure plain sorting as well."
    )


def _signed(value: float, decimals: int = 4) -> str:
    return f"{value:+.{decimals}f}".replace("-", "−")


def _item(*sentences: str) -> str:
    return "- " + paragraph(*sentences).replace("\n", "\n  ")
