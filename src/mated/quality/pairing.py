"""From qualities of samples to qualities of comparisons: one pair quality for each comparison and algorithm.

The default is the minimum of the two sample qualities: discarding comparisons is then the same as discarding samples
before they are compared (Schlett et al. 2023, section I-A). Any other function stands for a system that compares first
and then decides whether to believe the comparison.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.scores.discard_order import Axis, DiscardOrder
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from mated.scores import Comparisons

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["PAIR_FUNCTIONS", "PairFunction", "PairQualities", "SampleQualities", "pair_qualities"]


def _mean(a: Floats, b: Floats) -> Floats:
    return (a + b) / 2


def _product(a: Floats, b: Floats) -> Floats:
    return a * b


def _geometric_mean(a: Floats, b: Floats) -> Floats:
    result: Floats = np.sqrt(a) * np.sqrt(b)
    return result


PAIR_FUNCTIONS: Mapping[str, Callable[[Any, Any], Any]] = MappingProxyType(
    {
        "minimum": np.minimum,
        "maximum": np.maximum,
        "mean": _mean,
        "product": _product,
        "geometric mean": _geometric_mean,
    }
)
"""How two sample qualities become one pair quality."""

PairFunction: TypeAlias = Literal["minimum", "maximum", "mean", "product", "geometric mean"] | Callable[[Any, Any], Any]
"""The name of a function, or a function of two arrays."""


@dataclass(frozen=True, eq=False, repr=False)
class SampleQualities:
    """The quality of each sample by one or more algorithms; higher is better.

    Attributes
    ----------
    samples
        Names of the samples, each once.
    values
        For each algorithm one quality a sample, NaN where the algorithm gave none.
    """

    samples: tuple[str, ...]
    values: Mapping[str, Floats]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", MappingProxyType({k: read_only(v) for k, v in self.values.items()}))

    @classmethod
    def from_arrays(cls, samples: Iterable[Any], values: Mapping[str, Any]) -> SampleQualities:
        """Take the names of the samples and for each algorithm as many qualities; None stands for no quality."""
        names = tuple(str(name) for name in samples)
        if len(set(names)) < len(names):
            twice = Counter(names).most_common(1)[0][0]
            raise MatedError(f"sample {twice!r} has more than one line of qualities; give each sample once")
        if not values:
            raise MatedError("there is no quality algorithm; give at least one column of qualities")
        return cls(names, {str(name): _qualities(column, names, str(name)) for name, column in values.items()})

    @classmethod
    def from_mappings(cls, values: Mapping[str, Mapping[Any, Any]]) -> SampleQualities:
        """Take for each algorithm a mapping from sample to quality; not every algorithm needs to know every sample."""
        names = dict.fromkeys(sample for of_samples in values.values() for sample in of_samples)
        columns = {name: [of_samples.get(sample) for sample in names] for name, of_samples in values.items()}
        return cls.from_arrays(list(names), columns)

    def __repr__(self) -> str:
        return f"SampleQualities({len(self.samples)} samples, {len(self.values)} algorithms)"


@dataclass(frozen=True, eq=False, repr=False)
class PairQualities:
    """Comparisons with one pair quality by each algorithm; build it with `pair_qualities` or `from_columns`.

    All algorithms see the same comparisons, so that all curves begin at the same error: a comparison whose samples
    do not have a quality by every algorithm is left out.

    Attributes
    ----------
    comparisons
        Those that have a pair quality by every algorithm.
    values
        For each algorithm one pair quality a comparison.
    samples
        For each algorithm the quality of every sample code of the comparisons; None where only pairs have one.
    function
        Name of the function that made pair qualities.
    comparisons_left_out
        Comparisons that were given and have no pair quality.
    samples_without_quality
        For each algorithm the number of samples that were compared and have no quality.
    qualities_without_sample
        Qualities of samples that were never compared.
    constant
        Algorithms with one pair quality for all comparisons; they discard everything at once.
    """

    comparisons: Comparisons
    values: Mapping[str, Floats]
    samples: Mapping[str, Floats] | None = None
    function: str = "minimum"
    comparisons_left_out: int = 0
    samples_without_quality: Mapping[str, int] | None = None
    qualities_without_sample: int = 0
    constant: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("values", "samples"):
            if (columns := getattr(self, name)) is not None:
                object.__setattr__(self, name, MappingProxyType({k: read_only(v) for k, v in columns.items()}))

    @classmethod
    def from_columns(cls, comparisons: Comparisons, values: Mapping[str, Any]) -> PairQualities:
        """Take pair qualities as they are, such as a column of the comparison table."""
        if not values:
            raise MatedError("there is no quality algorithm; give at least one column of pair qualities")
        columns = {}
        for name, column in values.items():
            array = _numbers(column, str(name))
            if array.shape != (len(comparisons),):
                raise MatedError(
                    f"algorithm {name!r} has {array.size} pair qualities and there are {len(comparisons)} comparisons"
                )
            if (bad := np.flatnonzero(np.isnan(array))).size:
                raise MatedError(
                    f"the pair quality of comparison {bad[0] + 1} by algorithm {name!r} is NaN; "
                    "leave the comparison out, or correct it"
                )
            columns[str(name)] = array
        return cls(comparisons, columns, function="given", constant=_constant(columns))

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Names of the algorithms."""
        return tuple(self.values)

    def order(
        self,
        algorithm: str,
        *,
        mated: bool | None = True,
        limit: float = 1.0,
        axis: Axis = "comparisons",
    ) -> DiscardOrder:
        """Sort the mated comparisons (non-mated with False, both together with None) by pair quality."""
        if algorithm not in self.values:
            known = ", ".join(repr(name) for name in self.values)
            raise MatedError(f"there is no quality algorithm {algorithm!r}; the algorithms are: {known}")
        rows = self._rows(mated)
        values, score = self.values[algorithm], self.comparisons.score
        return DiscardOrder.of(
            score if rows is None else score[rows],
            values if rows is None else values[rows],
            mated=self.comparisons.mated if mated is None else None,
            sample_quality=self._sample_quality(algorithm, rows) if axis == "samples" else None,
            limit=limit,
            axis=axis,
        )

    def orders(
        self, *, mated: bool | None = True, limit: float = 1.0, axis: Axis = "comparisons"
    ) -> dict[str, DiscardOrder]:
        """Sort by the pair qualities of every algorithm."""
        return {name: self.order(name, mated=mated, limit=limit, axis=axis) for name in self.values}

    def _rows(self, mated: bool | None) -> NDArray[np.bool_] | None:
        """Return a mask of the comparisons of a class, None where it is all of them."""
        if mated is None:
            return None
        rows = self.comparisons.mated if mated else ~self.comparisons.mated
        if not rows.any():
            raise MatedError(f"there is no {'mated' if mated else 'non-mated'} comparison with a pair quality")
        return None if rows.all() else rows

    def _sample_quality(self, algorithm: str, rows: NDArray[np.bool_] | None) -> Floats:
        """Return the quality of each sample that occurs in the comparisons."""
        pairs = self.comparisons.samples
        if self.samples is None or pairs is None:
            raise MatedError("the qualities are those of pairs, so a fraction of samples cannot be given")
        if self.function != "minimum":
            raise MatedError(
                f"with the pair quality {self.function!r} comparisons are discarded, not samples; "
                "a fraction of samples can be given with 'minimum'"
            )
        occurs = np.zeros(len(pairs.names), dtype=bool)
        for side in (pairs.probe, pairs.reference):
            occurs[side if rows is None else side[rows]] = True
        return self.samples[algorithm][occurs]

    def __repr__(self) -> str:
        return f"PairQualities({len(self.comparisons)} comparisons, {len(self.values)} algorithms, {self.function})"


def pair_qualities(
    comparisons: Comparisons, qualities: SampleQualities, *, function: PairFunction = "minimum"
) -> PairQualities:
    """Give each comparison a pair quality by each algorithm, and count what has none."""
    pairs = comparisons.samples
    if pairs is None:
        raise MatedError(
            "the comparisons do not say which samples were compared; give probe_sample and reference_sample"
        )
    combine, name = _pair_function(function)
    code_of = {sample: code for code, sample in enumerate(pairs.names)}
    codes = np.array([code_of.get(sample, -1) for sample in qualities.samples], dtype=np.int64)
    known = codes >= 0
    if not known.any():
        example = f" (such as {qualities.samples[0]!r} beside {pairs.names[0]!r})" if qualities.samples else ""
        raise MatedError(f"there is quality for no sample that was compared{example}; do the names agree?")
    occurs = np.zeros(len(pairs.names), dtype=bool)
    occurs[pairs.probe] = occurs[pairs.reference] = True
    samples, without, usable = {}, {}, np.ones(len(pairs.names), dtype=bool)
    for algorithm, values in qualities.values.items():
        column = np.full(len(pairs.names), np.nan)
        column[codes[known]] = values[known]
        lacking = np.isnan(column)
        without[algorithm] = int(np.count_nonzero(lacking & occurs))
        if without[algorithm] == np.count_nonzero(occurs):
            raise MatedError(f"algorithm {algorithm!r} gives quality for no sample that was compared")
        usable &= ~lacking
        samples[algorithm] = column
    kept = None if usable[occurs].all() else usable[pairs.probe] & usable[pairs.reference]
    data = comparisons if kept is None else comparisons.take(kept)
    if not len(data):
        raise MatedError("no comparison has two samples with a quality by every algorithm")
    assert data.samples is not None
    probe, reference = data.samples.probe, data.samples.reference
    paired = {a: _combined(combine, name, a, column[probe], column[reference]) for a, column in samples.items()}
    return PairQualities(
        data,
        paired,
        samples,
        function=name,
        comparisons_left_out=len(comparisons) - len(data),
        samples_without_quality=MappingProxyType(without),
        qualities_without_sample=int(np.count_nonzero(~known) + np.count_nonzero(~occurs[codes[known]])),
        constant=_constant(paired),
    )


def _pair_function(function: PairFunction) -> tuple[Callable[[Any, Any], Any], str]:
    if callable(function):
        return function, getattr(function, "__name__", "a function of the user")
    if function not in PAIR_FUNCTIONS:
        known = ", ".join(repr(name) for name in PAIR_FUNCTIONS)
        raise MatedError(f"there is no pair quality {function!r}; give one of {known}, or a function of two arrays")
    return PAIR_FUNCTIONS[function], function


def _combined(combine: Callable[[Any, Any], Any], name: str, algorithm: str, a: Floats, b: Floats) -> Floats:
    with np.errstate(invalid="ignore", over="ignore"):
        result = np.asarray(combine(a, b), dtype=np.float64)
    if result.shape != a.shape:
        raise MatedError(
            f"the pair quality {name!r} must give one number for each comparison, and it gave shape {result.shape} "
            f"for {len(a)} comparisons"
        )
    if (bad := np.flatnonzero(np.isnan(result))).size:
        raise MatedError(
            f"the pair quality {name!r} of {a[bad[0]]:g} and {b[bad[0]]:g} (algorithm {algorithm!r}) is not a number; "
            "choose another function"
        )
    return result


def _constant(columns: Mapping[str, Floats]) -> tuple[str, ...]:
    return tuple(name for name, values in columns.items() if values.min() == values.max())


def _numbers(column: Any, name: str) -> Floats:
    try:
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        raise MatedError(
            f"the qualities of algorithm {name!r} must be numbers, and {_first_text(column)!r} is none"
        ) from None


def _first_text(column: Any) -> object:
    """Return the first value that is no number, to show it."""
    for value in np.ravel(np.asarray(column, dtype=object)).tolist():
        try:
            float(value)
        except (TypeError, ValueError):
            if value is not None:
                return value
    return column


def _qualities(column: Any, samples: tuple[str, ...], name: str) -> Floats:
    """Return the qualities of one algorithm, NaN where it gave none; a NaN that was given is a mistake."""
    given = np.asarray(column.to_list() if hasattr(column, "to_list") else column)  # a series tells null from NaN
    if given.shape != (len(samples),):
        raise MatedError(f"algorithm {name!r} has {given.size} qualities and there are {len(samples)} samples")
    values = _numbers(given, name)
    refused = np.isnan(values)
    if given.dtype.kind == "O":
        refused &= np.array([value is not None for value in given.tolist()])
    if refused.any():
        sample = samples[int(np.flatnonzero(refused)[0])]
        raise MatedError(f"the quality of sample {sample!r} by algorithm {name!r} is NaN; leave it out, or correct it")
    return values
