"""Numbers on the page: written as the command line writes them, and in sentences with the digits they deserve."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mated.report import numbers_in_words as words


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (words.percent(0.01187), "1.187\u00a0%"),
        (words.percent(0.0), "0\u00a0%"),
        (words.percent(4.2e-7), "0.000042\u00a0%"),
        (words.percent(1e-30), "<\u202f0.00000001\u00a0%"),
        (words.between(1.05e-7, 0.000375), "0.0000105\u00a0to\u00a00.0375\u00a0%"),
        (words.percent(None), "–"),
        (words.between(0.00746, 0.0188), "0.746\u00a0to\u00a01.88\u00a0%"),
        (words.between(None, 0.1), "–"),
        (words.count(1234567), "1\u202f234\u202f567"),
        (words.count(None), "unknown"),
        (words.number(-903), "-903"),
        (words.number(0.52690), "0.5269"),
        (words.number(1 / 3, 4), "0.3333"),
        (words.target(1e-3), "1e-3"),
        (words.target(0.1), "0.1"),
        (words.target(0.002), "0.002"),
    ],
)
def test_tables_write_rates_counts_and_targets_as_by_hand(written, expected):
    assert written == expected


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
