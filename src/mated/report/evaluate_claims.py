"""The claims of a study, each handed what was found about the systems it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mated.errors import MatedError
from mated.evaluation import predict
from mated.report.claims import Sources, answer_claim
from mated.report.study import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mated.evaluation import Prediction, QualityEvaluation
    from mated.report.claims_grammar import Claim
    from mated.report.findings import ClaimAnswer, SystemFindings
    from mated.report.study import ClaimSpec, Study

__all__ = ["answer_claims", "claims_about"]


def claims_about(study: Study, system: str) -> list[Claim]:
    """Return the claims that a system has to answer."""
    return [spec.claim for spec in study.claims if _is_about(spec, system)]


def answer_claims(
    study: Study,
    systems: Mapping[str, SystemFindings],
    qualities: Mapping[str, QualityEvaluation],
    why: Mapping[tuple[str, str], str],
) -> tuple[ClaimAnswer, ...]:
    """Answer every claim for every system it is about; `why` says why a section of a system was left out."""
    known = list(dict.fromkeys(name for made in qualities.values() for name in made.algorithms))
    sources = {name: _sources(study, system, qualities.get(name), why) for name, system in systems.items()}
    answers: list[ClaimAnswer] = []
    for spec in study.claims:
        claim = spec.claim
        if claim.measure == "pauc" and claim.about is not None and known and claim.about not in known:
            raise MatedError(
                f"the claim {claim.text!r} is about a quality algorithm {claim.about!r}, and there is none; "
                f"{nearest(claim.about, known)}"
            )
        for name in systems:
            if _is_about(spec, name):
                answers += answer_claim(claim, name, sources[name], spec.level or study.level)
    return tuple(answers)


def _is_about(spec: ClaimSpec, system: str) -> bool:
    claim = spec.claim
    named = spec.system or (claim.about if claim.measure != "pauc" else None)
    return named in (None, system)


def _sources(
    study: Study, system: SystemFindings, judged: QualityEvaluation | None, why: Mapping[tuple[str, str], str]
) -> Sources:
    v = system.verification
    return Sources(
        system.bootstrap,
        system.identification,
        judged,
        None if v.n_subjects is None or v.layout is None else _forecaster(study, system),
        study.points.threshold,
        why_no_identification=why.get(("Identification", system.name), "there were no searches"),
        why_no_quality=why.get(("Quality", system.name), "there were no qualities"),
    )


def _forecaster(study: Study, system: SystemFindings) -> Callable[[Claim, float], Prediction]:
    """Return a function that predicts for the gallery of a claim, from what was predicted already where it can."""

    def forecast(claim: Claim, level: float) -> Prediction:
        made, size = system.prediction, claim.at["gallery"]
        usable = made is not None and level == made.level and claim.measure == "rank"
        if usable and made and any(g.gallery_size == size and claim.rank in g.ranks for g in made.galleries):
            return made
        if claim.rank is not None and claim.rank > size:
            raise MatedError(f"a gallery of {size:g} has no rank {claim.rank}")
        return predict(
            system.verification,
            gallery=size,
            ranks=claim.rank or 1,
            fpir=claim.at.get("fpir"),
            threshold=claim.at.get("threshold"),
            length=min(study.identify.length, int(size)),
            replicates=study.forecast.replicates,
            rng=study.seed,
            level=level,
        )

    return forecast
