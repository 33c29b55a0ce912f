"""Files larger than memory: EER and TMR at five false match rates from Parquet, against reading, sorting and peers.

Every row is measured in a process of its own, whose peak memory is that of the whole process. `python -m benchmarks
scale` writes the tables, with `--billion` up to 10^9 comparisons, which take 5 GB on disk while it runs; `python -m
benchmarks.scale` prints them. MATED_BENCHMARK_ROWS sets the largest size (10^8, as a decimal number).
"""

from __future__ import annotations

import atexit
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["INTRODUCTION", "PACKAGES", "sections"]

Row = tuple[str, str, str, str]

PACKAGES = ("mated", "numpy", "numba", "polars", "scikit-learn", "duckdb", "distributed")
FMRS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
B = 2000
PART = 10**7
WARM_UP = 10**6
LARGEST = int(float(os.environ.get("MATED_BENCHMARK_ROWS", "1e8")))
PEERS_UP_TO = 10**8
INTRODUCTION = f"""Continuous float32 scores, a tenth of them mated, lie in Parquet files of up to {PART:,} rows.
Times are processor times of all threads: the best of three runs, or one of what takes long, after a small one that
compiles and imports. "Peak" is the largest resident memory of the process, libraries included. What is compared gives
the EER, and TMR and threshold at {len(FMRS)} false match rates; the benchmark stops where the streamed numbers are not
those of all scores in memory. When it began, {os.getloadavg()[0]:.1f} other processes were running on average: they
leave processor times nearly as they are, and make wall times longer.
"""


def sections() -> Iterator[tuple[str, list[Row]]]:
    """Yield a title and its rows: what, time, ratio to mated, remark."""
    sizes = [size for size in (10**6, 10**7, 10**8, 10**9) if size <= LARGEST]
    with tempfile.TemporaryDirectory(prefix="mated-scale-") as folder:
        root = Path(folder)
        for size in (10**5, *sizes):
            _write(root / str(size), size)
        compared = min(sizes[-1], PEERS_UP_TO)
        yield f"EER and TMR at five FMRs from {compared:,} float32 scores in Parquet", list(_peers(root, compared))
        yield "The same from more and more scores", list(_growth(root, sizes))
        title = f"Intervals from the streamed tally: TMR at five FMRs and EER, B = {B:,}"
        yield title, list(_bootstrap(root, [10**5, *sizes]))
        title = f"{compared:,} comparisons counted by Dask's worker processes on the same machine"
        yield title, list(_cluster(root, compared))


# -- the data ------------------------------------------------------------------------------------------


def _write(folder: Path, size: int) -> None:
    """Write scores part by part, so that no more than one part is ever held."""
    import polars as pl

    folder.mkdir()
    for number, begin in enumerate(range(0, size, PART)):
        rng = np.random.default_rng([size, number])
        rows = min(PART, size - begin)
        mated = rng.random(rows, dtype=np.float32) < 0.1
        score = rng.standard_normal(rows, dtype=np.float32)
        score += 3 * mated
        pl.DataFrame({"score": score, "mated": mated}).write_parquet(folder / f"part{number:03}.parquet")


def _arrays(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    import polars as pl

    frame = pl.read_parquet(folder / "*.parquet").rechunk()
    return frame["score"].to_numpy(), frame["mated"].to_numpy()


# -- what is measured, each in its own process -----------------------------------------------------------


def _read(folder: Path) -> None:
    import polars as pl

    pl.read_parquet(folder / "*.parquet", columns=["score", "mated"])


def _streamed(sources, *, replicates: bool):
    from mated.engine import Points, stream_tally

    return stream_tally(sources, Points(FMRS, replicates=replicates))


def _numbers(tally) -> list[float]:
    from mated.verification import at_fmr, equal_error_rate

    eer = equal_error_rate(tally)
    points = [at_fmr(tally, f) for f in FMRS]
    return [*eer.by_definition.values(), eer.threshold, *(p.tmr for p in points), *(p.threshold for p in points)]


def _sources(folder: Path):
    from mated.engine import from_parquet

    return [from_parquet(path) for path in sorted(folder.iterdir())]


def _stream(folder: Path) -> list[float]:
    return _numbers(_streamed(_sources(folder), replicates=False).tally)


def _stream_for_intervals(folder: Path) -> list[float]:
    return _numbers(_streamed(_sources(folder), replicates=True).tally)


def _from_arrays(data: tuple[np.ndarray, np.ndarray]) -> list[float]:
    from mated.engine import from_arrays

    return _numbers(_streamed(from_arrays(*data), replicates=False).tally)


def _in_memory(data: tuple[np.ndarray, np.ndarray]) -> list[float]:
    from mated.scores import Tally

    score, mated = data
    return _numbers(Tally.from_scores(score[mated], score[~mated]))


def _sort(data: tuple[np.ndarray, np.ndarray]) -> None:
    np.sort(data[0])


def _sort_and_search(data: tuple[np.ndarray, np.ndarray]) -> list[float]:
    """Give thresholds and TMR at the rates by sorting both classes; the EER by bisection would cost nothing more."""
    score, mated = data
    genuine, impostor = np.sort(score[mated]), np.sort(score[~mated])
    thresholds = impostor[[len(impostor) - math.ceil(f * len(impostor)) for f in FMRS]]
    return list(1 - np.searchsorted(genuine, thresholds) / len(genuine))


def _scikit_learn(data: tuple[np.ndarray, np.ndarray]) -> list[float]:
    from sklearn.metrics import roc_curve

    fmr, tmr, _ = roc_curve(data[1], data[0])
    nearest = int(np.argmin(np.abs(fmr - (1 - tmr))))
    return [float((fmr[nearest] + 1 - tmr[nearest]) / 2), *np.interp(FMRS, fmr, tmr)]


def _histogram(data: tuple[np.ndarray, np.ndarray]) -> list[float]:
    """Give EER and TMR at the rates from 2^16 bins of equal width."""
    score, mated = data
    low, high = float(score.min()), float(score.max())
    bins = ((score - np.float32(low)) * np.float32(65535 / (high - low))).astype(np.uint16)
    counts = [np.bincount(bins[flag], minlength=1 << 16)[::-1].cumsum() for flag in (mated, ~mated)]
    return _rates(*counts)


def _duckdb(folder: Path) -> list[float]:
    """Give EER and TMR at the rates from 2^16 bins of equal width, counted by DuckDB while it reads."""
    import duckdb

    files = f"read_parquet('{folder}/*.parquet')"
    with duckdb.connect() as base:
        low, high = base.execute(f"SELECT min(score), max(score) FROM {files}").fetchone()
        bins = f"least(65535, floor((score - {low}) * {65536 / (high - low)}))::INTEGER"
        query = f"SELECT {bins} AS bin, count(*) FILTER (mated), count(*) FILTER (NOT mated) FROM {files} GROUP BY bin"
        rows = base.execute(f"{query} ORDER BY bin DESC").fetchnumpy()
    mated, nonmated = (np.asarray(counts).cumsum() for counts in list(rows.values())[1:])
    return _rates(mated, nonmated)


def _rates(mated: np.ndarray, nonmated: np.ndarray) -> list[float]:
    tmr, fmr = mated / mated[-1], nonmated / nonmated[-1]
    nearest = int(np.argmin(np.abs(fmr - (1 - tmr))))
    return [float((fmr[nearest] + 1 - tmr[nearest]) / 2), *np.interp(FMRS, fmr, tmr)]


def _on_cluster(workers: int) -> tuple[Callable[[Path], list[float]], Callable[[], float]]:
    """Count on worker processes of this machine, started before; also return a clock of their processor times."""
    from mated.engine import DaskRunner, Points, stream_tally

    runner = DaskRunner(workers=workers)
    runner.client.wait_for_workers(workers)
    atexit.register(runner.close)

    def call(folder: Path) -> list[float]:
        return _numbers(stream_tally(_sources(folder), Points(FMRS, replicates=False), runner=runner).tally)

    return call, lambda: time.process_time() + sum(runner.client.run(time.process_time).values())


def _two_passes(folder: Path) -> list[float]:
    """Count here as a cluster does: a pass for the bins, and one for the scores in some of them."""
    from mated.engine import LocalRunner, Points, stream_tally

    return _numbers(stream_tally(_sources(folder), Points(FMRS, replicates=False), runner=LocalRunner()).tally)


def _draw(folder: Path) -> Callable[[], None]:
    from mated.uncertainty.independent import draw_at_fmr, draw_eer

    tally = _streamed(_sources(folder), replicates=True).tally

    def draw() -> None:
        draw_at_fmr(tally, FMRS, replicates=B, seed=7)
        draw_eer(tally, replicates=B, seed=7)

    return draw


FROM_FILES = {
    "read": _read,
    "stream": _stream,
    "intervals": _stream_for_intervals,
    "duckdb": _duckdb,
    "two passes": _two_passes,
}
FROM_ARRAYS = {
    "arrays": _from_arrays,
    "memory": _in_memory,
    "sort": _sort,
    "sorted": _sort_and_search,
    "scikit-learn": _scikit_learn,
    "histogram": _histogram,
}


def _child(what: str, small: Path, folder: Path, repeats: int) -> dict:
    """Measure one thing: after a small run, the best processor and wall time, the peak memory and the numbers."""
    clock = time.process_time
    if what in FROM_FILES:
        call, prepare = FROM_FILES[what], lambda path: path
    elif what in FROM_ARRAYS:
        call, prepare = FROM_ARRAYS[what], _arrays
    elif what.startswith("cluster"):
        (call, clock), prepare = _on_cluster(int(what.removeprefix("cluster"))), lambda path: path
    else:
        call, prepare = (lambda draw: draw()), _draw
    call(prepare(small))
    data = prepare(folder)
    best, wall, numbers = float("inf"), float("inf"), None
    for _ in range(repeats):
        start, start_wall = clock(), time.perf_counter()
        numbers = call(data)
        best, wall = min(best, clock() - start), min(wall, time.perf_counter() - start_wall)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {
        "seconds": best,
        "wall": wall,
        "peak": peak,
        "numbers": None if numbers is None else list(map(float, numbers)),
    }


def _measure(what: str, root: Path, size: int, repeats: int = 3) -> dict:
    command = [
        sys.executable,
        "-m",
        "benchmarks.scale",
        what,
        str(root / str(WARM_UP)),
        str(root / str(size)),
        str(repeats),
    ]
    done = subprocess.run(
        command, cwd=Path(__file__).resolve().parents[1], stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"the benchmark of {what} failed with code {done.returncode}")
    return json.loads(done.stdout)


# -- tables ------------------------------------------------------------------------------------------------


def _peers(root: Path, size: int) -> Iterator[Row]:
    own = _measure("stream", root, size)
    eer, tmrs = own["numbers"][1], own["numbers"][6:11]
    read = _measure("read", root, size)
    times = f"{own['seconds'] / read['seconds']:.1f}× the reading"
    yield _row("mated: streamed from Parquet, numbers exact", own, own, times)
    yield _row("Polars: read the two columns, nothing else", read, own, "")
    with_intervals = _measure("intervals", root, size)
    yield _row("mated: the same, ready for exact bootstrap intervals", with_intervals, own, "")
    yield _row("mated: streamed from two arrays in memory", arrays := _measure("arrays", root, size), own, "")
    memory = _measure("memory", root, size, repeats=1)
    for found in (own, with_intervals, arrays):
        if found["numbers"] != memory["numbers"]:
            raise SystemExit(f"streamed {found['numbers']}, in memory {memory['numbers']}")
    yield _row("mated: Tally of the arrays in memory", memory, own, "all scores sorted; the same numbers, bit for bit")
    yield _row("NumPy: sort the scores, nothing else", _measure("sort", root, size, repeats=1), own, "")
    found = _measure("sorted", root, size, repeats=1)
    remark = f"TMR up to {_off(found['numbers'], tmrs):.1g} off: no ties; no EER"
    yield _row("NumPy: part and sort both classes, search", found, own, remark)
    for what, words in (
        ("duckdb", "DuckDB: histogram of 2^16 bins from Parquet"),
        ("histogram", "NumPy: histogram of 2^16 bins"),
        ("scikit-learn", "scikit-learn: roc_curve"),
    ):
        found = _measure(what, root, size, repeats=1)
        remark = f"EER {abs(found['numbers'][0] - eer):.1g} off, TMR up to {_off(found['numbers'][1:], tmrs):.1g}"
        yield _row(words, found, own, remark)


def _growth(root: Path, sizes: list[int]) -> Iterator[Row]:
    first = None
    for size in sizes:
        own = _measure("stream", root, size)
        first = first or own
        remark = f"{1e9 * own['seconds'] / size:.3g} ns a comparison; wall {own['wall']:.2g} s"
        yield _row(f"mated: {size:,} comparisons", own, first, remark)


def _bootstrap(root: Path, sizes: list[int]) -> Iterator[Row]:
    first = None
    for size in sizes:
        own = _measure("draw", root, size, repeats=20)
        first = first or own
        yield _row(f"mated: {size:,} comparisons", own, first, "after the passes")


def _cluster(root: Path, size: int) -> Iterator[Row]:
    """Processor times of this process and the workers; every row gives the same numbers."""
    first = None
    for what, words in (
        ("two passes", "mated: one process, the same two passes"),
        ("cluster1", "mated: one worker"),
        ("cluster2", "mated: two workers"),
    ):
        found = _measure(what, root, size)
        first = first or found
        if found["numbers"] != first["numbers"]:
            raise SystemExit(f"{words} {found['numbers']}, in one process {first['numbers']}")
        remark = f"wall {found['wall']:.2g} s"
        if what == "cluster1":
            remark += f"; {_sent(root / str(size)) / 1e6:.1f} MB are sent for a part of {min(size, PART):,}"
        yield _row(words, found, first, remark)


def _sent(folder: Path) -> int:
    """Bytes of what the first pass finds in a part."""
    import pickle

    from mated.engine import count

    return len(pickle.dumps(count(_sources(folder)[0]), protocol=pickle.HIGHEST_PROTOCOL))


def _off(found: list[float], expected: list[float]) -> float:
    return max(abs(a - b) for a, b in zip(found, expected, strict=True))


def _row(what: str, found: dict, own: dict, remark: str) -> Row:
    seconds, ratio = found["seconds"], found["seconds"] / own["seconds"]
    shown = f"{seconds:,.2f} s" if seconds >= 1 else f"{1e3 * seconds:,.0f} ms"
    peak = f"peak {found['peak'] / 1e6:,.0f} MB"
    return what, shown, f"{ratio:.2g}×" if ratio < 10 else f"{ratio:.0f}×", f"{peak}; {remark}" if remark else peak


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asked, small_folder, large_folder, times = sys.argv[1:]
        print(json.dumps(_child(asked, Path(small_folder), Path(large_folder), int(times))))
    else:
        for heading, rows in sections():
            print(heading, flush=True)
            for line in rows:
                print("  ", *line, sep=" | ", flush=True)
