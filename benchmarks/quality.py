"""Quality: the ranking grid of Schlett et al. (2023), section VI, and single curves.

Everything runs on one thread, in a process of its own whose libraries are told so.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.timing import best_cpu_time, cpu_time, peak_memory
from benchmarks.uncertainty import ONE_THREAD
from mated.quality import (
    PairQualities,
    SampleQualities,
    d_prime_curve,
    error_curve,
    fixed_counterpart_curve,
    mean_score_curve,
    pair_qualities,
    ranking_grid,
    starting_errors,
)
from mated.quality.stability import LIMITS, STARTING_ERRORS
from mated.scores import Tally
from mated.scores.discard_order import DiscardOrder
from mated.synthetic.quality import SyntheticQualities, draw_qualities

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mated.scores import Comparisons

__all__ = ["INTRODUCTION", "PACKAGES", "sections"]

Row = tuple[str, str, str, str]

PACKAGES = ("mated", "numpy", "scipy", "numba")
DASEC = "MATED_DASEC_EDC"
INTRODUCTION = f"""Everything here runs on one thread (also in OpenBLAS and Numba), and times are processor times.
The grid is that of Schlett et al. (2023), section VI: {len(STARTING_ERRORS)} starting errors × {len(LIMITS)} discard
limits. What a row gives is compared with mated's numbers, and the benchmark stops where they differ. The authors'
script (edc.py of dasec/quality-assessment-evaluation) is timed where {DASEC} names the file; it gets the thresholds
that mated finds itself, and the dictionaries it wants are made before.
"""


class Pairs(NamedTuple):
    """Scores and pair qualities of the mated comparisons."""

    score: np.ndarray
    quality: dict[str, np.ndarray]


def sections() -> Iterator[tuple[str, list[Row]]]:
    """Yield a title and its rows: what, time, ratio to mated, remark; measured in a process with one thread."""
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.quality"],
        cwd=Path(__file__).resolve().parents[1],
        env=os.environ | ONE_THREAD,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        for line in process.stdout:
            title, rows = json.loads(line)
            yield title, [tuple(row) for row in rows]
    if process.returncode:
        raise SystemExit(f"the benchmark of quality failed with code {process.returncode}")


def _measured() -> Iterator[tuple[str, list[Row]]]:
    drawn = draw_qualities(rng=6)
    pairs = _pairs(drawn)
    title = f"Ranking grid: {len(pairs.score):,} mated pairs, 5 algorithms, 10 starting errors × 20 limits"
    yield title, list(_grid(drawn, pairs))
    drawn = draw_qualities((0.2,), nonmated=500_000, rng=7)
    paired = pair_qualities(drawn.comparisons(), SampleQualities.from_arrays(drawn.sample_names, drawn.quality))
    title = "One algorithm, 500,000 mated and 500,000 non-mated comparisons, every discard step"
    yield title, list(_curves(paired))
    yield "FNMR at FMR 0.001, found anew at every discard step (FC-EDC), of the same", list(_fixed_counterpart(paired))


# -- the grid --------------------------------------------------------------------------------------


def _pairs(drawn: SyntheticQualities) -> Pairs:
    return Pairs(drawn.mated_score, {name: drawn.pair_quality(name) for name in drawn.quality})


def section_vi() -> Pairs:
    """Draw the data of section VI."""
    return _pairs(draw_qualities(rng=6))


def whole_grid(pairs: Pairs) -> np.ndarray:
    """Return the areas from scores and pair qualities: thresholds, orders and grid."""
    starts = starting_errors(Tally.from_scores(pairs.score, np.zeros(0))).nearest_each(STARTING_ERRORS)
    orders = {name: DiscardOrder.of(pairs.score, q, limit=max(LIMITS)) for name, q in pairs.quality.items()}
    return ranking_grid(orders, starts, LIMITS).area


def from_samples(comparisons: Comparisons, qualities: SampleQualities) -> np.ndarray:
    """Return the same from a table of comparisons and the qualities of samples, as users have them."""
    paired = pair_qualities(comparisons, qualities)
    starts = starting_errors(paired.comparisons.tally()).nearest_each(STARTING_ERRORS)
    return ranking_grid(paired.orders(limit=max(LIMITS)), starts, LIMITS).area


def plain_grid(pairs: Pairs, thresholds: list[float]) -> np.ndarray:
    """Return the same by plain NumPy: one argsort an algorithm, one cumsum a starting error, one dot a limit."""
    score, total = pairs.score, len(pairs.score)
    areas = np.empty((len(pairs.quality), len(thresholds), len(LIMITS)))
    for of_algorithm, quality in zip(areas, pairs.quality.values(), strict=True):
        order = np.argsort(quality)
        steps = np.append(0, np.flatnonzero(np.diff(quality[order])) + 1)
        discard = steps / total
        for of_start, threshold in zip(of_algorithm, thresholds, strict=True):
            wrong = score[order] < threshold
            left = np.count_nonzero(wrong) - np.append(0, np.cumsum(wrong))[steps]
            rate = left / (total - steps)
            for place, limit in enumerate(LIMITS):
                last = np.searchsorted(discard, limit)
                edges = np.append(discard[:last], limit)
                of_start[place] = np.dot(rate[:last], np.diff(edges))
    return areas


def _grid(drawn: SyntheticQualities, pairs: Pairs) -> Iterator[Row]:
    own = best_cpu_time(lambda: whole_grid(pairs), repeats=10)
    areas = whole_grid(pairs)
    first, memory = peak_memory(section_vi, whole_grid)
    yield _row(
        "mated: from scores and pair qualities: thresholds, orders, areas",
        own,
        own,
        f"at most {memory / 1e6:.0f} MB of NumPy arrays beyond the data; first call in a fresh process "
        f"{1e3 * first:,.0f} ms of wall time",
    )
    starts = starting_errors(Tally.from_scores(pairs.score, np.zeros(0))).nearest_each(STARTING_ERRORS)
    orders = {name: DiscardOrder.of(pairs.score, q, limit=max(LIMITS)) for name, q in pairs.quality.items()}
    for what, call in (
        (
            "Tally and 10 starting errors",
            lambda: starting_errors(Tally.from_scores(pairs.score, np.zeros(0))).nearest_each(STARTING_ERRORS),
        ),
        (
            "5 orders of the lowest fifth",
            lambda: [DiscardOrder.of(pairs.score, q, limit=0.2) for q in pairs.quality.values()],
        ),
        ("the grid of areas from the orders", lambda: ranking_grid(orders, starts, LIMITS)),
    ):
        yield _row(f"mated: {what} alone", best_cpu_time(call, repeats=10), own, "")
    comparisons = drawn.comparisons()
    qualities = SampleQualities.from_arrays(drawn.sample_names, drawn.quality)
    _same("from samples", from_samples(comparisons, qualities), areas)
    seconds = best_cpu_time(lambda: from_samples(comparisons, qualities))
    yield _row("mated: from a table of comparisons and qualities of 250,000 named samples", seconds, own, "")
    argsorts = best_cpu_time(lambda: [np.argsort(q) for q in pairs.quality.values()])
    yield _row("NumPy: five plain argsorts of the pair qualities", argsorts, own, "nothing else")
    thresholds = [start.inner for start in starts]
    seconds, found = cpu_time(lambda: plain_grid(pairs, thresholds))
    _same("plain NumPy", found, areas)
    yield _row("NumPy: one argsort an algorithm, np.cumsum a starting error, np.dot a limit", seconds, own, "run once")
    if script := os.environ.get(DASEC):
        seconds, found = _dasec(Path(script), drawn, thresholds)
        _same("the dasec script", found, areas)
        yield _row("dasec: compute_edc and compute_edc_pauc of edc.py", seconds, own, "run once")


def _dasec(script: Path, drawn: SyntheticQualities, thresholds: list[float]) -> tuple[float, np.ndarray]:
    """Time the authors' own functions on every cell of the grid; their dictionaries are made before."""
    spec = importlib.util.spec_from_file_location("dasec_edc", script)
    edc = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(edc)
    areas, total = [], 0.0
    scores, pairs = drawn.mated_score.tolist(), list(zip(*(side.tolist() for side in drawn.mated_pairs), strict=True))
    for quality in drawn.quality.values():
        samples = [{"quality_score": value} for value in quality.tolist()]
        rows = [
            {"samples": (samples[a], samples[b]), "similarity_score": score}
            for (a, b), score in zip(pairs, scores, strict=True)
        ]

        def of_start(threshold: float, rows=rows) -> list[float]:
            curve = edc.compute_edc(edc.EdcErrorType.FNMR, rows, similarity_score_threshold=threshold)
            return [edc.compute_edc_pauc(curve, limit) for limit in LIMITS]

        seconds, found = cpu_time(lambda of_start=of_start: [of_start(threshold) for threshold in thresholds])
        total += seconds
        areas.append(found)
    return total, np.array(areas)


def _same(what: str, found: np.ndarray, expected: np.ndarray) -> None:
    if not np.allclose(found, expected, rtol=1e-9, atol=0):
        raise SystemExit(f"the areas of {what} are not those of mated")


# -- curves ----------------------------------------------------------------------------------------


def _curves(paired: PairQualities) -> Iterator[Row]:
    (name,) = paired.algorithms
    start = starting_errors(paired.comparisons.tally()).nearest(0.05)
    mated, both = paired.order(name), paired.order(name, mated=None)
    own = best_cpu_time(lambda: error_curve(mated, start))
    yield _row("mated: FNM-EDC from its order", own, own, f"{mated.steps:,} steps of 500,000 comparisons")
    for what, call in (
        ("the order of 500,000 mated comparisons", lambda: paired.order(name)),
        ("the order of all 1,000,000 comparisons", lambda: paired.order(name, mated=None)),
        ("CS-DC, mean mated score", lambda: mean_score_curve(mated)),
        ("d′-DC", lambda: d_prime_curve(both)),
    ):
        yield _row(f"mated: {what}", best_cpu_time(call), own, "")


def _fixed_counterpart(paired: PairQualities) -> Iterator[Row]:
    order = paired.order(*paired.algorithms, mated=None)
    own = best_cpu_time(lambda: fixed_counterpart_curve(order, 1e-3), repeats=3)
    remark = f"{order.steps:,} steps of 1,000,000 comparisons, in order before; compilation not counted"
    yield _row("mated: order statistics in two Fenwick trees", own, own, remark)
    seconds, expected = cpu_time(lambda: _fixed_fmr_by_hand(order, 1e-3, 20))
    _same("the loop", expected, fixed_counterpart_curve(order, 1e-3).value[: len(expected)])
    yield _row(
        "NumPy: np.partition of what is kept at each step, in a loop",
        seconds * order.steps / len(expected),
        own,
        f"{len(expected)} steps run, their time × {order.steps // len(expected):,}",
    )


def _fixed_fmr_by_hand(order: DiscardOrder, rate: float, steps: int) -> np.ndarray:
    """FNMR at a fixed FMR at the first steps, ties interpolated, every time from all comparisons kept."""
    values = []
    kept = np.ones(order.total, dtype=bool)
    for step in range(steps):
        kept[order.position[: order.discarded[step]]] = False
        mated, nonmated = (order.all_scores[kept & flags] for flags in (order.all_mated, ~order.all_mated))
        place = int(np.ceil(round(rate * len(nonmated), 6)))
        threshold = np.partition(nonmated, len(nonmated) - place)[len(nonmated) - place]
        above, reached = (nonmated > threshold).sum(), (nonmated >= threshold).sum()
        low, high = (mated > threshold).sum(), (mated >= threshold).sum()
        share = (rate * len(nonmated) - above) / (reached - above)
        values.append(1 - (low + (high - low) * share) / len(mated))
    return np.array(values)


def _row(what: str, seconds: float, own: float, remark: str) -> Row:
    time = f"{seconds:,.1f} s" if seconds >= 2 else f"{1e3 * seconds:,.1f} ms"
    ratio = seconds / own
    return what, time, f"{ratio:,.0f}×" if ratio >= 100 else f"{ratio:.2g}×" if ratio < 1 else f"{ratio:.1f}×", remark


if __name__ == "__main__":
    for section in _measured():
        print(json.dumps(section), flush=True)
