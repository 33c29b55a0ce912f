"""From one format into another: batch by batch or whole gives the same, inputs stay, failures leave nothing."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mated.errors import MatedError
from mated.io import Columns, read
from mated.io.write import write
from mated.io.writers.conversion import convert
from mated.scores import ScoreMatrix
from reading_options import options_of


def same(a, b):
    """Whether two layouts hold the same comparisons in the same order."""
    for name in ("score", "mated", "failed_mated"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    for name in ("subjects", "samples", "failed_subjects", "failed_samples"):
        ids = [getattr(c, name) for c in (a, b)]
        assert (ids[0] is None) == (ids[1] is None), name
        if ids[0] is not None:
            for side in ("probe", "reference"):
                labels = [np.array(i.names, dtype=object)[getattr(i, side)].tolist() for i in ids]
                assert labels[0] == labels[1], (name, side)
    assert {k: v.tolist() for k, v in a.covariates.items()} == {k: v.tolist() for k, v in b.covariates.items()}
    assert a.dissimilarity == b.dissimilarity


frames = st.integers(1, 8).flatmap(
    lambda n: st.fixed_dictionaries(
        {
            "probe_subject": st.lists(st.sampled_from(["ann", "bob", "007"]), min_size=n, max_size=n),
            "reference_subject": st.lists(st.sampled_from(["ann", "bob", "007"]), min_size=n, max_size=n),
            "sensor": st.lists(st.sampled_from(["A", "B", None]), min_size=n, max_size=n),
            "age": st.lists(st.sampled_from([20, 30]), min_size=n, max_size=n),
            "score": st.lists(
                st.one_of(st.none(), st.floats(allow_nan=False), st.integers(-3, 3).map(float)), min_size=n, max_size=n
            ),
        }
    )
)


@settings(max_examples=25)
@given(frames, st.sampled_from(["parquet", "csv", "arrow"]), st.sampled_from(["parquet", "csv", "arrow", "tsv"]))
def test_batch_by_batch_and_whole_give_the_same_comparisons(columns, source, target):
    schema = {
        "probe_subject": pl.String,
        "reference_subject": pl.String,
        "sensor": pl.String,
        "age": pl.Int64,
        "score": pl.Float64,
    }
    frame = pl.DataFrame(columns, schema=schema)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        given_file, streamed, whole = (
            folder / f"{stem}.{end}" for stem, end in (("in", source), ("a", target), ("b", target))
        )
        {"parquet": frame.write_parquet, "csv": frame.write_csv, "arrow": frame.write_ipc}[source](given_file)
        done = convert(given_file, streamed, nan="failure")
        assert done.streamed
        assert done.written.comparisons == frame.height
        write(read(given_file, nan="failure"), whole)
        same(read(streamed, nan="failure"), read(whole, nan="failure"))
        same(read(streamed, nan="failure"), read(given_file, nan="failure"))


def test_many_batches_are_written_one_after_another(tmp_path):
    rows = 700_000
    frame = pl.DataFrame(
        {"mated": np.arange(rows) % 7 == 0, "score": np.arange(rows) / 8, "batch": np.arange(rows) % 3}
    )
    frame.write_parquet(tmp_path / "in.parquet", row_group_size=100_000)
    moved = []
    done = convert(tmp_path / "in.parquet", tmp_path / "out.parquet", progress=lambda *at: moved.append(at))
    assert done.streamed
    assert pl.read_parquet(tmp_path / "out.parquet").equals(frame.select("mated", "batch", "score"))
    assert moved[-1] == (rows, rows)
    assert len(moved) > 1


def test_whole_numbers_stay_whole_only_where_all_are(tmp_path):
    (tmp_path / "in.csv").write_text("mated,score\n1,4\n0,2\n")
    convert(tmp_path / "in.csv", tmp_path / "out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet")["score"].dtype == pl.Int64
    (tmp_path / "in.csv").write_text("mated,score\n1,4\n0,2.5\n")
    convert(tmp_path / "in.csv", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "mated,score\n1,4.0\n0,2.5\n"


def test_flags_that_subjects_contradict_are_refused_though_they_are_not_written(tmp_path):
    (tmp_path / "in.csv").write_text("probe_subject,reference_subject,mated,score\na,b,1,4\n")
    with pytest.raises(MatedError, match="marked mated, but its subjects differ"):
        convert(tmp_path / "in.csv", tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_a_mistake_in_the_middle_leaves_nothing_behind(tmp_path, ending):
    lines = "".join(f"1,{score}\n" for score in range(50_000))
    (tmp_path / "in.csv").write_text(f"mated,score\n{lines}0,oops\n")
    (tmp_path / f"out.{ending}").write_text("before")
    with pytest.raises(MatedError, match=r"in\.csv, line 50002.*'oops' is not a number"):
        convert(tmp_path / "in.csv", tmp_path / f"out.{ending}", force=True)
    assert (tmp_path / f"out.{ending}").read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", f"out.{ending}"]


def test_an_input_is_never_written_over(tmp_path):
    (tmp_path / "in.csv").write_text("mated,score\n1,4\n0,2\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "in.csv")
    for target in ("in.csv", "link.csv"):
        with pytest.raises(MatedError, match="is read and cannot be written over"):
            convert(tmp_path / "in.csv", tmp_path / target, force=True)
    assert (tmp_path / "in.csv").read_text() == "mated,score\n1,4\n0,2\n"
    (tmp_path / "s.txt").write_text("a b 1\na c 2\n")
    (tmp_path / "k.csv").write_text("a b target\na c nontarget\n")
    with pytest.raises(MatedError, match=r"k\.csv is read"):
        convert(tmp_path / "s.txt", tmp_path / "k.csv", key=tmp_path / "k.csv", force=True)


def test_a_further_column_called_as_a_canonical_one_is_kept_under_another_name(tmp_path):
    (tmp_path / "in.csv").write_text("mated,score,other\n1,4,0.5\n0,2,0.25\n")
    done = convert(tmp_path / "in.csv", tmp_path / "out.csv", columns=Columns(score="other"))
    assert (tmp_path / "out.csv").read_text() == "mated,covariate_score,score\n1,4,0.5\n0,2,0.25\n"
    assert not done.streamed


def test_probes_named_alone_keep_one_reference_for_each_subject(tmp_path):
    (tmp_path / "in.csv").write_text("who,claimed,probe,score\na,a,p1,4\na,b,p1,2\n")
    columns = Columns(probe_subject="who", reference_subject="claimed", probe_sample="probe")
    convert(tmp_path / "in.csv", tmp_path / "out.csv", columns=columns)
    same(read(tmp_path / "out.csv"), read(tmp_path / "in.csv", columns=columns))


def test_rows_can_be_chosen_on_the_way(tmp_path):
    (tmp_path / "in.csv").write_text("mated,sensor,score\n1,A,4\n0,A,2\n1,B,5\n")
    convert(tmp_path / "in.csv", tmp_path / "out.csv", where="sensor = 'A'")
    assert (tmp_path / "out.csv").read_text() == "mated,sensor,score\n1,A,4\n0,A,2\n"


def test_two_score_lists_become_a_table(tmp_path):
    (tmp_path / "m.txt").write_text("4\n5\n")
    (tmp_path / "n.txt").write_text("1\n")
    done = convert(None, tmp_path / "out.csv", mated=tmp_path / "m.txt", nonmated=tmp_path / "n.txt")
    assert (tmp_path / "out.csv").read_text() == "mated,score\n1,4\n1,5\n0,1\n"
    assert done.recognition.reader.name == "lists"


REAL = [
    ("att_faces/comparisons.csv.gz", {}, ["parquet", "csv", "npy", "bob5", "trials"]),
    ("bob/dev-5col.txt", {"format": "bob"}, ["parquet", "bob5", "bob4", "bob2", "lists"]),
    ("bob/scores-cmc-5col.txt", {"format": "bob"}, ["parquet", "bob5", "npy", "matrix", "trials", "voxceleb"]),
    ("bob/scores.mtx", {}, ["bee", "npy", "matrix", "csv", "bob5"]),
    ("dasec/example_data.json", {}, ["parquet", "dasec"]),
]


@pytest.mark.parametrize(
    ("file", "options", "targets"), REAL, ids=lambda value: value if isinstance(value, str) else ""
)
def test_real_files_give_the_same_counts_in_every_format_that_holds_them(
    reference_data, tmp_path, file, options, targets
):
    before = read(reference_data / file, **options).tally()
    for to in targets:
        endings = {"parquet": ".parquet", "csv": ".csv", "npy": ".npy", "bee": ".mtx", "dasec": ".json"}
        done = convert(reference_data / file, tmp_path / f"{to}{endings.get(to, '.txt')}", to=to, **options)
        reading = options_of(done.written.reading)
        found = read(None if to == "lists" else done.written.files[0], **reading)
        after = found.tally()
        assert (after.n_mated, after.n_nonmated) == (before.n_mated, before.n_nonmated), to
        assert np.array_equal(after.scores.astype(before.scores.dtype), before.scores), to
        assert np.array_equal(after.mated_at_or_above, before.mated_at_or_above), to
        assert after.unit == before.unit, to
        if isinstance(found, ScoreMatrix):
            assert found.n_subjects == read(reference_data / file, **options).n_subjects
