"""What a user holds: verbs and result objects, where estimates meet the data they come from."""

from __future__ import annotations

from mated.evaluation.bootstrap import Bootstrap
from mated.evaluation.collection import Verifications
from mated.evaluation.compare import Comparison, Difference, compare
from mated.evaluation.identification import Identification
from mated.evaluation.identify import identify
from mated.evaluation.predict import predict
from mated.evaluation.prediction import Prediction
from mated.evaluation.quality import quality
from mated.evaluation.quality_evaluation import QualityEvaluation
from mated.evaluation.verification import Verification
from mated.evaluation.verify import verify

__all__ = [
    "Bootstrap",
    "Comparison",
    "Difference",
    "Identification",
    "Prediction",
    "QualityEvaluation",
    "Verification",
    "Verifications",
    "compare",
    "identify",
    "predict",
    "quality",
    "verify",
]
