"""Numbers in text that floating point does not keep: found after parsing, and only where some number is huge.

Below 2^53 every integer is kept. Beyond it integers are rounded, so that scores that differ would tie, and beyond the
largest float a number would become infinite.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["first_not_kept", "has_huge", "not_kept_because"]

_EXACT_INTEGER = 2**53
_INFINITIES = ("inf", "infinity")


def has_huge(values: pl.Series) -> bool:
    """Say whether some number is so large that its text has to be looked at."""
    largest = values.abs().max()
    return isinstance(largest, float) and largest >= _EXACT_INTEGER


def first_not_kept(values: pl.Series, texts: pl.Series) -> int | None:
    """Return the position of the first number that is not what its text says, None where all are."""
    rows = ((values.abs() >= _EXACT_INTEGER) & values.is_not_nan()).arg_true()  # to Polars NaN is the largest number
    huge = zip(rows.to_list(), texts.gather(rows).to_list(), values.gather(rows).to_list(), strict=True)
    return next((int(row) for row, text, value in huge if not _is_kept(text.strip(), value)), None)


def not_kept_because(value: float) -> str:
    """Say in words what has become of a number."""
    became = "is too large for floating point" if math.isinf(value) else "is beyond 2^53 and would be rounded"
    return f"{became}; divide the scores first"


def _is_kept(text: str, value: float) -> bool:
    if math.isinf(value):
        return text.lstrip("+-").lower() in _INFINITIES
    if re.fullmatch(r"[+-]?\d+", text):
        return abs(Decimal(text)) <= _EXACT_INTEGER  # an int of that many digits Python may refuse to read
    try:
        written = Decimal(text)
    except InvalidOperation:
        return True
    # 1e23 is no float, but it is the text of the float next to it: all its digits are kept.
    return Decimal(f"{value:.{len(written.as_tuple().digits) - 1}e}") == written
