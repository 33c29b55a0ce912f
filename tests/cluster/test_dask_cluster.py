"""A real scheduler and real worker processes on loopback: the numbers are those counted here, whatever happens to them.

A worker is killed in mid-run, one is slow, one file cannot be read.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
from dataclasses import replace
from operator import add
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from mated.engine import (
    Checkpoint,
    DaskRunner,
    Limits,
    Points,
    Source,
    count,
    dask_cluster,
    from_arrays,
    from_parquet,
    split_parquet,
    stream_tally,
)
from mated.errors import MatedError
from mated.io.atomic import replacing
from mated.uncertainty.independent import draw_at_fmr, draw_eer
from mated.verification import at_fmr, equal_error_rate

distributed = pytest.importorskip("distributed")

SIZE = 60_000
POINTS, LIMITS = Points((1e-1, 1e-2, 1e-3)), Limits(whole=0, most=20_000)


@pytest.fixture(scope="module")
def client():
    """Three worker processes, each with a nanny that starts it again when it dies."""
    cloudpickle = pytest.importorskip("cloudpickle")
    dask = pytest.importorskip("dask")
    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers need not find this file
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as connected,
    ):
        yield connected
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


@pytest.fixture(scope="module")
def scored():
    rng = np.random.default_rng(11)
    flags = rng.random(SIZE) < 0.2
    return (rng.standard_normal(SIZE) + 2 * flags).astype(np.float32), flags


@pytest.fixture(scope="module")
def file(tmp_path_factory, scored):
    path = tmp_path_factory.mktemp("scores") / "scores.parquet"
    pl.DataFrame({"score": scored[0], "mated": scored[1]}).write_parquet(path, row_group_size=5000)
    return path


@pytest.fixture(scope="module")
def here(file):
    """What is counted without a cluster."""
    return stream_tally(from_parquet(file), POINTS, limits=LIMITS)


def read_off(streamed):
    tally, drawn = streamed.tally, {"replicates": 200, "seed": 1}
    return (
        repr(equal_error_rate(tally)),
        [repr(at_fmr(tally, f)) for f in POINTS.fmr],
        [np.asarray(a).tobytes() for a in (*draw_at_fmr(tally, POINTS.fmr, **drawn), *draw_eer(tally, **drawn))],
    )


def assert_same(there, here):
    assert there.tally == here.tally
    assert there.given_up == here.given_up
    assert read_off(there) == read_off(here)


def left_on(client, within=10.0):
    """Return the tasks the scheduler still knows, once there are none or after a while."""
    end = time.monotonic() + within
    while tasks := client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.tasks)):
        if time.monotonic() > end:
            break
        time.sleep(0.05)
    return tasks


# -- the same numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [4000, 20_000, SIZE])
def test_any_partitioning_gives_the_numbers_counted_here(client, file, here, rows):
    with DaskRunner(client) as runner:
        there = stream_tally(split_parquet(file, rows), POINTS, limits=LIMITS, runner=runner)
    assert not there.whole
    assert_same(there, here)
    assert left_on(client) == []
    assert client.status == "running"  # it is the user's


def test_another_number_of_workers_gives_the_same_and_what_was_opened_is_closed(file, here):
    with DaskRunner(workers=1) as runner:
        there = stream_tally(split_parquet(file, 7000), POINTS, limits=LIMITS, runner=runner)
        assert len(runner.client.scheduler_info()["workers"]) == 1
    assert runner.client.status == "closed"
    assert_same(there, here)


def test_a_scheduler_is_reached_by_its_address_or_its_file(client, file, here, tmp_path):
    address = client.scheduler.address
    known = tmp_path / "scheduler.json"
    known.write_text(f'{{"address": "{address}"}}', encoding="utf-8")
    for where in (address, address.removeprefix("tcp://"), str(known)):
        with DaskRunner(where) as runner:
            assert count(split_parquet(file, 20_000), runner=runner) == count(from_parquet(file))
        assert runner.client.status == "closed"


@pytest.mark.parametrize("parts", [1, 2, 8, 9, 70])
def test_results_are_merged_in_the_order_of_their_parts(client, parts):
    # Joining texts is associative and does not commute.
    told = []
    words = [f"{number} " for number in range(parts)]
    joined = DaskRunner(client).map_reduce(words, str, merge=add, name_of=str, done=told.append, brief=len)
    assert joined == "".join(words)
    assert sorted(told) == sorted(map(len, words))


def test_progress_counts_the_rows_of_each_pass(client, file):
    calls = []
    runner = DaskRunner(client)
    stream_tally(split_parquet(file, 7000), POINTS, limits=LIMITS, runner=runner, progress=lambda *a: calls.append(a))
    for number in {call[0] for call in calls}:
        done = [rows for which, rows, _ in calls if which == number]
        assert done == sorted(done)
        assert (len(done), done[-1]) == (9, SIZE)


def test_partitions_of_a_dask_data_frame_are_counted_where_they_lie(client, file, here):
    dd = pytest.importorskip("dask.dataframe")
    this_process = os.getpid()

    def source(number, partition):
        def chunks():
            assert os.getpid() != this_process
            frame = partition.compute()
            yield frame["score"].to_numpy(), frame["mated"].to_numpy()

        return Source(f"partition {number}", chunks)

    frame = dd.read_parquet(file, split_row_groups=4)
    for partitions in (frame.to_delayed(), client.persist(frame).to_delayed(), list(frame.partitions)):
        sources = [source(number, partition) for number, partition in enumerate(partitions)]
        assert len(sources) == 3
        assert_same(stream_tally(sources, POINTS, limits=LIMITS, runner=DaskRunner(client)), here)


def test_arrays_in_memory_are_sent_without_a_warning(client):
    scores = np.random.default_rng(1).standard_normal(2_000_000)
    source = from_arrays(scores, scores > 1)
    assert count(source, runner=DaskRunner(client)) == count(source)


# -- what can go wrong ---------------------------------------------------------------------------------------


def test_a_worker_killed_in_mid_run_changes_nothing(client, file, here, tmp_path):
    victim = tmp_path / "pid"

    def slow_once(source):
        def chunks():
            if not victim.exists():
                victim.with_suffix(".new").write_text(str(os.getpid()), encoding="utf-8")
                victim.with_suffix(".new").rename(victim)
                time.sleep(60)
            yield from source.chunks()

        return replace(source, chunks=chunks)

    def kill():
        while not victim.exists():
            time.sleep(0.02)
        time.sleep(0.3)  # others are done by now, this worker's earlier results among them
        os.kill(int(victim.read_text(encoding="utf-8")), signal.SIGKILL)

    sources = list(split_parquet(file, 7000))
    sources[4] = slow_once(sources[4])
    killer = threading.Thread(target=kill)
    killer.start()
    begin = time.monotonic()
    there = stream_tally(sources, POINTS, limits=LIMITS, runner=DaskRunner(client))
    killer.join()
    assert time.monotonic() - begin < 30  # counted again at once, not after the sleep
    assert_same(there, here)


def test_a_slow_worker_changes_nothing(client, file, here):
    slow = next(iter(client.scheduler_info()["workers"]))

    def waiting(source):
        def chunks():
            if distributed.get_worker().address == slow:
                time.sleep(0.5)
            yield from source.chunks()

        return replace(source, chunks=chunks)

    sources = [waiting(source) for source in split_parquet(file, 5000)]
    assert_same(stream_tally(sources, POINTS, limits=LIMITS, runner=DaskRunner(client)), here)


def test_a_part_that_kills_every_worker_is_named_and_there_is_no_answer(client, file):
    def deadly():
        os.kill(os.getpid(), signal.SIGKILL)

    sources = [*split_parquet(file, 20_000), Source("monster.parquet", deadly)]
    with pytest.raises(MatedError, match=r"monster.parquet: 2 Dask workers died one after another"):
        count(sources, runner=DaskRunner(client))
    assert left_on(client) == []


def test_a_file_that_cannot_be_read_is_named_and_there_is_no_answer(client, file, tmp_path):
    paths = [tmp_path / f"part{number}.parquet" for number in range(4)]
    for path in paths:
        path.write_bytes(file.read_bytes())
    sources = [from_parquet(path) for path in paths]
    paths[2].write_bytes(file.read_bytes()[:1000])
    with pytest.raises(MatedError, match=r"part2.parquet cannot be read to its end") as here:
        count(sources)
    with pytest.raises(MatedError) as there:
        stream_tally(sources, POINTS, runner=DaskRunner(client))
    assert str(there.value) == str(here.value)
    assert left_on(client) == []


def test_a_file_that_workers_do_not_see_is_said_to_be_missing_there(client, tmp_path):
    path = tmp_path / "scores.parquet"
    path.touch()
    with pytest.raises(MatedError, match=r"the Dask worker at .* does not see .*scores.parquet; put it where all"):
        DaskRunner(client).map_reduce([VanishingPath(path)], str, merge=add, name_of=str)


class VanishingPath(type(Path())):
    """The path of a file that is there until it is sent elsewhere."""

    def absolute(self):
        self.unlink()
        return super().absolute()


def test_relative_paths_mean_the_same_on_workers(client, file, monkeypatch):
    monkeypatch.chdir(file.parent)
    found = DaskRunner(client).map_reduce(
        [Path(file.name)], lambda p: (str(p), p.stat().st_size), merge=add, name_of=str
    )
    assert found == (str(file), file.stat().st_size)
    assert count(split_parquet(file.name, 20_000), runner=DaskRunner(client)) == count(from_parquet(file))


def test_a_bad_score_has_its_sentence_from_any_worker(client, tmp_path):
    path = tmp_path / "scores.parquet"
    pl.DataFrame({"score": [0.1, 0.2, None, 0.4], "mated": [True, False, True, False]}).write_parquet(path)
    with pytest.raises(MatedError, match=r"scores.parquet, row 3: the score is NaN"):
        count(split_parquet(path, 2), runner=DaskRunner(client))


def test_a_mistake_in_the_program_is_no_mistake_of_the_user(client):
    with pytest.raises(ZeroDivisionError):
        DaskRunner(client).map_reduce([0], lambda n: 1 / n, merge=add, name_of=str)


def test_an_interruption_cancels_what_was_not_begun(client):
    def interrupt(_):
        raise KeyboardInterrupt

    def slowly(number):
        time.sleep(0.1)  # all of them would take longer than is waited for below
        return number

    with pytest.raises(KeyboardInterrupt):
        DaskRunner(client).map_reduce(range(500), slowly, merge=add, name_of=str, done=interrupt)
    assert left_on(client) == []


def test_what_was_kept_here_is_not_counted_again(client, file, tmp_path):
    checkpoint = Checkpoint(tmp_path / "kept", replacing)
    reads = tmp_path / "reads"
    reads.mkdir()

    def watched(source):
        def chunks():
            (reads / f"{source.first_row}-{time.monotonic_ns()}").touch()
            yield from source.chunks()

        return replace(source, chunks=chunks)

    sources = [watched(source) for source in split_parquet(file, 20_000)]
    runner = DaskRunner(client)
    first = count(sources, checkpoint=checkpoint, runner=runner)
    assert len(list(reads.iterdir())) == len(list(checkpoint.folder.iterdir())) == 3
    next(iter(checkpoint.folder.iterdir())).unlink()
    assert count(sources, checkpoint=checkpoint, runner=runner) == first == count(from_parquet(file))
    assert len(list(reads.iterdir())) == 4


def test_workers_with_another_version_are_refused(client, file, monkeypatch):
    monkeypatch.setattr(dask_cluster, "_versions", lambda: ("99.0", "3.11"))
    with pytest.raises(
        MatedError, match=r"has mated \d.*, and this is mated 99.0 under Python 3.11; workers need the same"
    ):
        count(split_parquet(file, 20_000), runner=DaskRunner(client))


def test_workers_without_mated_are_told_what_to_install(file, tmp_path):
    forget = tmp_path / "forget.py"
    forget.write_text("import sys\nsys.modules['mated'] = None\n", encoding="utf-8")
    options = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "preload": str(forget)}
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=True, **options) as cluster,
        DaskRunner(cluster.scheduler_address) as runner,
        pytest.raises(MatedError, match=r"a Dask worker cannot run mated .*; install mated"),
    ):
        count(from_parquet(file), runner=runner)


def test_a_scheduler_that_is_lost_ends_the_run(file, tmp_path):
    begun = tmp_path / "begun"

    def endless():
        begun.touch()
        time.sleep(60)

    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    )

    def close():
        while not begun.exists():
            time.sleep(0.02)
        cluster.close()

    closer = threading.Thread(target=close)
    closer.start()
    with (
        pytest.raises(MatedError, match="the Dask scheduler was lost"),
        DaskRunner(cluster.scheduler_address) as runner,
    ):
        count(Source("endless", endless), runner=runner)
    closer.join()


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("tcp://127.0.0.1:9", "no Dask scheduler answers at tcp://127.0.0.1:9"),
        ("nowhere", "at nowhere \\(missing port number"),
        ("nowhere.json", "nowhere.json holds no address of a scheduler"),
        (8786, "not 8786"),
    ],
)
def test_a_scheduler_that_is_not_there_is_said_at_once(monkeypatch, where, said):
    monkeypatch.setattr(dask_cluster, "CONNECT_SECONDS", 0.5)
    begin = time.monotonic()
    with pytest.raises(MatedError, match=said):
        DaskRunner(where)
    assert time.monotonic() - begin < 5


def test_a_scheduler_without_workers_is_said(monkeypatch):
    monkeypatch.setattr(dask_cluster, "WORKER_SECONDS", 0.5)
    options = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with (
        distributed.LocalCluster(n_workers=0, processes=True, **options) as cluster,
        pytest.raises(MatedError, match=r"the Dask scheduler at tcp://127.0.0.1:\d+ has no workers; start some with"),
    ):
        DaskRunner(cluster.scheduler_address)


def test_an_asynchronous_client_is_refused(client):
    async def refused():
        async with distributed.Client(client.scheduler.address, asynchronous=True, set_as_default=False) as waiting:
            with pytest.raises(MatedError, match="asynchronous"):
                DaskRunner(waiting)

    asyncio.run(refused())
