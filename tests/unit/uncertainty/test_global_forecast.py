"""Predictions from the global distributions with subjects drawn anew: against repeated comparisons."""

from __future__ import annotations

import numpy as np
import pytest

from mated.scores.subject_pairs import SubjectPairs
from mated.scores.tally import Tally
from mated.synthetic import GaussianIdentities
from mated.uncertainty.global_forecast import draw_global_cmc, global_cmc, weighted_tallies
from mated.uncertainty.pigeonhole import draw_weights

SIZES, RANKS = [2, 50, 10**6], [[1], [1, 5, 50], [1, 10]]


@pytest.fixture(scope="module", params=[None, 0])
def table(request):
    """Continuous scores, and whole numbers with many ties."""
    return GaussianIdentities().draw(12, 3, rng=2).comparisons(decimals=request.param)


def repeated(table, weights):
    """The comparisons of a replicate, each listed as often as it weighs."""
    times = np.where(
        table.mated,
        weights[table.subjects.probe].astype(int),
        weights[table.subjects.probe].astype(int) * weights[table.subjects.reference],
    )
    return np.repeat(table.score, times), np.repeat(table.mated, times)


@pytest.mark.parametrize("method", ["global", "bolle", "narrow"])
def test_a_replicate_predicts_what_its_repeated_comparisons_predict(table, method):
    pairs = SubjectPairs.of(table)
    drawn = draw_global_cmc(pairs, method, SIZES, RANKS, replicates=6, seed=5)
    for row, weights in enumerate(draw_weights(pairs.n_subjects, 6, 5)):
        scores, mated = repeated(table, weights)
        whole = Tally.from_scores(scores[mated], scores[~mated], unit="continuous")
        for place, (size, ranks) in enumerate(zip(SIZES, RANKS, strict=True)):
            assert drawn[place][row] == pytest.approx(global_cmc(whole, method, size, ranks), abs=1e-12)


def test_a_tally_at_the_mated_scores_has_the_rates_of_the_whole_one(table):
    pairs = SubjectPairs.of(table)
    tally = next(weighted_tallies(pairs, np.ones((1, pairs.n_subjects), dtype=np.uint8)))
    whole = table.tally()
    assert (tally.n_mated, tally.n_nonmated) == (whole.n_mated, whole.n_nonmated)
    for score in np.unique(pairs.mated_score):
        assert tally.nonmated_at_or_above[np.searchsorted(tally.scores, score)] == np.sum(pairs.score >= score)


def test_a_replicate_without_a_pair_predicts_nothing():
    table = GaussianIdentities().draw(3, 2, rng=1).comparisons()
    only_one = np.array([[3, 0, 0], [1, 1, 1]], dtype=np.uint8)
    first, second = weighted_tallies(SubjectPairs.of(table), only_one)
    assert first is None
    assert second is not None


def test_the_first_replicates_stay_when_more_are_drawn(table):
    pairs = SubjectPairs.of(table)
    few, more = (draw_global_cmc(pairs, "bolle", [50], [[1]], replicates=b, seed=3)[0] for b in (3, 7))
    assert np.array_equal(few, more[:3])
