"""`mated plan` and `mated variability` as a person uses them."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import mated
from mated.evaluation.variability import variability
from mated.synthetic import GaussianIdentities


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    code = "from mated.cli.main import run; run()"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=120
    )


def plain(text: str) -> str:
    """Undo thin and unbreakable spaces and line breaks."""
    return " ".join(text.replace("\u202f", " ").replace("\u00a0", " ").split())


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    data = GaussianIdentities((0.8, 0.9, 0.9)).draw(60, 4, rng=1).comparisons("llr", scale=10, decimals=0)
    names = np.array(data.subjects.names)
    path = tmp_path_factory.mktemp("scores") / "pilot.csv"
    pl.DataFrame(
        {
            "probe_subject": names[data.subjects.probe],
            "reference_subject": names[data.subjects.reference],
            "score": data.score.astype(int),
        }
    ).write_csv(path)
    return path


@pytest.fixture(scope="module")
def without_subjects(tmp_path_factory):
    path = tmp_path_factory.mktemp("scores") / "bare.csv"
    path.write_text("score,mated\n1,1\n0,0\n")
    return path


def test_a_plan_begins_with_the_answer_and_sets_the_rules_side_by_side():
    done = run("plan", "--fmr", "1e-4")
    assert done.returncode == 0, done.stderr
    said = plain(done.stdout)
    assert said.startswith("To show FMR ≤ 0.0001 with 95 % confidence and 80 % power if it is 0.00005: 332 subjects")
    # Rule of 3: ln 0.05 / ln(1 − 1e-4) = 29955.8; rule of 30: 30/5e-5.
    assert "Rule of 3 29 956 0" in said
    assert "Rule of 30 600 000 47" in said
    assert "Exact, fewest" in said
    assert "more subjects are needed" in said


def test_a_pilot_adds_its_dependence(table):
    done = run("plan", "--fmr", "1e-2", "--fnmr", ".1", "--samples", "4", "--pilot", table)
    assert done.returncode == 0, done.stderr
    said = plain(done.stdout)
    assert "with the pilot's dependence" in said
    assert "as in the pilot Rule of 3" in said
    assert "pilot pilot: 60 subjects; correlation of a subject's false non-matches 0." in said


def test_the_reverse_says_what_a_test_can_show(table):
    said = plain(run("plan", "--subjects", "300", "--samples", "2").stdout)
    # 1 − 0.05^(1/179400) and 1 − 0.05^(1/300)
    assert "without any error would show FMR ≤ 1.67e-05 and FNMR ≤ 0.00994" in said
    with_claim = plain(
        run("plan", "--subjects", "300", "--samples", "4", "--pilot", table, "--fmr", "1e-2", "--fnmr", ".1").stdout
    )
    assert "FNMR ≤ 0.1 would be shown by at most" in with_claim


def test_json_is_the_dictionary_of_the_result(table):
    done = run("plan", "--fmr", "1e-2", "--expected-fmr", "1e-3", "--power", ".9", "--pilot", table, "--json")
    assert json.loads(done.stdout) == mated.plan(fmr=1e-2, expected_fmr=1e-3, power=0.9, pilot=table).to_dict()
    done = run("plan", "--subjects", "50", "--samples", "3", "--design", "one-pair", "--confidence", ".9", "--json")
    assert json.loads(done.stdout) == mated.plan(subjects=50, samples=3, design="one-pair", confidence=0.9).to_dict()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "nothing is asked"),
        (["--fmr", "2"], "between 0 and 1"),
        (["--fnmr", "0"], "between 0 and 1"),
        (["--fmr", ".1", "--expected-fmr", ".1"], "must lie below"),
        (["--fnmr", ".1", "--samples", "1"], "at least 2 samples"),
        (["--subjects", "1"], "at least 2 subjects"),
        (["--fmr", ".1", "--pilot", "WITHOUT"], "only where it says who was compared"),
        (["--fmr", ".1", "--pilot", "none.csv"], "none.csv"),
    ],
)
def test_bad_input_gets_one_sentence_and_status_one(arguments, words, without_subjects):
    done = run("plan", *(without_subjects if a == "WITHOUT" else a for a in arguments))
    assert (done.returncode, done.stdout) == (1, "")
    assert words in done.stderr
    assert done.stderr.startswith("mated: ")
    assert done.stderr.count("\n") == 1


def test_variability_says_how_many_replicates_are_enough(table):
    arguments = ["variability", table, "--fmr", "1e-2", "--runs", "40", "--replicates", "50,200", "--seed", "3"]
    done = run(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    said = plain(done.stdout)
    assert said.startswith("B = ")
    for words in ("TMR at FMR 1e-2", "EER", "subjects resampled, seed 3"):
        assert words in said
    result = variability(mated.verify(table), fmr=1e-2, runs=40, replicates=(50, 200), rng=3)
    assert json.loads(run(*arguments, "--json").stdout) == result.to_dict()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--fmr", "1e-9"], "no interval at an FMR"),
        (["--runs", "1"], "at least 2 runs"),
        (["--replicates", "1"], "at least 2 bootstrap replicates"),
        (["--replicates", "many"], "'many' is none"),
        (["--level", "95"], "between 0 and 1"),
    ],
)
def test_bad_input_to_variability_gets_one_sentence(arguments, words, table):
    done = run("variability", table, *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments", [["plan", "--design", "some", "--fmr", ".1"], ["variability"], ["plan", "--fmr", "low"]]
)
def test_wrong_usage_has_status_two(arguments):
    assert run(*arguments).returncode == 2
