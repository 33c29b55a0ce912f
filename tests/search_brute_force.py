"""Slow, obvious twins of what is measured on a gallery: every order of tied identities, every threshold, in fractions.

A mated probe is (score of its mate, scores of the other identities), an open-set probe the scores of all identities.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np

from mated.scores.ranks import Ranks


def ranks_of(mated, open_set=(), *, subjects=None, open_subjects=None, gallery_size=None, **options) -> Ranks:
    """The statistic of a list of searches, counted probe by probe."""
    size = gallery_size or (len(mated[0][1]) + 1 if mated else len(open_set[0]))
    subjects = list(range(len(mated))) if subjects is None else list(subjects)
    first = max(subjects, default=-1) + 1
    open_subjects = [first + k for k in range(len(open_set))] if open_subjects is None else list(open_subjects)
    people = max([*subjects, *open_subjects], default=0) + 1
    return Ranks(
        subject=np.array(subjects, dtype=np.int64),
        above=np.array([sum(s > mate for s in others) for mate, others in mated], dtype=np.int64),
        tied=np.array([sum(s == mate for s in others) for mate, others in mated], dtype=np.int64),
        others=np.array([len(others) for _, others in mated], dtype=np.int64),
        mate_score=np.array([mate for mate, _ in mated], dtype=np.float64),
        best_other=np.array([max(others, default=-math.inf) for _, others in mated], dtype=np.float64),
        open_subject=np.array(open_subjects, dtype=np.int64),
        open_others=np.array([len(scores) for scores in open_set], dtype=np.int64),
        open_best=np.array([max(scores, default=-math.inf) for scores in open_set], dtype=np.float64),
        gallery_size=size,
        names=tuple(f"person {k}" for k in range(people)),
        **options,
    )


def counted(above, tied, *, gallery_size, subjects=None, **options) -> Ranks:
    """The statistic from the counts themselves; the mate scores 0, and a unit more or less than the best other."""
    above, tied = np.asarray(above, dtype=np.int64), np.asarray(tied, dtype=np.int64)
    subject = np.arange(len(above)) if subjects is None else np.asarray(subjects)
    return Ranks(
        subject=subject.astype(np.int64),
        above=above,
        tied=tied,
        others=np.full(len(above), gallery_size - 1),
        mate_score=options.pop("mate_score", np.zeros(len(above))),
        best_other=options.pop("best_other", np.where(above > 0, 1.0, np.where(tied > 0, 0.0, -1.0))),
        open_subject=options.pop("open_subject", np.empty(0, dtype=np.int64)),
        open_others=options.pop("open_others", np.empty(0, dtype=np.int64)),
        open_best=options.pop("open_best", np.empty(0)),
        gallery_size=gallery_size,
        names=options.pop("names", tuple(str(k) for k in range(int(subject.max(initial=0)) + 1))),
        **options,
    )


def ranks_in_every_order(mate, others) -> list[int]:
    """The mate's rank in each list that sorts the identities by score, for every order of the identities before it."""
    identities = [(mate, True), *((score, False) for score in others)]
    found = []
    for order in itertools.permutations(identities):
        by_score = sorted(order, key=lambda identity: -identity[0])  # stable: ties stay as they came
        found.append(1 + [is_mate for _, is_mate in by_score].index(True))
    return found


def ranks_by(ties, mate, others) -> list[int]:
    """The ranks that a rule for ties allows, all equally likely."""
    every = ranks_in_every_order(mate, others)
    return {"expected": every, "optimistic": [min(every)], "pessimistic": [max(every)]}[ties]


def rate_within(mated, rank, ties) -> Fraction:
    """Share of probes whose mate ranks `rank` or better."""
    shares = []
    for mate, others in mated:
        possible = ranks_by(ties, mate, others)
        shares.append(Fraction(sum(k <= rank for k in possible), len(possible)))
    return sum(shares) / len(shares)


def fpir(open_set, threshold) -> Fraction:
    return Fraction(sum(any(s >= threshold for s in scores) for scores in open_set), len(open_set))


def fnir(mated, threshold, rank, ties) -> Fraction:
    shares = []
    for mate, others in mated:
        possible = ranks_by(ties, mate, others)
        missed = [mate < threshold or (rank is not None and k > rank) for k in possible]
        shares.append(Fraction(sum(missed), len(missed)))
    return sum(shares) / len(shares)


def least_fnir(mated, open_set, target: Fraction, rank, ties) -> Fraction:
    """The lowest FNIR of all thresholds, observed scores and one above them all, whose FPIR is within the target."""
    scores = {mate for mate, _ in mated} | {s for scores in open_set for s in scores}
    return min(fnir(mated, t, rank, ties) for t in [*scores, max(scores) + 1] if fpir(open_set, t) <= target)
