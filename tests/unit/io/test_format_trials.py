"""Trials with a key (Kaldi, BOSARIS, VoxCeleb) and scores of pairs with the true pairs (pyeer)."""

from __future__ import annotations

import random

import numpy as np
import pytest

from mated.errors import MatedError
from mated.io import Columns, read
from mated.scores import rank

SCORES = "m1 s1 2.5\nm1 s2 -0.5\nm2 s1 -1\nm2 s2 1.5\n"
KEY = "m1 s1 target\nm2 s2 target\nm1 s2 nontarget\nm2 s1 nontarget\n"
VOXCELEB = "1 id1/v/1.wav id1/w/1.wav\n0 id1/v/1.wav id2/v/1.wav\n1 id2/v/1.wav id2/v/2.wav\n"


@pytest.fixture
def trials(tmp_path):
    def of(scores, key=None, **options):
        (tmp_path / "scores.txt").write_text(scores)
        if key is not None:
            (tmp_path / "key.txt").write_text(key)
            options["key"] = tmp_path / "key.txt"
        return read(tmp_path / "scores.txt", **options)

    return of


@pytest.fixture
def refusal(trials):
    def of(scores, key=None, **options):
        with pytest.raises(MatedError) as error:
            trials(scores, key, **options)
        message = str(error.value)
        assert ".txt" in message
        assert "\n" not in message
        return message

    return of


def names(ids, side):
    return [ids.names[code] for code in getattr(ids, side)]


def test_the_key_says_which_trials_are_mated_in_any_order(trials):
    result = trials(SCORES, KEY)
    assert result.score.tolist() == [2.5, -0.5, -1, 1.5]
    assert result.mated.tolist() == [True, False, False, True]
    assert names(result.samples, "reference") == ["m1", "m1", "m2", "m2"]
    assert names(result.samples, "probe") == ["s1", "s2", "s1", "s2"]
    assert result.notes == ("read as trials: model, segment and score",)


@pytest.mark.parametrize(
    "key",
    [
        KEY.replace("nontarget", "imp").replace("imp", "impostor"),
        KEY.replace("nontarget", "0").replace("target", "1"),
        KEY.replace(" ", "\t"),
        KEY.replace(" ", ","),
        "modelid segmentid targettype\n" + KEY,
        "1 m1 s1\n0 m1 s2\n0 m2 s1\n1 m2 s2\n",
    ],
)
def test_keys_are_written_in_many_ways(trials, key):
    assert trials(SCORES, key).mated.tolist() == [True, False, False, True]


@pytest.mark.parametrize("scores", [SCORES.replace(" ", "\t"), "modelid segmentid LLR\n" + SCORES, SCORES * 2])
def test_scores_are_written_in_many_ways(trials, scores):
    result = trials(scores, KEY)
    assert result.score.tolist() == [2.5, -0.5, -1, 1.5]


def test_trials_that_are_repeated_and_agree_are_counted_once_and_said(trials):
    result = trials(SCORES + "m1 s2 -0.5\n", KEY + KEY)
    assert result.score.tolist() == [2.5, -0.5, -1, 1.5]
    assert "1 lines repeat a pair with the same score and are counted once" in result.notes


def test_ids_that_look_like_flags_stand_beside_words(trials):
    assert trials("1 a 0.5\n0 a 0.25\n", "1 a target\n0 a nontarget\n").mated.tolist() == [True, False]


def test_a_header_of_distances_means_dissimilarities(trials):
    assert trials("model segment distance\n" + SCORES, KEY).dissimilarity
    assert not trials("model segment distance\n" + SCORES, KEY, dissimilarity=False).dissimilarity


def test_scores_line_by_line_belong_to_the_trials_of_the_key(trials):
    result = trials("0.75\n0.125\n0.5\n", VOXCELEB)
    assert result.score.tolist() == [0.75, 0.125, 0.5]
    assert result.mated.tolist() == [True, False, True]
    assert names(result.samples, "reference") == ["id1/v/1.wav", "id1/v/1.wav", "id2/v/1.wav"]


def test_speakers_are_read_off_the_names_where_every_flag_agrees(trials):
    result = trials("0.75\n0.125\n0.5\n", VOXCELEB)
    assert names(result.subjects, "probe") == ["id1", "id2", "id2"]
    assert "the speakers are read off the names of the samples, and agree with the key" in result.notes
    contradicted = trials("0.75\n0.125\n0.5\n", VOXCELEB.replace("0 ", "1 "))
    assert contradicted.subjects is None


def test_a_trial_that_is_repeated_in_the_list_of_trials_counts_each_time(trials):
    result = trials("0.75\n0.125\n0.5\n0.75\n", VOXCELEB + VOXCELEB.split("\n")[0] + "\n")
    assert len(result) == 4
    assert "1 lines of" in result.notes[1]


def test_a_table_of_sample_and_subject_stands_for_a_key_and_names_subjects(trials, tmp_path):
    (tmp_path / "ids.csv").write_text("sample,subject\nm1,ann\ns1,ann\nm2,bob\ns2,bob\n")
    result = trials(SCORES, ids=tmp_path / "ids.csv", format="trials")
    assert result.mated.tolist() == [True, False, False, True]
    assert result.subjects.names == ("ann", "bob")
    assert trials(SCORES, KEY, ids=tmp_path / "ids.csv").subjects.names == ("ann", "bob")


def test_ids_that_contradict_the_key_or_lack_a_sample_are_refused(refusal, tmp_path):
    (tmp_path / "ids.csv").write_text("sample,subject\nm1,ann\ns1,bob\nm2,bob\ns2,bob\n")
    assert "comparison 1 is marked mated, but its subjects differ" in refusal(SCORES, KEY, ids=tmp_path / "ids.csv")
    (tmp_path / "ids.csv").write_text("sample,subject\nm1,ann\ns1,bob\nm2,bob\n")
    message = refusal(SCORES, ids=tmp_path / "ids.csv", format="trials")
    assert "ids.csv has no sample for line 2 of" in message


def test_the_format_needs_a_key(refusal):
    assert "does not say which comparisons are mated; give a key with key= (--key)" in refusal(SCORES, format="trials")


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("m1 s1 target\nm1 s2 nontarget\n", "scores.txt, line 3: the trial has no line in"),
        (KEY + "m3 s1 nontarget\n", "key.txt, line 5: the pair has no score in"),
        (KEY + "m1 s1 nontarget\n", "key.txt, line 5: the pair stands also in"),
        (
            KEY.replace("m2 s2 target", "m2 s2 taget"),
            "key.txt, line 2, column 'target or nontarget': this does not say",
        ),
        (KEY.replace("m2 s2 target", "m2 s2"), "key.txt, line 2 has 2 fields instead of 3"),
        (KEY.replace("m2 s2 target", "m2,s2,target"), "key.txt, line 2 has 1 field instead of 3; it has ','"),
        ("m1 s1 x target\n", "key.txt has 4 columns, and a key has three"),
        ("1 m1 1\n0 m1 0\n", "key.txt: the first and the last column could each say"),
        ("", "key.txt is empty"),
    ],
)
def test_a_key_that_does_not_fit_is_refused_with_its_place(refusal, key, expected):
    assert expected in refusal(SCORES, key)


def test_the_number_of_missing_lines_is_said(refusal):
    assert "(2 such trials)" in refusal(SCORES, "m1 s1 target\nm1 s2 nontarget\n")
    assert "(2 such pairs)" in refusal(SCORES, KEY + "m3 s1 nontarget\nm3 s2 target\n")


def test_trials_without_a_score_count_as_failures_where_that_is_said(trials):
    result = trials(SCORES, KEY + "m3 s1 nontarget\nm3 s3 target\n", nan="failure")
    tally = result.tally()
    assert (tally.mated_failures, tally.nonmated_failures) == (1, 1)
    assert "2 pairs of the key have no score and count as failures" in result.notes


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        (SCORES + "m1 s1 2.25\n", "scores.txt, line 5: the pair stands also in"),
        (SCORES.replace("2.5", "high"), "scores.txt, line 1, column 'score': the score 'high' is not a number"),
        (SCORES.replace("-0.5", "high"), "scores.txt, line 2, column 'score': the score 'high' is not a number"),
        (SCORES.replace("-0.5", "nan"), "scores.txt, line 2: the score is NaN; "),
        (SCORES.replace("m2 s1 -1", "m2 -1"), "scores.txt, line 3 has 2 fields instead of 3"),
        (SCORES.replace("m2 s1 -1", "m2;s1;-1"), "scores.txt, line 3 has 1 field instead of 3; it has ';'"),
        ("m1 s1\n", "scores.txt, line 1 has 2 fields, and trials have three"),
        ("m1 s1 x 0.5\n", "scores.txt, line 1 has 4 fields, and trials have three"),
        ("NA s1 0.5\n", "scores.txt, line 1, column 'column 1': 'NA' names no sample"),
    ],
)
def test_scores_that_are_broken_are_refused_with_their_place(refusal, scores, expected):
    assert expected in refusal(scores, KEY)


def test_a_pair_with_two_scores_is_told_from_one_that_failed(refusal, trials):
    assert "line 5: the pair stands also in" in refusal(SCORES + "m1 s1 nan\n", KEY, nan="failure")
    result = trials(SCORES.replace("2.5", "nan") + "m1 s1 nan\n", KEY, nan="failure")
    assert result.tally().mated_failures == 1


def test_lists_of_another_length_are_refused(refusal):
    assert "has 2 scores and " in refusal("0.5\n0.25\n", VOXCELEB)
    assert "every score of" in refusal("0.5\n0.25\n", "a b\nc d\n", format="trials")
    assert "has one column; give the trials with key=" in refusal("0.5\n0.25\n", format="trials")
    assert "scores.txt, line 2: the score is NaN" in refusal("0.5\nnan\n1\n", VOXCELEB)


def test_a_key_in_place_of_scores_is_met_with_advice(tmp_path):
    for text in (KEY, VOXCELEB):
        (tmp_path / "key.txt").write_text(text)
        with pytest.raises(MatedError, match=r"if it is a key of trials, read the file of their scores.*--key"):
            read(tmp_path / "key.txt")


def test_trials_read_as_a_table_of_subjects_point_to_the_key(tmp_path):
    (tmp_path / "scores.txt").write_text(SCORES)
    assert any("give the key of their pairs with --key" in note for note in read(tmp_path / "scores.txt").notes)


def test_columns_are_refused(refusal):
    assert "read as trials, without a column for score" in refusal(SCORES, KEY, columns=Columns(score=3))


# -- true pairs ------------------------------------------------------------------------------------

QUERIES = "q1 t1 0.9\nq1 t2 0.1\nq1 t3 0.2\nq2 t1 0.7\nq2 t2 0.6\nq2 t3 0.3\nq3 t1 0.2\nq3 t2 0.4\nq3 t3 0.1\n"
TRUE_PAIRS = "q1 t1\nq2 t2\n"


def test_true_pairs_are_mated_and_every_other_pair_is_not(trials):
    """Worked by hand: q1 finds t1 first, q2 finds t2 after t1, q3 has no true template and searches the open set."""
    result = trials(QUERIES, TRUE_PAIRS)
    assert np.flatnonzero(result.mated).tolist() == [0, 4]
    assert names(result.samples, "probe")[:3] == ["q1"] * 3
    ranks = rank(result)
    assert (ranks.n_mated, ranks.n_open, ranks.gallery_size) == (2, 1, 3)
    assert ranks.above.tolist() == [0, 1]
    assert ranks.open_best.tolist() == [0.4]
    assert result.notes == ("read as scores of pairs: query, template and score",)


def test_a_header_over_true_pairs_is_dropped_and_a_pair_that_resembles_one_is_not(trials, refusal):
    assert trials(QUERIES, "query template\n" + TRUE_PAIRS).mated.sum() == 2
    scores = "query1 template1 0.9\nquery1 template2 0.1\n"
    assert trials(scores, "query1 template1\n").mated.tolist() == [True, False]


def test_a_true_pair_without_a_score_is_refused_or_counted_as_a_failure(trials, refusal):
    pairs = TRUE_PAIRS + "q3 t9\n"
    assert "key.txt, line 3: the pair has no score in" in refusal(QUERIES, pairs)
    result = trials(QUERIES, pairs, nan="failure")
    assert result.tally().mated_failures == 1
    assert rank(result).failed_mates == 1


def test_true_pairs_of_queries_that_were_not_made_are_left_out_and_said(trials):
    result = trials(QUERIES, TRUE_PAIRS + "q8 t1\nq9 t1\n")
    assert "2 true pairs are of probes without any score and are left out" in result.notes


def test_random_trials_are_flagged_as_a_dictionary_would(trials):
    """A twin by a dictionary: scores and key in different orders, a thousand trials."""
    draw = random.Random(3)
    pairs = [(f"m{i}", f"s{j}") for i in range(25) for j in range(40)]
    truth = {pair: draw.random() < 0.2 for pair in pairs}
    value = {pair: round(draw.gauss(0, 1), 3) for pair in pairs}
    key = "".join(f"{m} {s} {'target' if truth[m, s] else 'nontarget'}\n" for m, s in draw.sample(pairs, len(pairs)))
    order = draw.sample(pairs, len(pairs))
    result = trials("".join(f"{m} {s} {value[m, s]}\n" for m, s in order), key)
    assert result.mated.tolist() == [truth[pair] for pair in order]
    assert result.score.tolist() == [value[pair] for pair in order]
