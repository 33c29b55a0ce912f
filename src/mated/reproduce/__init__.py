"""The experiments of the papers and of this project's own claims, run again: ours beside the published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mated.errors import MatedError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["EXPERIMENTS", "experiment"]

EXPERIMENTS = {
    "wu2008": "six stand-in algorithms: Tables 1 to 6 and Figures 2 to 5 of Wu (2008)",
    "paired": "false alarms and power of the test between two systems",
    "coverage": "how often each interval holds the truth, on independent and on subject-structured data",
    "veldhuis2023": "CMCs predicted from ROCs: Figures 1 to 6 of Veldhuis & Raja (2023)",
    "bolle2005": "theoretical and empirical CMC: Figure 6 of Bolle et al. (2005), on stand-ins",
    "schlett2023": "quality on synthetic data: Table IV and Figures 4 to 9 and 12 to 16 of Schlett et al. (2023)",
}
"""The experiments by name, with what each shows; each is the module of that name with a function `run`."""


def experiment(name: str) -> Callable[..., list[Path]]:
    """Return the function that runs an experiment: run(directory, *, seed, size, progress) -> files written."""
    if name not in EXPERIMENTS:
        raise MatedError(f"there is no experiment {name!r}; the experiments are: {', '.join(EXPERIMENTS)}")
    from importlib import import_module

    module: Any = import_module(f"mated.reproduce.{name}")
    run: Callable[..., list[Path]] = module.run
    return run
