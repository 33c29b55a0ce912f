"""Every key that a command prints as JSON stands in docs/reference/json.md, in the section of the command."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from mated import compare, identify, plan, predict, quality, verify
from mated.engine import Limits
from mated.evaluation.inspection import inspect
from mated.evaluation.streaming import StreamOptions, verify_scan
from mated.evaluation.variability import variability
from mated.evaluation.verification import OperatingPoints
from mated.synthetic import GaussianIdentities
from mated.synthetic.quality import draw_qualities
from scans import scan_of

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "json.md"
PEOPLE = GaussianIdentities().draw(12, 3, rng=3)


def documented(section):
    """The words in code type of one section: the keys it names, with names that vary left out."""
    parts = re.split(r"^## (\w+)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    sections = {"verify": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}
    return set(re.findall(r"[a-z_0-9]+", " ".join(re.findall(r"`([^`]*)`", sections[section]))))


def keys(value, *, named=()):
    """All keys within, except those that are names of systems, statistics or rates."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            if key in named:
                for inner in item.values():
                    yield from keys(inner, named=named)
            else:
                yield from keys(item, named=named)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from keys(item, named=named)


def results():
    a, b = (verify(PEOPLE.comparisons(scorer), name=scorer, threshold=0.5, tmr=0.9) for scorer in ("llr", "cosine"))
    yield "verify", a.bootstrap(20, rng=1).to_dict()
    failed = np.where(np.arange(200) % 20 == 0, np.nan, np.arange(200.0))
    unscored = verify(failed[50:], failed[:150], nan="failure", threshold=80, tmr=0.9, fte="1/20", fta=0.1)
    yield "verify", unscored.bootstrap(20, rng=1).to_dict()
    frame = pl.DataFrame({"score": failed[1:20] ** 0.5, "mated": np.arange(19) > 12})
    few = StreamOptions(limits=Limits(whole=0, most=1, split=1))
    yield "verify", verify_scan(scan_of(frame), points=OperatingPoints(), options=few).bootstrap(20, rng=1).to_dict()
    yield "compare", compare(a, b, fmr=0.1, replicates=20, rng=1).to_dict()
    searched = identify(PEOPLE.matrix(decimals=0), fpir=0.5, threshold=1, probes="mate removed", replicates=10)
    yield "identify", searched.to_dict()
    options = {"fpir": 0.5, "threshold": 1.0, "replicates": 10, "method": "individual"}
    yield "predict", predict(a, gallery=20, **options).to_dict()
    drawn = draw_qualities((0.1, 0.5), subjects=30, samples=3, nonmated=100, rng=1)
    judged = {name: dict(zip(drawn.sample_names, q.tolist(), strict=True)) for name, q in drawn.quality.items()}
    for kind in ({"stability": True, "scalars": True, "curves": True}, {"type": "fc", "rate": 0.1}, {"type": "det"}):
        yield "quality", quality(drawn.comparisons(), judged, replicates=10, **kind).to_dict()
    yield "plan", plan(fmr=1e-2, pilot=a).to_dict()
    yield "plan", plan(fmr=1e-2, subjects=50).to_dict()
    yield "variability", variability(a, replicates=[50], runs=10, rng=1).to_dict()
    frame = {
        "mated": [1, 0, 0],
        "probe_sample": ["a", "a", "b"],
        "reference_sample": ["b", "c", "c"],
        "group": [1, 1, 2],
    }
    yield "inspect", inspect(pl.DataFrame({**frame, "score": [3, 2, 1]})).to_dict()


@pytest.mark.parametrize(("section", "result"), [pytest.param(*r, id=f"{r[0]}-{k}") for k, r in enumerate(results())])
def test_every_key_of_a_command_is_documented(section, result):
    named = ("rankings", "claims", "intervals", "beside", "individual") if section != "verify" else ()
    named += ("algorithms", "curves", "scalars", "placements") if section == "quality" else ()
    undocumented = set(keys(result, named=named)) - documented(section)
    assert not undocumented
