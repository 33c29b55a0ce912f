"""The verb verify and what it returns, as a user of the library meets them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import mated
from mated.errors import MatedError
from mated.scores import Tally

MATED, NONMATED = [3, 5, 5, 7, 9], [0, 1, 2, 2, 3, 3, 4, 5, 5, 6]
TABLE = {"score": MATED + NONMATED, "mated": [1] * 5 + [0] * 10}


@pytest.fixture
def v():
    return mated.verify(MATED, NONMATED)


@pytest.mark.parametrize(
    "source",
    [
        pl.DataFrame(TABLE),
        pl.LazyFrame(TABLE),
        pd.DataFrame(TABLE),
        mated.Comparisons.from_arrays(TABLE["score"], TABLE["mated"]),
        Tally.from_scores(MATED, NONMATED),
    ],
    ids=["polars", "lazy", "pandas", "layout", "tally"],
)
def test_every_kind_of_input_gives_the_same_numbers(source, v):
    left, right = mated.verify(source).to_dict(), v.to_dict()
    assert {k: left[k] for k in left if k != "notes"} == {k: right[k] for k in right if k != "notes"}


def test_a_path_names_the_system(tmp_path):
    path = tmp_path / "scores.csv"
    pl.DataFrame(TABLE).write_csv(path)
    assert mated.verify(path).name == "scores"
    assert mated.verify(str(path), name="A").name == "A"


def test_a_matrix_can_be_verified():
    matrix = mated.ScoreMatrix.from_arrays([[5, 1], [2, 6]], ["a", "b"], ["a", "b"])
    v = mated.verify(matrix)
    assert (v.tally.n_mated, v.tally.n_nonmated, v.n_subjects) == (2, 2, 2)
    assert len(v.individual_rocs) == 2


def test_one_class_alone_is_refused():
    with pytest.raises(MatedError, match="there is no mated comparison"):
        mated.verify([], [1, 2])


def test_rates_outside_zero_and_one_are_refused_before_anything_is_read():
    with pytest.raises(MatedError, match="between 0 and 1"):
        mated.verify("no such file", fmr=1.5)


def test_a_layout_that_knows_better_is_not_overruled():
    layout = mated.Comparisons.from_arrays([1, 2], [1, 0])
    with pytest.raises(MatedError, match="already says"):
        mated.verify(layout, dissimilarity=True)


def test_the_dictionary_is_plain_json(v):
    assert json.loads(json.dumps(v.to_dict(), allow_nan=False)) == v.to_dict()


def test_the_frame_has_a_row_for_each_operating_point():
    frame = mated.verify(MATED, NONMATED, fmr=[0.1, 0.2], tmr=0.6, threshold=[4, 5]).to_frame()
    assert frame["point"].to_list() == ["eer", "at_fmr", "at_fmr", "at_tmr", "at_threshold", "at_threshold"]
    assert frame["threshold"].to_list() == [4, 6, 5, 5, 4, 5]
    assert frame.filter(point="at_fmr")["errors_mated"].to_list() == [3, 1]


def test_the_representation_is_one_line(v):
    assert repr(v) == "Verification('scores': 5 mated, 10 non-mated, integers; EER 0.3 at 4, AUC 0.82)"


def test_text_from_the_user_is_escaped_in_html():
    html = mated.verify(MATED, NONMATED, name="<script>alert('x')</script>")._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_an_auc_below_one_half_is_pointed_out():
    assert "below one half" in mated.verify(NONMATED, MATED).remarks[-1]


def test_groups_share_the_operating_points():
    data = mated.Comparisons.from_arrays(
        TABLE["score"] * 2, TABLE["mated"] * 2, covariates={"site": ["x"] * 15 + ["y"] * 15}
    )
    groups = mated.verify(data, fmr=0.2).by("site")
    assert list(groups) == ["x", "y"]
    assert groups["x"].to_dict()["at_fmr"] == groups["y"].to_dict()["at_fmr"]
    assert groups.to_frame().height == 4
    assert groups.to_dict()["groups"]["x"]["counts"]["mated"] == 5


def test_groups_need_a_table(v):
    with pytest.raises(MatedError, match="table of comparisons"):
        v.by("site")


def test_no_group_with_both_classes_is_refused():
    data = mated.Comparisons.from_arrays([1, 0], [1, 0], covariates={"site": ["x", "y"]})
    with pytest.raises(MatedError, match=r"no value of site has both.*'x' \(1 mated, 0 non-mated"):
        mated.verify(data).by("site")


def test_individual_rates_without_subjects_say_what_is_missing(v):
    with pytest.raises(MatedError, match="who was compared"):
        _ = v.average_roc


def test_of_several_systems_the_single_one_must_be_named(v):
    several = mated.Verifications({"a": v, "b": v})
    assert len(several) == 2
    with pytest.raises(MatedError, match="name one of: a, b"):
        several.only()


@pytest.mark.parametrize("figure", ["roc", "roc-log", "det", "scores", "rates"])
def test_results_draw_themselves(v, figure):
    assert v.plot(figure).get_xlabel()


def test_an_unknown_figure_is_refused_with_those_there_are(v):
    with pytest.raises(MatedError, match="the figures are: roc, roc-log"):
        v.plot("pie")


def test_float32_thresholds_print_as_they_were_written():
    v = mated.verify(np.float32([0.7, 0.9]), np.float32([0.1, 0.3]))
    assert v.at_fmr(0.5).threshold == 0.3


@pytest.mark.parametrize("stream", [False, True])
def test_trials_without_their_key_are_refused_with_what_they_were_taken_for(tmp_path, stream):
    (tmp_path / "scores.txt").write_text("m1 s1 2.5\nm1 s2 -0.5\nm2 s1 -1.5\n")
    with pytest.raises(MatedError) as refused:
        mated.verify(tmp_path / "scores.txt", stream=stream)
    assert "there is no mated comparison with a score" in str(refused.value)
    assert "no comparison has one subject on both sides" in str(refused.value)
    assert "if the columns name samples, give the key of their pairs with --key" in str(refused.value)


def test_a_class_whose_comparisons_all_failed_is_not_blamed_on_names(tmp_path):
    (tmp_path / "scores.csv").write_text("score,probe_subject,reference_subject\nnan,a,a\n1,a,b\n2,b,a\n")
    with pytest.raises(MatedError, match="no mated comparison with a score; verification needs both") as refused:
        mated.verify(tmp_path / "scores.csv", nan="failure")
    assert "both sides" not in str(refused.value)


@pytest.mark.parametrize(
    ("columns", "said"),
    [((), "no column to group by is named"), (("site", "site"), "'site' to group by is named twice"), (("x",), "'x'")],
)
def test_groups_by_nothing_twice_or_unknown_columns_are_refused(columns, said):
    table = pl.DataFrame({**TABLE, "site": ["A", "B", "B", "A", "B"] * 3})
    for source in (table, table.lazy()):
        with pytest.raises(MatedError, match=said):
            mated.verify(source, fmr=[0.1]).by(*columns)
