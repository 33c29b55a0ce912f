"""Sample names that several subjects share: numbers within each subject, or a sample under two subjects by mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from mated.scores.ids import PairIds

__all__ = ["check_one_subject_each", "check_shared_names"]

_MOST = 0.75


def check_one_subject_each(samples: PairIds, owner: NDArray[np.int64]) -> list[str]:
    """Refuse a sample that is listed under two subjects, and note where names are numbers within each subject.

    People number samples 1, 2, 3 within each subject, and `within` tells such samples apart by their subject. A sample
    that is listed under a wrong subject now and then is split in two by that. Names are taken as numbers within each
    subject where one name is shared by more than half of the subjects, three at least, or where three quarters of the
    samples have a name that others share and the samples of one name met the same sample on the other side, which one
    sample would meet once. Otherwise they are a mistake.

    `owner` is the subject of each sample. Probes and references are looked at apart: their names may be of two kinds.
    """
    if samples.given is None:
        return []
    sides = {side: np.unique(getattr(samples, side)) for side in ("probe", "reference")}

    def met_twice(side: str, name_of: NDArray[np.int64]) -> bool:
        other = "reference" if side == "probe" else "probe"
        pairs = np.unique(np.stack([getattr(samples, side), getattr(samples, other)]), axis=1)
        return bool(np.unique(np.stack([name_of[pairs[0]], pairs[1]]), axis=1).shape[1] < pairs.shape[1])

    return check_shared_names(samples.names, samples.given, sides, owner, met_twice)


def check_shared_names(
    names: Sequence[str],
    given: Sequence[str],
    sides: Mapping[str, NDArray[np.int64]],
    owner: NDArray[np.int64],
    met_twice: Callable[[str, NDArray[np.int64]], bool],
) -> list[str]:
    """Judge as `check_one_subject_each`, from what it needs to know of the comparisons.

    `names` and `given` are those of each sample, `sides` the samples of the probe and of the reference side.
    `met_twice` tells whether two samples of one name on a side met the same sample; it is given the side and, for each
    sample of that side, the number of its name.
    """
    as_given = np.array(given)
    for side, codes in sides.items():
        known, name, count = np.unique(as_given[codes], return_inverse=True, return_counts=True)
        if count.max(initial=0) < 2:
            continue
        name_of = np.full(len(names), -1)
        name_of[codes] = name
        if _are_numbers(owner[codes], count) or (
            np.count_nonzero(count[name] > 1) >= _MOST * len(codes) and met_twice(side, name_of)
        ):
            continue
        shared = int(np.flatnonzero(count > 1)[0])
        first, second, *_ = (names[code] for code in codes[name == shared].tolist())
        raise MatedError(
            f"{side} {str(known[shared])!r} is listed under {count[shared]} subjects, as {first!r} and {second!r} "
            f"({np.count_nonzero(count > 1)} of {len(known)} {side} names are under more than one); a {side} has one "
            "subject: correct the subjects, or give every sample a name of its own"
        )
    return ["samples of one name and different subjects are different samples"]


def _are_numbers(subject: NDArray[np.int64], count: NDArray[np.int64]) -> bool:
    """Say whether one name is shared by more than half of the subjects, three at least."""
    widest = int(count.max())
    return widest >= 3 and 2 * widest > len(np.unique(subject))
