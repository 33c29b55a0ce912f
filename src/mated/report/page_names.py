"""Names of systems as the page shows them: on one line, not too long, and still different from each other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mated.plots.text import display_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mated.evaluation import Comparison
    from mated.report.findings import Findings

__all__ = ["LONGEST", "with_shown_names"]

LONGEST = 60


def with_shown_names(findings: Findings) -> Findings:
    """Return the findings with every system under the name that is shown, so that no sentence is all name."""
    shown = dict(zip(findings.systems, display_names(findings.systems, LONGEST), strict=True))
    return replace(
        findings,
        systems={shown[name]: replace(s, name=shown[name]) for name, s in findings.systems.items()},
        comparison=None if findings.comparison is None else _comparison(findings.comparison, shown),
        quality={shown.get(name, name): e for name, e in findings.quality.items()},
        claims=tuple(replace(c, system=shown.get(c.system, c.system)) for c in findings.claims),
    )


def _comparison(c: Comparison, shown: Mapping[str, str]) -> Comparison:
    def of(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(shown.get(name, name) for name in names)

    return replace(
        c,
        systems=of(c.systems),
        differences=tuple(
            replace(d, system_a=shown.get(d.system_a, d.system_a), system_b=shown.get(d.system_b, d.system_b))
            for d in c.differences
        ),
        rankings={
            name: replace(r, names=of(r.names), groups=tuple(map(of, r.groups))) for name, r in c.rankings.items()
        },
    )
