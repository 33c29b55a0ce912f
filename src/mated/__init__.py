"""Measure biometric recognition: error rates with honest uncertainty, curves, forecasts and rankings."""

from __future__ import annotations

__version__ = "0.1.0"

from mated.errors import MatedError, MatedWarning
from mated.scores import Comparisons, ScoreMatrix

__all__ = ["Comparisons", "MatedError", "MatedWarning", "ScoreMatrix", "__version__"]
