"""Every result can be held, printed, shown in a notebook and turned into a dictionary and a frame."""

from __future__ import annotations

import dataclasses

import polars as pl
import pytest

import mated
from mated.evaluation.inspection import inspect
from mated.evaluation.variability import variability
from mated.synthetic import GaussianIdentities
from mated.synthetic.quality import draw_qualities

PEOPLE = GaussianIdentities().draw(12, 3, rng=3)


def results():
    a, b = (mated.verify(PEOPLE.comparisons(s), name="<b>x</b>" + s, tmr=0.9, threshold=0.5) for s in ("llr", "cosine"))
    drawn = draw_qualities((0.1, 0.5), subjects=30, samples=3, nonmated=100, rng=1)
    judged = {name: dict(zip(drawn.sample_names, q.tolist(), strict=True)) for name, q in drawn.quality.items()}
    yield a
    yield a.bootstrap(20, rng=1)
    yield mated.compare(a, b, fmr=0.1, replicates=20, rng=1, names=["<b>x</b>", "y"])
    yield mated.identify(PEOPLE.matrix(), replicates=10, name="<b>x</b>")
    yield mated.predict(a, gallery=20, replicates=10)
    yield mated.quality(drawn.comparisons(), judged, replicates=10)
    yield mated.plan(fmr=1e-2, pilot=a)
    yield variability(a, replicates=[50], runs=10, rng=1)
    yield mated.report({"<b>x</b>": PEOPLE.comparisons()}, replicates=20)
    yield inspect(pl.DataFrame({"score": [1, 2, 3, 4], "mated": [0, 1, 0, 1], "<b>": [1, 1, 2, 2]}))


RESULTS = [pytest.param(r, id=type(r).__name__) for r in results()]


@pytest.mark.parametrize("result", RESULTS)
def test_a_result_shows_itself_in_a_notebook_without_running_what_it_shows(result):
    shown = result._repr_html_()
    assert shown.startswith("<table")
    assert "<b>" not in shown


@pytest.mark.parametrize("result", RESULTS)
def test_a_result_is_frozen_and_has_one_line_and_a_dictionary(result):
    assert dataclasses.is_dataclass(result)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.name = "other"
    assert "\n" not in repr(result)
    assert isinstance(result.to_dict(), dict)


@pytest.mark.parametrize("result", [r for r in RESULTS if not isinstance(r.values[0], mated.Report)])
def test_a_result_has_a_frame_with_a_row(result):
    assert result.to_frame().height
