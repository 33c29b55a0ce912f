"""How often the test between two systems errs: false alarms when they are equal, and power when they are not.

Both systems see the same captures of the same people (Gaussian identity model), each through noise of its own. Equal
noise makes them equal in law: every rejection is a false alarm. Unequal noise makes the first the better one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mated.evaluation import Verification, compare
from mated.io.atomic import write_text
from mated.reproduce.processes import mapped
from mated.scores import ScoreMatrix
from mated.synthetic import GaussianIdentities, log_likelihood_ratio

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mated.evaluation.compare import Difference

__all__ = ["run", "simulate"]

_SUBJECTS, _SAMPLES, _FMR = 100, 5, 0.01
_NULL, _ALTERNATIVE = (0.3, 0.3), (0.3, 0.4)
_RUNS = {"small": 100, "full": 1000}
_REPLICATES = 500


def simulate(
    noise: tuple[float, float], seed: int, *, subjects: int = _SUBJECTS, samples: int = _SAMPLES
) -> list[Difference]:
    """Draw one pair of systems and test their differences of EER and of FNMR at FMR 1 %."""
    rng = np.random.default_rng([seed, 7])
    people = GaussianIdentities().draw(subjects, samples, rng=rng)
    systems = []
    for spread in noise:
        seen = people.features + spread * rng.standard_normal(people.features.shape)
        scores = log_likelihood_ratio(seen, seen, people.model.between)
        matrix = ScoreMatrix.from_arrays(
            (scores + scores.T) / 2,
            people.subject_names,
            people.subject_names,
            probe_sample=people.sample_names,
            reference_sample=people.sample_names,
        )
        table = matrix.comparisons()
        systems.append(Verification(table.tally(), layout=table))
    result = compare(*systems, names=("a", "b"), fmr=[_FMR], replicates=_REPLICATES, rng=seed)
    return [d for d in result.differences if d.statistic != "auc"]


def _one(task: tuple[tuple[float, float], int]) -> list[tuple[str, bool, float]]:
    noise, seed = task
    return [(d.statistic, d.p_value is not None and d.p_value < 0.05, d.difference) for d in simulate(noise, seed)]


def run(directory: Path, *, seed: int, size: str, jobs: int, progress: Callable[[int, int], None]) -> list[Path]:
    """Simulate pairs of systems under the null and under the alternative, and count rejections at 5 %."""
    runs = _RUNS[size]
    tasks = [(noise, seed * 1_000_003 + k) for noise in (_NULL, _ALTERNATIVE) for k in range(runs)]
    outcomes = []
    for outcome in mapped(_one, tasks, jobs):
        outcomes.append(outcome)
        progress(len(outcomes), len(tasks))
    rows = []
    for name, part in (("null", outcomes[:runs]), ("alternative", outcomes[runs:])):
        for k in range(len(part[0])):
            rejected = float(np.mean([o[k][1] for o in part]))
            mean = float(np.mean([o[k][2] for o in part]))
            error = float(np.sqrt(rejected * (1 - rejected) / runs))
            rows.append((name, part[0][k][0], runs, mean, rejected, error))
    header = "systems,statistic,runs,mean_difference,rejected_at_5_percent,monte_carlo_error"
    lines = [header, *(f"{n},{s},{r},{m:.5f},{p:.4f},{e:.4f}" for n, s, r, m, p, e in rows)]
    files = [directory / "paired.csv", directory / "paired.md"]
    write_text(files[0], "\n".join(lines) + "\n")
    write_text(files[1], _page(rows))
    return files


def _page(rows: list[tuple[str, str, int, float, float, float]]) -> str:
    table = "\n".join(
        f"| {name} | {statistic} | {runs} | {mean:+.4f} | {100 * rejected:.1f} % ± {100 * error:.1f} % |"
        for name, statistic, runs, mean, rejected, error in rows
    )
    return f"""# The paired test between two systems

{_SUBJECTS} people with {_SAMPLES} captures each, all pairs compared by two systems that see the same captures through
noise of their own: standard deviation {_NULL[0]} for both under the null, {_ALTERNATIVE[0]} and {_ALTERNATIVE[1]}
under the alternative. Paired pigeonhole bootstrap, {_REPLICATES} replicates, rejected where p < 0.05.

| systems | statistic | pairs of systems | mean difference | rejected |
|---|---|---:|---:|---:|
{table}

Under the null at most 5 % should be rejected; under the alternative, the more the better.
"""
