"""What the page says first, says once, and does not say."""

from __future__ import annotations

import csv
import re
from dataclasses import replace

import numpy as np
import pytest

from example_findings import full_findings
from mated.evaluation import verify
from mated.evaluation.compare import Comparison
from mated.identification.resolution import Resolution, forecast_caution
from mated.report.figures.scores import scores_figure
from mated.report.findings import SystemFindings
from mated.report.hidden_names import HIDDEN, without_names
from mated.report.page_comparison import comparison_section
from mated.report.page_identification import identification_section
from mated.report.page_parts import Cards, Cell, Notes, Paragraph, Table
from mated.report.page_quality import quality_section
from mated.report.page_summary import summary_section
from mated.report.plain_cautions import of_a_forecast, said_once
from mated.report.report import report

RNG = np.random.default_rng(5)


def only_system(v, b=None):
    return replace(
        full_findings(), systems={"alpha": SystemFindings("alpha", v, b)}, comparison=None, quality={}, claims=()
    )


# -- first -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dissimilarity", "option"), [(False, "--dissimilarity"), (True, "--similarity")])
def test_scores_the_wrong_way_round_are_the_first_thing_said(dissimilarity, option):
    low, high = RNG.normal(0, 1, 50), RNG.normal(3, 1, 200)
    classes = (high[:50], low) if dissimilarity else (low, high)
    v = verify(*classes, dissimilarity=dissimilarity, name="alpha")
    parts = summary_section(replace(only_system(v), notes="")).parts
    assert isinstance(parts[0], Notes)
    assert parts[0].kind == "caution"
    assert f"with {option} (in a study" in parts[0].items[0]
    assert isinstance(parts[1], Cards)


def test_scores_the_right_way_round_need_no_such_word_and_notes_stand_on_top():
    parts = summary_section(full_findings()).parts
    assert [part.text for part in parts[:2]] == [text.strip() for text in full_findings().notes.split("\n\n")]
    assert isinstance(parts[2], Cards)


def test_failures_are_in_the_summary_with_the_rate_that_counts_them():
    # By hand: 2 of 12 mated comparisons failed and 3 of the other 10 score below the threshold, so FRR = 5/12.
    mated = [5.0] * 7 + [0.0] * 3 + [np.nan] * 2
    v = verify(mated, [1.0, 9.0] + [0.5] * 998, nan="failure", fmr=0.002, name="alpha")
    (said,) = (n for n in summary_section(only_system(v)).parts if isinstance(n, Notes) and n.kind == "sentence")
    assert (
        f"2 of 12 mated comparisons of alpha gave no score; with such failures counted as rejections, {500 / 12:.3g}"
        in (" ".join(said.items).replace("\u00a0", " "))
    )


# -- once --------------------------------------------------------------------------------------------


def test_what_is_said_of_every_row_stands_once_and_the_rest_below_its_row():
    rows = [(Cell("a", "name"),), (Cell("a", "name"),), (Cell("b", "name"),)]
    table = Table("t", ("System",), rows, ["few; old", "few; old", "old; odd"])
    assert table.shared == ("old",)
    assert [table.caution(k) for k in range(3)] == [None, "these 2 rows: few", "odd"]
    assert Table("t", ("System",), rows, ["few", None, "few"]).shared == ()
    assert Table("t", ("System",), rows[:1], ["few"]).shared == ()
    assert Table("t", ("System",), rows[:1], ["few"]).caution(0) == "few"


def test_remarks_about_all_systems_name_none_of_them():
    remarks = [("a", "one"), ("a", "both"), ("b", "both"), ("b", "both")]
    assert said_once(remarks, 2) == ("a: one", "both")
    assert said_once([("a", "one")], 1) == ("one",)


@pytest.mark.parametrize("size", [10**4, 10**7])
def test_the_caution_of_a_forecast_is_said_in_fewer_words_and_alike_for_all_galleries(size):
    resolved = Resolution(199, 199, 1791)
    written = of_a_forecast(forecast_caution(size, resolved, pooled=358_200) + "; only 40 subjects")
    assert "average ROC" not in written
    assert str(size) not in written.replace("\u202f", "")
    assert f"galleries up to about {resolved.largest_gallery}" in written
    assert ("358\u202f200" in written) == (size == 10**7)
    assert written.endswith("; only 40 subjects")
    assert of_a_forecast("something else") == "something else"
    assert of_a_forecast(None) is None


def test_a_forecast_has_one_row_a_gallery_with_all_its_ranks():
    section = identification_section(full_findings())
    table = next(p for p in section.parts if isinstance(p, Table) and p.caption.startswith("Predicted to be found"))
    made = full_findings().systems["alpha"].prediction
    galleries = full_findings().systems["alpha"].galleries or [g.gallery_size for g in made.galleries]
    assert sum(row[0].text == "alpha" for row in table.rows) == len(galleries)
    assert len(table.head) == 3 + 2 * len(made.galleries[0].ranks) == len(table.rows[0])
    assert any("one reference of each person" in p.text for p in section.parts if isinstance(p, Paragraph))


def test_differences_that_are_not_shown_share_a_sentence_and_no_correction_is_named_for_one_pair():
    c = full_findings().comparison
    section = comparison_section(full_findings())
    lead, said = section.parts[0].text, section.parts[1].items
    assert len(said) == sum(d.significant for d in c.differences) + any(not d.significant for d in c.differences)
    assert "Holm" not in lead
    assert f"{len(c.differences)} statistics are tested" in lead
    apart = tuple(replace(d, method="two independent bootstraps") for d in c.differences)
    assert isinstance(c, Comparison)
    other = comparison_section(replace(full_findings(), comparison=replace(c, differences=apart)))
    assert "tested apart" in other.parts[0].text


def test_the_area_that_a_claim_speaks_of_stands_in_the_table():
    name, made = next(iter(full_findings().quality.items()))
    section = quality_section(replace(full_findings(), quality={name: made}))
    table = next(p for p in section.parts if isinstance(p, Table) and p.caption.startswith("Quality algorithms"))
    shown = {row[0].text: row[table.head.index("Area (pAUC)")].text for row in table.rows}
    assert shown == {r.algorithm: f"{r.pauc:#.4g}" for r in made.results}


# -- not at all --------------------------------------------------------------------------------------


def quoting(findings):
    reasons = (
        (
            "Comparison of systems",
            "alpha and beta share 25 subjects: beta lacks 15, the first of them 'Q25'; or paired='no'",
        ),
        ("Quality", "quality for no sample (such as 'p001-1' beside \"O'Neill\"); do people's names agree?"),
        ("Groups by site", "'alpha' has no column 'group'"),
    )
    return replace(findings, left_out=reasons)


def test_names_of_people_are_hidden_in_reasons_and_those_of_systems_and_columns_are_not():
    reasons = [reason for _, reason in without_names(quoting(full_findings())).left_out]
    assert reasons[0].endswith(f"the first of them {HIDDEN}; or paired='no'")
    assert reasons[1] == f"quality for no sample (such as {HIDDEN} beside {HIDDEN}); do people's names agree?"
    assert reasons[2] == "'alpha' has no column 'group'"


def test_a_report_shows_names_only_where_it_may(tmp_path):
    paths = []
    for system, people in (("one", 12), ("two", 10)):
        paths.append(tmp_path / f"{system}.csv")
        with paths[-1].open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(("probe_subject", "reference_subject", "score"))
            for i in range(people):
                rows.writerows((f"Quinn{i}", f"Quinn{j}", f"{RNG.normal(3 * (i == j)):.3f}") for j in range(people))
    hidden = report(paths, replicates=20)
    shown = report(paths, replicates=20, show_ids=True)
    assert any("Quinn" in reason for _, reason in shown.findings.left_out)
    for made in (hidden.html(), str(hidden.to_dict())):
        assert not re.search(r"Quinn\d", made)


def test_of_several_systems_the_summary_says_which_differ():
    c = full_findings().comparison
    (d,) = (d for d in c.differences if d.statistic == "fnmr at fmr 0.001")
    pairs = [("a", "b", -0.1, 0.001), ("a", "c", 0.2, 0.4), ("b", "c", 0.1, 0.03)]
    made = tuple(
        replace(d, system_a=one, system_b=other, difference=apart, p_adjusted=p) for one, other, apart, p in pairs
    )
    for differences, words in (
        (made, "a lower than b, b higher than c: chance alone hardly explains that; what was seen of the others"),
        ((made[1],), "no two of the 3 systems are shown to differ"),
    ):
        several = replace(c, systems=("a", "b", "c"), differences=differences)
        said = [p for p in summary_section(replace(full_findings(), comparison=several)).parts if isinstance(p, Notes)]
        assert any(words in sentence for sentence in said[0].items)


@pytest.mark.parametrize(
    ("dissimilarity", "title"), [(True, "Comparison score (lower is more alike)"), (False, "Comparison score")]
)
def test_the_axis_of_scores_says_in_whole_words_which_way_they_run(dissimilarity, title):
    drawn = scores_figure(verify([1.0, 2.0, 3.5], [2.5, 4.0, 5.0], dissimilarity=dissimilarity), "own")
    assert drawn.layout["xaxis"]["title"]["text"] == title
