"""What the documentation shows must run."""

from __future__ import annotations

import doctest
import re
import sys
from pathlib import Path

import pytest

import mated.evaluation.verify  # noqa: F401

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_python_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL))
    exec(compile(code, str(page), "exec"), {})  # the project's own pages


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_to_files_lead_somewhere(page):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_docstring_examples_print_what_they_say():
    assert doctest.testmod(sys.modules["mated.evaluation.verify"]).failed == 0
