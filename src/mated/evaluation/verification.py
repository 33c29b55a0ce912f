"""`Verification`: what a user holds after `mated.verify`, for one system."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from mated.errors import MatedError
from mated.evaluation.attempts import attempt_entries, rates_of_attempts
from mated.evaluation.bootstrap import Bootstrap
from mated.evaluation.collection import Verifications, groups_in_memory, refuse_one_class
from mated.evaluation.html import table_html
from mated.evaluation.resampling import SubjectResampling
from mated.scores import Comparisons, ScoreMatrix, SubjectTallies, Tally
from mated.scores.subject_pairs import SubjectPairs
from mated.scores.unit import unit_name
from mated.uncertainty.streams import seed_of
from mated.verification import (
    AtFmr,
    AtThreshold,
    AtTmr,
    DetCurve,
    DetectionCost,
    EqualErrorRate,
    IndividualRocs,
    RocCurve,
    RocFunction,
    area_under_roc,
    at_fmr,
    at_threshold,
    at_tmr,
    average_roc,
    cllr,
    d_prime,
    default_fmrs,
    det_curve,
    detection_cost,
    equal_error_rate,
    fvc_rates,
    half_total_error_rate,
    individual_rocs,
    min_cllr,
    roc_curve,
)
from mated.verification.failures import NONE_GIVEN, FailureRates
from mated.verification.hull import Hull, roc_hull

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from matplotlib.axes import Axes

    from mated.evaluation.bootstrap import Intervals
    from mated.evaluation.streaming import StreamedComparisons
    from mated.evaluation.streaming_exactness import Exactness
    from mated.verification.failures import WithFailures

__all__ = ["Costs", "OperatingPoints", "Verification"]

Figure = Literal["roc", "roc-log", "det", "scores", "rates", "individual"]


@dataclass(frozen=True)
class OperatingPoints:
    """Where a verification is to be read off; `fmr=None` takes the targets that the data support."""

    fmr: tuple[float, ...] | None = None
    tmr: tuple[float, ...] = ()
    threshold: tuple[float, ...] = ()


@dataclass(frozen=True)
class Costs:
    """What decisions cost: the prior of mated comparisons, of a miss and of a false match."""

    prior: float
    miss: float = 1.0
    false: float = 1.0


@dataclass(frozen=True, eq=False, repr=False)
class Verification:
    """Error rates of one system, all read from its tally.

    The methods give frozen results with the numbers of errors behind them and a `caution` where the data
    cannot support the number. `to_dict()` is what `mated verify --json` prints.
    """

    tally: Tally
    name: str = "scores"
    layout: Comparisons | ScoreMatrix | None = None
    points: OperatingPoints = OperatingPoints()
    costs: Costs | None = None
    transferred_threshold: float | None = None
    symmetric: Literal["auto", "yes", "no"] = "auto"
    individual: bool = False
    notes: tuple[str, ...] = ()
    failures: FailureRates = NONE_GIVEN
    streaming: StreamedComparisons | None = None

    def __post_init__(self) -> None:
        if self.symmetric not in ("auto", "yes", "no"):
            raise MatedError(f"symmetric must be 'auto', 'yes' or 'no', not {self.symmetric!r}")
        subjects = self.layout is not None and self.layout.subjects is not None
        refuse_one_class(self.name, self.tally, self._decided, subjects=subjects)

    # -- numbers ---------------------------------------------------------------------------------

    def at_fmr(self, fmr: float) -> AtFmr:
        """TMR, FNMR and threshold at a false match rate (Wu 2008, Eqs. 5 and 6)."""
        point = at_fmr(self.tally, fmr)
        return point if self._exactness is None else self._exactness.at_fmr(point)

    def at_tmr(self, tmr: float) -> AtTmr:
        """FMR and threshold at a true match rate."""
        point = at_tmr(self.tally, tmr)
        return point if self._exactness is None else self._exactness.at_tmr(point)

    def at_threshold(self, threshold: float) -> AtThreshold:
        """FMR, FNMR and TMR at a threshold (Wu 2008, Eq. 7)."""
        point = at_threshold(self.tally, threshold)
        return point if self._exactness is None else self._exactness.at_threshold(point)

    def eer(self) -> EqualErrorRate:
        """Equal error rate by five definitions, that of Wu (2008) first."""
        return self._eer

    def auc(self) -> float:
        """Area under the ROC: the exact Mann–Whitney statistic."""
        return self._auc

    def d_prime(self) -> float | None:
        """Separation of the two classes in standard deviations."""
        return d_prime(self.tally)

    def detection_cost(self, *, prior: float, miss: float = 1.0, false: float = 1.0) -> DetectionCost:
        """Minimum and actual normalised detection cost."""
        return detection_cost(self.tally, prior=prior, cost_miss=miss, cost_false=false, hull=self._hull)

    def cllr(self) -> float | None:
        """Log-likelihood-ratio cost of the scores as they are."""
        return cllr(self.tally)

    def min_cllr(self) -> float:
        """Log-likelihood-ratio cost after the best monotone calibration."""
        return min_cllr(self.tally, self._hull)

    def hter(self, threshold: float) -> float:
        """Half total error rate at a threshold set elsewhere."""
        if self._exactness is not None:
            self._exactness.refuse_divided(threshold, "the half total error rate")
        return half_total_error_rate(self.tally, threshold)

    def with_failures(self, point: AtFmr | AtTmr | AtThreshold) -> WithFailures:
        """FRR and FAR at an operating point, and with an FTE also GFRR and GFAR (ISO/IEC 19795-1)."""
        return rates_of_attempts(self, point)

    @property
    def has_failures(self) -> bool:
        """Whether some comparison gave no score, or a rate of failures was given."""
        return bool(self.failures or self.tally.mated_failures or self.tally.nonmated_failures)

    @cached_property
    def _hull(self) -> Hull:
        return roc_hull(self.tally)

    @cached_property
    def _eer(self) -> EqualErrorRate:
        rate = equal_error_rate(self.tally, self._hull)
        return rate if self._exactness is None else self._exactness.eer(rate)

    @property
    def _exactness(self) -> Exactness | None:
        """What is exact where comparisons were read in chunks; None where all were held, or the tally is another."""
        if self.streaming is None or self.streaming.tally is not self.tally:
            return None
        return self.streaming.exactness

    @cached_property
    def _auc(self) -> float:
        return area_under_roc(self.tally)

    # -- curves ----------------------------------------------------------------------------------

    @cached_property
    def roc(self) -> RocCurve:
        """The ROC; call it with a false match rate to read it."""
        return roc_curve(self.tally)

    @cached_property
    def det(self) -> DetCurve:
        """The DET with the type I error of Wu (2008)."""
        return det_curve(self.tally)

    @cached_property
    def subject_tallies(self) -> SubjectTallies:
        """Counts of each subject's comparisons; needs subject ids."""
        if self.streaming is not None:
            return self.streaming.subject_tallies(self.symmetric)
        return SubjectTallies.of(self.comparisons(), self.symmetric)

    def comparisons(self) -> Comparisons:
        """Return the comparisons as a table; needs more than a tally."""
        layout = self.layout.comparisons() if isinstance(self.layout, ScoreMatrix) else self.layout
        if self.streaming is not None:
            raise MatedError(
                f"{self.name}: this needs all comparisons, and they were read in chunks; hold them in memory with "
                "stream=False (--no-stream)"
            )
        if layout is None:
            raise MatedError(
                f"{self.name}: this needs to know who was compared; give probe_subject and reference_subject"
            )
        return layout

    @cached_property
    def subject_pairs(self) -> SubjectPairs:
        """Who was compared with whom, for intervals that allow for it; needs subject ids."""
        return SubjectPairs.of(self.comparisons()) if self.streaming is None else self.streaming.subject_pairs()

    def subject_resampling(self, replicates: int, seed: int, threads: int = 1) -> SubjectResampling:
        """Return the bootstrap of subjects; needs subject ids."""
        if self.streaming is not None:
            return self.streaming.subject_resampling(replicates, seed, threads)
        return SubjectResampling(self.tally, self.subject_pairs, replicates, seed, threads)

    @cached_property
    def individual_rocs(self) -> IndividualRocs:
        """The ROC of every subject (Veldhuis & Raja 2023, Eqs. 28 and 29)."""
        return individual_rocs(self.subject_tallies)

    @cached_property
    def average_roc(self) -> RocFunction:
        """Mean of the individual ROCs at constant false match rate (Veldhuis & Raja 2023, Eq. 11)."""
        return average_roc(self.individual_rocs)

    # -- uncertainty -----------------------------------------------------------------------------

    def bootstrap(
        self,
        replicates: int = 2000,
        *,
        rng: int | np.random.Generator | None = None,
        level: float = 0.95,
        intervals: Intervals = "auto",
        threads: int = 1,
    ) -> Bootstrap:
        """Return the same numbers with intervals.

        Parameters
        ----------
        replicates
            Bootstrap replicates, 2000 as in Wu (2008).
        rng
            A seed or generator; the same seed gives the same numbers on any number of threads.
        level
            Confidence level of every interval.
        intervals
            "auto" resamples subjects where they are known and takes comparisons as independent where not; see
            `mated.evaluation.bootstrap.Intervals` for the others.
        """
        return Bootstrap.of(
            self, replicates=replicates, seed=seed_of(rng), level=level, intervals=intervals, threads=threads
        )

    # -- groups ----------------------------------------------------------------------------------

    def by(self, *columns: str) -> Verifications:
        """Evaluate each value of one or more covariates apart, from the same comparisons.

        A group without mated or without non-mated comparisons cannot be evaluated and is named in the notes.
        """
        if self.streaming is not None:
            return self.streaming.by(self, columns)
        if not isinstance(self.layout, Comparisons):
            raise MatedError(f"{self.name}: groups need a table of comparisons with further columns")
        return groups_in_memory(self, self.layout, columns)

    # -- what it says of itself --------------------------------------------------------------------

    @property
    def fmr_targets(self) -> tuple[float, ...]:
        """The false match rates at which it is read off."""
        return default_fmrs(self.tally) if self.points.fmr is None else self.points.fmr

    @property
    def n_subjects(self) -> int | None:
        """Number of subjects, None where they are not known."""
        if self.streaming is not None:
            return self.streaming.n_subjects
        return None if self.layout is None else self.layout.n_subjects

    @property
    def _decided(self) -> tuple[str, ...]:
        return self.notes if self.layout is None else (*self.layout.notes, *self.notes)

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """What was decided about the input, and what looks wrong with it, in sentences."""
        remarks = self._decided
        if self.streaming is not None:
            remarks = (*remarks, *self.streaming.remarks)
        if self.costs is not None and self._exactness is not None:
            remarks = (*remarks, *self._exactness.remarks_on_costs(**asdict(self.costs)))
        if self.auc() < 0.5:
            said = "similarities" if self.tally.dissimilarity else "dissimilarities (--dissimilarity)"
            remarks = (
                *remarks,
                (
                    f"the AUC is {self.auc():.3f}, below one half: non-mated scores look more alike than mated ones; "
                    f"are the scores {said}, or the mated flags inverted?"
                ),
            )
        return remarks

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers and texts; the keys are documented in docs/reference/json.md."""
        eer, exactness = self.eer(), self._exactness
        result: dict[str, Any] = {
            "name": self.name,
            "counts": {
                "mated": self.tally.n_mated,
                "nonmated": self.tally.n_nonmated,
                "subjects": self.n_subjects,
                "failures": self.tally.mated_failures + self.tally.nonmated_failures,
                "mated_failures": self.tally.mated_failures,
                "nonmated_failures": self.tally.nonmated_failures,
            },
            "scoring": {
                "dissimilarity": self.tally.dissimilarity,
                "unit": None if self.tally.unit is None else float(self.tally.unit),
            },
            "eer": {
                "value": eer.value,
                "threshold": eer.threshold,
                "se": None,
                "low": None,
                "high": None,
                "score_range": list(eer.score_range),
                "least_difference": eer.least_difference,
                "relative_error": eer.relative_error,
                "by_definition": eer.by_definition,
                "caution": eer.caution,
            },
            "at_fmr": [_with_intervals(self.at_fmr(f), "tmr", "threshold") for f in self.fmr_targets],
            "at_tmr": [_with_intervals(self.at_tmr(r), "fmr", "threshold") for r in self.points.tmr],
            "at_threshold": [_with_intervals(self.at_threshold(t), "fmr", "tmr") for t in self.points.threshold],
            "auc": {"value": self.auc(), "se": None, "low": None, "high": None},
            "d_prime": self.d_prime(),
            "fvc": fvc_rates(self.tally),
            "cllr": self.cllr(),
            "min_cllr": self.min_cllr(),
            "with_failures": attempt_entries(self),
            "uncertainty": None,
            "streaming": None if self.streaming is None else self.streaming.to_dict(),
            "notes": list(self.remarks),
        }
        if self.costs is not None:
            result["detection_cost"] = {
                **asdict(self.detection_cost(**asdict(self.costs))),
                "minimum_bounds": None if exactness is None else exactness.least_cost_bounds(**asdict(self.costs)),
            }
        if self.individual:
            result["individual"] = {
                "subjects": len(self.individual_rocs),
                "symmetric": self.subject_tallies.symmetric,
                "average_roc": [{"fmr": f, "tmr": self.average_roc(f)} for f in self.fmr_targets],
            }
        if self.transferred_threshold is not None:
            result["hter"] = {
                "value": self.hter(self.transferred_threshold),
                "threshold": self.transferred_threshold,
            }
        return result

    def to_frame(self) -> pl.DataFrame:
        """One row for each operating point, the equal error rate among them, as a Polars frame."""
        import polars as pl

        eer = self.eer()
        rows: list[dict[str, Any]] = [
            {"point": "eer", "fmr": eer.value, "fnmr": eer.value, "threshold": eer.threshold, "caution": eer.caution}
        ]
        for kind, results in (
            ("at_fmr", [self.at_fmr(f) for f in self.fmr_targets]),
            ("at_tmr", [self.at_tmr(r) for r in self.points.tmr]),
            ("at_threshold", [self.at_threshold(t) for t in self.points.threshold]),
        ):
            rows += [
                {
                    "point": kind,
                    "fmr": p.fmr,
                    "fnmr": 1 - p.tmr if isinstance(p, AtTmr) else p.fnmr,
                    "threshold": p.threshold,
                    "errors_nonmated": p.errors_nonmated,
                    "errors_mated": p.errors_mated,
                    "fnmr_conservative": p.fnmr_conservative if isinstance(p, AtFmr) else None,
                    "caution": p.caution,
                }
                for p in results
            ]
        schema = {
            "system": pl.String,
            "point": pl.String,
            "fmr": pl.Float64,
            "fnmr": pl.Float64,
            "threshold": pl.Float64,
            "errors_nonmated": pl.Int64,
            "errors_mated": pl.Int64,
            "fnmr_conservative": pl.Float64,
            "caution": pl.String,
        }
        return pl.DataFrame([{"system": self.name, **row} for row in rows], schema=schema)

    def plot(self, figure: Figure = "roc", *, ax: Axes | None = None) -> Axes:
        """Draw one of the figures; see `Verifications.plot` for several systems in one."""
        return Verifications({self.name: self}).plot(figure, ax=ax)

    def __repr__(self) -> str:
        eer = self.eer()
        return (
            f"Verification({self.name!r}: {self.tally.n_mated} mated, {self.tally.n_nonmated} non-mated, "
            f"{unit_name(self.tally.unit)}; EER {eer.value:.4g} at {eer.threshold:g}, AUC {self.auc():.6g})"
        )

    def _repr_html_(self) -> str:
        return table_html(self.to_frame().drop("system"), caption=repr(self))


def _with_intervals(result: AtFmr | AtTmr | AtThreshold, *names: str) -> dict[str, Any]:
    """Return a result as a dictionary with the interval keys of its estimates, empty until they are computed."""
    fields = asdict(result)
    caution = fields.pop("caution")
    for name in names:
        if name != "threshold":
            fields[f"{name}_se"] = None
        fields[f"{name}_low"] = fields[f"{name}_high"] = None
    return {**fields, "caution": caution}
