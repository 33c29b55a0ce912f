"""The equal error rate, by five definitions.

On discrete scores the two error rates are seldom equal anywhere, and the literature disagrees on what to
report then. `wu2008` is the headline; the others are given beside it so that nobody has to guess.

=============  =============================================================================================
wu2008         ER_I(s) = 1 − C_G(s + 1) and ER_II(s) = C_I(s) over all legitimate scores s; half their sum
               where they are nearest (Wu 2008, Eqs. 8 to 10). Depends on the unit of the scoring system.
nearest        (FMR + FNMR)/2 at the observed threshold where |FMR − FNMR| is least, the higher threshold of
               two (scikit-learn recipes, Bob). Jumps with single scores.
interpolated   Where the trapezoidal ROC meets TMR = 1 − FMR. Continuous in the data; ties become slopes.
rocch          Where the convex hull of the ROC meets TMR = 1 − FMR (Brümmer & de Villiers 2013). Never above
               `interpolated`; optimistic on small data, since the hull is fitted to them.
fvc2000        Maio et al. (2002): t1 the highest threshold with FNMR ≤ FMR, t2 the lowest with
               FNMR ≥ FMR; the mean of the two rates at whichever has the smaller sum.
=============  =============================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from mated.scores.unit import floor_to_unit
from mated.verification.cautions import caution_at_eer
from mated.verification.hull import Hull, roc_hull

if TYPE_CHECKING:
    from collections.abc import Callable

    from mated.scores import Tally

__all__ = ["EqualErrorRate", "equal_error_rate", "wu2008"]


@dataclass(frozen=True)
class EqualErrorRate:
    """The equal error rate of Wu (2008) with its score range, and four other definitions.

    Attributes
    ----------
    value
        Half the sum of the two errors where their difference is least (Eq. 9). Where the least difference
        occurs with either sign, the mean over both sides.
    threshold
        ⌊(s1 + s2)/2⌋ in units (Eq. 10), the midpoint for continuous scores; in the user's scoring system.
    score_range
        The range [s1, s2] of legitimate scores at which the least difference occurs. For continuous scores
        a gap is given by the observed scores that bound it.
    least_difference, relative_error
        min |ER_I − ER_II|, and half of it divided by `value`: the systematic error of Table 4.
    by_definition
        Every definition's value by its name.
    """

    value: float
    threshold: int | float
    score_range: tuple[int | float, int | float]
    least_difference: float
    relative_error: float
    by_definition: dict[str, float]
    caution: str | None


def equal_error_rate(tally: Tally, hull: Hull | None = None) -> EqualErrorRate:
    """Compute the equal error rate of a tally with both classes by every definition.

    `hull` may be handed over where it is known already.
    """
    value, difference, low, high = _wu2008(tally)
    threshold = _threshold(tally, low, high)
    index = int(np.searchsorted(tally.scores, threshold))
    nearest = _nearest(tally)
    ends = (tally.to_user(low), tally.to_user(high))
    return EqualErrorRate(
        value=float(value),
        threshold=tally.to_user(threshold),
        score_range=(min(ends), max(ends)),
        least_difference=float(difference),
        relative_error=float(difference / 2 / value) if value else 0.0,
        by_definition={
            "wu2008": float(value),
            "nearest": nearest,
            "interpolated": _diagonal_crossing(tally),
            "rocch": _hull_crossing(tally, hull or roc_hull(tally)),
            "fvc2000": _fvc2000(tally),
        },
        caution=caution_at_eer(
            tally.nonmated_from(index), tally.n_mated - tally.mated_from(index), float(value), nearest
        ),
    )


def wu2008(tally: Tally) -> tuple[float, float]:
    """Return the equal error rate of Wu (2008) and its threshold as an inner similarity, and nothing else."""
    value, _, low, high = _wu2008(tally)
    return float(value), _threshold(tally, low, high)


def _threshold(tally: Tally, low: float, high: float) -> float:
    return float(tally.scores.dtype.type(_middle(tally, low, high)))


def _first(count: int, holds: Callable[[int], bool]) -> int:
    """Return the first of 0..count−1 at which a condition holds that never ceases to hold, else `count`."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _wu2008(tally: Tally) -> tuple[Fraction, Fraction, float, float]:
    """Return the EER, the least difference and the ends of the score range, all exact.

    Places are walked in ascending order: place 2j is the distinct score j, place 2j + 1 the gap above it.
    ER_I − ER_II never falls along them, so the least absolute difference is found by bisection.
    """
    n, m = tally.n_nonmated, tally.n_mated
    places = 2 * len(tally.scores) - 1

    def errors(place: int) -> tuple[int, int]:
        at, above = (place + 1) // 2, place // 2 + 1
        return m - tally.mated_from(above), tally.nonmated_from(at)

    def difference(place: int) -> int:
        type_1, type_2 = errors(place)
        return n * type_1 - m * type_2

    def legitimate(place: int) -> bool:
        if place % 2 == 0 or tally.unit is None:
            return True
        below, above = tally.scores[place // 2], tally.scores[place // 2 + 1]
        return bool(float(above) - float(below) > 1.5 * float(tally.unit))

    crossing = _first(places, lambda place: difference(place) >= 0)
    candidates = [crossing] if crossing < places else []
    # Below the crossing: the nearest legitimate place. At or above it: likewise, as a gap may hold none.
    candidates += [place for place in (crossing + 1, crossing - 1, crossing - 2) if 0 <= place < places]
    candidates = [place for place in candidates if legitimate(place)]
    least = min(abs(difference(place)) for place in candidates)
    first = _first(places, lambda place: difference(place) >= -least)
    last = _first(places, lambda place: difference(place) > least) - 1
    first += not legitimate(first)
    last -= not legitimate(last)
    at_ends = [Fraction(e1, m) + Fraction(e2, n) for e1, e2 in (errors(first), errors(last))]
    value = (at_ends[0] + at_ends[1]) / 4
    return value, Fraction(least, m * n), *_score_range(tally, first, last)


def _score_range(tally: Tally, first: int, last: int) -> tuple[float, float]:
    step = 0.0 if tally.unit is None else float(tally.unit)
    low = float(tally.scores[first // 2]) + (step if first % 2 else 0.0)
    high = float(tally.scores[(last + 1) // 2]) - (step if last % 2 else 0.0)
    return low, high


def _middle(tally: Tally, low: float, high: float) -> float:
    """Return the threshold of Eq. 10; an end where the other is infinite, as both decide alike between."""
    if low == high:
        return low
    if not (np.isfinite(low) and np.isfinite(high)):
        return high
    middle = (Fraction(low) + Fraction(high)) / 2
    if tally.unit is None:
        return float(middle)
    # Floats carry decimals only nearly; whole numbers of units carry them exactly.
    units = round(Fraction(low) / tally.unit) + round(Fraction(high) / tally.unit)
    return floor_to_unit(units * tally.unit / 2, tally.unit)


def _rates_difference(tally: Tally, index: int) -> int:
    """Return (FNMR − FMR)·N_G·N_I with the threshold at distinct score `index`, or above them all."""
    missed = tally.n_mated - tally.mated_from(index)
    return tally.n_nonmated * missed - tally.n_mated * tally.nonmated_from(index)


def _half_sum(tally: Tally, index: int) -> Fraction:
    missed = Fraction(tally.n_mated - tally.mated_from(index), tally.n_mated)
    return (missed + Fraction(tally.nonmated_from(index), tally.n_nonmated)) / 2


def _around_crossing(tally: Tally) -> tuple[int, int]:
    """Return the highest threshold index with FNMR ≤ FMR and the lowest with FNMR ≥ FMR."""
    size = len(tally.scores) + 1
    lowest = _first(size, lambda index: _rates_difference(tally, index) >= 0)
    highest = _first(size, lambda index: _rates_difference(tally, index) > 0) - 1
    return highest, lowest


def _nearest(tally: Tally) -> float:
    below, above = _around_crossing(tally)
    if below >= above:  # the rates are equal there
        return float(_half_sum(tally, below))
    nearer = min((above, below), key=lambda index: abs(_rates_difference(tally, index)))
    return float(_half_sum(tally, nearer))


def _fvc2000(tally: Tally) -> float:
    t1, t2 = _around_crossing(tally)
    return float(min(_half_sum(tally, t1), _half_sum(tally, t2)))


def _diagonal_crossing(tally: Tally) -> float:
    below, above = _around_crossing(tally)
    if below >= above:
        return float(_half_sum(tally, below))
    return _on_segment(
        (_share(tally, below), Fraction(tally.n_mated - tally.mated_from(below), tally.n_mated)),
        (_share(tally, above), Fraction(tally.n_mated - tally.mated_from(above), tally.n_mated)),
    )


def _share(tally: Tally, index: int) -> Fraction:
    return Fraction(tally.nonmated_from(index), tally.n_nonmated)


def _on_segment(a: tuple[Fraction, Fraction], b: tuple[Fraction, Fraction]) -> float:
    """Return the rate at which a segment between two (FMR, FNMR) points meets FMR = FNMR."""
    gap_a, gap_b = a[0] - a[1], b[0] - b[1]
    share = gap_a / (gap_a - gap_b)
    return float(a[0] + share * (b[0] - a[0]))


def _hull_crossing(tally: Tally, hull: Hull) -> float:
    missed = np.concatenate([[0], np.cumsum(hull.mated)])
    matched = tally.n_nonmated - np.concatenate([[0], np.cumsum(hull.nonmated)])

    def point(k: int) -> tuple[Fraction, Fraction]:
        return Fraction(int(matched[k]), tally.n_nonmated), Fraction(int(missed[k]), tally.n_mated)

    corner = _first(len(missed), lambda k: point(k)[1] >= point(k)[0])
    if point(corner)[0] == point(corner)[1]:
        return float(point(corner)[0])
    return _on_segment(point(corner - 1), point(corner))
