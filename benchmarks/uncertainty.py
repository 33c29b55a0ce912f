"""Standard errors and intervals: the exact two-sample bootstrap, and the subject bootstrap.

Everything runs on one thread, in a process of its own whose libraries are told so.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import mated
from benchmarks import scores
from benchmarks.plain import NaiveSubjects, TwoSamples
from benchmarks.timing import best_cpu_time, cpu_time, peak_memory
from mated.scores import Tally
from mated.scores.subject_pairs import SubjectPairs
from mated.uncertainty import pigeonhole
from mated.uncertainty.independent import draw_at_fmr, draw_eer
from mated.uncertainty.replicates import Replicates, threshold_interval

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["INTRODUCTION", "PACKAGES", "sections"]

Row = tuple[str, str, str, str]

PACKAGES = ("mated", "numpy", "scipy", "numba")
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
B = 2000
FMR = 1e-3
FMRS = (1e-3, 1e-2)
NAIVE = 10
SPARSE = 100
INTRODUCTION = f"""Everything here runs on one thread (also in OpenBLAS and Numba), and times are processor times.
The bootstrap of Wu (2008) is timed on four statistics: TMR and threshold at FMR {FMR:g}, EER and its threshold, each
with its standard error and 95 % percentile interval. `mated` gets a new seed in every call, and the best of many is
given; what takes long is run once. The remarks show the four standard errors that came out, in this order; the
benchmark stops where one is more than 15 % off (50 % where {SPARSE} replicates were run). Multinomial counts cost more
the more distinct scores there are; resampling costs more the more comparisons there are; exact draws hardly depend
on either.
"""
KINDS = {"integers": "integers", "fine_integers": "integers in fine steps", "continuous": "continuous float64"}


def sections() -> Iterator[tuple[str, list[Row]]]:
    """Yield a title and its rows: what, time, ratio to mated, remark; measured in a process with one thread."""
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.uncertainty"],
        cwd=Path(__file__).resolve().parents[1],
        env=os.environ | ONE_THREAD,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        for line in process.stdout:
            title, rows = json.loads(line)
            yield title, [tuple(row) for row in rows]
    if process.returncode:
        raise SystemExit(f"the benchmark of uncertainty failed with code {process.returncode}")


def _measured() -> Iterator[tuple[str, list[Row]]]:
    for kind, words in KINDS.items():
        pair = getattr(scores, kind)()
        seen = len(np.unique(np.concatenate(pair)))
        title = f"Bootstrap of Wu (2008), B = {B:,}: 60,000 mated + 120,000 non-mated {words}, {seen:,} distinct"
        yield title, list(_two_samples(pair))
    title = "The same from tallies of more and more comparisons at 1,000 whole-number scores"
    yield title, list(_sizes(scores.histogram, (10**5, 10**6, 10**7, 10**8)))
    title = "The same from tallies of more and more distinct continuous scores"
    yield title, list(_sizes(scores.distinct, (10**5, 10**6, 10**7)))
    title = f"Subject bootstrap, B = {B:,}: 300 subjects × 10 samples, 13,500 mated + 4,485,000 non-mated comparisons"
    yield title, list(_subjects())


# -- two samples -----------------------------------------------------------------------------------


def wu2008(tally: Tally, seed: int) -> list[tuple[float, tuple[float, float]]]:
    """Return standard error and percentile interval of TMR and threshold at the FMR, EER and its threshold."""
    tmr, at_fmr = draw_at_fmr(tally, [FMR], replicates=B, seed=seed)
    eer, at_eer = draw_eer(tally, replicates=B, seed=seed)
    results = []
    for values, is_threshold in ((tmr[:, 0], False), (at_fmr[:, 0], True), (eer, False), (at_eer, True)):
        replicates = Replicates(values, 0.0)
        ends = replicates.percentile_interval(0.95)
        results.append((replicates.standard_error, threshold_interval(ends, tally) if is_threshold else ends))
    return results


def through_verify(*data) -> None:
    """Give the same by the way users go, with the estimates themselves."""
    bootstrap = mated.verify(*data).bootstrap(B, rng=7)
    bootstrap.at_fmr(FMR)
    bootstrap.eer()


def _two_samples(pair) -> Iterator[Row]:
    tally = Tally.from_scores(*pair)
    plain = TwoSamples(*pair, FMR)
    _ = plain.counts  # made once, as the tally is
    seeds = itertools.count()
    own = best_cpu_time(lambda: wu2008(tally, next(seeds)), repeats=50)
    se = np.array([result[0] for result in wu2008(tally, 7)])
    yield _row("mated: exact draws from a built Tally", own, own, _errors(se))
    counted = best_cpu_time(lambda: wu2008(Tally.from_scores(*pair), next(seeds)), repeats=20)
    yield _row("mated: the same from the two arrays, the Tally built each time", counted, own, "")
    whole = best_cpu_time(lambda: through_verify(*pair), repeats=20)
    remark = "estimates included, EER by five definitions, cautions"
    yield _row("mated: verify(mated, nonmated).bootstrap(), at_fmr and eer", whole, own, remark)

    def row(what: str, call, replicates: int = B) -> Row:
        seconds, found = cpu_time(lambda: call(replicates=replicates, seed=1))
        if not np.allclose(found.se, se, rtol=0.15 if replicates == B else 0.5):
            raise SystemExit(f"{what}: standard errors {found.se}, and ours are {se}")
        how = f"{B:,} replicates run once"
        if replicates < B:
            how = f"{replicates} replicates run, their time × {B // replicates}"
        return _row(what, seconds * B / replicates, own, f"{_errors(found.se)}; {how}")

    yield row(
        "scipy.stats.bootstrap, twice: TMR by np.partition, EER by np.sort and np.searchsorted",
        lambda **o: plain.scipy(plain.tmr_by_partition, plain.eer_by_sorting, **o),
    )
    yield row(
        "scipy.stats.bootstrap, once: all four statistics from one np.sort",
        lambda **o: plain.scipy(plain.all_by_sorting, **o),
    )
    if plain.whole:
        yield row(
            "scipy.stats.bootstrap, once: all four statistics from np.bincount",
            lambda **o: plain.scipy(plain.all_by_counting, **o),
        )
    few = len(plain.grid) < 10_000
    yield row("NumPy: Generator.multinomial on the counts, np.cumsum", plain.multinomial, B if few else SPARSE)


def _sizes(make, sizes: tuple[int, ...]) -> Iterator[Row]:
    own = None
    for size in sizes:
        tally, seeds = make(size), itertools.count()
        seconds = best_cpu_time(lambda tally=tally, seeds=seeds: wu2008(tally, next(seeds)), repeats=50)
        own = own or seconds
        remark = f"{len(tally.scores):,} distinct scores"
        yield _row(f"mated: {size:,} comparisons, a tenth of them mated", seconds, own, remark)


def _errors(se: np.ndarray) -> str:
    return "SE " + ", ".join(f"{value:.3g}" for value in se)


# -- subjects --------------------------------------------------------------------------------------


def people() -> SubjectPairs:
    """Build the pairs of subjects that are resampled."""
    return SubjectPairs.of(scores.people())


def with_threshold(pairs: SubjectPairs) -> tuple[SubjectPairs, float]:
    """Add the threshold at which rates are asked for, that of FMR 1e-3."""
    return pairs, float(pairs.score[int(FMR * pairs.n_nonmated)])


def prepared() -> tuple[SubjectPairs, float]:
    """Build both."""
    return with_threshold(people())


def by_subject(data: tuple[SubjectPairs, float], seed: int = 7) -> list[tuple[float, tuple[float, float]]]:
    """Return standard error and percentile interval of all statistics, the drawing of subjects included."""
    pairs, threshold = data
    values = _replicates(pairs, pigeonhole.draw_weights(pairs.n_subjects, B, seed), threshold)
    replicates = [Replicates(column, 0.0) for column in values]
    return [(r.standard_error, r.percentile_interval(0.95)) for r in replicates]


def _replicates(pairs: SubjectPairs, weights: np.ndarray, threshold: float) -> list[np.ndarray]:
    fmr, fnmr = pigeonhole.at_threshold(pairs, weights, [threshold])
    tmr, _ = pigeonhole.at_fmr(pairs, weights, FMRS)
    rate, _ = pigeonhole.eer(pairs, weights, None)
    return [fmr[:, 0], fnmr[:, 0], *(1 - tmr.T), rate]


def _subjects() -> Iterator[Row]:
    first, memory = _from_scratch()
    comparisons = scores.people()
    pairs, threshold = data = with_threshold(SubjectPairs.of(comparisons))
    weights = pigeonhole.draw_weights(pairs.n_subjects, B, 7)
    seeds = itertools.count()
    own = best_cpu_time(lambda: by_subject(data, next(seeds)))
    yield _row(
        f"mated: all four together: FMR and FNMR at a threshold, FNMR at FMR {FMRS[0]:g} and {FMRS[1]:g}, EER",
        own,
        own,
        f"drawing subjects, standard errors and intervals included, compilation and SubjectPairs not; "
        f"at most {memory / 1e6:.0f} MB of NumPy arrays beyond the pairs",
    )
    for what, call in (
        ("drawing subjects", lambda: pigeonhole.draw_weights(pairs.n_subjects, B, next(seeds))),
        ("FMR and FNMR at a threshold", lambda: pigeonhole.at_threshold(pairs, weights, [threshold])),
        (f"FNMR at FMR {FMRS[0]:g}", lambda: pigeonhole.at_fmr(pairs, weights, FMRS[:1])),
        (f"FNMR at FMR {FMRS[1]:g}", lambda: pigeonhole.at_fmr(pairs, weights, FMRS[1:])),
        ("EER", lambda: pigeonhole.eer(pairs, weights, None)),
    ):
        yield _row(f"mated: {what} alone", best_cpu_time(call), own, "")
    yield _row(
        "mated: SubjectPairs of the table, once for all",
        best_cpu_time(lambda: SubjectPairs.of(comparisons), repeats=2),
        own,
        "",
    )
    yield _row(
        "mated: all four, the first time ever",
        first,
        own,
        "wall time in a fresh process; Numba compiles, and keeps the result on disk",
    )
    naive = NaiveSubjects(pairs)
    naive.replicate(weights[0].astype(np.int64), threshold, FMRS)
    seconds, found = cpu_time(lambda: [naive.replicate(w, threshold, FMRS) for w in weights[:NAIVE].astype(np.int64)])
    expected = np.transpose(_replicates(pairs, weights[:NAIVE], threshold))
    if not np.allclose(found, expected, rtol=1e-9, atol=0):
        raise SystemExit("the subject bootstrap and the loop over replicates do not agree")
    yield _row(
        "NumPy: all four in a loop; weigh and np.cumsum all comparisons, sorted before",
        seconds * B / NAIVE,
        own,
        f"{NAIVE} replicates run, their time × {B // NAIVE}; the same numbers as mated's in each",
    )


def _from_scratch() -> tuple[float, float]:
    """Return the seconds of a first call without Numba's cache, and the peak memory of a second."""
    with tempfile.TemporaryDirectory() as empty:
        os.environ["NUMBA_CACHE_DIR"] = empty
        try:
            return peak_memory(prepared, by_subject)
        finally:
            del os.environ["NUMBA_CACHE_DIR"]


def _row(what: str, seconds: float, own: float, remark: str) -> Row:
    time = f"{seconds:,.1f} s" if seconds >= 2 else f"{1e3 * seconds:,.1f} ms"
    ratio = seconds / own
    return what, time, f"{ratio:,.0f}×" if ratio >= 100 else f"{ratio:.2g}×" if ratio < 1 else f"{ratio:.1f}×", remark


if __name__ == "__main__":
    for section in _measured():
        print(json.dumps(section), flush=True)
