"""`python -m mated`: the command line."""

from __future__ import annotations

from mated.cli.main import run

run()
