"""Slow, obvious twins of searches among random galleries: every gallery and every order of equal scores, one by one."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from functools import cache

import numpy as np

from mated.scores import ScoreMatrix


class Rectangle:
    """Scores of probes (rows) against references (columns) in plain lists, None where there is no comparison."""

    def __init__(self, rows: list[int], columns: list[int], scores: list[list[float | None]], same_samples: bool):
        self.rows, self.columns, self.scores, self.same_samples = rows, columns, scores, same_samples

    def matrix(self) -> ScoreMatrix:
        """The same as a layout."""
        names = {"probe_sample": [f"s{i}" for i in range(len(self.rows))]}
        names["reference_sample"] = [f"s{i}" if self.same_samples else f"r{i}" for i in range(len(self.columns))]
        return ScoreMatrix.from_arrays(
            np.array([[0.0 if s is None else s for s in row] for row in self.scores]),
            self.rows,
            self.columns,
            mask=[[s is not None for s in row] for row in self.scores],
            **names,
        )

    def entries(self):
        """Every comparison as (probe, probe's subject, reference's subject, score)."""
        for i, row in enumerate(self.scores):
            for j, score in enumerate(row):
                if score is not None and not (self.same_samples and i == j):
                    yield i, self.rows[i], self.columns[j], score

    def searches(self, scope: str):
        """For each mated comparison whose probe met a rival: subject, score, and the scores of each rival."""
        for probe, subject, other, mated in self.entries():
            if subject != other:
                continue
            rivals: dict[int, list[float]] = {}
            for i, a, b, score in self.entries():
                if b != subject and (i == probe if scope == "probe" else a == subject):
                    rivals.setdefault(b, []).append(score)
            if rivals:
                yield subject, mated, rivals


@cache
def places(tied: int) -> dict[int, Fraction]:
    """How many of `tied` equals come before the mate, over all orders of them and the mate."""
    orders = list(itertools.permutations(range(tied + 1)))
    return {k: Fraction(n, len(orders)) for k, n in Counter(order.index(0) for order in orders).items()}


def rank_law(mated: float, rivals: list[list[float]], ties: str) -> Counter:
    """The law of the rank over every choice of one score of each rival and every order of equal scores."""
    law: Counter = Counter()
    choices = list(itertools.product(*rivals))
    for drawn in choices:
        above, tied = sum(s > mated for s in drawn), sum(s == mated for s in drawn)
        before = {"expected": places(tied), "pessimistic": {tied: Fraction(1)}, "optimistic": {0: Fraction(1)}}[ties]
        for k, share in before.items():
            law[above + k + 1] += share / len(choices)
    return law


def expected_cmc(data: Rectangle, ties: str, scope: str, gallery_size: int | None) -> dict[int, list[Fraction]]:
    """Each subject's mean over its mated comparisons of P(rank ≤ r), over every set of rivals of the size asked."""
    laws: dict[int, list[list[Fraction]]] = {}
    for subject, mated, rivals in data.searches(scope):
        wanted = len(rivals) if gallery_size is None else gallery_size - 1
        galleries = list(itertools.combinations(rivals.values(), wanted))
        law: Counter = Counter()
        for gallery in galleries:
            for rank, share in rank_law(mated, list(gallery), ties).items():
                law[rank] += share / len(galleries)
        laws.setdefault(subject, []).append([sum(law[k] for k in range(1, r + 1)) for r in range(1, 12)])
    return {subject: [sum(column) / len(rows) for column in zip(*rows, strict=True)] for subject, rows in laws.items()}
