"""Study files: what they say, and what is said of one that is wrong."""

from __future__ import annotations

import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from mated import MatedError
from mated.io import Columns
from mated.report.claims_grammar import grammar_table
from mated.report.report import study_for
from mated.report.study import (
    ClaimSpec,
    CompareSpec,
    ForecastSpec,
    GroupsSpec,
    IdentifySpec,
    PointsSpec,
    QualitySpec,
    Study,
    SystemSpec,
    study_of_files,
)
from mated.report.study_files import read_study
from mated.report.study_schema import SCHEMA, reference_tables, table

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "report.md"
SPECS = {
    "points": PointsSpec,
    "system": SystemSpec,
    "groups": GroupsSpec,
    "identify": IdentifySpec,
    "forecast": ForecastSpec,
    "quality": QualitySpec,
    "compare": CompareSpec,
    "claim": ClaimSpec,
}
FULL = """
title = "Door 3"
notes = "Two paragraphs."
level = 0.9
seed = 7
replicates = 100

[points]
fmr = 1e-2
threshold = [40, 41]

[[system]]
name = "alpha"
file = ["parts/a.csv", "parts/b.csv"]
columns = { score = "cosine", mated = 3 }
dissimilarity = true
unit = 0.01

[[system]]
mated = "genuine.txt"
nonmated = "/else/impostor.txt"

[groups]
by = ["sex", ["sex", "age"]]
probe = "p"
reference = "r"

[forecast]
gallery = [1000, 1e6]

[quality]
files = { good = "good.csv" }
columns = { sample = "image", quality = ["a", "b"] }

[[claim]]
text = "eer <= 0.02"
system = "alpha"
level = 0.99
"""


def written(folder, text, name="study.toml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_study_file_says_everything(tmp_path):
    study = read_study(written(tmp_path, FULL))
    assert (study.title, study.notes, study.level, study.seed, study.replicates) == (
        "Door 3", "Two paragraphs.", 0.9, 7, 100,
    )  # fmt: skip
    assert study.points == PointsSpec((1e-2,), (), (40, 41))
    alpha, lists = study.systems
    assert alpha.file == (tmp_path / "parts/a.csv", tmp_path / "parts/b.csv")
    assert alpha.reading() == {"columns": Columns(score="cosine", mated=3), "dissimilarity": True, "unit": 0.01}
    assert (lists.name, lists.mated, lists.nonmated) == (
        "genuine + impostor", tmp_path / "genuine.txt", Path("/else/impostor.txt"),
    )  # fmt: skip
    assert study.groups == GroupsSpec((("sex",), ("sex", "age")), "p", "r")
    assert study.forecast.gallery == (1000, 10**6)
    assert study.quality.files == {"good": tmp_path / "good.csv"}
    assert study.quality.columns == {"sample": "image", "quality": ("a", "b")}
    assert study.claims == (ClaimSpec("eer <= 0.02", "alpha", 0.99),)


def test_every_key_of_the_schema_is_a_field_and_the_other_way_round():
    for name, spec in SPECS.items():
        assert [key.name for key in table(name).keys] == [field.name for field in fields(spec)], name
    top = {field.name for field in fields(Study)} - set(SPECS) - {"systems", "claims", "path"}
    assert {key.name for key in table("").keys} == top


@pytest.mark.parametrize(("table", "key"), [(t, k) for t in SCHEMA for k in t.keys], ids=lambda x: x.name or "top")
def test_the_example_of_every_key_is_one(tmp_path, table, key):
    alone = {"mated": 'nonmated = "b"\n', "nonmated": 'mated = "b"\n'}
    needs = {"probe": 'reference = "r"\n', "reference": 'probe = "p"\n'}
    system = "" if table.name == "system" else '[[system]]\nname = "alpha"\nfile = "x"\n'
    text = f"{table.heading}\n{key.name} = {key.example}\n{needs.get(key.name, '') if table.name == 'groups' else ''}"
    if table.name == "system":
        text += alone.get(key.name, "" if key.name == "file" else 'file = "x"\n')
    if table.name == "claim" and key.name != "text":
        text += 'text = "eer <= 0.1"\n'
    whole = text + system if not table.name else system + text
    study = read_study(written(tmp_path, whole))
    holder = study if not table.name else study.systems[0] if table.name == "system" else None
    if holder is None:
        holder = study.claims[0] if table.name == "claim" else getattr(study, table.name)
    assert getattr(holder, key.name) is not None


def test_the_page_of_the_documentation_is_made_from_the_schema():
    page = PAGE.read_text(encoding="utf-8")
    assert reference_tables() in page
    assert grammar_table() in page


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("titel = 'x'", ["has no key 'titel'", "did you mean 'title'?"]),
        ("[pionts]\nfmr = 0.1", ["has no table 'pionts'", "did you mean 'points'?"]),
        ("[points]\nfrm = 0.1", ["[points] has no key 'frm'", "did you mean 'fmr'?", "'tmr'"]),
        ("[points]\nfmr = 'low'", ["[points] fmr takes numbers between 0 and 1", "'low'"]),
        ("[points]\nfmr = [0.1, 2]", ["[points] fmr takes", "[0.1, 2]"]),
        ("[points]\nthreshold = true", ["[points] threshold takes numbers", "true is none"]),
        ("[points]\nthreshold = nan", ["[points] threshold takes numbers"]),
        ("[system]\nfile = 'x'", ["[[system]]", "double brackets"]),
        ("[[points]]\nfmr = 0.1", ["[points], once"]),
        ("[[system]]\nname = 'a'", ["[[system]] 1 needs its scores"]),
        ("[[system]]\nfile = 'x'\nmated = 'y'", ["[[system]] 1 needs its scores"]),
        ("[[system]]\nmated = 'y'", ["mated and nonmated go together"]),
        ("[[system]]\nfile = 'x'\nfromat = 'csv'", ["[[system]] 1 has no key 'fromat'", "did you mean 'format'?"]),
        ("[[system]]\nfile = 'x'\nnan = 'ignore'", ["nan takes one of", '"refuse", "failure"']),
        ("[[system]]\nfile = 'x'\nunit = -1", ["unit takes"]),
        ("[[system]]\nfile = 'x'\ncolumns = {scroe = 'x'}", ["has no role 'scroe'", "did you mean 'score'?"]),
        ("[[system]]\nfile = 'x'\ncolumns = {score = 1.5}", ["columns.score takes the name of a column"]),
        ("[[system]]\nfile = 'a/x.csv'\n[[system]]\nfile = 'b/x.csv'", ["two systems are called 'x'"]),
        ("[[system]]\nfile = ['no*.csv']", ["no file matches"]),
        ("title = 'nothing'", ["names no system"]),
        ("[[system]]\nfile = 'x'\n[groups]\nprobe = 'p'", ["probe and reference go together"]),
        ("[[system]]\nfile = 'x'\n[identify]\nenabled = 'yes'", ["enabled takes one of"]),
        ("[[system]]\nfile = 'x'\n[forecast]\ngallery = 1.5", ["gallery takes whole numbers"]),
        ("[[system]]\nfile = 'x'\n[[claim]]\nsystem = 'x'", ["[[claim]] 1 needs its text"]),
        ("[[system]]\nfile = 'x'\n[[claim]]\ntext = 'far <= 1e-3'", ["[[claim]] 1", "did you mean 'fmr'?"]),
        ("[[system]]\nfile = 'x'\n[[claim]]\ntext = 'eer <= 0.1 for y'", ["a system 'y'", "there is: 'x'"]),
        ("[[system]]\nfile = 'x'\n[[claim]]\ntext = 'pauc <= 0.1'", ["no quality files are given"]),
        ("replicates = 0\n[[system]]\nfile = 'x'\n[[claim]]\ntext = 'eer <= 0.1'", ["needs intervals"]),
        ("level = 95\n[[system]]\nfile = 'x'", ["level takes a number between 0 and 1"]),
        ("title = ", ["is not TOML"]),
    ],
)  # fmt: skip
def test_a_slip_is_named_where_it_stands(tmp_path, text, words):
    path = written(tmp_path, text)
    with pytest.raises(MatedError) as caught:
        read_study(path)
    assert str(caught.value).startswith(str(path))
    for word in words:
        assert word in str(caught.value), str(caught.value)


def test_a_file_that_cannot_be_a_study_is_said(tmp_path):
    with pytest.raises(MatedError, match="there is no file"):
        read_study(tmp_path / "none.toml")
    with pytest.raises(MatedError, match="is a directory"):
        read_study(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b'title = "M\xfcnchen"')
    with pytest.raises(MatedError, match="not UTF-8 text"):
        read_study(tmp_path / "latin.toml")


def test_patterns_match_beside_a_study_whose_folder_has_signs_of_a_pattern(tmp_path):
    folder = tmp_path / "run [1]"
    folder.mkdir()
    for name in ("a.csv", "b.csv"):
        (folder / name).touch()
    study = read_study(written(folder, "[[system]]\nname = 'x'\nfile = ['*.csv']"))
    assert study.systems[0].file == (folder / "a.csv", folder / "b.csv")


def test_what_is_given_beside_a_study_goes_before_it_and_claims_are_added(tmp_path):
    path = written(tmp_path, FULL)
    study = study_for(path, fmr=0.1, level=0.8, by=["site"], claims="auc >= 0.5", gallery=50, quality="q.csv")
    assert (study.title, study.level, study.points.fmr, study.points.threshold) == ("Door 3", 0.8, (0.1,), (40, 41))
    assert (study.groups.by, study.groups.probe) == ((("site",),), "p")
    assert [spec.text for spec in study.claims] == ["eer <= 0.02", "auc >= 0.5"]
    assert study.forecast.gallery == (50,)
    assert study.quality.files == ("q.csv",)
    with pytest.raises(MatedError, match="the study says how its files are read; leave out dissimilarity"):
        study_for(path, reading={"dissimilarity": True, "unit": "auto"})
    with pytest.raises(MatedError, match="not both"):
        study_for([path, "scores.csv"])


@pytest.mark.parametrize(
    ("names", "title"),
    [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c"), (list("abcde"), "5 systems")],
)
def test_a_study_of_files_is_called_after_its_systems(tmp_path, names, title):
    files = [tmp_path / f"{name}.csv" for name in names]
    assert study_of_files(files).title == title
    assert study_of_files(files, title="mine").title == "mine"


def test_files_are_systems_by_their_bare_names(tmp_path):
    study = study_for(["x/alpha.csv", "x/beta.csv.gz"], reading={"unit": 1, "nan": "refuse"})
    assert [(s.name, s.file, s.reading()) for s in study.systems] == [
        ("alpha", "x/alpha.csv", {"unit": 1}),
        ("beta", "x/beta.csv.gz", {"unit": 1}),
    ]
    assert [s.name for s in study_for(["x/a.csv", "y/a.csv"]).systems] == ["x/a.csv", "y/a.csv"]
    with pytest.raises(MatedError, match="given twice"):
        study_for(["a.csv", "a.csv"])
    with pytest.raises(MatedError, match="no option 'unti' of reading; did you mean 'unit'"):
        study_for(["a.csv"], reading={"unti": 1})


def test_toml_and_schema_agree_on_what_is_a_table():
    assert all(tomllib.loads(t.heading) for t in SCHEMA if t.name)
