"""The experiment wu2008: the published numbers, the stand-ins, and what a run leaves."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.special import ndtri

from mated.errors import MatedError
from mated.reproduce import experiment
from mated.reproduce import wu2008_published as paper
from mated.reproduce.pages import Beside, Quoted, markdown_table
from mated.reproduce.stand_ins import Binormal, ScoreMap, StandIn, implied_slope_at_eer, implied_slope_at_fmr
from mated.reproduce.wu2008 import DRAWS, TOLERANCE, run

if TYPE_CHECKING:
    from pathlib import Path

SEED = 1  # the default of the command
FITS = {k: StandIn(k, SEED).fit for k in paper.ALGORITHMS}


def nothing(done: int, total: int) -> None:
    assert done <= total


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("wu2008")
    run(directory, seed=SEED, size="small", jobs=1, progress=nothing)
    return directory


def rows(directory: Path, name: str) -> list[dict[str, str]]:
    with (directory / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# -- the published numbers ---------------------------------------------------------------------------


def test_published_numbers_are_those_of_the_paper():
    assert paper.TABLE_1[1] == Quoted(0.993255, 0.000325, 0.992622, 0.993922)  # Table 1
    assert paper.TABLE_1[6] == Quoted(0.796753, 0.003503, 0.789545, 0.803961)
    assert paper.TABLE_2[3] == Quoted(4534, None, 4450, 4616)  # Table 2
    assert paper.TABLE_2[6] == Quoted(0.634030, None, 0.626579, 0.640724)
    assert paper.TABLE_3[2].tmr == Quoted(0.994393, 0.000300, 0.993792, 0.994994)  # Table 3
    assert paper.TABLE_3[5].fmr == Quoted(0.001000, 0.000089, 0.000836, 0.001180)
    assert paper.TABLE_4[6].score_range == (0.510836, 0.510837)  # Table 4
    assert paper.TABLE_4[1].least_difference == 0.000061
    assert paper.TABLE_5[2] == Quoted(0.004346, 0.000202, 0.003905, 0.004713)  # Table 5
    assert paper.TABLE_6[4] == Quoted(31.3983, None, 31.1410, 31.6542)  # Table 6
    assert paper.NORMALITY_P_VALUE == 0.1041  # section 5


@pytest.mark.parametrize("table", [paper.TABLE_1, paper.TABLE_2, paper.TABLE_5, paper.TABLE_6])
def test_every_published_interval_holds_its_estimate(table):
    assert list(table) == [1, 2, 3, 4, 5, 6]
    assert all(quoted.value in quoted for quoted in table.values())


@pytest.mark.parametrize("k", paper.ALGORITHMS)
def test_published_tables_repeat_each_other(k):
    assert paper.TABLE_3[k].threshold == paper.TABLE_2[k].value
    assert paper.TABLE_4[k].eer == paper.TABLE_5[k].value
    assert paper.TABLE_4[k].score_range[0] == paper.TABLE_6[k].value
    # Table 4: half the least difference over the EER; the paper divided unrounded numbers.
    percent = 100 * paper.TABLE_4[k].least_difference / 2 / paper.TABLE_4[k].eer
    assert percent == pytest.approx(paper.TABLE_4[k].relative_error, abs=0.011)


@pytest.mark.parametrize("k", paper.ALGORITHMS)
def test_published_standard_errors_at_a_threshold_are_binomial(k):
    # One-sample resampling of a proportion: sqrt(p(1 - p)/N), with 2000 replicates and N a little larger.
    for quoted, n in ((paper.TABLE_3[k].tmr, paper.N_MATED), (paper.TABLE_3[k].fmr, paper.N_NONMATED)):
        assert quoted.se == pytest.approx(np.sqrt(quoted.value * (1 - quoted.value) / n), rel=0.05)


# -- stand-ins ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", paper.ALGORITHMS)
def test_fit_goes_through_both_published_points(k):
    fit = FITS[k]
    assert fit.tmr(paper.FMR) == pytest.approx(paper.TABLE_1[k].value, abs=1e-9)
    assert fit.eer == pytest.approx(paper.TABLE_5[k].value, abs=1e-9)
    assert fit.tmr(fit.eer) == pytest.approx(1 - fit.eer, abs=1e-9)


def test_slope_of_a_binormal_roc_is_its_derivative():
    fit, step = FITS[6], 1e-8
    difference = (fit.tmr(paper.FMR + step) - fit.tmr(paper.FMR - step)) / (2 * step)
    assert fit.slope(paper.FMR) == pytest.approx(difference, rel=1e-5)


def test_slope_implied_by_a_standard_error_gives_that_standard_error_back():
    fit, counts = FITS[4], {"n_mated": 60_000, "n_nonmated": 120_000}
    se = fit.tmr_standard_error(paper.FMR, **counts)
    assert implied_slope_at_fmr(se, fmr=paper.FMR, tmr=fit.tmr(paper.FMR), **counts) == pytest.approx(
        fit.slope(paper.FMR)
    )
    assert implied_slope_at_eer(fit.eer_standard_error(**counts), eer=fit.eer, **counts) == pytest.approx(
        fit.slope(fit.eer)
    )
    assert implied_slope_at_fmr(1e-9, fmr=paper.FMR, tmr=0.99, **counts) is None
    assert implied_slope_at_eer(1e-9, eer=0.01, **counts) is None


def test_roc_that_falls_is_refused():
    with pytest.raises(MatedError, match="no binormal ROC rises"):
        Binormal.through(fmr=0.001, tmr=0.9999, eer=0.01)


@pytest.mark.parametrize("k", paper.ALGORITHMS)
def test_map_is_increasing_hits_both_thresholds_and_stays_in_the_scoring_system(k):
    scale, (decimals, below) = StandIn(k, SEED).scale, paper.SYSTEMS[k]
    anchors = scale(-ndtri(np.array([paper.TABLE_5[k].value, paper.FMR])))
    assert anchors.tolist() == [paper.TABLE_6[k].value, paper.TABLE_2[k].value]
    scores = scale(np.linspace(-40, 60, 20_001))
    assert (np.diff(scores) >= 0).all()
    assert scores.min() >= 0
    assert below is None or scores.max() < below
    assert np.array_equal(np.round(scores, decimals), scores)


def test_map_is_smooth_at_its_anchors():
    scale = ScoreMap((1.0, 20.0), (2.0, 30.0), decimals=9, below=100)
    for anchor in (1.0, 2.0):
        left, here, right = scale(np.array([anchor - 1e-4, anchor, anchor + 1e-4]))
        assert here - left == pytest.approx(right - here, rel=1e-3)


def test_draws_of_a_seed_differ_and_repeat():
    first, again, other = StandIn(2, 7, 0), StandIn(2, 7, 0), StandIn(2, 7, 1)
    assert first.bootstrap.verification.tally == again.bootstrap.verification.tally
    assert first.at_fmr.tmr.se == again.at_fmr.tmr.se
    assert first.bootstrap.verification.tally != other.bootstrap.verification.tally


def test_eer_lies_above_that_of_the_fit_by_the_expected_lift():
    lifts = [StandIn(2, SEED, draw).bootstrap.verification.eer().value - FITS[2].eer for draw in range(40)]
    error = np.std(lifts, ddof=1) / np.sqrt(len(lifts))
    assert abs(np.mean(lifts) - StandIn(2, SEED).eer_lift) < 3.5 * error


# -- a run -------------------------------------------------------------------------------------------


def test_run_writes_every_table_and_figure_and_nothing_else(results):
    figures = {f"figure{n}.{kind}" for n in (2, 3, 4, 5) for kind in ("svg", "png")}
    tables = {f"table{n}.csv" for n in (1, 2, 3, 4, 5, 6)}
    assert {file.name for file in results.iterdir()} == figures | tables | {"wu2008.md"}


@pytest.mark.parametrize("name", ["table1", "table5"])
def test_standard_errors_are_within_15_percent_of_the_published_for_five_of_six(results, name):
    ratios = np.array([float(row["se_ratio"]) for row in rows(results, name)])
    assert len(ratios) == 6
    assert (np.abs(ratios - 1) <= TOLERANCE).sum() >= 5


def test_standard_errors_at_a_threshold_are_within_10_percent_of_the_published(results):
    ratios = [float(row["se_ratio"]) for row in rows(results, "table3")]
    assert len(ratios) == 12
    assert np.allclose(ratios, 1, atol=0.1)


@pytest.mark.parametrize("name", ["table2", "table6"])
def test_thresholds_are_scores_of_their_system_near_the_published(results, name):
    for row in rows(results, name):
        k = int(row["algorithm"])
        for part in ("value", "low", "high"):
            written = row[f"ours_{part}"]
            assert len(written.partition(".")[2]) <= paper.SYSTEMS[k].decimals
        assert float(row["ours_low"]) <= float(row["ours_value"]) <= float(row["ours_high"])
        published = Quoted(float(row["published_value"]), None, 0, 0)
        assert float(row["ours_value"]) == pytest.approx(published.value, rel=0.05)


def test_page_says_first_that_these_are_stand_ins_and_has_every_table_and_figure(results):
    page = (results / "wu2008.md").read_text(encoding="utf-8")
    assert page.splitlines()[2].startswith("**These are stand-ins, not the original scores.**")
    page = " ".join(page.split())
    assert all(f"## Table {n}" in page for n in (1, 2, 3, 4, 5, 6))
    assert all(f"(figure{n}.svg)" in page for n in (2, 3, 4, 5))
    assert f"(published: {paper.NORMALITY_P_VALUE})" in page
    assert "six of six published algorithms and six of six stand-ins" in page
    for row in [*rows(results, "table1"), *rows(results, "table5")]:
        assert f"{float(row['se_ratio']):.2f} |" in page


def test_every_deviation_beyond_15_percent_is_explained(results):
    page = " ".join((results / "wu2008.md").read_text(encoding="utf-8").split())
    for name, what in (("table1", "TMR at FMR 0.001"), ("table5", "EER")):
        for row in rows(results, name):
            explained = f"**{what} of algorithm {row['algorithm']}: " in page
            assert explained == (abs(float(row["se_ratio"]) - 1) > TOLERANCE)


def test_same_seed_gives_the_same_bytes_on_any_number_of_processes(results, tmp_path):
    steps = []
    files = experiment("wu2008")(tmp_path, seed=SEED, size="small", jobs=2, progress=lambda *step: steps.append(step))
    assert steps[-1] == (DRAWS["small"] + 1, DRAWS["small"] + 1)
    assert files[0].name == "wu2008.md"
    for file in files:
        if file.suffix in (".csv", ".md"):
            assert file.read_bytes() == (results / file.name).read_bytes()


# -- pages -------------------------------------------------------------------------------------------


def test_ratio_is_of_widths_where_there_is_no_standard_error():
    assert Beside(("1",), Quoted(5, None, 4, 6), Quoted(5, None, 4, 7)).ratio == 1.5
    assert Beside(("1",), Quoted(5, 2.0, 4, 6), Quoted(5, 1.0, 4, 7)).ratio == 0.5


def test_markdown_table_is_aligned():
    lines = markdown_table(["a", "long name"], [["1", "2"], ["three", "4"]]).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert lines[2] == "| 1     |         2 |"
