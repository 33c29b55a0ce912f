"""`mated identify` as a person uses it: what it prints, and what it says of bad input."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
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
def folder(tmp_path_factory):
    """Two systems: every third person is not enrolled; the first sample of the others is."""
    here = tmp_path_factory.mktemp("searches")
    people = GaussianIdentities((0.9, 0.9, 0.9)).draw(60, 3, rng=1)
    for name, scorer in (("alpha", "llr"), ("beta", "cosine")):
        table = people.comparisons(scorer, scale=10, decimals=0)
        first = np.array([n.endswith("-1") for n in table.samples.names])
        enrolled = np.array([int(n[1:]) % 3 != 0 for n in table.subjects.names])
        # Each pair is listed once, first samples on the left: references are the probes of this table.
        rows = first[table.samples.probe] & ~first[table.samples.reference] & enrolled[table.subjects.probe]
        kept = table.take(rows)
        from mated.scores import Comparisons

        names, samples = np.array(kept.subjects.names), np.array(kept.samples.names)
        turned = Comparisons.from_arrays(
            kept.score,
            probe_subject=names[kept.subjects.reference],
            reference_subject=names[kept.subjects.probe],
            probe_sample=samples[kept.samples.reference],
            reference_sample=samples[kept.samples.probe],
        )
        write_comparisons(turned, here / f"{name}.csv")
    return here


def test_the_tables_name_the_numbers_and_figures_are_left(folder, tmp_path):
    done = run("identify", folder / "alpha.csv", folder / "beta.csv", "--plot", tmp_path / "f", "--fpir", ".1")
    assert done.returncode == 0, done.stderr
    for words in ("Identification", "Found at that rank or better (CMC)", "People who are not enrolled", "≤ 0.1"):
        assert words in done.stdout
    assert {p.name for p in (tmp_path / "f").iterdir()} == {"cmc.svg", "open_set.svg"}
    assert "2 figures" in done.stderr


def test_json_is_exactly_the_dictionary_of_the_result(folder):
    path = folder / "alpha.csv"
    done = run("identify", path, "--json", "--ranks", "1,3", "--threshold", "20", "--bootstrap", "100", "--seed", "4")
    assert done.returncode == 0, done.stderr
    found = mated.identify(path, ranks=[1, 3], threshold=20, replicates=100, rng=4)
    assert json.loads(done.stdout) == found.to_dict()
    assert found.ranks.gallery_size == 40
    assert (found.ranks.n_mated, found.ranks.n_open) == (80, 40)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--ranks", "41"], "41"),
        (["--ranks", "1.5"], "whole numbers"),
        (["--fpir", "2"], "false positive identification rate"),
        (["--bootstrap", "1"], "two replicates"),
    ],
)
def test_bad_input_is_one_sentence_and_status_1(folder, options, words):
    done = run("identify", folder / "alpha.csv", *options)
    assert (done.returncode, done.stdout) == (1, "")
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (["p,a,q,b,1", "r,c,q,b,2"], "no probe was compared with a mate"),
        (["p,a,q,a,1", "p,b,s,b,2", "r,a,q,a,1", "t,b,s,b,1", "u,b,q,a,3"], "'p'"),
    ],
    ids=["no probe has a mate", "a probe with two subjects"],
)
def test_a_table_that_cannot_be_searched_says_why(tmp_path, rows, words):
    path = tmp_path / "bad.csv"
    head = "probe_sample,probe_subject,reference_sample,reference_subject,score"
    path.write_text("\n".join([head, *rows]) + "\n")
    done = run("identify", path)
    assert done.returncode == 1
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_file_read_in_chunks_gives_the_same_json_but_for_the_note_that_says_so(folder):
    held, chunked = (
        run("identify", folder / "alpha.csv", "--json", "--bootstrap", 20, how) for how in ("--no-stream", "--stream")
    )
    assert chunked.returncode == 0, chunked.stderr
    first, second = (json.loads(done.stdout) for done in (held, chunked))
    said = second.pop("notes")
    assert [note for note in said if "read in chunks" not in note] == first.pop("notes")
    assert len([note for note in said if "read in chunks" in note]) == 1
    assert first == second


def test_cautions_at_a_threshold_say_which_rate_they_mean(folder):
    said = run("identify", folder / "alpha.csv", "--threshold", "1000000").stdout
    assert "! FPIR at threshold 1e+06: no errors" in said
