"""What a user holds: verbs and result objects, where estimates meet the data they come from."""

from __future__ import annotations

from mated.evaluation.bootstrap import Bootstrap
from mated.evaluation.collection import Verifications
from mated.evaluation.compare import Comparison, Difference, compare
from mated.evaluation.identification import Identification
from mated.evaluation.identify import identify
from mated.evaluation.verification import Verification
from mated.evaluation.verify import verify

__all__ = [
    "Bootstrap",
    "Comparison",
    "Difference",
    "Identification",
    "Verification",
    "Verifications",
    "compare",
    "identify",
    "verify",
]
