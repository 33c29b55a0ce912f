"""What an interval presumes, and when it is not to be leaned on, in words."""

from __future__ import annotations

__all__ = ["FEW_SUBJECTS", "few_for_a_threshold", "joined", "on_dependence"]

FEW_SUBJECTS = 50


def on_dependence(subjects: int | None, *, resampled: bool) -> str | None:
    """Warn where comparisons are taken as independent, or where few subjects were resampled."""
    if resampled:
        if subjects is not None and subjects < FEW_SUBJECTS:
            return f"only {subjects} subjects: such intervals may cover as little as 90 %"
        return None
    if subjects is None:
        return (
            "subjects are not known: the interval presumes independent comparisons and is too narrow if subjects recur"
        )
    return "the interval presumes independent comparisons, though subjects recur: it is too narrow"


def few_for_a_threshold(expected: float, *, resampled: bool) -> str | None:
    """Warn where so few false matches are expected that the threshold is hardly determined."""
    if expected >= (20 if resampled else 10):
        return None
    return f"with {expected:.3g} false matches expected the threshold is hardly determined"


def joined(*parts: str | None) -> str | None:
    """Put sentences together, leaving out those that are empty or said already."""
    said = list(dict.fromkeys(part for part in parts if part))
    return "; ".join(said) if said else None
