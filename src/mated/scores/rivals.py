"""`Rivals`: for each mated comparison, how every other identity scored against it.

A mated comparison of a probe of ω is beaten by another identity ν with a probability that depends on ν alone: the share
of the comparisons of that probe with ν's samples that lie above the mated score. Those shares, over all ν, are all that
the empirical CMC of Veldhuis & Raja (2023, section VI) needs, and they are counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.scores.searches import Scope, search_blocks
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from mated.scores.searches import Layout, Searches
    from mated.scores.subject_tallies import Symmetry

__all__ = ["Rivals"]

_MOST_CELLS = 1 << 28


@dataclass(frozen=True, eq=False, repr=False)
class Rivals:
    """Counts of mated comparisons × subjects; build them with `of` or, one part at a time, with `blocks`.

    A mated comparison is ordered: a probe sample i of a subject ω and a reference sample j of it. Where each pair of
    samples is listed once, both directions are here. A rival ν is any other subject the probe was compared with. Mated
    comparisons whose probe met no rival are left out.

    With scope "probe" the counts run over the comparisons of that very probe with ν's samples (section VI of
    Veldhuis & Raja 2023); with scope "subject" over those of all of ω's probes with ν's samples, so that summed over ν
    they give the false match rate of ω's individual ROC.

    Parts of one layout add up with `+`: a monoid.

    Attributes
    ----------
    subject
        Of each mated comparison, the code of its subject.
    mated_score
        Its score, a similarity.
    search
        Its row in `total`: one row for each probe, or for each subject.
    above, tied
        For each mated comparison (row) and each subject (column), how many of the comparisons with that subject scored
        higher than the mated one, and how many the same. Unsigned integers, no wider than needed; 0 at ω itself.
    total
        How many comparisons with each subject (column) there were in each search; 0 where there was none.
    names
        The subjects behind the codes.
    """

    subject: NDArray[np.int64]
    mated_score: NDArray[np.float64]
    search: NDArray[np.int64]
    above: NDArray[np.unsignedinteger[Any]]
    tied: NDArray[np.unsignedinteger[Any]]
    total: NDArray[np.unsignedinteger[Any]]
    names: tuple[str, ...]
    scope: Scope

    def __post_init__(self) -> None:
        for name in ("subject", "mated_score", "search", "above", "tied", "total"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @classmethod
    def blocks(cls, layout: Layout, *, scope: Scope = "probe", symmetric: Symmetry = "auto") -> Iterator[Rivals]:
        """Count a layout a few million comparisons at a time, so that memory does not grow with it."""
        for searches in search_blocks(layout, scope=scope, symmetric=symmetric):
            if len(searches):
                yield cls._counted(searches, scope)

    @classmethod
    def of(cls, layout: Layout, *, scope: Scope = "probe", symmetric: Symmetry = "auto") -> Rivals:
        """Count a whole layout; refused beyond 2^28 mated comparisons × subjects (then go through `blocks`)."""
        parts: list[Rivals] = []
        cells = 0
        for part in cls.blocks(layout, scope=scope, symmetric=symmetric):
            cells += part.above.size
            if cells > _MOST_CELLS:
                raise MatedError(
                    f"mated comparisons × subjects exceed {_MOST_CELLS} here, too many to hold at once; go through "
                    "Rivals.blocks(…), or give expected_cmc the scores themselves"
                )
            parts.append(part)
        if not parts:
            raise MatedError("no probe has both mated and non-mated comparisons, so no mated score meets a rival")
        return _joined(parts)

    @classmethod
    def _counted(cls, searches: Searches, scope: Scope) -> Rivals:
        from mated.scores.rivals_kernels import count_rivals

        size = len(searches.names)
        search = np.repeat(np.arange(len(searches)), np.diff(searches.rival_start))
        total = np.bincount(search * size + searches.rival, minlength=len(searches) * size)
        dtype = np.min_scalar_type(int(total.max()))
        above = np.zeros((len(searches.mated_score), size), dtype=dtype)
        tied = np.zeros_like(above)
        count_rivals(
            searches.mated_start,
            searches.mated_score,
            searches.rival_start,
            searches.rival,
            searches.rival_score,
            above,
            tied,
        )
        return cls(
            np.repeat(searches.subject, searches.n_mated),
            searches.mated_score,
            np.repeat(np.arange(len(searches)), searches.n_mated),
            above,
            tied,
            total.reshape(len(searches), size).astype(dtype),
            searches.names,
            scope,
        )

    @property
    def n_mated(self) -> int:
        """Number of mated comparisons, both directions counted where each pair is listed once."""
        return len(self.subject)

    @property
    def others(self) -> NDArray[np.int64]:
        """With how many other subjects the probe of each mated comparison was compared."""
        others: NDArray[np.int64] = np.count_nonzero(self.total, axis=1)[self.search]
        return others

    def __add__(self, other: object) -> Rivals:
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, Rivals):
            return NotImplemented
        return _joined([self, other])

    __radd__ = __add__

    def __repr__(self) -> str:
        return f"Rivals({self.n_mated} mated comparisons × {len(self.names)} subjects, scope {self.scope!r})"


def _joined(parts: list[Rivals]) -> Rivals:
    if len(parts) == 1:
        return parts[0]
    if len({(part.names, part.scope) for part in parts}) > 1:
        raise MatedError("rivals can be added only for one list of subjects and one scope")
    shifts = np.cumsum([0] + [len(part.total) for part in parts[:-1]])
    return Rivals(
        np.concatenate([part.subject for part in parts]),
        np.concatenate([part.mated_score for part in parts]),
        np.concatenate([part.search + shift for part, shift in zip(parts, shifts, strict=True)]),
        np.concatenate([part.above for part in parts]),
        np.concatenate([part.tied for part in parts]),
        np.concatenate([part.total for part in parts]),
        parts[0].names,
        parts[0].scope,
    )
