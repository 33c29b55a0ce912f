"""Schlett et al. (2023) on synthetic data: Table IV, Figures 4 to 9 and 12 to 16, ours beside the published.

Only the synthetic data of section VI can be drawn again; the real data are not public. Where the paper uses those,
synthetic data stand in and its statements are checked, not its numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError
from mated.io.atomic import write_text
from mated.reproduce.schlett2023_curves import curve_types, interpolation_study, random_bundle
from mated.reproduce.schlett2023_figures import save_figures
from mated.reproduce.schlett2023_normalisation import normalisation
from mated.reproduce.schlett2023_page import page
from mated.reproduce.schlett2023_published import SUBJECTS
from mated.reproduce.schlett2023_stability import stability
from mated.reproduce.schlett2023_statements import Results
from mated.reproduce.schlett2023_tables import csv_files
from mated.uncertainty.streams import seed_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mated.reproduce.schlett2023_stability import OneDraw

__all__ = ["PLANS", "Plan", "run"]


@dataclass(frozen=True)
class Plan:
    """How much is computed.

    Attributes
    ----------
    draws, subjects
        Of section VI (Table IV, Figures 12 and 13). The number of subjects is part of what is compared.
    random_subjects, random_curves
        Of Figure 4.
    interpolation_draws
        Of Figure 5.
    other_subjects
        Of Figures 14 to 16.
    normalisation_draws, normalisation_subjects
        Of Table II and Figures 7 to 9.
    formats
        File formats of the figures.
    """

    draws: int
    subjects: int
    random_subjects: int
    random_curves: int
    interpolation_draws: int
    other_subjects: int
    normalisation_draws: int
    normalisation_subjects: int
    formats: tuple[str, ...] = ("svg", "png")


PLANS = {
    "small": Plan(5, SUBJECTS, 2_000, 100, 60, 2_000, 3, 2_000, ("svg",)),
    "full": Plan(20, SUBJECTS, SUBJECTS, 100, 1_000, SUBJECTS, 20, 10_000),
}
"""What each size computes."""


def run(directory: Path, *, seed: int, size: str, jobs: int, progress: Callable[[int, int], None]) -> list[Path]:
    """Write tables as CSV, figures, and the page schlett2023.md; return the files.

    The same seed gives the same numbers on any number of processes.
    """
    if size not in PLANS:
        raise MatedError(f"there is no size {size!r}; the sizes are {', '.join(PLANS)}")
    if jobs < 1:
        raise MatedError(f"at least one process is needed, not {jobs}")
    plan, seed = PLANS[size], seed_of(seed)
    total = 3 * plan.draws + plan.normalisation_draws + 4
    draws: dict[tuple[int, bool], list[OneDraw]] = {}
    done = 0
    for draw in stability(seed, draws=plan.draws, subjects=plan.subjects, jobs=jobs):
        draws.setdefault((draw.variant, draw.shared), []).append(draw)
        progress(done := done + 1, total)
    divergences = []
    for table in normalisation(seed, draws=plan.normalisation_draws, subjects=plan.normalisation_subjects, jobs=jobs):
        divergences.append(table)
        progress(done := done + 1, total)
    bundle = random_bundle(seed, subjects=plan.random_subjects, curves=plan.random_curves)
    progress(done := done + 1, total)
    interpolation = interpolation_study(seed, draws=plan.interpolation_draws)
    progress(done := done + 1, total)
    types = curve_types(seed, subjects=plan.other_subjects)
    progress(done + 1, total)
    results = Results(
        seed, plan.subjects, draws, bundle, interpolation, types, np.array(divergences), plan.normalisation_subjects
    )
    files = []
    for name, text in csv_files(draws, bundle, interpolation, types, results.divergences).items():
        write_text(directory / name, text)
        files.append(directory / name)
    files += save_figures(
        directory,
        seed=seed,
        subjects=plan.subjects,
        normalisation_subjects=plan.normalisation_subjects,
        bundle=bundle,
        interpolation=interpolation,
        types=types,
        formats=plan.formats,
    )
    written = directory / "schlett2023.md"
    write_text(written, page(results))
    progress(total, total)
    return [written, *files]
