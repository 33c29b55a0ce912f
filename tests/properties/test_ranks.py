"""Ranks against a loop over probes; parts add up, orders and monotone transforms do not matter, layouts agree."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from identification_brute_force import Sample, outcome, search_matrix, search_table
from mated.scores import Comparisons, ScoreMatrix
from mated.scores.ranking import rank_rows, rank_table
from mated.scores.subject_tallies import lists_pairs_once

scores = st.one_of(st.integers(-2, 2).map(float), st.sampled_from([-math.inf, math.inf, -0.0, 0.5]))
scores_or_failures = st.one_of(scores, scores, scores, st.none())
fewer = settings(max_examples=50)
samples = st.builds(Sample, st.sampled_from("abcd"), st.sampled_from("12"))
tables = st.lists(st.tuples(samples, samples, scores_or_failures), min_size=1, max_size=40)


def table(rows, **options) -> Comparisons:
    """A table of (probe sample, reference sample, score), None for a failure."""
    probe, reference, score = zip(*rows, strict=True)
    return Comparisons.from_arrays(
        [math.nan if s is None else s for s in score],
        probe_subject=[p.subject for p in probe],
        reference_subject=[r.subject for r in reference],
        probe_sample=[p.name for p in probe],
        reference_sample=[r.name for r in reference],
        nan="failure",
        **options,
    )


@given(tables, st.booleans())
def test_ranks_of_a_table_are_those_of_a_loop_over_probes(rows, both):
    ranks = rank_table(table(rows), symmetric="yes" if both else "no")
    assert outcome(ranks) == search_table(rows, both=both)


@fewer
@given(tables)
def test_a_mate_ranks_within_the_gallery_its_probe_saw(rows):
    ranks = rank_table(table(rows), symmetric="no")
    assert (ranks.above + ranks.tied <= ranks.others).all()
    assert (ranks.others < ranks.gallery_size).all()
    assert (ranks.open_others <= ranks.gallery_size).all()
    assert ((ranks.above == 0) == (ranks.best_other <= ranks.mate_score))[ranks.mate_score > -math.inf].all()


@fewer
@given(tables, st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_rows_does_not_matter(rows, random, both):
    shuffled = random.sample(rows, len(rows))
    ways = [outcome(rank_table(table(r), symmetric="yes" if both else "no")) for r in (rows, shuffled)]
    assert ways[0] == ways[1]


@given(st.lists(st.tuples(samples, samples, scores), min_size=1, max_size=12))
def test_directions_are_found_out_as_for_subject_tallies(rows):
    data = table(rows)
    expected = rank_table(data, symmetric="yes" if lists_pairs_once(data) else "no")
    assert outcome(rank_table(data)) == outcome(expected)


@fewer
@given(tables, st.booleans())
def test_a_strictly_monotone_transform_changes_no_rank(rows, both):
    transformed = [(p, r, None if s is None else math.atan(s) ** 3) for p, r, s in rows]
    first, second = (rank_table(table(r), symmetric="yes" if both else "no") for r in (rows, transformed))
    for name in ("subject", "above", "tied", "others", "open_subject", "open_others"):
        assert getattr(first, name).tolist() == getattr(second, name).tolist()


@fewer
@given(tables, st.booleans())
def test_dissimilarities_rank_as_their_negated_similarities(rows, both):
    negated = [(p, r, None if s is None else -s) for p, r, s in rows]
    first = rank_table(table(rows), symmetric="yes" if both else "no")
    second = rank_table(table(negated, dissimilarity=True), symmetric="yes" if both else "no")
    assert outcome(first) == outcome(second)
    assert second.dissimilarity


@fewer
@given(st.data())
def test_parts_of_the_probes_of_a_table_add_up_to_the_whole(data):
    """Each part keeps a row of every reference, so that all search the same gallery."""
    references = data.draw(st.lists(samples, min_size=1, max_size=5, unique=True))
    probes = [Sample(s, f"p{n}") for s in "abcde" for n in "12"]
    rows = [(p, r, data.draw(scores)) for p in probes for r in references]
    part = {p: data.draw(st.integers(0, 2)) for p in probes}
    whole = table(rows)
    parts = [rank_table(whole.take(np.array([part[p] == k for p, _, _ in rows]))) for k in set(part.values())]
    assert outcome(sum(parts)) == outcome(rank_table(whole)) == search_table(rows)


@fewer
@given(tables)
def test_a_table_without_subjects_ranks_alike_where_mated_comparisons_link_the_samples_of_each(rows):
    """Three mated comparisons of each subject with a sample that is in no other row link its samples."""
    links = [(Sample(s, "0"), Sample(s, n), -math.inf) for s in "abcd" for n in "12"]
    rows = [row for row in rows if row[0] != row[1]] + links
    named = table(rows)
    unnamed = Comparisons.from_arrays(
        [math.nan if s is None else s for _, _, s in rows],
        [p.subject == r.subject for p, r, _ in rows],
        probe_sample=[p.name for p, _, _ in rows],
        reference_sample=[r.name for _, r, _ in rows],
        nan="failure",
    )
    expected, found = outcome(rank_table(named, symmetric="no")), rank_table(unnamed, symmetric="no")
    renamed = outcome(found)._replace(
        mated=sorted((name[0], *rest) for name, *rest in outcome(found).mated),
        open_set=sorted((name[0], *rest) for name, *rest in outcome(found).open_set),
    )
    assert renamed == expected


# -- matrices --------------------------------------------------------------------------------------


@st.composite
def rectangles(draw):
    """Scores with failures, samples of both sides (which may meet themselves), a mask or none."""
    probes = draw(st.lists(samples, min_size=1, max_size=6))
    references = draw(st.lists(samples, min_size=1, max_size=8))
    values = [[draw(scores_or_failures) for _ in references] for _ in probes]
    used = draw(st.one_of(st.none(), st.just(0)))
    if used is not None:
        used = [[draw(st.booleans()) for _ in references] for _ in probes]
    return values, probes, references, used


def matrix(values, probes, references, used, dtype=np.float64, **options) -> ScoreMatrix:
    numbers = np.array([[math.nan if s is None else s for s in row] for row in values], dtype=dtype)
    return ScoreMatrix.from_arrays(
        numbers,
        [p.subject for p in probes],
        [r.subject for r in references],
        probe_sample=[p.name for p in probes],
        reference_sample=[r.name for r in references],
        mask=used,
        **{"nan": "failure", **options},
    )


@given(rectangles(), st.sampled_from([np.float32, np.float64, ">f4", np.float16]), st.integers(0, 6), st.integers(0, 6))
def test_ranks_of_a_matrix_are_those_of_a_loop_over_rows_and_parts_add_up(data, dtype, one, other):
    values, probes, references, used = data
    m = matrix(values, probes, references, used, dtype)
    whole = rank_rows(m, 0, len(probes), symmetric="no")
    assert outcome(whole) == search_matrix(values, probes, references, used)
    edges = sorted((min(one, len(probes)), min(other, len(probes))))
    cuts = [0, *edges, len(probes)]
    parts = [rank_rows(m, a, b, symmetric="no") for a, b in pairwise(cuts)]
    added = sum(parts)
    for name in ("subject", "above", "tied", "others", "mate_score", "best_other", "open_best", "open_others"):
        assert getattr(added, name).tolist() == getattr(whole, name).tolist()
    assert outcome(added) == outcome(whole)
    assert added.notes == whole.notes


@fewer
@given(rectangles(), st.sampled_from([np.float32, np.float64]))
def test_a_matrix_of_dissimilarities_in_any_memory_order_ranks_as_the_negated_one(data, dtype):
    values, probes, references, used = data
    m = matrix(values, probes, references, used, dtype)
    turned = ScoreMatrix.from_arrays(
        np.asfortranarray(-m.scores),
        [p.subject for p in probes],
        [r.subject for r in references],
        probe_sample=[p.name for p in probes],
        reference_sample=[r.name for r in references],
        mask=None if used is None else np.asfortranarray(used),
        nan="failure",
        dissimilarity=True,
    )
    ranks = [rank_rows(x, 0, len(probes), symmetric="no") for x in (m, turned)]
    assert outcome(ranks[0]) == outcome(ranks[1])


@fewer
@given(st.data())
def test_a_matrix_ranks_as_the_table_of_its_entries(data):
    """Probes and references of one matrix are different samples here, each of them compared somewhere."""
    probes = data.draw(st.lists(samples, min_size=1, max_size=5, unique=True))
    references = [Sample(r.subject, f"r{r.number}") for r in data.draw(st.lists(samples, min_size=1, unique=True))]
    values = [[data.draw(scores_or_failures) for _ in references] for _ in probes]
    used = [[i == 0 or j == 0 or data.draw(st.booleans()) for j in range(len(references))] for i in range(len(probes))]
    rows = [(p, r, values[i][j]) for i, p in enumerate(probes) for j, r in enumerate(references) if used[i][j]]
    m = matrix(values, probes, references, used)
    assert outcome(rank_rows(m, 0, len(probes))) == outcome(rank_table(table(rows)))


@fewer
@given(st.data(), st.sampled_from(["whole", "upper", "lower", "both triangles differ"]))
def test_a_symmetric_matrix_and_a_triangle_are_searched_in_both_directions(data, shape):
    people = sorted(data.draw(st.lists(samples, min_size=2, max_size=6, unique=True)))
    size = len(people)
    pairs = {(i, j): data.draw(scores) for i in range(size) for j in range(i + 1, size)}
    values = [[pairs.get((min(i, j), max(i, j)), 9.0) for j in range(size)] for i in range(size)]
    rows = [(people[i], people[j], s) for (i, j), s in pairs.items()]
    expected = search_table(rows, both=True)
    used, symmetric = None, "auto"
    if shape == "upper":
        used = np.triu(np.ones((size, size), bool)).tolist()
    elif shape == "lower":
        used = np.tril(np.ones((size, size), bool), -1).tolist()
    elif shape != "whole":  # the better of two entries counts where both directions are asked for
        values = [[values[i][j] if i < j else -5.0 for j in range(size)] for i in range(size)]
        expected = search_table([*rows, *((r, p, -5.0) for p, r, _ in rows)], both=True)
        symmetric = "yes"
    found = rank_rows(matrix(values, people, people, used, nan="refuse"), 0, size, symmetric=symmetric)
    assert outcome(found) == expected
    assert "both directions" in found.notes[-1]


@pytest.mark.parametrize("references_each", [1, 2, 40])
@pytest.mark.parametrize("mate", [-1.0, 2.0, 2.5, 9.0])
@pytest.mark.parametrize("kind", ["float32", "float64", "integers", "failures", "masked"])
def test_long_rows_with_ties_rank_as_a_loop_over_identities_says(references_each, mate, kind):
    """Rows of 3,000 columns run through every way of counting: pieces, single hits, folded rows."""
    rng = np.random.default_rng([references_each, int(10 * mate + 20), len(kind)])
    n_rows, n_columns = 8, 3000
    reference = rng.permutation(np.arange(n_columns) // references_each)
    probe = rng.integers(0, reference.max() + 1, n_rows)
    probe[-2:] = n_columns  # not enrolled
    values = np.round(rng.normal(size=(n_rows, n_columns)), 1)
    values = np.where(probe[:, None] == reference, np.minimum(values, mate), values)
    for row in range(n_rows - 2):
        values[row, rng.choice(np.flatnonzero(reference == probe[row]))] = mate
    values[1, rng.integers(0, n_columns, 3)] = [np.inf, -np.inf, -0.0]
    options, used = {}, None
    if kind == "integers":
        values = (10 * np.clip(values, -9, 9)).astype(np.int16)
    elif kind == "failures":
        failed = rng.random(values.shape) < [[0.0], [0.3]] * (n_rows // 2)
        failed[-2, 5] = True
        values[failed] = np.copysign(np.nan, rng.normal(size=failed.sum()))
        options = {"nan": "failure"}
    elif kind == "masked":
        used = rng.random(values.shape) < 0.5
        values[~used] = np.nan
        options = {"mask": used}
    else:
        values = values.astype(kind)
    people = [Sample(str(p), f"probe {i}") for i, p in enumerate(probe.tolist())]
    gallery = [Sample(str(r), str(j)) for j, r in enumerate(reference.tolist())]
    expected = search_matrix(values.tolist(), people, gallery, used)
    for turned in (False, True):
        numbers = -values if turned else values
        m = ScoreMatrix.from_arrays(numbers, probe, reference, dissimilarity=turned, **options)
        assert outcome(rank_rows(m, 0, n_rows)) == expected
