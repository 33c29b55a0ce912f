"""Things that the page says once, and files that belong to no system."""

from __future__ import annotations

from dataclasses import replace

from example_findings import full_findings
from mated.report.findings import InputRecord
from mated.report.page_groups import groups_section
from mated.report.page_method import method_of
from mated.report.page_parts import Table


def test_what_the_colours_of_crossed_groups_mean_is_said_at_the_first_table_alone():
    findings = full_findings()
    system = findings.systems["alpha"]
    (crossed, *_) = [g for g in system.groups if any(g.across.values())]
    twice = replace(crossed, across={0.01: crossed.across[0.001], 0.001: crossed.across[0.001]})
    plain = replace(crossed, across={})
    systems = {"alpha": replace(system, groups=(plain, twice, twice))}
    parts = groups_section(replace(findings, systems=systems)).parts
    across = [part for part in parts if isinstance(part, Table) and part.caption.startswith("False match rate within")]
    assert ["darker" in table.note for table in across] == [True, False, False, False]


def test_files_of_the_study_are_listed_beside_those_of_the_systems():
    findings = replace(full_findings(), inputs=(InputRecord("study.toml", 1234, "ab" * 32),))
    listed = method_of(findings, frozenset(), 0.0).inputs
    assert listed[-1] == ("all", None, "study.toml", "1\u202f234", "ab" * 32)
    assert len(listed) == 1 + sum(len(s.inputs) for s in findings.systems.values())
