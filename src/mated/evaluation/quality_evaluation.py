"""`QualityEvaluation`: what a user holds after `mated.quality`, for several quality algorithms and one system."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.evaluation.html import table_html
from mated.evaluation.quality_dictionary import dictionary, part_entries
from mated.evaluation.quality_results import (
    AlgorithmResult,
    PairResult,
    algorithm_results,
    pair_results,
    scalar_measures,
)
from mated.evaluation.quality_settings import CURVES, QualitySettings
from mated.quality.areas import PartialArea, partial_area
from mated.quality.det_by_discard import QualityPart, tallies_by_discard
from mated.quality.edc import ErrorCurve, error_curve
from mated.quality.fixed_counterpart import fixed_counterpart_curve
from mated.quality.other_curves import d_prime_curve, mean_score_curve
from mated.quality.reference_lines import attainable_best, constant_line
from mated.quality.stability import LIMITS, STARTING_ERRORS, RankingGrid, ranking_grid
from mated.quality.starting_error import StartingError, StartingErrors, starting_errors
from mated.uncertainty.cautions import joined
from mated.uncertainty.quality import CurveDraws, DiscardBand, draw_curves
from mated.uncertainty.quality_models import (
    CounterpartModel,
    CurveModel,
    Discarding,
    DPrimeModel,
    ErrorModel,
    MeanModel,
)
from mated.uncertainty.quality_units import Units, resampling_units
from mated.verification.cautions import FEW_ERRORS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars as pl
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from mated.quality.curve import DiscardCurve
    from mated.quality.pairing import PairQualities
    from mated.scores import Comparisons, Tally
    from mated.scores.discard_order import DiscardOrder

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["QualityEvaluation"]

Figure: TypeAlias = Literal["curves", "full", "ranks above", "stability", "placements", "det"]

_GRID = 101


@dataclass(frozen=True, eq=False, repr=False)
class QualityEvaluation:
    """Curves of several quality algorithms against the discard fraction, their areas, ranking, and how sure they are.

    Replicates are drawn when something that needs them is asked for; all algorithms share the draws. `to_dict()` is
    what `mated quality --json` prints.

    Attributes
    ----------
    pairs
        The comparisons with a pair quality by each algorithm.
    settings
        Which curve, and how it is read.
    level, replicates, seed, threads
        Of the intervals; no replicates, no intervals.
    notes
        What was decided about the input.
    """

    pairs: PairQualities
    settings: QualitySettings
    name: str = "scores"
    level: float = 0.95
    replicates: int = 1000
    seed: int = 1
    threads: int = 1
    notes: tuple[str, ...] = ()

    # -- what is measured --------------------------------------------------------------------------

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Names of the quality algorithms."""
        return self.pairs.algorithms

    @property
    def comparisons(self) -> Comparisons:
        """The comparisons that have a pair quality by every algorithm."""
        return self.pairs.comparisons

    @cached_property
    def tally(self) -> Tally:
        """Their counts by score."""
        return self.comparisons.tally()

    @cached_property
    def starting_errors(self) -> StartingErrors:
        """All starting errors that the data allow."""
        if not self.settings.of_errors:
            raise MatedError(f"a {self.settings.type} curve has no starting error; choose the curve 'fnm' or 'fm'")
        return starting_errors(self.tally, "fnm" if self.settings.type == "fnm" else "fm")

    @cached_property
    def starting(self) -> StartingError:
        """Where the error curves begin: the rate the data give, and its threshold."""
        if self.settings.threshold is not None:
            return self.starting_errors.at_threshold(self.settings.threshold)
        return self.starting_errors.nearest(self.settings.starting_error)

    @cached_property
    def curves(self) -> dict[str, DiscardCurve]:
        """The curve of each algorithm, up to the discard limit."""
        return self._curves(self.settings.limit)

    @cached_property
    def full_curves(self) -> dict[str, DiscardCurve]:
        """The curve of each algorithm as far as there are comparisons."""
        return self._curves(1.0)

    def _curves(self, limit: float) -> dict[str, DiscardCurve]:
        if self.settings.type == "det":
            raise MatedError("DET curves are read at several discard fractions and are not one curve; see `parts`")
        orders = self.pairs.orders(mated=self.settings.mated, limit=limit, axis=self.settings.axis)
        return {algorithm: self._curve(order) for algorithm, order in orders.items()}

    def _curve(self, order: DiscardOrder) -> DiscardCurve:
        s = self.settings
        read: dict[str, Any] = {"interpolation": s.interpolation, "axis": s.axis}
        if s.of_errors:
            return error_curve(order, self.starting, among=s.among, **read)
        if s.type == "cs":
            return mean_score_curve(order, mated=s.of == "mated", dissimilarity=self.comparisons.dissimilarity, **read)
        if s.type == "dprime":
            return d_prime_curve(order, convention=s.d_prime, **read)
        return fixed_counterpart_curve(order, s.rate, fixed=s.fixed, **read)

    @cached_property
    def areas(self) -> dict[str, PartialArea]:
        """The area under each error curve up to the limit, raw and made comparable."""
        found = {}
        for algorithm, curve in self.curves.items():
            if not isinstance(curve, ErrorCurve):
                raise MatedError("areas above the theoretical best are those of error curves; see `results`")
            found[algorithm] = partial_area(curve, self.settings.limit)
        return found

    @cached_property
    def results(self) -> tuple[AlgorithmResult, ...]:
        """What is found of each algorithm, the best first."""
        draws = self.draws if self.replicates else None
        return algorithm_results(self.pairs, self.curves, self.settings.limit, draws, self.level)

    @cached_property
    def ranking(self) -> tuple[str, ...]:
        """The algorithms, the best first."""
        return tuple(result.algorithm for result in self.results)

    @cached_property
    def pair_results(self) -> tuple[PairResult, ...]:
        """For each two algorithms, how sure it is that the one ranked higher does better; none without replicates."""
        if not self.replicates:
            return ()
        areas = {result.algorithm: result.pauc for result in self.results}
        return pair_results(combinations(self.ranking, 2), areas, self.draws, self.level)

    def __getitem__(self, algorithm: str) -> AlgorithmResult:
        for result in self.results:
            if result.algorithm == algorithm:
                return result
        known = ", ".join(repr(name) for name in self.algorithms)
        raise MatedError(f"there is no quality algorithm {algorithm!r}; the algorithms are: {known}")

    @cached_property
    def parts(self) -> dict[str, tuple[QualityPart, ...]]:
        """For each algorithm the comparisons kept at each discard fraction (or in each bin), counted: DET curves."""
        s = self.settings
        orders = self.pairs.orders(mated=None, axis=s.axis)
        return {
            a: tallies_by_discard(order, self.tally, s.fractions, division=s.division, axis=s.axis)
            for a, order in orders.items()
        }

    # -- lines to compare with ---------------------------------------------------------------------

    def reference_lines(self) -> dict[str, DiscardCurve]:
        """Return the best curve that could be reached and the constant starting error (random qualities)."""
        s = self.settings
        return {
            "attainable best": attainable_best(self.starting, among=s.among, interpolation=s.interpolation),
            "constant": constant_line(self.starting, interpolation=s.interpolation, axis=s.axis),
        }

    # -- how sure it is ----------------------------------------------------------------------------

    @cached_property
    def units(self) -> Units:
        """Who is drawn in a replicate."""
        s = self.settings
        rows = None
        if s.mated is not None:
            rows = self.comparisons.mated if s.mated else ~self.comparisons.mated
        return resampling_units(self.comparisons, rows, resample=s.resample)

    @cached_property
    def draws(self) -> CurveDraws:
        """The replicates of all curves."""
        return self.resample()

    def resample(self, progress: Callable[[int, int], None] | None = None) -> CurveDraws:
        """Draw the replicates, once; `progress(done, total)` is told how far it is."""
        if "draws" in self.__dict__:
            return self.draws
        if not self.replicates:
            raise MatedError("there are no replicates, so there is no interval; ask for some (replicates=1000)")
        curve = next(iter(self.curves.values()))
        drawn = draw_curves(
            self._model(),
            replicates=self.replicates,
            seed=self.seed,
            higher_is_better=curve.higher_is_better,
            threads=self.threads,
            progress=progress,
        )
        self.__dict__["draws"] = drawn
        return drawn

    def _model(self) -> CurveModel:
        s = self.settings
        grid = np.linspace(0.0, s.limit, _GRID)
        discarding = Discarding(self.pairs, s.mated, self.units, s.limit, grid, s.interpolation, s.axis)
        if s.of_errors:
            return ErrorModel(discarding, self.starting, s.among, refind=s.refind and s.threshold is None)
        if s.type == "cs":
            return MeanModel(discarding)
        if s.type == "dprime":
            return DPrimeModel(discarding, s.d_prime)
        return CounterpartModel(discarding, s.rate, s.fixed)

    def band(self, algorithm: str) -> DiscardBand:
        """Return intervals of one algorithm's curve at 101 discard fractions, each holding by itself."""
        if algorithm not in self.curves:
            _ = self[algorithm]  # says what there is
        value = np.asarray(self.curves[algorithm](self.draws.grid))
        return self.draws.band(algorithm, value, self.level)

    # -- how far it depends on the settings --------------------------------------------------------

    def stability(
        self, starting_errors: Sequence[float] = STARTING_ERRORS, limits: Sequence[float] = LIMITS
    ) -> RankingGrid:
        """Rank the algorithms at each of several starting errors and limits (Schlett et al. 2023, section V).

        Starting errors that the data do not allow are left out, and two that come to the same count once.
        """
        if (starting_errors, limits) == (STARTING_ERRORS, LIMITS):
            return self._usual_stability
        return self._stability(starting_errors, limits)

    @cached_property
    def _usual_stability(self) -> RankingGrid:
        return self._stability(STARTING_ERRORS, LIMITS)

    def _stability(self, asked: Sequence[float], limits: Sequence[float]) -> RankingGrid:
        found: dict[int, StartingError] = {}
        for rate in asked:
            try:
                start = self.starting_errors.nearest(rate)
            except MatedError:
                continue
            found.setdefault(start.errors, start)
        if not found:
            self.starting_errors.nearest(asked[0])  # says what the data allow
        s = self.settings
        orders = self.pairs.orders(mated=s.mated, limit=max(limits), axis=s.axis)
        starting = list(found.values())
        return ranking_grid(orders, starting, limits, among=s.among, interpolation=s.interpolation, axis=s.axis)

    def scalars(self) -> dict[str, dict[str, float | None]]:
        """Return for each algorithm the measures that discard nothing (Schlett et al. 2023, section VII).

        Correlations of pair quality with mated and non-mated scores and with errors, and of sample quality with
        utility, which needs both classes and named samples; None where there is none.
        """
        return self._scalars

    @cached_property
    def _scalars(self) -> dict[str, dict[str, float | None]]:
        start = self.starting if self.settings.of_errors else None
        return scalar_measures(self.pairs, start)

    # -- what it says of itself --------------------------------------------------------------------

    @cached_property
    def caution(self) -> str | None:
        """What all its intervals presume, and whether errors are few, in words."""
        few = None
        if self.settings.of_errors and self.starting.errors < FEW_ERRORS:
            few = f"only {self.starting.errors} errors to begin with: curves fall in few steps, and areas are too high"
        if not self.replicates:
            return few
        lost = f"{self.draws.lost} replicates had no curve" if self.draws.lost else None
        return joined(few, self.units.caution, lost)

    @property
    def _has_curves(self) -> bool:
        return self.settings.type != "det"

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """What was decided about the input, and what was left out, in sentences."""
        p, said = self.pairs, [*self.comparisons.notes, *self.notes]
        if p.comparisons_left_out:
            said.append(
                f"comparisons left out, as a sample has no quality by one of the algorithms: {p.comparisons_left_out}"
            )
        lacking = {a: n for a, n in (p.samples_without_quality or {}).items() if n}
        if lacking:
            by_each = ", ".join(f"{n} by {a}" for a, n in lacking.items())
            said.append(f"samples that were compared and have no quality: {by_each}")
        if p.qualities_without_sample:
            said.append(f"samples with a quality that were never compared: {p.qualities_without_sample}")
        said += [f"{name} gives every comparison one pair quality: it cannot discard" for name in p.constant]
        if self.replicates:
            doubtful = [r.algorithm for r in self.results if r.against_random == "not told apart"]
            worse = [r.algorithm for r in self.results if r.against_random == "worse"]
            if doubtful:
                said.append(f"not told apart from discarding at random: {', '.join(doubtful)}")
            if worse:
                said.append(f"worse than discarding at random: {', '.join(worse)}")
        return tuple(dict.fromkeys(said))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers and texts; the keys are documented in docs/reference/json.md."""
        return dictionary(self)

    def to_frame(self) -> pl.DataFrame:
        """One row for each algorithm, the best first, as a Polars frame; for DET curves one for each part."""
        import polars as pl

        if not self._has_curves:
            return pl.DataFrame(
                [{"algorithm": a, **entry} for a, parts in self.parts.items() for entry in part_entries(parts)]
            )
        return pl.DataFrame([asdict(result) for result in self.results])

    def plot(self, figure: Figure | None = None, *, algorithm: str | None = None, ax: Axes | None = None) -> Axes:
        """Draw the curves up to the limit ("curves"), the full range, or the ranking over a grid of settings.

        "ranks above" shows for each two algorithms how sure their order is; "det" the DET curves of one algorithm.
        """
        from mated.plots.quality_evaluation import draw

        return draw(self, figure, algorithm=algorithm, ax=ax)

    def __repr__(self) -> str:
        if not self._has_curves:
            return f"QualityEvaluation({self.name!r}: DET curves of {len(self.algorithms)} algorithms)"
        first = self.results[0]
        return (
            f"QualityEvaluation({self.name!r}: {CURVES[self.settings.type]}, {len(self.algorithms)} algorithms; "
            f"best is {first.algorithm!r}, pAUC {first.pauc:.4g} up to {self.settings.limit:g})"
        )

    def _repr_html_(self) -> str:
        return table_html(self.to_frame(), caption=repr(self))
