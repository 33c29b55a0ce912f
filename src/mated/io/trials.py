"""Trials: pairs of samples with a score, and a key beside them that says which are mated.

    model segment score     beside a key `model segment target|nontarget` (Kaldi, BOSARIS)
    score                   line by line beside a key `0|1 model segment` (VoxCeleb)
    query template score    beside the true pairs `query template` (pyeer)

The model is the reference and the segment the probe; with true pairs the query is the probe and the template the
reference. In place of a key, a table of sample and subject may be given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError
from mated.io.columns import is_name_of, means_dissimilarity
from mated.io.comparison_table import Table, unusable_scores
from mated.io.delimited import Delimited
from mated.io.keys import FIRST, MATED, SECOND, names_pair, read_key, refuse_disagreeing
from mated.io.labels import as_labels
from mated.io.pair_truth import Truth, subjects_by_name, subjects_of, tell_mated
from mated.scores import Comparisons

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars as pl

    from mated.io.request import Request

__all__ = ["comparisons_of_pairs", "read_pairs", "read_trials"]

SCORE = "score"


def read_trials(request: Request) -> Comparisons:
    """Read trials: the first sample of a pair is the reference (model), the second the probe (segment)."""
    return _read(request, "trials", first_is_probe=False)


def read_pairs(request: Request) -> Comparisons:
    """Read pyeer's scores beside a list of true pairs: the first sample is the query, the second the template."""
    return _read(request, "scores of pairs", first_is_probe=True)


def _read(request: Request, what: str, *, first_is_probe: bool) -> Comparisons:
    import polars as pl

    request.refuse_columns(what)
    lines = Delimited.sniff(request.text())
    first = lines.first_fields
    headed = is_name_of(first[-1], "score") or names_pair(first) if request.header == "auto" else request.header
    header = first[-1] if headed else ""
    if header:
        lines = lines.without_header()
    if len(first) == 1:
        return _line_by_line(lines, header, request, first_is_probe=first_is_probe)
    if len(first) != 3:
        raise MatedError(
            f"{lines.place(0)} has {len(first)} fields, and {what} have three, a pair and its score, or one, the score "
            "alone in the order of the key"
        )
    frame = lines.parse(["column 1", "column 2", SCORE], numeric=[2])
    table = Table(request.name, {}, lines.text)
    labels = [as_labels(frame[str(i)], f"column {i + 1}", table, noun="sample") for i in range(2)]
    pairs = _pairs(labels[0], labels[1], frame["2"])
    _refuse_unusable(pairs[SCORE], table, request)
    notes: tuple[str, ...] = (f"read as {what}: {'query, template' if first_is_probe else 'model, segment'} and score",)
    repeated = refuse_disagreeing(pairs, table, "has another score there", "keep one of the scores")
    place: Callable[[int], str] = table.place
    if repeated:
        kept = pairs.select(pl.struct(FIRST, SECOND).is_first_distinct()).to_series().arg_true().to_list()
        pairs, place = pairs[kept], lambda row: table.place(kept[row])
        notes = (*notes, f"{repeated} lines repeat a pair with the same score and are counted once")
    truth = tell_mated(pairs, request, place)
    notes = (*notes, *truth.notes)
    return comparisons_of_pairs(pairs, truth, request, place, first_is_probe=first_is_probe, header=header, notes=notes)


def _line_by_line(lines: Delimited, header: str, request: Request, *, first_is_probe: bool) -> Comparisons:
    """Put the scores beside the pairs of the key in its order; a pair listed again counts again."""
    if request.key is None:
        raise MatedError(
            f"{request.name} has one column; give the trials with key= (--key), one line for each score, or, if it "
            "lists the scores of one class, both lists with mated= and nonmated= (--mated and --nonmated)"
        )
    scores = lines.parse([SCORE], numeric=[0]).to_series()
    key = read_key(request.key)
    if len(scores) != key.pairs.height:
        raise MatedError(
            f"{request.name} has {len(scores)} scores and {key.name} {key.pairs.height} trials; they belong together "
            "line by line, so they must be as many"
        )
    if key.true_pairs:
        raise MatedError(
            f"{key.name} has no flag of target or nontarget, so that every score of {request.name} would be mated; "
            "give trials with 0|1 before each pair"
        )
    table = Table(request.name, {}, lines.text)
    _refuse_unusable(scores, table, request)
    pairs = _pairs(key.pairs[FIRST], key.pairs[SECOND], scores)
    notes: tuple[str, ...] = (f"read as trials: the scores stand in the order of {key.name}",)
    if repeated := pairs.height - pairs.select(FIRST, SECOND).unique().height:
        notes = (*notes, f"{repeated} lines of {key.name} repeat a trial, and each counts")
    return comparisons_of_pairs(
        pairs,
        Truth(key.pairs[MATED].to_numpy()),
        request,
        table.place,
        first_is_probe=first_is_probe,
        header=header,
        notes=notes,
    )


def comparisons_of_pairs(
    pairs: pl.DataFrame,
    truth: Truth,
    request: Request,
    place: Callable[[int], str],
    *,
    first_is_probe: bool,
    header: str = "",
    notes: Sequence[str] = (),
) -> Comparisons:
    """Put scores, samples and what is known of them together; NaN scores are failures by now."""
    import polars as pl

    mated = truth.mated
    if truth.unscored is not None and mated is not None:
        extra = truth.unscored.select(FIRST, SECOND, pl.lit(np.nan).alias(SCORE))
        pairs = pl.concat([pairs.select(FIRST, SECOND, SCORE), extra])
        mated = np.concatenate([mated, truth.unscored[MATED].to_numpy()])
    first, second = pairs[FIRST], pairs[SECOND]
    subjects: tuple[pl.Series | None, pl.Series | None] = (
        subjects_of(first, request, place),
        subjects_of(second, request, place),
    )
    if subjects[0] is None and (named := subjects_by_name((first, second), mated)) is not None:
        subjects = named
        notes = (*notes, "the speakers are read off the names of the samples, and agree with the key")
    dissimilarity = request.dissimilarity
    if dissimilarity is None:
        dissimilarity = means_dissimilarity(header)
        if dissimilarity:
            notes = (*notes, f"column {header!r} is taken as a dissimilarity: a lower score means more alike")
    probe, reference = (0, 1) if first_is_probe else (1, 0)
    samples = (first, second)
    try:
        return Comparisons.from_arrays(
            pairs[SCORE].to_numpy(),
            mated,
            probe_subject=subjects[probe],
            reference_subject=subjects[reference],
            probe_sample=samples[probe],
            reference_sample=samples[reference],
            dissimilarity=dissimilarity,
            unit=request.unit,
            nan="failure",
            notes=tuple(notes),
        )
    except MatedError as error:
        raise MatedError(f"{request.name}: {error}") from None


def _pairs(first: pl.Series, second: pl.Series, scores: pl.Series) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame({FIRST: first.cast(pl.String), SECOND: second.cast(pl.String), SCORE: scores})


def _refuse_unusable(scores: pl.Series, table: Table, request: Request) -> None:
    if request.nan == "refuse":
        unusable = (scores.is_null() | scores.is_nan().fill_null(value=False)).to_numpy()
        if unusable.any():
            row = int(unusable.argmax())
            raise unusable_scores(table.place(row), unusable, "missing" if scores[row] is None else "NaN")
