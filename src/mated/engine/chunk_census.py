"""The first pass of a search: who stands on which side, and the best score of each sample with its own subject."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mated.engine.chunk_labels import Roster, RosterCoder
from mated.engine.chunk_pass import check_mated, similarities
from mated.scores.ranks import ABSENT, FAILED, SCORED

if TYPE_CHECKING:
    from collections.abc import Collection

    import polars as pl
    from numpy.typing import NDArray

    from mated.engine.stream import Scoring

    Codes = NDArray[np.int64]
    Flags = NDArray[np.bool_]

__all__ = ["Census", "CensusWorker", "Mates"]

# What is known of a sample, on the probe's side; a place further on, the same on the reference's side.
_LISTED, _COMPARED, _TRIED, _SCORED = (1 << shift for shift in (0, 2, 4, 6))
_ITSELF = 1 << 8


class Mates(NamedTuple):
    """Of each sample, what is known of its mate, as in `mated.scores.ranks`, and the mate's score, −∞ for none."""

    state: NDArray[np.int8]
    score: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Census:
    """Samples by the codes of the roster; parts are united with `+`.

    Attributes
    ----------
    rows, nonmated
        Comparisons, and those of two subjects, failures included.
    single
        Whether all scores are of single precision.
    flags
        Of each sample: listed, compared with another sample, with one of its own subject, that with a score; each on
        the probe's and on the reference's side. And whether it was compared with itself.
    mate
        Of each sample, the best score with a reference of its subject as a probe (row 0), and with a probe as a
        reference (row 1).
    """

    rows: int
    nonmated: int
    single: bool
    roster: Roster
    flags: NDArray[np.uint16]
    mate: NDArray[np.float64]

    def __add__(self, other: Census) -> Census:
        roster, _, samples = self.roster.united(other.roster)
        size = len(roster.keys)
        flags, mate = np.zeros(size, dtype=np.uint16), np.full((2, size), -np.inf)
        flags[: len(self.flags)], mate[:, : len(self.flags)] = self.flags, self.mate
        flags[samples] |= other.flags
        mate[:, samples] = np.maximum(mate[:, samples], other.mate)
        return Census(
            self.rows + other.rows,
            self.nonmated + other.nonmated,
            self.single and other.single,
            roster,
            flags,
            mate,
        )

    def in_order(self) -> Census:
        """Number subjects and samples as comparisons in memory do."""
        roster, _, samples = self.roster.in_order()
        flags, mate = np.empty_like(self.flags), np.empty_like(self.mate)
        flags[samples], mate[:, samples] = self.flags, self.mate
        return replace(self, roster=roster, flags=flags, mate=mate)

    @property
    def on_probe(self) -> Flags:
        """Samples listed as probes."""
        return self._has(_LISTED, False)

    @property
    def on_reference(self) -> Flags:
        """Samples listed as references."""
        return self._has(_LISTED << 1, False)

    @property
    def itself(self) -> Flags:
        """Samples compared with themselves."""
        return self._has(_ITSELF, False)

    def references(self, once: bool) -> Flags:
        """Samples that are references; with `once`, each comparison in both directions, every sample."""
        return self.on_reference | (self.on_probe & once)

    def compared(self, once: bool) -> Flags:
        """Samples that were searched for in another one."""
        return self._has(_COMPARED, once)

    def mates(self, once: bool) -> Mates:
        """Return what is known of the mate of each sample as a probe."""
        state = np.where(self._has(_SCORED, once), SCORED, np.where(self._has(_TRIED, once), FAILED, ABSENT))
        return Mates(state.astype(np.int8), self.mate.max(axis=0) if once else self.mate[0])

    def places(self, once: bool) -> Codes:
        """Return the number of each subject among the identities of the gallery, −1 for one that is not enrolled."""
        enrolled = np.zeros(len(self.roster.subjects), dtype=bool)
        enrolled[self.roster.owner[self.references(once)]] = True
        return np.where(enrolled, np.cumsum(enrolled) - 1, -1)

    def _has(self, flag: int, once: bool) -> Flags:
        """Tell which samples have a flag; with `once` on either side."""
        has: Flags = (self.flags & (flag * 3 if once else flag)) != 0
        return has


class CensusWorker:
    """Takes the census chunk after chunk."""

    def __init__(self, scoring: Scoring, knows: Collection[str]) -> None:
        self._scoring = scoring
        self._coder = RosterCoder(knows)
        self._named = len(self._coder.columns) > 2
        self.columns = ("score", "mated", *self._coder.columns)
        self._rows = self._nonmated = 0
        self._single = True
        self._flags = np.zeros(0, dtype=np.uint16)
        self._mate = np.zeros((2, 0))

    def add(self, batch: pl.DataFrame, *, name: str, first_row: int) -> None:
        """Take in a chunk."""
        score = similarities(batch["score"], self._scoring, name, first_row)
        (probe, reference), samples = self._coder.sides(batch, name)
        mated = probe == reference
        check_mated(batch["mated"], mated, name, first_row)
        self._rows += len(score)
        self._nonmated += int(np.count_nonzero(~mated))
        self._single &= score.dtype == np.float32
        self._make_room(self._coder.n_samples)
        itself = samples[0] == samples[1]
        self._flags[samples[0][itself]] |= _ITSELF
        # A subject without named samples is a probe and a reference of its own, and no sample of itself.
        compared = ~itself if self._named else np.ones(len(score), dtype=bool)
        own = np.flatnonzero(mated & compared)
        scored = own[~np.isnan(score[own])]
        for k, side in enumerate(samples):
            for flag, rows in ((_LISTED, slice(None)), (_COMPARED, compared), (_TRIED, own), (_SCORED, scored)):
                self._flags[side[rows]] |= np.uint16(flag << k)
            np.maximum.at(self._mate[k], side[scored], score[scored].astype(np.float64))

    def _make_room(self, size: int) -> None:
        if size > len(self._flags):
            room = max(size, 2 * len(self._flags))
            flags, mate = np.zeros(room, dtype=np.uint16), np.full((2, room), -np.inf)
            flags[: len(self._flags)], mate[:, : len(self._flags)] = self._flags, self._mate
            self._flags, self._mate = flags, mate

    def result(self) -> Census:
        """Return what was taken in so far."""
        size = self._coder.n_samples
        return Census(
            self._rows, self._nonmated, self._single, self._coder.roster(), self._flags[:size], self._mate[:, :size]
        )
