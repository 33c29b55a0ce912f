"""`mated verify` with failures: options, tables and JSON."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import mated


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    code = "from mated.cli.main import run; run()"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=120
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The same 400 comparisons twice: 9 failures as missing scores, and as −99."""
    rng = np.random.default_rng(6)
    mated = np.arange(400) < 100
    score = np.where(mated, rng.integers(2, 12, 400), rng.integers(0, 8, 400))
    failed = np.isin(np.arange(400), [0, 1, 2, 3, 200, 210, 220, 230, 240])
    folder = tmp_path_factory.mktemp("failures")
    sensor = np.where(np.arange(400) % 2 == 0, "old", "new")
    for name, value in (("missing", None), ("marked", -99)):
        values = [value if f else int(s) for f, s in zip(failed, score, strict=True)]
        pl.DataFrame({"mated": mated, "sensor": sensor, "score": values}).write_csv(folder / f"{name}.csv")
    return folder


def test_failures_are_told_in_a_table_of_their_own(files):
    done = run("verify", files / "missing.csv", "--nan", "failure", "--threshold", 5, "--bootstrap", 50)
    assert done.returncode == 0, done.stderr
    assert "With failures to acquire or enrol" in done.stdout
    assert "GFRR" not in done.stdout
    assert "4 of 100 mated attempts and 5 of 300 non-mated attempts gave no score" in done.stdout
    v = mated.verify(files / "missing.csv", nan="failure")
    rates = v.with_failures(v.at_threshold(5))
    row = next(line for line in done.stdout.splitlines() if "threshold 5" in line)
    assert f"{100 * rates.frr:.4g}" in row
    assert f"{100 * rates.far:.4g}" in row


def test_without_failures_there_is_no_such_table(files):
    done = run("verify", files / "marked.csv", "--bootstrap", 0)
    assert "Verification" in done.stdout
    assert "With failures" not in done.stdout


def test_json_is_the_dictionary_with_the_rates_given(files):
    options = ("--threshold", 5, "--tmr", 0.9, "--fte", "4/200", "--fta", 0.01, "--bootstrap", 50, "--json")
    done = run("verify", files / "marked.csv", "--failure-score", -99, *options)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    v = mated.verify(
        mated.read(files / "marked.csv", failure_score=-99), name="marked", threshold=5, tmr=0.9, fte="4/200", fta=0.01
    )
    assert result == v.bootstrap(50, rng=1).to_dict()
    assert result["counts"]["failures"] == 9
    at = result["with_failures"]["at_threshold"][0]
    assert at["frr"] < at["gfrr"] < at["gfrr_high"]
    missing = json.loads(run("verify", files / "missing.csv", "--nan", "failure", *options).stdout)
    assert missing["with_failures"] == result["with_failures"]


def test_groups_have_rates_of_their_own(files):
    done = run("verify", files / "missing.csv", "--nan", "failure", "--by", "sensor", "--json", "--bootstrap", 20)
    groups = json.loads(done.stdout)["groups"]
    assert groups["old"]["with_failures"]["fta_mated"] == 2 / 50
    assert groups["old"]["with_failures"]["fta_nonmated"] == 5 / 150
    assert groups["new"]["with_failures"]["fta_nonmated"] == 0


def test_what_is_no_rate_is_refused_in_one_sentence(files):
    done = run("verify", files / "missing.csv", "--nan", "failure", "--fte", "7/3")
    assert done.returncode != 0
    assert done.stdout == ""
    assert "a failure-to-enrol rate must lie between 0 and 1" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
