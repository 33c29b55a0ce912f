"""Logs of NIST's FRTE: 1:1 comparisons, 1:N candidate lists, qualities."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mated.errors import MatedError
from mated.io import Columns, read
from mated.io.bytes_in import InputFile
from mated.io.frte_logs import read_quality_log
from mated.scores import rank

ONE_TO_ONE = """\
enrollTempl verifTempl simScore returnCode
1.tmpl 7.tmpl 3.25 0
1.tmpl 8.tmpl 0.5 0
2.tmpl 7.tmpl -1 5
2.tmpl 8.tmpl -1 5
"""
TRUE_PAIRS = "1.tmpl 7.tmpl\n2.tmpl 8.tmpl\n"
KEY = "1.tmpl 7.tmpl target\n2.tmpl 8.tmpl target\n1.tmpl 8.tmpl nontarget\n2.tmpl 7.tmpl nontarget\n"


def candidates(decision: bool = True, unfilled: str = "NA") -> str:
    """Six searches in lists of three: a and b find their mates at places 1 and 2, c has its mate beyond the list.

    d has no mate, e's search failed and it has a mate, f's search failed and it has none.
    """
    lists = {
        "a": [("t1", 9.0), ("t2", 4.0), ("t3", 2.0)],
        "b": [("t1", 6.0), ("t2", 5.0), ("", 0.0)],
        "c": [("t1", 3.0), ("t2", 2.5), ("t4", 1.0)],
        "d": [("t4", 7.0), ("", 0.0), ("", 0.0)],
        "e": [("", 0.0)] * 3,
        "f": [("", 0.0)] * 3,
    }
    lines = ["searchId candidateRank searchRetCode isAssigned templateId score" + " decision" * decision]
    for search, places in lists.items():
        code = 2 if search in "ef" else 0
        for place, (template, score) in enumerate(places):
            name, value = (template, score) if template else (unfilled, -1)
            lines.append(f"{search} {place} {code} {int(bool(template))} {name} {value}" + " 0" * decision)
    return "\n".join(lines) + "\n"


MATES = "a t1\nb t2\nc t3\ne t2\n"


@pytest.fixture
def log(tmp_path):
    def of(text, key=None, **options):
        (tmp_path / "match.log").write_text(text)
        if key is not None:
            (tmp_path / "key.txt").write_text(key)
            options["key"] = tmp_path / "key.txt"
        return read(tmp_path / "match.log", **options)

    return of


@pytest.fixture
def refusal(log):
    def of(text, key=None, **options):
        with pytest.raises(MatedError) as error:
            log(text, key, **options)
        assert "\n" not in str(error.value)
        return str(error.value)

    return of


@pytest.mark.parametrize("key", [TRUE_PAIRS, KEY])
def test_one_to_one_comparisons_with_their_key(log, key):
    result = log(ONE_TO_ONE, key)
    assert result.score.tolist() == [3.25, 0.5]
    assert result.mated.tolist() == [True, False]
    assert [result.samples.names[code] for code in result.samples.reference] == ["1.tmpl", "1.tmpl"]
    assert [result.samples.names[code] for code in result.samples.probe] == ["7.tmpl", "8.tmpl"]
    assert result.notes[0] == "read as an FRTE log of 1:1 comparisons"


def test_a_return_code_is_a_failure_whatever_the_score(log):
    """Both comparisons of 2.tmpl have return code 5: one mated, one non-mated; their −1 is no score."""
    result = log(ONE_TO_ONE, TRUE_PAIRS)
    tally = result.tally()
    assert (tally.mated_failures, tally.nonmated_failures) == (1, 1)
    assert "2 comparisons have a return code other than 0 and count as failures" in result.notes


def test_a_table_of_sample_and_subject_stands_for_a_key(log, tmp_path):
    (tmp_path / "ids.csv").write_text("sample,subject\n1.tmpl,ann\n7.tmpl,ann\n2.tmpl,bob\n8.tmpl,bob\n")
    result = log(ONE_TO_ONE, ids=tmp_path / "ids.csv")
    assert result.mated.tolist() == [True, False]
    assert result.failed_mated.tolist() == [False, True]
    assert result.subjects.names == ("ann", "bob")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ONE_TO_ONE.replace("3.25 0", "nan 0"), "match.log, line 2, column 'simScore': the score is NaN or missing"),
        (
            ONE_TO_ONE.replace("3.25 0", "high 0"),
            "match.log, line 2, column 'simScore': the value 'high' is not a number",
        ),
        (ONE_TO_ONE.replace("3.25 0", "3.25 0.5"), "match.log, line 2, column 'returnCode': 0.5 is not a whole number"),
        (ONE_TO_ONE.replace("3.25 0", "3.25"), "match.log, line 2 has 3 fields instead of 4"),
        (ONE_TO_ONE + "1.tmpl 7.tmpl 4 0\n", "match.log, line 6: the pair stands also in"),
        (ONE_TO_ONE.split("\n")[0] + "\n", "has a header and no data"),
    ],
)
def test_a_broken_log_is_refused_with_its_place(refusal, text, expected):
    assert expected in refusal(text, TRUE_PAIRS)


def test_a_log_without_a_key_is_refused(refusal):
    assert "does not say which comparisons are mated; give a key with key= (--key)" in refusal(ONE_TO_ONE)
    assert "give the true pairs with key= (--key), searchId and templateId" in refusal(candidates())
    assert "line 3: the trial has no line in" in refusal(ONE_TO_ONE, KEY.replace("1.tmpl 8.tmpl nontarget\n", ""))


def test_another_header_is_no_log(refusal):
    assert "has no header of an FRTE log in its first line" in refusal("a b c d\n1 2 3 0\n", TRUE_PAIRS, format="frte")


def test_columns_are_refused(refusal):
    assert "read as an FRTE log, without a column for score" in refusal(
        ONE_TO_ONE, TRUE_PAIRS, columns=Columns(score=3), format="frte"
    )


# -- candidate lists -------------------------------------------------------------------------------


@pytest.mark.parametrize("decision", [True, False])
@pytest.mark.parametrize("unfilled", ["NA", ""])
def test_candidate_lists_give_ranks_misses_and_the_best_scores_of_open_searches(log, decision, unfilled):
    """Worked by hand: a at rank 1, b at rank 2, c and e miss; d's best score is 7, f's search gave nothing.

    c ranks after its three candidates. e, whose search failed, ranks after the whole gallery: t1, t3 and t4 beside t2.
    """
    result = log(candidates(decision, unfilled), MATES)
    ranks = rank(result)
    assert (ranks.n_mated, ranks.n_open, ranks.gallery_size) == (4, 2, 4)
    assert sorted((ranks.above + 1).tolist()) == [1, 2, 4, 4]
    assert len(set(ranks.subject.tolist())) == 3  # b and e are of one identity, that of t2
    assert sorted(ranks.open_best.tolist()) == [-np.inf, 7.0]
    assert ranks.failed_mates == 2


def test_what_can_be_read_off_candidate_lists_is_said(log):
    notes = log(candidates(), MATES).notes
    for part in (
        "read as FRTE candidate lists of up to 3 candidates, which alone are counted",
        "ranks up to 3, FNIR and FPIR can be read off candidate lists, but no rate of all comparisons",
        "2 mates are not on the list of their search and rank after every candidate",
        "2 searches have a return code other than 0 and failed",
    ):
        assert part in notes


def test_scores_that_ascend_along_every_list_are_dissimilarities(log):
    text = "searchId candidateRank searchRetCode isAssigned templateId score\n"
    text += "a 0 0 1 t1 0.1\na 1 0 1 t2 0.4\nb 0 0 1 t2 0.2\nb 1 0 1 t1 0.2\n"
    result = log(text, "a t1\nb t2\n")
    assert result.dissimilarity
    assert rank(result).above.tolist() == [0, 0]
    assert not log(text, "a t1\nb t2\n", dissimilarity=False).dissimilarity


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("a 0 0 1 t1", "a 0 0 1 NA"), "line 2, column 'templateId': the candidate is assigned and has no id"),
        (("a 1 0 1 t2", "a 1 0 1 t1"), "line 3: the template stands twice on the list of one search"),
        (("a 1 0 1 t2", "a 0 0 1 t2"), "line 3: the rank stands twice on the list of one search"),
        (("a 1 0 1 t2", "a 1 0 2 t2"), "line 3, column 'isAssigned': 2 is neither 0 nor 1"),
        (("a 1 0 1 t2 4.0", "a 1 0 1 t2 nan"), "line 3, column 'score': the candidate is assigned and has no score"),
        (("a 1 0 1 t2 4.0", "a 1 0 1 t2 4,0"), "line 3, column 'score': the value '4,0' is not a number"),
        (("a 1 0 1 t2 4.0 0", "a 1 0 1"), "line 3 has 4 fields instead of 7"),
    ],
)
def test_broken_lists_are_refused_with_their_place(refusal, change, expected):
    message = refusal(candidates().replace(*change, 1), MATES)
    assert expected in message


def test_a_key_of_other_searches_is_refused(refusal):
    assert "key.txt names no mate of any search in" in refusal(candidates(), "x t1\n")


def test_logs_without_any_candidate_are_refused(refusal):
    text = "searchId candidateRank searchRetCode isAssigned templateId score\na 0 2 0 NA -1\n"
    assert "has no candidate of a search that succeeded" in refusal(text, "a t1\n")


def test_ids_do_not_say_who_is_enrolled(refusal, tmp_path):
    (tmp_path / "ids.csv").write_text("sample,subject\na,1\n")
    assert "need the true pairs with key=" in refusal(candidates(), ids=tmp_path / "ids.csv")


# -- qualities -------------------------------------------------------------------------------------

QUALITY = "id image returnCode quality\n1 images/a.png 0 87.5\n2 images/b.png 3 -1\n3 images/c.png 0 12\n"


def test_a_quality_log_is_parsed_and_a_return_code_means_no_quality(tmp_path):
    (tmp_path / "q.log").write_text(QUALITY)
    found = read_quality_log(InputFile(Path(tmp_path / "q.log")))
    assert found.ids == ("1", "2", "3")
    assert found.images == ("images/a.png", "images/b.png", "images/c.png")
    assert np.array_equal(found.quality, [87.5, np.nan, 12], equal_nan=True)


def test_a_quality_log_holds_no_comparisons(refusal):
    assert "is an FRTE log of qualities and holds no comparisons" in refusal(QUALITY)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            QUALITY.replace("87.5", "nan"),
            "q.log, line 2, column 'quality': the return code is 0 and there is no quality",
        ),
        (QUALITY.replace("87.5", "good"), "q.log, line 2, column 'quality': the value 'good' is not a number"),
        (ONE_TO_ONE, "q.log has no header of an FRTE log of qualities"),
    ],
)
def test_a_broken_quality_log_is_refused(tmp_path, text, expected):
    (tmp_path / "q.log").write_text(text)
    with pytest.raises(MatedError) as error:
        read_quality_log(InputFile(Path(tmp_path / "q.log")))
    assert expected in str(error.value)
