"""Which column of a table plays which role: said by the user, or found by its name.

`SYNONYMS` is the one list of names that are recognised. Capitals, blanks and punctuation do not matter: "Probe
Subject" is `probe_subject`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import TYPE_CHECKING

from mated.errors import MatedError
from mated.io.quoting import in_short

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    *("ROLES", "SYNONYMS", "Columns", "Roles", "has_known_name", "is_name_of", "means_dissimilarity", "quoted"),
    "resolve",
]

_MOST_NAMES = 30
_PAIRS = tuple(
    (probe, reference)
    for probe, reference in (
        ("probe_{}", "reference_{}"),
        ("probe_{}_id", "reference_{}_id"),
        ("{}_probe", "{}_reference"),
        ("{}_a", "{}_b"),
        ("{}_1", "{}_2"),
        ("{}_id_a", "{}_id_b"),
        ("{}_id_1", "{}_id_2"),
        ("query_{}", "template_{}"),
        ("query_{}_id", "template_{}_id"),
        ("verification_{}", "enrolment_{}"),
    )
)
_REFERENCE_ONLY = ("bio_ref_{}", "bio_ref_{}_id", "biometric_reference_{}", "gallery_{}", "gallery_{}_id", "ref_{}")
_SUBJECT = ("subject", "person", "identity")
_SAMPLE = ("sample", "image", "file")
_DISTANCES = (
    *("distance", "distance_score", "dist", "dissimilarity", "dissimilarity_score", "dissim", "hamming"),
    *("hamming_distance", "euclidean", "euclidean_distance", "cosine_distance", "l2_distance"),
)


def _probe_names(nouns: Sequence[str]) -> tuple[str, ...]:
    return tuple(probe.format(noun) for noun in nouns for probe, _ in _PAIRS)


def _reference_names(nouns: Sequence[str]) -> tuple[str, ...]:
    patterns = (*(reference for _, reference in _PAIRS), *_REFERENCE_ONLY)
    return tuple(pattern.format(noun) for noun in nouns for pattern in patterns)


SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "score": (
        *("score", "scores", "similarity", "similarity_score", "sim_score", "sim", "comparison_score"),
        *("match_score", "matching_score", "cosine_similarity", "llr", *_DISTANCES),
    ),
    "mated": (
        *("mated", "is_mated", "genuine", "is_genuine", "label", "target", "is_target", "same", "is_same"),
        *("same_subject", "same_person", "same_identity", "ground_truth", "comparison_type"),
    ),
    "probe_subject": _probe_names(_SUBJECT),
    "reference_subject": _reference_names(_SUBJECT),
    "probe_sample": _probe_names(_SAMPLE),
    "reference_sample": _reference_names(_SAMPLE),
}
"""Names a column may have for each role, the canonical one first."""

ROLES = tuple(SYNONYMS)

_OPTIONS = {"score": "--score-column", "mated": "--mated-column"} | {
    role: "--" + role.replace("_", "-") for role in ROLES[2:]
}


@dataclass(frozen=True)
class Columns:
    """Which columns to read: by name, or by number from 1; those left out are found by their names."""

    score: str | int | None = None
    mated: str | int | None = None
    probe_subject: str | int | None = None
    reference_subject: str | int | None = None
    probe_sample: str | int | None = None
    reference_sample: str | int | None = None

    @property
    def given(self) -> dict[str, str | int]:
        """What the user named, by role."""
        named = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return {role: column for role, column in named.items() if column is not None}


@dataclass(frozen=True)
class Roles:
    """The names of the columns that were settled on; `notes` says what the user may not expect."""

    score: str
    mated: str | None = None
    probe_subject: str | None = None
    reference_subject: str | None = None
    probe_sample: str | None = None
    reference_sample: str | None = None
    notes: tuple[str, ...] = field(default=(), compare=False)

    def names(self) -> set[str]:
        """Return every column that plays a role."""
        return {name for role in ROLES if (name := getattr(self, role)) is not None}


def quoted(names: Sequence[str]) -> str:
    """List names for a message."""
    listed = ", ".join(in_short(name) for name in names[:_MOST_NAMES])
    return listed if len(names) <= _MOST_NAMES else f"{listed} and {len(names) - _MOST_NAMES} more"


def is_name_of(name: str, role: str) -> bool:
    """Say whether a column of this name is taken for the role."""
    return _bare(name) in {_bare(synonym) for synonym in SYNONYMS[role]}


def has_known_name(names: Sequence[str]) -> bool:
    """Say whether some name is recognised for any role: what has one is a header and not a line of data."""
    return any(is_name_of(name, role) for name in names for role in ROLES)


def means_dissimilarity(name: str) -> bool:
    """Say whether scores in a column of this name are lower for samples that are more alike."""
    bare = _bare(name)
    if bare in {_bare(distance) for distance in _DISTANCES}:
        return True
    return any(word in bare for word in ("distance", "dissimilarity", "hamming", "euclidean"))


def resolve(names: Sequence[str], columns: Columns, *, source: str, advice: str = "", shown: bool = True) -> Roles:
    """Settle which column plays which role.

    `source` names the table in messages, and `advice` is added where no score column is found or names repeat. The
    names are `shown` in messages unless they may be a line of data. A subject or sample column found on one side only
    stays a covariate. With both subjects named by the user, only a column called "mated" is still taken for a flag.
    """
    if not names:
        raise MatedError(f"{source} has no columns; it holds no scores")
    count = "1 column" if len(names) == 1 else f"{len(names)} columns"
    there = f"the columns are {quoted(names)}" if shown else f"it has {count}"
    _refuse_repeated_names(names, source, advice, shown)
    chosen = {role: _find(names, wanted, role, source, there) for role, wanted in columns.given.items()}
    repeated = [name for name, count in Counter(chosen.values()).items() if count > 1]
    if repeated:
        roles = " and ".join(role for role, name in chosen.items() if name == repeated[0])
        raise MatedError(f"{source}: column {repeated[0]!r} is named as {roles}; name a column for one role only")
    subjects_named = {"probe_subject", "reference_subject"} <= chosen.keys()
    for role in ROLES:
        if role not in chosen:
            synonyms = SYNONYMS[role][:1] if role == "mated" and subjects_named else SYNONYMS[role]
            _detect(role, synonyms, names, chosen, source)
    for noun in ("subject", "sample"):
        _drop_lone_side(noun, chosen, columns)
    if "score" not in chosen:
        raise MatedError(
            f"{source} has no score column that is recognised; {there}; name it with --score-column{advice}"
        )
    if not ("mated" in chosen or {"probe_subject", "reference_subject"} <= chosen.keys()):
        raise MatedError(
            f"{source} does not say which comparisons are mated; {there}; name the flag with --mated-column, or the "
            "subjects with --probe-subject and --reference-subject"
        )
    return Roles(**chosen, notes=_notes(chosen, columns))


def _bare(name: str) -> str:
    return "".join(sign for sign in name.casefold() if sign.isalnum())


def _refuse_repeated_names(names: Sequence[str], source: str, advice: str, shown: bool) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1 and name]
    if repeated:
        first, second, *_ = (number for number, name in enumerate(names, start=1) if name == repeated[0])
        which = (
            f"more than one column {in_short(repeated[0])}"
            if shown
            else f"one name for its columns {first} and {second}"
        )
        raise MatedError(f"{source} has {which}; give every column its own name{advice}")
    if "" in names:
        raise MatedError(f"{source}: column {names.index('') + 1} has no name; name it or remove it")


def _find(names: Sequence[str], wanted: str | int, role: str, source: str, there: str) -> str:
    if wanted in names:
        return str(wanted)
    number = int(wanted) if isinstance(wanted, int) or (wanted.isascii() and wanted.isdigit()) else None
    if number is not None:
        if 1 <= number <= len(names):
            return names[number - 1]
        raise MatedError(
            f"{source} has no column number {number} for {role}; it has {len(names)} columns, counted from 1"
        )
    alike = [name for name in names if _bare(name) == _bare(str(wanted))]
    near = alike or get_close_matches(str(wanted), names, n=1)
    meant = f"did you mean {near[0]!r}? " if near else ""
    raise MatedError(f"{source} has no column {wanted!r} for {role}; {meant}{there}")


def _detect(role: str, synonyms: Sequence[str], names: Sequence[str], chosen: dict[str, str], source: str) -> None:
    known = {_bare(synonym) for synonym in synonyms}
    free = [name for name in names if name not in chosen.values() and _bare(name) in known]
    if len(free) > 1:
        raise MatedError(f"{source}: columns {quoted(free)} could each be the {role}; say which with {_OPTIONS[role]}")
    if free:
        chosen[role] = free[0]


def _drop_lone_side(noun: str, chosen: dict[str, str], columns: Columns) -> None:
    sides = [f"probe_{noun}", f"reference_{noun}"]
    present = [side for side in sides if side in chosen]
    if len(present) == 1 and present[0] not in columns.given:
        del chosen[present[0]]


def _notes(chosen: Mapping[str, str], columns: Columns) -> tuple[str, ...]:
    notes = []
    score = chosen["score"]
    if "score" not in columns.given and _bare(score) != "score" and not means_dissimilarity(score):
        notes.append(f"the scores are those of column {score!r}")
    if "mated" in chosen and "mated" not in columns.given and _bare(chosen["mated"]) != "mated":
        notes.append(f"column {chosen['mated']!r} says which comparisons are mated")
    if {"mated", "probe_subject", "reference_subject"} <= chosen.keys():
        notes.append(f"column {chosen['mated']!r} and the subjects both say which comparisons are mated, and agree")
    return tuple(notes)
