"""Numbers on the page: written as the command line writes them, and in sentences with the digits they deserve."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mated.cli import tables
from mated.report import numbers_in_words as words

_RATES = st.floats(0, 1, allow_nan=False)


@given(_RATES, _RATES, st.integers(0, 10**12), st.floats(allow_nan=False, allow_infinity=False))
def test_tables_write_numbers_as_the_command_line_does(low, high, many, threshold):
    assert words.percent(low) == tables.percent(low)
    assert words.between(low, high) == tables.between(low, high)
    assert words.count(many) == tables.count(many)
    assert words.number(threshold) == tables.number(threshold)
    assert words.number(many) == tables.number(many)
    assert words.target(low) == tables.target(low) if low else True


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_threshold_as_it_is_typed_reads_back_as_itself(threshold):
    assert float(words.exact(threshold)) == threshold


@pytest.mark.parametrize(
    ("value", "low", "high", "written"),
    [
        (0.03196, 0.0283, 0.0371, ("3.2 %", "2.8 to 3.7 %")),
        (0.2667, 0.156, 0.388, ("27 %", "16 to 39 %")),
        (0.0000123, 0.0, 0.01, ("0.001 %", "0.000 to 1.000 %")),
        (0.0, 0.0, 0.012, ("0.0 %", "0.0 to 1.2 %")),
        (0.5, None, None, ("50 %", None)),
    ],
)
def test_sentences_show_the_digits_that_the_interval_supports(value, low, high, written):
    plain = tuple(part and part.replace("\u00a0", " ") for part in words.measured(value, low, high))
    assert plain == written


@pytest.mark.parametrize(
    ("rate", "said"),
    [(0.001, "one false match in 1 000"), (0.1, "one false match in 10"), (0.03, "a false match rate of 3 %")],
)
def test_a_false_match_rate_is_said_as_people_say_it(rate, said):
    assert words.one_in(rate).replace("\u202f", " ").replace("\u00a0", " ") == said


def test_differences_are_signed_percentage_points():
    assert [words.points_apart(d) for d in (0.0142, -0.0142, 0.0, 1e-12)] == ["+1.42", "−1.42", "0", "+1e-10"]


def test_statistics_are_named_by_their_iso_words():
    assert words.statistic("fnmr at fmr 0.001") == "FNMR at\u00a0FMR 0.001"
    assert words.statistic("eer") == "Equal error rate"
