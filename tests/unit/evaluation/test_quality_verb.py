"""The verb `quality` and what it gives back: numbers by hand, every way to give qualities, and refusals."""

from __future__ import annotations

import doctest
import json
import math
import subprocess
import sys

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest

import mated
from mated.errors import MatedError
from mated.evaluation.quality_settings import CURVES
from mated.io.quality_files import QualityColumns
from mated.quality import (
    SampleQualities,
    d_prime_curve,
    error_curve,
    fixed_counterpart_curve,
    mean_score_curve,
    pair_qualities,
    partial_area,
    ranking_grid,
    sample_utility,
    starting_errors,
)
from mated.quality.scalars import pearson
from mated.scores import Comparisons, ScoreMatrix
from mated.synthetic.quality import draw_qualities

mpl.use("agg")

DRAWN = draw_qualities((0.1, 0.5, 2.0), subjects=120, samples=4, nonmated=600, rng=3)
COMPARISONS = DRAWN.comparisons()
QUALITY = {name: dict(zip(DRAWN.sample_names, q.tolist(), strict=True)) for name, q in DRAWN.quality.items()}
NAMES = tuple(QUALITY)


def evaluated(**options):
    return mated.quality(COMPARISONS, QUALITY, **{"replicates": 60, **options})


def ten():
    """Ten mated comparisons of twenty samples; the two lowest scores are the errors of a starting error of .2."""
    probe, reference = [f"p{k}" for k in range(10)], [f"r{k}" for k in range(10)]
    data = Comparisons.from_arrays(range(10), [True] * 10, probe_sample=probe, reference_sample=reference)
    good = {f"{side}{k}": k for k in range(10) for side in "pr"}
    bad = {sample: -k for sample, k in good.items()}
    return data, {"good": good, "bad": bad}


def test_areas_and_ranks_are_those_of_a_hand_calculation():
    """Good: .2·.1 + 1/9·.1 up to .2; bad: .2·.1 + 2/9·.1; best .2²/2 = .02, constant .2·.2 = .04."""
    data, quality = ten()
    e = mated.quality(data, quality, starting_error=0.2, limit=0.2, replicates=0)
    assert (e.starting.value, e.starting.threshold, e.starting.errors) == (0.2, 2, 2)
    good, bad = e["good"], e["bad"]
    assert (good.pauc, bad.pauc) == (pytest.approx(0.02 + 0.1 / 9), pytest.approx(0.02 + 0.2 / 9))
    assert (good.pauc_above_best, bad.pauc_above_best) == (pytest.approx(0.1 / 9), pytest.approx(0.2 / 9))
    assert (good.pauc_relative, bad.pauc_relative) == (pytest.approx(5 / 9), pytest.approx(10 / 9))
    assert (good.rank, good.relative_rank, bad.rank, bad.relative_rank) == (1, 0, 2, 1)
    assert e.ranking == ("good", "bad")
    assert (good.low, good.probability_best, e.pair_results, e.to_dict()["uncertainty"]) == (None, None, (), None)


def test_results_are_those_of_the_estimators():
    e = evaluated()
    paired = pair_qualities(COMPARISONS, SampleQualities.from_mappings(QUALITY))
    start = starting_errors(COMPARISONS.tally()).nearest(0.05)
    for name in NAMES:
        area = partial_area(error_curve(paired.order(name), start), 0.2)
        r = e[name]
        assert (r.pauc, r.pauc_above_best, r.pauc_relative) == pytest.approx((area.raw, area.above_best, area.relative))
        assert r.low <= r.pauc <= r.high
        assert r.above_best_low <= r.pauc_above_best <= r.above_best_high
        assert r.relative_low <= r.pauc_relative <= r.relative_high
    assert e.ranking == NAMES


def test_the_same_seed_gives_the_same_numbers_on_any_number_of_threads():
    assert evaluated().to_dict() == evaluated(threads=3).to_dict()
    assert evaluated().to_dict() != evaluated(rng=2).to_dict()


def test_pairs_of_algorithms_are_compared_in_the_same_draws():
    e = evaluated()
    for pair in e.pair_results:
        apart = e.draws.areas(pair.above) - e.draws.areas(pair.below)
        assert pair.probability == pytest.approx(np.mean(apart < 0))
        assert pair.low <= pair.difference <= pair.high
        assert pair.difference == pytest.approx(e[pair.above].pauc - e[pair.below].pauc)
    assert [(p.above, p.below) for p in e.pair_results] == [(NAMES[0], NAMES[1]), (NAMES[0], NAMES[2]), NAMES[1:]]
    assert sum(r.probability_best for r in e.results) == pytest.approx(1)


def test_random_qualities_are_not_told_apart_from_random_and_a_good_one_is_better():
    rng = np.random.default_rng(1)
    e = mated.quality(COMPARISONS, {**QUALITY, "noise": {s: rng.random() for s in DRAWN.sample_names}})
    assert e["noise"].against_random == "not told apart"
    assert e[NAMES[0]].against_random == "better"
    assert "not told apart from discarding at random: noise" in e.remarks[-1]


def test_a_band_lies_around_its_curve_and_begins_where_all_replicates_do():
    e = evaluated(starting_error=0.1)
    band = e.band(NAMES[0])
    assert len(band.discard) == 101
    assert (band.discard[0], band.discard[-1]) == (0, 0.2)
    np.testing.assert_array_equal(band.value, e.curves[NAMES[0]](band.discard))
    assert np.all(band.low <= band.high)
    assert band.high[0] - band.low[0] < 0.015 < band.high[50] - band.low[50]


@pytest.mark.parametrize("kind", [k for k in CURVES if k not in ("fnm", "det")])
def test_every_curve_is_that_of_its_estimator(kind):
    e = evaluated(type=kind, limit=0.3, rate=0.1, replicates=20, starting_error=0.1)
    paired = pair_qualities(COMPARISONS, SampleQualities.from_mappings(QUALITY))
    start = starting_errors(COMPARISONS.tally(), "fm").nearest(0.1)
    expected = {
        "fm": lambda order: error_curve(order, start),
        "cs": mean_score_curve,
        "dprime": d_prime_curve,
        "fc": lambda order: fixed_counterpart_curve(order, 0.1),
    }[kind]
    for name in NAMES:
        order = paired.order(name, mated={"fm": False, "cs": True}.get(kind))
        assert e[name].pauc == pytest.approx(expected(order).area(0.3))
        assert e[name].low <= e[name].pauc <= e[name].high
    upwards = kind in ("cs", "dprime")
    areas = [r.pauc for r in e.results]
    assert areas == sorted(areas, reverse=upwards)
    assert (e[NAMES[0]].pauc_relative is None) == (kind != "fm")


def test_mean_scores_of_dissimilarities_are_better_when_lower():
    turned = Comparisons.from_arrays(
        -DRAWN.mated_score,
        [True] * len(DRAWN.mated_score),
        probe_sample=np.array(DRAWN.sample_names)[DRAWN.mated_pairs[0]],
        reference_sample=np.array(DRAWN.sample_names)[DRAWN.mated_pairs[1]],
        dissimilarity=True,
        unit="continuous",
    )
    e = mated.quality(turned, QUALITY, type="cs", replicates=20)
    assert e.ranking == evaluated(type="cs").ranking
    assert e.results[0].pauc == pytest.approx(-evaluated(type="cs").results[0].pauc)


def test_det_curves_are_counted_at_every_fraction():
    e = evaluated(type="det", fractions=(0.0, 0.3))
    for name in NAMES:
        whole, kept = e.parts[name]
        assert (whole.tally.n_mated, whole.tally.n_nonmated) == (720, 600)
        # A step discards all comparisons of a sample, of which there are hardly ten.
        assert 0 <= kept.tally.n_mated + kept.tally.n_nonmated - 0.7 * 1320 < 20
    assert e.replicates == 0
    assert e.to_frame().height == 6
    assert len(e.to_dict()["algorithms"][NAMES[0]]["parts"]) == 2
    with pytest.raises(MatedError, match="not one curve"):
        _ = e.curves


def test_stability_is_that_of_the_grid():
    e = evaluated()
    paired = pair_qualities(COMPARISONS, SampleQualities.from_mappings(QUALITY))
    begin = starting_errors(COMPARISONS.tally())
    expected = ranking_grid(paired.orders(), begin.nearest_each((0.05, 0.1)), (0.1, 0.2))
    grid = e.stability((0.05, 0.1), (0.1, 0.2))
    np.testing.assert_allclose(grid.area, expected.area, rtol=1e-12)
    assert e.stability() is e.stability()


def test_starting_errors_that_the_data_do_not_allow_are_left_out_of_the_grid():
    """Ten comparisons allow .1, .2 and so on: of .01 to .10 those from .05 on come to .1."""
    data, quality = ten()
    grid = mated.quality(data, quality, starting_error=0.2, replicates=0).stability()
    assert [start.value for start in grid.starting] == [0.1]
    with pytest.raises(MatedError, match="none within a factor of two"):
        mated.quality(data, quality, starting_error=0.2, replicates=0).stability((0.001,), (0.1,))


def test_scalar_measures_read_both_classes():
    found = evaluated(scalars=True).scalars()
    utility = sample_utility(COMPARISONS)
    paired = pair_qualities(COMPARISONS, SampleQualities.from_mappings(QUALITY))
    assert found[NAMES[0]]["utility_pearson"] == pearson(*utility.beside(paired.samples[NAMES[0]]))
    assert found[NAMES[0]]["pearson_mated"] > found[NAMES[2]]["pearson_mated"] > 0
    assert found[NAMES[0]]["pearson_errors"] < 0
    alone = evaluated().scalars()[NAMES[0]]
    assert alone["utility_pearson"] is None
    assert alone["pearson_mated"] == found[NAMES[0]]["pearson_mated"]


def test_a_threshold_that_is_given_is_held_in_replicates():
    e = evaluated(threshold=-0.9)
    assert e.starting.threshold == -0.9
    assert e.draws.start.std() > 0.001
    assert e.to_dict()["uncertainty"]["threshold"] == "held"
    assert evaluated().to_dict()["uncertainty"]["threshold"] == "found anew"
    assert evaluated(refind=False).to_dict()["uncertainty"]["threshold"] == "held"


# -- how qualities are given ---------------------------------------------------------------------------------------


def wide():
    return pl.DataFrame({"sample": DRAWN.sample_names, **DRAWN.quality})


def long():
    return wide().unpivot(index="sample", variable_name="algorithm", value_name="quality")


@pytest.mark.parametrize(
    "quality",
    [
        wide(),
        long(),
        SampleQualities.from_mappings(QUALITY),
        [wide().select("sample", NAMES[0]), wide().select("sample", *NAMES[1:])],
        [wide().head(200), wide().tail(280)],
    ],
    ids=["wide", "long", "arrays", "an algorithm each", "some samples each"],
)
def test_qualities_say_the_same_in_every_form(quality):
    e = mated.quality(COMPARISONS, quality, replicates=0)
    assert [(r.algorithm, r.pauc) for r in e.results] == [
        (r.algorithm, r.pauc) for r in evaluated(replicates=0).results
    ]


def test_pair_qualities_may_be_columns_of_the_comparison_table():
    frame = pl.DataFrame(
        {
            "score": DRAWN.mated_score,
            "mated": [1] * len(DRAWN.mated_score),
            **{name: DRAWN.pair_quality(name) for name in NAMES},
        }
    )
    e = mated.quality(frame, pair_columns=NAMES, replicates=20)
    assert [r.pauc for r in e.results] == [r.pauc for r in evaluated(replicates=0).results]
    assert (e.units.kind, e.results[0].samples_without_quality) == ("comparisons", None)
    assert "subjects are not known" in e.caution
    assert mated.quality(frame, pair_columns=NAMES[0], replicates=0).algorithms == NAMES[:1]


def test_pair_qualities_that_are_made_already_are_taken_as_they_are():
    paired = pair_qualities(COMPARISONS, SampleQualities.from_mappings(QUALITY))
    assert mated.quality(paired, replicates=0)[NAMES[0]].pauc == evaluated(replicates=0)[NAMES[0]].pauc
    with pytest.raises(MatedError, match="given with the comparisons already"):
        mated.quality(paired, QUALITY)


def test_a_matrix_of_scores_is_as_good_as_a_table():
    rng = np.random.default_rng(1)
    subject = np.repeat(list("abcdef"), 3)
    sample = [f"{s}{k}" for k, s in enumerate(subject)]
    matrix = ScoreMatrix.from_arrays(
        rng.random((18, 18)), subject, subject, probe_sample=sample, reference_sample=sample
    )
    quality = {"q": {s: rng.random() for s in sample}}
    table = matrix.comparisons()
    found = [mated.quality(data, quality, starting_error=0.2, replicates=10)["q"].pauc for data in (matrix, table)]
    assert found[0] == found[1]


def test_algorithms_of_one_name_are_told_apart_by_their_files(tmp_path):
    for number, name in enumerate(("serfiq", "magface")):
        column = DRAWN.quality[NAMES[number]]
        pl.DataFrame({"sample": DRAWN.sample_names, "quality": column, "other": column}).write_csv(
            tmp_path / f"{name}.csv"
        )
    e = mated.quality(COMPARISONS, [tmp_path / "serfiq.csv", tmp_path / "magface.csv"], replicates=0)
    assert set(e.algorithms) == {"serfiq", "magface", "serfiq: other", "magface: other"}
    assert e["serfiq"].pauc == evaluated(replicates=0)[NAMES[0]].pauc


def test_an_algorithm_may_be_spread_over_several_sources_and_that_is_said():
    e = mated.quality(COMPARISONS, [wide().head(200), wide().tail(280)], replicates=0)
    assert f"algorithm {NAMES[0]!r} is put together from 2 sources" in e.remarks


def test_samples_numbered_within_subjects_find_their_qualities():
    subject, sample = np.repeat([0, 1, 2, 3], 3), np.tile([1, 2, 3], 4)
    first, second = np.concatenate([[[s * 3, s * 3 + 1], [s * 3, s * 3 + 2]] for s in range(4)]).T
    data = Comparisons.from_arrays(
        np.arange(8.0),
        probe_subject=subject[first],
        reference_subject=subject[second],
        probe_sample=sample[first],
        reference_sample=sample[second],
    )
    quality = pl.DataFrame({"subject": subject, "sample": sample, "q": np.arange(12.0)})
    e = mated.quality(data, quality, starting_error=0.25, replicates=0)
    assert e.pairs.values["q"].tolist() == [0, 0, 3, 3, 6, 6, 9, 9]
    with pytest.raises(MatedError, match="do not say which subject a sample is of; add a column 'subject'"):
        mated.quality(data, quality.drop("subject").unique("sample"), starting_error=0.25)
    distinct = COMPARISONS
    with pytest.raises(MatedError, match="samples of one name are given under several subjects"):
        mated.quality(distinct, quality)


def test_what_is_left_out_is_counted():
    """Sample p001-1 has no quality: 3 of its person's 6 mated comparisons go. One quality is of nobody."""
    some = {name: {s: q for s, q in part.items() if s != DRAWN.sample_names[0]} for name, part in QUALITY.items()}
    some[NAMES[0]]["nobody"] = 1.0
    e = mated.quality(COMPARISONS, {**some, "flat": dict.fromkeys(DRAWN.sample_names, 1.0)}, replicates=0)
    counts = e.to_dict()["counts"]
    assert (counts["comparisons_left_out"], counts["qualities_without_sample"], counts["mated"]) == (3, 1, 717)
    assert e[NAMES[0]].samples_without_quality == 1
    assert e["flat"].constant
    assert e["flat"].pauc_relative == pytest.approx(1)
    said = " | ".join(e.remarks)
    for words in (
        "comparisons left out, as a sample has no quality by one of the algorithms: 3",
        f"have no quality: 1 by {NAMES[0]}",
        "samples with a quality that were never compared: 1",
        "flat gives every comparison one pair quality: it cannot discard",
    ):
        assert words in said


def test_people_without_names_are_known_by_their_mated_comparisons_also_for_false_matches():
    names = np.array(DRAWN.sample_names)
    pairs = [np.concatenate(sides) for sides in zip(DRAWN.mated_pairs, DRAWN.nonmated_pairs, strict=True)]
    data = Comparisons.from_arrays(
        COMPARISONS.score, COMPARISONS.mated, probe_sample=names[pairs[0]], reference_sample=names[pairs[1]]
    )
    e = mated.quality(data, QUALITY, type="fm", replicates=20, starting_error=0.1)
    named = evaluated(type="fm", replicates=20, starting_error=0.1)
    assert (e.units.kind, e.units.count) == ("joined samples", named.units.count)
    assert e[NAMES[0]].pauc == named[NAMES[0]].pauc


def test_few_errors_are_pointed_out():
    data, quality = ten()
    assert "only 2 errors to begin with" in mated.quality(data, quality, starting_error=0.2, replicates=0).caution


# -- refusals ------------------------------------------------------------------------------------------------------

REFUSED = {
    "no quality": (lambda: mated.quality(COMPARISONS), "there are no qualities; give a table of sample qualities"),
    "quality for nobody": (
        lambda: mated.quality(COMPARISONS, {"q": {"someone": 1.0}}),
        "quality for no sample that was compared",
    ),
    "NaN": (lambda: mated.quality(COMPARISONS, {"q": {"a": float("nan")}}), "is nan and not a number"),
    "limit 0": (lambda: evaluated(limit=0), "a discard limit lies above 0 and goes up to 1"),
    "limit 20": (lambda: evaluated(limit=20), "a discard limit lies above 0 and goes up to 1"),
    "starting error 5": (lambda: evaluated(starting_error=5), "between 0 and 1"),
    "a starting error too low": (lambda: evaluated(starting_error=1e-6).results, "the nearest are 0.0"),
    "an unknown curve": (lambda: evaluated(type="roc"), "there is no curve 'roc'; the curves are: fnm, fm"),
    "an unknown pair quality": (lambda: evaluated(pair="median"), "there is no pair quality 'median'"),
    "an unknown class": (lambda: evaluated(type="cs", of="both"), "'mated' or of 'nonmated'"),
    "an unknown rate": (lambda: evaluated(type="fc", fixed="tmr"), "no rate 'tmr' to hold"),
    "a rate of 1": (lambda: evaluated(type="fc", rate=1.0), "between 0 and 1"),
    "unknown units": (lambda: evaluated(resample="people"), "there is no resampling of 'people'"),
    "stability of means": (lambda: evaluated(type="cs", stability=True), "ranking stability is that of error curves"),
    "a starting error of means": (lambda: evaluated(type="cs").starting, "has no starting error"),
    "one replicate": (lambda: evaluated(replicates=1), "at least 2 bootstrap replicates"),
    "a level of 95": (lambda: evaluated(level=95), "between 0 and 1"),
    "an unknown algorithm": (lambda: evaluated()["q"], "no quality algorithm 'q'; the algorithms are: 'SQA1"),
    "a band of an unknown algorithm": (lambda: evaluated().band("q"), "no quality algorithm 'q'"),
    "a band without replicates": (lambda: evaluated(replicates=0).band(NAMES[0]), "there are no replicates"),
    "both kinds of quality": (
        lambda: mated.quality(COMPARISONS, QUALITY, pair_columns="q"),
        "give qualities of samples (--quality) or columns of pair qualities",
    ),
    "an unknown pair column": (
        lambda: mated.quality(COMPARISONS, pair_columns="q"),
        "no column 'q' of pair qualities; the further columns are: none",
    ),
    "comparisons without samples": (
        lambda: mated.quality(Comparisons.from_arrays([1, 2], [True, True]), QUALITY),
        "do not say which samples were compared",
    ),
    "no mated flags": (
        lambda: mated.quality(pl.DataFrame({"score": [1], "probe_sample": ["a"], "reference_sample": ["b"]}), QUALITY),
        "does not say which comparisons are mated",
    ),
    "no mated comparison": (
        lambda: mated.quality(COMPARISONS.take(~COMPARISONS.mated), QUALITY),
        "there is no mated comparison, and the curve 'fnm' is of these alone",
    ),
    "no non-mated comparison": (
        lambda: mated.quality(COMPARISONS.take(COMPARISONS.mated), QUALITY, type="fc").results,
        "one class",
    ),
    "samples of a maximum": (
        lambda: evaluated(pair="maximum", axis="samples").results,
        "comparisons are discarded, not samples",
    ),
    "the same algorithm twice": (lambda: mated.quality(COMPARISONS, [wide(), wide()]), "is given twice"),
    "columns of a mapping": (
        lambda: mated.quality(COMPARISONS, QUALITY, quality_columns=QualityColumns(sample="s")),
        "no columns to name",
    ),
    "an unknown figure": (lambda: evaluated().plot("roc"), "there is no figure 'roc'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_answered_is_refused_in_one_sentence(case):
    ask, words = REFUSED[case]
    with pytest.raises(MatedError) as error:
        ask()
    assert words in str(error.value)
    assert "\n" not in str(error.value)


# -- what it says of itself ----------------------------------------------------------------------------------------


def test_the_dictionary_is_plain_and_has_the_keys_that_others_rely_on():
    result = evaluated(curves=True, stability=True, scalars=True).to_dict()
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert {"algorithms", "starting_error", "threshold", "discard_limit", "curves"} <= result.keys()
    keys = {"pauc", "pauc_above_best", "pauc_relative", "rank", "relative_rank", "low", "high"}
    assert keys <= result["algorithms"][NAMES[0]].keys()
    curve = result["curves"][NAMES[0]]
    assert (curve["discard"][0], curve["discard"][-1], curve["value"][0]) == (0, 0.2, result["starting_error"])
    assert len(curve["band"]["low"]) == 101
    assert "curves" not in evaluated().to_dict()


def test_long_curves_are_read_at_many_fractions(monkeypatch):
    e = evaluated(curves=True, replicates=0)
    assert len(e.to_dict()["curves"][NAMES[0]]["discard"]) < 100
    monkeypatch.setattr("mated.evaluation.quality_dictionary._MOST_POINTS", 10)
    curve = e.to_dict()["curves"][NAMES[0]]
    assert len(curve["discard"]) == 1001
    assert curve["value"] == e.curves[NAMES[0]](np.array(curve["discard"])).tolist()


def test_frame_words_and_html_show_the_ranking():
    e = evaluated()
    frame = e.to_frame()
    assert frame["algorithm"].to_list() == list(NAMES)
    assert frame["rank"].to_list() == [1, 2, 3]
    assert "best is 'SQA1 (0.10)'" in repr(e)
    assert "<table>" in e._repr_html_()
    assert "DET curves" in repr(evaluated(type="det"))


def test_reference_lines_are_below_and_above_the_curves():
    e = evaluated(replicates=0)
    lines = e.reference_lines()
    at = np.linspace(0, 0.2, 50)
    assert np.all(lines["attainable best"](at) <= np.asarray(e.curves[NAMES[0]](at)) + 1e-12)
    assert lines["constant"](0.1) == e.starting.value
    assert e.full_curves[NAMES[0]].end == 1


@pytest.mark.parametrize(
    ("figure", "options"),
    [
        ("curves", {}),
        ("full", {"replicates": 0}),
        ("ranks above", {}),
        ("stability", {}),
        ("placements", {}),
        (None, {"type": "det"}),
        (None, {"type": "cs"}),
    ],
)
def test_figures_are_drawn(figure, options):
    axes = evaluated(**options).plot(figure)
    assert axes.has_data()


def test_the_verb_stays_a_verb_when_its_room_is_imported():
    code = "import mated, mated.quality.edc; from mated.quality import error_curve; print(callable(mated.quality))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


def test_areas_of_other_curves_are_not_set_against_the_best():
    with pytest.raises(MatedError, match="those of error curves"):
        _ = evaluated(type="cs").areas
    assert math.isclose(evaluated().areas[NAMES[0]].raw, evaluated()[NAMES[0]].pauc)


def test_the_example_of_the_verb_prints_what_it_says():
    assert doctest.testmod(sys.modules["mated.evaluation.quality"]).failed == 0
