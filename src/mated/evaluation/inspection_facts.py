"""What an inspection says: columns, scores, people and pairs, put together from counts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mated.io.held_columns import HeldColumn
from mated.verification.separation import area_under_roc

if TYPE_CHECKING:
    from fractions import Fraction

    from mated.evaluation.inspection_counts import CovariateCount, PairCount, ScoreCount

__all__ = ["ClassScores", "Column", "Pairs", "People", "Scores", "columns_of", "pairs_of", "people_of", "scores_of"]

_MOST_SHOWN = 10
_IDENTIFYING = {
    *("id", "ids", "uid", "uuid", "name", "names", "subject", "sample", "person", "identity", "user", "client"),
    *("file", "filename", "path", "image", "email", "mail", "key", "template", "hash", "passport", "number"),
}


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name, role, type
        `role` is None for a further column; `type` is None where the file does not say it.
    values, missing
        Of a further column, how many different values it has (None beyond 1000) and in how many rows it has none.
    groups
        The values with how often each occurs, where there are at most ten and they cannot name people.
    """

    name: str
    role: str | None
    type: str | None = None
    values: int | None = None
    missing: int | None = None
    groups: tuple[tuple[str, int], ...] | None = None


@dataclass(frozen=True)
class ClassScores:
    """One class: comparisons with a score, failures, range of the finite scores, and how many are infinite."""

    comparisons: int
    failures: int
    low: float | None
    high: float | None
    negative_infinite: int
    positive_infinite: int


@dataclass(frozen=True)
class Scores:
    """Scores as the user writes them.

    Attributes
    ----------
    dissimilarity, type, unit
        Whether lower means more alike; the type; the step between scores (None for continuous ones).
    distinct, largest_tie, largest_tie_share
        Number of different scores, the most frequent one and its share of the comparisons; None beyond a bound.
    auc_low, auc_high
        The area under the ROC: equal where it is exact, bounds where there are too many distinct scores to hold; None
        without both classes.
    """

    mated: ClassScores
    nonmated: ClassScores
    dissimilarity: bool
    type: str
    unit: Fraction | None
    distinct: int | None
    largest_tie: float | None
    largest_tie_share: float | None
    auc_low: float | None
    auc_high: float | None


@dataclass(frozen=True)
class People:
    """Numbers of subjects and samples, on either side and in all; None where they are not named or too many."""

    subjects: int | None = None
    probe_subjects: int | None = None
    reference_subjects: int | None = None
    samples: int | None = None
    probe_samples: int | None = None
    reference_samples: int | None = None
    samples_per_subject_least: int | None = None
    samples_per_subject_median: float | None = None
    samples_per_subject_most: int | None = None


@dataclass(frozen=True)
class Pairs:
    """Pairs of samples.

    Attributes
    ----------
    repeated
        Comparisons beyond the first of the same probe with the same reference.
    disagreeing
        Pairs that are listed more than once with different scores, or with and without one.
    both_orders, both_orders_disagreeing
        Pairs listed in both orders, and how many of these with different scores.
    self_comparisons
        Comparisons of a sample with itself.
    possible, compared
        Pairs of different samples that the probes and references allow, and those that are there; unordered where each
        pair stands in one order only.
    design
        The same in words.
    """

    repeated: int
    disagreeing: int
    both_orders: int
    both_orders_disagreeing: int
    self_comparisons: int
    possible: int
    compared: int
    design: str


def columns_of(
    held: tuple[HeldColumn, ...] | None, pairs: PairCount, values: CovariateCount, *, named: bool
) -> tuple[Column, ...]:
    """Describe the columns of a table, or what another format holds; `named` says whether samples are named."""
    if held is None:
        known = ["score", "mated"]
        known += ["probe_subject", "reference_subject"] if pairs.knows_subjects else []
        known += ["probe_sample", "reference_sample"] if named else []
        held = (*(HeldColumn(role, role) for role in known), *(HeldColumn(name, None) for name in values.values))
    return tuple(
        Column(column.name, column.role, column.type)
        if column.role is not None or column.name not in values.values
        else _covariate(column, values, pairs.rows)
        for column in held
    )


def _covariate(column: HeldColumn, counted: CovariateCount, rows: int) -> Column:
    name, counts = column.name, counted.values[column.name]
    groups = None
    if counts is not None and len(counts) <= _MOST_SHOWN and 2 * len(counts) <= rows and not _identifies(name):
        groups = tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    values = None if counts is None else len(counts)
    return Column(name, None, column.type or counted.types.get(name), values, counted.missing[name], groups)


def _identifies(name: str) -> bool:
    """Say whether a column of this name may name people: its values are then never shown."""
    words = re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower())
    return bool(_IDENTIFYING & set(words)) or any(word.endswith("id") and len(word) > 3 for word in words)


def scores_of(counted: ScoreCount, dissimilarity: bool) -> Scores:
    """Describe the scores."""
    nonmated, mated = (
        ClassScores(counted.counts[k], counted.failures[k], *(counted.ranges[k] or (None, None)), *counted.infinite[k])
        for k in range(2)
    )
    auc: tuple[float, float] | tuple[None, None] = (None, None)
    tally, unit = counted.tally, None
    distinct = tie = share = None
    if tally is not None:
        unit, distinct = tally.unit, len(tally.scores)
        if distinct:
            at_each = tally.mated + tally.nonmated
            tie = tally.to_user(float(tally.scores[int(at_each.argmax())]))
            share = int(at_each.max()) / int(at_each.sum())
        if tally.n_mated and tally.n_nonmated:
            area = area_under_roc(tally)
            auc = (area, area)
    elif counted.keyed is not None:
        from mated.engine.bounds import area_bounds
        from mated.engine.cells import Cells

        keyed = counted.keyed.result()
        unit = keyed.unit
        if keyed.n_mated and keyed.n_nonmated:
            auc = area_bounds(Cells.of(keyed))
    return Scores(mated, nonmated, dissimilarity, counted.precision, unit, distinct, tie, share, *auc)


def people_of(counted: PairCount) -> People:
    """Describe who was compared."""
    subjects, samples = counted.subjects() or (None,) * 3, counted.samples() or (None,) * 3
    return People(*subjects, *samples, *(counted.samples_per_subject() or (None,) * 3))


def pairs_of(counted: PairCount) -> Pairs | None:
    """Describe which samples were compared with which; None where they are not named, or too many."""
    import polars as pl

    listed, samples = counted.pairs(), counted.samples()
    if listed is None or samples is None:
        return None
    everyone, probes, references = samples
    own = listed.filter(pl.col("probe") == pl.col("reference"))
    others = listed.filter(pl.col("probe") != pl.col("reference"))
    lower, upper = (function("probe", "reference") for function in (pl.min_horizontal, pl.max_horizontal))
    score = pl.col("score")
    differ = (score.min() != score.max()).fill_null(value=False) | (score.null_count() == 1)
    unordered = others.group_by(lower.alias("a"), upper.alias("b")).agg(pl.len(), differ.alias("disagree"))
    twice = unordered.filter(pl.col("len") == 2)
    shared = probes + references - everyone
    possible, compared = probes * references - shared, others.height
    design = "every probe with every reference"
    if shared == probes == references:
        design = "every sample with every other, in both orders"
    in_one_order = shared > 0 and not twice.height
    if in_one_order and (compared < possible or unordered.height == everyone * (everyone - 1) // 2):
        possible, compared = everyone * (everyone - 1) // 2, unordered.height
        design = "every sample with every other, once"
    if compared < possible:
        design = f"{compared} of {possible} possible pairs"
    return Pairs(
        repeated=int(listed["times"].sum()) - listed.height,
        disagreeing=listed.filter(pl.col("disagree")).height,
        both_orders=twice.height,
        both_orders_disagreeing=twice.filter(pl.col("disagree")).height,
        self_comparisons=int(own["times"].sum()),
        possible=possible,
        compared=compared,
        design=design,
    )
