"""Order-preserving integer keys of floating-point scores.

Read as an unsigned integer, the bits of a float are its sign and its magnitude. Turned round for negative numbers and
moved up for the others they ascend with the scores: keys sort, compare and divide into ranges as the scores do, and
nothing is lost. The leading bits of a key name its bin. Bins are the same for all data of one type, whatever is in
them, so that counts by bin of any parts of the data can be added.

−0 has the key of 0. NaN has no place in the order and no key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mated.errors import MatedError
from mated.scores.validation import as_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BINS", "BITS", "KeyConstants", "KeyOrder", "as_floats", "key_order"]

BITS = 22
"""Leading bits of a key that name its bin: sign, exponent and 13 (float32) or 10 (float64) bits of the fraction.

They are fixed, as only counts by the same bins can be added.
"""

BINS = 1 << BITS

_BLOCK = 1 << 16


class KeyConstants(NamedTuple):
    """What makes keys of the bits of scores, as unsigned integers of their width for compiled loops.

    Attributes
    ----------
    sign, infinity
        The bit of the sign and the bits of +∞.
    top, shift
        How far bits are shifted to the right to give the sign, and a key to give its bin.
    turn
        The bit of the sign where scores are turned round, else 0.
    """

    sign: Any
    infinity: Any
    top: Any
    shift: Any
    turn: Any


@dataclass(frozen=True)
class KeyOrder:
    """The keys of one type of scores.

    Attributes
    ----------
    dtype
        float32 or float64.
    width
        Bits of a key.
    """

    dtype: np.dtype[Any]
    width: int

    @property
    def sign(self) -> int:
        """The key of 0, and the bit of the sign."""
        return 1 << (self.width - 1)

    @property
    def shift(self) -> int:
        """How far a key is shifted to the right to give its bin."""
        return self.width - BITS

    @property
    def infinity(self) -> int:
        """The bits of +∞."""
        return int(self.dtype.type(np.inf).view(self.unsigned))

    @property
    def lowest(self) -> int:
        """The key of −∞."""
        return self.sign - 1 - self.infinity

    @property
    def highest(self) -> int:
        """The key of +∞."""
        return self.sign + self.infinity

    @property
    def unsigned(self) -> np.dtype[Any]:
        """The unsigned integers as wide as a score."""
        return np.dtype(f"u{self.dtype.itemsize}")

    def keys(self, scores: NDArray[np.floating[Any]]) -> NDArray[np.uint64]:
        """Return the keys of scores of this type; NaN is refused.

        Beside the result only a small block is held.
        """
        if scores.dtype != self.dtype:
            raise MatedError(f"keys of {self.dtype} were asked for scores of type {scores.dtype}; convert them first")
        keys = np.empty(scores.shape, dtype=np.uint64)
        for begin in range(0, scores.size, _BLOCK):
            block = scores.reshape(-1)[begin : begin + _BLOCK]
            if np.isnan(block).any():
                raise MatedError("NaN has no place among scores and no key; take it out or count it as a failure")
            bits = (block + self.dtype.type(0)).view(self.unsigned)  # −0 + 0 is 0
            negative = bits >= self.sign
            # All bits are turned round for negative numbers, the bit of the sign for others.
            np.bitwise_xor(bits, self.unsigned.type(self.sign), out=bits, where=~negative)
            np.invert(bits, out=bits, where=negative)
            keys.reshape(-1)[begin : begin + _BLOCK] = bits
        return keys

    def scores(self, keys: NDArray[np.uint64]) -> NDArray[np.floating[Any]]:
        """Return the scores of keys."""
        bits = keys.astype(self.unsigned)
        positive = bits >= self.sign
        np.bitwise_xor(bits, self.unsigned.type(self.sign), out=bits, where=positive)
        np.invert(bits, out=bits, where=~positive)
        return bits.view(self.dtype)

    def constants(self, dissimilarity: bool) -> KeyConstants:
        """Return what compiled loops need to know."""
        turn = self.sign if dissimilarity else 0
        kind = self.unsigned.type
        return KeyConstants(*(kind(c) for c in (self.sign, self.infinity, self.width - 1, self.shift, turn)))

    def key(self, score: float) -> int:
        """Return the key of one score, rounded to this type first."""
        with np.errstate(over="ignore"):
            return int(self.keys(np.array([score]).astype(self.dtype))[0])


_ORDERS = {name: KeyOrder(np.dtype(name), 8 * np.dtype(name).itemsize) for name in ("float32", "float64")}


def key_order(dtype: Any) -> KeyOrder:
    """Return the keys of float32 or float64 scores."""
    order = _ORDERS.get(np.dtype(dtype).name)
    if order is None:
        raise MatedError(f"scores have keys as float32 or float64, not as {np.dtype(dtype)}; convert them first")
    return order


def as_floats(values: Any, what: str) -> NDArray[np.floating[Any]]:
    """Return a chunk of scores as a contiguous array: float32 stays, integers and all else become float64."""
    scores = as_scores(values, what)
    if scores.dtype.kind != "f":
        scores = scores.astype(np.float64)
    native = scores.dtype.newbyteorder("=")
    return np.ascontiguousarray(scores, dtype=native)
