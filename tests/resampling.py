"""The bootstrap done the plain way: resample every comparison, make a tally, call the point estimator.

`exact_law` goes through all resamples of tiny samples with their probabilities instead of drawing any.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np

from mated.scores import Tally
from mated.verification import area_under_roc, at_fmr, at_threshold, at_tmr, equal_error_rate
from mated.verification.hull import roc_hull


def all_resamples(scores):
    """Every multiset that len(scores) draws with replacement can give, with its probability."""
    n = len(scores)
    for sample in itertools.combinations_with_replacement(range(n), n):
        ways = math.factorial(n)
        for times in Counter(sample).values():
            ways //= math.factorial(times)
        yield [scores[i] for i in sample], Fraction(ways, n**n)


def exact_law(mated, nonmated, statistic):
    """Probability of every value that `statistic(mated, nonmated)` takes over all pairs of resamples."""
    law = Counter()
    for m, p in all_resamples(mated):
        for n, q in all_resamples(nonmated):
            law[statistic(m, n)] += p * q
    return law


def resamples(mated, nonmated, replicates, seed):
    """Draw pairs of resamples one after another."""
    rng = np.random.default_rng(seed)
    for _ in range(replicates):
        yield rng.choice(mated, len(mated)), rng.choice(nonmated, len(nonmated))


def tally_on(original, mated, nonmated):
    """A tally of resampled scores in which every score of the original stays, also with a count of zero.

    The legitimate scores of a replicate's equal error rate are those of the original's range.
    """
    from_the_top = [
        np.cumsum(np.bincount(np.searchsorted(original.scores, scores), minlength=len(original.scores))[::-1])[::-1]
        for scores in (mated, nonmated)
    ]
    return Tally(original.scores, *from_the_top, unit_choice=original.unit or "continuous")


# -- statistics of resampled scores, each as a tuple ---------------------------------------------------


def rates_at_fmr(mated, nonmated, unit, fmrs):
    points = [at_fmr(Tally.from_scores(mated, nonmated, unit=unit), fmr) for fmr in fmrs]
    return (*(point.tmr for point in points), *(float(point.threshold) for point in points))


def rates_at_tmr(mated, nonmated, unit, tmrs):
    points = [at_tmr(Tally.from_scores(mated, nonmated, unit=unit), tmr) for tmr in tmrs]
    return (*(point.fmr for point in points), *(float(point.threshold) for point in points))


def rates_at_threshold(mated, nonmated, unit, thresholds):
    points = [at_threshold(Tally.from_scores(mated, nonmated, unit=unit), threshold) for threshold in thresholds]
    return (*(point.fmr for point in points), *(point.tmr for point in points))


def eer_and_threshold(original, mated, nonmated):
    # The hull plays no part in the definition that is resampled, and cannot be had with counts of zero.
    hull = roc_hull(Tally.from_scores(mated, nonmated))
    result = equal_error_rate(tally_on(original, mated, nonmated), hull)
    return result.value, float(result.threshold)


def area(mated, nonmated):
    return (area_under_roc(Tally.from_scores(mated, nonmated)),)
