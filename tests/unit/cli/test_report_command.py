"""`mated report` and `mated init` as a person uses them: what they leave behind, print, and refuse."""

from __future__ import annotations

import json
import subprocess
import sys
from types import ModuleType
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from mated.cli.main import app
from mated.errors import MatedError
from study_examples import STUDY, write_inputs


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def run(*arguments: object) -> Done:
    """Run the command in this process; what `mated.cli.main.run` makes of an error is done here too."""
    done = CliRunner().invoke(app, [*map(str, arguments)])
    if isinstance(done.exception, MatedError):
        return Done(1, done.stdout, f"mated: {done.exception}\n")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return Done(done.exit_code, done.stdout, done.stderr)


@pytest.fixture
def inputs(tmp_path, monkeypatch):
    write_inputs(tmp_path)
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def plain_page(monkeypatch):
    """Replace the page by a line, for tests that are about something else."""
    module = ModuleType("mated.report.page")
    module.render = lambda findings: f"<title>{findings.title}</title>{findings.provenance.command}"
    monkeypatch.setitem(sys.modules, "mated.report.page", module)


def test_a_study_becomes_a_page_and_the_claims_are_answered(inputs):
    done = run("report", "study.toml", "-o", "out/page.html")
    assert done.returncode == 0, done.stderr
    page = (inputs / "out/page.html").read_text(encoding="utf-8")
    assert "Two systems" in page
    assert "eer <= 0.5\n  alpha: Supported: EER is" in done.stdout
    assert f"Report    out/page.html ({len(page.encode()) / 1e6:.1f} MB)" in done.stdout
    assert sorted(path.name for path in (inputs / "out").iterdir()) == ["page.html"]


def test_json_and_tables_are_left_behind(inputs, plain_page):
    done = run(
        "report", "alpha.csv", "--json", "--tables", "t", "--bootstrap", 10, "--fmr", "0.1", "--title", "One",
        "--claim", "fnmr <= 0.9 at fmr 0.1", "--level", 0.9, "--seed", 5, "--gallery", "50", "--by", "group",
        "--quality", "quality.csv",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["title"], result["level"], result["provenance"]["seed"]) == ("One", 0.9, 5)
    assert result["claims"][0]["verdict"] == "supported"
    assert result["systems"]["alpha"]["groups"][0]["columns"] == ["group"]
    assert result["systems"]["alpha"]["galleries_asked"] == [50]
    assert set(result["quality"]["alpha"]["algorithms"]) == {"good", "weak"}
    assert {"verification.csv", "verification.tex"} <= {path.name for path in (inputs / "t").iterdir()}
    assert "report.html" in done.stderr


def test_figures_are_left_behind(inputs, plain_page):
    done = run("report", "alpha.csv", "--figures", "f", "--figure-format", "svg", "--bootstrap", 0)
    assert done.returncode == 0, done.stderr
    assert {"roc.svg", "det.svg", "cmc.svg", "gallery.svg"} <= {path.name for path in (inputs / "f").iterdir()}
    assert "figures in f" in done.stderr


def test_two_score_lists_are_one_system(inputs, plain_page):
    (inputs / "g.txt").write_text("1\n2\n3\n")
    (inputs / "i.txt").write_text("3\n4\n5\n")
    done = run("report", "--mated", "g.txt", "--nonmated", "i.txt", "--dissimilarity", "--bootstrap", 10, "--json")
    made = json.loads(done.stdout)["systems"]["g + i"]["verification"]
    assert made["scoring"]["dissimilarity"]
    assert made["auc"]["value"] > 0.9
    assert "Left out  Identification: " in run("report", "--mated", "g.txt", "--nonmated", "i.txt").stdout


def test_wrong_orientation_is_said_on_the_screen(inputs, plain_page):
    done = run("report", "alpha.csv", "--dissimilarity", "--bootstrap", 10)
    assert "below one half" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.csv"], "there is no file none.csv"),
        (["study.toml", "alpha.csv"], "not both"),
        (["study.toml", "--dissimilarity"], "the study says how its files are read; leave out dissimilarity"),
        (["alpha.csv", "--claim", "eer <= 3"], "3 % is 0.03"),
        (["alpha.csv", "--by", "grup"], "did you mean 'group'"),
        (["alpha.csv", "-o", "."], "is a directory"),
        (["alpha.csv", "-o", "alpha.csv"], "is an input of the report"),
        (["study.toml", "-o", "study.toml"], "is an input of the report"),
        (["alpha.csv", "--level", "95"], "level"),
        (["alpha.csv", "--fmr", "2"], "--fmr"),
        (["alpha.csv", "--gallery", "1"], "two identities or more"),
        (["alpha.csv", "--bootstrap", "1"], "two or more"),
        (["alpha.csv", "--quality", "none.csv"], "there is no file none.csv"),
        (["alpha.csv", "--figures", "f", "--figure-format", "jpg"], "cannot be saved as 'jpg'"),
    ],
)
def test_a_mistake_is_one_sentence_and_leaves_nothing_behind(inputs, plain_page, arguments, words):
    before = {path: path.read_bytes() for path in inputs.iterdir()}
    done = run("report", *arguments)
    assert done.returncode == 1, done.stdout
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert {path: path.read_bytes() for path in inputs.iterdir()} == before


def test_wrong_usage_is_said_as_such(inputs):
    assert run("report").returncode == 2
    assert run("report", "--mated", "alpha.csv").returncode == 2


def test_a_page_that_fails_leaves_no_table_no_figure_and_no_page(inputs, monkeypatch):
    module = ModuleType("mated.report.page")

    def render(findings):
        raise MatedError("the page cannot be made")

    module.render = render
    monkeypatch.setitem(sys.modules, "mated.report.page", module)
    before = sorted(inputs.iterdir())
    done = run("report", "alpha.csv", "--bootstrap", 10, "--tables", "t", "--figures", "f")
    assert (done.returncode, done.stderr) == (1, "mated: the page cannot be made\n")
    assert sorted(inputs.iterdir()) == before


def test_the_command_on_the_page_has_no_folders_of_this_machine(inputs, plain_page, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["mated", "report", str(inputs / "alpha.csv"), "--bootstrap", "10"])
    run("report", inputs / "alpha.csv", "--bootstrap", 10)
    assert (inputs / "report.html").read_text().endswith("mated report alpha.csv --bootstrap 10")


def test_init_says_what_it_found_and_the_study_it_writes_is_read(inputs, plain_page):
    (inputs / "study.toml").unlink()
    done = run("init", ".")
    assert done.returncode == 0, done.stderr
    for words in ("System    alpha: alpha.csv", "Quality   quality.csv", "Groups    group", "mated report study.toml"):
        assert words in done.stdout
    assert run("init", ".").returncode == 1
    assert run("init", ".", "--force").returncode == 0
    # Options go before the study, so the run is short.
    assert run("report", "study.toml", "--bootstrap", 4, "--gallery", 20).returncode == 0


def test_importing_the_verb_loads_neither_plotly_nor_jinja():
    code = (
        "import sys, mated.report.report, mated.report.study, mated.cli.main; "
        "print([m for m in ('plotly', 'jinja2', 'matplotlib', 'polars', 'scipy.stats', 'numba') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
