"""Which column plays which role."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mated.errors import MatedError
from mated.io import Columns, read
from mated.io.columns import ROLES, SYNONYMS, means_dissimilarity, resolve


def settle(names, **columns):
    return resolve(names, Columns(**columns), source="scores.csv")


def test_canonical_names_are_found_without_a_note():
    roles = settle(["mated", "score", "site"])
    assert (roles.score, roles.mated, roles.notes) == ("score", "mated", ())


@pytest.mark.parametrize("name", ["Score", " SCORE", "similarity", "Similarity Score", "simscore", "sim-score", "LLR"])
def test_a_score_column_is_found_by_its_synonyms_in_any_case(name):
    assert settle([name, "mated"]).score == name


@pytest.mark.parametrize("name", ["Mated", "genuine", "is_mated", "label", "target", "same", "Is Genuine"])
def test_a_flag_column_is_found_by_its_synonyms(name):
    assert settle(["score", name]).mated == name


@pytest.mark.parametrize(
    ("probe", "reference"),
    [
        ("probe_subject", "reference_subject"),
        ("subject_a", "subject_b"),
        ("subject_1", "subject_2"),
        ("subject1", "subject2"),
        ("Subject_ID_1", "Subject_ID_2"),
        ("probe_subject_id", "bio_ref_subject_id"),
        ("probe_subject_id", "reference_subject_id"),
        ("probe_subject", "gallery_subject"),
        ("person_a", "person_b"),
    ],
)
def test_subject_columns_are_found_by_their_synonyms(probe, reference):
    roles = settle(["score", reference, probe])
    assert (roles.probe_subject, roles.reference_subject) == (probe, reference)


@pytest.mark.parametrize(
    ("probe", "reference"),
    [("probe_sample", "reference_sample"), ("sample_a", "sample_b"), ("Image1", "Image2"), ("file_1", "file_2")],
)
def test_sample_columns_are_found_by_their_synonyms(probe, reference):
    roles = settle(["score", "mated", reference, probe])
    assert (roles.probe_sample, roles.reference_sample) == (probe, reference)


def test_no_name_stands_for_two_roles():
    seen = {}
    for role in ROLES:
        for name in SYNONYMS[role]:
            bare = name.replace("_", "")
            assert seen.setdefault(bare, role) == role


def test_columns_may_be_named_or_numbered():
    names = ["x", "y", "z"]
    assert settle(names, score="z", mated="x").score == "z"
    assert settle(names, score=3, mated=1).score == "z"
    assert settle(names, score="3", mated="1").mated == "x"


def test_a_column_called_by_a_number_comes_before_its_position():
    assert settle(["2", "1", "mated"], score="1").score == "1"


def test_a_wrong_name_is_answered_with_the_nearest_and_all_names():
    with pytest.raises(MatedError, match=r"scores.csv has no column 'scor' for score; did you mean 'score'\?.*'mated'"):
        settle(["score", "mated"], score="scor")


def test_a_name_in_the_wrong_case_is_answered_with_the_right_one():
    with pytest.raises(MatedError, match="did you mean 'MyScore'"):
        settle(["MyScore", "mated"], score="myscore")


@pytest.mark.parametrize("number", [0, 4, -1, "9"])
def test_a_number_out_of_range_is_refused(number):
    with pytest.raises(MatedError, match=r"scores\.csv has no column .*score.* columns"):
        settle(["a", "b", "mated"], score=number)


def test_one_column_for_two_roles_is_refused():
    with pytest.raises(MatedError, match="column 'a' is named as score and mated"):
        settle(["a", "b"], score="a", mated=1)


def test_several_candidates_are_refused_by_name():
    with pytest.raises(MatedError, match="'score', 'distance' could each be the score; say which with --score-column"):
        settle(["score", "distance", "mated"])


def test_naming_one_of_several_candidates_makes_the_other_a_covariate(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("score,distance,mated\n0.5,3,1\n0.25,4,0\n")
    result = read(path, columns=Columns(score="score"))
    assert result.covariates["distance"].tolist() == [3, 4]
    assert not result.dissimilarity


def test_names_that_may_be_data_are_not_shown():
    for names, columns in ((["Alice", "Bob"], {}), (["Alice", "Alice"], {}), (["Alice", "Bob"], {"score": "x"})):
        with pytest.raises(MatedError, match=r"scores\.csv") as error:
            resolve(names, Columns(**columns), source="scores.csv", shown=False)
        assert "Alice" not in str(error.value)


def test_every_synonym_is_in_the_documentation():
    page = (Path(__file__).resolve().parents[3] / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z0-9_]+)`", page))
    assert {*SYNONYMS["score"], *SYNONYMS["mated"]} <= named
    for side in ("probe", "reference"):
        # The page gives the names of subjects, and says what stands for "subject" and that samples are named alike.
        assert {name for name in SYNONYMS[f"{side}_subject"] if "subject" in name} <= named
        assert {name.replace("sample", "subject") for name in SYNONYMS[f"{side}_sample"] if "sample" in name} <= named
    assert {"person", "identity", "image", "file"} <= named


def test_repeated_names_are_refused():
    with pytest.raises(MatedError, match=r"scores\.csv has more than one column 'score'"):
        settle(["score", "mated", "score"])


def test_an_unnamed_column_is_refused_by_number():
    with pytest.raises(MatedError, match=r"scores\.csv: column 3 has no name"):
        settle(["score", "mated", ""])


def test_without_a_score_column_the_names_are_listed():
    with pytest.raises(MatedError, match=r"scores\.csv has no score column.*'a', 'mated'.*--score-column"):
        settle(["a", "mated"])


def test_without_flag_or_subjects_the_names_and_options_are_listed():
    with pytest.raises(MatedError) as error:
        settle(["score", "probe_subject", "site"])
    for part in ("scores.csv", "'probe_subject'", "'site'", "--mated-column", "--probe-subject", "--reference-subject"):
        assert part in str(error.value)


def test_a_subject_on_one_side_only_stays_a_covariate():
    roles = settle(["score", "mated", "probe_subject", "probe_sample"])
    assert roles.probe_subject is None
    assert roles.probe_sample is None


def test_a_subject_named_on_one_side_only_is_refused(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("score,mated,who\n0.5,1,a\n")
    with pytest.raises(MatedError, match=r"scores\.csv: probe_subject is given without reference_subject"):
        read(path, columns=Columns(probe_subject="who"))


def test_with_both_subjects_named_a_label_is_only_a_covariate():
    names = ["score", "label", "p", "r"]
    assert settle(names, probe_subject="p", reference_subject="r").mated is None
    assert settle(["score", "mated", "p", "r"], probe_subject="p", reference_subject="r").mated == "mated"


def test_a_synonym_and_a_double_statement_are_noted():
    roles = settle(["similarity", "genuine", "subject_a", "subject_b"])
    assert roles.notes == (
        "the scores are those of column 'similarity'",
        "column 'genuine' says which comparisons are mated",
        "column 'genuine' and the subjects both say which comparisons are mated, and agree",
    )


@pytest.mark.parametrize(
    "name", ["distance", "Dissimilarity", "hamming", "Hamming Distance", "cosine_distance", "my-distance", "dist"]
)
def test_names_of_distances_mean_dissimilarity(name):
    assert means_dissimilarity(name)


@pytest.mark.parametrize("name", ["score", "similarity", "cosine_similarity", "llr", "column 3"])
def test_other_names_do_not(name):
    assert not means_dissimilarity(name)


@pytest.mark.parametrize(("said", "held"), [(None, True), (True, True), (False, False)])
def test_the_name_decides_the_orientation_unless_the_user_does(tmp_path, said, held):
    path = tmp_path / "scores.csv"
    path.write_text("distance,mated\n0.25,1\n0.5,0\n")
    result = read(path, dissimilarity=said)
    assert result.dissimilarity is held
    assert result.score.tolist() == ([-0.25, -0.5] if held else [0.25, 0.5])
    assert bool(result.notes) == (said is None)
    if said is None:
        assert result.notes == ("column 'distance' is taken as a dissimilarity: a lower score means more alike",)


def test_orientation_is_also_read_from_a_name_the_user_gave(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("angular_distance,mated\n0.25,1\n0.5,0\n")
    assert read(path, columns=Columns(score=1)).dissimilarity
