"""The statements of Veldhuis & Raja (2023), each with what was measured and whether it holds there."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from mated.identification.convergence import Convergence, area_relation, convergence
from mated.reproduce import veldhuis2023_published as paper
from mated.reproduce.pages import csv_text
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from mated.identification.convergence import ExponentialRoc
    from mated.reproduce.veldhuis2023_measured import Empirical, Estimator, Measured, Roc

    Found: TypeAlias = Mapping[str, Sequence[Measured]]

__all__ = ["COINCIDE", "Beside", "Theory", "median", "statements"]

COINCIDE = 0.005
"""Two ROCs coincide when their mean distance over FMR is no more than this."""

_MOSTLY = 0.95
_LOW_RANKS = 0.1
_EXACT = 1e-12
_WIDTH = 110
_SIZES = tuple(30 * 2**doublings for doublings in range(11))


@dataclass(frozen=True, eq=False)
class Theory:
    """What needs no data: the convergence of the CMC to the ROC of Figure 2, at galleries from 30 to 30,720.

    Attributes
    ----------
    at_rank_1, bound_at_rank_1
        ρ(1/n) − cmc(1; n), and the bound of Eq. 43 there.
    highest
        The largest cmc(r; n) − ρ(r/n) over r < n, at each size.
    """

    roc: ExponentialRoc
    convergence: Convergence
    at_rank_1: NDArray[np.float64]
    bound_at_rank_1: NDArray[np.float64]
    highest: NDArray[np.float64]

    def __post_init__(self) -> None:
        for name in ("at_rank_1", "bound_at_rank_1", "highest"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @classmethod
    def of(cls, roc: ExponentialRoc) -> Theory:
        """Compute it for the ROC of Figure 2 or another rate."""
        found = convergence(roc, _SIZES)
        assert found.curvature is not None
        sizes = np.array(_SIZES, dtype=np.float64)
        first = [float(roc(1 / n) - roc.cmc(n, [1])[0]) for n in _SIZES]
        highest = [float((roc.cmc(n)[:-1] - roc(np.arange(1, n) / n)).max()) for n in _SIZES if n <= 10_000]
        highest += [float((roc.cmc(n, np.arange(1, n)) - roc(np.arange(1, n) / n)).max()) for n in _SIZES if n > 10_000]
        bound = found.curvature / 2 / (sizes + 1) / sizes * (1 - 1 / sizes)
        return cls(roc, found, np.array(first), bound, np.array(highest))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The gallery sizes."""
        return self.convergence.gallery_sizes

    def csv(self) -> str:
        """Return a line for each gallery size."""
        assert self.convergence.bound is not None
        columns = (self.convergence.largest, self.convergence.bound, self.at_rank_1, self.bound_at_rank_1)
        return csv_text(
            ["gallery_size", "largest", "at_rank", "largest_bound", "rank_1", "rank_1_bound"],
            [
                [str(n), f"{largest:.9g}", str(rank), f"{bound:.9g}", f"{first:.9g}", f"{first_bound:.9g}"]
                for n, rank, largest, bound, first, first_bound in zip(
                    self.sizes.tolist(), self.convergence.at_rank.tolist(), *columns, strict=True
                )
            ],
        )


@dataclass(frozen=True)
class Beside:
    """A statement, what we measured, and whether that agrees; None where no number can say."""

    name: str
    measured: str
    holds: bool | None

    def line(self) -> str:
        """Return it as an item of a Markdown list."""
        where, published = paper.STATEMENTS[self.name]
        verdict = {True: " Agrees.", False: " **Does not agree.**", None: ""}[self.holds]
        words = f"- {where}. Published: {published}. Measured: {self.measured}.{verdict}"
        return textwrap.fill(words, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def median(found: Found, name: str, fact: str) -> float:
    """Return the median of a fact over the data sets of an experiment."""
    return float(np.median([measured.facts[fact] for measured in found[name]]))


def _gap(
    found: Found, name: str, roc: Roc, what: str = "largest", kind: Empirical = "drawn", how: Estimator = "linear"
) -> float:
    return float(np.median([getattr(measured.gaps[kind, roc, how], what) for measured in found[name]]))


def statements(found: Found, theory: Theory) -> Iterator[Beside]:
    """Set what was measured beside every statement."""
    yield from _on_predictions(found)
    yield from _on_rocs(found)
    yield from _on_convergence(found, theory)
    if "faces128" in found:
        low = {name: found[name][0].facts for name in ("faces128", "faces8")}
        signed = {name: facts["rank 1 linear"] - facts["rank 1"] for name, facts in low.items()}
        yield Beside(
            "faces",
            f"predicted minus empirical rate at rank 1 is {_signed(signed['faces128'])} with 128 coordinates and "
            f"{_signed(signed['faces8'])} with 8: {'also' if max(signed.values()) < 0 else 'not'} seen on these people",
            None,  # other faces and another n
        )


def _on_predictions(found: Found) -> Iterator[Beside]:
    at_01 = [median(found, "figure3", f"tmr {part}") for part in ("lowest", "highest", "deviation")]
    yield Beside(
        "spread",
        f"TMR at FMR 0.1 of the 10 subjects from {at_01[0]:.2f} to {at_01[1]:.2f}, standard deviation {at_01[2]:.2f}",
        None,
    )
    names = [f"figure{number}" for number in paper.FIGURES]
    individual = [_gap(found, name, "individual") for name in names]
    together = [_gap(found, name, "average") for name in names]
    yield Beside(
        "reduced",
        f"largest difference {_several(individual)} for individuals and {_several(together)} for the global CMC, "
        "Figures 3 to 6",
        all(one > other for one, other in zip(individual, together, strict=True)),
    )
    low = [measured.gaps["drawn", "average", "linear"].at_rank or 0 for name in names for measured in found[name]]
    sizes = [paper.FIGURES[number][0] for number in paper.FIGURES for _ in found[f"figure{number}"]]
    within = sum(rank <= _LOW_RANKS * n for rank, n in zip(low, sizes, strict=True))
    yield Beside(
        "low ranks",
        f"largest at rank 1 in {sum(rank == 1 for rank in low)} of {len(low)} data sets, within the first tenth of the "
        f"ranks in {within}",
        within >= _MOSTLY * len(low),
    )
    whole = [
        (_gap(found, f"figure{k}", "average", "rms"), _gap(found, f"figure{k}", "individual", "rms")) for k in (3, 5)
    ]
    largest = [_gap(found, f"figure{k}", "individual", kind="expected") for k in (3, 5)]
    yield Beside(
        "closer",
        f"root mean square {whole[0][0]:.4f} at n = 10 and {whole[1][0]:.4f} at n = 100 for the global CMC, "
        f"{whole[0][1]:.4f} and {whole[1][1]:.4f} for individuals (their largest differences: {largest[0]:.4f} and "
        f"{largest[1]:.4f}), log-likelihood ratio",
        whole[1][0] < whole[0][0] and whole[1][1] < whole[0][1],
    )


def _on_rocs(found: Found) -> Iterator[Beside]:
    mean = {k: median(found, f"figure{k}", "roc mean") for k in paper.FIGURES}
    largest = {k: median(found, f"figure{k}", "roc largest") for k in paper.FIGURES}
    each = [[measured.facts["roc mean"] for measured in found[f"figure{k}"]] for k in (3, 4)]
    apart = min(each[0]) > max(each[1]) or max(each[0]) < min(each[1])
    ranges = " and ".join(f"{min(values):.4f} to {max(values):.4f}" for values in each)
    over = f"; over the data sets {ranges}" if len(each[0]) > 1 else ""
    yield Beside(
        "two ROCs",
        f"mean distance over FMR {mean[3]:.4f} for the log-likelihood ratio, {mean[4]:.4f} for the cosine{over}"
        + ("" if apart else ", so ten people do not show it reliably"),
        mean[3] > mean[4] if apart else None,
    )
    to_roc = [median(found, f"figure{k}", "cmc to roc") for k in (3, 5)]
    yield Beside(
        "to the ROC", f"largest distance {to_roc[0]:.3f} at n = 10, {to_roc[1]:.3f} at n = 100", to_roc[1] < to_roc[0]
    )
    above = {fact: 100 * median(found, "figure5", f"{fact} above") for fact in ("roc", "stairs")}
    lowest = 100 * min(measured.facts["roc above"] for measured in found["figure5"])
    yield Beside(
        "above",
        f"at {above['roc']:.1f} % of the FMRs 0.001, 0.002, … 0.999, at least {lowest:.1f} % in every data set "
        f"({above['stairs']:.1f} % where individual ROCs are staircases without lines between corners); mean distance "
        f"{mean[5]:.4f}, largest {largest[5]:.4f}",
        above["roc"] >= 100 * _MOSTLY,
    )
    yield Beside(
        "coincide",
        f"mean distance {mean[6]:.4f} (to coincide: up to {COINCIDE}), largest {largest[6]:.4f}; mean "
        f"{median(found, 'figure6', 'stairs mean'):.4f} with staircases, so much of it is the lines between corners",
        mean[6] <= COINCIDE,
    )


def _on_convergence(found: Found, theory: Theory) -> Iterator[Beside]:
    ends = f"n from {theory.sizes[0]} to {theory.sizes[-1]:,}"
    yield Beside(
        "from below",
        f"for the ROC of Figure 2 and {ends}, cmc(r; n) − ρ(r/n) is at most {theory.highest.max():.1g}",
        bool(theory.highest.max() <= _EXACT),
    )
    slopes = [float(np.log2(values[-1] / values[-2])) for values in (theory.convergence.largest, theory.at_rank_1)]
    yield Beside(
        "rate",
        f"the largest distance falls as {_power(theory.convergence.rate)} over {ends}, and as {_power(slopes[0])} over "
        "the last doubling",
        abs(slopes[0] + 1) < 0.01,
    )
    yield Beside(
        "rank 1", f"at rank 1 it falls as {_power(slopes[1])} over the last doubling", abs(slopes[1] + 2) < 0.02
    )
    used = theory.at_rank_1 / theory.bound_at_rank_1
    yield Beside(
        "bound",
        f"{'kept at every rank of every' if theory.convergence.within_bound else 'broken in some'} gallery, {ends}; "
        f"at rank 1 the distance is {used[0]:.2f} of the bound in the smallest and {used[-1]:.3f} in the largest",
        theory.convergence.within_bound,
    )
    sides = [area_relation(theory.roc, n) for n in paper.FIGURE_2]
    facts = [measured.facts for k in paper.FIGURES for measured in found[f"figure{k}"]]
    apart = max(
        *(abs(side.cmc - side.roc) for side in sides), *(abs(fact["area cmc"] - fact["area roc"]) for fact in facts)
    )
    yield Beside(
        "areas",
        f"both sides are {sides[0].cmc:.6f} and {sides[0].roc:.6f} for Figure 2 at n = 30, "
        f"{facts[0]['area cmc']:.6f} and {facts[0]['area roc']:.6f} for the average ROC of Figure 3; the largest "
        f"difference in all experiments is {apart:.0e}",
        apart < _EXACT,
    )


def _several(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.4f}" for value in values)


def _power(exponent: float) -> str:
    return f"n^{exponent:.3f}".replace("-", "−")


def _signed(value: float) -> str:
    return f"{value:+.4f}".replace("-", "−")
