"""Ranks from a table of comparisons: probes told apart by sample, identities by subject or by mated comparisons."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.scores.ids import PairIds
from mated.scores.ranks import Ranks, SearchResults
from mated.scores.sample_names import check_one_subject_each
from mated.scores.subject_tallies import in_both_orders
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.scores.comparisons import Comparisons
    from mated.scores.subject_tallies import Symmetry

__all__ = ["SUBJECTS_ARE_PROBES", "rank_table", "repeated_subjects", "search_notes"]

SUBJECTS_ARE_PROBES = "samples are not named: each probe subject is one probe"

_SUPERSEDED = "have the same sample on both sides and are counted"  # the note of a table; in a search they are not


@dataclass(frozen=True, eq=False)
class _Rows:
    """Comparisons that were tried, failures too, with a NaN score.

    Where `named` is false, samples are subjects, and a subject against itself is a mated comparison.
    """

    score: NDArray[np.floating[Any]]
    samples: PairIds
    subjects: PairIds
    named: bool
    notes: tuple[str, ...]


def rank_table(comparisons: Comparisons, *, symmetric: Symmetry = "auto") -> Ranks:
    """Rank the mates of all probes of a table; parts with the same references, or the whole.

    Unlike `rank` it does not insist on a mated probe, so that any part of the probes can be ranked and added. A part
    must hold every reference: the gallery is that of its rows.
    """
    if symmetric not in ("auto", "yes", "no"):
        raise MatedError(f"symmetric must be 'auto', 'yes' or 'no', not {symmetric!r}")
    rows = _tried(comparisons)
    owner = _subject_of_sample(rows)
    shared = _on_both_sides(rows.samples)
    once = symmetric == "yes" or (symmetric == "auto" and shared and _listed_once(rows))
    if once:
        rows = _both_directions(rows)
    shared_names = check_one_subject_each(rows.samples, owner) if rows.named and rows.samples.given is not None else []
    found, enrolled, repeated = _search(rows, owner)
    notes = search_notes(
        (*comparisons.notes, *rows.notes, *shared_names),
        itself=rows.named and bool(rows.samples.same.any()),
        once=once,
        shared=shared,
        repeated=repeated and symmetric != "yes",
    )
    return Ranks.of_searches(
        found,
        enrolled,
        rows.subjects.names,
        dissimilarity=comparisons.dissimilarity,
        unit=comparisons.unit,
        notes=notes,
    )


def search_notes(
    decided: tuple[str, ...], *, itself: bool, once: bool, shared: bool, repeated: bool
) -> tuple[str, ...]:
    """Say how a table is searched, after what was `decided` about it before.

    Parameters
    ----------
    itself
        Whether a sample was compared with itself.
    once, shared
        Whether each comparison counts in both directions, and whether some samples stand on both sides.
    repeated
        Whether to say that a pair was compared more than once.
    """
    notes = [note for note in decided if not note.endswith(_SUPERSEDED)]
    if itself:
        notes.append("a sample is not searched for in itself")
    if once:
        notes.append("each comparison counts in both directions: every sample is searched against all others")
    elif shared:
        notes.append("some samples stand on both sides; each comparison counts for its probe alone")
    if repeated:
        notes.append("some pairs of a probe and a reference were compared more than once; the best score counts")
    return tuple(notes)


# -- which rows there are --------------------------------------------------------------------------


def _tried(comparisons: Comparisons) -> _Rows:
    """Put scored and failed comparisons together, and find out who is who."""
    n_failed = len(comparisons.failed_mated)
    lost = n_failed and (
        (comparisons.subjects is not None and comparisons.failed_subjects is None)
        or (comparisons.samples is not None and comparisons.failed_samples is None)
    )
    notes: tuple[str, ...] = ()
    if lost:
        n_failed = 0
        notes = ("whose comparisons failed is not known; they are taken as not made",)
    # Single precision stays: a threshold of 0.1 is then the same number as a score of 0.1.
    number = np.float32 if comparisons.score.dtype == np.float32 else np.float64
    score = np.concatenate([comparisons.score.astype(number), np.full(n_failed, np.nan, dtype=number)])
    subjects = _joined(comparisons.subjects, None if lost else comparisons.failed_subjects)
    samples = _joined(comparisons.samples, None if lost else comparisons.failed_samples)
    if samples is None:
        if subjects is None:
            raise MatedError(
                "this table does not say which comparisons are of one probe; give probe_sample and reference_sample, "
                "and probe_subject and reference_subject where they are known"
            )
        _refuse_repeated_subjects(subjects)
        notes = (*notes, SUBJECTS_ARE_PROBES)
        return _Rows(score, subjects, subjects, False, notes)
    if subjects is None:
        mated = np.concatenate([comparisons.mated, comparisons.failed_mated[:n_failed]])
        subjects = _linked(samples, mated)
        notes = (*notes, "subjects are not named: samples linked by mated comparisons are one identity")
    return _Rows(score, samples, subjects, True, notes)


def _joined(ids: PairIds | None, failed: PairIds | None) -> PairIds | None:
    if ids is None or failed is None:
        return ids
    probe, reference = (np.concatenate([getattr(ids, side), getattr(failed, side)]) for side in ("probe", "reference"))
    return PairIds(probe, reference, ids.names, ids.given)


def _refuse_repeated_subjects(subjects: PairIds) -> None:
    key = np.sort(subjects.probe * len(subjects.names) + subjects.reference)
    again = np.flatnonzero(key[1:] == key[:-1])
    if again.size:
        probe, reference = (subjects.names[code] for code in divmod(int(key[again[0]]), len(subjects.names)))
        raise repeated_subjects(probe, reference)


def repeated_subjects(probe: str, reference: str) -> MatedError:
    """Return the error for two subjects who were compared twice in a table without samples."""
    return MatedError(
        f"subject {probe!r} was compared with subject {reference!r} more than once, so that its probes cannot be "
        "told apart; give probe_sample and reference_sample"
    )


def _linked(samples: PairIds, mated: NDArray[np.bool_]) -> PairIds:
    """Make one identity of all samples that mated comparisons link, named after the first of them."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    size = len(samples.names)
    links = coo_array(
        (np.ones(np.count_nonzero(mated), dtype=np.int8), (samples.probe[mated], samples.reference[mated])),
        shape=(size, size),
    )
    n_identities, identity = connected_components(links, directed=False)
    identity = identity.astype(np.int64)
    subjects = PairIds(identity[samples.probe], identity[samples.reference], ())
    wrong = np.flatnonzero(subjects.same & ~mated & ~samples.same)
    if wrong.size:
        probe, reference = samples.names[samples.probe[wrong[0]]], samples.names[samples.reference[wrong[0]]]
        raise MatedError(
            f"probe {probe!r} and reference {reference!r} are marked non-mated, but mated comparisons link both to one "
            f"identity ({wrong.size} such comparisons): some probe has mates of two identities; correct the flags"
        )
    first = np.full(n_identities, size)
    np.minimum.at(first, identity, np.arange(size))
    return replace(subjects, names=tuple(samples.names[code] for code in first.tolist()))


def _subject_of_sample(rows: _Rows) -> NDArray[np.int64]:
    """Return the subject of each sample, −1 for names without a comparison."""
    owner = np.full(len(rows.samples.names), -1, dtype=np.int64)
    owner[rows.samples.reference] = rows.subjects.reference
    owner[rows.samples.probe] = rows.subjects.probe
    for side in ("probe", "reference"):
        codes, claimed = getattr(rows.samples, side), getattr(rows.subjects, side)
        wrong = np.flatnonzero(owner[codes] != claimed)
        if wrong.size:
            sample = codes[wrong[0]]
            raise MatedError(
                f"{side} {rows.samples.names[sample]!r} is listed under two subjects, "
                f"{rows.subjects.names[owner[sample]]!r} and {rows.subjects.names[claimed[wrong[0]]]!r}; "
                "a sample belongs to one subject"
            )
    return owner


# -- directions ------------------------------------------------------------------------------------


def _on_both_sides(samples: PairIds) -> bool:
    seen = np.zeros((2, len(samples.names)), dtype=bool)
    seen[0, samples.probe] = True
    seen[1, samples.reference] = True
    return bool((seen[0] & seen[1]).any())


def _listed_once(rows: _Rows) -> bool:
    """Answer as `lists_pairs_once` for a table with a sample on both sides; failures count as listed."""
    others = ~rows.subjects.same
    samples = rows.samples
    return not in_both_orders(samples.probe[others], samples.reference[others], len(samples.names))


def _both_directions(rows: _Rows) -> _Rows:
    def doubled(ids: PairIds) -> PairIds:
        return replace(
            ids,
            probe=np.concatenate([ids.probe, ids.reference]),
            reference=np.concatenate([ids.reference, ids.probe]),
        )

    return replace(rows, score=np.tile(rows.score, 2), samples=doubled(rows.samples), subjects=doubled(rows.subjects))


# -- the search ------------------------------------------------------------------------------------


def _search(rows: _Rows, owner: NDArray[np.int64]) -> tuple[SearchResults, NDArray[np.bool_], bool]:
    """Search with every probe; returns also who is enrolled, and whether a pair of samples is repeated."""
    from mated.scores.rank_kernels import group, search_table

    is_probe, is_reference = (np.zeros(len(rows.samples.names), dtype=bool) for _ in range(2))
    is_probe[rows.samples.probe] = True
    is_reference[rows.samples.reference] = True
    references = np.bincount(owner[is_reference], minlength=len(rows.subjects.names))
    enrolled = references > 0
    place = np.where(enrolled, np.cumsum(enrolled) - 1, -1)
    subject = owner[is_probe]
    itself = rows.samples.same if rows.named else np.zeros(len(rows.score), dtype=bool)
    kept = slice(None) if not itself.any() else ~itself
    start, places, samples, scores = group(
        (np.cumsum(is_probe) - 1)[rows.samples.probe[kept]],
        place[rows.subjects.reference[kept]],
        read_only(rows.samples.reference[kept]),  # of one type with and without a copy: compiled once
        read_only(rows.score[kept]),
        len(subject),
    )
    n_places = int(np.count_nonzero(enrolled))
    repeated, found = search_table(start, places, samples, scores, place[subject], n_places, len(owner))
    other_references = references[subject] - is_reference[is_probe] if rows.named else references[subject]
    result = SearchResults(subject, other_references, np.diff(start) > 0, *found)
    number = rows.score.dtype
    result = result._replace(mate_score=result.mate_score.astype(number), best_other=result.best_other.astype(number))
    return result, enrolled, repeated
