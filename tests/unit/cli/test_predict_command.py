"""`mated predict` as a person uses it: what it prints, and what it says of bad input."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import mated
from mated.io.write import write_comparisons
from mated.synthetic import GaussianIdentities


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    code = "from mated.cli.main import run; run()"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=120
    )


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    here = tmp_path_factory.mktemp("scores") / "alpha.csv"
    write_comparisons(GaussianIdentities((0.7,) * 6).draw(40, 3, rng=1).comparisons("llr", scale=10, decimals=0), here)
    return here


def test_the_tables_name_the_numbers_and_a_figure_is_left(path, tmp_path):
    asked = ["--gallery", "30,1e6", "--fpir", ".1", "--bootstrap", "10", "--plot", tmp_path / "f", "--ranks", "1,5"]
    done = run("predict", path, *asked)
    assert done.returncode == 0, done.stderr
    for words in (
        "Predicted to be found",
        "hypergeometric",
        "tail",
        "The same by other methods, rank 1",
        "not enrolled",
    ):
        assert words in done.stdout
    assert "is larger than the scores of one subject resolve" in done.stdout
    assert {p.name for p in (tmp_path / "f").iterdir()} == {"gallery.svg", "fractional_rank.svg", "predicted.svg"}
    assert done.stderr.strip() == f"3 figures in {tmp_path / 'f'}"


def test_json_is_exactly_the_dictionary_of_the_result(path):
    asked = ["--gallery", "100", "--method", "average", "--threshold", "40", "--bootstrap", "10", "--seed", "3"]
    done = run("predict", path, *asked, "--json")
    assert done.returncode == 0, done.stderr
    made = mated.predict(path, gallery=100, method="average", threshold=40, replicates=10, rng=3)
    assert json.loads(done.stdout) == made.to_dict()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--gallery", "1"], "from 2 to"),
        (["--gallery", "10", "--ranks", "11"], "smallest gallery"),
        (["--gallery", "ten"], "--gallery takes numbers"),
    ],
)
def test_bad_input_is_one_sentence_and_status_1(path, options, words):
    done = run("predict", path, *options)
    assert (done.returncode, done.stdout) == (1, "")
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
