"""Tables, figures, JSON and the report that writes them: the numbers of the findings, texts literally, files whole."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mated import MatedError
from mated.report import tables_files
from mated.report.evaluate import evaluate
from mated.report.report import Report, report
from mated.report.study_files import read_study
from mated.report.tables import ReportTable, tables_of
from mated.report.tables_files import csv_text, latex_text, latex_words, save_tables
from study_examples import STUDY, systems, write_inputs

SPECIAL = r"\{}$&#%_^~"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    write_inputs(folder)
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    return Report(evaluate(read_study(folder / "study.toml")))


def rows(text):
    return list(csv.reader(io.StringIO(text)))


def test_each_table_is_made_once_and_holds_the_numbers_of_the_findings(made):
    tables = {table.name: table for table in tables_of(made.findings)}
    assert list(tables) == [
        "claims", "verification", "at_fmr", "at_threshold", "groups", "groups_at_fmr", "groups_across", "differences",
        "identification", "open_set", "forecasts", "quality", "inputs",
    ]  # fmt: skip
    assert all(len(row) == len(table.columns) for table in tables.values() for row in table.rows)
    b = made.findings.systems["alpha"].bootstrap
    header, alpha, _ = rows(csv_text(tables["verification"]))
    entry = dict(zip(header, alpha, strict=True))
    assert float(entry["EER"]) == b.eer().point.value
    assert (float(entry["EER low"]), float(entry["EER high"])) == (b.eer().eer.low, b.eer().eer.high)
    at = [dict(zip(tables["at_fmr"].columns, row, strict=True)) for row in tables["at_fmr"].rows]
    assert [(row["System"], row["FMR"], row["FNMR"]) for row in at[:2]] == [
        ("alpha", f, b.at_fmr(f).point.fnmr) for f in (0.1, 0.01)
    ]
    groups = [dict(zip(tables["groups_at_fmr"].columns, r, strict=True)) for r in tables["groups_at_fmr"].rows]
    sex = [r for r in groups if (r["System"], r["By"], r["FMR of the system"]) == ("alpha", "sex", 0.1)]
    threshold = made.findings.systems["alpha"].verification.at_fmr(0.1).threshold
    members = made.findings.systems["alpha"].groups[2].members
    assert [(r["Group"], r["FMR"]) for r in sex] == [(g, members[g].at_threshold(threshold).fmr) for g in ("f", "m")]


def test_tables_are_written_as_csv_and_latex(made, tmp_path):
    written = save_tables(made.findings, tmp_path / "new" / "tables")
    assert sorted(path.name for path in written) == sorted(path.name for path in (tmp_path / "new/tables").iterdir())
    assert {path.suffix for path in written} == {".csv", ".tex"}


@given(st.lists(st.text(max_size=20), min_size=1, max_size=4))
def test_csv_gives_back_what_was_written_but_for_formulas_and_line_breaks(labels):
    header, back = rows(csv_text(ReportTable("x", "x", tuple("abcd"[: len(labels)]), (tuple(labels),))))
    assert header == list("abcd"[: len(labels)])
    for label, text in zip(labels, back, strict=True):
        plain = re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", label)
        assert text == (f"'{plain}" if plain.lstrip()[:1] in tuple("=+-@") else plain)


@pytest.mark.parametrize("label", ['=HYPERLINK("http://x")', "+1+1", "-2+3", "@SUM(A1)", " =1"])
def test_a_label_is_no_formula_in_a_spreadsheet_and_a_number_stays_one(label):
    text = csv_text(ReportTable("x", "x", ("a", "b"), ((label, -2.5),)))
    assert rows(text)[1] == [f"'{label}", "-2.5"]


def unescaped(text):
    """Take away what `latex_words` may write, so that nothing special may be left."""
    for command in (
        r"\textbackslash{}", r"\textasciicircum{}", r"\textasciitilde{}", r"\textless{}", r"\textgreater{}",
        r"\textquotedbl{}", r"\textbar{}", r"\textasciigrave{}", r"\textquotesingle{}", r"\textendash{}",
        r"\textemdash{}", r"\ldots{}", r"$\le$", r"$\ge$", "$-$", r"$\times$", r"$\pm$", "$'$", "{-}", "{[}", "{*}",
    ):  # fmt: skip
        text = text.replace(command, "")
    return re.sub(r"\\[{}$&#%_,]|~", "", text)


@given(st.text(alphabet=SPECIAL + "ab<>\"|'`-[]*\n\r\x00≤≥−é –\u00a0\u2028", max_size=40))
def test_nothing_special_to_latex_is_left_of_any_label(label):
    made = latex_words(label)
    assert not set(unescaped(made)) & set(SPECIAL)
    assert not re.search(r"[\x00-\x1f\u2028]", made)


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        (r"\input{/etc/passwd}", r"\textbackslash{}input\{/etc/passwd\}"),
        ("50% & more_", r"50\% \& more\_"),
        ("a\\\\\nb", r"a\textbackslash{}\textbackslash{} b"),
        ("[x]*", "{[}x]{*}"),
        ("--", "{-}{-}"),
    ],
)
def test_labels_are_printed_as_they_are(label, expected):
    assert latex_words(label) == expected


def test_a_latex_table_has_its_rules_its_label_and_four_digits():
    text = latex_text(
        ReportTable(
            "at_fmr", "At FMR", ("Name", "x", "y"), (("a", 0.123456, -32), ("b", 1.5e-7, None), ("c", 2.0, 10000))
        )
    )
    assert text.splitlines()[1:] == [
        r"\begin{table}", r"\centering", r"\caption{At FMR}", r"\label{tab:at-fmr}", r"\begin{tabular}{lrr}",
        r"\toprule", r"Name & x & y \\", r"\midrule", r"a & 0.1235 & $-32$ \\",
        r"b & $1.5\times 10^{-7}$ & \textendash{} \\", r"c & 2 & 10\,000 \\", r"\bottomrule", r"\end{tabular}",
        r"\end{table}",
    ]  # fmt: skip


def test_strange_names_go_through_every_output(tmp_path):
    name = "=cmd|' /C calc'!A0 \\input{x} <script>alert(1)</script> 50% \"ü\" /../"
    made = report({name: systems()["alpha"]}, replicates=10, claims=["eer <= 0.5"], gallery=20)
    made.save_tables(tmp_path / "tables")
    for path in (tmp_path / "tables").glob("*.tex"):
        assert "\\input" not in path.read_text(encoding="utf-8")
    assert rows((tmp_path / "tables/verification.csv").read_text(encoding="utf-8"))[1][0] == f"'{name}"
    figures = made.save_figures(tmp_path / "figures", ("svg",))
    assert all(tmp_path / "figures" in path.parents and path.stat().st_size for path in figures)
    assert "<script>" not in made._repr_html_()
    assert json.loads(json.dumps(made.to_dict()))["systems"][name]["verification"]["counts"]["subjects"] == 24


def test_the_dictionary_holds_everything_and_is_json(made):
    result = json.loads(json.dumps(made.to_dict(), allow_nan=False))
    assert list(result) == [
        "title", "notes", "level", "claims", "systems", "comparison", "quality", "left_out", "inputs", "provenance",
    ]  # fmt: skip
    alpha = result["systems"]["alpha"]
    assert alpha["verification"] == json.loads(json.dumps(made.findings.systems["alpha"].bootstrap.to_dict()))
    assert alpha["galleries_asked"] == [100, 200]
    across = alpha["groups"][1]["across"]
    assert sum(cell["nonmated"] for cell in across if cell["fmr"] == 0.1) == alpha["verification"]["counts"]["nonmated"]


def test_the_keys_of_the_dictionary_are_documented(made):
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "report.md").read_text(encoding="utf-8").split("## JSON")[1]
    known = set(re.findall(r"`([a-z_0-9]+)`", page))
    result = made.to_dict()
    system = result["systems"]["alpha"]
    nested = (result, system, result["claims"][0], result["inputs"][0], result["provenance"])
    grouping = system["groups"][1]
    assert {key for part in (*nested, grouping, grouping["across"][0]) for key in part} <= known


def test_the_figures_of_every_section_are_drawn(made, tmp_path):
    f = made.findings
    alpha = replace(f.systems["alpha"], groups=f.systems["alpha"].groups[2:])
    small = replace(f, systems={"alpha": alpha}, comparison=None, quality={"alpha": f.quality["alpha"]})
    names = {str(path.relative_to(tmp_path)) for path in Report(small).save_figures(tmp_path, ("svg",))}
    assert {"roc.svg", "det.svg", "cmc.svg", "open_set.svg", "gallery.svg", "groups_sex/roc.svg"} <= names
    assert "quality/quality_curves.svg" in names
    with pytest.raises(MatedError, match="cannot be saved as 'jpg'"):
        Report(small).save_figures(tmp_path, ("jpg",))


def page(monkeypatch, render):
    module = ModuleType("mated.report.page")
    module.render = render
    monkeypatch.setitem(sys.modules, "mated.report.page", module)


def test_a_page_that_fails_leaves_nothing_and_an_old_one_as_it_was(made, tmp_path, monkeypatch):
    def fail(findings):
        raise RuntimeError

    target = tmp_path / "report.html"
    page(monkeypatch, fail)
    with pytest.raises(RuntimeError):
        made.save(target)
    assert list(tmp_path.iterdir()) == []
    page(monkeypatch, lambda findings: f"<p>{findings.title}</p>")
    assert made.save(target).read_text() == "<p>Two systems</p>"
    page(monkeypatch, lambda findings: "\ud800")  # cannot be written as UTF-8, found out half-way
    with pytest.raises(UnicodeEncodeError):
        made.save(target)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert target.read_text() == "<p>Two systems</p>"
    with pytest.raises(MatedError, match="is a directory"):
        made.save(tmp_path)


def test_a_table_that_fails_leaves_no_table(made, tmp_path, monkeypatch):
    def fail(table):
        if table.name == "inputs":
            raise RuntimeError
        return ""

    monkeypatch.setattr(tables_files, "latex_text", fail)
    with pytest.raises(RuntimeError):
        save_tables(made.findings, tmp_path / "tables")
    assert not (tmp_path / "tables").exists()


def test_a_report_says_what_it_holds(made):
    assert repr(made) == "Report('Two systems': alpha, beta; claims: 3 supported, 0 not supported, 0 undecided)"
    assert "<caption>Two systems: Claims</caption>" in made._repr_html_()
