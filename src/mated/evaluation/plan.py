"""The verb `plan`: how large a test must be to show a claim, what a given test can show, with a pilot's dependence."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

from mated.errors import MatedError
from mated.evaluation.html import table_html
from mated.evaluation.pilot import ENOUGH, Pilot, count, pilot_of, pilot_verification, plain
from mated.uncertainty.acceptance import acceptance_at
from mated.uncertainty.design import cluster_design_effect, comparisons_of, pairwise_design_effect
from mated.uncertainty.planning import Plan, RatePlan, Shown, ShownRate, what_can_be_shown
from mated.uncertainty.planning import plan as plan_test

if TYPE_CHECKING:
    import polars as pl

    from mated.uncertainty.design import Design, DesignEffect

__all__ = ["RULES", "GivenClaim", "GivenTest", "NeededTest", "Pilot", "plan"]

RULES = {
    "zero_errors": "Rule of 3",
    "thirty_errors": "Rule of 30",
    "exact": "Exact, fewest",
    "exact_stable": "Exact, or more",
}
"""The rules of a plan and what they are called."""

_CAUTIOUS = 1.645  # standard errors above the estimate, the normal quantile of 95 %


@dataclass(frozen=True, repr=False)
class NeededTest:
    """How large a test must be.

    Attributes
    ----------
    plan
        By each rule, with the pilot's dependence where there is a pilot.
    independent
        The same if comparisons were independent; None where there is no pilot and `plan` presumes that already.
    cautious
        The same with the pilot's correlations at the upper end of their one-sided 95 % intervals.
    """

    plan: Plan
    pilot: Pilot | None = None
    independent: Plan | None = None
    cautious: Plan | None = None

    @property
    def rates(self) -> dict[Literal["fmr", "fnmr"], RatePlan]:
        """The plan of each rate that is to be shown."""
        parts: dict[Literal["fmr", "fnmr"], RatePlan | None] = {"fmr": self.plan.fmr, "fnmr": self.plan.fnmr}
        return {rate: part for rate, part in parts.items() if part is not None}

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        p = self.plan
        sure = f"with {_percent(p.confidence)} confidence and {_percent(p.power)} power"
        claims = [f"{rate.upper()} ≤ {plain(part.claim)}" for rate, part in self.rates.items()]
        supposed = [f"it is {plain(part.expected)}" for part in self.rates.values()]
        if len(claims) == 1:
            aim = f"{claims[0]} {sure} if {supposed[0]}"
        else:
            aim = " and ".join(f"{c} (if {s})" for c, s in zip(claims, supposed, strict=True)) + f" {sure}"
        held = _comparisons(p.nonmated_comparisons if p.fmr else None, p.mated_comparisons if p.fnmr else None)
        basis = "taken as independent"
        if self.independent is not None and self.cautious is not None:
            basis = (
                f"with the pilot's dependence; {count(self.independent.subjects)} subjects if they were independent, "
                f"{count(self.cautious.subjects)} if the pilot underrates it"
            )
        return f"To show {aim}: {_subjects(p.subjects, p.samples)} ({held}, {basis})."

    @property
    def cautions(self) -> tuple[str, ...]:
        """What the numbers take for granted."""
        said = [f"{rate.upper()}: {part.caution}" for rate, part in self.rates.items() if part.caution]
        return (*said, *_of_pilot(self.pilot))

    def to_dict(self) -> dict[str, Any]:
        """Return the plan's fields by name, and beside them `pilot`, `independent` and `cautious`."""
        return {
            **self.plan.to_dict(),
            "pilot": None if self.pilot is None else asdict(self.pilot),
            "independent": None if self.independent is None else self.independent.to_dict(),
            "cautious": None if self.cautious is None else self.cautious.to_dict(),
        }

    def to_frame(self) -> pl.DataFrame:
        """One row for each rate and rule, as a Polars frame."""
        import polars as pl

        return pl.DataFrame(
            [
                {"rate": rate, "rule": rule, **asdict(getattr(part, rule))}
                for rate, part in self.rates.items()
                for rule in RULES
            ]
        )

    def __repr__(self) -> str:
        return f"NeededTest({self.sentence})"

    def _repr_html_(self) -> str:
        return table_html(self.to_frame(), caption=self.sentence)


@dataclass(frozen=True)
class GivenClaim:
    """Whether a test of given size can show a claim.

    Attributes
    ----------
    errors_allowed
        The most errors that show the claim, about: the exact number for `effective` comparisons times the design
        effect. None where not even zero would.
    power
        The probability of no more errors than that at the expected rate.
    """

    claim: float
    expected: float
    errors_allowed: int | None
    power: float


@dataclass(frozen=True, repr=False)
class GivenTest:
    """What a test of given size can show; `claims` holds those that were asked about."""

    shown: Shown
    claims: dict[Literal["fmr", "fnmr"], GivenClaim]
    pilot: Pilot | None = None
    independent: Shown | None = None

    @property
    def rates(self) -> dict[Literal["fmr", "fnmr"], ShownRate]:
        """What each kind of comparison can show."""
        parts: dict[Literal["fmr", "fnmr"], ShownRate | None] = {"fmr": self.shown.fmr, "fnmr": self.shown.fnmr}
        return {rate: part for rate, part in parts.items() if part is not None}

    @property
    def sentence(self) -> str:
        """The answer in a sentence, and one more for each claim."""
        s = self.shown
        bounds = " and ".join(f"{rate.upper()} ≤ {part.zero_errors:.3g}" for rate, part in self.rates.items())
        held = _comparisons(s.fmr.comparisons, None if s.fnmr is None else s.fnmr.comparisons)
        basis = "with the pilot's dependence" if self.pilot is not None else "if comparisons were independent"
        result = (
            f"{_subjects(s.subjects, s.samples)} ({held}) without any error would show {bounds} "
            f"with {_percent(s.confidence)} confidence, {basis}."
        )
        for rate, c in self.claims.items():
            what = f"{rate.upper()} ≤ {plain(c.claim)}"
            if c.errors_allowed is None:
                result += f" {what} could not be shown, not even by a test without errors."
            else:
                errors = "error" if c.errors_allowed == 1 else "errors"
                result += (
                    f" {what} would be shown by at most {count(c.errors_allowed)} {errors}; if the rate is "
                    f"{plain(c.expected)}, that has a probability of {_power(c.power)}."
                )
        return result

    @property
    def cautions(self) -> tuple[str, ...]:
        """What the numbers take for granted."""
        if self.pilot is None:
            return ("takes comparisons that share subjects for independent; the test shows less",)
        return _of_pilot(self.pilot)

    def to_dict(self) -> dict[str, Any]:
        """Return what can be shown by name, the claims, and under `pilot` and `independent` what it rests on."""
        return {
            **self.shown.to_dict(),
            "claims": {rate: asdict(claim) for rate, claim in self.claims.items()},
            "pilot": None if self.pilot is None else asdict(self.pilot),
            "independent": None if self.independent is None else self.independent.to_dict(),
        }

    def to_frame(self) -> pl.DataFrame:
        """One row for each rate, as a Polars frame."""
        import polars as pl

        return pl.DataFrame([{"rate": rate, **asdict(part)} for rate, part in self.rates.items()])

    def __repr__(self) -> str:
        return f"GivenTest({self.sentence})"

    def _repr_html_(self) -> str:
        return table_html(self.to_frame(), caption=self.sentence)


@overload
def plan(
    *,
    fmr: float | None = ...,
    fnmr: float | None = ...,
    expected_fmr: float | None = ...,
    expected_fnmr: float | None = ...,
    confidence: float = ...,
    power: float = ...,
    subjects: None = ...,
    samples: int = ...,
    design: Design = ...,
    pilot: Any = ...,
) -> NeededTest: ...
@overload
def plan(
    *,
    fmr: float | None = ...,
    fnmr: float | None = ...,
    expected_fmr: float | None = ...,
    expected_fnmr: float | None = ...,
    confidence: float = ...,
    power: float = ...,
    subjects: int,
    samples: int = ...,
    design: Design = ...,
    pilot: Any = ...,
) -> GivenTest: ...
def plan(
    *,
    fmr: float | None = None,
    fnmr: float | None = None,
    expected_fmr: float | None = None,
    expected_fnmr: float | None = None,
    confidence: float = 0.95,
    power: float = 0.8,
    subjects: int | None = None,
    samples: int = 2,
    design: Design = "all-pairs",
    pilot: Any = None,
) -> NeededTest | GivenTest:
    """Return how large a test must be to show FMR ≤ `fmr`, FNMR ≤ `fnmr` or both; with `subjects`, what it can show.

    The rates are those at a threshold that is set before the test.

    Parameters
    ----------
    fmr, fnmr
        The claims.
    expected_fmr, expected_fnmr
        The true rates expected, below the claims; half of them where not given.
    confidence, power
        One-sided confidence of the claims, and the probability of showing them if the expected rates are true.
    subjects
        The size of a test; asks what it can show instead.
    samples, design
        Samples of each subject, and whether all are compared ("all-pairs") or one pair each ("one-pair").
    pilot
        Earlier comparisons with subjects, to allow for dependence: a `Verification`, a layout, a path or a data frame.
        The correlations are taken at the threshold of the claimed FMR (for a claimed FNMR alone, of that) or, where the
        pilot has fewer than 30 errors there, where it has 30. They presume that the pilot's samples were captured and
        compared as the test's will be.

    Examples
    --------
    >>> import mated
    >>> mated.plan(fmr=1e-4).plan.fmr.zero_errors.comparisons
    29956
    """
    for claim, expected, rate in ((fmr, expected_fmr, "FMR"), (fnmr, expected_fnmr, "FNMR")):
        if claim is None and expected is not None:
            raise MatedError(f"an expected {rate} plans nothing by itself; give the {rate} to be shown as well")
    if fmr is None and fnmr is None and subjects is None:
        raise MatedError(
            "nothing is asked: give the FMR or the FNMR that is to be shown, or the number of subjects of a test"
        )
    rates: dict[str, Any] = {"fmr": fmr, "fnmr": fnmr, "expected_fmr": expected_fmr, "expected_fnmr": expected_fnmr}
    options: dict[str, Any] = {"confidence": confidence, "design": design}
    asked = fmr is not None or fnmr is not None
    # Everything is planned as if independent first, so that a wrong number is refused before a pilot is read.
    needed = plan_test(**rates, samples=samples, power=power, **options) if asked else None
    shown = None if subjects is None else what_can_be_shown(subjects, samples, **options)
    if pilot is None:
        if shown is None:
            assert needed is not None
            return NeededTest(needed)
        return GivenTest(shown, _claims(needed, shown))
    seen = pilot_of(pilot_verification(pilot), fmr, fnmr)
    concerned = [rate for rate, given in (("fmr", fmr), ("fnmr", fnmr)) if given is not None or shown is not None]

    def effects(caution: float = 0.0) -> dict[str, Any]:
        return _design_effects(seen, concerned, samples, design, caution)

    if shown is not None:
        dependent = what_can_be_shown(shown.subjects, samples, **options, **effects())
        return GivenTest(dependent, _claims(needed, dependent), seen, shown)
    assert needed is not None
    likely, cautious = (
        plan_test(**rates, samples=samples, power=power, **options, **effects(z)) for z in (0.0, _CAUTIOUS)
    )
    return NeededTest(likely, seen, needed, cautious)


def _design_effects(
    pilot: Pilot, concerned: list[str], samples: int, design: Design, caution: float
) -> dict[str, DesignEffect]:
    """Carry the pilot's correlations, plus `caution` standard errors, over to other numbers of subjects and samples."""

    def raised(correlation: float, se: float | None) -> float:
        return min(correlation + caution * (se or 0.0), 1.0)

    effects: dict[str, DesignEffect] = {}
    if "fmr" in concerned:
        if pilot.correlation_nonmated is None:
            raise MatedError(
                f"{pilot.name}: the pilot is too small to show how dependent non-mated comparisons are; that takes "
                f"at least 4 subjects and more than {ENOUGH} comparisons"
            )
        effects["design_effect_nonmated"] = pairwise_design_effect(
            samples,
            shared=raised(pilot.correlation_nonmated, pilot.correlation_nonmated_se),
            same=pilot.correlation_same_pair or 0.0,
            design=design,
        )
    each = comparisons_of("fnmr", 1, samples, design)
    if "fnmr" in concerned and each > 1:
        if pilot.correlation_mated is None:
            raise MatedError(
                f"{pilot.name}: the pilot cannot show how dependent a subject's mated comparisons are; that takes "
                f"subjects with several of them, two subjects at least, and more than {ENOUGH} in all"
            )
        effect = cluster_design_effect(each, raised(pilot.correlation_mated, pilot.correlation_mated_se))
        effects["design_effect_mated"] = lambda subjects: effect
    return effects


def _claims(needed: Plan | None, shown: Shown) -> dict[Literal["fmr", "fnmr"], GivenClaim]:
    """Return with which power the test of given size shows each claim."""
    if needed is None:
        return {}
    claims: dict[Literal["fmr", "fnmr"], GivenClaim] = {}
    pairs: tuple[tuple[Literal["fmr", "fnmr"], RatePlan | None, ShownRate | None], ...] = (
        ("fmr", needed.fmr, shown.fmr),
        ("fnmr", needed.fnmr, shown.fnmr),
    )
    for rate, part, able in pairs:
        if part is None or able is None:
            continue
        test = acceptance_at(max(int(able.effective), 1), part.claim, part.expected, needed.confidence)
        allowed = None if test.errors_allowed is None else int(test.errors_allowed * able.design_effect)
        claims[rate] = GivenClaim(part.claim, part.expected, allowed, test.power)
    return claims


def _of_pilot(pilot: Pilot | None) -> tuple[str, ...]:
    return () if pilot is None or pilot.caution is None else (f"{pilot.name}: {pilot.caution}",)


def _percent(rate: float) -> str:
    return f"{100 * rate:.3g}\u00a0%"


def _power(power: float) -> str:
    return f"more than {_percent(0.999)}" if power > 0.999 else _percent(power)


def _subjects(subjects: int, samples: int) -> str:
    return f"{count(subjects)} subjects with {samples} sample{'s' if samples > 1 else ''} each"


def _comparisons(nonmated: int | None, mated: int | None) -> str:
    parts = [f"{count(n)} {kind}" for n, kind in ((nonmated, "non-mated"), (mated, "mated")) if n is not None]
    return f"{' and '.join(parts)} comparisons"
