"""Ranks and statistics of subjects counted by worker processes are those in memory."""

from __future__ import annotations

import polars as pl
import pytest

import mated
from mated.engine import DaskRunner
from mated.engine.rank_chunks import stream_ranks
from mated.engine.subject_chunks import stream_subject_pairs, stream_subject_tallies
from mated.evaluation.resampling import SubjectResampling
from mated.evaluation.streaming_sources import scoring_of
from mated.io.scanning import scan
from mated.io.write import write_comparisons
from mated.scores.ranking import rank
from mated.scores.subject_pairs import SubjectPairs
from mated.scores.subject_tallies import SubjectTallies
from mated.synthetic import GaussianIdentities

pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def runner():
    with DaskRunner(workers=2) as opened:
        yield opened


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Each sample against each other, once, in 12 row groups."""
    here = tmp_path_factory.mktemp("cluster")
    table = GaussianIdentities((0.8, 0.8)).draw(30, 4, rng=2).comparisons("llr", scale=10, decimals=0)
    write_comparisons(table, here / "scores.csv")
    frame = pl.read_csv(here / "scores.csv").sample(fraction=1.0, shuffle=True, seed=1)
    frame.write_parquet(here / "scores.parquet", row_group_size=600)
    return here / "scores.parquet"


def test_all_three_statistics_are_those_in_memory(runner, path):
    found, whole = scan(path, rows_per_part=600), mated.read(path)
    assert len(found.parts) == 12
    shared = {"scoring": scoring_of(found), "knows": found.knows, "runner": runner}
    ranks, expected = stream_ranks(found.parts, **shared), rank(whole)
    for name in ("subject", "above", "tied", "others", "mate_score", "best_other"):
        assert getattr(ranks, name).tobytes() == getattr(expected, name).tobytes()
    tallies, expected = stream_subject_tallies(found.parts, **shared), SubjectTallies.of(whole)
    assert tallies.symmetric == expected.symmetric
    assert tallies.nonmated_above.tobytes() == expected.nonmated_above.tobytes()
    pairs = stream_subject_pairs(found.parts, tail_above=-20.0, **shared)
    drawn, expected = (
        SubjectResampling(whole.tally(), p, 100, seed=3).at_fmr([0.01, 0.1]) for p in (pairs, SubjectPairs.of(whole))
    )
    assert [array.tobytes() for array in drawn] == [array.tobytes() for array in expected]


def test_a_person_identifies_on_a_cluster(runner, path):
    found = mated.identify(path, engine="dask", scheduler=runner.client, replicates=0)
    assert found.cmc(1) == mated.identify(path, replicates=0).cmc(1)
