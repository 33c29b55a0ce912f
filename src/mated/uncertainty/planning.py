"""How many comparisons and subjects a test needs to show a claim, and what a test of given size can show.

A claim is "the error rate is at most x", shown at a one-sided confidence. Comparisons that share subjects say less than
independent ones; a design effect tells how many of them weigh as much as one independent comparison.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from mated.errors import MatedError
from mated.uncertainty.acceptance import AcceptanceTest, acceptance_at, acceptance_tests
from mated.uncertainty.binomial import rule_of_three
from mated.uncertainty.design import check_design, comparisons_of, effect_at, fewest_subjects
from mated.verification.rates import exact_rate

if TYPE_CHECKING:
    from mated.uncertainty.design import Design, DesignEffect, Rate

__all__ = [
    "Plan",
    "RatePlan",
    "Requirement",
    "Shown",
    "ShownRate",
    "plan",
    "what_can_be_shown",
]

_RULE_OF_30 = 30


@dataclass(frozen=True)
class Requirement:
    """What one rule asks for.

    Attributes
    ----------
    comparisons
        Independent comparisons.
    errors_allowed
        The most errors that may be seen if the claim is to be shown; None where not even zero would show it.
    power
        The probability of seeing no more than that at the expected rate.
    design_effect, comparisons_dependent
        The design effect at `subjects`, and the comparisons that weigh as much as `comparisons` independent ones. Of
        so many, about `errors_allowed` times the design effect may be errors.
    subjects
        The fewest subjects whose comparisons suffice.
    """

    comparisons: int
    errors_allowed: int | None
    power: float
    design_effect: float
    comparisons_dependent: int
    subjects: int


@dataclass(frozen=True)
class RatePlan:
    """What is needed to show that one rate lies below a claim, by each rule.

    Attributes
    ----------
    claim, expected
        The rate to be shown and the true rate that is expected.
    zero_errors
        Rule of 3: a test that passes only without any error. Its power is low unless the expected rate is far below
        the claim.
    thirty_errors
        Rule of 30: enough comparisons for 30 errors at the expected rate, so that the rate is known to within 30 % at
        90 % confidence.
    exact
        The fewest comparisons with the power asked for, by the exact binomial distribution.
    exact_stable
        The number from which on every larger test has that power too: power is saw-toothed, so a test
        slightly larger than `exact` may have less.
    caution
        What the numbers take for granted.
    """

    claim: float
    expected: float
    zero_errors: Requirement
    thirty_errors: Requirement
    exact: Requirement
    exact_stable: Requirement
    caution: str | None


@dataclass(frozen=True)
class Plan:
    """A plan for a test; `subjects` is what `exact_stable` asks for, the larger where both rates are planned."""

    fmr: RatePlan | None
    fnmr: RatePlan | None
    subjects: int
    samples: int
    design: Design
    mated_comparisons: int
    nonmated_comparisons: int
    confidence: float
    power: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, those of the parts within."""
        return asdict(self)


@dataclass(frozen=True)
class ShownRate:
    """What one kind of comparison can show.

    Attributes
    ----------
    comparisons, effective
        Their number, and that divided by the design effect.
    zero_errors
        The smallest claim that a test without errors supports.
    zero_errors_worst_case
        The same if all comparisons of a subject (FNMR), or all that share a subject (FMR), said only one thing: S
        trials for FNMR, ⌊S/2⌋ for FMR.
    thirty_errors
        The smallest claim that 30 errors support; None where there are no more than 30 comparisons.
    thirty_errors_rate
        The observed rate that 30 errors stand for, the lowest that is known to within 30 % at 90 % confidence.
    """

    comparisons: int
    effective: float
    design_effect: float
    zero_errors: float
    zero_errors_worst_case: float
    thirty_errors: float | None
    thirty_errors_rate: float | None


@dataclass(frozen=True)
class Shown:
    """What a test of given size can show; `fnmr` is None where one sample a subject leaves no mated comparison."""

    subjects: int
    samples: int
    design: Design
    confidence: float
    fmr: ShownRate
    fnmr: ShownRate | None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, those of the parts within."""
        return asdict(self)


def plan(
    *,
    fmr: float | None = None,
    fnmr: float | None = None,
    expected_fmr: float | None = None,
    expected_fnmr: float | None = None,
    confidence: float = 0.95,
    power: float = 0.8,
    samples: int = 2,
    design: Design = "all-pairs",
    design_effect_nonmated: DesignEffect = 1.0,
    design_effect_mated: DesignEffect = 1.0,
) -> Plan:
    """Return how large a test must be to show that FMR ≤ `fmr`, FNMR ≤ `fnmr`, or both.

    For S subjects with m samples each the design "all-pairs" gives S·m(m−1)/2 mated and S(S−1)/2·m² non-mated
    comparisons, "one-pair" gives S and S(S−1)/2.

    Three rules are answered side by side. Rule of 3: the fewest comparisons n with (1 − claim)ⁿ ≤ 1 − confidence, about
    3/claim at 95 %. Rule of 30: 30/expected. Exact: the fewest n for which some number of errors c has
    P(X ≤ c | claim) ≤ 1 − confidence, so that the Clopper–Pearson upper bound at c is at most the claim, and
    P(X ≤ c | expected) ≥ power.

    Parameters
    ----------
    fmr, fnmr
        The claims; at least one.
    expected_fmr, expected_fnmr
        The true rates expected, below the claims; half the claim where not given.
    confidence
        One-sided confidence of the claim.
    power
        Probability of showing the claim if the expected rate is the true one.
    samples
        Samples of each subject.
    design_effect_nonmated, design_effect_mated
        1 for independent comparisons. That of mated comparisons may come from `design.cluster_design_effect`. That of
        non-mated comparisons grows with the number of subjects, so a number from a pilot holds for tests of the
        pilot's size; for others give a function of the number of subjects, such as
        `design.pairwise_design_effect` makes.

    A design effect is an average over the errors that a pilot saw. At rates far below those of the pilot it may be
    another one.

    Reference: Clopper and Pearson (1934); ISO/IEC 19795-1 for the rules of 3 and 30; Kish (1965) for design effects.
    """
    if fmr is None and fnmr is None:
        raise MatedError("a plan needs a claim: the FMR or the FNMR that is to be shown")
    check_design(design, samples)
    certainty = float(exact_rate(confidence, "the confidence"))
    target = float(exact_rate(power, "the power"))
    if fnmr is not None and samples < 2:
        raise MatedError("mated comparisons, and so an FNMR, need at least 2 samples a subject")

    def planned(rate: Rate, claim: float | None, expected: float | None, effect: DesignEffect) -> RatePlan | None:
        if claim is None:
            return None
        return _rate_plan(rate, _rates(rate, claim, expected), (certainty, target), (samples, design), effect)

    for_fmr = planned("fmr", fmr, expected_fmr, design_effect_nonmated)
    for_fnmr = planned("fnmr", fnmr, expected_fnmr, design_effect_mated)
    subjects = max(p.exact_stable.subjects for p in (for_fmr, for_fnmr) if p is not None)
    return Plan(
        fmr=for_fmr,
        fnmr=for_fnmr,
        subjects=subjects,
        samples=samples,
        design=design,
        mated_comparisons=comparisons_of("fnmr", subjects, samples, design),
        nonmated_comparisons=comparisons_of("fmr", subjects, samples, design),
        confidence=certainty,
        power=target,
    )


def what_can_be_shown(
    subjects: int,
    samples: int,
    *,
    confidence: float = 0.95,
    design: Design = "all-pairs",
    design_effect_nonmated: DesignEffect = 1.0,
    design_effect_mated: DesignEffect = 1.0,
) -> Shown:
    """Return the smallest FMR and FNMR that S subjects with m samples each could show: `plan` the other way round.

    Formula, with N comparisons and the design effect D: without errors 1 − (1 − confidence)^(D/N); with 30 errors the
    one-sided Clopper–Pearson upper bound for 30/D of N/D. The designs and design effects are those of `plan`.
    """
    check_design(design, samples, subjects)
    certainty = float(exact_rate(confidence, "the confidence"))

    def shown(rate: Rate, effect: DesignEffect, worst: int) -> ShownRate:
        return _shown_rate(
            comparisons_of(rate, subjects, samples, design), effect_at(effect, subjects), worst, certainty
        )

    return Shown(
        subjects=subjects,
        samples=samples,
        design=design,
        confidence=certainty,
        fmr=shown("fmr", design_effect_nonmated, subjects // 2),
        fnmr=shown("fnmr", design_effect_mated, subjects) if samples > 1 else None,
    )


def _rate_plan(
    rate: Rate,
    rates: tuple[float, float],
    aims: tuple[float, float],
    layout: tuple[int, Design],
    effect: DesignEffect,
) -> RatePlan:
    (claim, expected), (confidence, power) = rates, aims

    def requirement(test: AcceptanceTest) -> Requirement:
        subjects = fewest_subjects(rate, test.trials, *layout, effect)
        deff = effect_at(effect, subjects)
        return Requirement(
            comparisons=test.trials,
            errors_allowed=test.errors_allowed,
            power=test.power,
            design_effect=deff,
            comparisons_dependent=_up(test.trials * deff),
            subjects=subjects,
        )

    none = _up(math.log1p(-confidence) / math.log1p(-claim))
    exact, stable = acceptance_tests(claim, expected, confidence, power)
    return RatePlan(
        claim=claim,
        expected=expected,
        zero_errors=requirement(AcceptanceTest(none, 0, math.exp(none * math.log1p(-expected)))),
        thirty_errors=requirement(acceptance_at(_up(_RULE_OF_30 / expected), claim, expected, confidence)),
        exact=requirement(exact),
        exact_stable=requirement(stable),
        caution=_caution(rate, layout, effect),
    )


def _caution(rate: Rate, layout: tuple[int, Design], effect: DesignEffect) -> str | None:
    if callable(effect):
        return None
    if effect == 1:
        samples, design = layout
        if rate == "fnmr" and (design == "one-pair" or samples == 2):
            return None
        return "takes comparisons that share subjects for independent; more subjects are needed"
    if rate == "fmr":
        return "the design effect of non-mated comparisons grows with the subjects; a number holds for one size of test"
    return None


def _shown_rate(count: int, effect: float, worst: int, confidence: float) -> ShownRate:
    from scipy.special import betaincinv

    effective = count / effect
    errors = _RULE_OF_30 / effect
    enough = count > _RULE_OF_30
    return ShownRate(
        comparisons=count,
        effective=effective,
        design_effect=effect,
        zero_errors=rule_of_three(effective, confidence).exact,
        zero_errors_worst_case=rule_of_three(worst, confidence).exact,
        thirty_errors=float(betaincinv(errors + 1, effective - errors, confidence)) if enough else None,
        thirty_errors_rate=_RULE_OF_30 / count if enough else None,
    )


def _rates(rate: Rate, claim: float, expected: float | None) -> tuple[float, float]:
    label = rate.upper()
    most = exact_rate(claim, f"the {label} to be shown")
    likely = most / 2 if expected is None else exact_rate(expected, f"the expected {label}")
    if likely >= most:
        raise MatedError(
            f"the expected {label} must lie below the {label} to be shown, and {expected} is not below {claim}; "
            "no test can be planned to show what is not so"
        )
    return float(most), float(likely)


def _up(value: float) -> int:
    """Round up, but not for a rounding error."""
    return max(1, math.ceil(value * (1 - 1e-12)))
