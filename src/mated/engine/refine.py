"""From bins to the answers of data in memory: passes over the data until every number that is read off is exact.

The first pass counts by bins. Each further pass finds out what lies within the cells that the points asked for and
their bootstrap replicates can reach (`mated.engine.reach`); one is nearly always enough, and more follow where cells
hold too many scores to be collected at once (at most five divisions take a bin of float64 to single scores), or where
the ROC's hull turns out to touch further cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from mated.engine.ahead import CountAhead
from mated.engine.bounds import area_bounds, curve_steps, d_prime_bounds
from mated.engine.cells import Cells
from mated.engine.reach import EER_INTERVALS, INTERVALS, OPERATING_POINTS, ROCCH, Points, reached
from mated.engine.recount import Plan, Recounter, plan_for
from mated.engine.stream import Progress, Scoring, Source, as_sources, count, rows_of, run_pass
from mated.scores.keyed_tally import KeyedTally

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from mated.engine.checkpoint import Checkpoint
    from mated.engine.runner import Runner
    from mated.scores import Tally

__all__ = ["MOST_PASSES", "NEVER_EXACT", "Limits", "Streamed", "next_plan", "refine", "stream_tally"]

MOST_PASSES = 10
"""Passes over the data, the first included, after which what is still open is given up and said so."""

NEVER_EXACT = ("auc", "d_prime", "cllr", "min_cllr", "detection_cost", "curves")
"""What is read from all scores at once, and so only within bounds where not all of them are held."""


@dataclass(frozen=True)
class Limits:
    """How much may be held.

    Attributes
    ----------
    whole
        Up to so many distinct scores, all of them are kept and everything is exact.
    most
        Distinct scores that may be collected in a pass, about 120 bytes each at the worst moment.
    split
        Cells that may be divided in a pass, 16 KiB each.
    """

    whole: int = 1 << 21
    most: int = 1 << 22
    split: int = 1 << 12


@dataclass(frozen=True, eq=False, repr=False)
class Streamed:
    """The outcome: a tally that answers as that of all comparisons in memory would, and what it cannot answer.

    Attributes
    ----------
    tally
        Holds every distinct score where numbers are read off. Elsewhere a cell of scores stands at its lowest
        legitimate score: error rates at the tally's scores are exact throughout.
    cells
        The same with the highest score that each cell may hold.
    passes
        Passes over the data, the first included.
    given_up
        Which of the points asked for are not exact, as they would have reached too many scores.
    """

    cells: Cells
    passes: int
    given_up: tuple[str, ...] = ()

    @cached_property
    def tally(self) -> Tally:
        """The tally."""
        return self.cells.tally()

    @property
    def whole(self) -> bool:
        """Whether the tally is that of all comparisons, score by score."""
        return bool(np.all(self.cells.exact))

    @property
    def inexact(self) -> tuple[str, ...]:
        """What is known within bounds only: `mated.engine.bounds` gives them."""
        return () if self.whole else (*NEVER_EXACT, *self.given_up)

    def covers(self, scores: ArrayLike) -> bool:
        """Tell whether inner scores, such as thresholds of replicates, all lie where every score is known."""
        return not self.open_cells(scores).any()

    def open_cells(self, scores: ArrayLike) -> NDArray[np.bool_]:
        """Return the cells that hold any of some inner scores and are not single scores."""
        values = np.unique(np.asarray(scores, dtype=self.cells.dtype).reshape(-1))
        index, inside = self.cells.holding(self.cells.order.keys(values))
        open_cells = np.zeros(len(self.cells), dtype=bool)
        open_cells[index[inside]] = True
        return open_cells & ~self.cells.exact

    def remarks(self) -> tuple[str, ...]:
        """Say in sentences how the numbers were made and which of them are known within bounds only."""
        passes = f"the comparisons were read in {self.passes} {'pass' if self.passes == 1 else 'passes'}"
        if self.whole or not (self.cells.n_mated and self.cells.n_nonmated):
            return (f"{passes}; every number is that of all comparisons in memory",)
        area, steps, separation = area_bounds(self.cells), curve_steps(self.cells), d_prime_bounds(self.cells)
        between = f"the AUC lies between {area[0]:.9g} and {area[1]:.9g}"
        curve = f"a drawn curve is exact but for steps of {steps.fmr:.2g} in FMR and {steps.tmr:.2g} in TMR"
        said = [
            f"{passes}; operating points are those of all comparisons in memory",
            f"other scores are known in small ranges: {between}, and {curve}",
        ]
        if separation is not None:
            said.append(f"d′ lies between {separation[0]:.6g} and {separation[1]:.6g}")
        if self.given_up:
            said.append(f"not to the last bit those of all comparisons in memory: {', '.join(self.given_up)}")
        return tuple(said)

    def __repr__(self) -> str:
        return f"Streamed({self.tally!r}, {self.passes} passes)"


def stream_tally(
    sources: Source | Sequence[Source],
    points: Points | Callable[[int], Points],
    *,
    scoring: Scoring | None = None,
    limits: Limits | None = None,
    read: Callable[[Tally], ArrayLike] | None = None,
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
    runner: Runner | None = None,
) -> Streamed:
    """Count comparisons larger than memory so that the points asked for are exact: all passes, from first to last.

    Where comparisons are in no particular order, one pass is nearly always enough (`mated.engine.ahead`). With a
    checkpoint, or a runner, the passes are kept apart, so that each can be resumed or shared out.

    Parameters
    ----------
    sources
        Where the comparisons are, as often as they are asked for.
    points
        What will be read off, or a function that says it once the number of non-mated comparisons is known.
    scoring
        How scores are written.
    limits, read, progress, checkpoint, runner
        As for `refine`.
    """
    several, how, bounds = as_sources(sources), scoring or Scoring(), limits or Limits()
    asked = points if callable(points) else lambda _: points
    ahead = None
    if checkpoint is None and runner is None:
        rows = rows_of(several)
        ahead = CountAhead(how, asked, rows, bounds.most)
        keyed = run_pass(
            several, lambda: ahead, 1, stage=str, restore=KeyedTally.from_arrays, rows=rows, progress=progress
        )
    else:
        keyed = count(several, scoring=how, progress=progress, checkpoint=checkpoint, runner=runner)
    return refine(
        keyed,
        several,
        asked(keyed.n_nonmated),
        limits=bounds,
        read=read,
        progress=progress,
        checkpoint=checkpoint,
        runner=runner,
        ahead=ahead,
    )


def refine(
    keyed: KeyedTally,
    sources: Source | Sequence[Source],
    points: Points,
    *,
    limits: Limits | None = None,
    read: Callable[[Tally], ArrayLike] | None = None,
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
    runner: Runner | None = None,
    ahead: CountAhead | None = None,
) -> Streamed:
    """Pass over the data again until the points asked for, and their replicates, are exact.

    Parameters
    ----------
    keyed
        The first pass over the same sources (`mated.engine.stream.count`).
    points
        What will be read off.
    read
        Reads off: is given the tally and returns the inner scores it came upon, such as thresholds of replicates. Where
        one of them lies in a cell that is not known score by score, another pass follows. Without it the ranges of
        `mated.engine.reach` are relied on.
    runner
        Who counts the sources (`mated.engine.runner`), here and one after another without it.
    ahead
        What was collected during the first pass, in place of the second where it is enough.
    """
    several, how = as_sources(sources), limits or Limits()
    cells, passes, rounds = Cells.of(keyed), 1, 1
    while True:
        plan, given_up = next_plan(cells, points, how, last=rounds == MOST_PASSES, read=read, passes=passes)
        if plan is None:
            return Streamed(cells, passes, given_up)
        rounds += 1
        found = None if ahead is None else ahead.recount(plan)
        if found is None:
            passes += 1
            found = run_pass(
                several,
                partial(Recounter, plan),
                passes,
                stage=plan.name,
                restore=plan.restored,
                rows=keyed.rows,
                progress=progress,
                checkpoint=checkpoint,
                runner=runner,
            )
        cells = plan.refined(found)


def next_plan(
    cells: Cells,
    points: Points,
    limits: Limits,
    *,
    last: bool,
    read: Callable[[Tally], ArrayLike] | None = None,
    passes: int = 1,
) -> tuple[Plan | None, tuple[str, ...]]:
    """Return what the next pass is to find out, None where there is nothing more, and what is given up.

    `last` says that no further pass is allowed; the others are as for `refine`.
    """
    given_up: tuple[str, ...] = ()
    if np.all(cells.exact):
        return None, given_up
    if int(cells.room.sum()) <= limits.whole:
        wanted = ~cells.exact
    else:
        reach = reached(cells, points, most=limits.most, split=limits.split)
        wanted, given_up = reach.cells, reach.given_up
    if not wanted.any() and read is not None:
        now = Streamed(cells, passes, given_up)
        wanted = now.open_cells(read(now.tally))
    if not wanted.any():
        return None, given_up
    if last:
        return None, _left_open(cells, points, given_up, limits)
    return plan_for(cells, wanted, most=limits.most, split=limits.split), given_up


def _left_open(cells: Cells, points: Points, given_up: tuple[str, ...], limits: Limits) -> tuple[str, ...]:
    """Name what is still not exact after the last pass."""
    without = Points(points.fmr, points.tmr, points.threshold, points.eer, replicates=False)
    names: list[str] = list(given_up)
    if reached(cells, without, most=limits.most, split=limits.split).cells.any():
        names += [OPERATING_POINTS, ROCCH]
    if points.replicates:
        names += [INTERVALS, EER_INTERVALS]
    return tuple(dict.fromkeys(names))
