"""What an interval presumes, and when it is not to be leaned on, in words."""

from __future__ import annotations

__all__ = ["FEW_SUBJECTS", "few_behind_errors", "few_for_a_threshold", "joined", "on_dependence"]

FEW_SUBJECTS = 50
_FEW_BEHIND = 20


def on_dependence(subjects: int | None, *, resampled: bool) -> str | None:
    """Warn where comparisons are taken as independent, or where few subjects were resampled."""
    if resampled:
        if subjects is not None and subjects < FEW_SUBJECTS:
            return f"only {subjects} subjects: such intervals may cover as little as 90 %"
        return None
    if subjects is None:
        return (
            "subjects are not known or were not counted: the interval presumes independent comparisons and is too "
            "narrow if subjects recur"
        )
    return "the interval presumes independent comparisons, though subjects recur: it is too narrow"


def few_for_a_threshold(expected: float, *, resampled: bool) -> str | None:
    """Warn where so few false matches are expected that the threshold is hardly determined."""
    if expected >= (20 if resampled else 10):
        return None
    return f"with {expected:.3g} false matches expected the threshold is hardly determined"


def few_behind_errors(subjects: float | None, errors: int) -> str | None:
    """Warn where errors enough for an interval come from few subjects: a few other people could change the rate."""
    if subjects is None or subjects >= _FEW_BEHIND or errors < 2 * _FEW_BEHIND:
        return None
    return f"the {errors} errors are as uneven as if {subjects:.0f} subjects had made them all"


def joined(*parts: str | None) -> str | None:
    """Put sentences together, leaving out those that are empty or said already."""
    said = dict.fromkeys(sentence for part in parts if part for sentence in part.split("; "))
    return "; ".join(said) if said else None
