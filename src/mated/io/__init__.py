"""Read comparisons from files and data frames: one reader a format, which reads and checks and computes nothing."""

from __future__ import annotations

from mated.io.columns import Columns
from mated.io.reading import read
from mated.io.registry import READERS, Reader
from mated.io.scanning import Scan, ScanPart, is_large, scan

__all__ = ["READERS", "Columns", "Reader", "Scan", "ScanPart", "is_large", "read", "scan"]
