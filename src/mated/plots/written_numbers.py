"""Estimates in words: as many decimals as their interval supports."""

from __future__ import annotations

import numpy as np

from mated.plots.style import rate_label

__all__ = ["write_estimate", "write_percentage"]

_MOST_DECIMALS = 7
_LARGEST_PLAIN = 1e7


def write_estimate(
    value: float, low: float, high: float, *, percent: bool = False, signed: bool = False, interval: bool = True
) -> str:
    """Write a value and its interval with two significant digits of the interval's half width.

    Without a finite interval, or with one of no width, the value gets three significant digits.
    """
    numbers = np.array([value, low, high]) * (100 if percent else 1)
    has_interval = bool(np.isfinite(numbers).all())
    half = float(numbers[2] - numbers[1]) / 2 if has_interval else 0.0
    decimals = 1 - _exponent(half) if half > 0 else 2 - _exponent(float(numbers[0]))
    plain = decimals <= _MOST_DECIMALS and np.nanmax(np.abs(numbers)) < _LARGEST_PLAIN
    words = [_write(float(number), max(decimals, 0) if plain else None, signed) for number in numbers]
    ends = f" ({words[1]}, {words[2]})" if interval and has_interval else ""
    return words[0] + (" %" if percent else "") + ends


def write_percentage(rate: float) -> str:
    """Write the percentage at a tick of a logarithmic axis; below 0.001 % a power of ten."""
    percentage = float(f"{100 * rate:.10g}")
    return f"{percentage:g} %" if 1e-3 <= percentage < 1e6 else f"{rate_label(percentage)} %"


def _exponent(number: float) -> int:
    return int(np.floor(np.log10(abs(number)))) if number else 2


def _write(number: float, decimals: int | None, signed: bool) -> str:
    if not np.isfinite(number):
        return ""
    if decimals is None and number:
        mantissa, exponent = f"{number:.2e}".split("e")
        words = f"{mantissa}×{rate_label(float(f'1e{exponent}'))}"
    else:
        words = f"{number:,.{decimals or 0}f}"
    rounded_to_zero = not any(digit in words for digit in "123456789")
    words = words.removeprefix("-")
    return words if rounded_to_zero else f"−{words}" if number < 0 else f"+{words}" if signed else words
