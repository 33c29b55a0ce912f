"""FC-EDC: one error rate against the discard fraction while the other is held fixed (Schlett et al. 2023, section VII).

The threshold is found anew at each discard step among the comparisons that are kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.quality.curve import DiscardCurve, Interpolation, end_held
from mated.verification.rates import exact_rate

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from mated.scores.discard_order import Axis, DiscardOrder

    Counts: TypeAlias = NDArray[np.int64]

__all__ = ["Fixed", "Rule", "fixed_counterpart_curve"]

Fixed: TypeAlias = Literal["fmr", "fnmr"]
"""Which rate is held."""

Rule: TypeAlias = Literal["interpolated", "conservative"]
"""The rate exactly, ties interpolated (Wu 2008, Eqs. 5 and 6), or a threshold at which it is not exceeded."""


def fixed_counterpart_curve(
    order: DiscardOrder,
    rate: float,
    *,
    fixed: Fixed = "fmr",
    rule: Rule = "interpolated",
    interpolation: Interpolation = "step",
    axis: Axis = "comparisons",
) -> DiscardCurve:
    """Return FNMR at a fixed FMR (or FMR at a fixed FNMR) of the kept comparisons, at each discard step.

    "interpolated" is what `at_fmr` and `at_tmr` estimate of the kept comparisons; "conservative" is the rate at the
    threshold that does best while the fixed rate does not exceed its value. The order must be of both classes. The
    curve ends where one class is empty. One step costs the logarithm of the number of distinct scores for each
    comparison it discards.
    """
    if order.all_mated is None:
        raise MatedError("a fixed counterpart needs an order of mated and non-mated comparisons together")
    if fixed not in ("fmr", "fnmr"):
        raise MatedError(f"there is no rate {fixed!r} to hold; give 'fmr' or 'fnmr'")
    if rule not in ("interpolated", "conservative"):
        raise MatedError(f"there is no rule {rule!r}; give 'interpolated' or 'conservative'")
    target = exact_rate(rate, f"a fixed {fixed.upper()}")
    share = target if fixed == "fmr" else 1 - target  # of the class given that matches
    given = ~order.all_mated if fixed == "fmr" else order.all_mated
    if given.all() or not given.any():
        raise MatedError("a fixed counterpart needs mated and non-mated comparisons, and there is one class")
    left = [np.count_nonzero(flags) - order.cumulated(flags[order.position]) for flags in (given, ~given)]
    defined = (left[0] > 0) & (left[1] > 0)
    wanted = np.where(defined, _wanted(left[0], share, strict=rule == "conservative" and fixed == "fmr"), 0)
    above, reached, asked_above, asked_reached = _counts(order, given, wanted)
    if rule == "interpolated":
        held = np.maximum(reached - above, 1)
        part = np.clip((float(share) * left[0] - above) / held, 0.0, 1.0)
        matched = asked_above + (asked_reached - asked_above) * part
    else:  # above the first non-mated score too many, or at the last mated score needed
        matched = (asked_above if fixed == "fmr" else asked_reached).astype(np.float64)
    matching = matched / np.maximum(left[1], 1)
    value = 1 - matching if fixed == "fmr" else matching
    discard, value = end_held(order, value, defined, axis)
    other = "FNMR" if fixed == "fmr" else "FMR"
    name = f"{other} at {fixed.upper()} {float(rate):g}"
    return DiscardCurve(discard, value, name, interpolation=interpolation, axis=axis)


def _wanted(kept: Counts, share: Fraction, *, strict: bool) -> Counts:
    """Return which score from the top is the threshold: ⌈share · n⌉, or the first beyond ⌊share · n⌋ (`strict`)."""
    p, q = share.numerator, share.denominator
    n = kept if p * int(kept.max()) + q < 2**63 else kept.astype(object)
    wanted = n * p // q + 1 if strict else -(-n * p // q)
    return np.asarray(wanted, dtype=np.int64)


def _counts(order: DiscardOrder, given: NDArray[np.bool_], wanted: Counts) -> tuple[Counts, Counts, Counts, Counts]:
    from mated.quality.fixed_counterpart_kernels import counts_at_ranks

    distinct, ranks = np.unique(order.all_scores, return_inverse=True)
    from_top = len(distinct) - ranks
    ours, theirs = (np.bincount(from_top[flags], minlength=len(distinct) + 1) for flags in (given, ~given))
    rows = counts_at_ranks(ours, theirs, from_top[order.position], given[order.position], order.ends, wanted)
    return rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3]
