"""Write comparisons: one small module a format, each saying what it cannot hold."""

from __future__ import annotations

from mated.io.writers.output import Output, Written
from mated.io.writers.registry import WRITERS, Writer, choose_writer

__all__ = ["WRITERS", "Output", "Writer", "Written", "choose_writer"]
