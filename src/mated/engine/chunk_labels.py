"""Who was compared, learnt chunk by chunk: codes in the order of first sight, and the order that memory would give.

Comparisons in memory code subjects and samples by one sorted list of names (`mated.scores.ids`). Chunks do not know
that list, so they number names as they come; rosters of parts are united, and only in the end are names sorted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.scores.ids import in_name_order, name_order

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    Codes = NDArray[np.int64]

__all__ = ["CHANGED", "IntegerCoder", "LabelCoder", "Roster", "RosterCoder"]

_FEWEST_SLOTS, _MANY_SLOTS = 1 << 10, 1 << 20
_LOW = (1 << 32) - 1  # of the key of a sample: its name's code, or all bits for the one reference of a subject
CHANGED = "the data are not what they were when they were read before; read them again when nobody writes to them"
"""What is said of data that differ from one pass to the next."""


class IntegerCoder:
    """Numbers integers 0, 1, 2 … in the order in which they are first seen.

    Parameters
    ----------
    known
        Integers that have the first codes.
    """

    def __init__(self, known: Codes | None = None) -> None:
        self._n = 0
        self._slots = np.full(_FEWEST_SLOTS, -1, dtype=np.int32)
        self._known = np.empty(_FEWEST_SLOTS // 2, dtype=np.int64)
        if known is not None:
            self.codes(known)

    def __len__(self) -> int:
        return self._n

    @property
    def known(self) -> Codes:
        """The integers by their codes."""
        return self._known[: self._n]

    def codes(self, keys: Codes) -> Codes:
        """Return the codes of integers."""
        from mated.engine.chunk_kernels import code_keys

        keys = np.ascontiguousarray(keys, dtype=np.int64)
        codes = np.empty(len(keys), dtype=np.int64)
        at = 0
        while True:
            at, self._n = code_keys(keys, codes, at, self._slots, self._known, self._n)
            if at == len(keys):
                return codes
            self._grow()

    def _grow(self) -> None:
        from mated.engine.chunk_kernels import code_keys

        size = (2 if len(self._slots) > _MANY_SLOTS else 8) * len(self._slots)
        known = np.empty(size // 2, dtype=np.int64)
        slots = np.full(size, -1, dtype=np.int32)
        before = self.known.copy()
        code_keys(before, np.empty_like(before), 0, slots, known, 0)
        self._slots, self._known = slots, known


class LabelCoder:
    """Numbers labels, integers or texts, in the order in which they are first seen.

    Where some chunks hold integers and others texts, integers are taken as the texts they are written as.

    Parameters
    ----------
    known
        Labels that have the first codes.
    """

    def __init__(self, known: pl.Series | None = None) -> None:
        self._integers: IntegerCoder | None = None
        self._texts: pl.Series | None = None
        self._hashes: IntegerCoder | None = None
        self._hashes_tell = False
        if known is not None and known.dtype.is_integer():
            self._integers = IntegerCoder(known.to_numpy())
        elif known is not None:
            self._texts = known

    def __len__(self) -> int:
        if self._texts is not None:
            return len(self._texts)
        return 0 if self._integers is None else len(self._integers)

    @property
    def labels(self) -> pl.Series:
        """The labels by their codes."""
        import polars as pl

        if self._texts is not None:
            return self._texts
        known = np.zeros(0, dtype=np.int64) if self._integers is None else self._integers.known.copy()
        return pl.Series("label", known, dtype=pl.Int64)

    def codes(self, series: pl.Series, place: str) -> Codes:
        """Return the codes of a column; `place` says in messages where it is."""
        import polars as pl

        column = _as_labels(series, place)
        if column.dtype == pl.Int64 and self._texts is None:
            if self._integers is None:
                self._integers = IntegerCoder()
            return self._integers.codes(column.to_numpy())
        if self._texts is None:  # texts come after integers, or first of all
            self._texts = self.labels.cast(pl.String)
        return self._codes_of_texts(column.cast(pl.String))

    def _codes_of_texts(self, column: pl.Series) -> Codes:
        """Return the codes of texts, found by their hashes as long as no two texts are found to have the same."""
        import polars as pl

        assert self._texts is not None
        if self._hashes is None:
            self._hashes = IntegerCoder(_hashes(self._texts))
            self._hashes_tell = len(self._hashes) == len(self._texts)
        if self._hashes_tell:
            found = self._hashes.codes(_hashes(column))
            texts = self._texts
            if len(self._hashes) > len(texts):
                seen, first = np.unique(found, return_index=True)
                texts = pl.concat([texts, column.gather(first[seen >= len(texts)])], rechunk=True)
            if (texts.gather(found) == column).all():
                self._texts = texts
                return found
            self._hashes_tell = False
        codes = _positions(column, self._texts)
        if codes.null_count():
            new = column.filter(codes.is_null()).unique(maintain_order=True)
            self._texts = pl.concat([self._texts, new], rechunk=True)
            codes = _positions(column, self._texts)
        return codes.to_numpy().astype(np.int64)


def _as_labels(series: pl.Series, place: str) -> pl.Series:
    import polars as pl

    if series.null_count():
        raise MatedError(f"{place}: column {series.name!r} has rows without a value; every comparison needs one")
    if series.dtype.is_integer():
        numbers = series.cast(pl.Int64, strict=False)
        return (series.cast(pl.String) if numbers.null_count() else numbers).alias("label")  # hashes may not fit
    if series.dtype.is_float() or series.dtype.is_nested():
        raise MatedError(
            f"{place}: column {series.name!r} holds {series.dtype} values, and names are texts or whole numbers; "
            "name the right column"
        )
    return series.cast(pl.String).alias("label")


def _hashes(texts: pl.Series) -> Codes:
    return texts.hash().to_numpy().view(np.int64)


def _positions(column: pl.Series, labels: pl.Series) -> pl.Series:
    """Return where each value of a column stands in a list of distinct labels, null where it does not."""
    known = labels.alias("label").to_frame().with_row_index("code")
    found = column.alias("label").to_frame().join(known, on="label", how="left", maintain_order="left")
    return found["code"]


def _united(one: pl.Series, other: pl.Series) -> tuple[pl.Series, Codes]:
    """Put two lists of distinct labels together; returns also the codes of the second."""
    import polars as pl

    if one.dtype != other.dtype:
        one, other = one.cast(pl.String), other.cast(pl.String)
    both = pl.concat([one, other]).unique(maintain_order=True)
    return both, _positions(other, both).to_numpy().astype(np.int64)


def _places(labels: pl.Series) -> Codes:
    """Return the place of each label in their sorted list."""
    order = name_order(labels)
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    return places


@dataclass(frozen=True, eq=False)
class Roster:
    """Subjects and samples by code; rosters are united with `+`, which `codes` of the second then follow.

    A sample is a name within a subject. Where samples are not named at all, every subject is one sample. Where only
    those of probes are, the reference of each subject is one sample more.

    Attributes
    ----------
    subjects
        Their labels, by code.
    samples
        The names of samples, by code; None where samples are not named.
    keys
        Of each sample, by code: subject · 2³² + name; the name is 2³² − 1 for the one reference of a subject.
    """

    subjects: pl.Series
    samples: pl.Series | None
    keys: Codes

    @property
    def owner(self) -> Codes:
        """Of each sample, the code of its subject."""
        return self.keys >> 32

    @property
    def name(self) -> Codes:
        """Of each sample, the code of its name."""
        return self.keys & _LOW

    def united(self, other: Roster) -> tuple[Roster, Codes, Codes]:
        """Put two rosters together; returns also the new codes of the second's subjects and of its samples."""
        subjects, subject_codes = _united(self.subjects, other.subjects)
        if self.samples is None or other.samples is None:
            everyone = np.arange(len(subjects)) << 32
            return Roster(subjects, None, everyone), subject_codes, subject_codes
        samples, name_codes = _united(self.samples, other.samples)
        name = other.name
        name = np.where(name == _LOW, _LOW, np.append(name_codes, 0)[np.minimum(name, len(name_codes))])
        coder = IntegerCoder(self.keys)
        sample_codes = coder.codes((subject_codes[other.owner] << 32) | name)
        return Roster(subjects, samples, coder.known.copy()), subject_codes, sample_codes

    @cached_property
    def shares_names(self) -> bool:
        """Whether samples of several subjects have one name, and are told apart by subject."""
        return self.samples is not None and int(np.count_nonzero(self.name != _LOW)) > len(self.samples)

    def in_order(self) -> tuple[Roster, Codes, Codes]:
        """Number subjects and samples as comparisons in memory do; returns also the new codes of both."""
        subject_codes = _places(self.subjects)
        subjects = in_name_order(self.subjects)
        if self.samples is None:
            return Roster(subjects, None, np.arange(len(subjects)) << 32), subject_codes, subject_codes
        owner, name = subject_codes[self.owner], self.name
        name = np.where(name == _LOW, _LOW, np.append(_places(self.samples), 0)[np.minimum(name, len(self.samples))])
        order = np.lexsort((name, owner) if self.shares_names else (owner, name))
        sample_codes = np.empty(len(order), dtype=np.int64)
        sample_codes[order] = np.arange(len(order))
        samples = in_name_order(self.samples)
        return Roster(subjects, samples, ((owner << 32) | name)[order]), subject_codes, sample_codes

    @cached_property
    def subject_names(self) -> tuple[str, ...]:
        """The names of the subjects, by code."""
        return tuple(str(name) for name in self.subjects.to_list())

    def given_names(self) -> list[str]:
        """The names of the samples as they were given, by code."""
        if self.samples is None:
            return list(self.subject_names)
        names = [str(name) for name in self.samples.to_list()]
        pairs = zip(self.owner.tolist(), self.name.tolist(), strict=True)
        return [f"reference of {self.subject_names[who]}" if name == _LOW else names[name] for who, name in pairs]


class RosterCoder:
    """Codes the sides of comparisons chunk after chunk.

    Parameters
    ----------
    knows
        The columns that there are.
    roster
        The subjects and samples where they are known; anybody else is then a mistake.
    samples
        Whether samples are asked for.
    """

    def __init__(self, knows: Any, roster: Roster | None = None, *, samples: bool = True) -> None:
        self.columns: tuple[str, ...] = ("probe_subject", "reference_subject")
        self._named = samples and "probe_sample" in knows
        if self._named:
            self.columns += ("probe_sample", "reference_sample")[: 1 + ("reference_sample" in knows)]
        self._roster = roster
        self._subjects = LabelCoder(None if roster is None else roster.subjects)
        self._samples = LabelCoder(None if roster is None else roster.samples)
        self._keys = IntegerCoder(None if roster is None else roster.keys)

    def sides(self, batch: pl.DataFrame, place: str) -> tuple[tuple[Codes, Codes], tuple[Codes, Codes]]:
        """Return the subjects' codes of both sides, and the samples'."""
        probe, reference = (self._subjects.codes(batch[column], place) for column in self.columns[:2])
        samples = (probe, reference)
        if self._named:
            names = [self._samples.codes(batch[column], place) for column in self.columns[2:]]
            names += [np.full(len(probe), _LOW)] * (2 - len(names))
            sides = zip((probe, reference), names, strict=True)
            samples = tuple(self._keys.codes((who << 32) | name) for who, name in sides)  # type: ignore[assignment]
        known = self._roster
        if known is not None and (
            len(self._subjects) > len(known.subjects) or (self._named and len(self._keys) > len(known.keys))
        ):
            raise MatedError(f"{place}: {CHANGED}")
        return (probe, reference), samples

    @property
    def n_subjects(self) -> int:
        """Subjects seen so far."""
        return len(self._subjects)

    @property
    def n_samples(self) -> int:
        """Samples seen so far."""
        return len(self._keys) if self._named else len(self._subjects)

    def roster(self) -> Roster:
        """Return who was seen so far."""
        if not self._named:
            return Roster(self._subjects.labels, None, np.arange(len(self._subjects)) << 32)
        return Roster(self._subjects.labels, self._samples.labels, self._keys.known.copy())
