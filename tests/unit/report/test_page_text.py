"""The page as a text: its structure, its numbers, its size, and that nothing of a user becomes code."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import numpy as np
import plotly.graph_objects as go
import pytest

from example_findings import HOSTILE, bare_findings, full_findings, hostile_findings
from mated.evaluation import verify
from mated.report import numbers_in_words as words
from mated.report.findings import SystemFindings
from mated.report.page import embedded_json, render

_VOID = {"meta", "link", "img", "input", "br", "hr", "line", "rect", "circle", "mspace"}


class Tree(HTMLParser):
    """Elements in order with their attributes, the text inside each, and whether tags are balanced."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.open: list[int] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), []))
        if tag not in _VOID:
            self.open.append(len(self.elements) - 1)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), []))

    def handle_endtag(self, tag):
        assert self.elements[self.open.pop()][0] == tag, f"</{tag}> closes another element"

    def handle_data(self, data):
        for place in self.open:
            self.elements[place][2].append(data)

    def all(self, tag, **wanted):
        return [
            (attributes, "".join(text))
            for name, attributes, text in self.elements
            if name == tag and all(attributes.get(k) == v for k, v in wanted.items())
        ]


@cache
def page_of(which: str) -> str:
    return render({"full": full_findings, "hostile": hostile_findings, "bare": bare_findings}[which]())


@cache
def tree_of(which: str) -> Tree:
    return Tree(without_scripts(page_of(which)))


def without_scripts(page: str) -> str:
    """Leave out Plotly's script and the page's own, which are not about these findings."""
    return re.sub(r"<script>.*?</script>", "<script></script>", page, flags=re.DOTALL)


def data_of(page: str) -> dict:
    return json.loads(re.search(r'<script type="application/json" id="page-data">(.*?)</script>', page, re.DOTALL)[1])


def plain(text: str) -> str:
    return " ".join(text.split())


# -- structure -------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["full", "hostile", "bare"])
def test_tags_are_balanced_and_ids_are_unique(which):
    tree = tree_of(which)
    assert tree.open == []
    ids = [attributes["id"] for _, attributes, _ in tree.elements if "id" in attributes]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("which", ["full", "bare"])
def test_headings_go_down_one_step_at_a_time(which):
    levels = [int(tag[1]) for tag, _, _ in tree_of(which).elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


def test_landmarks_and_a_way_past_the_navigation_are_there():
    tree = tree_of("full")
    for landmark in ("header", "nav", "main", "footer"):
        assert len(tree.all(landmark)) == 1
    assert tree.all("a", href="#main")
    assert tree.all("html", lang="en")
    anchors = {attributes["href"][1:] for attributes, _ in tree.all("a")}
    assert anchors <= {attributes.get("id") for _, attributes, _ in tree.elements}


def test_every_section_is_there_where_the_data_allow_it_and_no_other():
    def sections(which):
        return [attributes["id"] for attributes, _ in tree_of(which).all("section")]

    assert sections("full") == [
        "summary", "data", "verification", "comparison", "identification", "quality", "groups", "method",
    ]  # fmt: skip
    assert sections("bare") == ["summary", "data", "verification", "method"]
    assert "samples are not named" in page_of("bare")


@pytest.mark.parametrize("which", ["full", "bare"])
def test_tables_have_captions_and_headings_with_their_scope(which):
    tree = tree_of(which)
    assert len(tree.all("table")) == len(tree.all("caption")) > 3
    assert all(attributes.get("scope") in ("col", "row") for attributes, _ in tree.all("th"))


@pytest.mark.parametrize("which", ["full", "bare"])
def test_every_figure_has_a_caption_and_says_its_main_values_to_those_who_cannot_see_it(which):
    tree = tree_of(which)
    plots = tree.all("div", role="img")
    assert len(plots) == len(tree.all("figcaption")) == len(data_of(page_of(which))["figures"])
    assert all(
        len(attributes["aria-label"]) > 40 and re.search(r"\d", attributes["aria-label"]) for attributes, _ in plots
    )


def test_sliders_have_labels_and_a_live_region_tells_of_them():
    tree = tree_of("full")
    sliders = tree.all("input", type="range")
    assert len(sliders) == 2
    labelled = {attributes["for"] for attributes, _ in tree.all("label")}
    assert {attributes["id"] for attributes, _ in sliders} == labelled
    assert tree.all("p", **{"aria-live": "polite"})


# -- numbers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["alpha", "beta"])
def test_every_operating_point_of_the_dictionary_stands_in_the_table(name):
    rows = [
        [plain(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)]
        for row in re.findall(r"<tr.*?</tr>", without_scripts(page_of("full")), re.DOTALL)
    ]
    texts = [[plain(re.sub(r"<[^>]*>", " ", cell)) for cell in row] for row in rows]
    for e in full_findings().systems[name].bootstrap.to_dict()["at_fmr"]:
        wanted = [words.percent(e["fnmr"]), words.between(e["fnmr_low"], e["fnmr_high"]), str(e["threshold"])]
        wanted = [plain(text) for text in wanted]
        assert any(row and row[0] == name and row[2:5] == wanted for row in texts), wanted


def test_the_summary_says_the_headline_with_its_interval_and_its_errors():
    v = full_findings().systems["alpha"].verification
    (_, text), *_ = tree_of("full").all("section", id="summary")
    said = plain(text)
    e = full_findings().systems["alpha"].bootstrap.at_fmr(0.001)
    assert f"{v.at_fmr(0.001).errors_mated} errors in 480 mated comparisons of 80 people" in said
    assert f"wrongly rejects {100 * e.fnmr.value:.0f} %" in said
    assert f"(95 % interval {100 * e.fnmr.low:.0f} to {100 * e.fnmr.high:.0f} %)" in said


def test_verdicts_are_said_in_words_beside_their_signs():
    text = plain("".join(text for _, text in tree_of("full").all("ul")))
    assert "✓ Supported" in text
    assert "? Undecided" in text
    assert "✗ Not supported" in text


def test_cautions_stand_right_below_the_row_they_are_about():
    page = without_scripts(page_of("full"))
    cautions = re.findall(r'<tr class="cautioned">(.*?)</tr>\s*<tr class="caution-row">(.*?)</tr>', page, re.DOTALL)
    eer = full_findings().systems["alpha"].bootstrap.to_dict()["eer"]
    assert any(words.percent(eer["value"]) in row and eer["caution"] in caution for row, caution in cautions)


def test_cells_across_groups_show_rate_and_counts():
    across = full_findings().systems["alpha"].groups[0].across[0.001]
    text = plain(next(text for _, text in tree_of("full").all("section", id="groups")))
    for row in across.values():
        for errors, n in row.values():
            assert plain(f"{words.percent(errors / n)}{errors} of {words.count(n)}") in text


def test_the_method_names_seed_versions_command_and_checksums():
    text = plain(next(text for _, text in tree_of("full").all("section", id="method")))
    for wanted in ("2008", "numpy 2.4.0", "mated report study.toml", "0123456789abcdef" * 4, "ISO/IEC 19795-1"):
        assert wanted in text
    stated = float(re.search(r"moves no curve by more than ([\d.e-]+)", text)[1])
    assert 0 < stated <= 0.05


# -- what must not be there ------------------------------------------------------------------------


def test_subjects_and_samples_are_not_named():
    assert not re.search(r"\bp\d\d(-\d)?\b", without_scripts(page_of("full")))


@pytest.mark.parametrize("which", ["full", "hostile"])
def test_nothing_is_loaded_from_anywhere(which):
    tree = tree_of(which)
    for tag, attributes, _ in tree.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form"), tag
        assert not {"src", "srcset", "action", "data"} & set(attributes), (tag, attributes)
        assert not (attributes.get("href") or "#").startswith(("http", "//", "javascript")), attributes
    assert "url(" not in page_of(which).split("</style>")[0]
    assert "@import" not in page_of(which).split("</style>")[0]


@pytest.mark.parametrize("which", ["full", "hostile"])
def test_only_the_two_scripts_named_by_the_policy_can_run(which):
    page = page_of(which)
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    policy = tree_of(which).all("meta", **{"http-equiv": "Content-Security-Policy"})[0][0]["content"]
    hashes = re.findall(r"'sha256-([^']+)'", policy)
    assert [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts] == hashes
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]


def test_hostile_names_are_text():
    tree, page = tree_of("hostile"), without_scripts(page_of("hostile"))
    assert [tag for tag, _, _ in tree.elements if tag in ("img", "iframe", "b", "svg")].count("img") == 0
    assert "window.hacked" not in "".join(
        str(attributes) for _, attributes, _ in tree.elements if "onerror" in attributes
    )
    assert not [attributes for _, attributes, _ in tree.elements if any(name.startswith("on") for name in attributes)]
    text = tree.all("body")[0][1]
    assert HOSTILE.systems[0] in text
    assert HOSTILE.algorithms[0] in text
    assert "{{ 7 * 7 }}" in text
    assert "\u202e" not in tree.all("h1")[0][1]
    assert "\u2028" not in page.split('id="page-data"')[1].split("</script>")[0]


def test_no_label_that_plotly_draws_can_be_read_as_a_tag():
    def texts(value, key=""):
        if isinstance(value, dict):
            for k, v in value.items():
                yield from texts(v, k)
        elif isinstance(value, list):
            for v in value:
                yield from texts(v, key)
        elif isinstance(value, str) and key in ("name", "text", "ticktext", "title"):
            yield value

    shown = list(texts(data_of(page_of("hostile"))["figures"]))
    assert any("&lt;" in text for text in shown)
    assert not [text for text in shown if "<" in text or ">" in text]


def test_embedded_json_ends_neither_its_element_nor_a_line():
    value = {"a": "</script><!-- & \u2028\u2029 ]]>", "b": [1.5, None]}
    text = embedded_json(value)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == value


# -- figures ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["full", "bare"])
def test_plotly_knows_every_property_of_every_figure(which):
    def resolved(value, key=""):
        if isinstance(value, dict):
            return {k: resolved(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [resolved(v, key) for v in value]
        return (
            "#123456" if isinstance(value, str) and value.startswith("~") and key.lower().endswith("color") else value
        )

    for name, spec in data_of(page_of(which))["figures"].items():
        made = go.Figure(resolved(spec))
        assert len(made.data) == len(spec["data"]), name


def test_marked_operating_points_lie_on_the_drawn_curve():
    figures = data_of(page_of("full"))["figures"]
    for name in ("roc", "det"):
        traces = figures[name]["data"]
        dots = [t for t in traces if t["mode"] == "markers" and "meta" not in t]
        assert len(dots) == 2
        for trace in dots:
            (line,) = [t for t in traces if t["mode"] == "lines" and t.get("name") == trace["name"]]
            drawn = {(f"{x:.5g}", f"{y:.5g}") for x, y in zip(line["x"], line["y"], strict=True)}
            assert {(f"{x:.5g}", f"{y:.5g}") for x, y in zip(trace["x"], trace["y"], strict=True)} <= drawn


def test_the_roc_begins_at_the_rates_of_the_curve_and_ends_at_one():
    v = full_findings().systems["beta"].verification
    line = [t for t in data_of(page_of("full"))["figures"]["roc"]["data"] if t["mode"] == "lines" and t.get("name")][1]
    assert (line["x"][-1], line["y"][-1]) == (100, 100)
    assert np.interp(np.log10(2), np.log10(line["x"]), line["y"]) == pytest.approx(100 * v.roc(0.02), abs=0.1)


# -- size, and what data may look like -------------------------------------------------------------


def test_the_page_is_small_and_the_same_every_time():
    page = page_of("full")
    assert len(page.encode()) < 6_000_000
    assert render(full_findings()) == page


def test_many_distinct_scores_make_no_larger_page():
    rng = np.random.default_rng(1)
    v = verify(rng.normal(4, 1, 40_000), rng.normal(0, 1, 360_000), name="x")
    findings = replace(bare_findings(), systems={"x": SystemFindings("x", v, None)})
    assert len(render(findings).encode()) < 5_500_000


@pytest.mark.parametrize(
    ("mated", "nonmated", "options"),
    [
        ([3, 4, 5], [0, 1, 2], {}),
        ([1, 1, 1], [1, 1, 1], {}),
        ([0.1, np.inf], [-np.inf, 0.1, 0.2], {}),
        ([0.5], [0.5], {}),
        ([1, 2, 2.5], [3, 4, 2.2], {"dissimilarity": True}),
        ([0, 1], [5, 6], {}),
        ([3, np.nan], [0, np.nan], {"nan": "failure"}),
    ],
)
def test_separated_tied_infinite_tiny_and_failed_scores_have_a_page_too(mated, nonmated, options):
    v = verify(mated, nonmated, name="x", fmr=0.4, **options)
    for bootstrap in (None, v.bootstrap(20, rng=1)):
        findings = replace(bare_findings(), systems={"x": SystemFindings("x", v, bootstrap)})
        assert data_of(render(findings))["systems"][0]["stops"]
