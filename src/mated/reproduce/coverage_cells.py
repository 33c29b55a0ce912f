"""The experiments of the coverage study: draw data sets, compute every interval, say where the truth lies.

A cell is one kind and size of data. Each of its runs draws data from a model whose error rates are known, and every
method gives its interval for them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import numpy as np

from mated.errors import MatedError
from mated.evaluation.bootstrap import Bootstrap
from mated.evaluation.resampling import SubjectResampling
from mated.evaluation.verify import verify
from mated.reproduce.coverage_truth import BINORMAL_DISTANCE, TRUTH, binormal_eer, binormal_tmr
from mated.reproduce.processes import mapped
from mated.scores import ScoreMatrix
from mated.scores.subject_pairs import SubjectPairs
from mated.synthetic.identities import GaussianIdentities
from mated.uncertainty import binomial
from mated.uncertainty.cluster import fnmr_cluster, logit_t_interval, tail_design_effects
from mated.uncertainty.pair_sums import PairSums
from mated.uncertainty.replicates import Replicates
from mated.uncertainty.streams import seed_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from mated.evaluation.estimate import Estimate
    from mated.evaluation.verification import Verification
    from mated.uncertainty.cluster import KnownEffect
    from mated.uncertainty.pair_sums import Variance

__all__ = [
    "DEFAULT",
    "EER",
    "FEW",
    "FMR_AT_THRESHOLD",
    "FNMR_AT_FMR",
    "FNMR_AT_THRESHOLD",
    "INDEPENDENT",
    "MAIN",
    "BinormalCell",
    "Cell",
    "ExactRow",
    "Interval",
    "Question",
    "SubjectCell",
    "exact_coverage",
    "simulate",
]

DEFAULT = "default: "
"""How the name of a method begins that mated takes by itself where subjects are known."""

INDEPENDENT = "i.i.d.: "
"""How the name of a method begins that takes comparisons as independent."""

FNMR_AT_THRESHOLD = "FNMR 68 % at a threshold"
FMR_AT_THRESHOLD = "FMR 1e-2 at a threshold"
FNMR_AT_FMR = "FNMR at FMR 1e-2"
EER = "EER"
FEW_FNMR = "FNMR 1e-2 at a threshold"
FEW_FMR = "FMR 1e-4 at a threshold"
MAIN = (FNMR_AT_THRESHOLD, FMR_AT_THRESHOLD, FNMR_AT_FMR, EER)
FEW = (FEW_FNMR, FEW_FMR)

_WILSON = INDEPENDENT + "Wilson"
_EXACT = INDEPENDENT + "Wilson; Clopper–Pearson below 10 errors"
_PERCENTILE = INDEPENDENT + "percentile bootstrap"

_CHUNK = 2_000_000
_OVERHEAD = 75_000  # what a run costs whatever its size, in comparisons


class Interval(NamedTuple):
    """One interval of one run, and the estimate it belongs to."""

    statistic: str
    method: str
    value: float
    low: float
    high: float


class Question(NamedTuple):
    """What is true of a statistic in a cell, and how many errors are expected behind it (the fewer of two kinds)."""

    truth: float
    expected_errors: float


@dataclass(frozen=True)
class SubjectCell:
    """Gaussian identities, log-likelihood ratios of all pairs of `subjects` × `samples` samples."""

    subjects: int
    samples: int
    runs: int
    replicates: int
    kind: str = field(default="subjects", init=False)

    @property
    def name(self) -> str:
        """The size of the test: subjects × samples."""
        return f"{self.subjects}×{self.samples}"

    @property
    def mated(self) -> int:
        """Number of mated comparisons."""
        return self.subjects * self.samples * (self.samples - 1) // 2

    @property
    def nonmated(self) -> int:
        """Number of non-mated comparisons."""
        return self.subjects * (self.subjects - 1) // 2 * self.samples**2

    @property
    def questions(self) -> dict[str, Question]:
        """The truth of every statistic."""
        return {
            FNMR_AT_THRESHOLD: Question(TRUTH.fnmr, TRUTH.fnmr * self.mated),
            FMR_AT_THRESHOLD: Question(1e-2, 1e-2 * self.nonmated),
            FNMR_AT_FMR: Question(TRUTH.fnmr, min(TRUTH.fnmr * self.mated, 1e-2 * self.nonmated)),
            EER: Question(TRUTH.eer, TRUTH.eer * min(self.mated, self.nonmated)),
            FEW_FNMR: Question(1e-2, 1e-2 * self.mated),
            FEW_FMR: Question(1e-4, 1e-4 * self.nonmated),
        }

    def run(self, stream: np.random.SeedSequence) -> list[Interval]:
        """Draw one data set and compute every interval."""
        data, seed = _streams(stream)
        return list(self._intervals(verify(self.draw(data)), seed))

    def draw(self, rng: np.random.Generator) -> ScoreMatrix:
        """Draw one data set."""
        return GaussianIdentities().draw(self.subjects, self.samples, rng=rng).matrix()

    def bootstrap(self, v: Verification, seed: int) -> Bootstrap:
        """Return what `v.bootstrap(...)` gives by default, from the scores above the lowest threshold in use alone.

        Sorting all non-mated scores would take most of the time.
        """
        assert isinstance(v.layout, ScoreMatrix)
        pairs = SubjectPairs.of(v.layout.comparisons(), tail_above=v.tally.from_user(TRUTH.low_threshold))
        return Bootstrap(v, SubjectResampling(v.tally, pairs, self.replicates, seed))

    def _intervals(self, v: Verification, seed: int) -> Iterator[Interval]:
        known = self.bootstrap(v, seed)
        unknown = v.bootstrap(self.replicates, rng=seed, intervals="iid")
        assert isinstance(known.resampling, SubjectResampling)
        pairs = known.resampling.pairs

        blind, seeing = unknown.at_threshold(TRUTH.threshold), known.at_threshold(TRUTH.threshold)
        yield _of(FNMR_AT_THRESHOLD, _WILSON, blind.fnmr)
        yield _of(FNMR_AT_THRESHOLD, DEFAULT + "Korn–Graubard", seeing.fnmr)
        yield _of(FMR_AT_THRESHOLD, _WILSON, blind.fmr)
        yield _of(FMR_AT_THRESHOLD, DEFAULT + "V_mid, logit-t", seeing.fmr)
        sums, fmr = PairSums.at(pairs, v.tally.from_user(TRUTH.threshold)), seeing.point.fmr
        kinds: tuple[Variance, ...] = ("row", "u")
        for kind in kinds:
            ends = logit_t_interval(fmr, sqrt(sums.variance(kind)), self.subjects)
            yield Interval(FMR_AT_THRESHOLD, f"V_{kind}, logit-t", fmr, *ends)
        ends = Replicates(known.scatter(TRUTH.threshold)[0], fmr).percentile_interval()
        yield Interval(FMR_AT_THRESHOLD, "pigeonhole percentile", fmr, *ends)

        at_fmr = known.at_fmr(1e-2).fnmr
        yield _of(FNMR_AT_FMR, _PERCENTILE, unknown.at_fmr(1e-2).fnmr)
        yield _of(FNMR_AT_FMR, DEFAULT + "pigeonhole percentile", at_fmr)
        ends = logit_t_interval(at_fmr.value, at_fmr.se or 0.0, self.subjects)
        yield Interval(FNMR_AT_FMR, "pigeonhole SE, logit-t", at_fmr.value, *ends)
        yield _of(EER, _PERCENTILE, unknown.eer().eer)
        yield _of(EER, DEFAULT + "pigeonhole SE, logit-t", known.eer().eer)

        # At these two thresholds only the rate with few errors matters; the other one costs more.
        errors = pairs.false_nonmatches(v.tally.from_user(TRUTH.low_threshold))
        effect: KnownEffect = tail_design_effects(pairs).fnmr or "worst"
        missed = fnmr_cluster(errors, pairs.mated_per_subject, design_effect=effect)
        yield _of(FEW_FNMR, _EXACT, unknown.at_threshold(TRUTH.low_threshold).fnmr)
        method = DEFAULT + "Korn–Graubard; Clopper–Pearson below 10 errors"
        yield Interval(FEW_FNMR, method, missed.value, missed.low, missed.high)
        yield _of(FEW_FMR, _EXACT, unknown.at_threshold(TRUTH.high_threshold).fmr)
        method = DEFAULT + "V_mid; N/DEFF with few errors"
        yield _of(FEW_FMR, method, known.at_threshold(TRUTH.high_threshold).fmr)


@dataclass(frozen=True)
class BinormalCell:
    """Independent normal scores of both classes, half as many mated as non-mated ones."""

    nonmated: int
    runs: int
    replicates: int
    kind: str = field(default="independent", init=False)

    @property
    def name(self) -> str:
        """The number of false matches expected at an FMR of 1e-3."""
        return f"f·N = {self.nonmated / 1000:g}"

    @property
    def mated(self) -> int:
        """Number of mated comparisons."""
        return self.nonmated // 2

    @property
    def questions(self) -> dict[str, Question]:
        """The truth of every statistic."""
        tmr, eer = binormal_tmr(1e-3), binormal_eer()
        return {
            "TMR at FMR 1e-3": Question(tmr, min((1 - tmr) * self.mated, 1e-3 * self.nonmated)),
            EER: Question(eer, eer * self.mated),
        }

    def run(self, stream: np.random.SeedSequence) -> list[Interval]:
        """Draw one data set and compute every interval."""
        data, seed = _streams(stream)
        nonmated = data.standard_normal(self.nonmated)
        b = verify(data.standard_normal(self.mated) + BINORMAL_DISTANCE, nonmated).bootstrap(self.replicates, rng=seed)
        return [_of("TMR at FMR 1e-3", _PERCENTILE, b.at_fmr(1e-3).tmr), _of(EER, _PERCENTILE, b.eer().eer)]


Cell = SubjectCell | BinormalCell


def _streams(stream: np.random.SeedSequence) -> tuple[np.random.Generator, int]:
    """Return a generator for the data and a seed for the bootstrap."""
    data, boot = stream.spawn(2)
    return np.random.default_rng(data), int(boot.generate_state(1, np.uint64)[0] >> 1)


def _of(statistic: str, method: str, estimate: Estimate) -> Interval:
    """Take an interval; where the data give none, nothing is ruled out."""
    low, high = (0.0, 1.0) if estimate.low is None or estimate.high is None else (estimate.low, estimate.high)
    return Interval(statistic, method, estimate.value, low, high)


class _Task(NamedTuple):
    """Some runs of a cell, and which entry of the results they belong to."""

    place: int
    cell: Cell
    seed: int
    first: int
    runs: int


def simulate(
    cells: Sequence[Cell], *, seed: int, jobs: int, progress: Callable[[int, int], None]
) -> list[list[list[Interval]]]:
    """Return for each cell the intervals of each of its runs, on `jobs` processes."""
    if jobs < 1:
        raise MatedError(f"at least one process is needed, not {jobs}")
    tasks = list(_tasks(cells, seed_of(seed)))
    results: list[list[list[Interval]]] = [[] for _ in cells]
    total, done = sum(cell.runs * _work(cell) for cell in cells), 0
    for task, runs in zip(tasks, mapped(_compute, tasks, jobs), strict=True):
        results[task.place] += runs
        done += task.runs * _work(task.cell)
        progress(done, total)
    return results


def _tasks(cells: Sequence[Cell], seed: int) -> Iterator[_Task]:
    for place, cell in enumerate(cells):
        step = max(1, _CHUNK // _work(cell))
        for first in range(0, cell.runs, step):
            yield _Task(place, cell, seed, first, min(step, cell.runs - first))


def _compute(task: _Task) -> list[list[Interval]]:
    """Compute some runs, each from a random stream of its own."""
    key = crc32(f"{task.cell.kind} {task.cell.name}".encode())
    streams = (np.random.SeedSequence(task.seed, spawn_key=(key, task.first + k)) for k in range(task.runs))
    return [task.cell.run(stream) for stream in streams]


def _work(cell: Cell) -> int:
    return _OVERHEAD + cell.mated + cell.nonmated


class ExactRow(NamedTuple):
    """Coverage and mean width of a binomial interval, without simulation; the width relative to the ideal one.

    `above` is the probability that the interval lies wholly below the truth.
    """

    method: str
    coverage: float
    width_ratio: float
    above: float


def exact_coverage(expected: float, trials: int = 10_000, level: float = 0.95) -> list[ExactRow]:
    """Return how often intervals hold a rate of `expected`/`trials`: binomial probabilities of the counts, summed.

    The percentile bootstrap is taken in the limit of many replicates, where its ends are binomial quantiles.
    """
    from scipy.stats import binom

    rate = expected / trials
    counts = np.arange(trials + 1)
    weights = binom.pmf(counts, trials, rate)
    counts, weights = counts[weights > 0], weights[weights > 0]
    tail = (1 - level) / 2
    ends: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]] = {
        "normal": binomial.normal(counts, trials, level),
        "percentile bootstrap": (
            binom.ppf(tail, trials, counts / trials) / trials,
            binom.ppf(1 - tail, trials, counts / trials) / trials,
        ),
        "Wilson": binomial.wilson(counts, trials, level),
        "Jeffreys": binomial.jeffreys(counts, trials, level),
        "Clopper–Pearson": binomial.clopper_pearson(counts, trials, level),
        DEFAULT + "Wilson, Clopper–Pearson below 10": binomial.independent(counts, trials, level),
    }
    ideal = 2 * 1.959964 * np.sqrt(rate * (1 - rate) / trials)
    return [
        ExactRow(
            method,
            float(weights[(low <= rate) & (rate <= high)].sum()),
            float(weights @ (high - low)) / float(ideal),
            float(weights[high < rate].sum()),
        )
        for method, (low, high) in ends.items()
    ]
