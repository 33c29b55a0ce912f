"""What one replicate makes of each kind of discard curve: the comparisons in every algorithm's order, with their units.

A model is prepared once; `block` then turns the weights of some replicates into areas and values of all algorithms.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from mated.verification.rates import exact_rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from mated.quality.curve import Interpolation
    from mated.quality.edc import Among
    from mated.quality.fixed_counterpart import Fixed
    from mated.quality.other_curves import DPrime
    from mated.quality.pairing import PairQualities
    from mated.quality.starting_error import StartingError
    from mated.scores.discard_order import Axis, DiscardOrder
    from mated.uncertainty.quality_kernels import Order, Reading
    from mated.uncertainty.quality_units import Units

    Floats: TypeAlias = NDArray[np.float64]
    Codes: TypeAlias = NDArray[np.int32]
    Weights: TypeAlias = NDArray[np.uint8]

__all__ = ["CounterpartModel", "CurveModel", "DPrimeModel", "Discarding", "ErrorModel", "MeanModel"]

_SMALL = 1 << 16
"""Comparisons up to which an order is made complete at once."""


class CurveModel(Protocol):
    """Any kind of discard curve of several algorithms."""

    @property
    def discarding(self) -> Discarding:
        """The orders of the algorithms, and who is drawn."""

    def block(self, weight: Weights) -> tuple[Floats, Floats]:
        """Return areas (algorithm × replicate) and values (algorithm × replicate × grid)."""


@dataclass(frozen=True, eq=False)
class Discarding:
    """The orders of all algorithms and how their curves are read.

    Attributes
    ----------
    mated
        Which comparisons are discarded: the mated ones, the non-mated ones (False), or both together (None).
    units
        Of those comparisons.
    limit, grid
        The discard fraction up to which areas go, and those at which curves are read, ascending from 0.
    """

    pairs: PairQualities
    mated: bool | None
    units: Units
    limit: float
    grid: Floats
    interpolation: Interpolation = "step"
    axis: Axis = "comparisons"
    _prepared: dict[tuple[str, bool], tuple[DiscardOrder, Order]] = field(default_factory=dict, repr=False)

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Names of the algorithms."""
        return self.pairs.algorithms

    @cached_property
    def rows(self) -> NDArray[np.bool_] | slice:
        """Which comparisons of the table take part."""
        if self.mated is None:
            return slice(None)
        return self.pairs.comparisons.mated if self.mated else ~self.pairs.comparisons.mated

    @cached_property
    def score(self) -> NDArray[Any]:
        """Similarities of those comparisons."""
        return self.pairs.comparisons.score[self.rows]

    @cached_property
    def reading(self) -> Reading:
        """How a curve is read, for the kernels."""
        from mated.uncertainty.quality_kernels import Reading

        grid = np.array(self.grid, dtype=np.float64)
        return Reading(float(self.limit), self.interpolation == "linear", grid)

    def order(self, algorithm: str, *, complete: bool = False) -> tuple[DiscardOrder, Order]:
        """Return one algorithm's order and the same for the kernels, a little beyond the limit or complete."""
        whole = complete or len(self.score) <= _SMALL
        key = (algorithm, whole)
        if key not in self._prepared:
            limit = 1.0 if whole else min(1.0, 1.25 * self.limit + 0.02)
            found = self.pairs.order(algorithm, mated=self.mated, limit=limit, axis=self.axis)
            self._prepared[key] = found, self._with_units(algorithm, found)
        return self._prepared[key]

    def _with_units(self, algorithm: str, order: DiscardOrder) -> Order:
        from mated.uncertainty.quality_kernels import Order

        at = order.position
        sample, ends = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64)
        if self.axis == "samples":
            ids = self.pairs.comparisons.samples
            assert ids is not None and self.pairs.samples is not None and self.units.sample is not None  # noqa: PT018
            occurs = np.unique(np.concatenate([ids.probe[self.rows], ids.reference[self.rows]]))
            quality = self.pairs.samples[algorithm][occurs]
            ascending = np.argsort(quality, kind="stable")
            sample = self.units.sample[occurs[ascending]]
            ends = np.searchsorted(quality[ascending], order.quality, side="right").astype(np.int64)
        return Order(self.units.first[at], self.units.second[at], order.ends.astype(np.int64), sample, ends)

    def curves(self, kernel: Callable[[DiscardOrder, Order], tuple[Floats, Floats, Floats]]) -> tuple[Floats, Floats]:
        """Call a kernel for every algorithm, again with a complete order where a replicate ran out of comparisons."""
        areas, values = [], []
        for algorithm in self.algorithms:
            order, units = self.order(algorithm)
            area, value, reached = kernel(order, units)
            if not order.complete and bool((reached < self.limit).any()):
                area, value, _ = kernel(*self.order(algorithm, complete=True))
            areas.append(area)
            values.append(value)
        return np.array(areas), np.array(values)

    def sums(self, *amounts: NDArray[Any]) -> Callable[[Weights], Floats]:
        """Prepare the sums of some amounts (one a comparison) over the comparisons of each replicate, as columns."""
        from mated.uncertainty.quality_kernels import weighted_sums

        size = self.units.count + 1
        code = self.units.first.astype(np.int64) * size + self.units.second
        if size * size <= max(4 * len(code), 1 << 20):
            pairs = np.flatnonzero(np.bincount(code, minlength=1))
            place = np.zeros(size * size, dtype=np.int64)
            place[pairs] = np.arange(len(pairs))
            inverse = place[code]
        else:
            pairs, inverse = np.unique(code, return_inverse=True)
        columns = [np.bincount(inverse, weights=amount, minlength=len(pairs)) for amount in amounts]
        table = np.stack(columns, axis=1).astype(np.float64)
        first, second = (part.astype(np.int32) for part in np.divmod(pairs, size))
        return lambda weight: weighted_sums(weight, first, second, table)


@dataclass(frozen=True, eq=False)
class ErrorModel:
    """FNM-EDC or FM-EDC at one starting error.

    With `refind` the threshold of each replicate is the one whose error rate is nearest to the starting error, the
    lower of two equally near; otherwise the threshold stays and the starting error varies.
    """

    discarding: Discarding
    starting: StartingError
    among: Among = "kept"
    refind: bool = True

    @cached_property
    def _distinct(self) -> tuple[NDArray[Any], Codes]:
        """Distinct scores in the order in which a threshold that becomes worse makes errors of them, and each place."""
        distinct, place = np.unique(self.discarding.score, return_inverse=True)
        if self.starting.kind == "fm":
            distinct, place = distinct[::-1], len(distinct) - 1 - place
        return distinct, place.astype(np.int32)

    @cached_property
    def _from_worst(self) -> tuple[Codes, Codes, NDArray[np.int64]]:
        """Units of the comparisons in that order, and where each distinct score ends."""
        distinct, place = self._distinct
        order = np.argsort(place, kind="stable")
        units = self.discarding.units
        ends = np.cumsum(np.bincount(place, minlength=len(distinct))).astype(np.int64)
        return units.first[order], units.second[order], ends

    @cached_property
    def _count(self) -> Callable[[Weights], Floats]:
        size = len(self.discarding.score)
        if self.discarding.units.kind == "comparisons":
            return lambda weight: np.full((len(weight), 1), float(size))
        return self.discarding.sums(np.ones(size))

    @cached_property
    def _fixed_cut(self) -> int:
        distinct, _ = self._distinct
        if self.starting.kind == "fm":
            return int(np.count_nonzero(distinct >= self.starting.inner))
        return int(np.count_nonzero(distinct < self.starting.inner))

    def block(self, weight: Weights) -> tuple[Floats, Floats]:
        """Return areas and values of all algorithms; NaN where a replicate has no comparison or no usable threshold."""
        from mated.uncertainty.quality_kernels import error_curves, errors_up_to, nearest_cuts

        total = self._count(weight)[:, 0].astype(np.int64)
        first, second, ends = self._from_worst
        if self.refind:
            part, whole = self.starting.errors, self.starting.comparisons
            cut, errors = nearest_cuts(weight, first, second, ends, total, part, whole)
        else:
            cut = np.full(len(weight), self._fixed_cut, dtype=np.int64)
            errors = errors_up_to(weight, first, second, int(ends[self._fixed_cut - 1]))
        _, place = self._distinct

        def kernel(order: DiscardOrder, units: Order) -> tuple[Floats, Floats, Floats]:
            rank, reading = place[order.position], self.discarding.reading
            return error_curves(weight, units, rank, cut, errors, total, self.among == "all", reading)

        return self.discarding.curves(kernel)


@dataclass(frozen=True, eq=False)
class MeanModel:
    """CS-DC: the mean score of one class, in the user's own scores."""

    discarding: Discarding

    @cached_property
    def _amount(self) -> tuple[Floats, float]:
        score = self.discarding.score.astype(np.float64)
        sign = -1.0 if self.discarding.pairs.comparisons.dissimilarity else 1.0
        centre = float(score.mean())
        return sign * (score - centre), sign * centre

    @cached_property
    def _sums(self) -> Callable[[Weights], Floats]:
        amount, _ = self._amount
        return self.discarding.sums(np.ones(len(amount)), amount)

    def block(self, weight: Weights) -> tuple[Floats, Floats]:
        """Return areas and values of all algorithms; NaN where a replicate has no comparison."""
        from mated.uncertainty.quality_kernels import mean_curves

        amount, centre = self._amount
        sums = self._sums(weight)
        return self.discarding.curves(
            lambda order, units: mean_curves(
                weight, units, amount[order.position], sums, centre, self.discarding.reading
            )
        )


@dataclass(frozen=True, eq=False)
class DPrimeModel:
    """d′-DC of both classes."""

    discarding: Discarding
    convention: DPrime = "schlett2023"

    @cached_property
    def _amount(self) -> tuple[Floats, float]:
        score = self.discarding.score.astype(np.float64)
        mated = self.discarding.pairs.comparisons.mated
        means = float(score[mated].mean()), float(score[~mated].mean())
        return score - np.where(mated, *means), means[0] - means[1]

    @cached_property
    def _sums(self) -> Callable[[Weights], Floats]:
        amount, _ = self._amount
        mated = self.discarding.pairs.comparisons.mated
        powers = (np.ones(len(amount)), amount, amount**2)
        return self.discarding.sums(*(np.where(rows, part, 0.0) for rows in (mated, ~mated) for part in powers))

    def block(self, weight: Weights) -> tuple[Floats, Floats]:
        """Return areas and values of all algorithms; NaN where a replicate lacks a class or nothing varies."""
        from mated.uncertainty.quality_kernels import d_prime_curves

        amount, apart = self._amount
        mated, sums = self.discarding.pairs.comparisons.mated, self._sums(weight)
        share = 1.0 if self.convention == "schlett2023" else 0.5
        return self.discarding.curves(
            lambda order, units: d_prime_curves(
                weight,
                units,
                mated[order.position],
                amount[order.position],
                sums,
                apart,
                share,
                self.discarding.reading,
            )
        )


@dataclass(frozen=True, eq=False)
class CounterpartModel:
    """FC-EDC of both classes: one rate where the other is held, ties interpolated."""

    discarding: Discarding
    rate: float
    fixed: Fixed = "fmr"

    @cached_property
    def _ranks(self) -> tuple[Codes, int]:
        distinct, place = np.unique(self.discarding.score, return_inverse=True)
        return (len(distinct) - place).astype(np.int32), len(distinct)

    def block(self, weight: Weights) -> tuple[Floats, Floats]:
        """Return areas and values of all algorithms; NaN where a replicate lacks a class."""
        from mated.uncertainty.quality_counterpart_kernels import fixed_counterpart_curves

        ranks, scores = self._ranks
        of_fmr = self.fixed == "fmr"
        held = exact_rate(self.rate, f"a fixed {self.fixed.upper()}")
        share = (held if of_fmr else 1 - held).limit_denominator(10**9)  # times a count it must fit 64 bits
        mated = self.discarding.pairs.comparisons.mated
        given = ~mated if of_fmr else np.array(mated)
        units = self.discarding.units

        def kernel(order: DiscardOrder, of_order: Order) -> tuple[Floats, Floats, Floats]:
            at = order.position
            return fixed_counterpart_curves(
                weight,
                of_order,
                ranks[at],
                given[at],
                units.first,
                units.second,
                ranks,
                given,
                scores,
                share.numerator,
                share.denominator,
                of_fmr,
                self.discarding.reading,
            )

        return self.discarding.curves(kernel)
