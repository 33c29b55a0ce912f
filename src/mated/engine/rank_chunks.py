"""`Ranks` of a table larger than memory, equal to those of the table in memory.

The first pass learns who is there and the score of every probe's mate. The second keeps, for each probe and identity,
whether the identity's best score so far is below the mate's, the same or above it: two bits, of which the highest
stays, so that rows may come in any order and any number of times.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from operator import add
from typing import TYPE_CHECKING

import numpy as np

from mated.engine.chunk_bits import MOST_BITS, too_many_samples
from mated.engine.chunk_census import Census, CensusWorker
from mated.engine.chunk_labels import CHANGED
from mated.engine.chunk_pass import ALL_COLUMNS, check_columns, go_over
from mated.engine.chunk_search import SearchPart, SearchPlan, SearchWorker
from mated.errors import MatedError
from mated.scores.rank_tables import SUBJECTS_ARE_PROBES, repeated_subjects, search_notes
from mated.scores.ranking import with_mates
from mated.scores.ranks import SCORED, Ranks, SearchResults
from mated.scores.sample_names import check_shared_names
from mated.scores.unit import parse_unit

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from mated.engine.chunk_bits import PairBits
    from mated.engine.chunk_pass import TablePart
    from mated.engine.runner import Runner
    from mated.engine.stream import Progress, Scoring
    from mated.scores.subject_tallies import Symmetry

    Codes = NDArray[np.int64]

__all__ = ["stream_ranks"]


def stream_ranks(
    parts: Sequence[TablePart],
    *,
    scoring: Scoring,
    symmetric: Symmetry = "auto",
    knows: Collection[str] = ALL_COLUMNS,
    notes: tuple[str, ...] = (),
    runner: Runner | None = None,
    progress: Progress | None = None,
) -> Ranks:
    """Rank the mates of all probes in passes over parts of a table.

    Parameters
    ----------
    parts
        Where the comparisons are. They name subjects, and samples unless each pair of subjects occurs once.
    scoring
        How scores are written.
    symmetric
        As for `mated.scores.ranking.rank`.
    knows
        The columns that there are.
    notes
        What was decided about the table on the way in.
    runner, progress
        Who executes the passes, and whom to tell how far they are.

    Returns
    -------
    Ranks
        As `mated.scores.ranking.rank` gives them for the whole table, notes included.

    Notes
    -----
    Two passes. One more follows where "auto" takes a table wrongly to list each pair once, or in both orders, which its
    number of rows nearly always tells. Memory: some 100 bytes a sample, two bits for every probe and identity and one
    for every probe and reference: 37 MB for 100,000 probes and 1,000 identities with one reference each. From 512 MiB
    of the first kind on, probes are taken in turns, in one more pass each.
    """
    if symmetric not in ("auto", "yes", "no"):
        raise MatedError(f"symmetric must be 'auto', 'yes' or 'no', not {symmetric!r}")
    check_columns(knows, samples=True)
    census = go_over(parts, partial(CensusWorker, scoring, knows), 1, merge=add, runner=runner, progress=progress)
    if "probe_sample" in knows and "reference_sample" not in knows:
        notes = (*notes, "reference samples are not named: each subject is taken to have one reference")
    search = _Search(tuple(parts), scoring, symmetric, knows, census.in_order(), runner, progress)
    return with_mates(search.ranks(notes))


@dataclass(frozen=True, eq=False)
class _Counted:
    """What was found for each probe that searches."""

    above: Codes
    tied: Codes
    scored: Codes
    best: NDArray[np.float64]


class _Search:
    """The passes after the first."""

    def __init__(
        self,
        parts: tuple[TablePart, ...],
        scoring: Scoring,
        symmetric: Symmetry,
        knows: Collection[str],
        census: Census,
        runner: Runner | None,
        progress: Progress | None,
    ) -> None:
        self._parts, self._scoring, self._symmetric, self._knows = parts, scoring, symmetric, knows
        self._census, self._runner, self._progress = census, runner, progress
        self._pass = 1
        self._met: PairBits | None = None
        self._again = -1

    @property
    def _named(self) -> bool:
        return self._census.roster.samples is not None

    @cached_property
    def _shared(self) -> Codes:
        """Samples on both sides."""
        return np.flatnonzero(self._census.on_probe & self._census.on_reference)

    @cached_property
    def _listed(self) -> tuple[Codes, Codes]:
        """The row of each sample that is listed as a probe, and the column of each reference; −1 for others."""
        return _numbered(self._census.on_probe), _numbered(self._census.on_reference)

    def ranks(self, notes: tuple[str, ...]) -> Ranks:
        """Count, and put the ranks together."""
        once, remember = self._directions()
        counted = self._count(once, remember=remember)
        if self._symmetric == "auto" and len(self._shared):
            wrong = self._reversed[0] == once
            if wrong:
                once = not once
                counted = self._count(once, remember=False)
        if not self._named:
            notes = (*notes, SUBJECTS_ARE_PROBES)
            if self._again >= 0:
                names = self._census.roster.subject_names
                sides = divmod(self._again, int(np.count_nonzero(self._census.on_reference)))
                who = [np.flatnonzero(self._listed[k] == at)[0] for k, at in enumerate(sides)]
                raise repeated_subjects(names[who[0]], names[who[1]])
        elif self._census.roster.shares_names:
            notes = (*notes, *self._check_names(once))
        itself = bool(self._census.itself.any())
        repeated = self._symmetric != "yes" and (
            self._again >= 0 or (once and (self._reversed[1] or (itself and not self._named)))
        )
        notes = search_notes(
            notes, itself=itself and self._named, once=once, shared=len(self._shared) > 0, repeated=repeated
        )
        return self._put_together(once, counted, notes)

    def _directions(self) -> tuple[bool, bool]:
        """Guess whether each comparison counts in both directions, and tell whether pairs have to be remembered."""
        remember = self._symmetric != "yes" or not self._named or self._census.roster.shares_names
        if self._symmetric != "auto" or not len(self._shared):
            return self._symmetric == "yes", remember
        if self._n_listed > MOST_BITS:
            raise too_many_samples(len(self._shared))
        # With more comparisons than pairs, some pair is listed again: most often in the other order.
        of_subject = np.bincount(self._census.roster.owner)
        pairs = (len(self._census.roster.keys) ** 2 - int((of_subject**2).sum())) // 2
        return self._census.nonmated <= pairs, True

    @property
    def _n_listed(self) -> int:
        return int(np.count_nonzero(self._census.on_probe)) * int(np.count_nonzero(self._census.on_reference))

    @cached_property
    def _reversed(self) -> tuple[bool, bool]:
        """Whether a pair is listed in both orders: one of two subjects, and any at all."""
        from mated.engine.chunk_kernels import reversed_pair

        if self._met is None:
            return False, False
        row, column = (side[self._shared] for side in self._listed)
        return reversed_pair(self._bits, row, column, self._census.roster.owner[self._shared])

    @property
    def _bits(self) -> NDArray[np.uint8]:
        assert self._met is not None
        return self._met.whole(int(np.count_nonzero(self._census.on_probe)))

    def _count(self, once: bool, *, remember: bool) -> _Counted:
        """Search with all probes, as many at a time as there is room for."""
        from mated.engine.chunk_kernels import count_states

        census = self._census
        searching = np.flatnonzero(np.ones(len(census.roster.keys), dtype=bool) if once else census.on_probe)
        place = census.places(once)
        mates = census.mates(once)
        level = np.where(mates.state == SCORED, mates.score, np.nan)
        n_places = int(place.max(initial=-1)) + 1
        whole = self._n_listed <= MOST_BITS
        if remember and not whole and once and not self._named:
            raise MatedError(
                f"{len(searching)} subjects are too many to tell whether two were compared more than once; name the "
                "samples with probe_sample and reference_sample"
            )
        n_references = int(np.count_nonzero(census.on_reference))
        at_once = max(1, MOST_BITS // max(1, 2 * n_places))
        if remember and not whole and not once:
            at_once = max(1, min(at_once, MOST_BITS // n_references))
        pieces = []
        for begin in range(0, max(len(searching), 1), at_once):
            these = searching[begin : begin + at_once]
            row = np.full(len(census.roster.keys), -1, dtype=np.int64)
            row[these] = np.arange(len(these))
            listed = None
            if remember and whole and begin == 0:
                listed = self._listed
            elif remember and not whole and not once:
                listed = row, self._listed[1]
            plan = SearchPlan(
                self._scoring,
                census.roster,
                once,
                row,
                place,
                place[census.roster.owner[these]],
                level[these],
                n_places,
                listed,
            )
            self._pass += 1
            worker = partial(SearchWorker, plan, self._knows)
            found: SearchPart = go_over(
                self._parts, worker, self._pass, merge=add, runner=self._runner, progress=self._progress
            )
            found = found.whole(len(these))
            if found.rows != census.rows:
                raise MatedError(CHANGED)
            pieces.append((*count_states(found.states), found.best))
            if found.met is not None:
                if found.met.again >= 0 and self._again < 0:
                    self._again = found.met.again + (0 if whole else begin * n_references)
                self._met = found.met if whole else None
        return _Counted(*(np.concatenate(column) for column in zip(*pieces, strict=True)))

    def _check_names(self, once: bool) -> list[str]:
        """Tell names that are numbers within each subject from samples listed under a wrong subject."""
        census, roster = self._census, self._census.roster
        given = roster.given_names()
        owners = [roster.subject_names[who] for who in roster.owner.tolist()]
        everyone = np.arange(len(given))
        sides = {
            "probe": everyone if once else np.flatnonzero(census.on_probe),
            "reference": everyone if once else np.flatnonzero(census.on_reference),
        }

        def met_twice(side: str, name_of: Codes) -> bool:
            from mated.engine.chunk_kernels import met_twice as twice

            if self._met is None:
                raise MatedError(
                    f"there are too many samples ({len(given)}) to tell whether some of them are listed under two "
                    "subjects by mistake; give every sample a name of its own"
                )
            bits = self._bits
            row, column = self._listed
            for sample in np.flatnonzero(census.itself):
                bits[row[sample], column[sample] >> 3] |= np.uint8(1 << (column[sample] & 7))
            return bool(twice(bits, row, column, name_of, once or side == "probe", once or side == "reference"))

        names = [f"{owner}/{name}" for owner, name in zip(owners, given, strict=True)]
        return check_shared_names(names, given, sides, roster.owner, met_twice)

    def _put_together(self, once: bool, counted: _Counted, notes: tuple[str, ...]) -> Ranks:
        census, roster = self._census, self._census.roster
        is_probe = np.ones(len(roster.keys), dtype=bool) if once else census.on_probe
        is_reference = census.references(once)
        references = np.bincount(roster.owner[is_reference], minlength=len(roster.subjects))
        subject = roster.owner[is_probe]
        others = references[subject] - (is_reference[is_probe] if self._named else 0)
        mates = census.mates(once)
        number = np.float32 if census.single else np.float64
        found = SearchResults(
            subject,
            others,
            census.compared(once)[is_probe],
            mates.state[is_probe],
            mates.score[is_probe].astype(number),
            counted.above,
            counted.tied,
            counted.scored,
            counted.best.astype(number),
        )
        return Ranks.of_searches(
            found,
            references > 0,
            roster.subject_names,
            dissimilarity=bool(self._scoring.dissimilarity),
            unit=parse_unit(self._scoring.unit),
            notes=notes,
        )


def _numbered(kept: NDArray[np.bool_]) -> Codes:
    return np.where(kept, np.cumsum(kept) - 1, -1)
