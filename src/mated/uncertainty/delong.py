"""Standard error, interval and test for the area under the ROC, from placement values (DeLong 1988).

The placement value of a mated score is the share of non-mated scores below it, ties counting half; that of a
non-mated score the share of mated scores above it. Both average to the area. Inside, their complements are used:
of a good system they are small, so nothing is lost to rounding near 1.

Everything here takes comparisons for independent. Where they share subjects, standard errors are too small.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.scores.validation import as_scores
from mated.uncertainty.binomial import check_level, clopper_pearson

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.scores import Tally

__all__ = ["DelongTest", "auc_interval", "auc_standard_error", "delong_test"]


def auc_standard_error(tally: Tally) -> float | None:
    """Return DeLong's standard error of the Mann–Whitney area, ties counted half.

    Formula: √(S₁₀/M + S₀₁/N), with S₁₀ the variance (divisor M − 1) of the placement values of the M mated scores and
    S₀₁ that of the N non-mated scores. One pass over the distinct scores.

    None where a class has fewer than two comparisons. Zero where classes do not overlap, which says that the
    variance cannot be estimated and not that the area is certain; `auc_interval` knows what to do then.

    Reference: DeLong, DeLong and Clarke-Pearson (1988); Sen (1960).
    """
    _check_classes(tally)
    if min(tally.n_mated, tally.n_nonmated) < 2:
        return None
    return math.sqrt(_loss_and_variance(tally)[1])


def auc_interval(tally: Tally, level: float = 0.95) -> tuple[float, float]:
    """Return an interval for the area, symmetric on the logit scale and so within [0, 1].

    Formula: logit⁻¹(logit A ± z·SE/(A(1 − A))), SE that of `auc_standard_error`.

    Where SE is zero or unknown (classes that do not overlap, only ties, one score in a class) the interval is
    Clopper–Pearson for K·A of K trials, K the number of comparisons of the smaller class: K mated scores can be
    set against K different non-mated scores, which gives K independent trials with success probability A. That is
    wide, and never of zero width.

    Too narrow where comparisons share subjects. Near 1 too narrow as well, as few scores lie where the classes
    overlap: of normal scores, 200 mated and 2000 non-mated, 95 % intervals covered 94 % at an area of 0.983 and 89 %
    at 0.9993.

    Reference: DeLong, DeLong and Clarke-Pearson (1988); Qin and Hotilovac (2008) on the logit scale.
    """
    from scipy.special import expit, ndtri

    check_level(level)
    se = auc_standard_error(tally)
    loss, _ = _loss_and_variance(tally)
    if not se or not 0 < loss < 1:
        pairs = min(tally.n_mated, tally.n_nonmated)
        low, high = clopper_pearson(min(pairs * loss, pairs), pairs, level)
        return 1 - high, 1 - low
    centre = math.log1p(-loss) - math.log(loss)
    half = float(-ndtri((1 - level) / 2)) * se / (loss * (1 - loss))
    return float(expit(centre - half)), float(expit(centre + half))


@dataclass(frozen=True)
class DelongTest:
    """Two areas and whether they differ.

    Attributes
    ----------
    auc_a, auc_b
        The areas of the two systems.
    difference
        `auc_a` − `auc_b`.
    se
        Standard error of the difference.
    z
        `difference` / `se`.
    p_value
        Two-sided probability of a |z| as large when the areas are equal.
    paired
        Whether the systems scored the same comparisons.
    """

    auc_a: float
    auc_b: float
    difference: float
    se: float
    z: float
    p_value: float
    paired: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


def delong_test(mated_a: Any, nonmated_a: Any, mated_b: Any, nonmated_b: Any, *, paired: bool) -> DelongTest:
    """Test whether two systems have the same area under the ROC.

    Scores are similarities; negate dissimilarities first. Placement values come from sorting, O(N log N).

    Formula, paired (element i of `mated_a` and of `mated_b` is the same comparison, and so for non-mated): the
    difference has variance D₁₀/M + D₀₁/N, with D₁₀ and D₀₁ the variances of the differences of the placement
    values of the two systems, which is DeLong's covariance matrix under the contrast (1, −1). Unpaired: the sum of
    the two variances. z = difference/SE is compared with the standard normal.

    Where SE is zero, equal areas give z = 0 and p = 1. Unequal ones give an infinite z and p = 2^(1−K), K the number
    of comparisons of the smaller class: the sign test over K disjoint pairs, for a zero variance is no certainty.

    Invalid where comparisons share subjects (it then rejects far too often), and rough where an area is near 1.

    Reference: DeLong, DeLong and Clarke-Pearson (1988); Sun and Xu (2014) for the sorting.
    """
    from scipy.special import ndtr

    a, b = _losses(mated_a, nonmated_a, "system a"), _losses(mated_b, nonmated_b, "system b")
    if paired and [len(v) for v in a] != [len(v) for v in b]:
        raise MatedError(
            f"paired systems score the same comparisons, and a has {len(a[0])} mated and {len(a[1])} non-mated scores, "
            f"b {len(b[0])} and {len(b[1])}; align them, or test them unpaired"
        )
    loss_a, loss_b = float(a[0].mean()), float(b[0].mean())
    difference = loss_b - loss_a
    parts = [x - y for x, y in zip(a, b, strict=True)] if paired else [*a, *b]
    se = math.sqrt(sum(float(part.var(ddof=1)) / len(part) for part in parts))
    # Variances and differences that are zero but for rounding.
    difference = 0.0 if abs(difference) < 1e-15 else difference
    se = 0.0 if se < 1e-15 else se
    if se:
        z = difference / se
        p_value = float(2 * ndtr(-abs(z)))
    else:
        z = math.copysign(math.inf, difference) if difference else 0.0
        p_value = 2.0 ** (1 - min(map(len, [*a, *b]))) if difference else 1.0
    return DelongTest(1 - loss_a, 1 - loss_b, difference, se, z, p_value, paired)


def _check_classes(tally: Tally) -> None:
    for count, what in ((tally.n_mated, "mated"), (tally.n_nonmated, "non-mated")):
        if not count:
            raise MatedError(f"the area under the ROC needs {what} comparisons, and there are none")


def _loss_and_variance(tally: Tally) -> tuple[float, float]:
    """Return 1 − area and the variance of the area, nan where a class has one comparison only."""
    # Twice the other class's comparisons on the wrong side of each score, ties counting once.
    nonmated_above = tally.nonmated_at_or_above + np.append(tally.nonmated_at_or_above[1:], 0)
    mated_below = 2 * tally.n_mated - tally.mated_at_or_above - np.append(tally.mated_at_or_above[1:], 0)
    mated, nonmated = tally.mated.astype(np.float64), tally.nonmated.astype(np.float64)
    mated_losses = nonmated_above / (2 * tally.n_nonmated)
    nonmated_losses = mated_below / (2 * tally.n_mated)
    loss = float(np.dot(mated, mated_losses)) / tally.n_mated
    variance = 0.0
    for counts, losses, total in ((mated, mated_losses, tally.n_mated), (nonmated, nonmated_losses, tally.n_nonmated)):
        squares = float(np.dot(counts, (losses - loss) ** 2))
        variance += squares / (total - 1) / total if total > 1 else math.nan
    # All-equal placement values differ from their mean by rounding only.
    return loss, 0.0 if variance < 1e-30 else variance


def _losses(mated: Any, nonmated: Any, what: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return 1 − placement value of every mated and every non-mated score, in the order given."""
    arrays = []
    for values, name in ((mated, "mated"), (nonmated, "non-mated")):
        array = as_scores(values, f"the {name} scores of {what}").astype(np.float64)
        if np.isnan(array).any():
            raise MatedError(
                f"the {name} scores of {what} must not hold NaN; remove those comparisons from both systems"
            )
        if len(array) < 2:
            raise MatedError(f"DeLong's test needs at least two {name} scores, and {what} has {len(array)}")
        arrays.append(array)
    m, n = arrays
    sorted_m, sorted_n = np.sort(m), np.sort(n)
    above = 2 * len(n) - np.searchsorted(sorted_n, m, side="left") - np.searchsorted(sorted_n, m, side="right")
    below = np.searchsorted(sorted_m, n, side="left") + np.searchsorted(sorted_m, n, side="right")
    return above / (2 * len(n)), below / (2 * len(m))
