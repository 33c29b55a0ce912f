"""`mated init`: what a folder holds becomes a study that can be read and run."""

from __future__ import annotations

import os
import re
import tomllib

import numpy as np
import polars as pl
import pytest

from mated import MatedError
from mated.report import init
from mated.report.evaluate import evaluate
from mated.report.init import Found, find_inputs, study_text, write_study
from mated.report.study_files import read_study
from mated.report.study_schema import SCHEMA
from study_examples import write_inputs


def test_a_folder_becomes_a_study_that_runs(tmp_path):
    write_inputs(tmp_path)
    (tmp_path / "readme.md").write_text("not looked at")
    path, found = write_study(tmp_path)
    assert found == Found(
        {"alpha": {"file": "alpha.csv"}, "beta": {"file": "beta.csv"}},
        ("quality.csv",), ("group",), ("probe_group", "reference_group"), "people.csv",
    )  # fmt: skip
    text = path.read_text(encoding="utf-8").replace("# replicates = 2000", "replicates = 4")
    path.write_text(re.sub(r"# replicates = \d+", "replicates = 2", text), encoding="utf-8")
    study = read_study(path)
    assert [system.name for system in study.systems] == ["alpha", "beta"]
    made = evaluate(study)
    assert made.left_out == ()
    assert [grouping.columns for grouping in made.systems["beta"].groups] == [
        ("group",), ("probe_group", "reference_group"), ("sex",),
    ]  # fmt: skip
    assert list(made.quality) == ["alpha", "beta"]


def test_every_key_stands_in_the_file_set_or_in_a_comment():
    text = study_text(Found({"x": {"file": "x.csv"}}))
    for table in SCHEMA:
        for key in table.keys:
            assert re.search(rf"^(# )?{key.name} = ", text, flags=re.MULTILINE), (table.name, key.name)
    # Taken one table at a time, the comments are keys once their sign is away.
    alone = re.sub(r"^# (?=\w+ = |\[\[)", "", text, flags=re.MULTILINE)
    loaded = tomllib.loads(alone)
    assert loaded["claim"][0]["text"].startswith("fnmr")
    assert set(loaded["points"]) == {"fmr", "tmr", "threshold"}


def test_a_study_that_is_there_stays_unless_forced(tmp_path):
    write_inputs(tmp_path)
    (tmp_path / "study.toml").write_text("mine")
    with pytest.raises(MatedError, match="exists and is left as it is"):
        write_study(tmp_path)
    assert (tmp_path / "study.toml").read_text() == "mine"
    write_study(tmp_path, force=True)
    assert read_study(tmp_path / "study.toml").systems


def test_paths_are_written_as_seen_from_the_study(tmp_path):
    (tmp_path / "scores").mkdir()
    write_inputs(tmp_path / "scores")
    path, _ = write_study(tmp_path / "scores", tmp_path / "studies" / "one.toml")
    assert read_study(path).systems[0].file.resolve() == (tmp_path / "scores" / "alpha.csv").resolve()


def test_two_lists_called_after_their_classes_are_one_system(tmp_path):
    (tmp_path / "genuine.txt").write_text("3\n4\n5\n")
    (tmp_path / "impostor.txt").write_text("1\n2\n3\n")
    path, found = write_study(tmp_path)
    assert found.systems == {"genuine + impostor": {"mated": "genuine.txt", "nonmated": "impostor.txt"}}
    made = evaluate(read_study(path)).systems["genuine + impostor"]
    assert (made.verification.tally.n_mated, made.verification.tally.n_nonmated) == (3, 3)


def test_pairs_of_lists_are_told_by_the_rest_of_their_names(tmp_path):
    for name in ("exp1_true", "exp1_false", "exp2-genuine", "exp2-impostor"):
        (tmp_path / f"{name}.txt").write_text("1\n2\n")
    assert find_inputs(tmp_path).systems == {
        "exp1": {"mated": "exp1_true.txt", "nonmated": "exp1_false.txt"},
        "exp2": {"mated": "exp2-genuine.txt", "nonmated": "exp2-impostor.txt"},
    }


def test_what_cannot_be_used_is_named_with_the_reason(tmp_path):
    write_inputs(tmp_path)
    (tmp_path / "strange.csv").write_text("what,is\nthis,then\n")
    (tmp_path / "genuine.txt").write_text("3\n4\n5\n")
    notes = find_inputs(tmp_path).notes
    assert any(note.startswith("strange.csv is not used: ") for note in notes)
    assert any("could not be put in pairs: genuine.txt" in note for note in notes)
    (tmp_path / "empty").mkdir()
    with pytest.raises(MatedError, match="no score file was found"):
        write_study(tmp_path / "empty")
    with pytest.raises(MatedError, match="is no folder"):
        write_study(tmp_path / "none")


@pytest.mark.parametrize("stem", ['quo"te', "new\nline", "back\\slash", "ümläut [1] {2}", "del\x7f"])
def test_strange_names_of_files_and_columns_are_written_so_that_they_are_read_back(tmp_path, stem):
    frame = pl.DataFrame({"score": [1.0, 2.0, 3.0, 4.0] * 2, "mated": [0, 0, 1, 1] * 2, 'a "b" \\': ["x", "y"] * 4})
    frame.write_parquet(tmp_path / "x.parquet")
    os.rename(tmp_path / "x.parquet", tmp_path / f"{stem}.parquet")  # noqa: PTH104
    path, _ = write_study(tmp_path)
    study = read_study(path)
    assert study.systems[0].file.name == f"{stem}.parquet"
    assert study.groups.by == (('a "b" \\',),)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_of_large_files_the_beginning_is_read(tmp_path, monkeypatch, ending):
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"score": rng.random(5000), "mated": rng.random(5000) < 0.5, "site": ["n", "s"] * 2500})
    path = tmp_path / f"big.{ending}"
    frame.write_csv(path) if ending == "csv" else frame.write_parquet(path)
    monkeypatch.setattr(init, "_READ_WHOLE", 1000)
    found = find_inputs(tmp_path)
    assert (found.systems, found.by) == ({"big": {"file": f"big.{ending}"}}, ("site",))
