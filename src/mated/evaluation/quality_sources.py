"""Qualities from wherever they come, put together and given to the comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.io.quality_files import QualityColumns, ReadQualities, read_qualities
from mated.quality.pairing import PairQualities, SampleQualities, pair_qualities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mated.quality.pairing import PairFunction
    from mated.scores import Comparisons, PairIds

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["pair_qualities_from"]

_PLAIN_NAMES = ("quality", "quality_score", "score", "value", "qs")


class _Column(NamedTuple):
    """The qualities of one algorithm by one source."""

    source: str
    algorithm: str
    samples: tuple[str, ...]
    values: Floats


def pair_qualities_from(
    comparisons: Comparisons,
    quality: Any,
    *,
    pair_columns: Sequence[str] = (),
    columns: QualityColumns | None = None,
    pair: PairFunction = "minimum",
) -> tuple[PairQualities, tuple[str, ...]]:
    """Give every comparison a pair quality, and note what was decided about the sources.

    Parameters
    ----------
    quality
        One source or several: a path, a data frame, a mapping from algorithm to a mapping from sample to quality,
        `SampleQualities`.
    pair_columns
        In place of it, columns of the comparison table that hold qualities of pairs.
    """
    if pair_columns:
        if quality is not None:
            raise MatedError("give qualities of samples (--quality) or columns of pair qualities (--pair-quality)")
        return PairQualities.from_columns(comparisons, _pair_columns(comparisons, pair_columns)), ()
    if quality is None:
        raise MatedError(
            "there are no qualities; give a table of sample qualities (quality=, --quality) or columns of the "
            "comparison table that hold pair qualities (pair_columns=, --pair-quality)"
        )
    if comparisons.samples is None:
        raise MatedError(
            "the comparisons do not say which samples were compared, so sample qualities cannot be given to them; "
            "name the columns (--probe-sample and --reference-sample), or give pair qualities (--pair-quality)"
        )
    several = quality if isinstance(quality, list | tuple) else [quality]
    found: list[_Column] = []
    notes: tuple[str, ...] = ()
    for source in several:
        if isinstance(source, SampleQualities):
            found += [_Column("the qualities", a, source.samples, v) for a, v in source.values.items()]
            continue
        read = source if isinstance(source, ReadQualities) else read_qualities(source, columns)
        read = _named_as_compared(read, comparisons.samples)
        names = _as_compared(read, comparisons.samples)
        found += [_Column(read.name, a, names, v) for a, v in read.values.items()]
        notes = (*notes, *read.notes)
    qualities, said = _together(found)
    return pair_qualities(comparisons, qualities, function=pair), (*notes, *said)


def _pair_columns(comparisons: Comparisons, names: Sequence[str]) -> dict[str, Any]:
    for name in names:
        if name not in comparisons.covariates:
            known = ", ".join(repr(n) for n in comparisons.covariates) or "none"
            raise MatedError(f"there is no column {name!r} of pair qualities; the further columns are: {known}")
    return {name: comparisons.covariates[name] for name in names}


def _named_as_compared(read: ReadQualities, pairs: PairIds) -> ReadQualities:
    """Return the reading whose names of samples occur among the comparisons, where a source has two."""
    other, compared = read.otherwise, set(pairs.names)
    if other is None or len(compared.intersection(other.samples)) <= len(compared.intersection(read.samples)):
        return read
    return other


def _as_compared(read: ReadQualities, pairs: PairIds) -> tuple[str, ...]:
    """Return the samples as the comparisons name them: by subject too where samples are numbered within subjects."""
    compared = set(pairs.names)
    if read.subjects is not None:
        by_subject = tuple(f"{subject}/{sample}" for subject, sample in zip(read.subjects, read.samples, strict=True))
        if len(compared.intersection(by_subject)) > len(compared.intersection(read.samples)):
            return by_subject
    elif pairs.given is not None and not compared.intersection(read.samples):
        raise MatedError(
            f"{read.name}: the comparisons number samples within each subject, and the qualities do not say which "
            "subject a sample is of; add a column 'subject'"
        )
    return read.samples


def _together(found: list[_Column]) -> tuple[SampleQualities, tuple[str, ...]]:
    """Put all algorithms side by side; one of the same name goes on where its samples are others."""
    if all(column.samples is found[0].samples for column in found):
        named = {column.algorithm: column.values for column in found}
        _refuse_repeated(found[0].samples, found[0].source)
        return SampleQualities(found[0].samples, named), ()
    by_name: dict[str, list[_Column]] = {}
    for column in found:
        _refuse_repeated(column.samples, column.source)
        by_name.setdefault(column.algorithm, []).append(column)
    place = {sample: row for row, sample in enumerate(dict.fromkeys(s for c in found for s in c.samples))}
    values: dict[str, Floats] = {}
    notes: tuple[str, ...] = ()
    for algorithm, parts in by_name.items():
        rows = [np.array([place[sample] for sample in part.samples], dtype=np.int64) for part in parts]
        if len(parts) > 1 and _disjoint(parts):
            notes = (*notes, f"algorithm {algorithm!r} is put together from {len(parts)} sources")
            groups = {algorithm: list(zip(parts, rows, strict=True))}
        elif len(parts) > 1:
            groups = {_told_apart(part): [(part, row)] for part, row in zip(parts, rows, strict=True)}
            if len(groups) < len(parts):
                raise MatedError(f"algorithm {algorithm!r} is given twice; name the sources or the columns differently")
        else:
            groups = {algorithm: [(parts[0], rows[0])]}
        for name, members in groups.items():
            if name in values:
                raise MatedError(f"algorithm {name!r} is given twice; name the sources or the columns differently")
            values[name] = np.full(len(place), np.nan)
            for part, row in members:
                given = ~np.isnan(part.values)
                values[name][row[given]] = part.values[given]
    return SampleQualities(tuple(place), values), notes


def _disjoint(parts: list[_Column]) -> bool:
    given = [sample for p in parts for sample, q in zip(p.samples, p.values.tolist(), strict=True) if q == q]
    return len(set(given)) == len(given)


def _told_apart(column: _Column) -> str:
    """Name an algorithm by its source too, or by that alone where the column says nothing."""
    path = Path(column.source)
    source = Path(path.stem).stem if path.suffix == ".gz" else path.stem
    return source if column.algorithm.casefold() in _PLAIN_NAMES else f"{source}: {column.algorithm}"


def _refuse_repeated(samples: tuple[str, ...], source: str) -> None:
    if len(set(samples)) < len(samples):
        raise MatedError(
            f"{source}: samples of one name are given under several subjects, and the comparisons name each sample "
            "once; give every sample a name of its own"
        )
