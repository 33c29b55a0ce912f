"""`ProbeScores` against loops over comparisons."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mated.scores.probe_scores as module
from mated.errors import MatedError
from mated.scores import Comparisons, ScoreMatrix
from mated.scores.probe_scores import HISTOGRAM, ProbeScores, upper_share
from mated.synthetic import GaussianIdentities


def described(probe, mated, nonmated, upper):
    """The twin: one probe's description from its mated scores and its (rival, score) list; None where unusable."""
    scores = sorted(score for _, score in nonmated)
    if len(scores) < 10:
        return None
    pivot = scores[-1 - math.floor(upper * len(scores))]
    above = {}
    for rival, score in nonmated:
        if score > pivot:
            above.setdefault(rival, []).append(score - pivot)
    if not above:
        return None
    return {
        "probe": probe,
        "pivot": pivot,
        "median": scores[len(scores) - 1 - len(scores) // 2],
        "total": {rival: sum(r == rival for r, _ in nonmated) for rival, _ in nonmated},
        "above": {rival: len(excess) for rival, excess in above.items()},
        "excess": {rival: sum(excess) for rival, excess in above.items()},
        "mated": sorted(mated),
        "tail": sorted((rival, score) for rival, score in nonmated if score > pivot),
        "level": [
            (score - pivot) / (sum(map(sum, above.values())) / sum(map(len, above.values()))) for _, score in nonmated
        ],
    }


def cells(matrix, row):
    return {int(column): matrix[row, column] for column in np.flatnonzero(matrix[row])}


def assert_described(probes, expected):
    assert probes.n_probes == len(expected)
    levels = np.concatenate([probe["level"] for probe in expected])
    bins = np.clip(np.floor((levels - HISTOGRAM[0]) * 32), 0, len(HISTOGRAM) - 2).astype(int)
    assert np.array_equal(probes.histogram, np.bincount(bins, minlength=len(HISTOGRAM) - 1))
    for row, probe in enumerate(expected):
        assert probes.names[probes.subject[row]] == probe["probe"]
        assert probes.pivot[row] == probe["pivot"]
        assert probes.median[row] == probe["median"]
        unit = {name: probes.unit_of[code] for code, name in enumerate(probes.names)}
        assert cells(probes.total, row) == {unit[k]: v for k, v in probe["total"].items()}
        assert cells(probes.above, row) == {unit[k]: v for k, v in probe["above"].items()}
        assert cells(probes.excess, row) == pytest.approx({unit[k]: v for k, v in probe["excess"].items()}, rel=1e-6)
        assert sorted(probes.mated_score[probes.mated_probe == row]) == probe["mated"]
        own = probes.tail_probe == row
        kept = sorted(zip(probes.tail_unit[own].tolist(), probes.tail_score[own].tolist(), strict=True))
        assert kept == sorted((unit[rival], score) for rival, score in probe["tail"])
        assert probes.rivals[row] == len(probe["total"])


@given(st.integers(0, 10**6), st.integers(3, 6), st.integers(2, 4), st.booleans())
@settings(deadline=None)
def test_a_table_is_reduced_to_what_loops_over_it_give(seed, subjects, samples, coarse):
    rng = np.random.default_rng(seed)
    listed = [
        (f"{a}", f"{a}.{i}", f"{b}", f"{b}.{j}", float(rng.integers(-4, 5)) if coarse else float(rng.normal()))
        for a in range(subjects)
        for i in range(samples)
        for b in range(subjects)
        for j in range(samples)
        if (a, i) < (b, j) and rng.integers(10)
    ]
    first, first_sample, second, second_sample, score = zip(*listed, strict=True)
    table = Comparisons.from_arrays(
        score,
        probe_subject=first,
        reference_subject=second,
        probe_sample=first_sample,
        reference_sample=second_sample,
    )
    both = listed + [(b, bj, a, ai, s) for a, ai, b, bj, s in listed]
    upper = upper_share(len(set(first) | set(second)) - 1)
    expected = []
    for sample in sorted({(a, ai) for a, ai, *_ in both}):
        mated = [s for a, ai, b, _, s in both if (a, ai) == sample and b == a]
        nonmated = [(b, s) for a, ai, b, _, s in both if (a, ai) == sample and b != a]
        if mated and nonmated and (one := described(sample[0], mated, nonmated, upper)):
            expected.append(one)
    if not expected:
        with pytest.raises(MatedError, match="no probe has mated scores"):
            ProbeScores.of(table, scope="probe", symmetric="yes")
        return
    assert_described(ProbeScores.of(table, scope="probe", symmetric="yes"), expected)


def test_a_matrix_and_its_table_give_the_same():
    matrix = GaussianIdentities().draw(12, 3, rng=1).matrix(decimals=2)
    one, other = (ProbeScores.of(layout, scope="probe") for layout in (matrix, matrix.comparisons()))
    for name in ("subject", "pivot", "median", "total", "above", "mated_score", "mated_probe", "tail_score", "rivals"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert one.score_unit == other.score_unit == module.detect_unit(np.array([0.01]))


def test_subjects_are_the_probes_where_samples_are_not_named():
    matrix = GaussianIdentities().draw(12, 3, rng=2).matrix()
    table = matrix.comparisons()
    plain = Comparisons.from_arrays(
        table.score,
        probe_subject=[table.subjects.names[k] for k in table.subjects.probe],
        reference_subject=[table.subjects.names[k] for k in table.subjects.reference],
    )
    probes = ProbeScores.of(plain)
    assert probes.scope == "subject"
    assert probes.n_probes == 12
    assert probes.total.sum() == 2 * 12 * 11 / 2 * 9
    assert np.bincount(probes.mated_probe).tolist() == [6] * 12  # three mated comparisons, each in both directions


def test_probes_with_few_scores_are_pooled_by_subject():
    assert ProbeScores.of(GaussianIdentities().draw(12, 3, rng=2).matrix()).scope == "subject"
    assert ProbeScores.of(GaussianIdentities().draw(20, 3, rng=2).matrix()).scope == "probe"
    assert ProbeScores.of(GaussianIdentities().draw(20, 3, rng=2).comparisons()).scope == "probe"


def test_only_the_highest_pooled_scores_are_kept_one_by_one(monkeypatch):
    matrix = GaussianIdentities().draw(30, 3, rng=3).matrix()
    whole = ProbeScores.of(matrix, scope="probe")
    monkeypatch.setattr(module, "_KEPT", 100)
    cut = ProbeScores.of(matrix, scope="probe")
    scale = whole.excess.sum(axis=1) / whole.above.sum(axis=1)
    level = (whole.tail_score - whole.pivot[whole.tail_probe]) / scale[whole.tail_probe]
    assert len(cut.tail_score) == 100
    assert cut.tail_from == pytest.approx(np.sort(level)[-100], rel=1e-6)
    assert set(cut.tail_score) == set(whole.tail_score[level >= cut.tail_from * (1 - 1e-6)])
    assert np.array_equal(cut.histogram, whole.histogram)
    assert np.array_equal(np.sort(cut.high_score), np.sort(whole.high_score)[-100:])
    assert cut.high_from == cut.high_score.min()
    assert len(whole.high_score) == whole.n_nonmated


def test_many_subjects_are_resampled_in_groups(monkeypatch):
    monkeypatch.setattr(module, "_MOST_UNITS", 7)
    matrix = GaussianIdentities().draw(30, 3, rng=4).matrix()
    probes = ProbeScores.of(matrix, scope="probe")
    assert probes.n_units == 7
    assert sorted(np.bincount(probes.unit_of)) == [4, 4, 4, 4, 4, 5, 5]
    monkeypatch.undo()
    single = ProbeScores.of(matrix, scope="probe")
    for name in ("total", "above"):
        summed = np.zeros((probes.n_probes, 7))
        np.add.at(summed.T, probes.unit_of, getattr(single, name).T)
        assert np.array_equal(summed, getattr(probes, name))


def test_the_upper_share_is_larger_for_few_rivals():
    assert upper_share(10_000) == upper_share(400) == 0.15
    assert upper_share(100) == pytest.approx(0.2)
    assert upper_share(10) == 0.5


def rows_of(scores) -> ScoreMatrix:
    size = len(scores) // 2
    people, samples = np.repeat(np.arange(size), 2), np.arange(2 * size)
    return ScoreMatrix.from_arrays(scores, people, people, probe_sample=samples, reference_sample=samples)


def constant(size: int = 20) -> ScoreMatrix:
    """A matrix in which the first probe scores all others the same."""
    scores = np.random.default_rng(5).normal(size=(2 * size, 2 * size))
    scores[0, 2:] = 1.0
    return rows_of(scores)


def test_a_probe_whose_scores_are_all_the_same_is_left_out_and_counted():
    probes = ProbeScores.of(constant(), scope="probe")
    assert probes.dropped == 1
    assert probes.n_probes == 39


@pytest.mark.parametrize("bad", ["inf", "ids"])
def test_what_cannot_be_described_is_refused_in_one_sentence(bad):
    if bad == "ids":
        with pytest.raises(MatedError, match="needs to know who was compared"):
            ProbeScores.of(Comparisons.from_arrays([1.0, 2.0], [True, False]))
        return
    matrix = constant()
    scores = matrix.scores.copy()
    scores[3, 9] = np.inf
    with pytest.raises(MatedError, match="infinite"):
        ProbeScores.of(rows_of(scores))


def test_scores_of_minus_infinity_stand_below_the_pivot():
    matrix = constant()
    scores = matrix.scores.copy()
    scores[3, 9] = -np.inf
    probes = ProbeScores.of(rows_of(scores), scope="probe")
    assert probes.n_nonmated == 39 * 38
    scores[3, 4:] = -np.inf
    assert ProbeScores.of(rows_of(scores), scope="probe").dropped == 2
    assert probes.histogram[0] >= 1
