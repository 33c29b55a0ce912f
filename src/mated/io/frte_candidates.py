"""Candidate lists: of each search of a gallery only the best candidates, in the log of NIST's FRTE.

A list says of the candidates how they scored and of everybody else only that they scored no better. With the true pairs
beside it this gives the rank of the mate up to the length of the list, misses, and the best score of searches without a
mate. It does not give the rates of all comparisons: those that are not listed are not counted.

A mate that is not on the list of its search stands as a failed comparison, which ranks it after every candidate. A
search without any candidate, failed or not, and without a mate stands as one failed comparison, so that it is counted
among the searches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError
from mated.io.keys import FIRST, MATED, ROW, SECOND, read_key
from mated.io.labels import as_labels
from mated.scores import Comparisons

if TYPE_CHECKING:
    import polars as pl

    from mated.io.comparison_table import Table
    from mated.io.keys import Key
    from mated.io.request import Request

__all__ = ["read_candidates"]

_RANK, _SCORE = "candidateRank", "score"


def read_candidates(table: Table, request: Request) -> Comparisons:
    """Put the candidates of all searches together, with the mates that are not among them."""
    import polars as pl

    if request.key is None:
        raise MatedError(
            f"{request.name} holds candidate lists, which do not say who is whose mate; give the true pairs with key= "
            "(--key), searchId and templateId on each line"
        )
    searches = as_labels(table.columns["searchId"], "searchId", table, noun="sample").cast(pl.String)
    frame = pl.DataFrame(
        {
            FIRST: searches,
            SECOND: table.columns["templateId"],
            _SCORE: table.columns[_SCORE],
            _RANK: table.columns[_RANK],
            "code": table.columns["searchRetCode"],
            "assigned": table.columns["isAssigned"] == 1,
        }
    ).with_row_index(ROW)
    listed = frame.filter(pl.col("assigned") & (pl.col("code") == 0))
    if not listed.height:
        raise MatedError(f"{request.name} has no candidate of a search that succeeded; it holds no scores")
    _check_named(listed, table)
    _refuse_unusable(listed, table)
    _refuse_repeated(listed, table)
    mates = _mates(read_key(request.key), searches, request.name)
    told = listed.join(mates, on=[FIRST, SECOND], how="left", maintain_order="left")[MATED].fill_null(value=False)
    absent = mates.join(listed, on=[FIRST, SECOND], how="anti", maintain_order="left").select(FIRST, SECOND, MATED)
    empty = searches.unique(maintain_order=True)
    empty = empty.filter(~empty.is_in(listed[FIRST].unique().implode()))
    unmated = empty.filter(~empty.is_in(mates[FIRST].unique().implode()))
    nobody = pl.DataFrame(
        {FIRST: unmated, SECOND: pl.repeat(listed[SECOND][0], len(unmated), eager=True)}
    ).with_columns(pl.lit(value=False).alias(MATED))
    failed = pl.concat([absent, nobody.cast(absent.schema)])
    dissimilarity, said = _orientation(listed, request)
    length = int(listed[_RANK].n_unique())
    n_failed = int(frame.filter(pl.col("code") != 0)[FIRST].n_unique())
    notes = [
        f"read as FRTE candidate lists of up to {length} candidates, which alone are counted",
        f"ranks up to {length}, FNIR and FPIR can be read off candidate lists, but no rate of all comparisons",
        "the gallery is taken as the identities that are on some list or in the key",
        *said,
    ]
    if absent.height:
        notes.append(f"{absent.height} mates are not on the list of their search and rank after every candidate")
    if n_failed:
        notes.append(f"{n_failed} searches have a return code other than 0 and failed")
    try:
        return Comparisons.from_arrays(
            np.concatenate([listed[_SCORE].to_numpy(), np.full(failed.height, np.nan)]),
            np.concatenate([told.to_numpy(), failed[MATED].to_numpy()]).astype(np.bool_),
            probe_sample=pl.concat([listed[FIRST], failed[FIRST]]),
            reference_sample=pl.concat([listed[SECOND], failed[SECOND]]),
            dissimilarity=dissimilarity,
            unit=request.unit,
            nan="failure",
            notes=tuple(notes),
        )
    except MatedError as error:
        raise MatedError(f"{request.name}: {error}") from None


def _mates(key: Key, searches: pl.Series, log: str) -> pl.DataFrame:
    """Return the mated pairs of the key, of the searches that were made."""
    import polars as pl

    pairs = key.pairs.filter(pl.col(MATED)).unique(subset=[FIRST, SECOND], maintain_order=True)
    made = pairs.filter(pl.col(FIRST).is_in(searches.unique().implode()))
    if not made.height:
        raise MatedError(
            f"{key.name} names no mate of any search in {log}; each line has the searchId first and then the "
            "templateId of its mate"
        )
    return made


def _check_named(listed: pl.DataFrame, table: Table) -> None:
    templates = listed[SECOND].str.strip_chars()
    nameless = (templates.is_null() | templates.str.to_lowercase().is_in(["", "na"])).arg_true()
    if len(nameless):
        row = int(listed[ROW][int(nameless[0])])
        raise MatedError(
            f"{table.place(row)}, column 'templateId': the candidate is assigned and has no id; correct one of them"
        )


def _refuse_unusable(listed: pl.DataFrame, table: Table) -> None:
    unusable = (listed[_SCORE].is_null() | listed[_SCORE].is_nan().fill_null(value=False)).to_numpy()
    if unusable.any():
        row = int(listed[ROW][int(unusable.argmax())])
        raise MatedError(
            f"{table.place(row)}, column 'score': the candidate is assigned and has no score; correct one of them"
        )


def _refuse_repeated(listed: pl.DataFrame, table: Table) -> None:
    import polars as pl

    for name, what in ((SECOND, "the template"), (_RANK, "the rank")):
        again = listed.filter(~pl.struct(FIRST, name).is_first_distinct())
        if again.height:
            row = int(again[ROW][0])
            others = "" if again.height == 1 else f" ({again.height} such lines)"
            raise MatedError(
                f"{table.place(row)}: {what} stands twice on the list of one search{others}; keep one line"
            )


def _orientation(listed: pl.DataFrame, request: Request) -> tuple[bool, list[str]]:
    """Tell similarities from dissimilarities by the order of the lists, which have the best candidate first."""
    import polars as pl

    if request.dissimilarity is not None:
        return request.dissimilarity, []
    steps = listed.sort(FIRST, _RANK).select(pl.col(_SCORE).diff().over(FIRST)).to_series().drop_nulls()
    if steps.len() and (steps >= 0).all() and (steps > 0).any():
        return True, ["scores ascend along every list, so they are taken as dissimilarities: lower means more alike"]
    return False, []
