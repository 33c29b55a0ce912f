"""`Comparisons`: a table of comparisons, one row each, in memory."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mated.errors import MatedError
from mated.scores.counting import count_distinct
from mated.scores.group_names import check_group_columns, group_labels, value_texts
from mated.scores.ids import PairIds, encode_pairs, one_reference_each, within
from mated.scores.tally import Tally
from mated.scores.unit import UnitChoice, parse_unit
from mated.scores.validation import NanPolicy, as_scores, as_similarity, drop_failures, read_only

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["Comparisons"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons:
    """Scores with what is known of each comparison; build it with `from_arrays` or `mated.read`.

    Attributes
    ----------
    score
        Similarity of each comparison (dissimilarities are held negated).
    mated
        Whether the two samples are of one subject.
    subjects, samples
        Who was compared with whom, where that is known.
    covariates
        Further columns by name, one value a comparison.
    dissimilarity, unit
        How the user writes scores.
    failed_mated, failed_covariates, failed_subjects, failed_samples
        Of each comparison without a score, whether it is mated, its further columns, and who was compared; they are in
        no count.
    notes
        What was decided about the input on the way in, in words.
    """

    score: NDArray[Any]
    mated: NDArray[np.bool_]
    subjects: PairIds | None = None
    samples: PairIds | None = None
    covariates: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    dissimilarity: bool = False
    unit: UnitChoice = "auto"
    failed_mated: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    failed_covariates: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    failed_subjects: PairIds | None = None
    failed_samples: PairIds | None = None

    def __post_init__(self) -> None:
        for name in ("score", "mated", "failed_mated"):
            object.__setattr__(self, name, read_only(getattr(self, name)))
        for name in ("covariates", "failed_covariates"):
            columns = {k: read_only(v) for k, v in getattr(self, name).items()}
            object.__setattr__(self, name, MappingProxyType(columns))

    @classmethod
    def from_arrays(
        cls,
        score: Any,
        mated: Any = None,
        *,
        probe_subject: Any = None,
        reference_subject: Any = None,
        probe_sample: Any = None,
        reference_sample: Any = None,
        covariates: Mapping[str, Any] | None = None,
        dissimilarity: bool = False,
        unit: object = "auto",
        nan: NanPolicy = "refuse",
        notes: tuple[str, ...] = (),
    ) -> Comparisons:
        """Check columns and put them together; `mated` may be left out where both subjects are given.

        With both subjects, `reference_sample` may be left out too: each subject then has one reference.
        """
        scores = as_scores(score, "scores")
        subjects = _pair_ids(probe_subject, reference_subject, "subject", len(scores))
        if subjects is not None and probe_sample is not None and reference_sample is None:
            _check_length(probe_sample, len(scores), "probe_sample")
            samples: PairIds | None = one_reference_each(subjects, probe_sample)
            notes = (*notes, "reference samples are not named: each subject is taken to have one reference")
        else:
            samples = _pair_ids(probe_sample, reference_sample, "sample", len(scores))
        if subjects is not None and samples is not None:
            samples = within(subjects, samples)
        flags = _mated_flags(mated, subjects, len(scores))
        extra = {name: np.asarray(values) for name, values in (covariates or {}).items()}
        for name, values in extra.items():
            _check_length(values, len(scores), f"covariate {name!r}")
        usable, _ = drop_failures(scores, nan, "scores")
        if samples is not None and (repeated := int(np.count_nonzero(samples.same))):
            notes = (*notes, f"{repeated} comparisons have the same sample on both sides and are counted")
        whole = cls(
            as_similarity(scores, dissimilarity),
            flags,
            subjects,
            samples,
            extra,
            dissimilarity=dissimilarity,
            unit=parse_unit(unit),
            notes=notes,
        )
        if usable is None:
            return whole
        failed = {name: values[~usable] for name, values in extra.items()}
        return replace(
            whole.take(usable),
            failed_mated=flags[~usable],
            failed_covariates=failed,
            failed_subjects=None if subjects is None else subjects.take(~usable),
            failed_samples=None if samples is None else samples.take(~usable),
        )

    def take(self, rows: NDArray[Any] | slice) -> Comparisons:
        """Keep only some comparisons, given as a mask, as positions or as a slice; failures stay as they were."""
        return replace(
            self,
            score=self.score[rows],
            mated=self.mated[rows],
            subjects=None if self.subjects is None else self.subjects.take(rows),
            samples=None if self.samples is None else self.samples.take(rows),
            covariates={name: values[rows] for name, values in self.covariates.items()},
        )

    def tally(self) -> Tally:
        """Reduce to the counts of both classes at the distinct scores."""
        return Tally(
            *count_distinct(self.score[self.mated], self.score[~self.mated]),
            dissimilarity=self.dissimilarity,
            unit_choice=self.unit,
            mated_failures=int(np.count_nonzero(self.failed_mated)),
            nonmated_failures=int(np.count_nonzero(~self.failed_mated)),
        )

    def groups(self, *names: str) -> dict[str, Comparisons]:
        """Split by the values of one or more covariates, failures too, in sorted order of their labels.

        Rows are sorted by group once, and a group is a slice of that: its comparisons keep their order.
        """
        import polars as pl

        check_group_columns(names, self.covariates)
        n_failed = len(self.failed_mated)
        here = pl.DataFrame({name: _texts(self.covariates[name]) for name in names})
        rows = here
        if n_failed:
            rows = pl.concat([here, pl.DataFrame({name: _texts(self.failed_covariates[name]) for name in names})])
        keys = rows.unique().sort(names)
        coded = rows.join(
            keys.with_row_index("\0code"), on=list(names), how="left", nulls_equal=True, maintain_order="left"
        )
        codes, codes_failed = np.split(coded["\0code"].to_numpy(), [here.height])
        whole, failed = _by_code(codes, keys.height), _by_code(codes_failed, keys.height)
        ordered = self.take(whole.order)
        parts = {}
        for number, label in enumerate(group_labels(keys.rows())):
            left = failed.order[failed.slice(number)]
            parts[label] = replace(
                ordered.take(whole.slice(number)),
                failed_mated=self.failed_mated[left],
                failed_covariates={name: values[left] for name, values in self.failed_covariates.items()},
                failed_subjects=None if self.failed_subjects is None else self.failed_subjects.take(left),
                failed_samples=None if self.failed_samples is None else self.failed_samples.take(left),
            )
        return parts

    @cached_property
    def n_subjects(self) -> int | None:
        """Number of distinct subjects, None where subjects are not known."""
        if self.subjects is None:
            return None
        return len(np.union1d(self.subjects.probe, self.subjects.reference))

    def __len__(self) -> int:
        return len(self.score)

    def __repr__(self) -> str:
        known = "" if self.subjects is None else f", {self.n_subjects} subjects"
        n_mated = int(np.count_nonzero(self.mated))
        return f"Comparisons({n_mated} mated, {len(self) - n_mated} non-mated{known})"


class _Sorted(NamedTuple):
    """Positions ordered by code, and where the positions of each code begin."""

    order: NDArray[np.int64]
    starts: NDArray[np.int64]

    def slice(self, code: int) -> slice:
        """Return where the positions of a code stand."""
        return slice(int(self.starts[code]), int(self.starts[code + 1]))


def _by_code(codes: NDArray[Any], n_codes: int) -> _Sorted:
    # A stable sort of small integers counts instead of comparing.
    narrow = codes.astype(np.uint16) if n_codes <= np.iinfo(np.uint16).max else codes
    starts = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=n_codes))])
    return _Sorted(np.argsort(narrow, kind="stable"), starts)


def _texts(values: NDArray[Any]) -> Any:
    """Return a column as a Polars series of texts, a missing value as one of its own."""
    import polars as pl

    return value_texts(pl.Series(values) if values.dtype.kind in "biuf" else pl.Series(values.tolist(), strict=False))


def _check_length(values: Any, rows: int, what: str) -> None:
    if len(values) != rows:
        raise MatedError(f"{what} has {len(values)} values and there are {rows} scores; they must be as many")


def _pair_ids(probe: Any, reference: Any, what: str, rows: int) -> PairIds | None:
    if probe is None and reference is None:
        return None
    if probe is None or reference is None:
        given, missing = ("reference", "probe") if probe is None else ("probe", "reference")
        raise MatedError(f"{given}_{what} is given without {missing}_{what}; give both or neither")
    _check_length(probe, rows, f"probe_{what}")
    _check_length(reference, rows, f"reference_{what}")
    return encode_pairs(probe, reference, what)


def _mated_flags(mated: Any, subjects: PairIds | None, rows: int) -> NDArray[np.bool_]:
    if mated is None:
        if subjects is None:
            raise MatedError("give either a mated flag or both probe_subject and reference_subject")
        return subjects.same
    given = np.asarray(mated)
    _check_length(given, rows, "mated")
    if given.dtype != np.bool_:
        valid = np.isin(given, (0, 1)) if given.dtype.kind in "iuf" else np.zeros(rows, dtype=bool)
        if not valid.all():
            where = int(np.flatnonzero(~valid)[0])
            raise MatedError(f"mated must be true or false (1 or 0), and comparison {where + 1} has {given[where]!r}")
        given = given.astype(np.bool_)
    if subjects is not None and (wrong := np.flatnonzero(given != subjects.same)).size:
        says = "mated, but its subjects differ" if given[wrong[0]] else "non-mated, but its subjects are the same"
        raise MatedError(
            f"comparison {wrong[0] + 1} is marked {says} ({len(wrong)} such comparisons); "
            "correct the flags or the subjects, or leave one of them out"
        )
    return given
