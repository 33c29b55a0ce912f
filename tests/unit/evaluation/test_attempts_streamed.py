"""FRR and FAR of comparisons read in chunks: the same, to the last bit, as of those held in memory."""

from __future__ import annotations

from functools import partial

import numpy as np
import polars as pl
import pytest

from mated import verify
from mated.evaluation.streaming import stream_by, verify_scan
from mated.evaluation.verification import OperatingPoints
from mated.io.scanning import Scan, ScanPart
from mated.verification.failures import FailureRates

POINTS = OperatingPoints((0.05, 0.01), (0.9,), (1.0,))
SUBJECTS = ("probe_subject", "reference_subject")


@pytest.fixture(scope="module")
def frame():
    """6000 comparisons of 80 people, 3 % without a score and, of two people, a third."""
    rng = np.random.default_rng(2)
    mated = rng.random(6000) < 0.3
    probe = rng.integers(0, 80, 6000)
    reference = np.where(mated, probe, (probe + rng.integers(1, 80, 6000)) % 80)
    score = np.where(mated, rng.normal(2, 1, 6000), rng.normal(0, 1, 6000)).round(2)
    score[(rng.random(6000) < 0.03) | ((probe < 2) & (rng.random(6000) < 0.3))] = np.nan
    return pl.DataFrame(
        {
            "score": pl.Series(score, nan_to_null=True),
            "mated": mated,
            "probe_subject": probe.astype(str),
            "reference_subject": reference.astype(str),
            "sensor": np.where(rng.random(6000) < 0.5, "old", "new"),
        }
    )


def batches(frame, columns):
    yield from frame.select(columns).iter_slices(700)


def scan_of(frame, *, knows=("score", "mated"), dissimilarity=False):
    parts = tuple(ScanPart(f"part {k}", partial(batches, f), f.height) for k, f in enumerate(frame.iter_slices(2500)))
    return Scan(
        "table",
        parts,
        knows=frozenset(knows),
        covariates=("sensor",),
        dissimilarity=dissimilarity,
        unit="auto",
        nan="failure",
    )


def entries(verification):
    return verification.bootstrap(60, rng=1).to_dict()["with_failures"]


@pytest.mark.parametrize("dissimilarity", [False, True])
@pytest.mark.parametrize("known", [(), SUBJECTS])
def test_read_in_chunks_or_held_the_rates_and_intervals_are_the_same(frame, known, dissimilarity):
    sign = -1 if dissimilarity else 1
    given = frame.with_columns(pl.col("score") * sign)
    points = OperatingPoints(POINTS.fmr, POINTS.tmr, (sign * 1.0,))
    streamed = verify_scan(
        scan_of(given, knows=("score", "mated", *known), dissimilarity=dissimilarity),
        points=points,
        failures=FailureRates.of(fte="3/100"),
    )
    held = verify(
        given.select("score", "mated", *known),
        nan="failure",
        dissimilarity=dissimilarity,
        fmr=POINTS.fmr,
        tmr=POINTS.tmr,
        threshold=sign * 1.0,
        fte="3/100",
    )
    assert entries(streamed) == entries(held)
    assert entries(streamed)["at_threshold"][0]["frr_low"] is not None


def test_groups_read_in_chunks_are_the_same_too(frame):
    streamed = stream_by(scan_of(frame, knows=("score", "mated", *SUBJECTS)), ["sensor"], points=POINTS)
    held = verify(frame, nan="failure", fmr=POINTS.fmr, tmr=POINTS.tmr, threshold=1.0).by("sensor")
    assert list(streamed) == list(held)
    for name in held:
        assert entries(streamed[name]) == entries(held[name])
