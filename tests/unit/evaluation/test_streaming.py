"""Verification of comparisons that are read in chunks: the numbers of comparisons in memory, or a word where not."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest

import mated
from mated.engine import Limits
from mated.engine import groups as engine_groups
from mated.errors import MatedError
from mated.evaluation import streaming_subjects
from mated.evaluation.streaming import StreamOptions, stream_by, verify_scan
from mated.evaluation.streaming_choice import checkpoint_in
from mated.evaluation.verification import Costs, OperatingPoints
from mated.io import scanning
from scans import ABOUT_READING, beyond_declared, differing, scan_of

POINTS = {"fmr": (0.01, 0.003), "tmr": (0.9,), "threshold": (1.25,)}
ASKED = OperatingPoints(**POINTS)
# Nothing is collected as a whole, and far fewer scores than there are.
LOW = StreamOptions(limits=Limits(whole=0, most=15_000, split=64))
LOWER = StreamOptions(limits=Limits(whole=0, most=1500, split=64))


def people(size=20_000, *, subjects=30, seed=0, decimals=None):
    """Comparisons of some people, some of them easier to recognise than others."""
    rng = np.random.default_rng(seed)
    probe = rng.integers(0, subjects, size)
    reference = np.where(rng.random(size) < 0.1, probe, rng.integers(0, subjects, size))
    skill = rng.normal(0, 0.5, subjects)
    score = rng.normal(0, 1, size) + 3.5 * (probe == reference) + skill[probe] + skill[reference]
    return pl.DataFrame(
        {
            "score": score if decimals is None else score.round(decimals),
            "probe_subject": [f"p{k:02d}" for k in probe],
            "reference_subject": [f"p{k:02d}" for k in reference],
            "sensor": rng.choice(["a", "b", None], size).tolist(),
            "day": rng.integers(1, 3, size),
        }
    )


def without_subjects(frame):
    return frame.select("score", "sensor", "day", mated=pl.col("probe_subject") == pl.col("reference_subject"))


def test_without_subjects_all_intervals_are_those_of_memory():
    frame = without_subjects(people())
    streamed = verify_scan(scan_of(frame, edges=(7000, 7001)), points=ASKED, options=LOW)
    assert not streamed.streaming.streamed.whole
    memory = mated.verify(frame, **POINTS)
    assert not beyond_declared(streamed.to_dict(), memory.to_dict())
    for intervals in ("iid", "bootstrap", "wilson"):
        options = {"replicates": 300, "rng": 4, "intervals": intervals}
        assert not beyond_declared(streamed.bootstrap(**options).to_dict(), memory.bootstrap(**options).to_dict())


@pytest.mark.parametrize("options", [LOW, LOWER], ids=["some of the tail", "little of the tail"])
def test_with_subjects_all_intervals_but_that_of_the_auc_are_those_of_memory(options):
    frame = people()
    streamed = verify_scan(scan_of(frame, edges=(100, 15_000)), points=ASKED, options=options)
    memory = mated.verify(frame, **POINTS)
    found, expected = (v.bootstrap(200, rng=4) for v in (streamed, memory))
    assert found.by_subject
    assert not beyond_declared(found.to_dict(), expected.to_dict())
    assert streamed.subject_pairs.tail_above is not None
    assert found.to_dict()["streaming"]["inexact"][-1] == "auc intervals"
    assert found.auc().low is None
    assert "needs all scores" in found.auc().caution


def test_few_enough_comparisons_with_subjects_are_all_kept_and_nothing_is_inexact():
    frame = people(3000)
    streamed = verify_scan(scan_of(frame), points=ASKED)
    found, expected = (v.bootstrap(100, rng=4).to_dict() for v in (streamed, mated.verify(frame, **POINTS)))
    assert found["streaming"] is None
    assert not differing(found, expected, besides=ABOUT_READING)
    assert found["notes"] == [
        "the comparisons were read in 1 pass; every number is that of all comparisons in memory",
        "subjects were counted in further passes",
    ]


def test_more_scores_are_kept_where_a_replicate_needs_them(monkeypatch):
    monkeypatch.setattr(streaming_subjects, "_FEWEST", 100)
    monkeypatch.setattr(streaming_subjects, "_GENEROUS", 1.02)
    frame = people(8000)
    passes = []
    options = StreamOptions(
        limits=LOWER.limits, progress=lambda number, done, rows: passes.append((number, done, rows))
    )
    streamed = verify_scan(scan_of(frame), points=ASKED, options=options)
    before = streamed.streaming.subject_pairs().tail_above
    # A threshold below all that is kept is no replicate's, and is found likewise.
    found, memory = streamed.bootstrap(200, rng=1), mated.verify(frame, **POINTS).bootstrap(200, rng=1)
    assert not beyond_declared(found.to_dict(), memory.to_dict())
    assert streamed.streaming.subject_pairs().tail_above < before
    low = float(np.quantile(frame["score"], 0.2))
    assert repr(found.at_threshold(low).fnmr) == repr(memory.at_threshold(low).fnmr)
    assert {number for number, _, _ in passes} >= {1, streamed.streaming.streamed.passes + 1}
    assert passes[-1][1:] == (8000, 8000)


@pytest.mark.parametrize("unit", [0, 1, 2])
def test_dissimilarities_and_units_are_those_of_memory(unit):
    frame = without_subjects(people(decimals=unit)).with_columns(-pl.col("score"))
    points = {"fmr": (0.05, 0.01), "threshold": (-2.0,)}
    streamed = verify_scan(scan_of(frame, dissimilarity=True), points=OperatingPoints(**points), options=LOW)
    memory = mated.verify(frame, dissimilarity=True, **points)
    options = {"replicates": 200, "rng": 3}
    assert streamed.tally.unit == memory.tally.unit
    assert not beyond_declared(streamed.bootstrap(**options).to_dict(), memory.bootstrap(**options).to_dict())


def test_failures_are_counted_and_rates_of_attempts_are_those_of_memory():
    frame = without_subjects(people()).with_columns(
        score=pl.when(pl.int_range(pl.len()) % 37 == 0).then(None).otherwise(pl.col("score"))
    )
    streamed = verify_scan(scan_of(frame, nan="failure"), points=ASKED, options=LOW)
    memory = mated.verify(frame, nan="failure", **POINTS)
    assert streamed.to_dict()["counts"]["failures"] > 500
    options = {"replicates": 200, "rng": 3}
    assert not beyond_declared(streamed.bootstrap(**options).to_dict(), memory.bootstrap(**options).to_dict())


# -- what is asked for later ---------------------------------------------------------------------


def test_a_point_asked_for_later_says_between_what_it_lies():
    frame = without_subjects(people())
    streamed = verify_scan(scan_of(frame), points=OperatingPoints((0.01,)), options=LOWER)
    memory = mated.verify(frame, fmr=0.01)
    # Rates of 0.3 and so on were not asked for, and lie far from where anything was.
    for read in (lambda v: v.at_fmr(0.3), lambda v: v.at_tmr(0.5), lambda v: v.at_threshold(0.3)):
        found, expected = read(streamed), read(memory)
        assert "ask for it at the start" in found.caution
        bounds = re.findall(r"(FMR|TMR|threshold) (?:lies )?between ([-\d.e]+) and ([-\d.e]+)", found.caution)
        assert bounds
        for name, low, high in bounds:
            assert float(low) - 1e-8 <= getattr(expected, name.lower()) <= float(high) + 1e-8
    assert streamed.at_fmr(0.01) == memory.at_fmr(0.01)
    assert streamed.eer() == memory.eer()
    with pytest.raises(MatedError, match=r"the half total error rate at 0\.3 is not known"):
        streamed.hter(0.3)
    assert "replicates reach scores" in streamed.bootstrap(50, rng=1).at_fmr(0.3).fnmr.caution


def test_a_transferred_threshold_is_exact():
    frame = without_subjects(people())
    streamed = verify_scan(scan_of(frame), points=ASKED, transferred_threshold=0.3, options=LOWER)
    assert streamed.hter(0.3) == mated.verify(frame).hter(0.3)


def test_a_bootstrap_that_was_not_foreseen_is_refused():
    frame = without_subjects(people())
    options = StreamOptions(limits=LOWER.limits, replicates=False)
    with pytest.raises(MatedError, match="without a bootstrap in mind"):
        verify_scan(scan_of(frame), points=ASKED, options=options).bootstrap(20)
    whole = StreamOptions(replicates=False)
    assert verify_scan(scan_of(frame), points=ASKED, options=whole).bootstrap(20, rng=1).eer().eer.low is not None


def test_what_needs_the_comparisons_themselves_is_refused():
    streamed = verify_scan(scan_of(people()), points=ASKED, options=LOW)
    with pytest.raises(MatedError, match=r"stream=False \(--no-stream\)"):
        streamed.comparisons()
    unnamed = verify_scan(scan_of(without_subjects(people())), points=ASKED, options=LOW)
    with pytest.raises(MatedError, match="give probe_subject and reference_subject"):
        _ = unnamed.subject_pairs


def test_the_average_roc_is_that_of_memory():
    frame = people(6000, decimals=2)
    streamed = verify_scan(scan_of(frame), points=ASKED, options=LOW, individual=True, symmetric="no")
    memory = mated.verify(frame, individual=True, symmetric="no", **POINTS)
    assert not beyond_declared(streamed.to_dict(), memory.to_dict())


def test_subjects_that_nothing_needs_are_not_counted():
    options = StreamOptions(limits=LOW.limits, subjects=False)
    streamed = verify_scan(scan_of(people()), points=ASKED, options=options)
    assert streamed.n_subjects is None
    assert streamed.remarks[-1] == "subjects were not counted, as nothing asked for needs them"


def test_a_file_that_changed_before_subjects_were_read_is_noticed():
    frame = people(3000)
    frames = [frame]

    def batches(columns):
        yield frames[0].with_columns(mated=pl.col("probe_subject") == pl.col("reference_subject")).select(columns)

    part = scanning.ScanPart("file", batches)
    streamed = verify_scan(
        scanning.Scan("s", (part,), scan_of(frame).knows, (), False, "auto", "refuse"), points=ASKED, options=LOW
    )
    frames[0] = frame[:-1]
    with pytest.raises(MatedError, match="not the same as in the pass before"):
        streamed.bootstrap(20)


def test_a_part_that_ends_early_is_noticed():
    # As Polars ends a query that is interrupted in a process that ignores interrupts.
    frame = without_subjects(people(3000))
    part = scanning.ScanPart("file", lambda columns: iter([frame.select(columns)]), rows=3001)
    scan = scanning.Scan("s", (part,), scan_of(frame).knows, ("sensor",), False, "auto", "refuse")
    for go in (lambda: verify_scan(scan, points=ASKED), lambda: stream_by(scan, ["sensor"], points=ASKED)):
        with pytest.raises(MatedError, match="3000 rows were read and it has 3001"):
            go()


def test_one_class_alone_is_refused():
    frame = without_subjects(people(100)).with_columns(mated=True)
    with pytest.raises(MatedError, match="there is no non-mated comparison with a score"):
        verify_scan(scan_of(frame), points=ASKED)


# -- groups --------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [("sensor",), ("sensor", "day")])
def test_groups_are_those_of_memory(columns):
    frame = people()
    found = verify_scan(scan_of(frame, edges=(3000,)), points=ASKED, options=LOW).by(*columns)
    expected = mated.verify(frame, **POINTS).by(*columns)
    assert list(found) == list(expected)
    for name in found:
        pair = [vs[name].bootstrap(100, rng=5).to_dict() for vs in (found, expected)]
        assert not beyond_declared(*pair)


def test_many_groups_share_passes_and_limits(monkeypatch):
    monkeypatch.setattr(engine_groups, "_WITH_COUNTERS", 2)
    monkeypatch.setattr(engine_groups, "_WAITING", 500)
    monkeypatch.setattr(engine_groups, "_PICKED_AT_ONCE", 3)
    frame = without_subjects(people(decimals=4)).with_columns(site=pl.int_range(pl.len()) % 8)
    found = stream_by(scan_of(frame, edges=(900,)), ["site"], points=ASKED, options=LOW)
    expected = mated.verify(frame, **POINTS).by("site")
    assert list(found) == [str(k) for k in range(8)]
    assert {v.streaming.streamed.passes for v in found.values()} == {4}  # after the first, three groups a pass
    for name in found:
        pair = [vs[name].bootstrap(50, rng=5, intervals="iid").to_dict() for vs in (found, expected)]
        assert not beyond_declared(*pair)


def test_groups_of_one_class_are_left_out_and_named():
    frame = without_subjects(people(3000)).with_columns(
        only=pl.when("mated").then(pl.lit("x")).otherwise(pl.lit("y")), both=pl.lit("z")
    )
    scan = scan_of(frame)
    with pytest.raises(MatedError, match="no value of only has both mated and non-mated comparisons: 'x'"):
        stream_by(scan, ["only"], points=ASKED)
    mixed = frame.with_columns(only=pl.when(pl.int_range(pl.len()) < 900).then(pl.lit("w")).otherwise("only"))
    found = stream_by(scan_of(mixed), ["only"], points=ASKED)
    memory = mated.verify(mixed, **POINTS).by("only")
    assert list(found) == ["w"]
    assert found.notes == memory.notes
    with pytest.raises(MatedError, match="there is no column 'age' to group by"):
        stream_by(scan, ["age"], points=ASKED)
    with pytest.raises(MatedError, match="not divided again"):
        found["w"].by("both")


def test_columns_that_name_no_groups_are_refused(monkeypatch):
    monkeypatch.setattr(engine_groups, "MOST_GROUPS", 50)
    frame = without_subjects(people(3000)).with_columns(row=pl.int_range(pl.len()))
    with pytest.raises(MatedError, match="more than 50 groups; group by columns with fewer values"):
        stream_by(scan_of(frame), ["row"], points=ASKED)


def test_groups_go_on_from_a_checkpoint(tmp_path):
    frame = without_subjects(people(6000))
    files = []
    for k in range(3):
        files.append(tmp_path / f"{k}.parquet")
        frame[k * 2000 : (k + 1) * 2000].write_parquet(files[-1])
    read = []

    def go(checkpoint):
        options = StreamOptions(
            limits=LOWER.limits, checkpoint=checkpoint, progress=lambda number, done, rows: read.append(number)
        )
        return stream_by(scanning.scan([str(f) for f in files]), ["sensor"], points=ASKED, options=options)

    first = go(checkpoint_in(tmp_path / "kept"))
    kept = checkpoint_in(tmp_path / "kept")
    second = go(kept)
    assert kept.parts_kept == 3
    for name in first:
        assert not differing(*(vs[name].bootstrap(20, rng=1).to_dict() for vs in (first, second)))


# -- the verb ------------------------------------------------------------------------------------


def test_lazy_frames_are_streamed_and_large_files_too(tmp_path, monkeypatch):
    frame = without_subjects(people(3000))
    assert mated.verify(frame.lazy()).streaming is not None
    assert mated.verify(frame.lazy(), stream=False).streaming is None
    path = tmp_path / "scores.parquet"
    frame.write_parquet(path)
    assert mated.verify(path).streaming is None
    assert mated.verify(path, stream=True).streaming is not None
    monkeypatch.setattr("mated.evaluation.streaming_choice._SMALL", 0)
    monkeypatch.setattr(scanning, "LARGE_ROWS", 2999)
    streamed = mated.verify(str(path), where="sensor = 'a'", fmr=0.01)
    memory = mated.verify(str(path), where="sensor = 'a'", fmr=0.01, stream=False)
    assert (streamed.streaming is None, memory.streaming is None) == (True, True)  # rows are not known with a filter
    assert mated.verify(path).streaming is not None
    assert mated.verify(path, stream=False).streaming is None
    filtered = mated.verify(path, where="sensor = 'a'", fmr=0.01, stream=True)
    assert not differing(filtered.to_dict(), memory.to_dict(), besides=ABOUT_READING)


def test_what_cannot_be_streamed_is_refused_when_asked_for(tmp_path):
    with pytest.raises(MatedError, match="in memory already"):
        mated.verify([1, 2], [0, 1], stream=True)
    np.save(tmp_path / "matrix.npy", np.eye(3))
    with pytest.raises(MatedError, match="can only be read whole; leave out stream=True"):
        mated.verify(tmp_path / "matrix.npy", stream=True)
    with pytest.raises(MatedError, match="with key= can only be read whole"):
        mated.verify(tmp_path / "a.csv", key=tmp_path / "b.csv", stream=True)
    with pytest.raises(MatedError, match="leave out stream=False"):
        mated.verify(tmp_path / "a.csv", checkpoint=tmp_path / "kept", stream=False)
    with pytest.raises(MatedError, match="there is no engine 'spark'; choose one of local, dask"):
        mated.verify(people(100).lazy(), engine="spark")
    with pytest.raises(MatedError, match="a scheduler belongs to engine='dask'"):
        mated.verify(people(100).lazy(), scheduler="tcp://127.0.0.1:1")
    (tmp_path / "file").write_text("")
    with pytest.raises(MatedError, match="is a file, and a checkpoint is a folder"):
        mated.verify(people(100).lazy(), checkpoint=tmp_path / "file")


def test_options_of_reading_reach_the_reader(tmp_path):
    key = tmp_path / "key.txt"
    key.write_text("a x target\nb x nontarget\nc x target\n")
    scores = tmp_path / "scores.txt"
    scores.write_text("a x 2.0\nb x 1.0\nc x 3.0\n")
    v = mated.verify(scores, key=key, format="trials")
    assert (v.tally.n_mated, v.tally.n_nonmated) == (2, 1)
    table = pl.DataFrame({"score": [1.0, 2.0, 3.0], "mated": [0, 1, 1], "sensor": ["a", "a", "b"]})
    assert mated.verify(table, where="sensor = 'a'").tally.n_mated == 1


def test_costs_carry_their_bounds_and_the_actual_cost_is_exact():
    frame = without_subjects(people())
    costs = Costs(prior=0.05, miss=1.0, false=2.0)
    streamed = verify_scan(scan_of(frame), points=ASKED, options=LOWER, costs=costs)
    found = streamed.to_dict()
    memory = mated.verify(frame, **POINTS, prior=0.05, cost_false=2.0).to_dict()
    for name in ("cllr", "min_cllr"):
        low, high = found["streaming"][f"{name}_bounds"]
        assert low < memory[name] <= high
        assert low < found[name] <= high * (1 + 1e-12)
    low, high = found["detection_cost"]["minimum_bounds"]
    assert low <= memory["detection_cost"]["minimum"] <= high
    assert found["detection_cost"]["actual"] == memory["detection_cost"]["actual"]
    assert memory["detection_cost"]["minimum_bounds"] is None
    assert any("min Cllr between" in note for note in found["notes"])


def test_whole_numbers_as_subjects_give_the_intervals_of_the_same_people_in_text(tmp_path):
    """Draws go by the order of subjects, and text knows no numbers: 10 stands before 9 in every format."""
    frame = people(3000).with_columns(pl.col("probe_subject", "reference_subject").str.slice(1).cast(pl.Int64))
    frame.write_parquet(tmp_path / "scores.parquet")
    frame.write_csv(tmp_path / "scores.csv")
    found = [
        mated.verify(tmp_path / name, fmr=0.01, stream=stream).bootstrap(100, rng=1).to_dict()
        for name in ("scores.parquet", "scores.csv")
        for stream in (False, True)
    ]
    assert len(frame["probe_subject"].unique()) > 10
    for other in found[1:]:
        assert not differing(other, found[0], besides=ABOUT_READING)
