"""`mated inspect` as a person uses it."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from mated.cli.main import app
from mated.errors import MatedError

TABLE = (
    "probe_subject,reference_subject,probe_sample,reference_sample,sensor,score\n"
    "ann,ann,a1,a0,A,0.75\nann,bob,a1,b0,A,0.25\nbob,ann,b1,a0,B,0.5\nbob,bob,b1,b0,B,\n"
)


def run(*arguments, check=True):
    done = CliRunner().invoke(app, ["inspect", *map(str, arguments)])
    if isinstance(done.exception, MatedError):
        raise done.exception
    if check:
        assert done.exit_code == 0, done.output
    return done


def words(text):
    """The text with every run of blanks and rules as one blank."""
    return " ".join(text.replace("─", " ").split())


@pytest.fixture
def table(tmp_path):
    (tmp_path / "scores.csv").write_text(TABLE)
    return tmp_path / "scores.csv"


def test_tables_say_what_the_file_holds(table):
    said = words(run(table).stdout)
    assert "a text table, one comparison a line (format table, told by the names in its first line)" in said
    assert "Class With a score Failures Lowest Highest mated 1 1 0.75 0.75 non-mated 2 0 0.25 0.5" in said
    assert "Side Subjects Samples probes 2 2 references 2 2 both 2 4" in said
    assert "FMR 2 0.5 – 0.78" in said  # 1 − 0.05^(1/2) = 0.776
    assert "sensor further column text 2 0 A (2), B (2)" in said
    assert "verify yes FMR from 0.5, FNMR from 1; no FMR or FNMR can rest on 30 errors" in said
    assert "identify yes" in said
    assert "! 1 comparison has no score and counts as a failure; other commands refuse it without --nan failure" in said
    assert "scores are in steps of 0.01, and higher means more alike; all of them differ" in said
    assert "design: every probe with every reference; no pair is listed twice" in said
    assert "ann" not in said


def test_json_is_the_dictionary_of_the_result(table):
    from mated.evaluation.inspection import inspect

    assert json.loads(run(table, "--json").stdout) == json.loads(json.dumps(inspect(str(table)).to_dict()))


def test_several_files_stand_under_their_names(table, tmp_path):
    (tmp_path / "other.csv").write_text("mated,score\n1,2\n0,1\n")
    result = json.loads(run(table, tmp_path / "other.csv", "--json").stdout)
    assert list(result["files"]) == ["scores", "other"]
    assert result["files"]["other"]["comparisons"] == 2


def test_infinities_do_not_break_the_json(tmp_path):
    (tmp_path / "s.csv").write_text("mated,score\n1,inf\n1,inf\n0,1\n")
    scores = json.loads(run(tmp_path / "s.csv", "--json").stdout)["scores"]
    assert scores["largest_tie"] == "inf"
    assert scores["mated"]["positive_infinite"] == 2


def test_score_lists_are_inspected_and_histograms_thought_of(tmp_path):
    (tmp_path / "m").write_text("3\n4\n")
    (tmp_path / "n").write_text("1\n0\n")
    said = words(run("--mated", tmp_path / "m", "--nonmated", tmp_path / "n").stdout)
    assert "could also be histograms, if line i counts the comparisons of score i: --histogram both" in said


def test_an_ambiguous_file_is_refused_with_its_candidates(tmp_path):
    (tmp_path / "s.txt").write_text("1 12 31\n0 12 44\n")
    with pytest.raises(MatedError, match=r"--format table.*--mated-column 1 --score-column 2.*--key"):
        run(tmp_path / "s.txt")
    assert "two subjects" not in run(tmp_path / "s.txt", "--format", "table").stderr


@pytest.mark.parametrize("arguments", [[], ["--mated", "m"], ["f", "--mated", "m", "--nonmated", "n"]])
def test_wrong_usage_ends_with_2(arguments):
    assert run(*arguments, check=False).exit_code == 2


def test_real_files_can_all_be_looked_at(reference_data):
    for file, options in (
        ("att_faces/comparisons.csv.gz", []),
        ("bob/dev-4col.txt", ["--format", "bob"]),
        ("bob/search.mtx", []),
        ("dasec/example_data.json", []),
        ("pyeer/cmc/exp1_scores.txt", ["--key", reference_data / "pyeer/cmc/exp1_tp.txt"]),
    ):
        assert "What can be computed" in run(reference_data / file, *options).stdout


def test_a_json_of_qualities_says_that_it_holds_them_and_that_nobody_is_identified(tmp_path):
    pairs = {f"{s}1-{s}2": 0.5 for s in "abc"}
    qualities = {"sharp": {f"{s}{k}": 1.0 + k for s in "abc" for k in (1, 2)}}
    content = {
        "similarity_scores": {"type": "mated", "scores_by_pair_ids": pairs},
        "quality_scores_by_sample_id_per_algorithm": qualities,
    }
    (tmp_path / "scores.json").write_text(json.dumps(content))
    said = words(run(tmp_path / "scores.json").stdout)
    assert "quality yes with the qualities in this file, or a table of them (--quality FILE)" in said
    assert "identify no no probe has a score with anybody but its mate" in said


def test_whole_numbers_in_sentences_are_written_as_in_tables(tmp_path):
    lines = [f"p{i},r{j},{(i * 7 + j) % 11},{int(i == j)}" for i in range(40) for j in range(30)]
    (tmp_path / "scores.csv").write_text("\n".join(["probe_sample,reference_sample,score,mated", *lines[:-1]]))
    said = run(tmp_path / "scores.csv").stdout
    assert "1\u202f199 of 1\u202f200 possible pairs" in said
