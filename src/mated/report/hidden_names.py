"""Names of subjects and samples kept out of a report: reasons and remarks that quote one say so instead.

A sentence of the library quotes names as Python does. Those of systems, columns, groups and algorithms are the
author's own words and stay; any other name in quotes may be that of a person and goes.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mated.report.findings import ClaimAnswer, Findings, GroupFindings, SystemFindings

__all__ = ["without_names"]

HIDDEN = "(name hidden)"
# A word in quotes, not the apostrophe of a word, nor the value of an option such as paired='no'.
_QUOTED = re.compile(r"""(?<![\w=])(?:'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)")(?!\w)""")

# Quotes groups only, and their column was asked for.
_OF_GROUPS = "left out, as one class is missing"


def without_names(findings: Findings) -> Findings:
    """Return the findings with names that may be those of subjects or samples left out of every sentence."""
    known = frozenset(_own_words(findings))
    return replace(
        findings,
        systems={name: _system(s, known) for name, s in findings.systems.items()},
        claims=tuple(_claim(answer, known) for answer in findings.claims),
        left_out=tuple((section, _hide(reason, known)) for section, reason in findings.left_out),
    )


def _own_words(findings: Findings) -> Iterator[str]:
    """Yield what may be quoted: what the author named, and what names no person."""
    yield from findings.systems
    for s in findings.systems.values():
        yield from (record.name for record in s.inputs)
        for group in s.groups:
            yield from group.columns
            yield from group.members
        layout = s.verification.layout
        yield from getattr(layout, "covariates", {})
    for evaluation in findings.quality.values():
        yield from evaluation.algorithms
    yield from (record.name for record in findings.inputs)


def _system(s: SystemFindings, known: frozenset[str]) -> SystemFindings:
    return replace(
        s,
        notes=tuple(_hide(note, known) for note in s.notes),
        groups=tuple(_group(group, known) for group in s.groups),
    )


def _group(group: GroupFindings, known: frozenset[str]) -> GroupFindings:
    notes = tuple(note if note.startswith(_OF_GROUPS) else _hide(note, known) for note in group.members.notes)
    return replace(group, members=replace(group.members, notes=notes))


def _claim(answer: ClaimAnswer, known: frozenset[str]) -> ClaimAnswer:
    return answer if answer.value is not None else replace(answer, sentence=_hide(answer.sentence, known))


def _hide(sentence: str, known: frozenset[str]) -> str:
    def shown(found: re.Match[str]) -> str:
        word = found["single"] if found["single"] is not None else found["double"]
        return found[0] if word in known or word.startswith(("at ", "probe_", "reference_")) else HIDDEN

    return _QUOTED.sub(shown, sentence)
