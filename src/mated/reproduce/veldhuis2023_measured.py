"""One data set, measured as in section VI of Veldhuis & Raja (2023): ROCs, predicted CMCs, and the empirical one.

The empirical CMC is taken twice: from m_g drawn galleries a probe, as in the paper, and as the exact expectation over
all galleries, which has no Monte-Carlo error. A CMC is predicted from the average, the global and the individual ROCs,
each by two estimators: `linear`, the ROC of the paper with straight lines between its corners, and `step`, the mean
over mated scores of the rank law at their false match rate. For the global ROC `step` is Eq. 16 of Bolle et al. (2005).
"""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from mated.identification.bolle import theoretical_cmc
from mated.identification.convergence import area_relation
from mated.identification.expectation import expected_cmc
from mated.identification.galleries import simulate_cmc
from mated.identification.roc_to_cmc import cmc_of_roc, cmc_of_rocs, global_roc
from mated.identification.step import step_cmcs
from mated.scores import ScoreMatrix, SubjectTallies
from mated.scores.rivals import Rivals
from mated.synthetic import GaussianIdentities, cosine
from mated.uncertainty.streams import block_generator
from mated.verification.individual import average_roc, individual_rocs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from mated.reproduce.veldhuis2023_published import Classifier
    from mated.verification.individual import IndividualRocs, RocFunction

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["EMPIRICAL", "ESTIMATORS", "ROCS", "Cell", "Curves", "Faces", "Gap", "Measured", "faces_folder", "measure"]

Empirical: TypeAlias = Literal["drawn", "expected"]
Roc: TypeAlias = Literal["average", "global", "individual"]
Estimator: TypeAlias = Literal["linear", "step"]

EMPIRICAL: tuple[Empirical, ...] = ("drawn", "expected")
ROCS: tuple[Roc, ...] = ("average", "global", "individual")
ESTIMATORS: tuple[Estimator, ...] = ("linear", "step")

_FMRS = np.arange(1, 1000) / 1000
_SPREAD_AT = 0.1
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Cell:
    """An experiment on synthetic data: its name and parameters; `draw` makes one data set and measures it."""

    name: str
    n: int
    m: int
    m_g: int
    classifier: Classifier

    def draw(self, seed: int, number: int) -> Measured:
        """Draw data set `number` from the Gaussian identity model (Eq. 30), and its galleries, and measure it."""
        label = f"veldhuis2023, {self.classifier}, {self.n} × {self.m}"
        people = GaussianIdentities().draw(self.n, self.m, rng=block_generator(seed, label, number))
        return measure(people.matrix(self.classifier), self.m_g, block_generator(seed, f"{label}, galleries", number))


@dataclass(frozen=True)
class Faces:
    """The experiment on face embeddings: 40 people of 10 images each, cosine of the first `coordinates` of them."""

    folder: Path
    m_g: int
    coordinates: int

    @property
    def name(self) -> str:
        """The name of its files."""
        return f"faces{self.coordinates}"

    @cached_property
    def matrix(self) -> ScoreMatrix:
        """The scores of all pairs of images."""
        features = np.load(self.folder / "embeddings.npy").astype(np.float64)[:, : self.coordinates]
        with (self.folder / "samples.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        people, samples = ([row[column] for row in rows] for column in ("subject", "sample"))
        scores = cosine(features, features)
        # Products may differ in the last bit, and the matrix is to be its own transpose.
        scores = (scores + scores.T) / 2
        return ScoreMatrix.from_arrays(scores, people, people, probe_sample=samples, reference_sample=samples)

    def draw(self, seed: int, number: int) -> Measured:
        """Draw galleries and measure; the images are the same every time."""
        return measure(self.matrix, self.m_g, block_generator(seed, "veldhuis2023, faces, galleries", number))


def faces_folder() -> Path | None:
    """Return the folder of the face embeddings, None where it is absent; see `MATED_REFERENCE_DATA`."""
    folder = Path(os.environ.get("MATED_REFERENCE_DATA", "../shared/data")) / "att_faces"
    return folder if all((folder / name).is_file() for name in ("embeddings.npy", "samples.csv")) else None


class Gap(NamedTuple):
    """How far a predicted CMC is from the empirical one, over all ranks.

    For the individual ROCs `largest` and `rms` are means over the subjects, each with its own two curves, and there is
    no one rank where the difference is largest.
    """

    largest: float
    at_rank: int | None
    rms: float


@dataclass(frozen=True, eq=False)
class Curves:
    """The curves of one data set, at ranks 1 to n. The CMCs of subjects are rows, in the order of `rocs`."""

    rocs: IndividualRocs
    average: RocFunction
    overall: RocFunction
    empirical: Mapping[Empirical, Floats]
    individual: Mapping[Empirical, Floats]
    predicted: Mapping[tuple[Roc, Estimator], Floats]

    def some_subjects(self) -> list[int]:
        """Return the subjects a tenth, half and nine tenths up in the order of the area under their ROC."""
        order = np.argsort([roc.area for roc in self.rocs], kind="stable")
        return [int(order[round(share * (len(order) - 1))]) for share in (0.1, 0.5, 0.9)]


@dataclass(frozen=True, eq=False)
class Measured:
    """What one data set shows.

    Attributes
    ----------
    gaps
        By kind of empirical CMC, ROC and estimator.
    facts
        Other numbers by name; see `measure`.
    curves
        What the figures draw.
    """

    gaps: Mapping[tuple[Empirical, Roc, Estimator], Gap]
    facts: Mapping[str, float]
    curves: Curves


def measure(matrix: ScoreMatrix, galleries: int, rng: np.random.Generator) -> Measured:
    """Measure a data set in which every sample is compared with every other; the gallery holds all its people.

    The facts are:

    - `tmr lowest`, `tmr highest`, `tmr deviation`: of the subjects' TMR at FMR 0.1
    - `roc above`: share of the FMRs 0.001, 0.002, … 0.999 at which the global ROC is at or above the average one
    - `roc mean`, `roc largest`: mean and largest |global − average ROC| over these FMRs
    - `stairs above`, `stairs mean`: the same with individual ROCs that are staircases, without lines between corners
    - `cmc to roc`: largest |cmc(r) − average ROC(r/n)| over r < n, of the expected CMC
    - `rank 1`, and `rank 1 linear`, `rank 1 step`, `rank 1 rivals`: the expected rank-1 rate, and what is predicted
      from the average ROC, by `step`, and by `step` with a false match rate of its own for every rival
    - `area cmc`, `area roc`: both sides of Corollary 2 for the average ROC
    - `rms ratio`: rms gap of the global over that of the average ROC, linear, to the expected CMC
    """
    tally = matrix.tally()
    tallies = SubjectTallies.of(matrix.comparisons(), symmetric="yes")
    drawn, expected = simulate_cmc(matrix, galleries=galleries, rng=rng), expected_cmc(matrix)
    n, rocs = expected.gallery_size, individual_rocs(tallies)
    average, overall = average_roc(rocs), global_roc(tally)
    lines, steps = cmc_of_rocs(rocs, n), step_cmcs(tallies, n)
    curves = Curves(
        rocs,
        average,
        overall,
        {"drawn": drawn.rate, "expected": expected.rate},
        {"drawn": drawn.individual, "expected": expected.individual},
        {
            ("average", "linear"): lines.mean(axis=0),
            ("average", "step"): steps.mean(axis=0),
            ("global", "linear"): cmc_of_roc(overall, n),
            ("global", "step"): theoretical_cmc(tally, n),
            ("individual", "linear"): lines,
            ("individual", "step"): steps,
        },
    )
    gaps = {
        (kind, *of): _gap(predicted, curves.individual[kind] if of[0] == "individual" else curves.empirical[kind])
        for kind in EMPIRICAL
        for of, predicted in curves.predicted.items()
    }
    spread = np.array([roc(_SPREAD_AT) for roc in rocs])
    apart, from_stairs = overall(_FMRS) - average(_FMRS), overall(_FMRS) - _average_staircase(tallies, _FMRS)
    areas = area_relation(average, n)
    facts = {
        "tmr lowest": spread.min(),
        "tmr highest": spread.max(),
        "tmr deviation": spread.std(ddof=1),
        "roc above": np.mean(apart >= -_ROUNDING),
        "roc mean": np.abs(apart).mean(),
        "roc largest": np.abs(apart).max(),
        "stairs above": np.mean(from_stairs >= -_ROUNDING),
        "stairs mean": np.abs(from_stairs).mean(),
        "cmc to roc": np.abs(expected.rate[:-1] - average(np.arange(1, n) / n)).max(),
        "rank 1": expected.rate[0],
        "rank 1 linear": lines[:, 0].mean(),
        "rank 1 step": steps[:, 0].mean(),
        "rank 1 rivals": expected_cmc(Rivals.blocks(matrix, scope="subject"), [1]).rate[0],
        "area cmc": areas.cmc,
        "area roc": areas.roc,
        "rms ratio": gaps["expected", "global", "linear"].rms / gaps["expected", "average", "linear"].rms,
    }
    return Measured(gaps, {name: float(value) for name, value in facts.items()}, curves)


def _average_staircase(tallies: SubjectTallies, fmrs: Floats) -> Floats:
    """Return the mean over subjects of the share of their mated scores whose false match rate is at most each FMR."""
    subject, count = tallies.grid.subject, tallies.grid.count
    reached = tallies.nonmated_at_or_above / tallies.nonmated_total[subject]
    share = count / np.bincount(subject, weights=count)[subject] / len(tallies.subjects)
    order = np.argsort(reached, kind="stable")
    up_to = np.append(0.0, np.cumsum(share[order]))
    staircase: Floats = up_to[np.searchsorted(reached[order], fmrs, side="right")]
    return staircase


def _gap(predicted: Floats, empirical: Floats) -> Gap:
    apart = np.abs(predicted - empirical)
    rms = float(np.sqrt((apart**2).mean(axis=-1)).mean())
    if apart.ndim == 2:
        return Gap(float(apart.max(axis=1).mean()), None, rms)
    return Gap(float(apart.max()), int(np.argmax(apart)) + 1, rms)
