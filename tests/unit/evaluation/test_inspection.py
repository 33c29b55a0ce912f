"""What an inspection says of small files, counted by hand, and that large ones are counted alike."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from mated.errors import MatedError
from mated.evaluation import inspection_counts
from mated.evaluation.inspection import inspect
from mated.io import Columns
from mated.scores import Comparisons
from mated.synthetic import GaussianIdentities

# Three samples of ann (a1, a2, a3) and one of bob; a1-b1 stands thrice, once with another score, and in both orders.
TABLE = """probe_subject,reference_subject,probe_sample,reference_sample,sensor,operator_name,score
ann,ann,a1,a2,old,Eve,9
ann,bob,a1,b1,old,Eve,2
ann,bob,a1,b1,old,Eve,2
ann,bob,a1,b1,new,Eve,3
bob,ann,b1,a1,new,Eve,2
ann,ann,a3,a3,new,Eve,10
ann,bob,a2,b1,new,Eve,
"""


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(TABLE)
    return path


def ability(found, task):
    return next(a for a in found.abilities if a.task == task)


def test_counts_of_a_small_table_are_those_by_hand(table):
    found = inspect(table)
    assert found.comparisons == 7
    mated, nonmated = found.scores.mated, found.scores.nonmated
    assert (mated.comparisons, mated.failures, mated.low, mated.high) == (2, 0, 9, 10)
    assert (nonmated.comparisons, nonmated.failures, nonmated.low, nonmated.high) == (4, 1, 2, 3)
    people = found.people
    assert (people.subjects, people.probe_subjects, people.reference_subjects) == (2, 2, 2)
    # probes a1, a2, a3, b1; references a1, a2, a3, b1
    assert (people.samples, people.probe_samples, people.reference_samples) == (4, 4, 4)
    per = (people.samples_per_subject_least, people.samples_per_subject_median, people.samples_per_subject_most)
    assert per == (1, 2, 3)


def test_repeated_pairs_are_counted_and_those_that_disagree_apart(table):
    pairs = inspect(table).pairs
    assert pairs.repeated == 2  # a1-b1 thrice
    assert pairs.disagreeing == 1  # with 2 and 3
    assert pairs.both_orders == 1  # a1-b1 and b1-a1
    assert pairs.both_orders_disagreeing == 0  # the first of each is 2
    assert pairs.self_comparisons == 1  # a3-a3
    assert (pairs.compared, pairs.possible) == (4, 12)  # a1-a2, a1-b1, b1-a1, a2-b1 of 4·4 − 4
    assert pairs.design == "4 of 12 possible pairs"


def test_a_failure_that_repeats_a_scored_pair_disagrees_with_it(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("mated,probe_sample,reference_sample,score\n1,a,b,2\n1,a,b,\n0,a,c,1\n")
    pairs = inspect(path).pairs
    assert (pairs.repeated, pairs.disagreeing) == (1, 1)


def test_scores_are_described_by_unit_distinct_values_and_ties(table):
    scores = inspect(table).scores
    assert scores.unit == 1
    assert scores.distinct == 4  # 2, 3, 9, 10
    assert (scores.largest_tie, scores.largest_tie_share) == (2, 0.5)
    assert scores.auc_low == scores.auc_high == 1


def test_warnings_name_what_to_look_at(table):
    said = " ".join(inspect(table).warnings)
    assert "1 comparison has no score and counts as a failure; other commands refuse it without --nan failure" in said
    assert "1 pair of samples is listed more than once with different scores" in said
    assert "1 comparison is of a sample with itself" in said
    assert "AUC" not in said


def test_columns_have_roles_and_few_values_are_shown_unless_they_may_name_people(table):
    columns = {column.name: column for column in inspect(table).columns}
    assert columns["score"].role == "score"
    assert columns["probe_sample"].role == "probe_sample"
    assert columns["sensor"].role is None
    assert columns["sensor"].groups == (("new", 4), ("old", 3))
    assert (columns["operator_name"].values, columns["operator_name"].groups) == (1, None)
    assert "Eve" not in json.dumps(inspect(table).to_dict())


@pytest.mark.parametrize("name", ["subject_id", "UserID", "email", "imagePath", "file name", "passportid"])
def test_values_of_columns_that_may_name_people_are_never_shown(tmp_path, name):
    rows = "".join(f"{k % 2},x,{k}\n" for k in range(8))
    (tmp_path / "s.csv").write_text(f"mated,{name},score\n{rows}")
    assert next(c for c in inspect(tmp_path / "s.csv").columns if c.name == name).groups is None


def test_values_that_hardly_repeat_or_are_many_are_not_shown(tmp_path):
    frame = pl.DataFrame(
        {"mated": [True, False] * 12, "score": range(24), "a": range(24), "b": [k % 11 for k in range(24)]}
    )
    frame.write_parquet(tmp_path / "s.parquet")
    columns = {c.name: c for c in inspect(tmp_path / "s.parquet").columns}
    assert (columns["a"].values, columns["a"].groups) == (24, None)
    assert (columns["b"].values, columns["b"].groups) == (11, None)
    assert columns["a"].type == "int64"


def test_orientation_is_questioned_where_mated_scores_are_lower(tmp_path):
    (tmp_path / "s.csv").write_text("mated,score\n1,1\n1,2\n0,2\n0,3\n")
    found = inspect(tmp_path / "s.csv")
    assert found.scores.auc_low == 0.125  # of four pairs none is won and one is tied
    assert "AUC 0.125): if these are dissimilarities, say --dissimilarity" in found.warnings[0]
    turned = inspect(tmp_path / "s.csv", dissimilarity=True)
    assert turned.scores.auc_low == 0.875
    assert turned.warnings == ()


def test_infinite_scores_are_counted_apart_from_the_range(tmp_path):
    (tmp_path / "s.csv").write_text("mated,score\n1,inf\n1,2\n0,-inf\n0,3\n")
    scores = inspect(tmp_path / "s.csv").scores
    assert (scores.mated.low, scores.mated.high, scores.mated.positive_infinite) == (2, 2, 1)
    assert (scores.nonmated.low, scores.nonmated.high, scores.nonmated.negative_infinite) == (3, 3, 1)


def test_how_small_a_rate_can_be_seen(tmp_path):
    rows = "".join(f"{int(k < 20)},{k}\n" for k in range(120))
    (tmp_path / "s.csv").write_text(f"mated,score\n{rows}")
    fmr, fnmr = inspect(tmp_path / "s.csv").reach
    assert (fmr.rate, fmr.comparisons, fmr.least, fmr.thirty_errors) == ("FMR", 100, 0.01, 0.3)
    assert fmr.no_error == pytest.approx(1 - 0.05 ** (1 / 100), rel=1e-12)  # Hanley and Lippman-Hand (1983)
    assert (fnmr.comparisons, fnmr.least, fnmr.thirty_errors) == (20, 0.05, None)


def test_scores_and_flags_alone_allow_little_and_it_is_said_why(tmp_path):
    (tmp_path / "s.csv").write_text("mated,score\n1,3\n0,2\n")
    found = inspect(tmp_path / "s.csv")
    assert found.pairs is None
    assert ability(found, "verify").possible
    assert "subjects are not named" in ability(found, "intervals").how
    assert not ability(found, "identify").possible
    assert "probe_sample" in ability(found, "identify").why_not
    assert "--method global" in ability(found, "predict").how
    assert not ability(found, "quality").possible
    assert not ability(found, "groups").possible


def test_one_class_alone_cannot_be_verified(tmp_path):
    (tmp_path / "s.csv").write_text("mated,score\n1,3\n1,2\n")
    found = inspect(tmp_path / "s.csv")
    assert found.scores.auc_low is None
    assert ability(found, "verify").why_not == "there is no non-mated comparison with a score"
    assert [reach.rate for reach in found.reach] == ["FNMR"]


def test_named_people_allow_everything(table):
    found = inspect(table)
    assert all(a.possible for a in found.abilities)
    assert ability(found, "intervals").how.startswith("by subject, of 2")
    assert ability(found, "groups").how == "by sensor (--by)"


def test_reasons_do_not_show_names(tmp_path):
    (tmp_path / "s.csv").write_text(
        "probe_subject,reference_subject,score\nAlice,Alice,3\nAlice,Alice,2\nAlice,Bob,1\n"
    )
    found = inspect(tmp_path / "s.csv")
    assert not ability(found, "identify").possible
    assert "Alice" not in json.dumps(found.to_dict())


@pytest.mark.parametrize(
    ("rows", "design"),
    [
        ("a,b\na,c\nb,c\n", "every sample with every other, once"),
        ("a,b\nb,a\n", "every sample with every other, in both orders"),
        ("a,c\na,d\nb,c\nb,d\n", "every probe with every reference"),
        ("a,c\na,d\nb,c\n", "3 of 4 possible pairs"),
        ("a,b\na,c\nb,c\nc,d\n", "4 of 6 possible pairs"),
    ],
)
def test_the_design_is_recognised(tmp_path, rows, design):
    lines = "".join(f"{line},0,{k}\n" for k, line in enumerate(rows.split()))
    (tmp_path / "s.csv").write_text(f"probe_sample,reference_sample,mated,score\n{lines}")
    assert inspect(tmp_path / "s.csv").pairs.design == design


def test_rows_and_columns_of_a_matrix_are_counted_as_samples_though_they_have_no_names(tmp_path):
    np.save(tmp_path / "s.npy", np.arange(6.0).reshape(3, 2))
    found = inspect(tmp_path / "s.npy", probe_ids=["p", "p", "q"], reference_ids=["p", "q"])
    assert (found.people.probe_samples, found.people.reference_samples) == (3, 2)
    assert found.pairs.design == "every probe with every reference"
    assert ability(found, "identify").possible
    assert not ability(found, "quality").possible
    assert "probe_sample" not in [column.name for column in found.columns]


def test_data_frames_and_layouts_of_columns_are_inspected_too():
    frame = pl.DataFrame({"same": [1, 0], "sim": [0.5, 0.25]})
    found = inspect(frame, columns=Columns(score="sim"))
    assert found.recognition.reader.name == "frame"
    assert [(c.name, c.role) for c in found.columns] == [("same", "mated"), ("sim", "score")]


def test_what_is_ambiguous_is_refused_here_too(tmp_path):
    (tmp_path / "s.txt").write_text("1 0.83 31\n0 0.12 44\n")
    with pytest.raises(MatedError, match="say which"):
        inspect(tmp_path / "s.txt")


def test_a_result_prints_in_one_line_and_as_a_table(table):
    found = inspect(table)
    assert repr(found).endswith("scores.csv: table, 2 mated, 4 non-mated)")
    assert "<table>" in found._repr_html_()
    values = dict(found.to_frame().iter_rows())
    assert values["repeated"] == 2
    assert values["failures"] == 1


@pytest.fixture
def large(monkeypatch):
    """Everything counts as large, so that it is read batch by batch."""
    monkeypatch.setattr("mated.io.scanning.LARGE_ROWS", 0)
    monkeypatch.setattr("mated.io.scanning.LARGE_BYTES", 0)


def without_trials(found):
    """The dictionary, but for searches, which are tried only where comparisons are in memory."""
    result = found.to_dict()
    result["can"] = [a for a in result["can"] if a["task"] not in ("identify", "open set")]
    return result


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_batch_by_batch_gives_what_the_whole_gives(table, tmp_path, monkeypatch, ending):
    path = table
    if ending == "parquet":
        path = tmp_path / "scores.parquet"
        pl.read_csv(table).write_parquet(path)
    whole = inspect(path)
    monkeypatch.setattr("mated.io.scanning.LARGE_ROWS", 0)
    monkeypatch.setattr("mated.io.scanning.LARGE_BYTES", 0)
    streamed = inspect(path)
    assert "not tried" in ability(streamed, "identify").how
    expected, got = without_trials(whole), without_trials(streamed)
    expected["scores"]["type"] = got["scores"]["type"] = None
    assert got == expected


def test_scores_that_stand_for_failures_are_counted_batch_by_batch_too(tmp_path, monkeypatch):
    path = tmp_path / "scores.csv"
    path.write_text("score,mated\n-1,1\n3,1\n-1,0\n2,0\n1,0\n")
    whole = inspect(path, failure_score=-1).to_dict()
    assert [whole["scores"][kind]["failures"] for kind in ("mated", "nonmated")] == [1, 1]
    assert any("refuse any NaN among them without --nan failure" in said for said in whole["warnings"])
    monkeypatch.setattr("mated.io.scanning.LARGE_BYTES", 0)
    monkeypatch.setattr("mated.evaluation.inspection.read", None)  # nothing is read as a whole
    streamed = inspect(path, failure_score=-1).to_dict()
    assert streamed["scores"] == whole["scores"]


def test_beyond_the_bounds_counts_stay_exact_and_the_rest_is_left_out_with_a_reason(tmp_path, monkeypatch, large):
    people = GaussianIdentities().draw(20, 3, rng=1).comparisons("llr")
    names = np.array(people.samples.names)
    columns = {"probe_sample": names[people.samples.probe], "reference_sample": names[people.samples.reference]}
    pl.DataFrame({**columns, "mated": people.mated, "score": people.score}).write_parquet(tmp_path / "s.parquet")
    exact = inspect(tmp_path / "s.parquet")
    for bound, most in (("MOST_SCORES", 100), ("MOST_PAIRS", 100), ("MOST_NAMES", 10)):
        monkeypatch.setattr(inspection_counts, bound, most)
    found = inspect(tmp_path / "s.parquet")
    assert (found.scores.mated, found.scores.nonmated) == (exact.scores.mated, exact.scores.nonmated)
    assert found.scores.unit == exact.scores.unit
    assert found.scores.distinct is None
    assert found.scores.auc_low <= exact.scores.auc_low <= found.scores.auc_high
    assert found.scores.auc_high - found.scores.auc_low < 1e-3
    assert found.pairs is None
    assert found.people.samples is None
    assert len([warning for warning in found.warnings if "there are more than" in warning]) == 3


def test_a_file_of_nothing_but_failures_is_described(tmp_path):
    (tmp_path / "s.csv").write_text("mated,score\n1,\n0,nan\n")
    found = inspect(tmp_path / "s.csv")
    assert found.comparisons == 2
    assert found.scores.mated.failures == found.scores.nonmated.failures == 1
    assert found.scores.mated.low is None
    assert not ability(found, "verify").possible


def test_real_files_have_the_counts_that_are_known_of_them(reference_data):
    # 40 subjects with 10 images each, every pair once: 40·45 mated and 400·399/2 − 1800 non-mated.
    found = inspect(reference_data / "att_faces" / "comparisons.csv.gz")
    assert (found.scores.mated.comparisons, found.scores.nonmated.comparisons) == (1800, 78000)
    assert (found.people.subjects, found.people.samples) == (40, 400)
    assert found.pairs.design == "every sample with every other, once"
    assert found.scores.dissimilarity
    # 20 models and 100 probes
    found = inspect(reference_data / "bob" / "scores-cmc-5col.txt", format="bob")
    assert (found.people.probe_samples, found.people.reference_samples) == (100, 20)
    assert found.pairs.compared == found.pairs.possible == 2000


def test_a_table_in_memory_counts_like_the_arrays_it_was_made_of():
    rng = np.random.default_rng(5)
    probe, reference = rng.integers(0, 6, 300), rng.integers(0, 6, 300)
    score = rng.integers(0, 9, 300).astype(float)
    listed = list(zip(probe.tolist(), reference.tolist(), strict=True))
    layout = Comparisons.from_arrays(score, probe == reference, probe_sample=probe, reference_sample=reference)
    chunk = next(inspection_counts.chunks_of(layout))
    counted = inspection_counts.PairCount()
    counted.add(chunk)
    found = {(p, r): (times, differ) for p, r, times, differ, _ in counted.pairs().iter_rows()}
    code = {int(name): k for k, name in enumerate(layout.samples.names)}
    by_hand = {}
    for (p, r), value in zip(listed, score.tolist(), strict=True):
        by_hand.setdefault((code[p], code[r]), []).append(value)
    assert found == {pair: (len(values), len(set(values)) > 1) for pair, values in by_hand.items()}


def test_scores_that_tell_nothing_are_pointed_out(tmp_path):
    (tmp_path / "s.csv").write_text("mated,score\n1,1\n1,3\n0,2\n0,2\n")
    assert inspect(tmp_path / "s.csv").warnings == ("scores hardly tell mated from non-mated comparisons (AUC 0.5)",)
