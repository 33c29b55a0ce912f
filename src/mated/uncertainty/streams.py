"""Random streams that do not depend on how the work is divided.

Replicates are drawn in blocks of fixed size. Each block has a generator of its own, made from the seed, the name
of what is drawn and the number of the block. So the first replicates stay the same when more are asked for, and
on any number of threads.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from mated.errors import MatedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["BLOCK", "block_generator", "draw_in_blocks", "seed_of"]

BLOCK = 2000
"""Replicates in a block: as many as Wu (2008) draws, so that the usual job is one block."""


def seed_of(rng: int | np.random.Generator | None) -> int:
    """Return a seed: the one given, one drawn from the generator given, or a fresh one."""
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63))
    if rng is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> 1)
    if not isinstance(rng, int | np.integer) or rng < 0:
        raise MatedError(f"a seed is a whole number from 0 up, and {rng!r} is none")
    return int(rng)


def block_generator(seed: int, name: str, block: int) -> np.random.Generator:
    """Return the generator of one block of one named draw."""
    return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence([seed, crc32(name.encode()), block])))


def draw_in_blocks(
    draw: Callable[[np.random.Generator, int], tuple[NDArray[Any], ...]],
    *,
    replicates: int,
    seed: int,
    name: str,
    threads: int = 1,
) -> tuple[NDArray[Any], ...]:
    """Call `draw(generator, BLOCK)` for as many blocks as needed and join the arrays along their first axis.

    Every block is drawn whole and the last one cut, so that the numbers do not depend on `replicates`.
    """
    if replicates < 2:
        raise MatedError(f"at least 2 bootstrap replicates are needed for a spread, not {replicates}")
    blocks = range(-(-replicates // BLOCK))

    def one(block: int) -> tuple[NDArray[Any], ...]:
        return draw(block_generator(seed, name, block), BLOCK)

    if threads > 1 and len(blocks) > 1:
        with ThreadPoolExecutor(threads) as pool:
            parts = list(pool.map(one, blocks))
    else:
        parts = [one(block) for block in blocks]
    return tuple(np.concatenate(arrays)[:replicates] for arrays in zip(*parts, strict=True))
