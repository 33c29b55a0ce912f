"""Numbers as people read them: in the tables of the command line and of a report, and in its sentences."""

from __future__ import annotations

from math import ceil, floor, isfinite, log10

__all__ = [
    "between",
    "count",
    "exact",
    "level_words",
    "measured",
    "number",
    "one_in",
    "one_in_short",
    "p_value",
    "percent",
    "plain_digits",
    "plural",
    "points_apart",
    "share",
    "statistic",
    "target",
]

_SPACE = "\u00a0"
_MOST_DECIMALS = 7
_MOST_DECIMALS_IN_FULL = 8
_ALL_BUT_ZERO = 1e-8


def percent(rate: float | None) -> str:
    """Write a rate as a percentage with four significant digits."""
    if rate is None:
        return "–"
    if not rate:
        return f"0{_SPACE}%"
    written = f"{100 * rate:#.4g}"
    return f"{written if 'e' not in written else plain_digits(100 * rate, 4)}{_SPACE}%"


def between(low: float | None, high: float | None) -> str:
    """Write an interval of rates as percentages, a dash where there is none."""
    if low is None or high is None:
        return "–"
    return f"{plain_digits(100 * low, 3)} to {plain_digits(100 * high, 3)} %".replace(" ", _SPACE)


def plain_digits(value: float, digits: int) -> str:
    """Write a number with some significant digits and no power of ten; what is all but zero is called so."""
    written = f"{value:.{digits}g}"
    if "e-" not in written:
        return written if "e" not in written else f"{value:.0f}"
    if abs(value) < _ALL_BUT_ZERO:
        return f"<\u202f{_ALL_BUT_ZERO:.{_MOST_DECIMALS_IN_FULL}f}"
    decimals = digits - 1 - floor(log10(abs(value)))
    return f"{value:.{min(decimals, _MOST_DECIMALS_IN_FULL)}f}".rstrip("0")


def number(value: float | None, digits: int = 10) -> str:
    """Write a number with as many significant digits as are asked for, whole numbers whole."""
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{value:.{digits}g}"


def exact(value: float) -> str:
    """Write a threshold so that reading it back gives the very same number."""
    short = number(value)
    return short if float(short) == value else repr(float(value))


def count(value: int | None) -> str:
    """Write a whole number in groups of three digits."""
    return "unknown" if value is None else f"{value:,}".replace(",", "\u202f")


def target(rate: float) -> str:
    """Write a target as people say it: 1e-3 for powers of ten, else as it stands."""
    mantissa, exponent = f"{rate:.0e}".split("e")
    is_power = mantissa == "1" and float(f"1e{exponent}") == rate and rate < 0.1
    return f"1e-{-int(exponent)}" if is_power else f"{rate:g}"


def one_in(rate: float) -> str:
    """Write a false match rate as "one false match in 1 000", or as a percentage where that is no whole number."""
    times = 1 / rate
    if times >= 2 and abs(times - round(times)) < 1e-9 * times:
        return f"one false match in {count(round(times))}"
    return f"a false match rate of {100 * rate:.10g}{_SPACE}%"


def one_in_short(rate: float) -> str:
    """Write a rate as "1 in 1 000", or nothing where that is no whole number."""
    words = one_in(rate)
    return words.replace("one false match", "1") if words.startswith("one") else ""


def measured(value: float, low: float | None, high: float | None) -> tuple[str, str | None]:
    """Write a rate and its interval with the decimals that the interval supports, for a sentence.

    The last digit shown is at most a third of the interval's half width, and a rate above zero does not become zero.
    """
    if low is None or high is None:
        return f"{100 * value:.3g}{_SPACE}%", None
    half = 50 * (high - low)
    decimals = ceil(log10(3 / half)) if half > 0 else 2
    if value > 0:
        decimals = max(decimals, -floor(log10(100 * value)))
    decimals = min(max(decimals, 0), _MOST_DECIMALS)
    ends = f"{100 * low:.{decimals}f}{_SPACE}to{_SPACE}{100 * high:.{decimals}f}{_SPACE}%"
    return f"{100 * value:.{decimals}f}{_SPACE}%", ends


def points_apart(difference: float) -> str:
    """Write a difference of two rates in percentage points, signed."""
    words = f"{abs(100 * difference):.3g}"
    return words if float(words) == 0 else f"−{words}" if difference < 0 else f"+{words}"


def statistic(name: str) -> str:
    """Write the name of what two systems are compared by: "fnmr at fmr 0.001" becomes "FNMR at FMR 0.001"."""
    known = {"eer": "Equal error rate", "auc": "Area under the ROC", "rank 1": "Rank-1 rate"}
    return known.get(name, name.replace("fnmr", "FNMR").replace("fmr", "FMR").replace(" at FMR", " at\u00a0FMR"))


def p_value(value: float | None) -> str:
    """Write a p-value with three significant digits."""
    return "–" if value is None or not isfinite(value) else f"{value:.3g}"


def share(value: float | None) -> str:
    """Write a probability as a percentage with one decimal."""
    return "–" if value is None else f"{100 * value:.1f}{_SPACE}%"


def level_words(level: float) -> str:
    """Write a confidence level: 95 %."""
    return f"{100 * level:.10g}{_SPACE}%"


def plural(number_of: int | float, one: str, many: str) -> str:
    """Write a count with its noun."""
    words = count(number_of) if isinstance(number_of, int) else f"{number_of:.6g}"
    return f"{words} {one if number_of == 1 else many}"
