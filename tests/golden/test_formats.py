"""Real files of other projects, each read by its own format to the figures that the projects themselves compute.

The files are not part of the project; the tests are skipped where they are absent. The origin of each value stands with
it: bob.measure 6.1.1, pyeer 0.5.6, or a count.
"""

from __future__ import annotations

import numpy as np
import pytest

import mated
from mated.identification.cmc import cmc
from mated.identification.open_set import open_set_at_threshold
from mated.io import read
from mated.scores import Comparisons, ScoreMatrix, rank

BOB_CMC = [0.76, 0.89, 0.96, 0.98, 1.0]
"""bob.measure.cmc of scores-cmc-4col.txt: 100 probes in a gallery of 20, no mate ties."""


@pytest.mark.parametrize(
    ("file", "options"),
    [
        ("scores-cmc-4col.txt", {"format": "bob"}),
        ("scores-cmc-5col.txt", {"format": "bob"}),
        ("scores.mtx", {}),
    ],
)
def test_the_same_scores_in_three_formats_of_bob_give_one_cmc(reference_data, file, options):
    ranks = rank(read(reference_data / "bob" / file, **options))
    assert (ranks.n_mated, ranks.n_open, ranks.gallery_size, ranks.missing) == (100, 0, 20, 0)
    assert cmc(ranks)([1, 2, 3, 4, 5]) == pytest.approx(BOB_CMC, abs=1e-15)


def test_a_bee_matrix_counts_as_the_list_it_was_made_of(reference_data):
    """Counts of the mask: 100 bytes 0xff and 1900 bytes 0x7f; its scores are those of the list, rounded to float32."""
    matrix = read(reference_data / "bob" / "scores.mtx")
    listed = read(reference_data / "bob" / "scores-cmc-4col.txt", format="bob")
    assert isinstance(matrix, ScoreMatrix)
    assert matrix.n_subjects == 20
    table = matrix.comparisons()
    for flag, count in ((True, 100), (False, 1900)):
        ours, theirs = table.score[table.mated == flag], listed.score[listed.mated == flag]
        assert len(ours) == count
        assert np.array_equal(np.sort(ours), np.sort(theirs.astype(np.float32)))


def test_a_bee_matrix_of_candidates_counts_the_same_but_names_nobody(reference_data):
    """search.mtx has the scores of each row sorted, filled up to 50 columns with entries the mask ignores."""
    candidates = read(reference_data / "bob" / "search.mtx")
    assert isinstance(candidates, Comparisons)
    assert candidates.subjects is None
    assert candidates.tally() == read(reference_data / "bob" / "scores.mtx").tally()


@pytest.mark.parametrize(
    ("file", "detected", "alarms"), [("", 1.0, 0.0), ("-one-error", 6 / 7, 0.0), ("-two-errors", 6 / 7, 0.5)]
)
def test_open_set_rates_of_bobs_toy_lists(reference_data, file, detected, alarms):
    """bob.measure.detection_identification_rate (rank 1) and false_alarm_rate, both at threshold .5."""
    path = reference_data / "bob" / f"scores-cmc-4col-open-set{file}.txt"
    point = open_set_at_threshold(rank(read(path, format="bob")), 0.5)
    assert (point.n_mated, point.n_open) == (7, 2)
    assert point.tpir == pytest.approx(detected, abs=1e-15)
    assert point.fpir == alarms


def test_four_and_five_columns_of_one_test_give_the_same_verification(reference_data):
    """bob.measure.eer: .06698717948717949; 390 mated and 520 non-mated comparisons of 26 clients."""
    four, five = (mated.verify(read(reference_data / "bob" / f"dev-{n}col.txt", format="bob")) for n in (4, 5))
    assert (four.tally.n_mated, four.tally.n_nonmated, four.n_subjects) == (390, 520, 26)
    assert four.eer().by_definition["nearest"] == pytest.approx(0.06698717948717949, abs=1e-15)
    assert four.tally == five.tally
    assert four.subject_tallies.nonmated_total.tolist() == five.subject_tallies.nonmated_total.tolist()
    ours, theirs = four.to_dict(), five.to_dict()
    for key in ("counts", "eer", "at_fmr", "auc", "d_prime"):
        assert ours[key] == theirs[key]


def test_the_histogram_of_pyeer_is_its_third_list(reference_data):
    """pyeer's hist/exp1 is non_hist/exp3: the same mated list, and the non-mated scores counted; EER .1141693."""
    folder = reference_data / "pyeer"
    counted = read(
        mated=folder / "hist" / "exp1_true.txt", nonmated=folder / "hist" / "exp1_false.txt", histogram="nonmated"
    )
    listed = read(mated=folder / "non_hist" / "exp3_true.txt", nonmated=folder / "non_hist" / "exp3_false.txt")
    assert counted.tally() == listed.tally()
    v = mated.verify(counted)
    assert v.eer().by_definition["fvc2000"] == pytest.approx(0.1141693, abs=5e-8)
    assert v.auc() == pytest.approx(0.9087594583, abs=5e-11)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("exp1", [0.24706, 0.31765, 0.32941, 0.32941, 0.34118]),
        ("exp2", [0.23529, 0.29412, 0.31765, 0.34118, 0.34118]),
    ],
)
def test_cmc_of_pyeers_pairs(reference_data, name, expected):
    """pyeer's get_cmc_curve: 85 queries, each with one true template of 257, no mate ties."""
    folder = reference_data / "pyeer" / "cmc"
    ranks = rank(read(folder / f"{name}_scores.txt", key=folder / f"{name}_tp.txt"))
    assert (ranks.n_mated, ranks.gallery_size, ranks.missing, int(ranks.tied.sum())) == (85, 257, 0, 0)
    assert cmc(ranks)([1, 2, 3, 4, 5]) == pytest.approx(expected, abs=5e-6)


def test_pairs_of_pyeer_are_trials_of_kaldi(reference_data, tmp_path):
    """The same comparisons as trials with a key count the same."""
    folder = reference_data / "pyeer" / "cmc"
    pairs = [line.split()[:2] for line in (folder / "exp1_scores.txt").read_text().splitlines()]
    true = {tuple(line.split()) for line in (folder / "exp1_tp.txt").read_text().splitlines()}
    lines = (f"{a} {b} {'target' if (a, b) in true else 'nontarget'}\n" for a, b in reversed(pairs))
    (tmp_path / "key").write_text("".join(lines))
    trials = read(folder / "exp1_scores.txt", key=tmp_path / "key")
    assert trials.tally() == read(folder / "exp1_scores.txt", key=folder / "exp1_tp.txt").tally()


def test_a_table_cut_into_parts_is_the_table(reference_data, tmp_path):
    """att_faces: 1,800 mated and 78,000 non-mated comparisons; cut into four parts of text, and of Parquet."""
    import polars as pl

    whole = pl.read_csv(reference_data / "att_faces" / "comparisons.csv.gz")
    for number, rows in enumerate(whole.iter_slices(20_000)):
        rows.write_csv(tmp_path / f"part{number}.csv")
        rows.write_parquet(tmp_path / f"part{number}.parquet")
    expected = read(reference_data / "att_faces" / "comparisons.csv.gz")
    for ending in ("csv", "parquet"):
        parts = read(tmp_path / f"part*.{ending}")
        assert (int(parts.mated.sum()), int((~parts.mated).sum())) == (1800, 78000)
        assert parts.tally() == expected.tally()
        assert parts.subjects.names == expected.subjects.names


def test_lists_without_a_header_are_refused_with_their_candidates(reference_data):
    for name in ("dev-4col.txt", "dev-5col.txt", "scores-cmc-4col.txt"):
        with pytest.raises(mated.MatedError, match=r"its columns are not clear.*--score-column.*--format bob"):
            read(reference_data / "bob" / name)
