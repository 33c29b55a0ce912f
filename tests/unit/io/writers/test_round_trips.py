"""What is written is read back as it was: scores bit for bit, flags, who was compared, orientation and failures."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mated.errors import MatedError
from mated.io import read
from mated.io.write import write
from mated.scores import Comparisons, ScoreMatrix
from reading_options import options_of

TABLES = ("parquet", "arrow", "csv", "tsv")
ENDINGS = {"parquet": ".parquet", "arrow": ".arrow", "csv": ".csv", "tsv": ".tsv", "npy": ".npy", "bee": ".mtx"}

scores = st.one_of(
    st.floats(allow_nan=False, width=64),
    st.integers(-50, 50).map(float),
    st.sampled_from([0.1, 1 / 3, -0.0, 5e-324, 1e23, float("inf"), float("-inf")]),
)
plain = st.sampled_from(["ann", "bob", "007", "7", "é", "x,y", 'a"b', "a b", "a;b", "1.5", "reference", "-"])
simple = st.sampled_from(["ann", "bob", "007", "7", "é", "a.b", "model", "x"])


either = st.booleans()


def written_and_read(layout, to, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"scores{ENDINGS.get(to, '.txt')}"
        done = write(layout, path, to=to, **options)
        reading = options_of(done.reading)
        if len(getattr(layout, "failed_mated", ())):
            reading.setdefault("nan", "failure")
        found = read(None if "mated" in reading else done.files[0], **reading)
        if isinstance(found, ScoreMatrix):
            found = found.comparisons()
        return found, done


def unless_refused(layout, to, *reasons, **options):
    """What is read back, and what was written; None where it is refused for one of these reasons."""
    try:
        return written_and_read(layout, to, **options)
    except MatedError as error:
        if not any(reason in str(error) for reason in reasons):
            raise
        return None


def rows_of(comparisons, *, subjects=True, samples=True, unordered=False):
    """One tuple a comparison, failures too, in an order that no format changes; scores by their bits."""
    user = -comparisons.score if comparisons.dissimilarity else comparisons.score
    score = np.concatenate([user, np.full(len(comparisons.failed_mated), np.nan)]).astype(np.float64) + 0.0
    rows = [score.view(np.uint64).tolist(), [*comparisons.mated.tolist(), *comparisons.failed_mated.tolist()]]
    for wanted, ids, failed in (
        (subjects, comparisons.subjects, comparisons.failed_subjects),
        (samples, comparisons.samples, comparisons.failed_samples),
    ):
        if wanted and ids is not None:
            parts = [ids] if failed is None else [ids, failed]
            probe, reference = (
                [ids.names[code] for part in parts for code in getattr(part, side).tolist()]
                for side in ("probe", "reference")
            )
            rows.append([tuple(sorted(p)) if unordered else p for p in zip(probe, reference, strict=True)])
        elif wanted:
            rows.append([None] * len(score))
    return sorted(zip(*rows, strict=True), key=repr)


@st.composite
def tables(draw, names=plain, *, with_subjects=either, with_samples=either, score=scores, most=12):
    """Comparisons of few people, heavy with repeats; failures and either orientation."""
    n = draw(st.integers(1, most))
    column = st.lists(names, min_size=n, max_size=n)
    values = np.array(draw(st.lists(score, min_size=n, max_size=n)))
    failed = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n))) & draw(st.booleans())
    given = {}
    subjects = draw(with_subjects)
    if subjects:
        given |= {f"{side}_subject": draw(column) for side in ("probe", "reference")}
    if draw(with_samples):
        given |= {f"{side}_sample": draw(column) for side in ("probe", "reference")}
    mated = None if subjects else draw(st.lists(st.booleans(), min_size=n, max_size=n))
    return Comparisons.from_arrays(
        np.where(failed, np.nan, values), mated, **given, dissimilarity=draw(st.booleans()), nan="failure"
    )


@settings(max_examples=40)
@given(tables(), st.sampled_from(TABLES))
def test_a_table_is_read_back_as_it_was(comparisons, to):
    found, done = written_and_read(comparisons, to)
    assert rows_of(found) == rows_of(comparisons)
    assert found.dissimilarity == comparisons.dissimilarity
    assert done.comparisons == len(comparisons) + len(comparisons.failed_mated)


@settings(max_examples=40)
@given(tables(simple))
def test_two_columns_of_bob_hold_scores_and_flags(comparisons):
    found, done = written_and_read(comparisons, "bob2")
    assert rows_of(found, subjects=False, samples=False) == rows_of(comparisons, subjects=False, samples=False)
    assert found.dissimilarity == comparisons.dissimilarity
    assert any("subjects" in note for note in done.notes) == (comparisons.subjects is not None)


@settings(max_examples=40)
@given(tables(simple, with_subjects=st.just(True)))
def test_five_columns_of_bob_hold_subjects_and_samples(comparisons):
    found = unless_refused(comparisons, "bob5", *(["one subject alone"] if comparisons.samples is None else []))
    if found is not None:
        assert rows_of(found[0]) == rows_of(comparisons)


@settings(max_examples=40)
@given(tables(simple, with_subjects=st.just(True)))
def test_four_columns_of_bob_hold_subjects_and_probes_or_are_refused(comparisons):
    written = unless_refused(comparisons, "bob4", "--to bob")
    if written is None:
        return
    found = written[0]
    assert rows_of(found, samples=False) == rows_of(comparisons, samples=False)
    if comparisons.samples is None:
        assert found.samples is None
    else:
        probes = [[c.samples.names[code] for code in c.samples.probe.tolist()] for c in (found, comparisons)]
        assert probes[0] == probes[1]


@settings(max_examples=40)
@given(tables(simple))
def test_score_lists_hold_the_scores_of_each_class(comparisons):
    everything = np.concatenate([comparisons.mated, comparisons.failed_mated])
    if everything.all() or not everything.any():
        with pytest.raises(MatedError, match="there is no"):
            written_and_read(comparisons, "lists")
        return
    found, _ = written_and_read(comparisons, "lists")
    assert rows_of(found, subjects=False, samples=False) == rows_of(comparisons, subjects=False, samples=False)
    for flag in (True, False):
        assert found.score[found.mated == flag].tolist() == comparisons.score[comparisons.mated == flag].tolist()


@settings(max_examples=50)
@given(tables(simple, with_samples=st.just(True)), st.sampled_from(["trials", "voxceleb"]))
def test_trials_hold_samples_and_subjects(comparisons, to):
    # A pair that is listed as mated and as non-mated has no key; only comparisons without subjects can be so.
    found = unless_refused(comparisons, to, "repeat a pair", "taken for", "is target there and nontarget here")
    if found is not None:
        assert rows_of(found[0]) == rows_of(comparisons)


@st.composite
def matrices(draw, score=scores):
    """Matrices with every combination of named samples, empty entries, failures and symmetry."""
    kind = draw(st.sampled_from(["rectangle", "square", "symmetric", "subjects"]))
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    if kind in ("square", "symmetric"):
        rows = columns = draw(st.integers(2, 4))
    size = rows * columns
    matrix = np.array(draw(st.lists(score, min_size=size, max_size=size))).reshape(rows, columns)
    changed = np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size))).reshape(matrix.shape)
    matrix[changed] = np.nan if draw(st.booleans()) else 0.5
    if kind == "symmetric":
        matrix = np.where(np.tri(rows, dtype=bool), matrix, matrix.T)
    people = draw(st.lists(simple, min_size=rows + columns, max_size=rows + columns))
    probes, references = people[:rows], people[rows:]
    named = {"probe_sample": [f"p{i}" for i in range(rows)], "reference_sample": [f"r{i}" for i in range(columns)]}
    if kind in ("square", "symmetric"):
        references = probes
        named["reference_sample"] = named["probe_sample"]
    if kind == "subjects":
        named = {}
    mask = None
    if kind != "symmetric" and draw(st.booleans()):
        mask = np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size))).reshape(matrix.shape)
    return ScoreMatrix.from_arrays(
        matrix, probes, references, **named, mask=mask, nan="failure", dissimilarity=draw(st.booleans())
    )


def assert_matrix_comes_back(matrix, written):
    comparisons = matrix.comparisons()
    found, done = written
    assert done.comparisons == len(comparisons) + len(comparisons.failed_mated)
    named = matrix.samples is not None
    assert rows_of(found, samples=named) == rows_of(comparisons, samples=named)
    assert found.dissimilarity == matrix.dissimilarity


@settings(max_examples=60)
@given(matrices(), st.sampled_from(["npy", "matrix"]))
def test_a_matrix_is_read_back_as_it_was(matrix, to):
    reasons = ("were not compared",) if to == "npy" else ("same samples",)
    written = unless_refused(
        matrix, to, *reasons, "compared with themselves", "differ by what was rounding", "nothing to write"
    )
    if written is not None:
        assert_matrix_comes_back(matrix, written)


@settings(max_examples=60)
@given(matrices(st.floats(-1e30, 1e30).map(lambda x: float(np.float32(x)))), st.sampled_from(["little", "big"]))
def test_a_bee_matrix_of_32_bit_scores_is_read_back_as_it_was(matrix, order):
    written = unless_refused(matrix, "bee", "nothing to write", "compared with themselves", byte_order=order)
    if written is not None:
        assert_matrix_comes_back(matrix, written)


@settings(max_examples=40)
@given(matrices(), st.sampled_from(TABLES))
def test_a_matrix_is_listed_as_a_table(matrix, to):
    if not matrix.comparisons().score.size and not len(matrix.comparisons().failed_mated):
        return
    assert_matrix_comes_back(matrix, written_and_read(matrix, to))


@settings(max_examples=60)
@given(
    tables(simple, with_subjects=st.just(True), with_samples=st.just(True), most=8), st.sampled_from(["matrix", "npy"])
)
def test_a_table_that_a_matrix_can_hold_is_read_back_as_it_was(comparisons, to):
    reasons = ("repeat a pair", "same sample on both sides", "both orders", "were not compared")
    found = unless_refused(comparisons, to, *reasons)
    if found is not None:
        assert rows_of(found[0], unordered=True) == rows_of(comparisons, unordered=True)


@settings(max_examples=40)
@given(tables(simple, with_samples=st.just(True), with_subjects=st.just(False), score=st.floats(-9, 9)))
def test_the_json_of_dasec_holds_the_scores_of_one_class(comparisons):
    mated = comparisons.take(comparisons.mated)
    written = unless_refused(mated, "dasec", "repeat a pair", "no comparison scores")
    if written is not None:
        found, done = written
        assert done.comparisons == len(mated)
        assert found.score.tolist() == mated.score.tolist()
        assert found.mated.all()
        pairs = [
            [(c.samples.names[p], c.samples.names[r]) for p, r in zip(*sides(c), strict=True)] for c in (found, mated)
        ]
        assert pairs[0] == pairs[1]


def sides(comparisons):
    return comparisons.samples.probe.tolist(), comparisons.samples.reference.tolist()
