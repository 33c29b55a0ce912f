"""A small study of synthetic people on disk: two systems, qualities, groups of the people, two score lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from mated.io.write import write_comparisons
from mated.scores import Comparisons
from mated.synthetic import GaussianIdentities

if TYPE_CHECKING:
    from pathlib import Path

SUBJECTS, SAMPLES = 24, 3


def people_and_pairs():
    """Return the people, and for each comparison its two samples."""
    people = GaussianIdentities().draw(SUBJECTS, SAMPLES, rng=11)
    return people, people.pairs()


def systems() -> dict[str, Comparisons]:
    """Return an integer and a decimal scoring system on the same comparisons, with groups of both sides."""
    people, (rows, columns) = people_and_pairs()
    subject, sample = np.array(people.subject_names), np.array(people.sample_names)
    group = np.where(people.subject % 2 == 0, "A", "B")
    same = group[rows] == group[columns]
    covariates = {
        "group": np.where(same, group[rows], "across"),
        "probe_group": group[rows],
        "reference_group": group[columns],
    }
    scores = {"alpha": people.matrix("llr", scale=100, decimals=0), "beta": people.matrix("cosine", decimals=4)}
    return {
        name: Comparisons.from_arrays(
            matrix.scores[rows, columns],
            probe_subject=subject[rows],
            reference_subject=subject[columns],
            probe_sample=sample[rows],
            reference_sample=sample[columns],
            covariates=covariates,
        )
        for name, matrix in scores.items()
    }


def write_inputs(folder: Path) -> None:
    """Write alpha.csv, beta.csv, people.csv, quality.csv into a folder."""
    made = systems()
    for name, comparisons in made.items():
        write_comparisons(comparisons, folder / f"{name}.csv")
    subjects, samples = made["alpha"].subjects.names, made["alpha"].samples.names
    sex = ["f" if k % 3 else "m" for k in range(len(subjects))]
    pl.DataFrame({"subject": subjects, "sex": sex}).write_csv(folder / "people.csv")
    rng = np.random.default_rng(3)
    qualities = {"sample": samples, "good": rng.random(len(samples)), "weak": rng.random(len(samples))}
    pl.DataFrame(qualities).write_csv(folder / "quality.csv")


STUDY = """
title = "Two systems"
replicates = 60

[points]
fmr = [0.1, 0.01]
threshold = 10

[[system]]
file = "alpha.csv"

[[system]]
file = "beta.csv"

[groups]
by = ["group"]
probe = "probe_group"
reference = "reference_group"
subjects = "people.csv"

[identify]
mate_removed = true

[forecast]
gallery = [100]
replicates = 10

[quality]
files = "quality.csv"
replicates = 20

[[claim]]
text = "eer <= 0.5"

[[claim]]
text = "rank1 >= 0.01 at gallery 200"
system = "alpha"
"""
