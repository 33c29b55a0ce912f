"""The scores that are timed: the sizes of Wu (2008), larger ones, and people who recur.

The environment of the peers reads this too, and has no `mated`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mated.scores import Comparisons, Tally

__all__ = ["continuous", "distinct", "fine_integers", "histogram", "integers", "labelled", "many", "people"]

MATED, NONMATED = 60_000, 120_000


def integers() -> tuple[np.ndarray, np.ndarray]:
    """60,000 mated and 120,000 non-mated integer scores with ties."""
    return tuple(np.round(100 * scores + 300).astype(np.int64) for scores in continuous())


def fine_integers() -> tuple[np.ndarray, np.ndarray]:
    """The same in steps a hundred times finer, as four decimals would be."""
    return tuple(np.round(10_000 * scores + 30_000).astype(np.int64) for scores in continuous())


def continuous() -> tuple[np.ndarray, np.ndarray]:
    """The same as float64 without ties."""
    rng = np.random.default_rng(7495)
    return rng.normal(3, 1, MATED), rng.normal(0, 1, NONMATED)


def many() -> tuple[np.ndarray, np.ndarray]:
    """Two million mated and eighteen million non-mated float32 scores."""
    rng = np.random.default_rng(20)
    return tuple(rng.standard_normal(n, dtype=np.float32) + np.float32(m) for n, m in ((2_000_000, 3), (18_000_000, 0)))


def labelled(scores: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The scores in one array with a label each, as classification libraries want them."""
    mated, nonmated = scores
    return np.r_[np.ones(len(mated)), np.zeros(len(nonmated))], np.concatenate([mated, nonmated])


def histogram(comparisons: int) -> Tally:
    """Counts of any number of comparisons, a tenth of them mated, at about 1,000 whole-number scores."""
    from mated.scores import Tally

    rng, steps = np.random.default_rng(1000), np.arange(1000)
    counts = []
    for mean, size in ((700, comparisons // 10), (400, comparisons - comparisons // 10)):
        density = np.exp(-(((steps - mean) / 100) ** 2) / 2)
        counts.append(rng.multinomial(size, density / density.sum()))
    return Tally.from_counts(steps, *counts)


def distinct(comparisons: int) -> Tally:
    """As many distinct float64 scores as comparisons, a tenth of them mated."""
    from mated.scores import Tally

    rng = np.random.default_rng(comparisons)
    mated = comparisons // 10
    return Tally.from_scores(rng.normal(3, 1, mated), rng.normal(0, 1, comparisons - mated))


def people() -> Comparisons:
    """Every sample of 300 people with 10 samples each against every other, log-likelihood ratios."""
    from mated.synthetic import GaussianIdentities

    return GaussianIdentities().draw(300, 10, rng=300).comparisons()
