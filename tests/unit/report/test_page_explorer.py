"""The explorer's stops: exact counts, the texts of the command line, every reported point among them."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from example_findings import SEED, full_findings, two_systems
from mated.evaluation import verify
from mated.io.write import write_comparisons
from mated.report import numbers_in_words as words
from mated.report.explorer import explorer_stops, stop_thresholds
from mated.report.figures.det import DetAxes
from mated.report.figures.rates import RatesAxes
from mated.report.figures.roc import RocAxes
from mated.scores import Tally


def _stops(v, bootstrap=None):
    systems = {v.name: v}
    return explorer_stops(v, bootstrap, RocAxes(systems), DetAxes(systems), RatesAxes(v))


def test_each_stop_counts_what_lies_at_or_above_its_threshold():
    table = two_systems()["alpha"]
    stops = _stops(verify(table, name="alpha")).stops
    for stop in stops:
        t = float(stop.typed)
        false_matches = int((table.score[~table.mated] >= t).sum())
        false_nonmatches = int((table.score[table.mated] < t).sum())
        assert stop.false_matches == words.count(false_matches)
        assert stop.false_nonmatches == words.count(false_nonmatches)
        assert stop.fmr == words.percent(false_matches / int((~table.mated).sum()))


def test_texts_are_those_of_the_estimate_at_the_typed_threshold():
    s = full_findings().systems["beta"]
    for stop in _stops(s.verification, s.bootstrap).stops[::9]:
        e = s.bootstrap.at_threshold(float(stop.typed))
        assert (stop.fmr, stop.fmr_interval) == (words.percent(e.point.fmr), words.between(e.fmr.low, e.fmr.high))
        assert (stop.fnmr, stop.fnmr_interval) == (words.percent(e.point.fnmr), words.between(e.fnmr.low, e.fnmr.high))


def test_the_command_prints_the_same_numbers(tmp_path):
    path = tmp_path / "alpha.csv"
    table = two_systems(subjects=30)["alpha"]
    write_comparisons(table, path)
    v = verify(path, name="alpha")
    found = _stops(v, v.bootstrap(100, rng=SEED))
    chosen = [found.stops[found.start], found.stops[20], found.stops[-20]]
    thresholds = ",".join(stop.typed for stop in chosen)
    code = "from mated.cli.main import run; run()"
    options = ["verify", str(path), f"--threshold={thresholds}", "--bootstrap", "100", "--seed", str(SEED)]
    said = subprocess.run(
        [sys.executable, "-c", code, *options],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env={**os.environ, "COLUMNS": "300"},
    ).stdout
    rows = [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in said.splitlines()]
    for stop in chosen:
        expected = [stop.shown, stop.fmr, stop.fmr_interval, stop.fnmr, stop.fnmr_interval]
        expected += [stop.false_matches, stop.false_nonmatches]
        assert expected in [[cell.removesuffix("\u00a0!") for cell in row[1:]] for row in rows], (stop, said)


def test_every_reported_operating_point_is_a_stop():
    v = full_findings().systems["alpha"].verification
    stops = _stops(v)
    thresholds = {float(stop.typed) for stop in stops.stops}
    for f in v.fmr_targets:
        assert float(v.at_fmr(f).threshold) in thresholds
        assert float(v.at_fmr(f).threshold_conservative) in thresholds
        place = stops.named[
            next(name for name in stops.named if name.endswith(f"{round(1 / f):,}".replace(",", "\u202f")))
        ]
        assert stops.stops[place].false_matches == words.count(v.at_fmr(f).errors_nonmated)
    assert float(v.eer().threshold) in thresholds


def test_thresholds_ascend_are_finite_and_some_two_hundred():
    for scores in (np.random.default_rng(1).normal(size=5000), np.arange(-2500, 2500) / 7):
        v = verify(Tally.from_scores(np.append(scores + 2, np.inf), np.append(scores, -np.inf)), name="x")
        found = stop_thresholds(v)
        assert found == sorted(set(found))
        assert np.isfinite(found).all()
        assert 50 < len(found) <= 220


def test_continuous_scores_get_thresholds_that_are_short_to_type():
    scores = np.random.default_rng(1).normal(size=(2, 4000))
    stops = _stops(verify(scores[0] + 2, scores[1], name="x")).stops
    plain = [stop for stop in stops if not stop.names]
    assert np.median([len(stop.typed) for stop in plain]) <= 8


@pytest.mark.parametrize("dissimilarity", [False, True])
def test_dissimilarities_are_explored_as_the_user_writes_them(dissimilarity):
    scores = np.round(np.random.default_rng(2).normal(size=(2, 500)), 2)
    sign = -1 if dissimilarity else 1
    v = verify(sign * (scores[0] + 2), sign * scores[1], dissimilarity=dissimilarity, name="x")
    for stop in _stops(v).stops[::10]:
        t = float(stop.typed)
        matches = sign * scores[1] <= t if dissimilarity else scores[1] >= t
        assert stop.false_matches == words.count(int(matches.sum()))


def test_coarse_and_separated_scores_have_stops_too():
    v = verify([3, 3, 4], [0, 1, 1, 1], fmr=0.3, name="x")
    stops = _stops(v).stops
    assert [s.shown for s in stops] == sorted({s.shown for s in stops}, key=int)
    assert json.dumps([s.to_json() for s in stops], allow_nan=False)
