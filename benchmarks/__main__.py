"""Measure and write RESULTS.md: `make benchmark`, or `python -m benchmarks SUITE` for one suite alone."""

from __future__ import annotations

import argparse
import os
import platform
import re
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

SUITES = {
    "verification": "Verification",
    "uncertainty": "Uncertainty",
    "identification": "Identification",
    "quality": "Quality",
    "scale": "Scale",
    "report": "Report",
}

HEAD = """# Benchmarks

Made by `make benchmark` (with `make peers` before it for the peers that need an environment of their own).
One suite is measured anew by `python -m benchmarks verification`, `uncertainty`, `identification`, `quality`,
`scale` or `report`; the others then stay as they are. `python -m benchmarks scale --billion` goes up to 10^9
comparisons.
Times are the best of several calls in one process on one machine; the ratio is to the first row of its table.
Times differ from machine to machine; the ratios are what is meant to last.
"""

RESULTS = Path(__file__).with_name("RESULTS.md")


def main() -> None:
    """Run the suites asked for and write their tables anew."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure and rewrite RESULTS.md.")
    parser.add_argument("suites", nargs="*", metavar="suite", help=f"any of {', '.join(SUITES)}; all by default")
    parser.add_argument("--billion", action="store_true", help="scale up to 10^9 comparisons (5 GB on disk)")
    options = parser.parse_args()
    chosen = options.suites or list(SUITES)
    if options.billion:
        os.environ["MATED_BENCHMARK_ROWS"] = "1e9"
    if unknown := [suite for suite in chosen if suite not in SUITES]:
        parser.error(f"there is no suite {unknown[0]!r}; the suites are {', '.join(SUITES)}")
    for suite in SUITES:
        if suite in chosen:
            _write(suite, _measure(suite))  # at once, so that a failure loses one suite only
    print(f"written: {RESULTS}")


def _measure(suite: str) -> str:
    """Run a suite and return its part of the page."""
    module = import_module(f"benchmarks.{suite}")
    parts = [f"## {SUITES[suite]}\n\n{_machine(module.PACKAGES)}\n"]
    if introduction := getattr(module, "INTRODUCTION", ""):
        parts.append(f"\n{introduction}")
    for title, rows in module.sections():
        print(title, flush=True)
        parts.append(f"\n### {title}\n\n| what | time | ratio | |\n|---|---:|---:|---|\n")
        for row in rows:
            print("  ", *row, flush=True)
            parts.append("| " + " | ".join(row) + " |\n")
    return "".join(parts)


def _machine(packages: tuple[str, ...]) -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}; {versions}"


def _write(suite: str, text: str) -> None:
    """Put a suite's part between its marks; the parts of the other suites are kept."""
    page = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    parts = {name: _part(page, name) for name in SUITES} | {suite: text}
    marked = [f"\n{_mark(name)}\n{part}{_mark(name, end=True)}\n" for name, part in parts.items() if part]
    RESULTS.write_text(HEAD + "".join(marked), encoding="utf-8")


def _part(page: str, suite: str) -> str:
    found = re.search(f"{_mark(suite)}\n(.*?){_mark(suite, end=True)}", page, re.DOTALL)
    return found[1] if found else ""


def _mark(suite: str, *, end: bool = False) -> str:
    return f"<!-- {'end' if end else 'begin'} {suite} -->"


if __name__ == "__main__":
    main()
