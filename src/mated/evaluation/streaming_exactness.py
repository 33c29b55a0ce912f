"""What of a verification read in chunks is exact, and how it is said where something is not.

Points that were asked for before the first pass are those of all comparisons in memory. One that is asked for later
may lie where scores are known in ranges only: it is given with the bounds that the range leaves, or refused where a
plain number has no room for them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.engine.bounds import area_bounds, curve_steps, d_prime_bounds, extremes
from mated.engine.reach import around_crossing, cells_of_rate
from mated.errors import MatedError
from mated.uncertainty.cautions import joined
from mated.verification.costs import cllr, detection_cost, min_cllr
from mated.verification.rates import exact_rate

if TYPE_CHECKING:
    from mated.engine import Streamed
    from mated.engine.cells import Cells
    from mated.scores import Tally
    from mated.verification import AtFmr, AtThreshold, AtTmr, EqualErrorRate

__all__ = ["Exactness"]

_RANGES = "the scores around this threshold are known in ranges only"


@dataclass(frozen=True, eq=False)
class Exactness:
    """What is exact in a tally that was streamed."""

    streamed: Streamed

    @property
    def _cells(self) -> Cells:
        return self.streamed.cells

    def _known(self, *cells: int) -> bool:
        """Whether cells are single scores."""
        return all(self._cells.low[cell] == self._cells.high[cell] for cell in cells)

    @cached_property
    def _extremes(self) -> tuple[Tally, Tally]:
        """The most and the least favourable order of the scores within the cells."""
        least, most = extremes(self._cells)
        return most, least

    def cllr_bounds(self) -> list[float] | None:
        """Between which values Cllr lies; None for dissimilarities, which have none."""
        bounds = [cllr(tally) for tally in self._extremes]
        return None if None in bounds else [bound for bound in bounds if bound is not None]

    def min_cllr_bounds(self) -> list[float]:
        """Between which values the least Cllr lies."""
        return [min_cllr(tally) for tally in self._extremes]

    def least_cost_bounds(self, *, prior: float, miss: float, false: float) -> list[float] | None:
        """Between which values the least detection cost lies; None where every score is known."""
        if self.streamed.whole:
            return None
        costs = (detection_cost(t, prior=prior, cost_miss=miss, cost_false=false) for t in self._extremes)
        return [cost.minimum for cost in costs]

    def at_fmr(self, point: AtFmr) -> AtFmr:
        """Add a caution where the point lies in a range of scores."""
        target = exact_rate(point.fmr, "a false match rate")
        at, *conservative = cells_of_rate(self._cells.nonmated_at_or_above, target)
        if self._known(at, *conservative):
            return point
        bounds = self._between("TMR", self._cells.mated_from, self._cells.n_mated, at) + self._threshold_in(at)
        return replace(point, caution=joined(point.caution, f"{_RANGES}: {bounds}; {_asking('fmr')}"))

    def at_tmr(self, point: AtTmr) -> AtTmr:
        """Add a caution where the point lies in a range of scores."""
        target = exact_rate(point.tmr, "a true match rate", one_allowed=True)
        at = cells_of_rate(self._cells.mated_at_or_above, target)[0]
        if self._known(at):
            return point
        bounds = self._between("FMR", self._cells.nonmated_from, self._cells.n_nonmated, at) + self._threshold_in(at)
        return replace(point, caution=joined(point.caution, f"{_RANGES}: {bounds}; {_asking('tmr')}"))

    def at_threshold(self, point: AtThreshold) -> AtThreshold:
        """Add a caution where the threshold divides a range of scores."""
        at = self._divided_by(point.threshold)
        if at is None:
            return point
        cells = self._cells
        both = [
            self._between("FMR", cells.nonmated_from, cells.n_nonmated, at),
            self._between("TMR", cells.mated_from, cells.n_mated, at),
        ]
        bounds = " and ".join(both)
        return replace(point, caution=joined(point.caution, f"{_RANGES}: {bounds}; {_asking('threshold')}"))

    def refuse_divided(self, threshold: float, what: str) -> None:
        """Refuse a plain number at a threshold that divides a range of scores."""
        if self._divided_by(threshold) is not None:
            raise MatedError(
                f"{what} at {threshold:g} is not known: the comparisons were read in chunks and {_RANGES}; "
                f"{_asking('threshold')}, or hold the comparisons in memory (stream=False, --no-stream)"
            )

    def eer(self, rate: EqualErrorRate) -> EqualErrorRate:
        """Add a caution where the errors cross within a range of scores; only after very many passes they do."""
        near = around_crossing(self._cells)
        if bool(np.all(self._cells.exact[near])):
            return rate
        return replace(rate, caution=joined(rate.caution, _RANGES))

    def _divided_by(self, threshold: float) -> int | None:
        """Return the range of scores that a threshold divides, None where it divides none."""
        cells = self._cells
        key = np.array([cells.order.key(-threshold if cells.dissimilarity else threshold)], dtype=np.uint64)
        index, inside = cells.holding(key)
        return int(index[0]) if inside[0] and key[0] > cells.low[index[0]] else None

    def _between(self, name: str, count_from: Any, total: int, cell: int) -> str:
        low, high = count_from(cell + 1) / total, count_from(cell) / total
        return f"{name} is {low:.9g}" if low == high else f"{name} lies between {low:.9g} and {high:.9g}"

    def _threshold_in(self, cell: int) -> str:
        if self._known(cell):
            return ""
        ends = self._cells.order.scores(np.array([self._cells.low[cell], self._cells.high[cell]]))
        low, high = sorted(map(self.streamed.tally.to_user, ends.astype(np.float64).tolist()))
        return f", the threshold between {low:.9g} and {high:.9g}"

    def remarks(self) -> tuple[str, ...]:
        """How the numbers were made and which are known within bounds only, in sentences."""
        return self.streamed.remarks()

    def remarks_on_costs(self, *, prior: float, miss: float, false: float) -> tuple[str, ...]:
        """Say between which values the costs lie that rest on all scores."""
        least = self.least_cost_bounds(prior=prior, miss=miss, false=false)
        if least is None:
            return ()
        bounds = {"the least detection cost": least, "Cllr": self.cllr_bounds(), "min Cllr": self.min_cllr_bounds()}
        said = [f"{name} between {b[0]:.6g} and {b[1]:.6g}" for name, b in bounds.items() if b is not None]
        return ("these lie within bounds: " + ", ".join(said),)

    def to_dict(self, *, without: tuple[str, ...] = (), leaving_out: tuple[str, ...] = ()) -> dict[str, Any] | None:
        """Return what the dictionary of a verification says of it; None where every number is exact.

        `without` names what is missing for other reasons, `leaving_out` what is not asked for.
        """
        inexact = [*(name for name in self.streamed.inexact if name not in leaving_out), *without]
        if not inexact:
            return None
        steps, separation = curve_steps(self._cells), d_prime_bounds(self._cells)
        return {
            "passes": self.streamed.passes,
            "inexact": inexact,
            "auc_bounds": list(area_bounds(self._cells)),
            "d_prime_bounds": None if separation is None else list(separation),
            "cllr_bounds": self.cllr_bounds(),
            "min_cllr_bounds": self.min_cllr_bounds(),
            "curve_steps": {"fmr": steps.fmr, "tmr": steps.tmr},
        }


def _asking(option: str) -> str:
    return f"ask for it at the start ({option}=..., --{option}) to have it exactly"
