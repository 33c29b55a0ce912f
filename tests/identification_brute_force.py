"""Slow, obvious twins of searches in a gallery: a loop over probes, over identities and over references.

`search` imports nothing of the package. A failed comparison has the score None; scores are similarities.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

MINUS_INFINITY = -math.inf


class Sample(NamedTuple):
    """A sample: whose it is, and which one."""

    subject: str
    number: str

    @property
    def name(self) -> str:
        return f"{self.subject}.{self.number}"


class Outcome(NamedTuple):
    """Mated probes: (subject, above, tied, others, mate's score, best other); open-set: (subject, others, best)."""

    mated: list[tuple]
    open_set: list[tuple]
    gallery_size: int
    failed_mates: int
    unsearched: int
    missing: int


def search(probes: dict, references: list[Sample], tried: dict) -> Outcome:
    """Search with each probe (any key → its sample); `tried` maps (key, place of a reference) to its list of scores."""
    gallery = sorted({reference.subject for reference in references})
    mated, open_set = [], []
    failed_mates = unsearched = missing = 0
    for key, sample in probes.items():
        scores = {subject: [] for subject in gallery}
        enrolled_otherwise = False
        for place, reference in enumerate(references):
            if reference == sample:
                continue
            enrolled_otherwise |= reference.subject == sample.subject
            scores[reference.subject] += tried.get((key, place), [])
        own = scores.pop(sample.subject, [])
        best = {subject: max(s for s in all_ if s is not None) for subject, all_ in scores.items() if any_score(all_)}
        if not own and (enrolled_otherwise or not any(scores.values())):
            unsearched += 1
            continue
        missing += len(scores) - len(best)
        others = len(best) if best or any_score(own) else len(scores)
        best_other = max(best.values(), default=MINUS_INFINITY)
        if not own:
            open_set.append((sample.subject, others, best_other))
        elif any_score(own):
            mate = max(s for s in own if s is not None)
            above = sum(b > mate for b in best.values())
            tied = sum(b == mate for b in best.values())
            mated.append((sample.subject, above, tied, others, mate, best_other))
        else:
            failed_mates += 1
            mated.append((sample.subject, others, 0, others, MINUS_INFINITY, best_other))
    return Outcome(sorted(mated), sorted(open_set), len(gallery), failed_mates, unsearched, missing)


def any_score(scores: list) -> bool:
    return any(s is not None for s in scores)


def search_table(rows, *, both: bool = False) -> Outcome:
    """Search a table of (probe sample, reference sample, score), each row in both directions if told so."""
    directed = [*rows, *((r, p, s) for p, r, s in rows)] if both else list(rows)
    references = sorted({reference for _, reference, _ in directed})
    tried: dict = {}
    for probe, reference, score in directed:
        tried.setdefault((probe, references.index(reference)), []).append(score)
    return search({probe: probe for probe, _, _ in directed}, references, tried)


def search_matrix(scores, probes: list[Sample], references: list[Sample], used=None) -> Outcome:
    """Search a matrix of similarities, None or NaN for a failure: every row is a probe."""
    tried = {
        (i, j): [None if score is None or score != score else float(score)]
        for i, row in enumerate(scores)
        for j, score in enumerate(row)
        if used is None or used[i][j]
    }
    return search(dict(enumerate(probes)), references, tried)


def outcome(ranks) -> Outcome:
    """What `Ranks` holds, in the form of the twin."""
    columns = (ranks.above, ranks.tied, ranks.others, ranks.mate_score, ranks.best_other)
    return Outcome(
        sorted(zip(_named(ranks, ranks.subject), *map(np.ndarray.tolist, columns), strict=True)),
        sorted(
            zip(_named(ranks, ranks.open_subject), ranks.open_others.tolist(), ranks.open_best.tolist(), strict=True)
        ),
        ranks.gallery_size,
        ranks.failed_mates,
        ranks.unsearched,
        ranks.missing,
    )


def _named(ranks, codes) -> list[str]:
    return [ranks.names[code] for code in codes.tolist()]
