"""Score normalisation against its formulas, and what it leaves as it was."""

from __future__ import annotations

import numpy as np
import pytest

from mated.errors import MatedError
from mated.identification.normalisation import normalise
from mated.scores import Comparisons, ScoreMatrix, SubjectTallies
from mated.scores.rivals import Rivals
from mated.synthetic import GaussianIdentities
from mated.verification import individual_rocs, roc_curve

METHODS = ("probe", "reference", "equal-fmr")


def listed(table: Comparisons) -> dict[tuple[str, str], float]:
    """The score of each ordered pair of samples."""
    names = table.samples.names
    pairs = [(names[p], names[r]) for p, r in zip(table.samples.probe, table.samples.reference, strict=True)]
    assert len(set(pairs)) == len(pairs)
    return dict(zip(pairs, table.score.tolist(), strict=True))


def by_formula(scores: dict[tuple[str, str], float], by: str) -> dict[tuple[str, str], float]:
    """Normalise ordered pairs of samples named person-number, one by one."""

    def cohort(probe: str, reference: str) -> list[float]:
        def belongs(p: str, r: str) -> bool:
            if by == "equal-fmr":
                return p.split("-")[0] == probe.split("-")[0]
            return p == probe if by == "probe" else r == reference

        return [s for (p, r), s in scores.items() if p.split("-")[0] != r.split("-")[0] and belongs(p, r)]

    result = {}
    for (p, r), s in scores.items():
        others = cohort(p, r)
        if by == "equal-fmr":
            result[p, r] = (sum(x < s for x in others) + sum(x == s for x in others) / 2) / len(others)
        else:
            mean = sum(others) / len(others)
            result[p, r] = (s - mean) / (sum((x - mean) ** 2 for x in others) / (len(others) - 1)) ** 0.5
    return result


@pytest.mark.parametrize("by", METHODS)
@pytest.mark.parametrize("layout", ["matrix", "table"])
def test_is_that_of_the_formula_in_both_directions(by, layout):
    data = GaussianIdentities().draw(5, 3, rng=8).matrix(decimals=1)
    once = listed(data.comparisons())
    expected = by_formula(once | {(r, p): s for (p, r), s in once.items()}, by)
    if layout == "matrix":
        result = normalise(data, by)
        assert not result.symmetric
        found = listed(result.comparisons())
    else:
        found = listed(normalise(data.comparisons(), by))
    assert found.keys() == expected.keys()
    np.testing.assert_allclose([found[pair] for pair in expected], list(expected.values()), atol=1e-12)


@pytest.mark.parametrize("by", METHODS)
def test_of_probes_against_other_samples_has_one_direction(by):
    rng = np.random.default_rng(4)
    rows, columns = [f"p{i // 2}-{i % 2}" for i in range(8)], [f"p{i % 4}-g{i // 4}" for i in range(12)]
    people = [[name.split("-")[0] for name in side] for side in (rows, columns)]
    used = rng.random((8, 12)) < 0.8
    scores = rng.integers(0, 9, (8, 12)).astype(float)
    data = ScoreMatrix.from_arrays(scores, *people, probe_sample=rows, reference_sample=columns, mask=used)
    given = {(rows[i], columns[j]): scores[i, j] for i, j in np.argwhere(used)}
    expected = by_formula(given, by)
    for found in (listed(normalise(data, by).comparisons()), listed(normalise(data.comparisons(), by))):
        assert found.keys() == expected.keys()
        np.testing.assert_allclose([found[pair] for pair in expected], list(expected.values()), atol=1e-12)


@pytest.mark.parametrize("by", ["probe", "equal-fmr"])
def test_by_probe_and_to_equal_fmr_leaves_every_rank_as_it_was(by):
    data = GaussianIdentities().draw(20, 4, rng=1).matrix(scale=2, decimals=1)
    before, after = Rivals.of(data), Rivals.of(normalise(data, by))
    for name in ("subject", "above", "tied", "total"):
        np.testing.assert_array_equal(getattr(before, name), getattr(after, name))


def test_to_equal_fmr_leaves_the_individual_rocs_as_they_were():
    data = GaussianIdentities().draw(15, 4, rng=1).matrix(scale=2, decimals=1)
    before, after = (
        individual_rocs(SubjectTallies.of(layout.comparisons())) for layout in (data, normalise(data, "equal-fmr"))
    )
    np.testing.assert_array_equal(before.fmr, after.fmr)
    np.testing.assert_array_equal(before.tmr, after.tmr)


def test_to_equal_fmr_makes_the_global_roc_the_average_one():
    # Veldhuis & Raja (2023), Eq. 12: at FMR k/N the global TMR is the mean of the subjects' own, where all have N.
    data = GaussianIdentities().draw(12, 4, rng=6).matrix()
    roc = roc_curve(normalise(data, "equal-fmr").tally())
    rivals = Rivals.of(data, scope="subject")
    above = rivals.above.sum(axis=1, dtype=int)
    size = 11 * 16
    for k in range(size + 1):
        own = [np.mean(above[rivals.subject == code] <= k) for code in range(12)]
        assert roc.tmr[roc.fmr <= k / size].max() == pytest.approx(np.mean(own), abs=1e-12)


def test_by_probe_undoes_a_shift_and_a_scale_of_each_probe():
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(12, 12))
    people = [f"p{i % 4}" for i in range(12)]
    moved = scores * rng.uniform(0.5, 2, (12, 1)) + rng.normal(size=(12, 1))
    plain, undone = (normalise(ScoreMatrix.from_arrays(s, people, people), "probe").scores for s in (scores, moved))
    np.testing.assert_allclose(plain, undone, atol=1e-12)


def test_gives_similarities_whatever_the_scores_were():
    data = GaussianIdentities().draw(6, 3, rng=3).matrix(decimals=1)
    names = data.samples.names
    people = [data.subjects.names[code] for code in data.subjects.probe]
    turned = ScoreMatrix.from_arrays(
        -data.scores, people, people, probe_sample=names, reference_sample=names, dissimilarity=True
    )
    for by in METHODS:
        result = normalise(turned, by)
        assert not result.dissimilarity
        assert result.unit == "continuous"
        np.testing.assert_allclose(result.scores, normalise(data, by).scores, atol=1e-12)


def test_keeps_failures_apart():
    scores = np.array([[1.0, np.nan, 3.0, 0.0], [5.0, 4.0, 2.0, 7.0]])
    data = ScoreMatrix.from_arrays(scores, ["a", "b"], ["a", "a", "b", "c"], nan="failure")
    tally = normalise(data, "equal-fmr").tally()
    assert (tally.n_mated, tally.n_nonmated, tally.mated_failures) == (2, 5, 1)


class TestRefusals:
    def test_of_an_unknown_way(self):
        with pytest.raises(MatedError, match="'probe', 'reference', 'equal-fmr', not 'z'"):
            normalise(GaussianIdentities().draw(3, 2, rng=1).matrix(), "z")

    def test_of_a_probe_whose_non_mated_scores_are_all_equal(self):
        data = ScoreMatrix.from_arrays([[1.0, 2.0, 0.0, 0.0], [0.0, 1.0, 2.0, 2.0]], ["a", "b"], list("aabb"))
        with pytest.raises(MatedError, match="row 1 of the matrix have no standard deviation"):
            normalise(data, "probe")

    def test_of_an_infinite_non_mated_score(self):
        data = ScoreMatrix.from_arrays([[1.0, 2.0, -np.inf, 0.0], [0.0, 1.0, 2.0, 2.0]], ["a", "b"], list("aabb"))
        with pytest.raises(MatedError, match="no standard deviation"):
            normalise(data, "probe")
        assert normalise(data, "equal-fmr").scores[0].tolist() == [1.0, 1.0, 0.25, 0.75]

    def test_of_a_reference_with_one_non_mated_score(self):
        data = ScoreMatrix.from_arrays([[1.0, 0.0, 0.0], [0.0, 1.0, 2.0]], ["a", "b"], ["a", "b", "b"])
        with pytest.raises(MatedError, match="column 1 of the matrix has 1 non-mated scores"):
            normalise(data, "reference")

    def test_of_a_subject_without_non_mated_scores(self):
        table = Comparisons.from_arrays([1.0, 2.0], probe_subject=["a", "b"], reference_subject=["a", "c"])
        with pytest.raises(MatedError, match="subject 'a' has 0 non-mated scores"):
            normalise(table, "equal-fmr", symmetric="no")

    def test_of_a_table_without_samples(self):
        table = Comparisons.from_arrays([1.0, 2.0], probe_subject=["a", "a"], reference_subject=["a", "b"])
        with pytest.raises(MatedError, match="one probe"):
            normalise(table, "probe")

    def test_of_a_table_without_subjects(self):
        with pytest.raises(MatedError, match="who was compared"):
            normalise(Comparisons.from_arrays([1.0, 2.0], [True, False]), "equal-fmr", symmetric="no")
