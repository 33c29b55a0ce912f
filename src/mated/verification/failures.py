"""Error rates with failures to acquire and to enrol: FRR and FAR beside FNMR and FMR, after ISO/IEC 19795-1.

FNMR and FMR are of the comparison alone: over comparisons that gave a score. A person at a gate does not care why they
were turned away, so the rates of whole attempts count what gave no score too:

    FRR  = FTA + (1 − FTA)·FNMR                     GFRR = FTE + (1 − FTE)·FRR
    FAR  = (1 − FTA)·FMR                            GFAR = (1 − FTE)·FAR

FTA is the share of attempts whose sample could not be acquired, FTE the share of people who could not be enrolled. One
attempt makes a transaction; where a person may try again, the rates of transactions are lower and cannot be told from
single comparisons.

A file of comparisons knows failures as comparisons without a score. They are counted apart in each class, φ_m of the
mated and φ_n of the non-mated attempts, and are taken as failures to acquire: a mated attempt that fails is a false
rejection, a non-mated one can be no false acceptance. So, with e errors and u failures in n + u attempts,

    FRR = (e + u)/(n + u) = φ_m + (1 − φ_m)·FNMR    FAR = e/(n + u) = (1 − φ_n)·FMR.

What the file cannot know is given beside it: FTE, and an FTA of attempts that the file does not list. It comes first
and multiplies: 1 − FRR = (1 − FTA)·(1 − φ_m)·(1 − FNMR), FAR = (1 − FTA)·(1 − φ_n)·FMR. A failure that the file lists
must not be in the FTA given too.

Limits: a sample that was never acquired fails in every comparison it was meant for, so φ weighs it by their number; an
FTA over attempts weighs it once. They are equal where every sample has as many comparisons.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError
from mated.scores import Tally
from mated.scores.ids import PairIds
from mated.verification.rates import exact_rate

if TYPE_CHECKING:
    from mated.scores import Comparisons

__all__ = [
    "NONE_GIVEN",
    "FailureRate",
    "FailureRates",
    "WithFailures",
    "attempted_comparisons",
    "attempted_tally",
    "unscored_shares",
    "with_failures",
]

_COUNTS = re.compile(r"\s*(\d+)\s*/\s*(\d+)\s*")


@dataclass(frozen=True)
class FailureRate:
    """A rate of failure as it is given: a number, or how many of how many failed.

    Attributes
    ----------
    rate
        The rate, exact, from 0 to 1.
    failures, trials
        What it was counted on; None where only the rate is known, which is then taken as known without error.
    """

    rate: Fraction
    failures: int | None = None
    trials: int | None = None

    @classmethod
    def of(cls, given: object, what: str) -> FailureRate:
        """Read 0.01, "0.01" or "3/300", and refuse what is no rate."""
        counts = _COUNTS.fullmatch(given) if isinstance(given, str) else None
        bare = given if counts is None else f"{counts[1]}/{counts[2]}"
        rate = exact_rate(bare, what, one_allowed=True, zero_allowed=True)
        return cls(rate) if counts is None else cls(rate, int(counts[1]), int(counts[2]))


@dataclass(frozen=True)
class FailureRates:
    """Failures that the comparisons do not show: to enrol (of people) and to acquire (of attempts not listed)."""

    fte: FailureRate | None = None
    fta: FailureRate | None = None

    @classmethod
    def of(cls, *, fte: object = None, fta: object = None) -> FailureRates:
        """Read both rates as `FailureRate.of` does; None where one is not known."""
        return cls(
            None if fte is None else FailureRate.of(fte, "a failure-to-enrol rate"),
            None if fta is None else FailureRate.of(fta, "a failure-to-acquire rate"),
        )

    def __bool__(self) -> bool:
        return self.fte is not None or self.fta is not None


NONE_GIVEN = FailureRates()
"""Nothing is known of failures but what the comparisons show."""


@dataclass(frozen=True)
class WithFailures:
    """The rates of attempts at one operating point; the generalised ones are None where no FTE is given."""

    frr: float
    far: float
    gfrr: float | None
    gfar: float | None


def unscored_shares(tally: Tally) -> tuple[Fraction, Fraction]:
    """Return φ_m and φ_n: which share of the mated and of the non-mated attempts gave no score."""
    shares = [
        Fraction(failures, failures + scored) if failures + scored else Fraction(0)
        for failures, scored in (
            (tally.mated_failures, tally.n_mated),
            (tally.nonmated_failures, tally.n_nonmated),
        )
    ]
    return shares[0], shares[1]


def with_failures(
    tally: Tally, *, fmr: float | Fraction, fnmr: float | Fraction, given: FailureRates = NONE_GIVEN
) -> WithFailures:
    """Return FRR and FAR, and with an FTE also GFRR and GFAR, where the comparisons have these FMR and FNMR.

    Formulas as above, in exact arithmetic and rounded once. Reference: ISO/IEC 19795-1.
    """
    without_mated, without_nonmated = unscored_shares(tally)
    acquired = 1 - (given.fta.rate if given.fta else Fraction(0))
    accepted = acquired * (1 - without_mated) * (1 - Fraction(fnmr))
    far = acquired * (1 - without_nonmated) * Fraction(fmr)
    if given.fte is None:
        return WithFailures(float(1 - accepted), float(far), None, None)
    enrolled = 1 - given.fte.rate
    return WithFailures(float(1 - accepted), float(far), float(1 - enrolled * accepted), float(enrolled * far))


def attempted_tally(tally: Tally) -> Tally:
    """Return the tally of all attempts: those without a score stand at −∞, below every threshold.

    Its FNMR and FMR at any finite threshold are φ_m + (1 − φ_m)·FNMR and (1 − φ_n)·FMR, so intervals of theirs are
    intervals of FRR and FAR.
    """
    number = tally.scores.dtype.type
    failed = Tally(
        np.array([-np.inf], dtype=number),
        np.array([tally.mated_failures], dtype=np.int64),
        np.array([tally.nonmated_failures], dtype=np.int64),
        dissimilarity=tally.dissimilarity,
        unit_choice=tally.unit_choice,
    )
    return replace(tally, mated_failures=0, nonmated_failures=0) + failed


def attempted_comparisons(comparisons: Comparisons) -> Comparisons:
    """Return all attempts as a table with their subjects, those without a score at −∞; see `attempted_tally`."""
    known, failed = comparisons.subjects, comparisons.failed_subjects
    if known is None or (failed is None and len(comparisons.failed_mated)):
        raise MatedError("whose comparisons failed is not known; intervals by subject need to know it")
    n_failed = len(comparisons.failed_mated)
    number = comparisons.score.dtype if comparisons.score.dtype.kind == "f" else np.dtype(np.float64)
    subjects = known
    if failed is not None:
        subjects = PairIds(
            np.concatenate([known.probe, failed.probe]),
            np.concatenate([known.reference, failed.reference]),
            known.names,
            known.given,
        )
    return replace(
        comparisons,
        score=np.concatenate([comparisons.score.astype(number), np.full(n_failed, -np.inf, dtype=number)]),
        mated=np.concatenate([comparisons.mated, comparisons.failed_mated]),
        subjects=subjects,
        samples=None,
        covariates={},
        failed_mated=np.zeros(0, dtype=bool),
        failed_covariates={},
        failed_subjects=None,
        failed_samples=None,
    )
