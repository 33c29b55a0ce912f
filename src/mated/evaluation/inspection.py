"""`inspect`: what a file holds before anything is computed from it."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from mated.errors import MatedError
from mated.evaluation.html import table_html
from mated.evaluation.inspection_abilities import Abilities, Ability, Reach
from mated.evaluation.inspection_counts import (
    MOST_NAMES,
    MOST_PAIRS,
    MOST_SCORES,
    MOST_VALUES,
    CovariateCount,
    PairCount,
    ScoreCount,
    chunks_of,
)
from mated.evaluation.inspection_facts import columns_of, pairs_of, people_of, scores_of
from mated.io.columns import ROLES
from mated.io.held_columns import held_columns
from mated.io.reading import read, request_for
from mated.io.registry import Recognition, candidates

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from mated.evaluation.inspection_facts import Column, Pairs, People, Scores
    from mated.io.bytes_in import InputFile
    from mated.io.scanning import Scan
    from mated.scores import Comparisons, ScoreMatrix

__all__ = ["Inspection", "inspect"]

_TELLS_LITTLE = (0.45, 0.55)
_SAID_ABOVE = "have the same sample on both sides and are counted"  # the note of a table, which is a warning here
_WHOLE_ONLY = ("key", "mask", "histogram", "ids", "probe_ids", "reference_ids")


@dataclass(frozen=True, eq=False, repr=False)
class Inspection:
    """What a source holds and what can be computed from it; `to_dict()` is what `mated inspect --json` prints."""

    name: str
    recognition: Recognition
    columns: tuple[Column, ...]
    scores: Scores
    people: People
    pairs: Pairs | None
    reach: tuple[Reach, ...]
    abilities: tuple[Ability, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def comparisons(self) -> int:
        """Number of comparisons, those without a score included."""
        return sum(part.comparisons + part.failures for part in (self.scores.mated, self.scores.nonmated))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as documented in docs/reference/json.md."""
        told = self.recognition
        scores = asdict(self.scores) | {"unit": None if self.scores.unit is None else float(self.scores.unit)}
        return {
            "name": self.name,
            "format": {
                "name": told.reader.name,
                "description": told.reader.description,
                "told_by": told.told_by,
                "because": told.because,
                "others": [asdict(other) for other in told.others],
            },
            "comparisons": self.comparisons,
            "scores": scores,
            "people": asdict(self.people),
            "pairs": None if self.pairs is None else asdict(self.pairs),
            "reach": [asdict(reach) for reach in self.reach],
            "columns": [_column_dict(column) for column in self.columns],
            "can": [asdict(ability) for ability in self.abilities],
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return the counts as a Polars frame with a row each."""
        import polars as pl

        mated, nonmated = self.scores.mated, self.scores.nonmated
        rows: dict[str, int | None] = {
            "comparisons": self.comparisons,
            "mated": mated.comparisons,
            "nonmated": nonmated.comparisons,
            "failures": mated.failures + nonmated.failures,
            "distinct_scores": self.scores.distinct,
        }
        rows |= {name: value for name, value in asdict(self.people).items() if "per_subject" not in name}
        if self.pairs is not None:
            rows |= {name: value for name, value in asdict(self.pairs).items() if name != "design"}
        return pl.DataFrame(
            {"count": list(rows), "value": list(rows.values())}, schema={"count": pl.String, "value": pl.Int64}
        )

    def __repr__(self) -> str:
        mated, nonmated = self.scores.mated.comparisons, self.scores.nonmated.comparisons
        return f"Inspection({self.name}: {self.recognition.reader.name}, {mated} mated, {nonmated} non-mated)"

    def _repr_html_(self) -> str:
        return table_html(self.to_frame(), caption=repr(self))


def inspect(source: Any = None, *, progress: Callable[[int, int], None] | None = None, **reading: Any) -> Inspection:
    """Look at comparisons without judging them: how many, of whom, what their scores are like, and what they allow.

    Parameters
    ----------
    source
        What `mated.read` takes; a large table is read batch by batch, in bounded memory.
    progress
        Called with the comparisons done and their number, where that is known.
    reading
        How to read it; see `mated.read`. NaN scores are counted as failures and never refused.

    Notes
    -----
    Counts are exact. Beyond 2^22 different scores, 2^22 names or 2^23 comparisons with named samples, what rests on
    all of them at once is left out, and `warnings` says so.
    """
    asked = {**reading, "nan": "failure"}
    format_name = asked.pop("format", "auto")
    request = request_for(source, **{name: value for name, value in asked.items() if name != "failure_score"})
    recognition = candidates(request, format_name)
    scan = _large(source, format_name, asked)
    held: Scan | Comparisons | ScoreMatrix = read(source, format=format_name, **asked) if scan is None else scan
    covariates = getattr(held, "covariates", ())
    scores = ScoreCount(dissimilarity=held.dissimilarity, unit=held.unit, large=scan is not None)
    pairs, values = PairCount(), CovariateCount(covariates)
    for chunk in chunks_of(held, progress):
        for count in (scores, pairs, values):
            count.add(chunk)
    scores.settle()
    # A matrix without names still has rows and columns, which are samples if only by their places.
    named = "probe_sample" in scan.knows if scan is not None else getattr(held, "samples", None) is not None
    columns = columns_of(held_columns(recognition.reader, request), pairs, values, named=named)
    found, people, listed = scores_of(scores, held.dissimilarity), people_of(pairs), pairs_of(pairs)
    few = [c.name for c in columns if c.role is None and c.values is not None and 1 < c.values <= MOST_VALUES]
    numeric = [c.name for c in columns if c.role is None and c.type is not None and re.match("u?int|float", c.type)]
    abilities = Abilities(
        found.mated.comparisons,
        found.nonmated.comparisons,
        people.subjects,
        pairs.knows_subjects,
        named,
        few,
        numeric,
        None if scan is not None else held,  # type: ignore[arg-type]
        recognition.reader.name == "dasec" and _holds_qualities(request.file),
    ).all()
    reaches = (Reach.of("FMR", found.nonmated.comparisons), Reach.of("FNMR", found.mated.comparisons))
    return Inspection(
        request.name,
        recognition,
        columns,
        found,
        people,
        listed,
        tuple(reach for reach in reaches if reach is not None),
        abilities,
        (*_on_failures(found, recognition, reading), *_warnings(found, listed, scores, pairs)),
        tuple(note for note in held.notes if not note.endswith(_SAID_ABOVE)),
    )


def _large(source: Any, format_name: str, asked: dict[str, Any]) -> Scan | None:
    """Return a scan of a table that is better not held in memory."""
    from mated.io.scanning import is_large, scan

    if any(asked.get(name) is not None for name in _WHOLE_ONLY):
        return None
    found = scan(source, format=format_name, **{k: v for k, v in asked.items() if k not in _WHOLE_ONLY})
    usable = found is not None and is_large(found) and not set(found.covariates) & set(ROLES)
    return found if usable else None


def _holds_qualities(file: InputFile) -> bool:
    from mated.io.dasec_json import dasec_qualities

    try:
        return bool(dasec_qualities(file))
    except MatedError:
        return False


def _column_dict(column: Column) -> dict[str, Any]:
    groups = None if column.groups is None else [{"value": value, "comparisons": n} for value, n in column.groups]
    return asdict(column) | {"groups": groups}


def _on_failures(scores: Scores, recognition: Recognition, reading: dict[str, Any]) -> list[str]:
    failures = scores.mated.failures + scores.nonmated.failures
    if not failures:
        return []
    counted_anyway = recognition.reader.name in ("bee", "frte") or reading.get("nan") == "failure"
    which = "it" if failures == 1 else "them"
    if reading.get("failure_score") is not None:
        which = "any NaN among them"
    refused = "" if counted_anyway else f"; other commands refuse {which} without --nan failure"
    counted = "1 comparison has no score and counts as a failure"
    counted = counted if failures == 1 else f"{failures} comparisons have no score and count as failures"
    return [counted + refused]


def _on_orientation(scores: Scores) -> list[str]:
    if scores.auc_low is None or scores.auc_high is None:
        return []
    if _TELLS_LITTLE[0] < scores.auc_low <= scores.auc_high < _TELLS_LITTLE[1]:
        return [f"scores hardly tell mated from non-mated comparisons (AUC {scores.auc_low:.4g})"]
    if scores.auc_high >= 0.5:
        return []
    less_alike = f"mated comparisons look less alike than non-mated ones (AUC {scores.auc_high:.4g})"
    if scores.dissimilarity:
        return [f"{less_alike}: if these are similarities, say --similarity"]
    return [f"{less_alike}: if these are dissimilarities, say --dissimilarity"]


def _warnings(scores: Scores, pairs: Pairs | None, counted: ScoreCount, people: PairCount) -> tuple[str, ...]:
    """Say what a user should look at before computing anything, and what was left out for its size."""
    said = _on_orientation(scores)
    if pairs is not None and pairs.disagreeing:
        listed = "1 pair of samples is" if pairs.disagreeing == 1 else f"{pairs.disagreeing} pairs of samples are"
        said.append(f"{listed} listed more than once with different scores")
    if pairs is not None and pairs.self_comparisons:
        own = pairs.self_comparisons
        compared = "1 comparison is" if own == 1 else f"{own} comparisons are"
        said.append(f"{compared} of a sample with itself, and verification counts {'it' if own == 1 else 'them'}")
    if counted.tally is None:
        said.append(f"distinct scores and ties are not counted: there are more than {MOST_SCORES} different scores")
    if people.too_many_names:
        said.append(f"subjects and samples are not counted: there are more than {MOST_NAMES} names")
    if people.too_many_pairs:
        said.append(f"repeated pairs are not looked for: there are more than {MOST_PAIRS} comparisons")
    return tuple(said)
