"""Groups of comparisons counted apart in shared passes, so that ten groups cost no more reading than one.

Each group has its own first pass and its own further ones (`mated.engine.refine`); what is shared is the reading, and
the limits on what may be held, which are divided among the groups. A group is named by the values of the columns that
make it, as texts, None for a missing one.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import numpy as np

from mated.engine.cells import Cells
from mated.engine.passes import Part, run_pass
from mated.engine.recount import Plan, Recount, Recounter
from mated.engine.refine import MOST_PASSES, Limits, Streamed, next_plan
from mated.engine.stream import Scoring, as_sources, rows_of
from mated.errors import MatedError
from mated.scores.keyed_tally import KeyedCounter, KeyedTally, as_flags
from mated.scores.keys import as_floats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from mated.engine.checkpoint import Checkpoint
    from mated.engine.reach import Points
    from mated.engine.runner import Runner
    from mated.engine.stream import Progress, Source
    from mated.scores.unit import UnitChoice

__all__ = [
    "GroupCounter",
    "GroupName",
    "GroupParts",
    "GroupRecounter",
    "GroupedFlags",
    "StreamedGroups",
    "group_limits",
    "stream_groups",
]

GroupName: TypeAlias = tuple[str | None, ...]

MOST_GROUPS = 1000
"""Groups beyond which columns are taken to name no groups."""

# Groups with an array of counters each, 32 MiB of addresses; the comparisons of others wait and are counted together.
_WITH_COUNTERS = 32
_WAITING = 1 << 24
# Groups that look for single bins in a pass, about 6 MiB each.
_PICKED_AT_ONCE = 64
_PENDING = 1 << 22

_P = TypeVar("_P", bound=Part)


@dataclass(frozen=True, eq=False)
class GroupedFlags:
    """Whether each comparison of a chunk is mated, and its group.

    Attributes
    ----------
    mated
        The flags.
    group
        For each comparison the place of its group in `names`.
    names
        Names of the groups, each once.
    """

    mated: NDArray[np.bool_]
    group: NDArray[Any]
    names: Sequence[GroupName]

    def __len__(self) -> int:
        return len(self.mated)


@dataclass(frozen=True, eq=False)
class GroupParts(Generic[_P]):
    """What a pass found in each group; parts of a pass add.

    Attributes
    ----------
    parts
        By the name of the group.
    rows
        Comparisons passed over, those of other groups included.
    """

    parts: Mapping[GroupName, _P]
    rows: int = 0

    def __add__(self, other: object) -> GroupParts[_P]:
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, GroupParts):
            return NotImplemented
        both = dict(self.parts)
        for name, part in other.parts.items():
            both[name] = both[name] + part if name in both else part
        _refuse_many(both)
        return GroupParts(both, self.rows + other.rows)

    __radd__ = __add__

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything as plain arrays, for a file without pickles."""
        result = {"rows": np.array(self.rows), "groups": np.array(json.dumps(list(self.parts)))}
        for number, part in enumerate(self.parts.values()):
            result |= {f"{number}.{key}": array for key, array in part.arrays().items()}
        return result


def _restored(
    arrays: Mapping[str, NDArray[Any]], make: Callable[[GroupName, Mapping[str, NDArray[Any]]], _P]
) -> GroupParts[_P]:
    """Take back what `GroupParts.arrays` gave, each part made from its own arrays."""
    own: dict[int, dict[str, NDArray[Any]]] = {}
    for key, array in arrays.items():
        number, point, rest = key.partition(".")
        if point:
            own.setdefault(int(number), {})[rest] = array
    names = [tuple(name) for name in json.loads(str(arrays["groups"]))]
    return GroupParts({name: make(name, own[k]) for k, name in enumerate(names)}, int(arrays["rows"]))


def _refuse_many(names: Iterable[GroupName]) -> None:
    if len(set(names)) > MOST_GROUPS:
        raise MatedError(
            f"there are more than {MOST_GROUPS} groups; group by columns with fewer values, or filter the rows first"
        )


def _by_group(flags: GroupedFlags) -> Iterator[tuple[GroupName, NDArray[np.intp]]]:
    """Yield each group of a chunk with its rows, in their order."""
    narrow = np.min_scalar_type(max(len(flags.names) - 1, 0))  # small integers are sorted in no time
    group = np.asarray(flags.group).astype(narrow, copy=False)
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group, minlength=len(flags.names)))
    for number, end in enumerate(ends.tolist()):
        begin = int(ends[number - 1]) if number else 0
        if end > begin:
            yield flags.names[number], order[begin:end]


class GroupCounter:
    """Counts chunk after chunk by group and bin; `result()` gives what was counted so far."""

    def __init__(self, scoring: Scoring) -> None:
        self._scoring = scoring
        self._counters: dict[GroupName, KeyedCounter] = {}
        self._sums: dict[GroupName, KeyedTally] = {}
        self._waiting: dict[GroupName, list[tuple[NDArray[Any], NDArray[np.bool_]]]] = {}
        self._held = self._rows = 0

    def add(self, scores: Any, mated: GroupedFlags, *, name: str = "scores", first_row: int = 1) -> None:
        """Count a chunk."""
        values = as_floats(scores, name)
        flags = as_flags(mated.mated, values, name)
        self._rows += len(values)
        for group, rows in _by_group(mated):
            chunk = values[rows], flags[rows]
            if group not in self._counters and len(self._counters) < _WITH_COUNTERS:
                self._counters[group] = self._scoring.counter()
            if group in self._counters:
                self._counters[group].add(*chunk, name=name, first_row=first_row)
            else:
                self._waiting.setdefault(group, []).append(chunk)
                self._held += len(rows)
        _refuse_many([*self._counters, *self._waiting, *self._sums])
        if self._held > _WAITING:
            self._settle()

    def result(self) -> GroupParts[KeyedTally]:
        """Return what was counted so far."""
        self._settle()
        counted = {group: counter.result() for group, counter in self._counters.items()}
        return GroupParts({**counted, **self._sums}, self._rows)

    def _settle(self) -> None:
        for group, chunks in self._waiting.items():
            counter = self._scoring.counter()
            for chunk in chunks:
                counter.add(*chunk)
            self._sums[group] = counter.result() + self._sums.get(group, 0)
        self._waiting, self._held = {}, 0


class GroupRecounter:
    """Carries out the plans of several groups chunk after chunk; comparisons of other groups are passed over."""

    def __init__(self, plans: Mapping[GroupName, Plan]) -> None:
        pending = max(_PENDING // len(plans), 1 << 12)
        self._recounters = {group: Recounter(plan, pending=pending) for group, plan in plans.items()}
        self._rows = 0

    def add(self, scores: Any, mated: GroupedFlags, *, name: str = "scores", first_row: int = 1) -> None:
        """Look through a chunk; `first_row` is not used."""
        del first_row
        values = as_floats(scores, name)
        flags = as_flags(mated.mated, values, name)
        self._rows += len(values)
        for group, rows in _by_group(mated):
            if group in self._recounters:
                self._recounters[group].add(values[rows], flags[rows], name=name)

    def result(self) -> GroupParts[Recount]:
        """Return what was found so far."""
        found = {group: recounter.result() for group, recounter in self._recounters.items()}
        return GroupParts(found, self._rows)


@dataclass(frozen=True, eq=False)
class StreamedGroups:
    """The outcome for groups.

    Attributes
    ----------
    streamed
        That of each group with comparisons of both classes with a score, in the order of their names.
    left_out
        The other groups, with their mated and non-mated comparisons.
    passes
        Passes over the data, the first included.
    """

    streamed: Mapping[GroupName, Streamed]
    left_out: Mapping[GroupName, tuple[int, int]]
    passes: int


def group_limits(limits: Limits, groups: int) -> Limits:
    """Return what each of several groups may hold, so that together they hold no more than two alone would."""
    share = max(groups // 2, 1)
    return Limits(limits.whole // share, max(limits.most // share, 1), max(limits.split // share, 1))


def stream_groups(
    sources: Source | Sequence[Source],
    points: Callable[[int], Points],
    *,
    scoring: Scoring | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
    runner: Runner | None = None,
) -> StreamedGroups:
    """Do for every group what `mated.engine.refine.stream_tally` does for all comparisons, in shared passes.

    Parameters
    ----------
    sources
        Their chunks hold `GroupedFlags` in place of flags.
    points
        What will be read off a group, given the number of its non-mated comparisons.
    scoring
        How scores are written. A unit found in the data is that of all groups together.
    limits
        What one group alone might hold; see `group_limits`.
    """
    several, how = as_sources(sources), scoring or Scoring()

    def restored(arrays: Mapping[str, NDArray[Any]]) -> GroupParts[KeyedTally]:
        return _restored(arrays, lambda _, own: KeyedTally.from_arrays(own))

    options: dict[str, Any] = {"progress": progress, "checkpoint": checkpoint, "runner": runner}
    counted = run_pass(
        several,
        partial(GroupCounter, how),
        1,
        stage=lambda: f"groups {how}",
        restore=restored,
        rows=rows_of(several),
        **options,
    )
    tallies = _with_one_unit(dict(sorted(counted.parts.items(), key=lambda item: _missing_first(item[0]))))
    left_out = {g: (k.n_mated, k.n_nonmated) for g, k in tallies.items() if not (k.n_mated and k.n_nonmated)}
    cells = {group: Cells.of(keyed) for group, keyed in tallies.items() if group not in left_out}
    asked = {group: points(c.n_nonmated) for group, c in cells.items()}
    own = group_limits(limits or Limits(), len(cells))
    finished: dict[GroupName, Streamed] = {}
    passes, rounds = 1, 1
    while len(finished) < len(cells):
        plans: dict[GroupName, Plan] = {}
        for group in cells.keys() - finished.keys():
            plan, given_up = next_plan(cells[group], asked[group], own, last=rounds == MOST_PASSES)
            if plan is None:
                finished[group] = Streamed(cells[group], passes, given_up)
            else:
                plans[group] = plan
        rounds += 1
        for together in _in_passes(plans):
            passes += 1
            found = run_pass(
                several,
                partial(GroupRecounter, together),
                passes,
                stage=partial(_stage, together),
                restore=partial(_recounts, together),
                rows=counted.rows,
                **options,
            )
            for group, plan in together.items():
                cells[group] = plan.refined(found.parts[group])
    return StreamedGroups({group: finished[group] for group in cells}, left_out, passes)


def _recounts(plans: Mapping[GroupName, Plan], arrays: Mapping[str, NDArray[Any]]) -> GroupParts[Recount]:
    return _restored(arrays, lambda group, own: plans[group].restored(own))


def _missing_first(name: GroupName) -> tuple[tuple[bool, str], ...]:
    return tuple((value is not None, value or "") for value in name)


def _with_one_unit(tallies: dict[GroupName, KeyedTally]) -> dict[GroupName, KeyedTally]:
    """Give all groups the unit of all comparisons: one scoring system has one."""
    whole: KeyedTally | int = sum(tallies.values())
    if not isinstance(whole, KeyedTally):
        raise MatedError("there are no comparisons to put into groups")
    unit: UnitChoice = "continuous" if whole.unit is None else whole.unit
    return {group: replace(keyed, unit_choice=unit) for group, keyed in tallies.items()}


def _in_passes(plans: Mapping[GroupName, Plan]) -> Iterator[dict[GroupName, Plan]]:
    """Share plans out among passes, so that not too many look for single bins at once."""
    simple = {group: plan for group, plan in plans.items() if plan.everything}
    others = [item for item in plans.items() if item[0] not in simple]
    if simple or others:
        yield {**simple, **dict(others[:_PICKED_AT_ONCE])}
    for begin in range(_PICKED_AT_ONCE, len(others), _PICKED_AT_ONCE):
        yield dict(others[begin : begin + _PICKED_AT_ONCE])


def _stage(plans: Mapping[GroupName, Plan]) -> str:
    """Return a name for a pass of these plans."""
    digest = hashlib.sha256()
    for group in sorted(plans, key=_missing_first):
        digest.update(json.dumps([*group, plans[group].name()]).encode())
    return f"recount groups {digest.hexdigest()[:32]}"
