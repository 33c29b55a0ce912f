"""`Bootstrap`: the numbers of a verification with intervals that say what they presume.

Which interval for which number:

==========================  ===================================  ==========================================
statistic                   comparisons taken as independent     subjects known
==========================  ===================================  ==========================================
FNMR at a threshold         Wilson; Clopper–Pearson, few errors  Korn–Graubard on subjects
FMR at a threshold          the same                             pair variance V_mid, logit-t
FNMR, threshold at an FMR   percentile bootstrap (Wu 2008)       percentile of the pigeonhole bootstrap
FMR, threshold at a TMR     the same                             the same
EER                         the same                             pigeonhole standard error, logit-t
AUC                         DeLong, logit                        pigeonhole standard error, logit-t
==========================  ===================================  ==========================================

A bootstrap cannot see errors that did not happen: where fewer than ten errors (or non-errors) stand behind a rate, its
interval is widened to hold the Clopper–Pearson interval of the effective number of comparisons.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mated.errors import MatedError
from mated.evaluation.attempts import AttemptEstimates, AttemptIntervals
from mated.evaluation.estimate import Estimate
from mated.evaluation.estimates import Box, EerEstimate, FmrEstimate, ThresholdEstimate, TmrEstimate
from mated.evaluation.html import table_html
from mated.evaluation.resampling import IndependentResampling, SubjectResampling
from mated.uncertainty import binomial
from mated.uncertainty.bands import Band, pointwise_band, simultaneous_band
from mated.uncertainty.cautions import few_behind_errors, few_for_a_threshold, joined, on_dependence
from mated.uncertainty.replicates import Replicates, threshold_interval
from mated.verification.rates import exact_rate

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

    from mated.evaluation.verification import Verification
    from mated.uncertainty.cluster import ClusterInterval, DesignEffects
    from mated.verification import AtFmr, AtThreshold, AtTmr

__all__ = ["INTERVALS", "Bootstrap", "Intervals"]

Intervals = Literal["auto", "iid", "bootstrap", "subject", "wilson", "clopper-pearson", "jeffreys"]
"""Which intervals: those of the table (its right column where subjects are known), one of its columns, the percentile
bootstrap of Wu (2008) throughout ("bootstrap"), or one binomial interval for rates at a threshold."""

INTERVALS: tuple[Intervals, ...] = ("auto", "iid", "bootstrap", "subject", "wilson", "clopper-pearson", "jeffreys")

_PERCENTILE = {"iid": "percentile bootstrap", "subject": "pigeonhole percentile bootstrap"}
_LOGIT_T = "pigeonhole standard error, logit-t"


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap:
    """A verification whose methods give intervals; made by `Verification.bootstrap`."""

    verification: Verification
    resampling: IndependentResampling | SubjectResampling
    level: float = 0.95
    intervals: Intervals = "auto"

    @classmethod
    def of(
        cls, verification: Verification, *, replicates: int, seed: int, level: float, intervals: Intervals, threads: int
    ) -> Bootstrap:
        """Choose how to resample: subjects where they are known, unless told otherwise."""
        exact_rate(level, "a confidence level")
        if intervals not in INTERVALS:
            raise MatedError(f"there are no intervals {intervals!r}; choose one of {', '.join(INTERVALS)}")
        if replicates < 2:
            raise MatedError(f"at least 2 bootstrap replicates are needed for a spread, not {replicates}")
        if intervals == "subject" or (intervals == "auto" and verification.n_subjects is not None):
            return cls(verification, verification.subject_resampling(replicates, seed, threads), level, intervals)
        if verification.streaming is not None:
            verification.streaming.check_resampling()
        return cls(verification, IndependentResampling(verification.tally, replicates, seed, threads), level, intervals)

    def extend(self, replicates: int) -> Bootstrap:
        """Return the same with more replicates; the first ones stay as they are."""
        return replace(self, resampling=replace(self.resampling, replicates=replicates))

    # -- numbers with intervals --------------------------------------------------------------------

    def at_fmr(self, fmr: float) -> FmrEstimate:
        """FNMR, TMR and threshold at a false match rate."""
        return self.at_fmrs((fmr,))[0]

    def at_fmrs(self, fmrs: Sequence[float]) -> list[FmrEstimate]:
        """The same at several false match rates, replicates drawn jointly."""
        points = [self.verification.at_fmr(f) for f in fmrs]
        tally = self.verification.tally
        if not points:
            return []
        drawn, thresholds = self.resampling.at_fmr([p.fmr for p in points])
        results = []
        for point, tmr, inner in zip(points, drawn.T, thresholds.T, strict=True):
            expected = exact_rate(point.fmr, "a false match rate") * tally.n_nonmated
            estimate = self._rate(1 - tmr, point.fnmr, point.errors_mated, tally.n_mated, self._effective_mated)
            if expected < 1:
                bare = replace(
                    estimate, se=None, low=None, high=None, normal=None, method="none", caution=point.caution
                )
                results.append(FmrEstimate(point, bare, None, None))
                continue
            hardly = few_for_a_threshold(float(expected), resampled=self.by_subject)
            estimate = replace(estimate, caution=joined(estimate.caution, hardly, self._uncovered(inner)))
            results.append(FmrEstimate(point, estimate, *self._threshold(inner, point.threshold)))
        return results

    def at_tmr(self, tmr: float) -> TmrEstimate:
        """FMR and threshold at a true match rate."""
        point, tally = self.verification.at_tmr(tmr), self.verification.tally
        drawn, inner = self.resampling.at_tmr([tmr])
        estimate = self._rate(drawn[:, 0], point.fmr, point.errors_nonmated, tally.n_nonmated, self._effective_nonmated)
        estimate = replace(estimate, caution=joined(estimate.caution, self._uncovered(inner)))
        return TmrEstimate(point, estimate, *self._threshold(inner[:, 0], point.threshold))

    def at_threshold(self, threshold: float) -> ThresholdEstimate:
        """FMR, FNMR and TMR at a threshold."""
        return self.at_thresholds((threshold,))[0]

    def at_thresholds(self, thresholds: Sequence[float]) -> list[ThresholdEstimate]:
        """The same at several thresholds; comparisons of known subjects are counted once for all of them.

        A percentile bootstrap (`intervals="bootstrap"`) draws anew for each, so that no estimate depends on which
        others are asked for.
        """
        tally = self.verification.tally
        points = [self.verification.at_threshold(threshold) for threshold in thresholds]
        if isinstance(self.resampling, SubjectResampling):
            inner = [tally.from_user(threshold) for threshold in thresholds]
            both = self.resampling.rates_at_thresholds(inner, self.level)
            return [
                ThresholdEstimate(point, self._clustered(fmr, "FMR"), self._clustered(fnmr, "FNMR"))
                for point, (fmr, fnmr) in zip(points, both, strict=True)
            ]
        if self.intervals == "bootstrap":
            return [self._drawn_at(point) for point in points]
        return [
            ThresholdEstimate(
                point,
                self._binomial(point.errors_nonmated, tally.n_nonmated),
                self._binomial(point.errors_mated, tally.n_mated),
            )
            for point in points
        ]

    def _drawn_at(self, point: AtThreshold) -> ThresholdEstimate:
        tally = self.verification.tally
        false, true = self.resampling.at_threshold([point.threshold])
        return ThresholdEstimate(
            point,
            self._rate(false[:, 0], point.fmr, point.errors_nonmated, tally.n_nonmated),
            self._rate(1 - true[:, 0], point.fnmr, point.errors_mated, tally.n_mated),
        )

    def eer(self) -> EerEstimate:
        """Equal error rate and its threshold."""
        return self._eer

    def auc(self) -> Estimate:
        """Area under the ROC."""
        return self._auc

    def with_failures(self, point: AtFmr | AtTmr | AtThreshold) -> AttemptEstimates:
        """FRR and FAR at an operating point, and with an FTE also GFRR and GFAR."""
        return self.attempts.at([point])[0]

    @cached_property
    def attempts(self) -> AttemptIntervals:
        """Intervals of rates that count failures too."""
        return AttemptIntervals(self)

    def band(self, fmrs: Sequence[float] | None = None, *, joint: bool = False) -> Band:
        """Return a band around the ROC: at each false match rate by itself, or jointly over all of them."""
        if fmrs is None and not joint:
            return self._default_band
        return self._band(self._grid() if fmrs is None else sorted(set(fmrs)), joint=joint)

    @cached_property
    def _default_band(self) -> Band:
        return self._band(self._grid(), joint=False)

    def _band(self, grid: Sequence[float], *, joint: bool) -> Band:
        tmr = np.array([self.verification.at_fmr(f).tmr for f in grid])
        drawn = _defined(self.resampling.at_fmr(list(grid))[0])
        if joint:
            return simultaneous_band(grid, tmr, drawn, self.level, trials=self._effective_mated)
        return pointwise_band(grid, tmr, drawn, self.level)

    def scatter(self, threshold: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the replicates of (FMR, TMR) at a threshold (Wu 2008, Figure 4)."""
        fmr, tmr = self.resampling.at_threshold([threshold])
        return fmr[:, 0], tmr[:, 0]

    def joint_rectangle(self, threshold: float) -> Box:
        """Return the box of two intervals at level (1 + level)/2, which together hold with about `level`."""
        wider = float((1 + exact_rate(self.level, "a confidence level")) / 2)
        return replace(self, level=wider).at_threshold(threshold).rectangle

    def consistent(self, fmr: float) -> bool:
        """Tell whether TMR at the FMR and TMR at its threshold each lie in the other's interval (Wu 2008, 4.2)."""
        given_fmr = self.at_fmr(fmr)
        given_threshold = self.at_threshold(given_fmr.point.threshold)
        return given_threshold.point.tmr in given_fmr.tmr and given_fmr.point.tmr in given_threshold.tmr

    # -- how they are made ---------------------------------------------------------------------------

    @property
    def by_subject(self) -> bool:
        """Whether subjects were resampled, rather than comparisons as if independent."""
        return isinstance(self.resampling, SubjectResampling)

    @cached_property
    def _effects(self) -> DesignEffects | None:
        if not isinstance(self.resampling, SubjectResampling):
            return None
        from mated.uncertainty.cluster import tail_design_effects

        return tail_design_effects(self.resampling.pairs)

    @property
    def _effective_mated(self) -> float:
        """How many independent mated comparisons the data are worth where errors are few."""
        n = self.verification.tally.n_mated
        if self._effects is None:
            return n
        return n / self._effects.fnmr if self._effects.fnmr else self._subjects()

    @property
    def _effective_nonmated(self) -> float:
        n = self.verification.tally.n_nonmated
        if self._effects is None:
            return n
        return n / self._effects.fmr if self._effects.fmr else max(self._subjects() // 2, 1)

    def _subjects(self) -> int:
        assert isinstance(self.resampling, SubjectResampling)
        return self.resampling.pairs.n_subjects

    def _uncovered(self, thresholds: NDArray[np.float64]) -> str | None:
        """Say where replicates of comparisons read in chunks lie between scores that are not known one by one."""
        streaming = self.verification.streaming
        if streaming is None or self.by_subject or self.verification.tally is not streaming.tally:
            return None
        return streaming.uncovered(thresholds)

    def _about(self, errors: int | None, trials: int) -> dict[str, Any]:
        """Return what every estimate says of its basis."""
        subjects = self.verification.n_subjects
        return {"comparisons": trials, "errors": errors, "subjects": subjects, "caution": self.presumption}

    def _rate(
        self,
        drawn: NDArray[np.float64],
        value: float,
        errors: int,
        trials: int,
        effective: float | None = None,
    ) -> Estimate:
        """Return a percentile interval of an error rate, widened where errors or non-errors are few."""
        replicates = Replicates(_defined(drawn), value)
        low, high = replicates.percentile_interval(self.level)
        method = _PERCENTILE[self.resampling.kind]
        if effective is not None and min(errors, trials - errors) < binomial.FEW:
            exact = binomial.clopper_pearson(effective * errors / trials, effective, self.level)
            low, high = min(low, exact[0]), max(high, exact[1])
            method += ", widened by Clopper–Pearson"
        return Estimate(
            value,
            replicates.standard_error,
            min(low, value),
            max(high, value),
            method,
            self.level,
            normal=replicates.normal_interval(self.level),
            **self._about(errors, trials),
        )

    def _logit_t(self, drawn: NDArray[np.float64], value: float, trials: int, errors: int | None) -> Estimate:
        from mated.uncertainty.cluster import logit_t_interval

        replicates = Replicates(_defined(drawn), value)
        low, high = logit_t_interval(value, replicates.standard_error, self._subjects(), self.level)
        method = _LOGIT_T
        if not 0 < value < 1 or replicates.standard_error == 0:
            count = value * self._effective_mated
            low, high = binomial.clopper_pearson(count, self._effective_mated, self.level)
            method = "Clopper–Pearson on the effective number of comparisons"
        normal = replicates.normal_interval(self.level)
        return Estimate(
            value,
            replicates.standard_error,
            low,
            high,
            method,
            self.level,
            normal=normal,
            **self._about(errors, trials),
        )

    def _binomial(self, errors: int, trials: int) -> Estimate:
        kernel, name = {
            "wilson": (binomial.wilson, "Wilson"),
            "clopper-pearson": (binomial.clopper_pearson, "Clopper–Pearson"),
            "jeffreys": (binomial.jeffreys, "Jeffreys"),
        }.get(self.intervals, (binomial.independent, "Wilson, Clopper–Pearson for few errors"))
        rate = errors / trials
        low, high = kernel(errors, trials, self.level)
        se = float(np.sqrt(rate * (1 - rate) / trials))
        return Estimate(rate, se, low, high, name, self.level, **self._about(errors, trials))

    def _clustered(self, interval: ClusterInterval, rate: str) -> Estimate:
        about = self._about(interval.errors, interval.comparisons)
        caution = joined(about.pop("caution"), few_behind_errors(interval.behind, interval.errors))
        if interval.worst_case is not None:
            reach = f"{100 * interval.worst_case[1]:.3g} %"
            caution = joined(caution, f"were all comparisons of a person to go alike, the {rate} could reach {reach}")
        return Estimate(
            interval.value,
            interval.se,
            interval.low,
            interval.high,
            interval.method,
            self.level,
            **about,
            caution=caution,
        )

    def _threshold(self, drawn: NDArray[np.float64], value: float) -> tuple[int | float, int | float]:
        """Return an interval of thresholds in the user's scoring system, rounded outwards to the unit."""
        replicates = Replicates(_defined(drawn), value)
        return threshold_interval(replicates.percentile_interval(self.level), self.verification.tally)

    @cached_property
    def _eer(self) -> EerEstimate:
        point, tally = self.verification.eer(), self.verification.tally
        drawn, inner = self.resampling.eer()
        at = self.verification.at_threshold(point.threshold)
        if self.by_subject:
            estimate = self._logit_t(drawn, point.value, tally.n_mated, at.errors_mated)
        else:
            estimate = self._rate(drawn, point.value, at.errors_mated, tally.n_mated, tally.n_mated)
        estimate = replace(estimate, caution=joined(estimate.caution, self._uncovered(inner)))
        variation = estimate.se / point.value if estimate.se is not None and point.value else None
        return EerEstimate(
            point,
            estimate,
            *self._threshold(inner, point.threshold),
            coefficient_of_variation=variation,
            systematic_to_statistical=point.relative_error / variation if variation else None,
        )

    @cached_property
    def _auc(self) -> Estimate:
        from mated.uncertainty.delong import auc_interval, auc_standard_error

        value, tally = self.verification.auc(), self.verification.tally
        drawn = self.resampling.auc() if self.by_subject else None
        if drawn is not None:
            return replace(self._logit_t(drawn, value, tally.n_mated, None), errors=None)
        about = self._about(None, tally.n_mated)
        if self.by_subject:
            about["caution"] = joined(
                about["caution"], "its interval by subject needs all scores, and not all were kept"
            )
            return Estimate(value, None, None, None, "none: not all scores were kept", self.level, **about)
        about["caution"] = on_dependence(self.verification.n_subjects, resampled=False)
        low, high = auc_interval(tally, self.level)
        return Estimate(value, auc_standard_error(tally), low, high, "DeLong, logit", self.level, **about)

    def _grid(self) -> list[float]:
        """Return false match rates for a band: ten a decade, from where ten false matches are expected up."""
        lowest = min(max(10 / self.verification.tally.n_nonmated, 1e-9), 0.1)
        steps = int(np.ceil(-10 * np.log10(lowest)))
        return [float(f"{f:.3g}") for f in np.logspace(np.log10(lowest), 0, steps, endpoint=False)]

    # -- what it says of itself --------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The dictionary of the verification with every interval filled in."""
        from mated.evaluation.bootstrap_dictionary import bootstrap_dictionary

        return bootstrap_dictionary(self)

    @property
    def presumption(self) -> str | None:
        """What all its intervals presume, in words; None where there is nothing to say."""
        return on_dependence(self.verification.n_subjects, resampled=self.by_subject)

    def __repr__(self) -> str:
        kind = "subjects" if self.by_subject else "comparisons"
        return (
            f"Bootstrap({self.verification.name!r}: {self.resampling.replicates} replicates of {kind}, {self.level:g})"
        )

    def to_frame(self) -> pl.DataFrame:
        """One row for each number, with its interval, as a Polars frame."""
        from mated.evaluation.bootstrap_frame import bootstrap_frame

        return bootstrap_frame(self)

    def _repr_html_(self) -> str:
        return table_html(self.to_frame(), caption=repr(self))


def _defined(drawn: NDArray[np.float64]) -> NDArray[np.float64]:
    """Leave out replicates without a value: those that drew no mated or no non-mated comparison."""
    bad = np.isnan(drawn) if drawn.ndim == 1 else np.isnan(drawn).any(axis=1)
    return drawn[~bad] if bad.any() else drawn
