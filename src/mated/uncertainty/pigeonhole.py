"""The subject bootstrap for comparisons that share subjects: the pigeonhole bootstrap (Owen 2007).

In each replicate S subjects are drawn with replacement, subject i w_i times; a mated comparison of i then weighs w_i, a
non-mated one of i and j weighs w_i·w_j. Every statistic of a replicate is that of `mated.verification`, computed from
weighted counts, exactly. All statistics, and two systems on the same subjects, share the weights: draw them once with
`draw_weights`.

Thresholds go in and come out as inner similarities; `Tally.from_user` and `Tally.to_user` translate.

Two copies of one subject are never compared with each other, as no such scores exist; with that the bootstrap is a
little wide for few subjects. A replicate whose drawn subjects have no mated, or no non-mated, comparison has no rate:
it is NaN, whatever is asked of it, and `defined` drops and counts such replicates. They are common only with a handful
of subjects.

Cost: no array of replicates × comparisons is ever made. Counts far down the list come from a matrix product, w′Mw; what
lies between there and the place a replicate seeks is walked for 128 replicates at once.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from mated.errors import MatedError, ScoresNotKeptError
from mated.uncertainty.streams import draw_in_blocks
from mated.verification.rates import exact_rate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from mated.scores.subject_pairs import SubjectPairs

    Floats: TypeAlias = NDArray[np.float64]
    Counts: TypeAlias = NDArray[np.int64]
    Weights: TypeAlias = NDArray[np.uint8]

__all__ = [
    "AtThresholds",
    "RateAndThreshold",
    "at_fmr",
    "at_threshold",
    "at_tmr",
    "auc",
    "defined",
    "draw_weights",
    "eer",
]

_BLOCK = 128  # replicates walked side by side: the weights of a few hundred subjects then stay in the first cache
_DENSE_SUBJECTS = 4096
_DENSE_GAIN = 4  # a matrix product costs as much as walking S²/4 comparisons
_HEAD_START = 0.8  # share of the expected way that is taken by a matrix product
_HEAVIEST = 255


class AtThresholds(NamedTuple):
    """Both rates, a row for each replicate and a column for each threshold."""

    fmr: Floats
    fnmr: Floats


class RateAndThreshold(NamedTuple):
    """The rate asked for and its threshold, a row for each replicate and a column for each rate given."""

    rate: Floats
    threshold: Floats


def draw_weights(n_subjects: int, replicates: int, seed: int, *, threads: int = 1) -> Weights:
    """Draw w ~ Multinomial(S, 1/S), one row for each replicate, as small integers.

    The first replicates stay the same when more are drawn, and on any number of threads.
    """
    if n_subjects < 2:
        raise MatedError(f"subjects can be resampled only when there are two or more, and there is {n_subjects}")

    def draw(generator: np.random.Generator, size: int) -> tuple[Weights]:
        weights = np.empty((size, n_subjects), dtype=np.uint8)
        step = max(1, (1 << 20) // n_subjects)
        for start in range(0, size, step):
            rows = min(step, size - start)
            drawn = generator.integers(n_subjects, size=(rows, n_subjects))
            drawn += np.arange(rows)[:, None] * n_subjects
            counts = np.bincount(drawn.ravel(), minlength=rows * n_subjects)
            # More than 255 draws of one subject have a probability below 1/256!, and none with fewer subjects.
            weights[start : start + rows] = np.minimum(counts, _HEAVIEST).reshape(rows, n_subjects)
        return (weights,)

    return draw_in_blocks(draw, replicates=replicates, seed=seed, name="pigeonhole", threads=threads)[0]


def defined(values: Floats) -> tuple[Floats, int]:
    """Return the replicates (rows) that have a value, and the number of those that have none."""
    kept = ~np.isnan(values) if values.ndim == 1 else ~np.isnan(values).any(axis=1)
    return values[kept], int(np.count_nonzero(~kept))


def at_threshold(
    pairs: SubjectPairs, weights: NDArray[Any], thresholds: Sequence[float], *, threads: int = 1
) -> AtThresholds:
    """Return FMR = w′Mw/w′Nw and FNMR = Σw·e/Σw·n at each threshold (Wu 2008, Eq. 7, on weighted counts)."""
    sample = _Sample.of(pairs, weights, threads)
    fmr, fnmr = (np.full((len(weights), len(thresholds)), np.nan) for _ in range(2))
    rows, passed, count = sample.rows, 0, np.zeros(len(sample.rows), dtype=np.int64)
    for column in np.argsort(thresholds)[::-1]:  # from the top, so that every count builds on the last
        reached = pairs.nonmated_from(thresholds[column])
        count = count + sample.segment(passed, reached)
        matched = sample.mated_before(pairs.mated_from(thresholds[column]))
        fmr[rows, column] = count / sample.nonmated
        fnmr[rows, column] = (sample.mated - matched) / sample.mated
        passed = reached
    return AtThresholds(fmr, fnmr)


def at_fmr(pairs: SubjectPairs, weights: NDArray[Any], fmrs: Sequence[float], *, threads: int = 1) -> RateAndThreshold:
    """Return TMR and threshold at each false match rate, ties interpolated (Wu 2008, Eqs. 5 and 6, on weighted counts).

    Raises where a replicate needs scores below the cut of `pairs`.
    """
    sample = _Sample.of(pairs, weights, threads)
    result = RateAndThreshold(*(np.full((len(weights), len(fmrs)), np.nan) for _ in range(2)))
    passed, base = 0, np.zeros(len(sample.rows), dtype=np.int64)
    for column in np.argsort(fmrs):
        fmr = fmrs[column]
        target, slack = _targets(exact_rate(fmr, "a false match rate"), sample.nonmated)
        start = max(passed, sample.head_start(float(fmr) * pairs.n_nonmated))
        passed, base = start, base + sample.segment(passed, start)
        level, above, reached = sample.nonmated_reaching(target, start, base)
        _refuse_cut(pairs, int(np.isnan(level).sum()), f"an FMR of {fmr}")
        counts = sample.mated_counts(_around(pairs.mated_score, level))
        share = (target - above - slack) / (reached - above)
        result.rate[sample.rows, column] = (counts[:, 0] + (counts[:, 1] - counts[:, 0]) * share) / sample.mated
        result.threshold[sample.rows, column] = level
    return result


def at_tmr(pairs: SubjectPairs, weights: NDArray[Any], tmrs: Sequence[float], *, threads: int = 1) -> RateAndThreshold:
    """Return FMR and threshold at each true match rate, by the same rule with the classes exchanged."""
    sample = _Sample.of(pairs, weights, threads)
    result = RateAndThreshold(*(np.full((len(weights), len(tmrs)), np.nan) for _ in range(2)))
    for column, tmr in enumerate(tmrs):
        target, slack = _targets(exact_rate(tmr, "a true match rate", one_allowed=True), sample.mated)
        level, above, reached = sample.mated_reaching(target)
        if pairs.tail_above is not None:
            _refuse_cut(pairs, int((level < pairs.tail_above).sum()), f"a TMR of {tmr}")
        counts = sample.nonmated_counts(_around(pairs.score, level))
        share = (target - above - slack) / (reached - above)
        result.rate[sample.rows, column] = (counts[:, 0] + (counts[:, 1] - counts[:, 0]) * share) / sample.nonmated
        result.threshold[sample.rows, column] = level
    return result


def eer(pairs: SubjectPairs, weights: NDArray[Any], unit: Fraction | None, *, threads: int = 1) -> RateAndThreshold:
    """Return the equal error rate of Wu (2008), Eqs. 8 to 10, on weighted counts, and its threshold.

    `unit` is that of the scoring system (`Tally.unit`), None for continuous scores. Legitimate scores are the same in
    every replicate, whatever weighs nothing in it. The threshold is ⌊(s1 + s2)/2⌋ in units, the midpoint for
    continuous scores.
    """
    from mated.uncertainty import pigeonhole_kernels as kernels

    sample = _Sample.of(pairs, weights, threads)
    if len(sample.rows) and float(sample.mated.max()) * float(sample.nonmated.max()) > 2.0**62:
        raise MatedError("the product of mated and non-mated comparisons exceeds 2^62, too large for an exact EER")
    start = sample.head_start(_crossing_position(pairs))
    mated_start = 0 if start == 0 else int(_at_or_above(pairs.mated_score, pairs.score[start - 1 : start])[0])
    base, mated_base = sample.segment(0, start), sample.mated_before(mated_start)
    step = 0.0 if unit is None else float(unit)
    cut = -inf if pairs.tail_above is None else pairs.tail_above

    def cross(weight: Weights, part: NDArray[Any], late: bool) -> tuple[NDArray[Any], ...]:
        return kernels.crossing(
            sample.sorted(weight), sample.nonmated[part], sample.mated[part], start * late, base[part] * late,
            mated_start * late, mated_base[part] * late, step, cut,
        )  # fmt: skip

    late = sample.nonmated * (sample.mated - mated_base) >= sample.mated * base
    found, ends, errors = sample.in_two(late, cross)
    _refuse_cut(pairs, int(np.count_nonzero(~found)), "the equal error rate")
    result = RateAndThreshold(*(np.full(len(weights), np.nan) for _ in range(2)))
    rates = (errors[:, 0] + errors[:, 2]) / sample.mated + (errors[:, 1] + errors[:, 3]) / sample.nonmated
    result.rate[sample.rows] = rates / 4
    result.threshold[sample.rows] = _middle(ends, unit)
    return result


def auc(pairs: SubjectPairs, weights: NDArray[Any], *, threads: int = 1) -> Floats | None:
    """Return the weighted Mann–Whitney statistic, ties half; None where the tail is cut.

    Every replicate looks at every comparison, so this costs far more than the other statistics.
    """
    if pairs.tail_above is not None:
        return None
    from mated.uncertainty import pigeonhole_kernels as kernels

    sample = _Sample.of(pairs, weights, threads)
    if len(sample.rows) and float(sample.mated.max()) * float(sample.nonmated.max()) > 2.0**61:
        raise MatedError("the product of mated and non-mated comparisons exceeds 2^61, too large for an exact AUC")

    def areas(weight: Weights, part: NDArray[Any]) -> tuple[Counts]:
        return (kernels.area(sample.sorted(weight), sample.nonmated[part]),)

    result = np.full(len(weights), np.nan)
    result[sample.rows] = sample.in_blocks(areas)[0] / (2.0 * sample.mated * sample.nonmated)
    return result


@dataclass(frozen=True, eq=False)
class _Sample:
    """Pairs of subjects with the replicates that have comparisons of both classes."""

    pairs: SubjectPairs
    weights: Weights
    rows: NDArray[np.intp]
    mated: Counts
    nonmated: Counts
    threads: int

    @classmethod
    def of(cls, pairs: SubjectPairs, weights: NDArray[Any], threads: int) -> _Sample:
        if weights.ndim != 2 or weights.shape[1] != pairs.n_subjects or weights.dtype.kind not in "iu":
            raise MatedError(
                f"weights must be whole numbers with a column for each of the {pairs.n_subjects} subjects, "
                f"and these are of shape {weights.shape} and type {weights.dtype}"
            )
        if weights.size and not 0 <= int(weights.min()) <= int(weights.max()) <= _HEAVIEST:
            raise MatedError(f"weights lie between 0 and {_HEAVIEST}, and these do not")
        small = weights.astype(np.uint8, copy=False)
        whole = cls(pairs, small, np.arange(len(small)), np.empty(0), np.empty(0), threads)  # type: ignore[arg-type]
        mated, nonmated = whole.mated_before(pairs.n_mated), pairs.totals.weighted(small)
        rows = np.flatnonzero((mated > 0) & (nonmated > 0))
        if len(rows) < len(small):
            small = small[rows]
        return cls(pairs, small, rows, mated[rows], nonmated[rows], threads)

    def sorted(self, weight: Weights) -> Any:
        """Return both classes and a block's weights as the kernels take them."""
        from mated.uncertainty.pigeonhole_kernels import Sorted

        pairs = self.pairs
        return Sorted(pairs.score, pairs.first, pairs.second, pairs.mated_score, pairs.mated_subject, weight)

    def in_blocks(
        self, call: Callable[[Weights, NDArray[np.intp]], tuple[NDArray[Any], ...]]
    ) -> tuple[NDArray[Any], ...]:
        """Call for each block with its weights, subjects down and replicates across, and its rows; join the results."""
        return self.in_two(np.ones(len(self.rows), dtype=bool), lambda weight, part, _: call(weight, part))

    def in_two(
        self,
        late: NDArray[np.bool_],
        call: Callable[[Weights, NDArray[np.intp], bool], tuple[NDArray[Any], ...]],
        order: NDArray[np.intp] | None = None,
    ) -> tuple[NDArray[Any], ...]:
        """Do the same, replicates that start late apart from the others."""
        places = np.arange(len(self.rows)) if order is None else order
        halves = [(places[late[places]], True), (places[~late[places]], False)]
        parts = [
            (half[start : start + _BLOCK], flag) for half, flag in halves for start in range(0, len(half), _BLOCK)
        ] or [(places, True)]

        def one(block: tuple[NDArray[np.intp], bool]) -> tuple[NDArray[Any], ...]:
            part, flag = block
            weight = np.ones((self.pairs.n_subjects + 1, len(part)), dtype=np.uint8)
            weight[:-1] = self.weights[part].T
            return call(weight, part, flag)

        if self.threads > 1:
            with ThreadPoolExecutor(self.threads) as pool:
                results = list(pool.map(one, parts))
        else:
            results = [one(block) for block in parts]
        back = np.argsort(np.concatenate([part for part, _ in parts]))
        return tuple(np.concatenate(arrays)[back] for arrays in zip(*results, strict=True))

    def head_start(self, expected: float) -> int:
        """Return a place before which a matrix product counts faster than a walk, where a new score begins; or 0."""
        place = min(int(_HEAD_START * expected), len(self.pairs.score) - 1)
        if place <= 0 or not self._dense_pays(place):
            return 0
        return int(_above(self.pairs.score, self.pairs.score[place : place + 1])[0])

    def _dense_pays(self, comparisons: int) -> bool:
        subjects = self.pairs.n_subjects
        return subjects <= _DENSE_SUBJECTS and comparisons * _DENSE_GAIN > subjects**2

    def segment(self, start: int, end: int) -> Counts:
        """Return the weight of the non-mated comparisons from `start` to `end` in each replicate."""
        pairs = self.pairs
        if end == start:
            return np.zeros(len(self.rows), dtype=np.int64)
        if not self._dense_pays(end - start):
            from mated.uncertainty import pigeonhole_kernels as kernels

            walked: Counts = self.in_blocks(
                lambda weight, _: (kernels.segment(pairs.first, pairs.second, weight, start, end),)
            )[0]
            return walked
        size = pairs.n_subjects
        key = pairs.first[start:end].astype(np.int64) * size + pairs.second[start:end]
        matrix = np.bincount(key, minlength=size**2).reshape(size, size).astype(np.float64)
        return self._by_rows(lambda rows: np.einsum("bi,bi->b", rows @ matrix, rows))

    def mated_before(self, position: int) -> Counts:
        """Return the weight of the first `position` mated comparisons in each replicate."""
        counts = np.bincount(self.pairs.mated_subject[:position], minlength=self.pairs.n_subjects).astype(np.float64)
        return self._by_rows(lambda rows: rows @ counts)

    def _by_rows(self, call: Callable[[Floats], Floats]) -> Counts:
        """Compute sums of whole numbers in floats, exact below 2^53, some replicates at a time."""
        step = 512
        parts = [call(self.weights[k : k + step].astype(np.float64)) for k in range(0, len(self.weights), step)]
        sums: Counts = np.rint(np.concatenate([*parts, np.empty(0)])).astype(np.int64)
        return sums

    @property
    def _ones(self) -> NDArray[np.int32]:
        """Code of the last row of a block's weights, which are ones, for each mated comparison."""
        return np.full(self.pairs.n_mated, self.pairs.n_subjects, dtype=np.int32)

    def nonmated_reaching(self, target: Counts, start: int, base: Counts) -> tuple[Floats, Counts, Counts]:
        """Return the score at which the non-mated weight reaches a target, the weight above it and that with it.

        `base` is the weight before `start`.
        """
        from mated.uncertainty.pigeonhole_kernels import reach

        pairs = self.pairs

        def call(weight: Weights, part: NDArray[Any], late: bool) -> tuple[NDArray[Any], ...]:
            first, second = pairs.first, pairs.second
            return reach(pairs.score, first, second, weight, start * late, base[part] * late, target[part])

        level, above, reached = self.in_two(base < target, call)
        return level, above, reached

    def mated_reaching(self, target: Counts) -> tuple[Floats, Counts, Counts]:
        """Do the same with mated weights."""
        from mated.uncertainty.pigeonhole_kernels import reach

        scores, subjects, ones = self.pairs.mated_score, self.pairs.mated_subject, self._ones

        def call(weight: Weights, part: NDArray[Any]) -> tuple[NDArray[Any], ...]:
            return reach(scores, subjects, ones, weight, 0, np.zeros(len(part), dtype=np.int64), target[part])

        level, above, reached = self.in_blocks(call)
        return level, above, reached

    def mated_counts(self, position: Counts) -> Counts:
        """Return the weight of the mated comparisons before each position, a row for each replicate."""
        from mated.uncertainty.pigeonhole_kernels import prefix

        subjects, ones = self.pairs.mated_subject, self._ones

        def call(weight: Weights, part: NDArray[Any]) -> tuple[Counts]:
            return (prefix(subjects, ones, weight, 0, np.zeros(len(part), dtype=np.int64), position[part]),)

        return self.in_blocks(call)[0]

    def nonmated_counts(self, position: Counts) -> Counts:
        """Return the same of non-mated comparisons, replicates with near positions walked together."""
        from mated.uncertainty.pigeonhole_kernels import prefix

        start = int(position.min(initial=len(self.pairs.score)))
        start = start if self._dense_pays(start) else 0
        base = self.segment(0, start)

        def call(weight: Weights, part: NDArray[Any], _: bool) -> tuple[Counts]:
            return (prefix(self.pairs.first, self.pairs.second, weight, start, base[part], position[part]),)

        return self.in_two(np.ones(len(position), dtype=bool), call, np.argsort(position[:, 0]))[0]


def _above(score: Floats, level: Floats) -> Counts:
    """Return how many scores, sorted from the highest down, lie above each level."""
    counts: Counts = len(score) - np.searchsorted(score[::-1], level, side="right")
    return counts


def _at_or_above(score: Floats, level: Floats) -> Counts:
    counts: Counts = len(score) - np.searchsorted(score[::-1], level, side="left")
    return counts


def _around(score: Floats, level: Floats) -> Counts:
    return np.stack([_above(score, level), _at_or_above(score, level)], axis=1)


def _targets(rate: Fraction, totals: Counts) -> tuple[Counts, Floats]:
    """Return k = ⌈rate·N⌉ and k − rate·N of each replicate, from whole numbers alone."""
    top, bottom = rate.numerator, rate.denominator
    exact = totals if top * int(totals.max(initial=0)) + bottom < 2**62 else totals.astype(object)
    target: NDArray[Any] = -(-top * exact // bottom)
    slack: NDArray[Any] = (target * bottom - top * exact) / bottom
    return target.astype(np.int64), slack.astype(np.float64)


def _refuse_cut(pairs: SubjectPairs, replicates: int, asked: str) -> None:
    if replicates:
        raise ScoresNotKeptError(
            f"{replicates} replicates at {asked} need non-mated scores below {pairs.tail_above}, which were not kept; "
            "keep more of the tail"
        )


def _crossing_position(pairs: SubjectPairs) -> float:
    """Return about how many non-mated comparisons lie above the threshold of equal error rates."""
    if not len(pairs.score) or not pairs.n_mated:
        return 0.0
    places = np.unique(np.linspace(0, len(pairs.score) - 1, 1025).astype(np.int64))
    missed = 1 - _at_or_above(pairs.mated_score, pairs.score[places]) / pairs.n_mated
    crossed = np.flatnonzero(missed < (places + 1) / pairs.n_nonmated)
    return float(places[crossed[0]]) if len(crossed) else float(len(pairs.score))


def _middle(ends: Floats, unit: Fraction | None) -> Floats:
    """Return the threshold of Eq. 10 from (low, high, low is a gap, high is a gap)."""
    low, high = ends[:, 0], ends[:, 1]
    if unit is None:
        finite = np.isfinite(low) & np.isfinite(high)
        with np.errstate(invalid="ignore"):
            middle: Floats = np.where(finite, (low + high) / 2, high)
        return middle
    with np.errstate(invalid="ignore"):
        units = [np.rint(low / float(unit)) + ends[:, 2], np.rint(high / float(unit)) - ends[:, 3]]
        middle = np.floor((units[0] + units[1]) / 2) * unit.numerator / unit.denominator
        beyond = units[1] * unit.numerator / unit.denominator
    return np.where(np.isfinite(units[0]) & np.isfinite(units[1]), middle, beyond)
