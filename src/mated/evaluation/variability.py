"""The bootstrap's own variability: how much its intervals change from run to run, and how many replicates are enough.

A bootstrap with B replicates is repeated R times on the same data. The spread of its standard errors and of its
interval ends over the runs shows what the random draws alone contribute. For a statistic that is nearly normal the
standard error has a relative spread of about 1/√(2B), and the ends of a 95 % percentile interval one of about 0.68/√B
of its width.

Reference: Wu (2008), section 3.4, and the study of 500 runs of 2000 replicates it rests on.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import ceil, floor, isfinite
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mated.errors import MatedError
from mated.evaluation.html import table_html
from mated.evaluation.resampling import IndependentResampling, SubjectResampling
from mated.uncertainty.cautions import on_dependence
from mated.uncertainty.replicates import Replicates, exact_level
from mated.uncertainty.streams import BLOCK, seed_of
from mated.verification.rates import exact_rate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from mated.evaluation.verification import Verification

    Floats = NDArray[np.float64]

__all__ = ["RULE", "Repeated", "Spread", "Variability", "variability"]

RULE = "the standard deviation of both interval ends over runs is at most this share of the interval's width"
"""When a number of replicates is enough."""

_CHUNK = 20 * BLOCK  # replicates drawn before progress is told
_FEWEST_RUNS = 10

Statistic = Literal["tmr", "eer"]


@dataclass(frozen=True)
class Spread:
    """A number over runs: its mean, standard deviation, the range that holds 95 % of runs, and sd / |mean|."""

    mean: float
    sd: float
    low: float
    high: float
    relative: float | None


@dataclass(frozen=True)
class Repeated:
    """What runs of B replicates gave for one statistic.

    Attributes
    ----------
    statistic
        "tmr" at the false match rate, or "eer".
    replicates, runs
        B, and how often a bootstrap of so many was run.
    se, low, high
        The standard error and the interval ends over the runs.
    width
        The mean width of the interval.
    ends_to_width
        The larger standard deviation of the two ends, as a share of the width; 0 where the ends never move.
    """

    statistic: Statistic
    replicates: int
    runs: int
    se: Spread
    low: Spread
    high: Spread
    width: float
    ends_to_width: float


@dataclass(frozen=True, repr=False)
class Variability:
    """How much bootstrap intervals of one system change from run to run.

    Attributes
    ----------
    results
        One for each statistic and number of replicates.
    enough
        The fewest replicates, of those tried, at which `rule` holds for every statistic; None where none is enough.
    tolerance
        The share in the rule.
    """

    name: str
    fmr: float
    level: float
    seed: int
    method: Literal["independent comparisons", "subject-level"]
    intervals: dict[Statistic, str]
    results: tuple[Repeated, ...]
    enough: int | None
    tolerance: float
    notes: tuple[str, ...] = ()

    def worst(self, replicates: int) -> Repeated:
        """Return the statistic whose interval ends move most with so many replicates."""
        return max((r for r in self.results if r.replicates == replicates), key=lambda r: r.ends_to_width)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        most = max(r.replicates for r in self.results)
        worst = self.worst(most if self.enough is None else self.enough)
        moves = (
            f"over {worst.runs} runs the ends of the {100 * self.level:g}\u00a0% intervals have a standard deviation "
            f"of up to {100 * worst.ends_to_width:.2g}\u00a0% of the width"
        )
        allowed = f"{100 * self.tolerance:g}\u00a0% is allowed"
        if self.enough is not None:
            return f"B = {self.enough} is enough: {moves}; {allowed}."
        needed = most * (worst.ends_to_width / self.tolerance) ** 2
        about = int(float(f"{needed:.1e}")) if isfinite(needed) else most
        return f"B = {most} is not enough: {moves}; {allowed}, which takes about B = {about}."

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers and texts."""
        return {**asdict(self), "rule": RULE, "results": [asdict(r) for r in self.results], "notes": list(self.notes)}

    def to_frame(self) -> pl.DataFrame:
        """One row for each statistic and number of replicates, as a Polars frame."""
        import polars as pl

        return pl.DataFrame(
            [
                {
                    "statistic": r.statistic,
                    "replicates": r.replicates,
                    "runs": r.runs,
                    **{
                        f"{end}_{field}": value
                        for end in ("se", "low", "high")
                        for field, value in asdict(getattr(r, end)).items()
                    },
                    "width": r.width,
                    "ends_to_width": r.ends_to_width,
                }
                for r in self.results
            ]
        )

    def __repr__(self) -> str:
        return f"Variability({self.name!r}: {self.sentence})"

    def _repr_html_(self) -> str:
        return table_html(self.to_frame(), caption=self.sentence)


def variability(
    verification: Verification,
    *,
    fmr: float | None = None,
    replicates: Sequence[int] = (500, 1000, 2000, 5000),
    runs: int = 500,
    rng: int | np.random.Generator | None = None,
    level: float = 0.95,
    tolerance: float = 0.02,
    intervals: Literal["auto", "iid", "subject"] = "auto",
    seconds: float | None = 10.0,
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Variability:
    """Repeat the bootstrap of TMR at an FMR and of the EER, and say how many replicates are enough.

    The intervals are those of `Verification.bootstrap`: percentile intervals, for the EER with subjects resampled the
    logit-t interval from the standard error. Where errors are so few that it widens them by Clopper–Pearson, that is
    left out, as it does not depend on the draws.

    Parameters
    ----------
    fmr
        By default the lowest power of ten that the data support.
    replicates
        The numbers B to try. Smaller ones use the same draws as the largest, cut into shorter runs.
    runs
        Runs of each B; 500 as in the study behind Wu (2008).
    level
        Of the intervals.
    tolerance
        B is enough if the standard deviation of both ends is at most this share of the width.
    intervals
        "auto" resamples subjects where they are known.
    seconds
        Where all runs would take longer, by a rule of thumb that looks at sizes and not at the clock, there are fewer
        of the largest B (ten at least), and a note says so; None for no limit.
    progress
        Is told how many replicates are drawn, of how many.
    """
    sizes = _checked(replicates, runs, tolerance)
    exact_level(level)
    rate = verification.fmr_targets[-1] if fmr is None else fmr
    expected = exact_rate(rate, "a false match rate") * verification.tally.n_nonmated
    if expected < 1:
        raise MatedError(
            f"{verification.name}: with {verification.tally.n_nonmated} non-mated comparisons there is no interval at "
            f"an FMR of {rate:g}; the lowest they can speak of is {1 / verification.tally.n_nonmated:.1g}"
        )
    if intervals not in ("auto", "iid", "subject"):
        raise MatedError(f"intervals are 'auto', 'iid' or 'subject' here, not {intervals!r}")
    by_subject = intervals == "subject" or (intervals == "auto" and verification.n_subjects is not None)
    if by_subject:
        _ = verification.subject_pairs  # say what is missing before anything is drawn
    seed, pool = seed_of(rng), runs * max(sizes)
    affordable = pool if seconds is None else int(seconds / _cost(verification, rate, by_subject=by_subject))
    notes = []
    if pool > affordable:
        pool = max(affordable, min(_FEWEST_RUNS, runs) * max(sizes))
        fewer = ", ".join(f"{pool // b} of B = {b}" for b in sizes if pool // b < runs)
        if fewer:
            notes.append(f"fewer runs than {runs}, so that it takes about {seconds:g} s: {fewer}")
    presumed = on_dependence(verification.n_subjects, resampled=by_subject)
    drawn = _draw(verification, rate, pool, seed, threads, progress, by_subject=by_subject)
    subjects = verification.subject_pairs.n_subjects if by_subject else None
    results = tuple(
        _repeated(statistic, values, size, min(runs, pool // size), level, _logit_t(verification, statistic, subjects))
        for statistic, values in drawn.items()
        for size in sizes
    )
    enough = [b for b in sizes if all(r.ends_to_width <= tolerance for r in results if r.replicates == b)]
    percentile = "pigeonhole percentile bootstrap" if by_subject else "percentile bootstrap"
    return Variability(
        name=verification.name,
        fmr=rate,
        level=level,
        seed=seed,
        method="subject-level" if by_subject else "independent comparisons",
        intervals={"tmr": percentile, "eer": "pigeonhole standard error, logit-t" if by_subject else percentile},
        results=results,
        enough=min(enough) if enough else None,
        tolerance=tolerance,
        notes=(*notes, *([presumed] if presumed else [])),
    )


def _checked(replicates: Sequence[int], runs: int, tolerance: float) -> tuple[int, ...]:
    for value, least, what in (*((b, 2, "bootstrap replicates") for b in replicates), (runs, 2, "runs")):
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
            raise MatedError(f"at least {least} {what} are needed for a spread, a whole number, and not {value!r}")
    if not len(replicates):
        raise MatedError("no number of bootstrap replicates is given to try")
    if not 0 < tolerance < 1:
        raise MatedError(f"the tolerance is a share of the interval's width between 0 and 1, and {tolerance} is not")
    return tuple(sorted({int(b) for b in replicates}))


def _cost(v: Verification, fmr: float, *, by_subject: bool) -> float:
    """Return the seconds one replicate of both statistics takes, roughly; it must not depend on the clock."""
    if not by_subject:
        return 6e-6
    subjects, walked = v.subject_pairs.n_subjects, (fmr + v.eer().value) * v.tally.n_nonmated
    return 3e-6 + 5e-8 * subjects + 5e-11 * subjects**2 + 5e-10 * walked


def _draw(
    v: Verification,
    fmr: float,
    size: int,
    seed: int,
    threads: int,
    progress: Callable[[int, int], None] | None,
    *,
    by_subject: bool,
) -> dict[Statistic, Floats]:
    """Draw replicates of both statistics, some at a time; each part has a seed of its own."""
    drawn: dict[Statistic, Floats] = {"tmr": np.empty(size), "eer": np.empty(size)}
    for part, start in enumerate(range(0, size, _CHUNK)):
        if progress is not None:
            progress(start, size)
        end = min(start + _CHUNK, size)
        own = int(np.random.SeedSequence([seed, part]).generate_state(1, np.uint64)[0] >> 1)
        number = max(end - start, 2)
        resampling: IndependentResampling | SubjectResampling
        if by_subject:
            resampling = SubjectResampling(v.tally, v.subject_pairs, number, own, threads)
        else:
            resampling = IndependentResampling(v.tally, number, own, threads)
        drawn["tmr"][start:end] = resampling.at_fmr([fmr])[0][: end - start, 0]
        drawn["eer"][start:end] = resampling.eer()[0][: end - start]
    if progress is not None:
        progress(size, size)
    return drawn


def _logit_t(v: Verification, statistic: Statistic, subjects: int | None) -> tuple[float, int] | None:
    """Return the estimate and the subjects of a logit-t interval, None where the interval is one of percentiles."""
    return (v.eer().value, subjects) if statistic == "eer" and subjects is not None else None


def _repeated(
    statistic: Statistic, values: Floats, size: int, runs: int, level: float, logit_t: tuple[float, int] | None
) -> Repeated:
    table = values[: runs * size].reshape(runs, size)
    se, low, high = _intervals(table, level)
    if logit_t is not None:
        from mated.uncertainty.cluster import logit_t_interval

        ends = [logit_t_interval(logit_t[0], float(value), logit_t[1], level) for value in se]
        low, high = (np.array(end) for end in zip(*ends, strict=True))
    width = float(np.mean(high - low))
    moved = max(_sd(low), _sd(high))
    return Repeated(
        statistic=statistic,
        replicates=size,
        runs=runs,
        se=_spread(se),
        low=_spread(low),
        high=_spread(high),
        width=width,
        ends_to_width=moved / width if width else 0.0,
    )


def _intervals(table: Floats, level: float) -> tuple[Floats, Floats, Floats]:
    """Return the standard error and the percentile interval of each row, as `Replicates` would."""
    if np.isnan(table).any():  # resamples without comparisons of one class: rows of different lengths
        rows = [Replicates(row[~np.isnan(row)], 0.0) for row in table]
        low, high = (np.array(ends) for ends in zip(*(r.percentile_interval(level) for r in rows), strict=True))
        return np.array([r.standard_error for r in rows]), low, high
    ordered, size = np.sort(table, axis=1), table.shape[1]
    tail = (1 - exact_level(level)) / 2

    def quantile(place: Any) -> Floats:
        below, above = max(ceil(place) - 1, 0), min(floor(place), size - 1)
        between: Floats = ordered[:, below] / 2 + ordered[:, above] / 2
        return between

    return np.std(table, axis=1, ddof=1), quantile(tail * size), quantile((1 - tail) * size)


def _spread(values: Floats) -> Spread:
    mean, sd = float(np.mean(values)), _sd(values)
    low, high = np.quantile(values, [0.025, 0.975], method="averaged_inverted_cdf").tolist()
    return Spread(mean, sd, low, high, sd / abs(mean) if mean else None)


def _sd(values: Floats) -> float:
    """Return the standard deviation, 0 for equal values whatever their mean rounds to."""
    return float(np.std(values, ddof=1)) if float(np.ptp(values)) > 0 else 0.0
