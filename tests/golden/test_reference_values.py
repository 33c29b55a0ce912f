"""Numbers that others computed from real score files, to the digits they give.

The files are not part of the project; the tests are skipped where they are absent. The origin of each value
stands with it: pyeer 0.5.6, bob.measure 6.1, or a hand count.
"""

from __future__ import annotations

import numpy as np
import pytest

import mated
from mated.scores import Tally

PYEER = {
    # EER by pyeer's rule (that of FVC2000), EER by the nearest rule, AUC
    "exp1": (0.0808623, 0.0809633, 0.9650048643),
    "exp2": (0.0441896, 0.0444659, 0.9925900341),
    "exp3": (0.1141693, 0.1170964, 0.9087594583),
}


@pytest.fixture(params=PYEER)
def pyeer(request, reference_data):
    folder = reference_data / "pyeer" / "non_hist"
    name = request.param
    return name, mated.verify(folder / f"{name}_true.txt", folder / f"{name}_false.txt")


def test_equal_error_rates_and_auc_are_those_of_pyeer(pyeer):
    name, v = pyeer
    fvc2000, nearest, auc = PYEER[name]
    assert v.eer().by_definition["fvc2000"] == pytest.approx(fvc2000, abs=5e-8)
    assert v.eer().by_definition["nearest"] == pytest.approx(nearest, abs=5e-8)
    assert v.auc() == pytest.approx(auc, abs=5e-11)


@pytest.mark.parametrize(("name", "expected"), [("exp2", 0.1888889), ("exp3", 0.2135678)])
def test_fnmr_where_the_fmr_does_not_exceed_a_thousandth(reference_data, name, expected):
    folder = reference_data / "pyeer" / "non_hist"
    v = mated.verify(folder / f"{name}_true.txt", folder / f"{name}_false.txt")
    assert v.at_fmr(1e-3).fnmr_conservative == pytest.approx(expected, abs=5e-8)


def test_a_threshold_between_non_mated_scores_does_better_than_one_at_a_non_mated_score(reference_data):
    """For exp1 the peers' figure is .2982456, with the threshold at the fourth largest non-mated score.

    Nineteen mated scores lie between it and the fifth largest, so the smallest threshold with FMR ≤ 1e-3
    has a lower FNMR: 814 of 2793 (counted by hand). Both are checked.
    """
    folder = reference_data / "pyeer" / "non_hist"
    v = mated.verify(folder / "exp1_true.txt", folder / "exp1_false.txt")
    fourth = np.sort(np.loadtxt(folder / "exp1_false.txt"))[-4]
    assert v.at_threshold(fourth).fnmr == pytest.approx(0.2982456, abs=5e-8)
    assert v.at_threshold(fourth).errors_nonmated == 4
    assert v.at_fmr(1e-3).fnmr_conservative == 814 / 2793


def test_a_histogram_and_the_list_of_the_same_scores_count_the_same(reference_data):
    """pyeer ships the non-mated scores of exp3 a second time as a histogram: line i holds the count of score i."""
    histogram = np.loadtxt(reference_data / "pyeer" / "hist" / "exp1_false.txt", dtype=int)
    listed = np.loadtxt(reference_data / "pyeer" / "non_hist" / "exp3_false.txt", dtype=int)
    zeros = np.zeros_like(histogram)
    assert Tally.from_counts(np.arange(len(histogram)), zeros, histogram) == Tally.from_scores([], listed)


def test_bobs_verification_list(reference_data):
    """dev-4col.txt: 390 mated, 520 non-mated; EER of bob.measure.eer and pyeer, d′ of pyeer's decidability."""
    columns = mated.Columns(reference_subject=1, probe_subject=2, score=4)
    v = mated.verify(reference_data / "bob" / "dev-4col.txt", columns=columns)
    assert (v.tally.n_mated, v.tally.n_nonmated, v.n_subjects) == (390, 520, 26)
    assert v.eer().by_definition["nearest"] == pytest.approx(0.06698717948717949, abs=1e-15)
    assert v.eer().by_definition["fvc2000"] == pytest.approx(0.06698717948717949, abs=1e-15)
    assert v.d_prime() == pytest.approx(2.5749174293281833, abs=1e-12)
    # bob.measure.far_threshold at 1 %: FMR .0096153846, FNMR .2179487179
    p = v.at_fmr(0.01)
    assert (p.fmr_conservative, p.fnmr_conservative) == pytest.approx((5 / 520, 0.21794871794871795), abs=1e-15)


@pytest.fixture(scope="module")
def att_faces(reference_data):
    return mated.verify(reference_data / "att_faces" / "comparisons.csv.gz", fmr=1e-3)


def test_att_faces_nearest_eer_and_fnmr(att_faces):
    """40 people × 10 images, dlib distances: nearest EER .00390, FNMR at FMR 1e-3 .01389."""
    assert (att_faces.tally.n_mated, att_faces.tally.n_nonmated) == (1800, 78000)
    assert att_faces.tally.dissimilarity
    assert att_faces.eer().by_definition["nearest"] == pytest.approx(0.00390, abs=5e-6)
    assert att_faces.at_fmr(1e-3).fnmr == pytest.approx(0.01389, abs=5e-6)
    assert att_faces.at_fmr(1e-3).fnmr_conservative == pytest.approx(0.01389, abs=5e-6)


def test_att_faces_lists_each_pair_once_and_so_counts_for_both_subjects(att_faces):
    """(40 − 1) · 10² = 3900 non-mated comparisons a subject, 45 mated."""
    tallies = att_faces.subject_tallies
    assert tallies.symmetric
    assert set(tallies.nonmated_total.tolist()) == {3900}
    assert np.bincount(tallies.grid.subject, weights=tallies.grid.count).tolist() == [45] * 40
    assert len(att_faces.individual_rocs) == 40


def test_shifted_uniform_grids_cross_at_a_quarter():
    """Mated linspace(0, 1, 100), non-mated linspace(−.5, .5, 100): both rates are 25/100 at 25/99 (hand count)."""
    v = mated.verify(np.linspace(0, 1, 100), np.linspace(-0.5, 0.5, 100))
    assert set(v.eer().by_definition.values()) == {0.25}
    at = v.at_threshold(np.linspace(0, 1, 100)[25])
    assert (at.fmr, at.fnmr) == (0.25, 0.25)


def test_auc_with_ties_at_the_top_is_two_thirds():
    """Of nine pairs 5 are won and 2 tied: 6/9. A trapezoid that drops the first segment gives .6111."""
    assert mated.verify([1, 2, 4], [0, 1, 4]).auc() == pytest.approx(2 / 3, abs=1e-16)
