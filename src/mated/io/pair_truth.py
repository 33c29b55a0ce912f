"""Whether pairs of samples are mated, where the score file does not say: by a key, or by a table of sample and subject.

A pair without a line in the key is refused: it would be counted in the wrong class or not at all. A pair of the key
without a score is refused too, unless such comparisons are to count as failures.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.io.keys import FIRST, MATED, ROW, SECOND, read_key
from mated.io.matrix_ids import by_sample, load_ids

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl
    from numpy.typing import NDArray

    from mated.io.request import Request

__all__ = ["Truth", "subjects_by_name", "subjects_of", "tell_mated"]

_SPEAKER = re.compile(r"^(id\d+)[/-]")


@dataclass(frozen=True, eq=False)
class Truth:
    """What is known of pairs: the flags, None where subjects tell; pairs of the key that have no score; notes."""

    mated: NDArray[np.bool_] | None
    unscored: pl.DataFrame | None = None
    notes: tuple[str, ...] = ()


def tell_mated(pairs: pl.DataFrame, request: Request, place: Callable[[int], str]) -> Truth:
    """Find out which pairs, by the columns `first` and `second`, are mated; `place` says where one stands."""
    import polars as pl

    if request.key is None:
        if request.ids is None:
            raise MatedError(
                f"{request.name} does not say which comparisons are mated; give a key with key= (--key): pair and "
                "target or nontarget on each line, or the true pairs alone; or a table of sample and subject with ids= "
                "(--ids)"
            )
        return Truth(None)
    key = read_key(request.key)
    known = key.pairs.unique(subset=[FIRST, SECOND], keep="first", maintain_order=True)
    told = pairs.select(FIRST, SECOND).join(known, on=[FIRST, SECOND], how="left", maintain_order="left")[MATED]
    notes: tuple[str, ...] = ()
    missing = key.pairs.with_row_index(ROW).join(pairs, on=[FIRST, SECOND], how="anti", maintain_order="left")
    if key.true_pairs:
        told = told.fill_null(value=False)
        searched = missing.filter(pl.col(FIRST).is_in(pairs[FIRST].unique().implode()))
        if unused := missing.height - searched.height:
            notes = (f"{unused} true pairs are of probes without any score and are left out",)
        missing = searched
    elif told.null_count():
        row = int(told.is_null().arg_true()[0])
        raise MatedError(
            f"{place(row)}: the trial has no line in {key.name}{_such(told.null_count(), 'trials')}; add it to the "
            "key, or leave the trial out"
        )
    if missing.height and request.nan == "refuse":
        raise MatedError(
            f"{key.table.place(int(missing[ROW][0]))}: the pair has no score in {request.name}"
            f"{_such(missing.height, 'pairs')}; add the scores, shorten the key, or count such comparisons as failures "
            "to acquire with nan='failure' (--nan failure)"
        )
    if missing.height:
        notes = (*notes, f"{missing.height} pairs of the key have no score and count as failures")
    unscored = missing.select(FIRST, SECOND, MATED) if missing.height else None
    return Truth(told.to_numpy().astype(np.bool_), unscored, notes)


def subjects_of(samples: pl.Series, request: Request, place: Callable[[int], str]) -> pl.Series | None:
    """Look up the subject of each sample in the table of ids, None where none is given."""
    import polars as pl

    if request.probe_ids is not None or request.reference_ids is not None:
        raise MatedError(
            f"{request.name} lists pairs of samples; give one table of sample and subject with ids= (--ids)"
        )
    if request.ids is None:
        return None
    table = load_ids(request.ids, "ids")
    if table.samples is None:
        raise MatedError(f"{table.name} needs columns 'sample' and 'subject' to say whose samples are compared")
    distinct = samples.unique(maintain_order=True)

    def first_place(position: int) -> str:
        row = int((samples == distinct[position]).arg_true()[0])
        return place(row).removeprefix(f"{request.name}, ")

    side = by_sample(table, distinct.to_list(), matrix=request.name, side="samples", place=first_place)
    return samples.replace_strict(distinct, pl.Series(side.subjects), return_dtype=pl.String)


def subjects_by_name(samples: tuple[pl.Series, pl.Series], mated: Any) -> tuple[pl.Series, pl.Series] | None:
    """Read speakers off names such as "id10270/x6uYqmx31kE/00001.wav", if every name has one and every flag agrees."""
    speakers = tuple(side.str.extract(_SPEAKER.pattern, 1) for side in samples)
    if any(side.null_count() for side in speakers):
        return None
    if not np.array_equal((speakers[0] == speakers[1]).to_numpy(), mated):
        return None
    return speakers[0], speakers[1]


def _such(count: int, what: str) -> str:
    return "" if count == 1 else f" ({count} such {what})"
