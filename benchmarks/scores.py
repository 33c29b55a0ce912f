"""The scores that are timed: the sizes of Wu (2008), and twenty million."""

from __future__ import annotations

import numpy as np

__all__ = ["continuous", "integers", "labelled", "many"]

MATED, NONMATED = 60_000, 120_000


def integers() -> tuple[np.ndarray, np.ndarray]:
    """60,000 mated and 120,000 non-mated integer scores with ties."""
    return tuple(np.round(100 * scores + 300).astype(np.int64) for scores in continuous())


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
