"""How far a forecast for galleries larger than the data can be trusted: forecasts beside the truth.

    python -m benchmarks.forecast_trust --subjects 400 --samples 10 --seeds 3 --replicates 100

prints a Markdown table of rank-1 rates. Every population of `benchmarks.forecast_models` is drawn anew for each seed;
the truth is computed. The tail model presumes that the probes of a class differ in location and scale only, and that
the tail goes on as it began; each of the populations breaks one of these:

- log-likelihood-ratio scores in few dimensions: probes differ in shape too, and each has a highest score of its own;
- cosine: all probes alike, with a highest score;
- people whose captures vary more, and groups of similar people: a mixture behind every probe's non-mated scores;
- t scores: heavy tails, the same for all or heavier for half of the people;
- relatives: a gallery of n holds one relative of the probe and n − 2 strangers, but in the data one rival in 399 is a
  relative, and a tail that takes them for a share of the population expects n/399 of them.

The last column is the factor by which the tail model's false match rates would have to be multiplied for the forecast
to be true (geometric mean and range over the seeds): 1 is perfect, and the standard deviation of its logarithm is what
`mated.uncertainty.forecast.model_error` allows for.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.forecast_models import MODELS
from mated.identification.roc_to_cmc import cmc_of_roc
from mated.identification.tail import fit_tail_model, tail_cmc
from mated.scores import SubjectTallies
from mated.scores.probe_scores import ProbeScores
from mated.uncertainty.forecast import forecast_cmc
from mated.verification.individual import average_roc, individual_rocs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.forecast_models import Model

SIZES = (10**4, 10**6, 10**9)
TRUTH_PAIRS = 100_000
WORDS = {10**4: "10^4", 10**6: "10^6", 10**9: "10^9"}


def trust_study(
    *, subjects: int = 400, samples: int = 10, seeds: int = 3, replicates: int = 100, models: tuple[Model, ...] = MODELS
) -> Iterator[dict[str, object]]:
    """Yield a row for each model and gallery size."""
    for model in models:
        truth = model.truth(SIZES, TRUTH_PAIRS, 5)
        forecasts, lows, highs, averages, factors = [], [], [], [], []
        for seed in range(seeds):
            matrix = model.matrix(subjects, samples, seed)
            probes = ProbeScores.of(matrix)
            forecast = forecast_cmc(probes, SIZES, replicates=replicates, rng=seed)
            roc = average_roc(individual_rocs(SubjectTallies.of(matrix.comparisons())))
            forecasts.append(forecast.rate[:, 0])
            low, high = forecast.interval()
            lows.append(low[:, 0])
            highs.append(high[:, 0])
            averages.append([cmc_of_roc(roc, size, [1])[0] for size in SIZES])
            fitted = fit_tail_model(probes)
            factors.append([_off_by(fitted, size, rate) for size, rate in zip(SIZES, truth, strict=True)])
        for column, size in enumerate(SIZES):
            inside = sum(lows[k][column] <= truth[column] <= highs[k][column] for k in range(seeds))
            yield {
                "model": model.name,
                "gallery": size,
                "truth": float(truth[column]),
                "tail": [float(row[column]) for row in forecasts],
                "low": float(lows[0][column]),
                "high": float(highs[0][column]),
                "inside": inside,
                "average": float(np.mean([row[column] for row in averages])),
                "log_factor": [row[column] for row in factors],
            }


def _off_by(model: object, size: int, truth: float) -> float:
    """Return the logarithm of the factor on the false match rates with which the forecast would be the truth."""
    low, high = -40.0, 40.0
    for _ in range(50):
        middle = (low + high) / 2
        if tail_cmc(model, [size], [1], factor=np.exp(middle))[0, 0] > truth:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.forecast_trust", description=__doc__.splitlines()[0])
    for name, value in (("subjects", 400), ("samples", 10), ("seeds", 3), ("replicates", 100)):
        parser.add_argument(f"--{name}", type=int, default=value)
    options = vars(parser.parse_args())
    print("| population | gallery | true rank-1 | tail forecast | 95 % interval | average ROC | FMR off by |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for row in trust_study(**options):
        logs = np.array(row["log_factor"])
        off = f"{np.exp(logs.mean()):.2g} ({np.exp(logs.min()):.2g} to {np.exp(logs.max()):.2g})"
        tail = float(np.mean(row["tail"]))
        print(
            f"| {row['model']} | {WORDS[row['gallery']]} | {row['truth']:.3g} | {tail:.3g} "
            f"| {row['low']:.2g} to {row['high']:.2g}, {row['inside']} of {options['seeds']} hold "
            f"| {row['average']:.3g} | {off} |",
            flush=True,
        )
    print(
        f"\n{options['subjects']} subjects × {options['samples']} samples, means of {options['seeds']} draws; the "
        f"interval is that of the first, with {options['replicates']} replicates.",
        file=sys.stdout,
    )


if __name__ == "__main__":
    main()
