"""The bootstrap's own variability: against theory for statistics that are nearly normal, and against `Replicates`."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

import mated
from mated.errors import MatedError
from mated.evaluation.variability import _intervals, variability
from mated.synthetic import GaussianIdentities
from mated.uncertainty.replicates import Replicates


@pytest.fixture(scope="module")
def large():
    """Continuous scores and many errors: TMR at an FMR of 0.1 and the EER are nearly normal."""
    rng = np.random.default_rng(1)
    return mated.verify(rng.normal(1.5, 1, 20_000), rng.normal(0, 1, 20_000))


@pytest.fixture(scope="module")
def repeated(large):
    return variability(large, fmr=0.1, replicates=(200, 1000), runs=400, rng=1, seconds=None)


@pytest.fixture(scope="module")
def people():
    return mated.verify(GaussianIdentities((0.8, 0.9)).draw(60, 3, rng=2).comparisons("llr"))


def test_the_standard_error_spreads_as_theory_says(repeated):
    """Relative standard deviation 1/√(2B) for normal replicates; over R runs known to within 1/√(2R) of itself."""
    for r in repeated.results:
        assert r.se.relative == pytest.approx(1 / math.sqrt(2 * r.replicates), rel=4 / math.sqrt(2 * r.runs))


def test_the_interval_ends_spread_as_theory_says(repeated):
    """√(p(1−p)/B)/φ(z) standard errors for a quantile, in widths of 2z: 0.682/√B at 95 %."""
    share = math.sqrt(0.025 * 0.975) / 0.0584507 / (2 * 1.9599640)
    for r in repeated.results:
        for end in (r.low, r.high):
            assert end.sd / r.width == pytest.approx(share / math.sqrt(r.replicates), rel=5 / math.sqrt(2 * r.runs))


def test_the_runs_centre_on_the_bootstrap_itself(large, repeated):
    b = large.bootstrap(20_000, rng=5)
    for r, e in zip(repeated.results[1::2], (b.at_fmr(0.1).tmr, b.eer().eer), strict=True):
        assert r.se.mean == pytest.approx(e.se, rel=0.03)
        assert r.low.mean == pytest.approx(e.low, abs=0.03 * r.width)
        assert r.high.mean == pytest.approx(e.high, abs=0.03 * r.width)
        assert r.low.low < r.low.mean < r.low.high


@pytest.mark.parametrize("size", [2, 7, 100, 1000])
@pytest.mark.parametrize("level", [0.95, 0.9, 0.5])
def test_each_run_is_what_replicates_give(size, level):
    table = np.round(np.random.default_rng(size).normal(size=(5, size)), 1)
    table[4, 0] = np.nan if size > 2 else 0.0
    se, low, high = _intervals(table, level)
    for row, *found in zip(table, se, low, high, strict=True):
        r = Replicates(row[~np.isnan(row)], 0.0)
        assert found == pytest.approx([r.standard_error, *r.percentile_interval(level)], abs=1e-15)


def test_the_fewest_replicates_within_the_tolerance_are_enough(repeated, large):
    # 0.682/√200 = 4.8 % and 0.682/√1000 = 2.2 % of the width.
    options = {"fmr": 0.1, "replicates": (1000, 200), "runs": 100, "rng": 1}
    found = [variability(large, tolerance=t, **options).enough for t in (0.08, 0.03, 0.01)]
    assert found == [200, 1000, None]
    result = variability(large, tolerance=0.01, **options)
    assert "B = 1000 is not enough" in result.sentence
    # The largest of the ends' deviations, each known to about 7 % from 100 runs: 1000·(2.2 to 2.6)² replicates.
    assert re.search(r"which takes about B = [56]\d{3}", result.sentence)


def test_the_same_seed_gives_the_same_numbers_on_two_threads(large):
    options = {"fmr": 0.1, "replicates": (50,), "runs": 50, "rng": 3}
    assert variability(large, **options).results == variability(large, threads=2, **options).results
    assert variability(large, **options).results != variability(large, **(options | {"rng": 4})).results


def test_subjects_are_resampled_where_they_are_known(people):
    options = {"fmr": 0.1, "replicates": (100,), "runs": 60, "rng": 1}
    by_subject, iid = variability(people, **options), variability(people, intervals="iid", **options)
    assert (by_subject.method, iid.method) == ("subject-level", "independent comparisons")
    assert by_subject.results[1].width > 1.3 * iid.results[1].width
    assert "presumes independent comparisons" in iid.notes[0]
    e = people.bootstrap(5000, rng=2).eer().eer
    assert by_subject.intervals["eer"] == e.method
    assert by_subject.results[1].high.mean == pytest.approx(e.high, abs=0.05 * by_subject.results[1].width)


def test_fewer_runs_are_made_where_all_would_take_too_long(large):
    told = []
    result = variability(
        large,
        fmr=0.1,
        replicates=(100, 1000),
        runs=500,
        rng=1,
        seconds=0.12,
        progress=lambda done, total: told.append((done, total)),
    )
    # 6 µs a replicate: 20,000 in all.
    assert [(r.replicates, r.runs) for r in result.results[:2]] == [(100, 200), (1000, 20)]
    assert result.notes[0] == "fewer runs than 500, so that it takes about 0.12 s: 200 of B = 100, 20 of B = 1000"
    assert told[-1] == (20_000, 20_000)


def test_scores_that_never_overlap_have_nothing_to_vary():
    v = mated.verify([5, 6, 7], [1, 2, 3])
    result = variability(v, fmr=0.4, replicates=(10,), runs=5, rng=1)
    assert result.enough == 10
    assert json.loads(json.dumps(result.to_dict()))["results"][0]["se"]["relative"] is None


def test_resamples_without_a_class_are_left_out():
    # Three subjects, one of whom has a mated comparison: a third of the resamples lack it.
    data = mated.Comparisons.from_arrays(
        [3, 1, 2, 4], probe_subject=["a", "a", "a", "b"], reference_subject=["a", "b", "c", "c"]
    )
    result = variability(mated.verify(data), fmr=0.5, replicates=(50,), runs=10, rng=1)
    assert all(math.isfinite(r.ends_to_width) for r in result.results)


def test_it_says_of_itself_what_it_found(repeated):
    assert repr(repeated).startswith("Variability('scores': B = ")
    assert "\n" not in repr(repeated)
    assert len(repeated.to_frame()) == 4
    assert "<table>" in repeated._repr_html_()
    assert json.loads(json.dumps(repeated.to_dict()))["rule"].startswith("the standard deviation of both")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"fmr": 2}, "between 0 and 1"),
        ({"fmr": 1e-9}, "no interval at an FMR of 1e-09"),
        ({"runs": 1}, "at least 2 runs"),
        ({"replicates": (1,)}, "at least 2 bootstrap replicates"),
        ({"replicates": (20.5,)}, "a whole number"),
        ({"replicates": ()}, "no number of bootstrap replicates"),
        ({"level": 95}, "between 0 and 1"),
        ({"tolerance": 0}, "share of the interval's width"),
        ({"intervals": "wilson"}, "'auto', 'iid' or 'subject'"),
        ({"intervals": "subject"}, "who was compared"),
        ({"rng": -1}, "a seed"),
    ],
)
def test_bad_input_gets_one_sentence(large, options, words):
    with pytest.raises(MatedError, match=words):
        variability(large, **options)
