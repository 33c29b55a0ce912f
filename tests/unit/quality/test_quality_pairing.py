"""From sample qualities to pair qualities: what is counted, and what is refused in one sentence."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from mated.errors import MatedError
from mated.quality import PairQualities, SampleQualities, pair_qualities
from mated.scores import Comparisons


def table(pairs=("ab", "ac", "bc", "cd"), mated=None) -> Comparisons:
    return Comparisons.from_arrays(
        np.arange(len(pairs), dtype=float),
        [True] * len(pairs) if mated is None else mated,
        probe_sample=[pair[0] for pair in pairs],
        reference_sample=[pair[1] for pair in pairs],
    )


QUALITIES = SampleQualities.from_arrays(list("abcd"), {"one": [1, 2, 3, 4], "two": [0.4, 0.3, 0.2, 0.1]})


def test_the_default_is_the_minimum():
    paired = pair_qualities(table(), QUALITIES)
    assert paired.values["one"].tolist() == [1, 1, 2, 3]
    assert paired.values["two"].tolist() == [0.3, 0.2, 0.2, 0.1]
    assert paired.algorithms == ("one", "two")
    assert (paired.comparisons_left_out, paired.qualities_without_sample, paired.constant) == (0, 0, ())


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("maximum", [2, 3, 3, 4]),
        ("mean", [1.5, 2, 2.5, 3.5]),
        ("product", [2, 3, 6, 12]),
        ("geometric mean", [2**0.5, 3**0.5, 6**0.5, 12**0.5]),
        (lambda a, b: a - b, [-1, -2, -1, -1]),
    ],
)
def test_other_functions_by_name_or_as_a_callable(function, expected):
    np.testing.assert_allclose(pair_qualities(table(), QUALITIES, function=function).values["one"], expected)


def test_whole_numbers_name_samples_as_well_as_texts_do():
    data = Comparisons.from_arrays([1.0, 2.0], [True, True], probe_sample=[1, 2], reference_sample=[2, 3])
    paired = pair_qualities(data, SampleQualities.from_mappings({"q": {"1": 5, "2": 6, "3": 4}}))
    assert paired.values["q"].tolist() == [5, 4]


def test_a_comparison_without_quality_by_one_algorithm_is_left_out_for_all():
    given = SampleQualities.from_mappings({"one": {"a": 1, "b": 2, "c": 3, "d": 4}, "two": {"a": 1, "b": 2, "c": 3}})
    paired = pair_qualities(table(), given)
    assert len(paired.comparisons) == 3
    assert paired.comparisons.score.tolist() == [0, 1, 2]
    assert paired.comparisons_left_out == 1
    assert paired.samples_without_quality == {"one": 0, "two": 1}


def test_none_is_no_quality_and_unknown_samples_are_counted():
    given = SampleQualities.from_arrays(list("abcxyz"), {"q": [1, 2, None, 7, 8, 9]})
    paired = pair_qualities(table(), given)
    assert paired.samples_without_quality == {"q": 2}
    assert paired.qualities_without_sample == 3
    assert paired.comparisons.score.tolist() == [0]


def test_null_in_a_series_is_no_quality_and_nan_is_refused():
    names = pl.Series(list("abc"))
    given = SampleQualities.from_arrays(names, {"q": pl.Series([1.0, None, 3.0])})
    assert np.isnan(given.values["q"]).tolist() == [False, True, False]
    with pytest.raises(MatedError, match="sample 'b' by algorithm 'q' is NaN"):
        SampleQualities.from_arrays(names, {"q": pl.Series([1.0, float("nan"), 3.0])})


def test_constant_qualities_are_named():
    given = SampleQualities.from_arrays(list("abcd"), {"flat": [5] * 4, "min": [1, 1, 1, 9], "good": [1, 2, 3, 4]})
    assert pair_qualities(table(), given).constant == ("flat", "min")


def test_orders_are_of_mated_of_non_mated_or_of_all_comparisons():
    paired = pair_qualities(table(mated=[True, False, True, False]), QUALITIES)
    assert paired.order("one").all_scores.tolist() == [0, 2]
    assert paired.order("one", mated=False).all_scores.tolist() == [1, 3]
    assert paired.order("one", mated=None).all_mated.tolist() == [True, False, True, False]
    assert list(paired.orders()) == ["one", "two"]


def test_samples_of_an_order_are_those_that_its_comparisons_hold():
    paired = pair_qualities(table(mated=[True, True, False, False]), QUALITIES)
    assert paired.order("one", axis="samples").sample_quality.tolist() == [1, 2, 3]
    assert paired.order("one", mated=False, axis="samples").sample_quality.tolist() == [2, 3, 4]
    assert paired.order("one").sample_quality is None


def test_pair_qualities_can_be_given_as_they_are():
    paired = PairQualities.from_columns(table(), {"q": [4, 3, 2, 1]})
    assert paired.order("q").position.tolist() == [3, 2, 1, 0]
    with pytest.raises(MatedError, match="qualities are those of pairs"):
        paired.order("q", axis="samples")


class TestWhatIsRefused:
    def test_nan_with_its_sample_and_algorithm(self):
        with pytest.raises(MatedError, match="quality of sample 'b' by algorithm 'two' is NaN"):
            SampleQualities.from_arrays(list("ab"), {"one": [1, 2], "two": [1, float("nan")]})
        with pytest.raises(MatedError, match="quality of sample 'b' by algorithm 'q' is NaN"):
            SampleQualities.from_mappings({"q": {"a": None, "b": float("nan")}})
        with pytest.raises(MatedError, match="pair quality of comparison 4 by algorithm 'q' is NaN"):
            PairQualities.from_columns(table(), {"q": [1, 2, 3, np.nan]})

    def test_texts(self):
        with pytest.raises(MatedError, match="algorithm 'q' must be numbers, and 'good' is none"):
            SampleQualities.from_arrays(["a", "b"], {"q": ["1.5", "good"]})

    def test_a_sample_that_stands_twice(self):
        with pytest.raises(MatedError, match="sample 'b' has more than one line"):
            SampleQualities.from_arrays(list("abb"), {"q": [1, 2, 3]})

    def test_another_number_of_values(self):
        with pytest.raises(MatedError, match="algorithm 'q' has 1 qualities and there are 2 samples"):
            SampleQualities.from_arrays(list("ab"), {"q": [1]})
        with pytest.raises(MatedError, match="algorithm 'q' has 2 pair qualities and there are 4 comparisons"):
            PairQualities.from_columns(table(), {"q": [1, 2]})

    def test_no_algorithm(self):
        with pytest.raises(MatedError, match="there is no quality algorithm"):
            SampleQualities.from_arrays(list("ab"), {})
        with pytest.raises(MatedError, match="there is no quality algorithm"):
            PairQualities.from_columns(table(), {})

    def test_quality_for_no_sample_that_occurs(self):
        with pytest.raises(MatedError, match=r"quality for no sample that was compared \(such as 'x' beside 'a'\)"):
            pair_qualities(table(), SampleQualities.from_arrays(["x"], {"q": [1]}))
        lacking = SampleQualities.from_mappings({"one": {"a": 1}, "two": {"x": 1}})
        with pytest.raises(MatedError, match="algorithm 'two' gives quality for no sample"):
            pair_qualities(table(), lacking)

    def test_no_comparison_with_two_qualities(self):
        with pytest.raises(MatedError, match="no comparison has two samples"):
            pair_qualities(table(), SampleQualities.from_arrays(["a"], {"q": [1]}))

    def test_comparisons_without_samples(self):
        with pytest.raises(MatedError, match="do not say which samples"):
            pair_qualities(Comparisons.from_arrays([1.0], [True]), QUALITIES)

    def test_a_function_that_does_not_exist_or_does_not_fit(self):
        with pytest.raises(MatedError, match="there is no pair quality 'median'; give one of 'minimum'"):
            pair_qualities(table(), QUALITIES, function="median")
        with pytest.raises(MatedError, match="one number for each comparison"):
            pair_qualities(table(), QUALITIES, function=lambda a, b: (a + b).sum())

    def test_a_geometric_mean_of_negative_qualities(self):
        given = SampleQualities.from_arrays(list("abcd"), {"q": [-1, 2, 3, 4]})
        with pytest.raises(MatedError, match=r"'geometric mean' of -1 and 2 .* is not a number"):
            pair_qualities(table(), given, function="geometric mean")

    def test_a_fraction_of_samples_where_comparisons_are_discarded(self):
        with pytest.raises(MatedError, match="'mean' comparisons are discarded, not samples"):
            pair_qualities(table(), QUALITIES, function="mean").order("one", axis="samples")

    def test_an_algorithm_or_a_class_that_is_not_there(self):
        paired = pair_qualities(table(), QUALITIES)
        with pytest.raises(MatedError, match="no quality algorithm 'three'; the algorithms are: 'one', 'two'"):
            paired.order("three")
        with pytest.raises(MatedError, match="no non-mated comparison"):
            paired.order("one", mated=False)
