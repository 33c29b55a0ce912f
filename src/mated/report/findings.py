"""`Findings`: everything that a report says, evaluated; pages, figures, tables and JSON are made from it alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mated.evaluation import (
        Bootstrap,
        Comparison,
        Identification,
        Prediction,
        QualityEvaluation,
        Verification,
        Verifications,
    )

__all__ = ["ClaimAnswer", "Findings", "GroupFindings", "InputRecord", "Provenance", "SystemFindings"]


@dataclass(frozen=True)
class InputRecord:
    """One file that was read: its name without folders, its size and the SHA-256 of its bytes."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Provenance:
    """How the report was made, so that it can be made again."""

    mated: str
    python: str
    packages: Mapping[str, str]
    command: str
    seed: int
    date: str


@dataclass(frozen=True)
class ClaimAnswer:
    """A claim, and whether the data support it at the confidence level.

    Attributes
    ----------
    claim
        As it was written.
    system
        Which system it is about.
    verdict
        "supported" where the interval lies wholly on the claimed side, "not supported" where it lies wholly on the
        other, "undecided" where it holds the limit.
    value, low, high, level
        The estimate and its interval.
    errors, subjects
        How many errors and subjects stand behind it, where that is known.
    sentence
        The answer in words.
    caution
        What the interval presumes or rests on, in words.
    limit, direction
        The number of the claim, and which side of it is claimed: "<=", ">=", "<" or ">".
    basis
        "measured" on these data, or a "forecast" for another gallery.
    trials
        How many comparisons, or searches, the errors were counted among.
    method
        How the interval was made.
    """

    claim: str
    system: str
    verdict: Literal["supported", "not supported", "undecided"]
    value: float | None
    low: float | None
    high: float | None
    level: float
    errors: int | None
    subjects: int | None
    sentence: str
    caution: str | None = None
    limit: float | None = None
    direction: str = ""
    basis: Literal["measured", "forecast"] = "measured"
    trials: int | None = None
    method: str = ""


@dataclass(frozen=True)
class GroupFindings:
    """One system by the values of one or more columns.

    Attributes
    ----------
    columns
        The columns that make the groups.
    members, bootstraps
        The verification of every group, and with intervals.
    across
        Where groups of probe and reference are known: FMR at the system's thresholds by group of the probe (outer)
        and of the reference (inner), for the heat map: {fmr target: {probe group: {reference group: (errors, n)}}}.
    """

    columns: tuple[str, ...]
    members: Verifications
    bootstraps: Mapping[str, Bootstrap]
    across: Mapping[float, Mapping[str, Mapping[str, tuple[int, int]]]] = field(default_factory=dict)


@dataclass(frozen=True)
class SystemFindings:
    """All that was found about one system.

    Attributes
    ----------
    galleries
        The galleries that the author asked a forecast for; `prediction` holds others between them too, for its curve.
    """

    name: str
    verification: Verification
    bootstrap: Bootstrap | None
    groups: tuple[GroupFindings, ...] = ()
    identification: Identification | None = None
    prediction: Prediction | None = None
    inputs: tuple[InputRecord, ...] = ()
    notes: tuple[str, ...] = ()
    galleries: tuple[int, ...] = ()


@dataclass(frozen=True)
class Findings:
    """A whole study, evaluated.

    Attributes
    ----------
    title, notes
        What the author says: a title and paragraphs of plain text.
    systems
        By name, in the order of the study.
    comparison
        Tests between the systems, where there are two or more.
    quality
        Quality algorithms, by name of the system whose errors they are judged by.
    claims
        Answers, in the order of the study.
    left_out
        Sections that were not made and why, in sentences: (section, reason).
    inputs
        Files that belong to no single system: the study, qualities, tables of subjects.
    show_ids
        Whether the author allows names of subjects and samples to be shown.
    """

    title: str
    systems: Mapping[str, SystemFindings]
    provenance: Provenance
    comparison: Comparison | None = None
    quality: Mapping[str, QualityEvaluation] = field(default_factory=dict)
    claims: tuple[ClaimAnswer, ...] = ()
    notes: str = ""
    level: float = 0.95
    left_out: tuple[tuple[str, str], ...] = ()
    inputs: tuple[InputRecord, ...] = ()
    show_ids: bool = False
