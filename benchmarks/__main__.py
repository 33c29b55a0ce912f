"""Measure and write RESULTS.md: `make benchmark`."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

from benchmarks import verification

HEAD = """# Benchmarks

Made by `make benchmark` (with `make peers` before it for the peers that need an environment of their own).
Times are the best of several calls in one process on one machine; the ratio is to the first row of its table.
Times differ from machine to machine; the ratios are what is meant to last.

"""


def _machine() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in ("mated", "numpy", "scipy", "scikit-learn", "pyeer"))
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}; {packages}\n"


def main() -> None:
    """Run every benchmark and write the table anew."""
    parts = [HEAD, _machine()]
    for title, rows in verification.sections():
        print(title)
        parts.append(f"\n## {title}\n\n| what | time | ratio | |\n|---|---:|---:|---|\n")
        for row in rows:
            print("  ", *row)
            parts.append("| " + " | ".join(row) + " |\n")
    target = Path(__file__).with_name("RESULTS.md")
    target.write_text("".join(parts), encoding="utf-8")
    print(f"written: {target}")


if __name__ == "__main__":
    main()
