"""Measure biometric recognition: error rates with honest uncertainty, curves, forecasts and rankings."""

from __future__ import annotations

__version__ = "0.1.0"

from mated.errors import MatedError
from mated.evaluation import (
    Bootstrap,
    Comparison,
    Identification,
    Prediction,
    QualityEvaluation,
    Verification,
    Verifications,
    compare,
    identify,
    predict,
    quality,
    verify,
)
from mated.evaluation.plan import plan
from mated.io import Columns, read
from mated.report.report import Report, report  # the verb; the room it comes from is imported by its modules' names
from mated.scores import Comparisons, ScoreMatrix

__all__ = [
    "Bootstrap",
    "Columns",
    "Comparison",
    "Comparisons",
    "Identification",
    "MatedError",
    "Prediction",
    "QualityEvaluation",
    "Report",
    "ScoreMatrix",
    "Verification",
    "Verifications",
    "__version__",
    "compare",
    "identify",
    "plan",
    "predict",
    "quality",
    "read",
    "report",
    "verify",
]
