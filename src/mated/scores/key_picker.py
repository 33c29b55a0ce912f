"""Picking the scores of some bins out of chunk after chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.scores.keys import KeyOrder

    Floats: TypeAlias = NDArray[np.floating[Any]]
    Flags: TypeAlias = NDArray[np.bool_]
    Picked: TypeAlias = tuple[NDArray[np.uint64], Flags]

__all__ = ["KeyPicker"]


class KeyPicker:
    """Picks keys and flags of the scores in wanted bins; NaN is never picked.

    Parameters
    ----------
    order, dissimilarity
        The keys of the type of scores, and whether these are turned round.
    wanted
        One for each wanted bin, 0 for the others.
    """

    def __init__(self, order: KeyOrder, dissimilarity: bool, wanted: NDArray[np.uint8]) -> None:
        self.wanted = wanted
        self._order, self._dissimilarity = order, dissimilarity
        self._constants = order.constants(dissimilarity)
        self._rows = np.zeros(0, dtype=np.int64)

    def pick(self, values: Floats, flags: Flags) -> Picked:
        """Return what is picked of a chunk, in its order."""
        from mated.scores.key_kernels import pick

        rows = self._room(len(values))
        return self._at(
            values, flags, pick(values.view(self._order.unsigned), flags, self._constants, self.wanted, rows)
        )

    def count_and_pick(
        self, values: Floats, flags: Flags, counts: NDArray[np.uint32]
    ) -> tuple[tuple[int, int], Picked]:
        """Count a chunk by bins as well; return how many are NaN, non-mated and mated, and what is picked."""
        from mated.scores.key_kernels import count_and_pick

        rows = self._room(len(values))
        bits = values.view(self._order.unsigned)
        *failed, found = count_and_pick(bits, flags, self._constants, counts, self.wanted, rows)
        return (failed[0], failed[1]), self._at(values, flags, found)

    def _room(self, size: int) -> NDArray[np.int64]:
        if len(self._rows) < size:
            self._rows = np.zeros(size, dtype=np.int64)
        return self._rows

    def _at(self, values: Floats, flags: Flags, found: int) -> Picked:
        rows = self._rows[:found]
        picked = values[rows]
        return self._order.keys(-picked if self._dissimilarity else picked), flags[rows]
