"""Score normalisation: scores of different probes, references or subjects made comparable under one threshold.

Three ways, named by whose non-mated scores they use:

- ``"probe"``: s′ = (s − μ)/σ, with the mean and the standard deviation of the non-mated scores of the probe of the
  comparison. A z-score for each probe. In speaker recognition this is test normalisation, t-norm (Auckenthaler et al.
  2000), with the test's own other references as cohort.
- ``"reference"``: the same with the non-mated scores of the reference of the comparison. In speaker recognition this is
  zero normalisation, z-norm, with the other probes as impostors.
- ``"equal-fmr"``: s′ = 1 − FMR(s|ω), with ω the subject of the probe and FMR its individual false match rate at s,
  equal scores counted half: the share of ω's non-mated scores below s, plus half of those at s. Then one threshold
  gives every subject the same false match rate, p_fm(t|ω) = p_fm(t), the condition of Veldhuis & Raja (2023), Eq. 12:
  the global ROC becomes the average ROC (up to the interpolation between corners).

A non-mated score is part of its own cohort. This is deliberate: every way but "reference" is then an increasing
function of the score for each probe ("equal-fmr" strictly, "probe" up to rounding), so ranks and the CMC stay as they
are, with "equal-fmr" the individual ROCs too, and only what one threshold does to all changes. The price is a bias of
the order of one over the number of non-mated scores: a score of N draws its own mean by 1/N towards itself, and no
score of a cohort of N can be further than (N − 1)/√N standard deviations from its mean. A cohort of people who take no
other part in the test does not have it; such a cohort is not used here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args, overload

import numpy as np

from mated.errors import MatedError
from mated.scores.ids import PairIds
from mated.scores.matrix import ScoreMatrix
from mated.scores.searches import read_rows
from mated.scores.subject_tallies import Symmetry, lists_pairs_once
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.scores.comparisons import Comparisons
    from mated.scores.searches import Layout

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["ORDER_KEEPING", "Normalisation", "normalise"]

Normalisation = Literal["probe", "reference", "equal-fmr"]
"""Whose non-mated scores a score is measured by."""

ORDER_KEEPING: tuple[Normalisation, ...] = ("probe", "equal-fmr")
"""The normalisations that leave the ranks of every search as they are."""

_ROWS = 256


@overload
def normalise(layout: ScoreMatrix, by: Normalisation, *, symmetric: Symmetry = "auto") -> ScoreMatrix: ...


@overload
def normalise(layout: Comparisons, by: Normalisation, *, symmetric: Symmetry = "auto") -> Comparisons: ...


def normalise(layout: Layout, by: Normalisation, *, symmetric: Symmetry = "auto") -> Layout:
    """Return the comparisons with normalised scores, which are continuous similarities whatever the scores were.

    The two directions of a comparison get different scores. So a matrix that is its own transpose is not any more, and
    both of its halves count; and a table that lists each pair once (`symmetric` as in `SubjectTallies.of`) comes back
    with every comparison in both directions.

    Parameters
    ----------
    by
        "probe", "reference" or "equal-fmr"; see the module. A table must name its samples for the first two.

    Reference: R. Auckenthaler, M. Carey and H. Lloyd-Thomas, Score normalization for text-independent speaker
    verification systems, Digital Signal Processing 10 (2000); Veldhuis & Raja (2023), section IV.
    """
    if by not in get_args(Normalisation):
        raise MatedError(f"normalise by one of {', '.join(map(repr, get_args(Normalisation)))}, not {by!r}")
    note = f"scores are normalised by {by}"
    if isinstance(layout, ScoreMatrix):
        return replace(
            layout,
            scores=read_only(_of_matrix(layout, by)),
            dissimilarity=False,
            unit="continuous",
            symmetric=False,
            notes=(*layout.notes, f"{note}; both orders are counted" if layout.symmetric else note),
        )
    once = lists_pairs_once(layout) if symmetric == "auto" else symmetric == "yes"
    table = replace(
        _both_directions(layout) if once else layout,
        dissimilarity=False,
        unit="continuous",
        notes=(*layout.notes, f"{note}; both orders are counted" if once else note),
    )
    return replace(table, score=_of_table(table, by))


def _of_matrix(matrix: ScoreMatrix, by: Normalisation) -> Floats:
    """Return the normalised scores, NaN where there is no comparison."""
    n_rows, n_columns = matrix.scores.shape
    scores = np.empty((n_rows, n_columns))
    usable = np.empty((n_rows, n_columns), dtype=bool)
    columns = np.arange(n_columns)
    for start in range(0, n_rows, _ROWS):
        rows = np.arange(start, min(start + _ROWS, n_rows))
        scores[rows], usable[rows] = read_rows(matrix, rows, columns)
    scores[~usable] = np.nan
    subjects = matrix.subjects
    own, other = (subjects.probe, subjects.reference) if by != "reference" else (subjects.reference, subjects.probe)
    lines, used = (scores, usable) if by != "reference" else (scores.T, usable.T)
    line_group, labels = _line_groups(matrix, by)
    order = np.argsort(line_group, kind="stable")
    # Whole groups at a time, so that every score meets all of its cohort.
    ends = np.append(np.flatnonzero(np.diff(line_group[order])) + 1, len(order))
    start = 0
    while start < len(order):
        end = int(ends[min(int(np.searchsorted(ends, start + _ROWS)), len(ends) - 1)])
        block = order[start:end]
        codes, group = np.unique(line_group[block], return_inverse=True)
        place, across = np.nonzero(used[block])
        line = block[place]
        mated = own[line] == other[across]
        here = lines[line, across]
        lines[line, across] = _normalised(here, group[place], ~mated, by, lambda k, codes=codes: labels(codes[k]))
        start = end
    return scores


def _line_groups(matrix: ScoreMatrix, by: Normalisation) -> tuple[NDArray[np.int64], Any]:
    """Return whose cohort each row (or column) of a matrix belongs to, and how a cohort is called."""
    if by == "equal-fmr":
        return matrix.subjects.probe, lambda code: f"subject {matrix.subjects.names[code]!r}"
    side = "row" if by == "probe" else "column"
    size = matrix.scores.shape[0 if by == "probe" else 1]
    return np.arange(size), lambda line: f"{side} {line + 1} of the matrix"


def _of_table(table: Comparisons, by: Normalisation) -> Floats:
    if table.subjects is None:
        raise MatedError("normalisation needs to know who was compared: give probe_subject and reference_subject")
    score = table.score.astype(np.float64)
    if by == "equal-fmr":
        names = table.subjects.names
        return _normalised(score, table.subjects.probe, ~table.mated, by, lambda code: f"subject {names[code]!r}")
    if table.samples is None:
        raise MatedError(
            f"this table does not say which comparisons are of one {by}; give probe_sample and reference_sample, or "
            "normalise by 'equal-fmr', which needs the subjects only"
        )
    samples = table.samples.names
    group = table.samples.probe if by == "probe" else table.samples.reference
    return _normalised(score, group, ~table.mated, by, lambda code: f"{by} sample {samples[code]!r}")


def _both_directions(table: Comparisons) -> Comparisons:
    """Return a table with every comparison also the other way round, but for those of a sample with itself."""
    if table.subjects is None:
        raise MatedError("normalisation needs to know who was compared: give probe_subject and reference_subject")
    rows = np.arange(len(table))
    again = rows if table.samples is None else np.flatnonzero(~table.samples.same)

    def turned(ids: PairIds | None) -> PairIds | None:
        if ids is None:
            return None
        probe, reference = np.append(ids.probe, ids.reference[again]), np.append(ids.reference, ids.probe[again])
        return PairIds(probe, reference, ids.names)

    both = table.take(np.append(rows, again))
    return replace(both, subjects=turned(table.subjects), samples=turned(table.samples))


def _normalised(score: Floats, group: NDArray[Any], cohort: NDArray[np.bool_], by: Normalisation, label: Any) -> Floats:
    """Return the scores of some whole groups, each measured by those of its group that are its cohort."""
    present = np.bincount(group) > 0
    size = np.bincount(group[cohort], minlength=len(present))
    needed = 1 if by == "equal-fmr" else 2
    few = np.flatnonzero(present & (size < needed))
    if len(few):
        raise MatedError(
            f"{label(few[0])} has {size[few[0]]} non-mated scores, and normalisation needs at least {needed}; leave it "
            "out"
        )
    if by == "equal-fmr":
        return _below_or_half(score, group, cohort)
    with np.errstate(invalid="ignore", divide="ignore"):  # what is not finite is refused below
        mean = np.bincount(group[cohort], weights=score[cohort], minlength=len(present)) / size
        away = score - mean[group]
        variance = np.bincount(group[cohort], weights=away[cohort] ** 2, minlength=len(present)) / (size - 1)
    wrong = np.flatnonzero(present & ~(np.isfinite(variance) & (variance > 0)))
    if len(wrong):
        raise MatedError(
            f"the non-mated scores of {label(wrong[0])} have no standard deviation to divide by (all are equal, or one "
            "is infinite); leave it out, or normalise by 'equal-fmr'"
        )
    with np.errstate(invalid="ignore"):  # groups without scores
        standardised: Floats = away / np.sqrt(variance)[group]
    return standardised


def _below_or_half(score: Floats, group: NDArray[Any], cohort: NDArray[np.bool_]) -> Floats:
    """Return for each score the share of its group's cohort below it, plus half of the share at it."""
    result = np.empty_like(score)
    order = np.argsort(group, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        ascending = rows[np.argsort(score[rows])]
        seen = np.append(0, np.cumsum(cohort[ascending]))
        new = np.append(True, score[ascending[1:]] != score[ascending[:-1]])
        starts = np.append(np.flatnonzero(new), len(rows))  # of equal scores
        twice = seen[starts[:-1]] + seen[starts[1:]]
        result[ascending] = twice[np.cumsum(new) - 1] / (2 * seen[-1])
    return result
