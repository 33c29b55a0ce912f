"""Synthetic qualities are what section VI of Schlett et al. (2023) describes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mated.errors import MatedError
from mated.quality import SampleQualities, pair_qualities, ranking_grid, starting_errors
from mated.quality.stability import STARTING_ERRORS
from mated.synthetic.quality import VARIANT_1, VARIANT_2, draw_qualities


def test_the_default_has_the_size_of_the_paper():
    """50,000 · 5 samples, 50,000 · (5 choose 2) mated pairs."""
    data = draw_qualities(rng=1)
    assert len(data.utility) == 250_000
    assert len(data.mated_score) == 500_000
    assert list(data.quality) == ["SQA1 (0.05)", "SQA2 (0.10)", "SQA3 (0.15)", "SQA4 (0.20)", "SQA5 (0.25)"]
    assert next(iter(draw_qualities(VARIANT_2, subjects=1, rng=1).quality)) == "SQA1 (0.01)"


def test_scores_are_pairwise_minima_of_uniform_utilities_and_qualities_are_offset():
    data = draw_qualities((0.1, 0.3), subjects=2000, samples=3, rng=2)
    pairs = [(3 * p + a, 3 * p + b) for p in range(2000) for a, b in itertools.combinations(range(3), 2)]
    assert list(zip(*(side.tolist() for side in data.mated_pairs), strict=True)) == pairs
    assert data.mated_score.tolist() == [min(data.utility[a], data.utility[b]) for a, b in pairs]
    # 6,000 uniform numbers: mean 0 ± .0075, variance 1/3 ± .004; four standard errors.
    assert abs(data.utility.mean()) < 0.03
    assert data.utility.var() == pytest.approx(1 / 3, abs=0.016)
    assert np.abs(data.utility).max() <= 1
    for scale, quality in zip(data.scales, data.quality.values(), strict=True):
        offset = (quality - data.utility) / scale
        assert 0.99 < np.abs(offset).max() <= 1 + 1e-9
        assert offset.var() == pytest.approx(1 / 3, abs=0.016)
    offsets = [(q - data.utility) / s for s, q in zip(data.scales, data.quality.values(), strict=True)]
    assert abs(np.corrcoef(*offsets)[0, 1]) < 4 / np.sqrt(6000)


def test_algorithms_can_share_one_offset():
    data = draw_qualities((0.1, 0.3), subjects=10, shared_offset=True, rng=2)
    first, second = ((q - data.utility) / s for s, q in zip(data.scales, data.quality.values(), strict=True))
    np.testing.assert_allclose(first, second, atol=1e-12)


def test_the_table_carries_subjects_samples_and_both_classes():
    data = draw_qualities((0.1,), subjects=30, samples=4, nonmated=500, rng=3)
    table = data.comparisons()
    assert (int(table.mated.sum()), len(table)) == (180, 680)
    assert table.n_subjects == 30
    assert not table.samples.same.any()
    assert table.subjects.same[:180].all()
    assert not table.subjects.same[180:].any()
    assert table.samples.names == tuple(sorted(table.samples.names))
    paired = pair_qualities(table, SampleQualities.from_arrays(data.sample_names, data.quality))
    assert paired.values["SQA1 (0.10)"][:180].tolist() == data.pair_quality("SQA1 (0.10)").tolist()
    assert (table.score[180:] >= -1).all()
    assert (table.score[180:] <= 0).all()


def test_utilities_of_another_shape_are_another_data_set():
    """Beta(5, 2) on [−1, 1] has mean 2·5/7 − 1 = 3/7 and standard deviation .32; 5,000 of them, four errors."""
    data = draw_qualities((0.1,), subjects=1000, shape=(5, 2), rng=4)
    assert data.utility.mean() == pytest.approx(3 / 7, abs=4 * 0.32 / np.sqrt(5000))


def test_the_same_seed_draws_the_same():
    one, other = (draw_qualities(VARIANT_1, subjects=50, nonmated=20, rng=9) for _ in range(2))
    assert np.array_equal(one.utility, other.utility)
    assert np.array_equal(one.nonmated_score, other.nonmated_score)
    assert all(np.array_equal(one.quality[a], other.quality[a]) for a in one.quality)


def test_high_limits_find_the_expected_ranking():
    """Section VI: at higher discard limits the rankings approximate the expected one."""
    data = draw_qualities(VARIANT_1, subjects=5000, rng=5)
    paired = pair_qualities(data.comparisons(), SampleQualities.from_arrays(data.sample_names, data.quality))
    starts = starting_errors(paired.comparisons.tally()).nearest_each(STARTING_ERRORS)
    grid = ranking_grid(paired.orders(limit=0.2), starts)
    apart = grid.divergence(data.scales)
    assert apart[:, -1].max() < 1
    assert apart[:, 0].max() > 1.5
    means = [row.mean for row in grid.statistics()]
    assert means == sorted(means)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"subjects": 0}, "at least one subject"),
        ({"samples": 1}, "two samples of each"),
        ({"scales": ()}, "there must be one at least"),
        ({"scales": (-0.1,)}, "must not be negative"),
        ({"subjects": 1, "nonmated": 3}, "two subjects or more"),
        ({"shape": (0, 1)}, "two positive numbers"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options, message):
    with pytest.raises(MatedError, match=message):
        draw_qualities(**{"subjects": 3, **options})
