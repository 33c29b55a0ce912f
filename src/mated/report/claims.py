"""Claims answered from what was measured.

A claim names one side of a limit. It is "supported" where the whole interval of the stated confidence lies on the
claimed side, "not supported" where the whole interval lies on the other, and "undecided" where the interval holds the
limit or the data give no interval. The interval is the one that the library prints, two-sided: at 95 % the chance to
call a false claim supported is 2.5 %, as far as the interval keeps its level. A claim that was met without an error
still needs enough comparisons: no error among n independent ones supports a rate of about 3.7/n and above
(Clopper–Pearson).

An FMR, FNMR or TMR without a condition is claimed at the thresholds in use, which the study names, and answered at
each. Where it names none the claim is undecided, for any system keeps any FMR at a threshold that nobody reaches; the
answer says at which threshold these data would support it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan
from typing import TYPE_CHECKING, Literal, TypeAlias

from mated.errors import MatedError
from mated.report.findings import ClaimAnswer
from mated.report.numbers_in_words import plain_digits
from mated.uncertainty.cautions import joined

if TYPE_CHECKING:
    from collections.abc import Callable

    from mated.evaluation import Bootstrap, Identification, Prediction, QualityEvaluation
    from mated.evaluation.estimate import Estimate
    from mated.report.claims_grammar import Claim, Direction

__all__ = ["Evidence", "Sources", "Verdict", "answer_claim", "evidence_for", "verdict_of"]

Verdict: TypeAlias = Literal["supported", "not supported", "undecided"]

_SIDES = {"<=": "at or below", ">=": "at or above", "<": "below", ">": "above"}
_OTHERS = {"<=": "above", ">=": "below", "<": "at or above", ">": "at or below"}


@dataclass(frozen=True)
class Evidence:
    """A number with its interval and what stands behind it; `reason` says why there is none."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    errors: float | None = None
    trials: int | None = None
    subjects: int | None = None
    method: str = ""
    caution: str | None = None
    reason: str | None = None
    basis: Literal["measured", "forecast"] = "measured"
    trial: str = "comparison"


@dataclass(frozen=True)
class Sources:
    """Where the answers about one system come from; None where that was not possible, and `why` says why.

    `forecast(claim, level)` predicts for the gallery of a claim; `thresholds` are those in use.
    """

    bootstrap: Bootstrap | None = None
    identification: Identification | None = None
    quality: QualityEvaluation | None = None
    forecast: Callable[[Claim, float], Prediction] | None = None
    thresholds: tuple[float, ...] = ()
    why_no_identification: str = "there were no searches"
    why_no_quality: str = "there were no qualities"


def verdict_of(direction: Direction, limit: float, low: float | None, high: float | None) -> Verdict:
    """Say on which side of the limit an interval lies.

    The interval is closed: "<=" is supported when high ≤ limit and refused when low > limit; "<" is supported when
    high < limit and refused when low ≥ limit; ">=" and ">" are their mirror images.
    """
    if low is None or high is None or isnan(low) or isnan(high):
        return "undecided"
    met = {"<=": high <= limit, "<": high < limit, ">=": low >= limit, ">": low > limit}[direction]
    missed = {"<=": low > limit, "<": low >= limit, ">=": high < limit, ">": high <= limit}[direction]
    return "supported" if met else "not supported" if missed else "undecided"


def answer_claim(claim: Claim, system: str, sources: Sources, level: float) -> tuple[ClaimAnswer, ...]:
    """Answer a claim about one system; an area is answered for each quality algorithm unless one is named.

    A rate of verification that does not say where is answered at each threshold in use.
    """
    if claim.at_the_thresholds_in_use and sources.thresholds:
        placed = (replace(claim, at={"threshold": t}) for t in sources.thresholds)
        return tuple(_answer(one, system, _safely(one, sources, level), level) for one in placed)
    if claim.measure != "pauc":
        return (_answer(claim, system, _safely(claim, sources, level), level),)
    if sources.quality is None:
        return (_answer(claim, system, Evidence(reason=sources.why_no_quality), level),)
    algorithms = (claim.about,) if claim.about is not None else sources.quality.ranking
    return tuple(_answer(claim, f"{system}: {name}", _area(sources.quality, name, level), level) for name in algorithms)


def evidence_for(claim: Claim, sources: Sources, level: float) -> Evidence:
    """Return the number a claim is about with the interval that the library prints; no area.

    Raises
    ------
    MatedError
        The data cannot say it; the sentence says why.
    """
    if claim.forecast:
        return _forecast(claim, sources, level)
    if claim.measure in ("rank", "fnir", "tpir", "fpir"):
        if sources.identification is None:
            raise MatedError(sources.why_no_identification)
        return _searched(claim, replace(sources.identification, level=level))
    if sources.bootstrap is None:
        raise MatedError("there are no intervals; ask for replicates")
    b = sources.bootstrap if sources.bootstrap.level == level else replace(sources.bootstrap, level=level)
    if claim.at_the_thresholds_in_use:
        raise MatedError(_why_a_threshold(claim, b))
    return _verified(claim, b)


def _safely(claim: Claim, sources: Sources, level: float) -> Evidence:
    try:
        return evidence_for(claim, sources, level)
    except MatedError as error:
        return Evidence(reason=str(error), basis="forecast" if claim.forecast else "measured")


def _verified(claim: Claim, b: Bootstrap) -> Evidence:
    at = claim.at
    if claim.measure == "eer":
        eer = b.eer()
        return _of(eer.eer, eer.point.caution)
    if claim.measure == "auc":
        return _of(b.auc(), None)
    if "threshold" in at:
        both = b.at_threshold(at["threshold"])
        rate = {"fmr": both.fmr, "fnmr": both.fnmr, "tmr": both.tmr}[claim.measure]
        return _of(rate, both.point.caution)
    if "tmr" in at:
        given = b.at_tmr(at["tmr"])
        return _of(given.fmr, given.point.caution)
    found = b.at_fmr(at["fmr"])
    return _of(found.fnmr if claim.measure == "fnmr" else found.tmr, found.point.caution)


def _why_a_threshold(claim: Claim, b: Bootstrap) -> str:
    """Say that a rate belongs to a threshold, and from which one on these data would support the claim."""
    other = "" if claim.measure == "fmr" else ", or the FMR ('at fmr 1e-3')"
    why = (
        "it depends on the threshold, and the study names none; name the one in use in the claim "
        f"('at threshold 40') or in the study ([points] threshold, --threshold){other}"
    )
    if claim.measure != "fmr" or claim.direction not in ("<=", "<") or b.verification.streaming is not None:
        return why
    found = _first_supporting_threshold(claim, b)
    if found is None:
        return f"{why}. These data support it at none of the scores they hold: the comparisons are too few"
    threshold, fnmr = found
    where = f"at threshold {threshold:.10g} and stricter, where the FNMR is {_written(claim, fnmr)}"
    return f"{why}. These data would support it {where} and more"


def _first_supporting_threshold(claim: Claim, b: Bootstrap) -> tuple[float, float] | None:
    """Return the laxest of the observed scores at which the claim is supported, found by halving, and the FNMR there.

    The upper end of the FMR falls with the threshold, but for ripples of the variance's estimate; what is returned is
    supported in any case.
    """
    tally = b.verification.tally

    def at(index: int) -> tuple[bool, float, float]:
        threshold = tally.to_user(float(tally.scores[index]))
        both = b.at_threshold(threshold)
        met = verdict_of(claim.direction, claim.limit, both.fmr.low, both.fmr.high) == "supported"
        return met, threshold, both.fnmr.value

    low, high = -1, len(tally.scores) - 1
    met, *best = at(high)
    if not met:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        met, *found = at(middle)
        low, high, best = (low, middle, found) if met else (middle, high, best)
    return best[0], best[1]


def _of(e: Estimate, caution: str | None) -> Evidence:
    return Evidence(
        e.value, e.low, e.high, e.errors, e.comparisons, e.subjects, e.method, joined(caution, e.caution)
    )  # fmt: skip


def _searched(claim: Claim, found: Identification) -> Evidence:
    r = found.ranks
    if claim.measure == "rank":
        assert claim.rank is not None
        e = found.at_rank(claim.rank)
        return Evidence(e.value, e.low, e.high, e.errors, e.probes, e.subjects, e.method, e.caution, trial="search")
    if "threshold" in claim.at:
        point, fpir, fnir = found.at_threshold(claim.at["threshold"])
        e = {"fpir": fpir, "fnir": fnir, "tpir": fnir.complement()}[claim.measure]
        caution = joined(point.caution, e.caution)
        return Evidence(e.value, e.low, e.high, e.errors, e.probes, e.subjects, e.method, caution, trial="search")
    at = found.at_fpir(claim.at["fpir"])
    missed = Evidence(
        at.point.fnir, at.low, at.high, at.point.errors_mated, r.n_mated, at.subjects_mated, at.method, at.caution,
        trial="search",
    )  # fmt: skip
    return missed if claim.measure == "fnir" else _complement(missed)


def _forecast(claim: Claim, sources: Sources, level: float) -> Evidence:
    if sources.forecast is None:
        raise MatedError("a forecast needs to know who was compared; give both subjects of every comparison")
    made = sources.forecast(claim, level)
    gallery = made[claim.at["gallery"]]
    if claim.measure == "rank":
        k = gallery.ranks.index(claim.rank or 1)
        low, high = (None, None) if gallery.low is None or gallery.high is None else (gallery.low[k], gallery.high[k])
        return Evidence(
            gallery.rate[k], low, high, subjects=made.subjects, method=f"forecast, {gallery.method}",
            caution=gallery.caution, basis="forecast",
        )  # fmt: skip
    asked = claim.at.get("fpir")
    point = next(
        p for p in gallery.open_set
        if (p.fpir_target == asked if asked is not None else p.threshold == claim.at["threshold"])
    )  # fmt: skip
    if claim.measure == "fpir":
        rate = (point.fpir, point.fpir_low, point.fpir_high)
    else:
        rate = (point.fnir, point.fnir_low, point.fnir_high)
    found = Evidence(
        *rate, None, None, made.subjects, f"forecast, {point.method}", joined(gallery.caution, point.caution),
        basis="forecast",
    )  # fmt: skip
    return _complement(found) if claim.measure == "tpir" else found


def _area(quality: QualityEvaluation, algorithm: str, level: float) -> Evidence:
    evaluation = quality if quality.level == level else replace(quality, level=level)
    found = evaluation[algorithm]
    c = evaluation.comparisons
    return Evidence(
        found.pauc, found.low, found.high, evaluation.starting.errors, None, c.n_subjects,
        f"bootstrap of {evaluation.units.kind}" if evaluation.replicates else "", evaluation.caution,
        reason=None if evaluation.replicates else "the areas have no intervals; ask for replicates",
    )  # fmt: skip


def _complement(e: Evidence) -> Evidence:
    return replace(
        e,
        value=None if e.value is None else 1 - e.value,
        low=None if e.high is None else 1 - e.high,
        high=None if e.low is None else 1 - e.low,
    )


def _answer(claim: Claim, system: str, e: Evidence, level: float) -> ClaimAnswer:
    verdict = verdict_of(claim.direction, claim.limit, e.low, e.high)
    return ClaimAnswer(
        claim=claim.text,
        system=system,
        verdict=verdict,
        value=e.value,
        low=e.low,
        high=e.high,
        level=level,
        errors=None if e.errors is None else round(e.errors),
        subjects=e.subjects,
        sentence=_sentence(claim, verdict, e, level),
        caution=e.caution,
        limit=claim.limit,
        direction=claim.direction,
        basis=e.basis,
        trials=e.trials,
        method=e.method,
    )


def _sentence(claim: Claim, verdict: Verdict, e: Evidence, level: float) -> str:
    """Say the verdict, the number, its interval, and what it rests on."""
    said = verdict.capitalize()
    if e.value is None:
        return f"{said}: {claim.words} cannot be told from these data: {e.reason}."
    foreseen = "is forecast at" if e.basis == "forecast" else "is"
    number = f"{claim.words} {foreseen} {_written(claim, e.value)}"
    behind = _behind(e)
    if e.low is None or e.high is None:
        why = e.reason or e.caution or "no interval was made"
        return f"{said}: {number}, but it has no interval: {why}{behind}."
    interval = f"{100 * level:g} % interval {_written(claim, e.low, unit=False)} to {_written(claim, e.high)}"
    limit = _written(claim, claim.limit)
    where = {
        "supported": f"wholly {_SIDES[claim.direction]} {limit}",
        "not supported": f"wholly {_OTHERS[claim.direction]} {limit}",
        "undecided": f"which leaves open whether it is {_SIDES[claim.direction]} {limit}",
    }[verdict]
    return f"{said}: {number}, {interval}, {where}{behind}."


def _written(claim: Claim, value: float, *, unit: bool = True) -> str:
    """Write a rate as a percentage, as the page does, and an area as it is."""
    if claim.measure in ("auc", "pauc"):
        return f"{value:.4g}"
    return f"{plain_digits(100 * value, 4)}{' %' if unit else ''}"


def _behind(e: Evidence) -> str:
    """Say how many errors, trials and subjects stand behind a number."""
    people = None if e.subjects is None else _counted(e.subjects, "subject")
    if e.errors is None:
        return "" if people is None else f"; from {people}"
    errors = _counted(e.errors, "error")
    among = "" if e.trials is None else f" in {_counted(e.trials, e.trial)}"
    return f"; {errors}{among}" + ("" if people is None else f" of {people}")


def _counted(number: float, noun: str) -> str:
    many = "" if number == 1 else "es" if noun.endswith("ch") else "s"
    written = f"{number:,.0f}".replace(",", "\u202f") if number == int(number) else f"{number:.1f}"
    return f"{written} {noun}{many}"
