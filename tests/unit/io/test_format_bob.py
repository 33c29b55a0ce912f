"""Score lists of bob, written here by their description."""

from __future__ import annotations

import pytest

from mated.errors import MatedError
from mated.io import Columns, read
from mated.scores import rank

FOUR = """\
ann ann a1 0.9
ann bob b1 0.2
bob ann a1 0.3
bob bob b1 0.8
ann zoe z1 0.1
bob zoe z1 0.4
"""
FIVE = """\
ann m1 ann a1 0.9
ann m2 ann a1 0.5
bob m3 ann a1 0.6
ann m1 bob b1 0.2
ann m2 bob b1 0.7
bob m3 bob b1 0.65
"""
CSV = """\
bio_ref_subject_id,probe_subject_id,probe_key,sensor,score
ann,ann,a1,x,0.9
ann,bob,b1,x,0.2
bob,ann,a1,y,0.3
bob,bob,b1,y,0.8
"""


@pytest.fixture
def bob(tmp_path):
    def of(text, name="scores.txt", **options):
        path = tmp_path / name
        path.write_text(text)
        return read(path, **{"format": "bob", **options})

    return of


@pytest.fixture
def refusal(bob):
    def of(text, **options):
        with pytest.raises(MatedError) as error:
            bob(text, **options)
        assert "\n" not in str(error.value)
        return str(error.value)

    return of


def test_two_columns_are_class_and_score(bob):
    result = bob("1 0.5\n-1 0.25\n-1 1\n")
    assert result.score.tolist() == [0.5, 0.25, 1]
    assert result.mated.tolist() == [True, False, False]
    assert result.notes == ("read as bob's list: class and score",)


def test_two_columns_are_class_and_score_also_where_every_score_is_a_class(bob):
    """A table without a header would be refused here: either column could be the flag."""
    assert bob("1 1\n-1 -1\n-1 1\n").score.tolist() == [1, -1, 1]


def test_four_columns_are_mated_where_claimed_and_real_identity_are_the_same(bob):
    result = bob(FOUR)
    assert result.mated.tolist() == [True, False, False, True, False, False]
    assert result.subjects.names == ("ann", "bob", "zoe")
    claimed, real = (
        [result.subjects.names[c] for c in side] for side in (result.subjects.reference, result.subjects.probe)
    )
    assert claimed == ["ann", "ann", "bob", "bob", "ann", "bob"]
    assert real == ["ann", "bob", "ann", "bob", "zoe", "zoe"]


def test_four_columns_give_ranks_and_a_probe_without_a_mated_line_is_an_open_set_probe(bob):
    ranks = rank(bob(FOUR))
    assert (ranks.n_mated, ranks.n_open, ranks.gallery_size) == (2, 1, 2)
    assert ranks.above.tolist() == [0, 0]
    assert ranks.open_best.tolist() == [0.4]


def test_a_probe_label_that_is_also_a_claimed_identity_is_not_taken_for_its_reference(bob):
    """Probe "ann" of ann against the model of ann is a mated comparison and not a sample against itself."""
    result = bob("ann ann ann 0.9\nbob ann ann 0.3\nann bob bob 0.1\nbob bob bob 0.8\n")
    assert not result.samples.same.any()
    assert rank(result).n_mated == 2


def test_five_columns_name_models_and_an_identity_scores_as_its_best_model(bob):
    """a1 meets its own m1 at .9; b1 meets its own m3 at .65, below ann's m2 at .7."""
    result = bob(FIVE)
    assert result.mated.tolist() == [True, True, False, False, False, True]
    ranks = rank(result)
    assert (ranks.n_mated, ranks.gallery_size) == (2, 2)
    assert ranks.above.tolist() == [0, 1]


def test_a_label_that_stands_for_everybody_names_no_sample(bob):
    four = bob("ann ann x 0.9\nann bob x 0.2\nbob bob x 0.8\n")
    five = bob("ann x ann x 0.9\nann x bob x 0.2\nbob x bob x 0.8\n")
    for result in (four, five):
        assert result.samples is None
        assert result.mated.tolist() == [True, False, True]
        assert "every probe label is the same, so probes of one subject are not told apart" in result.notes
    assert "every model label is the same, so models of one subject are not told apart" in five.notes


def test_one_probe_alone_keeps_its_name(bob):
    assert bob("ann ann a1 0.9\nbob ann a1 0.3\n").samples is not None


def test_models_without_a_name_of_their_own_are_one_a_subject(bob):
    result = bob("ann x ann a1 0.9\nann x bob b1 0.2\nbob x bob b1 0.8\n")
    assert rank(result).n_mated == 2
    assert "reference samples are not named: each subject is taken to have one reference" in result.notes


def test_csv_is_told_by_its_header_and_has_probes(bob):
    result = bob(CSV, "scores.csv", format="auto")
    assert result.mated.tolist() == [True, False, False, True]
    assert result.covariates["sensor"].tolist() == ["x", "x", "y", "y"]
    assert rank(result).n_mated == 2
    assert result.notes[:2] == ("read as bob's CSV", "column 'probe_key' names the probes")


def test_csv_of_a_later_bob_names_templates_on_both_sides(bob):
    text = "probe_template_id,probe_subject_id,bio_ref_template_id,bio_ref_subject_id,score\n"
    result = bob(f"{text}p1,ann,r1,ann,0.5\np1,ann,r2,bob,0.25\n", "scores.csv", format="auto")
    assert result.samples.names == ("p1", "r1", "r2")
    assert result.mated.tolist() == [True, False]


def test_csv_is_a_table_where_columns_are_named(bob):
    result = bob(CSV, "scores.csv", format="auto", columns=Columns(score="score"))
    assert "probe_key" in result.covariates


def test_nan_is_a_failure_to_acquire_where_that_is_said(bob, refusal):
    text = FOUR.replace("0.3", "NaN").replace("0.9", "nan")
    message = refusal(text)
    assert "scores.txt, line 1, column 'score': the score is NaN (2 such scores); " in message
    assert "nan='failure' (--nan failure)" in message
    tally = bob(text, nan="failure").tally()
    assert (tally.mated_failures, tally.nonmated_failures) == (1, 1)
    assert (tally.n_mated, tally.n_nonmated) == (1, 3)


@pytest.mark.parametrize("text", [FOUR, FIVE])
def test_a_list_without_a_header_is_refused_with_the_candidates_named(refusal, text):
    message = refusal(text, format="auto")
    for part in ("scores.txt has no header and its columns are not clear", "--score-column", "--format bob"):
        assert part in message


def test_other_widths_are_refused(refusal):
    assert "line 1 has 3 fields, and a list of bob has 2 (class, score), 4" in refusal("a a 0.5\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 0.5\n2 0.25\n", "line 2, column 'class': this does not say whether the comparison is mated"),
        ("ann ann a1 high\n", "line 1: the last field is not a number"),
        ("ann ann a1 0.5\nann bob b1 high\n", "line 2, column 'score': the score 'high' is not a number"),
        ("ann ann a1 0.5\nann bob b1\n", "line 2 has 3 fields instead of 4; complete or remove the line"),
        ("ann ann a1 0.5\nann;bob;b1;0.5\n", "line 2 has 1 field instead of 4; it has ';' between the fields"),
        ("ann ann a1 0.5\nann NA b1 0.2\n", "line 2, column 'real id': 'NA' names no subject"),
        ("ann ann a1 1e400\n", "line 1, column 'score': the score 1e400 is too large"),
    ],
)
def test_broken_lines_are_refused_with_their_place(refusal, text, expected):
    message = refusal(text)
    assert message.partition("scores.txt, ")[2].startswith(expected)


def test_a_header_of_ones_own_may_be_skipped(bob):
    assert len(bob("claimed real probe score\nann ann a1 0.5\n", header=True)) == 1


def test_options_of_other_formats_are_refused(refusal, tmp_path):
    assert "read as bob's list, without a column for score" in refusal(FOUR, columns=Columns(score=4))
    assert "ids belongs to score matrices" in refusal(FOUR, ids=["a"])
    (tmp_path / "key.txt").write_text("a b target\n")
    assert "key= (--key) belongs to frte, pairs, trials" in refusal(FOUR, key=tmp_path / "key.txt")
