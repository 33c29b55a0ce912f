"""What a user asks of a cluster: verify, groups, subjects and identification give the numbers of one machine.

The scheduler and its workers are the programs `dask scheduler` and `dask worker`, each in a process of its own.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import mated
from mated.engine import DaskRunner, Scoring
from mated.engine.rank_chunks import stream_ranks
from mated.engine.subject_chunks import stream_subject_pairs, stream_subject_tallies
from mated.errors import MatedError
from mated.io.scanning import scan

distributed = pytest.importorskip("distributed")

WORKERS = 2
MATED = (sys.executable, "-c", "from mated.cli.main import run; run()")
SUBJECTS, SAMPLES = 40, 2


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory):
    """The path of a scheduler file."""
    folder = tmp_path_factory.mktemp("dask")
    known = folder / "scheduler.json"
    local = ("--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(known))
    commands = [
        ("scheduler", "--port", "0", *local),
        *(("worker", "--no-nanny", "--nthreads", "1", "--local-directory", str(folder), *local),) * WORKERS,
    ]
    running = []
    try:
        with (folder / "log").open("w") as log:
            for command in commands:
                running.append(
                    subprocess.Popen([sys.executable, "-m", "dask", *command], stdout=log, stderr=log, cwd=folder)
                )
                wait_for(known.exists, folder)
        with DaskRunner(str(known)) as runner:
            runner.client.wait_for_workers(WORKERS, timeout=30)
        yield str(known)
    finally:
        for process in running:
            process.kill()  # a graceful end takes seconds, and there is nothing to save
        for process in running:
            process.wait(20)


def wait_for(condition, folder, within=30.0):
    end = time.monotonic() + within
    while not condition():
        assert time.monotonic() < end, (folder / "log").read_text(encoding="utf-8")
        time.sleep(0.05)


@pytest.fixture(scope="module")
def runner(scheduler):
    with DaskRunner(scheduler) as connected:
        yield connected


@pytest.fixture(scope="module")
def frame():
    """Every sample with every other, one way; float32 scores that people share."""
    rng = np.random.default_rng(9)
    sample = np.arange(SUBJECTS * SAMPLES)
    probe, reference = (a.ravel() for a in np.meshgrid(sample, sample, indexing="ij"))
    probe, reference = probe[probe < reference], reference[probe < reference]
    people = rng.standard_normal(SUBJECTS)
    score = rng.standard_normal(len(probe)) + 0.5 * people[probe // SAMPLES]
    score += 3 * (probe // SAMPLES == reference // SAMPLES)
    return pl.DataFrame(
        {
            "probe_subject": [f"s{n}" for n in (probe // SAMPLES).tolist()],
            "reference_subject": [f"s{n}" for n in (reference // SAMPLES).tolist()],
            "probe_sample": [f"x{n}" for n in probe.tolist()],
            "reference_sample": [f"x{n}" for n in reference.tolist()],
            "score": score.astype(np.float32),
            "camera": [("near", "far")[n % 2] for n in (probe // SAMPLES).tolist()],
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory, frame):
    """The table in four files of different lengths."""
    place = tmp_path_factory.mktemp("table")
    for number, (begin, end) in enumerate(zip((0, 10, 1000, 1700), (10, 1000, 1700, len(frame)), strict=True)):
        frame[begin:end].write_parquet(place / f"part{number}.parquet")
    return place


def plain(result):
    """A result without its name, and without how often the data were read, which a cluster does once more."""
    found = json.loads(json.dumps(result.to_dict()))
    found.pop("name", None)
    about_passes = re.compile("were (read|counted) in")
    found["notes"] = [note for note in found.get("notes", ()) if not about_passes.search(note)]
    return found


def test_intervals_by_subject_are_those_of_one_machine_and_of_memory(scheduler, folder):
    options = {"fmr": (0.1, 0.01), "individual": True}
    there = mated.verify(str(folder / "*.parquet"), engine="dask", scheduler=scheduler, **options)
    drawn = plain(there.bootstrap(200, rng=3))
    assert drawn == plain(mated.verify(str(folder / "*.parquet"), stream=True, **options).bootstrap(200, rng=3))
    in_memory = plain(mated.verify(str(folder / "*.parquet"), stream=False, **options).bootstrap(200, rng=3))
    assert drawn == in_memory


def test_groups_are_those_of_one_machine(scheduler, folder):
    path = str(folder / "*.parquet")
    there = mated.verify(path, fmr=0.1, engine="dask", scheduler=scheduler).by("camera")
    here = mated.verify(path, fmr=0.1, stream=True).by("camera")
    assert list(there) == list(here) == ["far", "near"]
    for name in here:
        assert plain(there[name]) == plain(here[name])


def test_a_dask_data_frame_is_verified_on_its_cluster(runner, frame, folder):
    dd = pytest.importorskip("dask.dataframe")
    expected = plain(mated.verify(frame, fmr=0.1, stream=True))
    lazy = dd.read_parquet(folder)
    persisted = runner.client.persist(dd.from_pandas(frame.to_pandas(), npartitions=7))
    for table in (lazy, persisted):
        there = mated.verify(table, fmr=0.1, engine="dask", scheduler=runner.client)
        assert plain(there) == expected


def test_a_partition_that_cannot_be_read_is_named(runner, frame, tmp_path):
    paths = [tmp_path / f"part{number}.parquet" for number in range(3)]
    for path in paths:
        frame.write_parquet(path)
    parts = scan(str(tmp_path / "*.parquet")).parts
    paths[1].write_bytes(paths[1].read_bytes()[:500])
    with pytest.raises(MatedError, match=r"part1.parquet"):
        stream_subject_tallies(parts, scoring=Scoring(), runner=runner)


def test_subjects_and_ranks_are_counted_on_the_cluster_as_here(runner, folder):
    parts = scan(str(folder / "*.parquet")).parts
    for stream in (stream_subject_pairs, stream_subject_tallies, stream_ranks):
        here, there = (stream(parts, scoring=Scoring(), runner=who) for who in (None, runner))
        assert_same_fields(there, here)


def assert_same_fields(there, here):
    assert type(there) is type(here)
    for name, expected in vars(here).items():
        found = vars(there)[name]
        if isinstance(expected, np.ndarray):
            assert found.dtype == expected.dtype, name
            assert found.tobytes() == expected.tobytes(), name
        elif hasattr(expected, "__dict__") and not isinstance(expected, type):
            assert_same_fields(found, expected)
        else:
            assert repr(found) == repr(expected), name


def test_identification_is_that_of_one_machine(scheduler, folder):
    path = str(folder / "*.parquet")
    there = mated.identify(path, engine="dask", scheduler=scheduler)
    assert plain(there) == plain(mated.identify(path, stream=True))


# -- the command line ----------------------------------------------------------------------------------------


def run(*arguments, folder):
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "120"}
    return subprocess.run(
        [*MATED, *arguments], capture_output=True, text=True, cwd=folder, env=environment, timeout=60, check=False
    )


def test_the_command_line_counts_on_a_cluster(scheduler, folder):
    known = json.loads(Path(scheduler).read_text(encoding="utf-8"))["address"]
    asked = ("verify", "part*.parquet", "--fmr", "0.1,0.01", "--bootstrap", "200", "--seed", "1", "--json")
    there = run(*asked, "--engine", "dask", "--scheduler", known, folder=folder)
    here = run(*asked, "--stream", folder=folder)
    assert (there.returncode, there.stderr, here.returncode) == (0, here.stderr, 0), there.stderr
    found, expected = (
        [line for line in done.stdout.splitlines() if "were read in" not in line] for done in (there, here)
    )
    assert found == expected
    assert any('"tmr"' in line for line in found)


def test_the_command_line_says_that_there_is_no_scheduler(folder):
    done = run("verify", "part*.parquet", "--engine", "dask", "--scheduler", "nowhere.json", folder=folder)
    assert done.returncode == 1
    assert done.stderr.startswith("mated: nowhere.json holds no address of a scheduler")
    assert "Traceback" not in done.stderr
