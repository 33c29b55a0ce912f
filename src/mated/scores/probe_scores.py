"""`ProbeScores`: what a forecast for galleries larger than the data needs of each probe's scores.

Far out in the tail one probe's non-mated scores say nothing; many probes' do, once they are made comparable. Each probe
is described by the upper part of its own non-mated scores: a pivot c near its (1 − a) quantile, the share of its scores
above c and their mean excess over c. Measured in its mean excess, (s − c)/e, the scores of all probes can be pooled.

Subjects are resampled later, and a probe's scores with a rival then weigh as often as the rival was drawn. So counts
and sums are kept for each probe and rival, and the weighted share and mean excess of every probe are matrix products.
Of the pooled scores only the highest are kept one by one, as levels (s − c)/e and as they are; of the levels there is
also a histogram.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.scores.comparisons import Comparisons
from mated.scores.searches import Scope, search_blocks
from mated.scores.subject_tallies import lists_pairs_once
from mated.scores.unit import detect_unit
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from mated.scores.searches import Layout, Searches
    from mated.scores.subject_tallies import Symmetry

    Floats: TypeAlias = NDArray[np.float64]
    Codes: TypeAlias = NDArray[np.int32]

__all__ = ["HISTOGRAM", "ProbeScores", "upper_share"]

HISTOGRAM = np.arange(-64 * 32, 64 * 32 + 1) / 32
"""Edges of the histogram of pooled scores (s − c)/e; what lies beyond is counted in the first or the last bin."""

_UPPER_SHARE, _RIVALS_ABOVE, _LARGEST_SHARE = 0.15, 20, 0.5
_FEWEST_SCORES = 10
_SCORES_OF_A_PROBE = 50
_MOST_UNITS, _FEWEST_UNITS, _CELLS = 512, 64, 1 << 26
_KEPT = 1 << 17


@dataclass(frozen=True, eq=False, repr=False)
class ProbeScores:
    """Mated scores, and the upper part of the non-mated scores, of every probe; build it with `of`.

    A probe is a sample that was compared with mates and with others (scope "probe"), or a subject with all its samples
    (scope "subject"). Scores are similarities. Memory: a few bytes for each probe and rival, of which there are at most
    2^26 (beyond 10^6 probes 64 each), and twice 131,072 scores of the tail; the comparisons themselves are read once,
    in blocks.

    Attributes
    ----------
    subject
        Of each probe, the place of its subject in `names`.
    unit_of
        Of each subject, the unit in which it is resampled: its own, or, with more than 512 subjects, a group drawn at
        random that is resampled as one. Codes from 0 to `n_units` − 1.
    pivot
        Of each probe, a score that about the share `upper` of its non-mated scores exceed.
    median
        The median of its non-mated scores.
    total, above, excess
        For each probe (row) and unit of rivals (column): the non-mated scores, those above the pivot, and the sum of
        what these exceed it by.
    mated_probe, mated_score
        Probe and score of each mated comparison, ordered by probe; both directions where pairs are listed once.
    tail_probe, tail_unit, tail_score
        Probe, unit of the rival and score of the non-mated comparisons with the highest levels (s − c)/e.
    tail_from
        The lowest level of which all comparisons are there.
    high_probe, high_unit, high_score, high_from
        The same of the non-mated comparisons with the highest scores.
    histogram
        How many non-mated scores have their (s − c)/e in each bin of `HISTOGRAM`.
    upper
        The share of a probe's scores meant to lie above its pivot.
    rivals
        Of each probe, the number of other subjects it was compared with.
    score_unit
        The step between two legitimate scores, None for continuous scores.
    dropped
        Probes left out: fewer than 10 non-mated scores, or all of the upper part equal.
    """

    names: tuple[str, ...]
    subject: NDArray[np.int64]
    unit_of: NDArray[np.int64]
    n_units: int
    pivot: Floats
    median: Floats
    total: NDArray[Any]
    above: NDArray[Any]
    excess: NDArray[np.float32]
    mated_probe: NDArray[np.int64]
    mated_score: Floats
    tail_probe: Codes
    tail_unit: Codes
    tail_score: Floats
    tail_from: float
    high_probe: Codes
    high_unit: Codes
    high_score: Floats
    high_from: float
    histogram: NDArray[np.int64]
    upper: float
    rivals: NDArray[np.int64]
    scope: Scope
    score_unit: Fraction | None
    dropped: int

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                object.__setattr__(self, name, read_only(value))

    @classmethod
    def of(
        cls, layout: Layout, *, scope: Scope | Literal["auto"] = "auto", symmetric: Symmetry = "auto"
    ) -> ProbeScores:
        """Reduce a table or a matrix whose subjects are known.

        With scope "auto" probes are samples where samples are named and each has 50 non-mated scores or more on
        average, else subjects. `symmetric` is that of `SubjectTallies.of`.
        """
        chosen = _scope(layout, symmetric) if scope == "auto" else scope
        return _Reduction(layout, chosen, symmetric).result()

    @property
    def n_probes(self) -> int:
        """Number of probes."""
        return len(self.subject)

    @property
    def n_subjects(self) -> int:
        """Number of subjects that have a probe here."""
        return len(np.unique(self.subject))

    @property
    def n_nonmated(self) -> int:
        """Number of non-mated scores, a comparison counted for each side it is read from."""
        return int(self.histogram.sum())

    def __repr__(self) -> str:
        kind = "probes" if self.scope == "probe" else "subjects"
        return f"ProbeScores({self.n_probes} {kind}, {len(self.mated_score)} mated, {self.n_nonmated} non-mated)"


def upper_share(rivals: float) -> float:
    """Return the share a of a probe's scores that describe its upper tail, by the number of its rivals.

    A tenth, and more where a tenth would be fewer than 20 rivals, at most a half. A smaller share is nearer to the tail
    that is asked for; of fewer rivals the mean excess is mostly noise, which makes forecasts too high.
    """
    return min(max(_UPPER_SHARE, _RIVALS_ABOVE / max(rivals, 1)), _LARGEST_SHARE)


def _scope(layout: Layout, symmetric: Symmetry) -> Scope:
    if not isinstance(layout, Comparisons):
        return "probe" if layout.scores.shape[1] >= _SCORES_OF_A_PROBE else "subject"
    if layout.samples is None:
        return "subject"
    once = lists_pairs_once(layout) if symmetric == "auto" else symmetric == "yes"
    sides = (layout.samples.probe, layout.samples.reference) if once else (layout.samples.probe,)
    seen = np.zeros(len(layout.samples.names), dtype=bool)
    for side in sides:
        seen[side] = True
    probes = np.count_nonzero(seen)
    nonmated = len(sides) * np.count_nonzero(~layout.mated)
    return "probe" if nonmated >= _SCORES_OF_A_PROBE * probes else "subject"


class _Part(NamedTuple):
    """What one block of searches gives; probes are numbered within it."""

    subject: NDArray[np.int64]
    pivot: Floats
    median: Floats
    total: NDArray[np.int64]
    above: NDArray[np.int64]
    excess: NDArray[np.float32]
    rivals: NDArray[np.int64]
    mated_probe: NDArray[np.int64]
    mated_score: Floats


class _Reduction:
    """One pass over the searches of a layout."""

    def __init__(self, layout: Layout, scope: Scope, symmetric: Symmetry) -> None:
        if layout.subjects is None:
            raise MatedError("a forecast needs to know who was compared: give probe_subject and reference_subject")
        self.layout, self.scope, self.symmetric = layout, scope, symmetric
        self.names = layout.subjects.names
        present = np.zeros(len(self.names), dtype=bool)
        for side in (layout.subjects.probe, layout.subjects.reference):
            present[side] = True
        self.upper = upper_share(int(present.sum()) - 1)
        self.unit_of, self.n_units = _units(present, _most_units(layout))
        self.histogram = np.zeros(len(HISTOGRAM) - 1, dtype=np.int64)
        self.tail, self.high = _Highest(0.0), _Highest(-np.inf)
        self.dropped = 0

    def result(self) -> ProbeScores:
        parts: list[_Part] = []
        probes = 0
        for searches in search_blocks(self.layout, scope=self.scope, symmetric=self.symmetric):
            if len(searches):
                parts.append(self._part(searches, probes))
                probes += len(parts[-1].subject)
        if not probes:
            raise MatedError(
                "no probe has mated scores and at least 10 non-mated ones that differ, so no tail can be described"
            )
        tail_probe, tail_unit, tail_score = self.tail.sorted()
        high_probe, high_unit, high_score = self.high.sorted()
        first = np.cumsum([0] + [len(part.subject) for part in parts[:-1]])
        joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _Part._fields}
        joined["mated_probe"] += np.repeat(first, [len(part.mated_probe) for part in parts])
        choice = self.layout.unit
        detected = (
            detect_unit(np.concatenate([tail_score, high_score, joined["mated_score"]])) if choice == "auto" else choice
        )
        return ProbeScores(
            names=self.names,
            unit_of=self.unit_of,
            n_units=self.n_units,
            **joined,
            tail_probe=tail_probe,
            tail_unit=tail_unit,
            tail_score=tail_score,
            high_probe=high_probe,
            high_unit=high_unit,
            high_score=high_score,
            tail_from=self.tail.least,
            high_from=self.high.least,
            histogram=self.histogram,
            upper=self.upper,
            scope=self.scope,
            score_unit=None if detected == "continuous" else detected,
            dropped=self.dropped,
        )

    def _part(self, searches: Searches, before: int) -> _Part:
        """Describe the probes of one block, and add their scores to the histogram and the tail."""
        if np.isposinf(searches.rival_score).any():
            raise MatedError("a non-mated score is infinite, and a tail of such scores cannot be described; remove it")
        counts = np.diff(searches.rival_start)
        owner = np.repeat(np.arange(len(searches)), counts)
        pivot, median = _order_statistics(searches, counts, self.upper)
        with np.errstate(invalid="ignore"):  # −∞ where most of the scores are −∞
            over = searches.rival_score - pivot[owner]
        is_above = over > 0
        n_above = np.bincount(owner[is_above], minlength=len(searches))
        sums = np.bincount(owner[is_above], weights=over[is_above], minlength=len(searches))
        usable = (counts >= _FEWEST_SCORES) & (n_above > 0) & np.isfinite(pivot)
        self.dropped += int(np.count_nonzero(~usable))
        code = np.cumsum(usable) - 1
        kept = usable[owner]
        owner, over, rival, score = code[owner[kept]], over[kept], searches.rival[kept], searches.rival_score[kept]
        unit, n_probes = self.unit_of[rival], int(usable.sum())
        cell = owner * self.n_units + unit
        is_above = over > 0
        shape = (n_probes, self.n_units)
        total = np.bincount(cell, minlength=n_probes * self.n_units).reshape(shape)
        above = np.bincount(cell[is_above], minlength=n_probes * self.n_units).reshape(shape)
        excess = np.bincount(cell[is_above], weights=over[is_above], minlength=n_probes * self.n_units)
        self._pool(owner + before, unit, score, over / (sums / np.maximum(n_above, 1))[usable][owner])
        mates = np.repeat(usable, searches.n_mated)
        return _Part(
            subject=searches.subject[usable],
            pivot=pivot[usable],
            median=median[usable],
            total=total.astype(np.min_scalar_type(int(total.max(initial=0)))),
            above=above.astype(np.min_scalar_type(int(above.max(initial=0)))),
            excess=excess.reshape(shape).astype(np.float32),
            rivals=_distinct_rivals(owner, rival, n_probes, len(self.names)),
            mated_probe=np.repeat(code, searches.n_mated)[mates],
            mated_score=searches.mated_score[mates],
        )

    def _pool(self, probe: NDArray[np.int64], unit: NDArray[np.int64], score: Floats, level: Floats) -> None:
        bins = np.clip(np.floor((level - HISTOGRAM[0]) * 32), 0, len(self.histogram) - 1)
        self.histogram += np.bincount(bins.astype(np.int64), minlength=len(self.histogram))
        upper, finite = level > 0, np.isfinite(score)
        self.tail.add(level[upper], probe[upper], unit[upper], score[upper])
        self.high.add(score[finite], probe[finite], unit[finite], score[finite])


class _Highest:
    """The entries with the highest keys of all that are added, and from which key on all are there."""

    def __init__(self, least: float) -> None:
        self.least = least
        self.parts: list[tuple[Floats, Codes, Codes, Floats]] = []

    def add(self, key: Floats, probe: NDArray[np.int64], unit: NDArray[np.int64], score: Floats) -> None:
        high = key >= self.least
        self.parts.append((key[high], probe[high].astype(np.int32), unit[high].astype(np.int32), score[high]))
        if sum(len(part[0]) for part in self.parts) > 4 * _KEPT:
            self._cut()

    def sorted(self) -> tuple[Codes, Codes, Floats]:
        """Return probe, unit and score of what is left, ordered by them."""
        self._cut()
        _, probe, unit, score = self.parts[0]
        order = np.lexsort((score, unit, probe))
        return probe[order], unit[order], score[order]

    def _cut(self) -> None:
        key, probe, unit, score = (np.concatenate(arrays) for arrays in zip(*self.parts, strict=True))
        if len(key) > _KEPT:
            self.least = float(np.partition(key, len(key) - _KEPT)[len(key) - _KEPT])
            high = key >= self.least
            key, probe, unit, score = key[high], probe[high], unit[high], score[high]
        self.parts = [(key, probe, unit, score)]


def _most_units(layout: Layout) -> int:
    """Return how many units of rivals may be told apart, so that probes × units stay within bounds."""
    if isinstance(layout, Comparisons):
        probes = len(layout.samples.names if layout.samples is not None else layout.subjects.names)  # type: ignore[union-attr]
    else:
        probes = layout.scores.shape[0]
    return min(_MOST_UNITS, max(_FEWEST_UNITS, _CELLS // max(probes, 1)))


def _units(present: NDArray[np.bool_], most: int) -> tuple[NDArray[np.int64], int]:
    """Give each subject that has a comparison its unit; those of a large test are dealt to groups at random."""
    subjects = int(present.sum())
    unit_of = np.full(len(present), -1, dtype=np.int64)
    if subjects <= most:
        unit_of[present] = np.arange(subjects)
    else:  # shuffled, so that names that follow one another (families, sites) do not fall into one group
        unit_of[present] = np.random.default_rng(subjects).permutation(subjects) % most
    return unit_of, min(subjects, most)


def _distinct_rivals(owner: NDArray[np.int64], rival: Codes, n_probes: int, subjects: int) -> NDArray[np.int64]:
    """Return with how many other subjects each probe was compared."""
    if n_probes * subjects <= 8 * len(owner):
        seen = np.zeros((n_probes, subjects), dtype=bool)
        seen[owner, rival] = True
        return np.asarray(np.count_nonzero(seen, axis=1), dtype=np.int64)
    owners: NDArray[np.int64] = np.unique(owner * subjects + rival) // subjects
    return np.bincount(owners, minlength=n_probes)


def _order_statistics(searches: Searches, counts: NDArray[np.int64], upper: float) -> tuple[Floats, Floats]:
    """Return of each probe the (k + 1)-th largest non-mated score, k = ⌊a·n⌋, and the lower median."""
    starts, width = searches.rival_start, int(counts.max())
    pivot, median = np.empty(len(counts)), np.empty(len(counts))
    step = max(1, (1 << 22) // width)
    for begin in range(0, len(counts), step):
        rows = slice(begin, min(begin + step, len(counts)))
        n = counts[rows]
        table = np.full((len(n), width), -np.inf)
        table[np.arange(width) >= (width - n)[:, None]] = searches.rival_score[starts[begin] : starts[rows.stop]]
        from_the_left = np.stack([width - 1 - np.floor(upper * n).astype(np.int64), width - 1 - n // 2])
        table.partition(np.unique(from_the_left), axis=1)
        pivot[rows], median[rows] = (table[np.arange(len(n)), place] for place in from_the_left)
    return pivot, median
