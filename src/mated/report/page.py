"""The page: findings in, one HTML text out that needs nothing but a browser.

Everything is in the one file, Plotly's script once among it. A content security policy lets only the two scripts run
that are in here, by their SHA-256, and lets nothing be loaded; texts of a user are escaped besides.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import asdict
from importlib import resources
from typing import TYPE_CHECKING, Any

from mated.plots.text import one_line, shorten
from mated.report.page_comparison import comparison_section
from mated.report.page_data import data_section
from mated.report.page_groups import groups_section
from mated.report.page_identification import identification_section
from mated.report.page_method import method_of
from mated.report.page_names import LONGEST, with_shown_names
from mated.report.page_parts import Explorer, Figures, Section
from mated.report.page_quality import quality_section
from mated.report.page_summary import summary_section
from mated.report.page_verification import verification_section

if TYPE_CHECKING:
    from jinja2 import Environment

    from mated.report.figures import FigureSpec
    from mated.report.findings import Findings

__all__ = ["embedded_json", "render"]


def render(findings: Findings) -> str:
    """Write the findings as one self-contained HTML page."""
    from markupsafe import Markup
    from plotly.offline import get_plotlyjs

    findings = with_shown_names(findings)
    sections = _sections(findings)
    figures = _figures(sections)
    anchors = frozenset({section.anchor for section in sections} | {"method"})
    error = max((spec.error for spec in figures.values()), default=0.0)
    scripts = [get_plotlyjs().replace("\r\n", "\n"), _asset("page.js")]
    explorers = [part for section in sections for part in section.parts if isinstance(part, Explorer)]
    data = {
        "figures": {name: {"data": spec.data, "layout": spec.layout} for name, spec in figures.items()},
        "systems": [
            {"name": s.name, "start": s.start, "named": dict(s.named), "stops": [stop.to_json() for stop in s.stops]}
            for explorer in explorers
            for s in explorer.systems
        ],
    }
    template = _environment().get_template("page.html.j2")
    return template.render(
        findings=findings,
        title=one_line(findings.title),
        sections=sections,
        figure_numbers={name: number for number, name in enumerate(figures, start=1)},
        method=method_of(findings, anchors, error),
        provenance=asdict(findings.provenance),
        style=Markup(_asset("page.css")),
        data=Markup(embedded_json(data)),
        scripts=[Markup(script) for script in scripts],
        policy=_policy(scripts),
    )


def embedded_json(value: Any) -> str:
    """Write JSON that can stand in an HTML script element: no character in it can end the element or a line."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _sections(findings: Findings) -> list[Section]:
    results = {
        name: (s.verification if s.bootstrap is None else s.bootstrap).to_dict() for name, s in findings.systems.items()
    }
    made = (
        summary_section(findings),
        data_section(findings),
        verification_section(findings, results),
        comparison_section(findings),
        identification_section(findings),
        quality_section(findings),
        groups_section(findings),
    )
    return [section for section in made if section is not None]


def _figures(sections: list[Section]) -> dict[str, FigureSpec]:
    """Return all figures by their anchors, in the order of the page."""
    found: dict[str, FigureSpec] = {}
    for section in sections:
        for part in section.parts:
            if isinstance(part, Figures | Explorer):
                found |= part.figures
    return found


def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    made = Environment(
        loader=FunctionLoader(lambda name: _text("templates", name)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["name"] = lambda text: shorten(str(text), LONGEST)
    return made


def _asset(name: str) -> str:
    return _text("assets", name)


def _text(folder: str, name: str) -> str:
    return (resources.files("mated.report") / folder / name).read_text(encoding="utf-8")


def _policy(scripts: list[str]) -> str:
    """Return a content security policy under which only these scripts run and nothing is loaded."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" for script in scripts
    )
    return f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'"
