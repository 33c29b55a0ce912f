"""Ranks: every probe of a large matrix or table against the whole gallery.

Everything runs on one thread, in a process of its own whose libraries are told so. The environment of the peers reads
this too, and has no `mated`.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.peers import PEERS, ROOT
from benchmarks.timing import best_cpu_time, cpu_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mated.scores import Comparisons, Ranks, ScoreMatrix

__all__ = ["INTRODUCTION", "PACKAGES", "sections"]

Row = tuple[str, str, str, str]

PACKAGES = ("mated", "numpy", "numba")
SIZE = 10_000
REFERENCES = 10
SKILL = 5.0
PART = 1000
INTRODUCTION = f"""Command: `python -m benchmarks identification`. Everything here runs on one thread, and times are
processor times, compilation excluded. A search gives the mate's rank with its ties, its score and the best other score.
`matrix.sum()` of NumPy reads every score once and stands for the least a search can cost. What takes long was run for
{PART:,} probes, and their time is multiplied; the benchmark stops where a rank found that way is not `mated`'s. Scores
are standard normal, mated ones {SKILL:g} higher (or as said, or not at all where a system without skill is searched).
"""


def sections() -> Iterator[tuple[str, list[Row]]]:
    """Yield a title and its rows: what, time, ratio to mated, remark; measured in a process with one thread."""
    from benchmarks.uncertainty import ONE_THREAD

    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.identification"],
        cwd=ROOT,
        env=os.environ | ONE_THREAD,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        for line in process.stdout:
            title, rows = json.loads(line)
            yield title, [tuple(row) for row in rows]
    if process.returncode:
        raise SystemExit(f"the benchmark of identification failed with code {process.returncode}")


def _measured() -> Iterator[tuple[str, list[Row]]]:
    size = f"{SIZE:,} probes × {SIZE:,} references, float32"
    yield f"Ranks of {size}, one reference a subject", list(_one_reference())
    yield f"Ranks of {size}, {REFERENCES} references a subject", list(_several_references())
    yield f"Ranks of a table of {PART * SIZE:,} comparisons, in any order", list(_table())


# -- data ------------------------------------------------------------------------------------------


def scores(references: int = 1, skill: float = SKILL, rows: int = SIZE) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores, the subject of each row and the subject of each column; subjects come in no order among the columns."""
    rng = np.random.default_rng([SIZE, references])
    reference = rng.permutation(SIZE // references).repeat(references)
    probe = rng.integers(0, SIZE // references, SIZE)[:rows]
    values = rng.standard_normal((rows, SIZE), dtype=np.float32)
    columns = np.argsort(reference, kind="stable").reshape(-1, references)
    values[np.arange(rows)[:, None], columns[probe]] += np.float32(skill)
    return values, probe, reference


def matrix(references: int = 1, skill: float = SKILL, **options) -> ScoreMatrix:
    """The same as a layout."""
    from mated.scores import ScoreMatrix

    return ScoreMatrix.from_arrays(*scores(references, skill), **options)


def table() -> Comparisons:
    """The first probes as a table whose rows are in no order."""
    from mated.scores import Comparisons, PairIds

    values, probe, reference = scores(rows=PART)
    row, column = np.divmod(np.random.default_rng(1).permutation(values.size), SIZE)
    subjects = PairIds(probe[row], reference[column], tuple(map(str, range(SIZE))))
    samples = PairIds(row, PART + column, tuple(map(str, range(PART + SIZE))))
    return Comparisons(values[row, column], subjects.same, subjects, samples)


# -- measurements ----------------------------------------------------------------------------------


def _one_reference() -> Iterator[Row]:
    from mated.scores import ScoreMatrix, rank

    layout = matrix()
    ranks = rank(layout)
    own = best_cpu_time(lambda: rank(layout), repeats=15)
    memory = _memory_beyond(_warm, rank)
    share = memory / layout.scores.nbytes
    yield _row(
        "mated: rank", own, own, f"{_rank_one(ranks)}; {memory / 1e6:.1f} MB beyond the matrix, {share:.1%} of it"
    )
    plain = best_cpu_time(layout.scores.sum, repeats=15)
    yield _row("NumPy: matrix.sum()", plain, own, f"a search costs {own / plain:.2f} sums")
    mask = np.random.default_rng(2).random(layout.scores.shape) < 0.9
    ids = layout.subjects.probe, layout.subjects.reference
    for what, other in (
        ("float64", ScoreMatrix.from_arrays(layout.scores.astype(np.float64), *ids)),
        ("distances", ScoreMatrix.from_arrays(-layout.scores, *ids, dissimilarity=True)),
        ("a tenth of the entries masked", ScoreMatrix.from_arrays(layout.scores, *ids, mask=mask)),
        ("a system without skill", matrix(skill=0)),
    ):
        remark = _rank_one(rank(other))
        yield _row(f"mated: rank, {what}", best_cpu_time(lambda other=other: rank(other)), own, remark)
    seconds, found = cpu_time(lambda: _places_by_sorting(layout, PART))
    _check(ranks, found)
    yield _row("NumPy: np.argsort of every row, the place of the mate", seconds * SIZE / PART, own, _times(PART))
    yield _peer(ranks, own, "float32")
    yield _peer(ranks, own, "float64")


def _several_references() -> Iterator[Row]:
    from mated.scores import ScoreMatrix, rank

    layout = matrix(REFERENCES)
    ranks = rank(layout)
    own = best_cpu_time(lambda: rank(layout), repeats=15)
    yield _row("mated: rank", own, own, _rank_one(ranks))
    plain = best_cpu_time(layout.scores.sum, repeats=15)
    yield _row("NumPy: matrix.sum()", plain, own, f"a search costs {own / plain:.2f} sums")
    order = np.random.default_rng(3).permutation(SIZE)
    values, probe, reference = scores(REFERENCES)
    for what, other in (
        (
            "references in any order",
            ScoreMatrix.from_arrays(np.ascontiguousarray(values[:, order]), probe, reference[order]),
        ),
        ("mated scores 2.5 higher", matrix(REFERENCES, 2.5)),
        ("a system without skill", matrix(REFERENCES, 0)),
    ):
        remark = _rank_one(rank(other))
        yield _row(f"mated: rank, {what}", best_cpu_time(lambda other=other: rank(other)), own, remark)
    seconds, found = cpu_time(lambda: _places_by_best_references(layout, PART))
    _check(ranks, found)
    what = "NumPy: np.maximum.reduceat over each subject's references, np.argsort of every row"
    yield _row(what, seconds * SIZE / PART, own, _times(PART))


def _table() -> Iterator[Row]:
    from mated.scores import rank

    data = table()
    ranks = rank(data)
    own = best_cpu_time(lambda: rank(data), repeats=3)
    yield _row("mated: rank", own, own, _rank_one(ranks))
    seconds, found = cpu_time(lambda: _places_in_table(data))
    _check(ranks, found)
    yield _row("NumPy: one np.lexsort by probe and score, the place of the mate", seconds, own, "run once")


def _places_by_sorting(layout: ScoreMatrix, rows: int) -> np.ndarray:
    column = np.empty(SIZE, dtype=np.int64)
    column[layout.subjects.reference] = np.arange(SIZE)
    mates = column[layout.subjects.probe]
    places = [np.flatnonzero(np.argsort(-layout.scores[i]) == mates[i])[0] for i in range(rows)]
    return np.array(places)


def _places_by_best_references(layout: ScoreMatrix, rows: int) -> np.ndarray:
    starts = np.arange(0, SIZE, REFERENCES)
    place = np.empty(SIZE // REFERENCES, dtype=np.int64)
    place[layout.subjects.reference[starts]] = np.arange(len(starts))
    mates = place[layout.subjects.probe]
    places = []
    for i in range(rows):
        best = np.maximum.reduceat(layout.scores[i], starts)
        places.append(np.flatnonzero(np.argsort(-best) == mates[i])[0])
    return np.array(places)


def _places_in_table(data: Comparisons) -> np.ndarray:
    order = np.lexsort((-data.score, data.samples.probe))
    found = np.flatnonzero(data.mated[order])
    return found - np.arange(PART) * SIZE


def _check(ranks: Ranks, places: np.ndarray) -> None:
    """Stop where places from a plain sort, in which ties fall anywhere, are not within the ranks found."""
    above, tied = ranks.above[: len(places)], ranks.tied[: len(places)]
    if not ((above <= places) & (places <= above + tied)).all():
        raise SystemExit("the ranks and those of a plain sort do not agree")


# -- the peer --------------------------------------------------------------------------------------


def bob_measure(dtype: str) -> tuple[float, list[float]]:
    """bob.measure.cmc of the first probes, in the form it takes; returns the seconds and the first values."""
    import bob.measure

    values, probe, reference = scores(rows=PART)
    values, column = values.astype(dtype), np.argsort(reference)
    data = [(np.delete(row, column[who]), row[[column[who]]]) for row, who in zip(values, probe, strict=True)]
    return best_cpu_time(lambda: bob.measure.cmc(data)), bob.measure.cmc(data)[:5].tolist()


def _peer(ranks: Ranks, own: float, dtype: str) -> Row:
    name = f"bob.measure: cmc, {dtype}"
    done = None
    if PEERS.exists():
        command = [PEERS, "-m", "benchmarks.identification", "bob", dtype]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done is None or done.returncode:
        return name, "–", "–", "not installed; see make peers"
    seconds, cmc = json.loads(done.stdout.splitlines()[-1])
    reached = (ranks.above + ranks.tied)[:PART]  # there a tie counts against the mate
    if not np.allclose(cmc, [np.mean(reached < r) for r in range(1, 6)], rtol=0, atol=1e-12):
        raise SystemExit("the ranks and those of bob.measure do not agree")
    return _row(name, seconds * SIZE / PART, own, f"{_times(PART)}; ranks alone, scores split by probe before")


# -- memory ----------------------------------------------------------------------------------------


def _warm() -> ScoreMatrix:
    """Make the matrix, with everything loaded that a search needs."""
    from mated.scores.ranking import rank_rows

    layout = matrix()
    rank_rows(layout, 0, 10)
    return layout


def _highest(pipe, prepare, call) -> None:
    data = prepare()
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts anew
    before = _resident("VmHWM")
    call(data)
    pipe.send(_resident("VmHWM") - before)


def _resident(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith(field)).split()[1])


def _memory_beyond(prepare, call) -> int:
    """Bytes by which a process grows at most in a call: also what compiled code takes is in them."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_highest, args=(sender, prepare, call))
    process.start()
    sender.close()
    try:
        return receiver.recv()
    finally:
        process.join()


# -- rows ------------------------------------------------------------------------------------------


def _rank_one(ranks: Ranks) -> str:
    return f"rank-1 rate {np.mean(ranks.above == 0):.3f}"


def _times(part: int) -> str:
    return f"{part:,} probes run, their time × {SIZE // part}"


def _row(what: str, seconds: float, own: float, remark: str) -> Row:
    time = f"{seconds:,.2f} s" if seconds >= 1 else f"{1e3 * seconds:,.1f} ms"
    ratio = seconds / own
    return what, time, f"{ratio:,.0f}×" if ratio >= 100 else f"{ratio:.2g}×" if ratio < 1 else f"{ratio:.1f}×", remark


if __name__ == "__main__":
    if sys.argv[1:2] == ["bob"]:
        print(json.dumps(bob_measure(sys.argv[2])))
    else:
        for section in _measured():
            print(json.dumps(section), flush=True)
