"""A verification read in chunks is that of memory in every number it does not declare, however it is cut."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

import mated
from mated.engine import Limits
from mated.evaluation.streaming import StreamOptions, verify_scan
from mated.evaluation.verification import OperatingPoints
from scans import beyond_declared, scan_of
from strategies import targets

# Bins of float64 are 2^-10 wide from 1 to 2: scores at their edges, next to them, and several within.
_at_edges = st.tuples(st.integers(0, 30), st.sampled_from([-(2.0**-40), 0.0, 2.0**-40, 2.0**-12])).map(
    lambda pair: 1 + pair[0] * 2.0**-10 + pair[1]
)
_kinds = st.sampled_from([_at_edges, st.integers(0, 60).map(float), st.integers(7000, 7090).map(lambda n: n / 100)])


@st.composite
def tables(draw):
    """Up to 400 comparisons of a few people, both classes present, with a column of groups."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    size, subjects = draw(st.integers(60, 400)), draw(st.integers(4, 12))
    pool = np.array(draw(st.lists(draw(_kinds), min_size=20, max_size=80)))
    probe = rng.integers(0, subjects, size)
    reference = np.where(rng.random(size) < 0.3, probe, rng.integers(0, subjects, size))
    probe[:4], reference[:4] = [0, 1, 0, 1], [0, 1, 1, 2]
    score = np.where(
        probe == reference, np.maximum(rng.choice(pool, size), rng.choice(pool, size)), rng.choice(pool, size)
    )
    return pl.DataFrame(
        {
            "score": score,
            "probe_subject": [f"p{k}" for k in probe],
            "reference_subject": [f"p{k}" for k in reference],
            "site": rng.choice(["a", "b"], size).tolist(),
        }
    )


@settings(max_examples=25)
@given(st.data())
def test_every_number_that_is_not_declared_is_that_of_memory(data):
    frame = data.draw(tables())
    known = data.draw(st.booleans())
    if not known:
        frame = frame.select("score", "site", mated=pl.col("probe_subject") == pl.col("reference_subject"))
    points = {
        "fmr": tuple(data.draw(st.lists(targets, min_size=1, max_size=2, unique=True))),
        "tmr": tuple(data.draw(st.lists(targets, max_size=1))),
        "threshold": tuple(data.draw(st.lists(st.sampled_from(frame["score"].to_list()), max_size=1))),
    }
    edges = data.draw(st.lists(st.integers(0, frame.height), max_size=3))
    scan = scan_of(frame, edges=edges, batches=data.draw(st.integers(1, 4)))
    limits = Limits(whole=0, most=data.draw(st.sampled_from([40, 10**6])), split=100)
    streamed = verify_scan(scan, points=OperatingPoints(**points), options=StreamOptions(limits=limits))
    memory = mated.verify(frame, **points)
    options = {"replicates": 30, "rng": 7, "intervals": "subject" if known else "iid"}
    found, expected = streamed.bootstrap(**options).to_dict(), memory.bootstrap(**options).to_dict()
    different = beyond_declared(found, expected)
    if found["streaming"] is not None:
        # What was given up is named, and nothing else differs.
        given_up = set(found["streaming"]["inexact"])
        if "eer intervals" in given_up:
            different = [d for d in different if not d[0].startswith("/eer/") or d[0] == "/eer/value"]
        if "eer by rocch" in given_up:
            different = [d for d in different if d[0] != "/eer/by_definition/rocch"]
    assert not different


@settings(max_examples=15)
@given(st.data())
def test_groups_are_those_of_memory(data):
    frame = data.draw(tables())
    scan = scan_of(frame, edges=data.draw(st.lists(st.integers(0, frame.height), max_size=2)))
    limits = Limits(whole=data.draw(st.sampled_from([0, 10**6])), most=10**6, split=100)
    points = {"fmr": (0.1,), "tmr": (0.8,)}
    whole = verify_scan(scan, points=OperatingPoints(**points), options=StreamOptions(limits=limits))
    found, expected = (v.by("site") for v in (whole, mated.verify(frame, **points)))
    assert list(found) == list(expected)
    assert found.notes == expected.notes
    for name in found:
        assert found[name].tally.unit == expected[name].tally.unit
        pair = [vs[name].bootstrap(20, rng=2, intervals="iid").to_dict() for vs in (found, expected)]
        assert not beyond_declared(*pair)
