"""Cautions that are put together say everything once."""

from __future__ import annotations

from mated.uncertainty.cautions import joined


def test_a_sentence_inside_an_earlier_caution_is_not_said_again() -> None:
    both = joined("only 1 false match", "only 36 subjects")
    said = joined(both, "only 36 subjects", None, "it reaches 0.1")
    assert said == "only 1 false match; only 36 subjects; it reaches 0.1"


def test_nothing_to_say_is_none() -> None:
    assert joined(None, "") is None
