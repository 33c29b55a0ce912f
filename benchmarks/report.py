"""The report: from a file of scores to the page, as the command does it, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from math import log10
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mated.io.write import write_comparisons
from mated.synthetic import GaussianIdentities

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mated.scores import Comparisons

__all__ = ["INTRODUCTION", "PACKAGES", "sections"]

Row = tuple[str, str, str, str]

PACKAGES = ("mated", "numpy", "numba", "polars", "plotly")
INTRODUCTION = """`mated report FILE`, once a file, with everything compiled before: reading, counting, 2000 bootstrap
replicates, and with subjects also searches, forecasts and intervals at every stop of the slider. Processor time of the
whole command and its peak memory; no peer makes such a page.
"""

_RUN = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(done.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


def sections() -> Iterator[tuple[str, list[Row]]]:
    """Yield the one table."""
    rows: list[Row] = []
    first = None
    with tempfile.TemporaryDirectory() as folder:
        for title, comparisons in _files():
            if first is None:
                _measured(comparisons, Path(folder))  # compiles
            seconds, memory, size = _measured(comparisons, Path(folder))
            first = first or seconds
            rows.append((title, f"{seconds:.1f} s", f"{seconds / first:.1f}", f"{memory:.1f} GB, page {size:.1f} MB"))
    yield "From scores to the page", rows


def _files() -> Iterator[tuple[str, Comparisons]]:
    model = GaussianIdentities((0.85,) * 8 + (0.92,) * 8)
    for subjects, samples in ((150, 3), (470, 3), (1490, 3)):
        pairs = subjects * samples * (subjects * samples - 1) // 2
        people = model.draw(subjects, samples, rng=np.random.default_rng(1))
        title = f"10^{round(log10(pairs))} comparisons of {subjects} subjects, {samples} samples each"
        yield title, people.comparisons(decimals=4)


def _measured(comparisons: Comparisons, folder: Path) -> tuple[float, float, float]:
    """Return processor seconds, peak gigabytes and megabytes of the page."""
    scores, page = folder / "scores.parquet", folder / "report.html"
    write_comparisons(comparisons, scores)
    command = [sys.executable, "-m", "mated", "report", str(scores), "-o", str(page)]
    done = subprocess.run([sys.executable, "-c", _RUN, *command], capture_output=True, text=True, check=True)
    status, seconds, memory = done.stdout.split()
    if status != "0":
        raise RuntimeError(f"the report of {scores} failed")
    return float(seconds), float(memory) * 1024 / 1e9, page.stat().st_size / 1e6
