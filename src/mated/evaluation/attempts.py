"""FRR, FAR and their generalised forms at the operating points of a verification, with intervals.

Attempts without a score count as comparisons below every threshold (`mated.verification.failures`). So the intervals of
FRR and FAR are those of FNMR and FMR over all attempts, by the same rules: at a threshold a binomial interval of errors
and failures together, or one over subjects, who bring their failures with them; at an FMR the bootstrap, which draws
attempts. At an FMR the FAR is given with it, and at a TMR the FRR; they have no interval of their own.

FTA and FTE that are given as counts widen the intervals (`mated.uncertainty.products`), and are taken as counted on
independent attempts or people. Given as rates they are held.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Any

from mated.errors import MatedError
from mated.evaluation.estimate import Estimate
from mated.uncertainty import binomial
from mated.uncertainty.cautions import joined
from mated.uncertainty.products import Factor, product_interval
from mated.verification import AtFmr, AtThreshold, AtTmr
from mated.verification.failures import (
    WithFailures,
    attempted_comparisons,
    attempted_tally,
    unscored_shares,
    with_failures,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mated.evaluation.bootstrap import Bootstrap
    from mated.evaluation.streaming import StreamedComparisons
    from mated.evaluation.verification import Verification
    from mated.verification.failures import FailureRate

__all__ = ["AttemptEstimates", "AttemptIntervals", "Point", "attempt_entries", "rates_of_attempts"]

Point = AtFmr | AtTmr | AtThreshold

_RATES = ("frr", "far", "gfrr", "gfar")
# Of an FMR that was multiplied and rounded, so that it does not reach the next score by a rounding error.
_JUST_BELOW = 1 - 1e-12


@dataclass(frozen=True)
class AttemptEstimates:
    """The rates of attempts at one operating point, with intervals; the generalised ones None without an FTE."""

    frr: Estimate
    far: Estimate
    gfrr: Estimate | None
    gfar: Estimate | None


def rates_of_attempts(verification: Verification, point: Point) -> WithFailures:
    """Return FRR, FAR, GFRR and GFAR at an operating point."""
    fmr, fnmr = _rates_at(verification, point)
    return with_failures(verification.tally, fmr=fmr, fnmr=fnmr, given=verification.failures)


def _rates_at(verification: Verification, point: Point) -> tuple[Fraction, Fraction]:
    """Return FMR and FNMR at an operating point: exact where they are counted or given."""
    if isinstance(point, AtThreshold):
        tally = verification.tally
        return Fraction(point.errors_nonmated, tally.n_nonmated), Fraction(point.errors_mated, tally.n_mated)
    if isinstance(point, AtTmr):
        return Fraction(point.fmr), 1 - Fraction(str(point.tmr))
    return Fraction(str(point.fmr)), Fraction(point.fnmr)


def attempt_entries(verification: Verification, intervals: AttemptIntervals | None = None) -> dict[str, Any] | None:
    """Return what `to_dict()` says of failures; None where there are none and no rate of them is given."""
    if not verification.has_failures:
        return None
    tally, given, points = verification.tally, verification.failures, verification.points
    without_mated, without_nonmated = unscored_shares(tally)
    at: dict[str, Sequence[Point]] = {
        "at_fmr": [verification.at_fmr(f) for f in verification.fmr_targets],
        "at_tmr": [verification.at_tmr(r) for r in points.tmr],
        "at_threshold": [verification.at_threshold(t) for t in points.threshold],
    }
    return {
        "mated_attempts": tally.n_mated + tally.mated_failures,
        "nonmated_attempts": tally.n_nonmated + tally.nonmated_failures,
        "fta_mated": float(without_mated),
        "fta_nonmated": float(without_nonmated),
        "fta": None if given.fta is None else float(given.fta.rate),
        "fte": None if given.fte is None else float(given.fte.rate),
        **{kind: _point_entries(verification, there, intervals) for kind, there in at.items()},
    }


def _point_entries(
    verification: Verification, points: Sequence[Point], intervals: AttemptIntervals | None
) -> list[dict[str, Any]]:
    estimates = [None] * len(points) if intervals is None else intervals.at(points)
    entries = []
    for point, estimate in zip(points, estimates, strict=True):
        name = {AtFmr: "fmr", AtTmr: "tmr", AtThreshold: "threshold"}[type(point)]
        rates = rates_of_attempts(verification, point)
        entry: dict[str, Any] = {name: getattr(point, name), "threshold": point.threshold}
        cautions = []
        for rate in _RATES:
            of_rate: Estimate | None = getattr(estimate, rate) if estimate is not None else None
            entry |= {rate: getattr(rates, rate)}
            entry |= {f"{rate}_{end}": getattr(of_rate, end) if of_rate else None for end in ("se", "low", "high")}
            if estimate is not None:
                entry[f"{rate}_method"] = of_rate.method if of_rate else None
                cautions.append(of_rate.caution if of_rate else None)
        entries.append({**entry, "caution": joined(*dict.fromkeys(cautions))})
    return entries


@dataclass(frozen=True, eq=False)
class AttemptIntervals:
    """Intervals of the rates of attempts; made by `Bootstrap.attempts`."""

    bootstrap: Bootstrap

    @cached_property
    def _of_attempts(self) -> Bootstrap | str:
        """The same bootstrap over attempts in place of comparisons, or why there is none, in words."""
        b, v = self.bootstrap, self.bootstrap.verification
        if not v.tally.mated_failures + v.tally.nonmated_failures:
            return b
        layout = v.layout
        if b.by_subject and v.streaming is not None:
            return self._streamed(v.streaming)
        if b.by_subject:
            try:
                layout = attempted_comparisons(v.comparisons())
            except MatedError as error:
                return f"no interval by subject: {error}"
        # Of comparisons read in chunks, scores are known one by one as far as replicates of FNMR and FMR reach; those
        # of attempts reach as far, but for odds of the same order.
        attempts = replace(v, tally=attempted_tally(v.tally), layout=layout)
        return attempts.bootstrap(
            b.resampling.replicates,
            rng=b.resampling.seed,
            level=b.level,
            intervals=b.intervals,
            threads=b.resampling.threads,
        )

    def _streamed(self, streaming: StreamedComparisons) -> Bootstrap:
        """The bootstrap of subjects over attempts that are read in chunks, in passes of their own."""
        from mated.evaluation.streaming_attempts import attempted_resampling

        b, v = self.bootstrap, self.bootstrap.verification
        without_mated, without_nonmated = unscored_shares(v.tally)
        points = replace(
            streaming.asked,
            fmr=tuple(_share(f, without_nonmated) for f in streaming.asked.fmr),
            tmr=tuple(_share(r, without_mated) for r in streaming.asked.tmr),
        )
        attempts = replace(v, tally=attempted_tally(v.tally))
        sampling = b.resampling
        drawn = attempted_resampling(
            streaming, attempts.tally, points, sampling.replicates, sampling.seed, sampling.threads
        )
        return replace(b, verification=attempts, resampling=drawn)

    def at(self, points: Sequence[Point]) -> list[AttemptEstimates]:
        """Return the rates at some operating points; those at an FMR are drawn together."""
        v, b = self.bootstrap.verification, self._of_attempts
        without_mated, without_nonmated = unscored_shares(v.tally)
        at_fmrs = [point for point in points if isinstance(point, AtFmr)]
        drawn = iter([] if isinstance(b, str) else b.at_fmrs([_share(p.fmr, without_nonmated) for p in at_fmrs]))
        results = []
        for point in points:
            rejected = accepted = None
            if isinstance(b, str):
                rejected = accepted = self._bare("none", b)
            elif isinstance(point, AtFmr):
                rejected = next(drawn).fnmr
            elif isinstance(point, AtTmr):
                accepted = b.at_tmr(_share(point.tmr, without_mated)).fmr
            elif v.tally.from_user(point.threshold) == float("-inf"):
                rejected = accepted = self._bare("none", "at a threshold that every score meets there is no interval")
            else:
                both = b.at_threshold(point.threshold)
                rejected, accepted = both.fnmr, both.fmr
            results.append(
                self._estimates(
                    point,
                    rejected or self._bare("none: the TMR is given"),
                    accepted or self._bare("none: the FMR is given"),
                )
            )
        return results

    def _bare(self, method: str, caution: str | None = None) -> Estimate:
        return Estimate(0.0, None, None, None, method, self.bootstrap.level, caution=caution)

    def _estimates(self, point: Point, rejected: Estimate, accepted: Estimate) -> AttemptEstimates:
        v = self.bootstrap.verification
        rates, given = rates_of_attempts(v, point), v.failures
        to_acquire = [] if given.fta is None else [("FTA", given.fta)]
        both = [*to_acquire, *([] if given.fte is None else [("FTE", given.fte)])]
        return AttemptEstimates(
            _combined(rejected, rates.frr, to_acquire, of_rejection=True),
            _combined(accepted, rates.far, to_acquire, of_rejection=False),
            None if rates.gfrr is None else _combined(rejected, rates.gfrr, both, of_rejection=True),
            None if rates.gfar is None else _combined(accepted, rates.gfar, both, of_rejection=False),
        )


def _share(rate: float, without: Fraction) -> float:
    """Return which rate over all attempts is this rate over those with a score."""
    return float(Fraction(str(rate)) * (1 - without)) * _JUST_BELOW if without else rate


def _combined(
    estimate: Estimate, value: float, given: Sequence[tuple[str, FailureRate]], *, of_rejection: bool
) -> Estimate:
    """Multiply what was acquired and enrolled into an estimate over the attempts of the file."""
    if estimate.low is None or estimate.high is None:
        return replace(estimate, value=value)
    counted = Factor(estimate.value, estimate.se or 0.0, estimate.low, estimate.high)
    factors = [_factor(rate, estimate.level).complement() for _, rate in given]
    product = product_interval([counted.complement() if of_rejection else counted, *factors])
    if of_rejection:
        product = product.complement()
    assert product.low is not None
    assert product.high is not None
    said = [f"{name} {'held' if rate.trials is None else 'by its counts'}" for name, rate in given]
    return replace(
        estimate,
        value=value,
        se=product.se,
        low=min(product.low, value),
        high=max(product.high, value),
        normal=None,
        method="; ".join([estimate.method, *said]),
    )


def _factor(rate: FailureRate, level: float) -> Factor:
    if rate.failures is None or rate.trials is None:
        return Factor(float(rate.rate))
    low, high = binomial.independent(rate.failures, rate.trials, level)
    p = float(rate.rate)
    return Factor(p, sqrt(p * (1 - p) / rate.trials), low, high)
