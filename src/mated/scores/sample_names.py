"""Sample names that several subjects share: numbers within each subject, or a sample under two subjects by mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.scores.ids import PairIds

__all__ = ["check_one_subject_each"]

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
    given = np.array(samples.given)
    for side, other in (("probe", "reference"), ("reference", "probe")):
        codes = np.unique(getattr(samples, side))
        names, name, count = np.unique(given[codes], return_inverse=True, return_counts=True)
        if count.max(initial=0) < 2 or _are_numbers(samples, side, other, owner[codes], codes, name, count):
            continue
        shared = int(np.flatnonzero(count > 1)[0])
        first, second, *_ = (samples.names[code] for code in codes[name == shared].tolist())
        raise MatedError(
            f"{side} {str(names[shared])!r} is listed under {count[shared]} subjects, as {first!r} and {second!r} "
            f"({np.count_nonzero(count > 1)} of {len(names)} {side} names are under more than one); a {side} has one "
            "subject: correct the subjects, or give every sample a name of its own"
        )
    return ["samples of one name and different subjects are different samples"]


def _are_numbers(
    samples: PairIds,
    side: str,
    other: str,
    subject: NDArray[np.int64],
    codes: NDArray[np.int64],
    name: NDArray[np.int64],
    count: NDArray[np.int64],
) -> bool:
    widest = int(count.max())
    if widest >= 3 and 2 * widest > len(np.unique(subject)):
        return True
    if np.count_nonzero(count[name] > 1) < _MOST * len(codes):
        return False
    name_of = np.full(len(samples.names), -1)
    name_of[codes] = name
    pairs = np.unique(np.stack([getattr(samples, side), getattr(samples, other)]), axis=1)
    met = np.unique(np.stack([name_of[pairs[0]], pairs[1]]), axis=1)
    return bool(met.shape[1] < pairs.shape[1])
