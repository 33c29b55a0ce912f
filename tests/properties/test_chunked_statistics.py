"""Statistics of subjects and ranks in chunks are those of the table in memory, however it is cut and merged."""

from __future__ import annotations

import math
from unittest.mock import patch

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunked_tables import comparisons_of, cut, cuttings, frame_of
from mated.engine.rank_chunks import stream_ranks
from mated.engine.stream import Scoring
from mated.engine.subject_chunks import stream_subject_pairs, stream_subject_tallies
from mated.errors import MatedError
from mated.scores.ranking import rank
from mated.scores.subject_pairs import SubjectPairs
from mated.scores.subject_tallies import SubjectTallies

values = st.one_of(st.integers(-2, 2).map(float), st.sampled_from([-math.inf, math.inf, -0.0, 0.1]))
scores = st.one_of(values, values, values, st.none())
texts = st.sampled_from(["b", "a", "Ä", "10", "9"])
integers = st.sampled_from([10, 9, -3, 2**40, 0])
types = st.sampled_from([pl.Float64, pl.Float32])
scorings = st.builds(Scoring, dissimilarity=st.booleans(), nan=st.just("failure"))
symmetries = st.sampled_from(["auto", "auto", "yes", "no"])


def rows_of(*columns, least=1, most=40):
    return st.lists(st.tuples(scores, *columns), min_size=least, max_size=most)


@st.composite
def named_tables(draw):
    """Samples named by subject and number or by number alone; each pair once, some in both orders, or sides apart."""
    kind = draw(st.sampled_from(["any", "numbers", "apart", "once", "both", "both"]))
    names = draw(st.lists(draw(st.sampled_from([texts, integers])), min_size=2, max_size=4, unique=True))
    subject, number = st.sampled_from(names), st.sampled_from(["2", "1", "x"][: draw(st.integers(1, 3))])
    rows = [*draw(rows_of(subject, subject, number, number, least=3)), (draw(scores), names[0], names[0], "2", "1")]
    if kind == "once":
        rows = list({frozenset([(p, a), (r, b)]): (s, p, r, a, b) for s, p, r, a, b in rows}.values())
    if kind == "both":
        rows += [(s, r, p, b, a) for s, p, r, a, b in rows[: draw(st.integers(1, 4))]]
    if kind != "numbers":
        rows = [(s, p, r, f"{p}.{a}", f"{r}.{b}" + "g" * (kind == "apart")) for s, p, r, a, b in rows]
    return frame_of(rows, dtype=draw(types))


def in_memory(frame, scoring):
    return comparisons_of(frame, dissimilarity=scoring.dissimilarity, nan=scoring.nan)


def either(function, *args, **options):
    """Return the outcome, or what was said against it."""
    try:
        return function(*args, **options)
    except MatedError as error:
        return str(error)


def content(pairs: SubjectPairs):
    """Everything held; the order within equal scores means nothing."""
    triples = sorted(zip(pairs.score.tolist(), pairs.first.tolist(), pairs.second.tolist(), strict=True))
    own = sorted(zip(pairs.mated_score.tolist(), pairs.mated_subject.tolist(), strict=True))
    totals = [column.tolist() for column in pairs.totals.entries]
    form = None if pairs.totals.samples is None else (pairs.totals.samples.tolist(), pairs.totals.scale)
    kinds = [getattr(pairs, name).dtype for name in ("mated_subject", "mated_score", "first", "second", "score")]
    in_order = [array.tobytes() for array in (pairs.score, pairs.mated_score)]
    return pairs.names, pairs.present.tolist(), own, triples, totals, form, pairs.tail_above, kinds, in_order


@given(
    st.one_of(rows_of(texts, texts), rows_of(integers, integers), rows_of(texts, integers)), types, scorings, cuttings
)
def test_pairs_of_subjects_are_those_in_memory(rows, dtype, scoring, cutting):
    frame = frame_of(rows, dtype=dtype)
    whole = SubjectPairs.of(in_memory(frame, scoring))
    assert content(stream_subject_pairs(**cut(frame, cutting), scoring=scoring)) == content(whole)


@given(rows_of(texts, texts), values, scorings, cuttings)
def test_a_cut_tail_is_that_in_memory(rows, tail, scoring, cutting):
    frame = frame_of(rows)
    whole = SubjectPairs.of(in_memory(frame, scoring), tail_above=tail)
    assert content(stream_subject_pairs(**cut(frame, cutting), scoring=scoring, tail_above=tail)) == content(whole)


@given(st.lists(st.integers(1, 4), min_size=2, max_size=6), st.booleans(), cuttings)
def test_a_complete_design_is_recognised(sizes, both, cutting):
    people = [(f"s{k}", n) for k, size in enumerate(sizes) for n in range(size)]
    rows = [(1.0, a, b) for a, i in people for b, j in people if (a, i) < (b, j) or (both and (a, i) != (b, j))]
    frame = frame_of(rows)
    found = stream_subject_pairs(**cut(frame, cutting), scoring=Scoring())
    assert content(found) == content(SubjectPairs.of(comparisons_of(frame)))
    assert found.totals.samples is not None


def same_tallies(one: SubjectTallies, other: SubjectTallies) -> None:
    for name in ("nonmated_at_or_above", "nonmated_above", "nonmated_total"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()
    for name in ("subject", "score", "count"):
        assert getattr(one.grid, name).tobytes() == getattr(other.grid, name).tobytes()
    assert one.symmetric == other.symmetric


@given(st.one_of(rows_of(texts, texts), rows_of(integers, integers)), types, scorings, symmetries, cuttings)
def test_tallies_of_subjects_are_those_in_memory(rows, dtype, scoring, symmetric, cutting):
    frame = frame_of(rows, dtype=dtype)
    whole = SubjectTallies.of(in_memory(frame, scoring), symmetric)
    knows = frame.columns
    same_tallies(
        stream_subject_tallies(**cut(frame, cutting), scoring=scoring, symmetric=symmetric, knows=knows), whole
    )


@given(named_tables(), scorings, cuttings)
def test_samples_tell_tallies_whether_pairs_are_listed_once(frame, scoring, cutting):
    whole = SubjectTallies.of(in_memory(frame, scoring))
    same_tallies(stream_subject_tallies(**cut(frame, cutting), scoring=scoring), whole)


RANKED = ("subject", "above", "tied", "others", "mate_score", "best_other", "open_subject", "open_others", "open_best")
SAID = ("gallery_size", "names", "failed_mates", "unsearched", "missing", "dissimilarity", "unit", "notes")


def same_ranks(one, other) -> None:
    assert isinstance(one, str) == isinstance(other, str), (one, other)
    if isinstance(one, str):
        assert one == other
        return
    for name in RANKED:
        assert (getattr(one, name).dtype, getattr(one, name).tobytes()) == (
            getattr(other, name).dtype,
            getattr(other, name).tobytes(),
        ), name
    for name in SAID:
        assert getattr(one, name) == getattr(other, name)


@settings(max_examples=200)
@given(named_tables(), scorings, symmetries, cuttings)
def test_ranks_are_those_in_memory(frame, scoring, symmetric, cutting):
    whole = either(lambda: rank(in_memory(frame, scoring), symmetric=symmetric))
    same_ranks(either(stream_ranks, **cut(frame, cutting), scoring=scoring, symmetric=symmetric), whole)


@given(named_tables(), scorings, symmetries, cuttings)
def test_ranks_without_named_references_are_those_in_memory(frame, scoring, symmetric, cutting):
    frame = frame.drop("reference_sample")
    whole = either(lambda: rank(in_memory(frame, scoring), symmetric=symmetric))
    found = either(stream_ranks, **cut(frame, cutting), scoring=scoring, symmetric=symmetric, knows=frame.columns)
    same_ranks(found, whole)


@given(rows_of(texts, texts, most=12), st.booleans(), scorings, symmetries, cuttings)
def test_ranks_without_samples_are_those_in_memory(rows, distinct, scoring, symmetric, cutting):
    if distinct:
        rows = list({row[1:]: row for row in rows}.values())
    frame = frame_of(rows)
    whole = either(lambda: rank(in_memory(frame, scoring), symmetric=symmetric))
    found = either(stream_ranks, **cut(frame, cutting), scoring=scoring, symmetric=symmetric, knows=frame.columns)
    same_ranks(found, whole)


@pytest.mark.parametrize("bits", [8, 40])
@given(named_tables(), scorings, st.sampled_from(["yes", "no"]), cuttings)
def test_probes_taken_in_turns_give_the_same_ranks(bits, frame, scoring, symmetric, cutting):
    whole = either(lambda: rank(in_memory(frame, scoring), symmetric=symmetric))
    with patch("mated.engine.rank_chunks.MOST_BITS", bits):
        found = either(stream_ranks, **cut(frame, cutting), scoring=scoring, symmetric=symmetric)
    if isinstance(found, str) and "too many samples" in found:
        return  # names that several subjects share cannot be judged then, and it says so
    same_ranks(found, whole)
