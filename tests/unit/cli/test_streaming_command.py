"""`mated verify` on files that are read in chunks: the same output, and runs that are stopped and go on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import mated
from mated.cli.main import app
from mated.engine import passes
from scans import ABOUT_READING, beyond_declared, differing

RUN = "from mated.cli.main import run; run()"
# Stops for a long time once two parts are kept, as a large file would take long.
SLOW = """
import time
from mated.evaluation.streaming_choice import WatchedCheckpoint as Checkpoint
save, saved = Checkpoint.save, []
def slow(self, *arguments):
    save(self, *arguments)
    saved.append(1)
    if len(saved) == 2:
        open({ready!r}, "w").close()
        time.sleep(60)
Checkpoint.save = slow
"""


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def comparisons(size, seed, *, subjects=25):
    rng = np.random.default_rng(seed)
    probe = rng.integers(0, subjects, size)
    reference = np.where(rng.random(size) < 0.2, probe, rng.integers(0, subjects, size))
    return pl.DataFrame(
        {
            "score": (rng.normal(0, 1, size) + 3 * (probe == reference)).astype(np.float32),
            "probe_subject": probe,
            "reference_subject": reference,
            "sensor": rng.choice(["a", "b"], size).tolist(),
        }
    )


@pytest.fixture
def folder(tmp_path):
    """Three Parquet files that are one table."""
    place = tmp_path / "scores"
    place.mkdir()
    for k in range(3):
        comparisons(4000, k).write_parquet(place / f"{k}.parquet")
    return place


def without_subjects(folder):
    for file in folder.glob("*.parquet"):
        frame = pl.read_parquet(file)
        frame.select("score", "sensor", mated=pl.col("probe_subject") == pl.col("reference_subject")).write_parquet(
            file
        )
    return folder


def test_streamed_output_is_that_of_memory(folder):
    options = ("--json", "--fmr", "0.01,0.1", "--tmr", "0.9", "--threshold", "1.5", "--bootstrap", "200")
    streamed = run("verify", folder, *options, "--stream")
    assert streamed.exit_code == 0, streamed.stderr
    assert not streamed.stderr
    held = mated.verify(str(folder), name="scores", fmr=(0.01, 0.1), tmr=0.9, threshold=1.5, stream=False)
    held = held.bootstrap(200, rng=1).to_dict()
    assert not differing(json.loads(streamed.stdout), held, besides=ABOUT_READING)
    notes = json.loads(streamed.stdout)["notes"]
    assert notes == [
        "the comparisons were read in 1 pass; every number is that of all comparisons in memory",
        "subjects were counted in further passes",
    ]


def test_groups_individual_rocs_and_figures_are_streamed_too(folder, tmp_path):
    options = ("--json", "--by", "sensor", "--individual", "--bootstrap", "50", "--symmetric", "no")
    streamed = run("verify", folder, *options, "--stream", "--plot", tmp_path / "figures")
    assert streamed.exit_code == 0, streamed.stderr
    found = json.loads(streamed.stdout)["groups"]
    held = mated.verify(str(folder), individual=True, symmetric="no", stream=False).by("sensor").bootstrap(50, rng=1)
    assert list(found) == ["a", "b"]
    for name in found:
        assert not beyond_declared(found[name], held[name].to_dict())
    assert len(list((tmp_path / "figures").glob("*.svg"))) > 2


def test_the_table_says_how_it_was_read_and_what_was_not_counted(folder):
    done = run("verify", folder, "--stream", "--bootstrap", "0")
    assert "the comparisons were read in 1 pass" in done.stdout
    assert "subjects were not counted, as nothing asked for needs them" in done.stdout


def test_a_threshold_set_on_a_streamed_file_is_that_of_memory(folder):
    options = ("--json", "--bootstrap", "0", "--threshold-from", folder, "--threshold-at", "0.05", "--stream")
    v = mated.verify(str(folder), stream=False)
    threshold = v.at_fmr(0.05).threshold
    found = json.loads(run("verify", folder, *options).stdout)["hter"]
    assert found == {"value": v.hter(threshold), "threshold": threshold}


def held_in(folder):
    """What memory gives for the same command."""
    return mated.verify(str(folder), name="scores", stream=False).bootstrap(100, rng=1).to_dict()


def stopped(arguments, ready):
    """Start a run that waits once two parts are kept, and stop it there as Ctrl-C does."""
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW.format(ready=str(ready)) + RUN, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(600):
        if ready.exists() or process.poll() is not None:
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    return process.returncode, output, errors


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_a_run_that_is_stopped_goes_on_where_it_was(folder, tmp_path, monkeypatch):
    without_subjects(folder)
    kept = tmp_path / "kept"
    options = ("verify", folder, "--json", "--bootstrap", "100", "--checkpoint", kept)
    status, output, errors = stopped(options, tmp_path / "ready")
    assert status == 130
    assert output == ""
    assert errors == f"mated: stopped; 2 of 3 files are kept in {kept}, run the same command to go on\n"
    assert len(list(kept.iterdir())) == 2  # nothing half-written

    numbered, read = passes._numbered, []
    monkeypatch.setattr(passes, "_numbered", lambda source: (read.append(source.path.name), numbered(source))[1])
    resumed = run(*options)
    assert resumed.exit_code == 0, resumed.stderr
    assert read[0] == "2.parquet"  # the first pass reads the one that was not kept
    assert read.count("2.parquet") == read.count("1.parquet") + 1
    assert not beyond_declared(json.loads(resumed.stdout), held_in(folder))

    # Nothing is read again, until a file changes; then that file is.
    read.clear()
    assert run(*options).stdout == resumed.stdout
    assert not read
    comparisons(4000, 9).select(
        "score", "sensor", mated=pl.col("probe_subject") == pl.col("reference_subject")
    ).write_parquet(folder / "1.parquet")
    changed = run(*options)
    assert read[0] == "1.parquet"
    assert not beyond_declared(json.loads(changed.stdout), held_in(folder))


def test_options_that_contradict_each_other_are_refused(folder, tmp_path):
    for options, words in (
        (("--no-stream", "--checkpoint", tmp_path / "kept"), "--checkpoint and --engine dask read in chunks"),
        (("--scheduler", "tcp://127.0.0.1:1"), "a scheduler goes with --engine dask"),
        (("--engine", "spark"), "not one of local, dask"),
    ):
        done = run("verify", folder, *options)
        assert done.exit_code == 2
        assert words in " ".join(done.stderr.replace("│", " ").split())
