"""From a study to findings: every section against the verbs behind it, and what is said where one is impossible."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from mated import MatedError, compare, identify, predict, quality, verify
from mated.evaluation.verification import OperatingPoints
from mated.report.evaluate import evaluate, gallery_grid
from mated.report.evaluate_groups import cross_counts, read_subject_groups
from mated.report.report import report, study_for
from mated.report.study import (
    ClaimSpec,
    CompareSpec,
    ForecastSpec,
    GroupsSpec,
    IdentifySpec,
    PointsSpec,
    Study,
    SystemSpec,
)
from mated.report.study_files import read_study
from study_examples import STUDY, systems, write_inputs

OFF = {"identify": IdentifySpec(enabled="false"), "forecast": ForecastSpec(enabled="false")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("study")
    write_inputs(place)
    (place / "study.toml").write_text(STUDY, encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def told():
    return []


@pytest.fixture(scope="module")
def found(folder, told):
    return evaluate(
        read_study(folder / "study.toml"), progress=lambda *stage: told.append(stage), command="mated report"
    )


def test_every_number_is_that_of_the_verb_it_comes_from(found):
    alpha, beta = (verify(layout, name=name, fmr=[0.1, 0.01]) for name, layout in systems().items())
    system = found.systems["alpha"]
    assert list(found.systems) == ["alpha", "beta"]
    assert system.verification.eer() == alpha.eer()
    assert system.verification.points.threshold == (10,)
    assert system.bootstrap.eer().eer == alpha.bootstrap(60, rng=1).eer().eer
    searched = identify(systems()["alpha"], probes="mate removed", replicates=60)
    assert system.identification.to_dict() == searched.to_dict() | {"name": "alpha"}
    made = predict(alpha, gallery=[100, 200], ranks=(1, 5, 10), replicates=10)
    assert {g.gallery_size for g in system.prediction.galleries} >= {10, 100, 200}
    assert system.prediction[200].rate == made[200].rate
    assert (system.prediction[200].low, system.prediction[200].high) == (made[200].low, made[200].high)
    assert system.galleries == (100, 200)
    assert found.systems["beta"].galleries == (100,)
    tested = compare(alpha, beta, fmr=[0.1, 0.01], replicates=60, rng=1)
    assert found.comparison.to_dict() == tested.to_dict()
    assert found.left_out == ()


def test_qualities_are_those_of_the_verb(found, folder):
    made = quality(systems()["beta"], folder / "quality.csv", replicates=20)
    assert found.quality["beta"].results == made.results


def test_claims_are_answered_in_their_order_for_the_systems_they_are_about(found):
    assert [(c.claim, c.system) for c in found.claims] == [
        ("eer <= 0.5", "alpha"),
        ("eer <= 0.5", "beta"),
        ("rank1 >= 0.01 at gallery 200", "alpha"),
    ]
    forecast = found.claims[2]
    assert (forecast.value, forecast.basis) == (found.systems["alpha"].prediction[200].rate[0], "forecast")


def brute_force_across(layout, probe, reference, threshold):
    """Count comparison by comparison."""
    table = {}
    rows = zip(probe, reference, layout.score.tolist(), layout.mated.tolist(), strict=True)
    for one, other, score, mated in rows:
        if not mated:
            errors, n = table.get((one, other), (0, 0))
            table[one, other] = (errors + (score >= threshold), n + 1)
    return table


def test_false_matches_across_groups_are_counted_one_by_one(found, folder):
    layout = systems()["alpha"]
    sex = dict(pl.read_csv(folder / "people.csv").iter_rows())
    sides = {
        ("probe_group", "reference_group"): [layout.covariates[f"{side}_group"] for side in ("probe", "reference")],
        ("sex",): [
            [sex[layout.subjects.names[code]] for code in codes]
            for codes in (layout.subjects.probe.tolist(), layout.subjects.reference.tolist())
        ],
    }
    groupings = {grouping.columns: grouping for grouping in found.systems["alpha"].groups}
    assert list(groupings) == [("group",), ("probe_group", "reference_group"), ("sex",)]
    assert groupings["group",].across == {}
    for columns, pair in sides.items():
        for target in (0.1, 0.01):
            threshold = verify(layout).at_fmr(target).threshold
            expected = brute_force_across(layout, *pair, threshold)
            made = groupings[columns].across[target]
            assert {(p, r): cell for p, row in made.items() for r, cell in row.items()} == expected
            assert sum(cell[0] for cell in expected.values()) == verify(layout).at_fmr(target).errors_nonmated


def test_a_group_of_both_sides_holds_the_comparisons_within_it(found):
    by_column, by_sides = found.systems["alpha"].groups[:2]
    assert list(by_sides.members) == ["A", "B"]
    for name, member in by_sides.members.items():
        assert np.array_equal(member.tally.scores, by_column.members[name].tally.scores)
        assert member.to_dict() == by_column.members[name].to_dict()
        assert by_sides.bootstraps[name].eer() == by_column.bootstraps[name].eer()
    assert "'across' (0 mated" in by_column.members.notes[0]


def test_cross_counts_are_those_of_a_loop():
    rng = np.random.default_rng(1)
    score, mated = rng.integers(0, 5, 300), rng.random(300) < 0.2
    codes = [rng.integers(0, 3, 300).astype(np.uint32) for _ in range(2)]
    made = cross_counts(score, mated, codes, 3, 3)
    for i in range(3):
        for j in range(3):
            rows = [k for k in range(300) if (codes[0][k], codes[1][k]) == (i, j) and not mated[k]]
            assert made[:, i, j].tolist() == [sum(score[k] >= 3 for k in rows), len(rows)]


def test_progress_goes_through_all_stages(found, told):
    done = [stage[1] for stage in told]
    assert done == list(range(len(told)))
    assert {stage[2] for stage in told} == {len(told)}
    assert told[0][0] == "Counting alpha"


def test_inputs_are_recorded_by_their_bytes(found, folder):
    (entry,) = found.systems["alpha"].inputs
    content = (folder / "alpha.csv").read_bytes()
    assert (entry.name, entry.bytes, entry.sha256) == ("alpha.csv", len(content), hashlib.sha256(content).hexdigest())
    assert [entry.name for entry in found.inputs] == ["study.toml", "people.csv", "quality.csv"]
    assert found.provenance.command == "mated report"
    assert found.provenance.packages["numpy"] == np.__version__


def test_the_date_can_be_set_so_that_a_report_can_be_made_again(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    made = evaluate(Study((SystemSpec("x", systems()["alpha"]),), replicates=2, **OFF))
    assert made.provenance.date == "1970-01-01 00:00 UTC"


def test_what_the_data_do_not_allow_is_left_out_with_the_reason():
    layout = systems()["alpha"]
    study = Study((SystemSpec("bare", ([3.0, 4.0, 5.0], [1.0, 2.0, 3.0])),), replicates=10)
    made = evaluate(study)
    assert [section for section, _ in made.left_out] == ["Identification", "Larger galleries"]
    assert all("subjects" in reason for _, reason in made.left_out)
    assert made.comparison is None
    other = verify(replace(layout, samples=None), name="other")
    both = evaluate(Study((SystemSpec("alpha", layout), SystemSpec("no samples", other)), replicates=10))
    assert both.systems["alpha"].identification is not None
    assert ("Identification", both.left_out[0][1]) == both.left_out[0]
    assert both.left_out[0][1].startswith("no samples: ")


def test_a_section_that_is_demanded_and_not_possible_is_an_error():
    study = Study((SystemSpec("bare", ([3.0, 4.0], [1.0, 2.0])),), replicates=0, identify=IdentifySpec(enabled="true"))
    with pytest.raises(MatedError, match="identification was asked for and is not possible"):
        evaluate(study)


def test_a_column_that_no_system_has_is_a_slip_and_one_that_some_have_is_left_out():
    layout = systems()["alpha"]
    study = Study((SystemSpec("alpha", layout),), replicates=0, groups=GroupsSpec((("gruop",),)), **OFF)
    with pytest.raises(MatedError, match="no system has a column 'gruop'; did you mean 'group'"):
        evaluate(study)
    bare = replace(layout, covariates={})
    study = Study(
        (SystemSpec("alpha", layout), SystemSpec("bare", bare)), replicates=2, groups=GroupsSpec((("group",),)), **OFF
    )
    made = evaluate(study)
    assert [len(system.groups) for system in made.systems.values()] == [1, 0]
    assert made.left_out == (("Groups by group", "bare has no column 'group' to group by; there is none"),)


def test_groups_without_both_classes_are_explained():
    layout = systems()["alpha"]
    flag = np.where(layout.mated, "yes", "no")
    study = Study((SystemSpec("alpha", replace(layout, covariates={"same": flag})),), replicates=2,
                  groups=GroupsSpec((("same",),)), **OFF)  # fmt: skip
    ((section, reason),) = evaluate(study).left_out
    assert section == "Groups by same"
    assert "no value of same has both mated and non-mated comparisons" in reason


def test_scores_the_wrong_way_round_are_pointed_out():
    made = report({"x": ([1.0, 2.0], [3.0, 4.0])}, replicates=10)
    assert any("below one half" in remark for remark in made.findings.systems["x"].verification.remarks)


def test_failures_stay_with_their_group():
    layout = systems()["alpha"]
    score = layout.score.astype(float).copy()
    score[[0, 5, 900]] = np.nan
    names = layout.subjects.names
    whole = type(layout).from_arrays(
        score, probe_subject=[names[k] for k in layout.subjects.probe], covariates=dict(layout.covariates),
        reference_subject=[names[k] for k in layout.subjects.reference], nan="failure",
    )  # fmt: skip
    groups = GroupsSpec((("group",),), "probe_group", "reference_group")
    study = Study((SystemSpec("alpha", whole),), replicates=2, groups=groups, **OFF)
    by_column, by_sides = evaluate(study).systems["alpha"].groups
    for name, member in by_sides.members.items():
        assert member.tally.mated_failures == by_column.members[name].tally.mated_failures
        assert member.tally.nonmated_failures == by_column.members[name].tally.nonmated_failures


def test_a_table_of_subjects_is_checked(tmp_path):
    path = tmp_path / "people.csv"
    for text, words in (
        ("name,sex\na,f\n", "has no column 'subject'"),
        ("subject\na\n", "no group"),
        ("subject,sex\na,f\na,m\n", "twice"),
        ("subject,sex\n,f\nb,m\n", "names no subject|no value"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(MatedError, match=words):
            read_subject_groups(path)
    path.write_text("subject,sex,age\na,f,\nb,m,30\n", encoding="utf-8")
    assert read_subject_groups(path).groups == {"sex": {"a": "f", "b": "m"}, "age": {"a": "(missing)", "b": "30"}}
    with pytest.raises(MatedError, match="has no column 'sexx' of groups; did you mean 'sex'"):
        read_subject_groups(path, ["sexx"])


def test_subjects_that_the_table_lacks_are_a_group_and_a_table_of_others_is_left_out(tmp_path):
    layout, path = systems()["alpha"], tmp_path / "people.csv"
    names = layout.subjects.names
    pl.DataFrame({"subject": names[:-1], "sex": ["f"] * (len(names) - 1)}).write_csv(path)
    study = Study((SystemSpec("alpha", layout),), replicates=0, groups=GroupsSpec(subjects=path), **OFF)
    (grouping,) = evaluate(study).systems["alpha"].groups
    assert set(next(iter(grouping.across.values()))) == {"f", "(missing)"}
    assert any("1 of 24 subjects are not in people.csv" in note for note in grouping.members.notes)
    path.write_text("subject,sex\nnobody,f\n", encoding="utf-8")
    ((_, reason),) = evaluate(study).left_out
    assert "names none of the 24 subjects" in reason


def test_galleries_rise_to_the_largest_asked_for_or_to_a_hundred_times_the_subjects():
    assert gallery_grid(5, ()) == (10, 32, 100, 316, 500)
    assert gallery_grid(5, (3, 150)) == (3, 10, 32, 100, 150)


def test_a_claim_about_an_unknown_algorithm_is_a_slip(folder):
    study = read_study(folder / "study.toml")
    wrong = [replace(study.claims[0], text="pauc <= 0.5 for goood")]
    with pytest.raises(MatedError, match="quality algorithm 'goood', and there is none; did you mean 'good'"):
        evaluate(replace(study, claims=tuple(wrong), systems=study.systems[:1], groups=GroupsSpec(), **OFF))


def test_a_system_that_is_read_in_chunks_gives_the_same_and_says_what_it_cannot(folder, found):
    text = STUDY.replace('file = "alpha.csv"', 'file = "alpha.csv"\nstream = true')
    path = folder / "chunks.toml"
    path.write_text(text.replace("[groups]", "[groups]\n").replace('subjects = "people.csv"\n', ""), encoding="utf-8")
    made = evaluate(read_study(path))
    alpha, held = made.systems["alpha"], found.systems["alpha"]
    assert alpha.verification.layout is None
    assert alpha.verification.at_fmr(0.1) == held.verification.at_fmr(0.1)
    assert alpha.bootstrap.at_fmr(0.1) == held.bootstrap.at_fmr(0.1)
    assert alpha.identification.to_dict()["cmc"] == held.identification.to_dict()["cmc"]
    assert list(alpha.groups[0].members) == ["A", "B"]
    assert alpha.groups[0].members["A"].at_fmr(0.1) == held.groups[0].members["A"].at_fmr(0.1)
    reasons = dict(made.left_out)
    assert "read in chunks" in reasons["Larger galleries"]
    assert "read in chunks" in reasons["Quality"]
    assert "Groups by probe_group and reference_group" in reasons


def test_claims_say_where_a_system_is_read_off_beside_the_study():
    study = Study(
        (SystemSpec("alpha", systems()["alpha"]), SystemSpec("beta", systems()["beta"])), replicates=10,
        points=PointsSpec(fmr=(0.1,)), compare=CompareSpec(enabled="false"), **OFF,
        claims=(ClaimSpec("fmr <= 0.5 at threshold 10", "alpha"), ClaimSpec("fnmr <= 0.5 at fmr 0.2")),
    )  # fmt: skip
    made = evaluate(study).systems
    assert [made[name].verification.points for name in made] == [
        OperatingPoints((0.1, 0.2), (), (10,)), OperatingPoints((0.1, 0.2), (), ()),
    ]  # fmt: skip


def test_named_quality_files_name_their_algorithms(folder):
    two = {"first": folder / "quality.csv", "second": {"only": dict.fromkeys(systems()["alpha"].samples.names, 1.0)}}
    study = study_for({"alpha": systems()["alpha"]}, quality=two, replicates=0)
    made = evaluate(replace(study, quality=replace(study.quality, replicates=0), **OFF))
    assert set(made.quality["alpha"].algorithms) == {"first: good", "first: weak", "second"}


def test_a_reason_names_its_system_unless_it_does_already():
    bare = ([3.0, 4.0, 5.0], [1.0, 2.0, 3.0])
    made = evaluate(Study((SystemSpec("search", bare), SystemSpec("other", bare)), replicates=10))
    assert [reason.split(":")[0] for section, reason in made.left_out if section == "Identification"] == [
        "search", "other",
    ]  # fmt: skip
