"""Whether two systems differ in how often they find the right person at rank 1, on the same probes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError
from mated.uncertainty.rank_difference import rank_difference

if TYPE_CHECKING:
    from mated.evaluation.verification import Verification
    from mated.scores import Comparisons
    from mated.scores.ranks import Ranks
    from mated.uncertainty.rank_difference import RankDifference

__all__ = ["rank_one_difference"]


def rank_one_difference(a: Verification, b: Verification, level: float) -> RankDifference | None:
    """Rank the mates of both systems and test the difference of their rank-1 rates, paired by probe.

    None where that is no question: samples or subjects are not known, no probe has a mate, or the probes are not the
    same in both. The ties rule is "expected".
    """
    tables = [v.comparisons() for v in (a, b) if v.layout is not None]
    if len(tables) < 2 or not all(_can_search(table) for table in tables):
        return None
    try:
        found = [_ranked(table) for table in tables]
    except MatedError:
        return None
    (names_a, ranks_a), (names_b, ranks_b) = found
    if names_a != names_b or not np.array_equal(ranks_a.subject, ranks_b.subject) or ranks_a.names != ranks_b.names:
        return None
    if len(np.unique(ranks_a.subject)) < 2:
        return None
    return rank_difference(ranks_a, ranks_b, 1, level=level)


def _can_search(table: Comparisons) -> bool:
    return table.samples is not None and table.subjects is not None


def _ranked(table: Comparisons) -> tuple[set[str], Ranks]:
    """Rank a table; mated probes come in the order of their names, which the set of names therefore fixes."""
    from mated.scores.ranking import rank

    assert table.samples is not None
    names = table.samples.names
    used = np.union1d(table.samples.probe, table.samples.reference)
    return {names[code] for code in used.tolist()}, rank(table)
