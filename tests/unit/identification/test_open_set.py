"""FPIR and FNIR: hand examples, thresholds in the user's scoring system, what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mated.errors import MatedError
from mated.identification.cmc import cmc
from mated.identification.open_set import (
    open_set_at_fpir,
    open_set_at_threshold,
    open_set_curve,
    open_set_tally,
    watch_list,
)
from search_brute_force import counted, ranks_of

# Gallery of three. Mates: a leads with 9; b ties with one at 6; c scores 4 behind an 8; d leads with 3.
MATED = [(9.0, [2.0, 1.0]), (6.0, [6.0, 1.0]), (4.0, [8.0, 1.0]), (3.0, [2.0, 0.0])]
# Best scores of five people who are not enrolled: 7, 5, 4, 2, 1.
OPEN = [[7.0, 1.0, 0.0], [5.0, 5.0, 2.0], [4.0, 0.0, 0.0], [2.0, 2.0, 1.0], [1.0, 0.0, 0.0]]


class TestAHandExample:
    def test_counts_both_errors_at_a_threshold(self):
        # At 4: 7, 5 and 4 let someone in. a is found, b in half of all orders, c ranks second, d scores 3.
        point = open_set_at_threshold(ranks_of(MATED, OPEN), 4)
        assert (point.fpir, point.errors_open, point.n_open) == (3 / 5, 3, 5)
        assert (point.fnir, point.errors_mated, point.n_mated) == (2.5 / 4, 2.5, 4)
        assert (point.below_threshold, point.tpir, point.threshold) == (1, 1.5 / 4, 4)

    @pytest.mark.parametrize(("ties", "errors"), [("optimistic", 2), ("pessimistic", 3), ("expected", 2.5)])
    def test_ties_across_the_rank_follow_the_named_rule(self, ties, errors):
        point = open_set_at_threshold(ranks_of(MATED, OPEN), 4, ties=ties)
        assert point.errors_mated == errors
        assert isinstance(point.errors_mated, float if ties == "expected" else int)

    def test_a_longer_list_finds_more(self):
        ranks = ranks_of(MATED, OPEN)
        assert open_set_at_threshold(ranks, 4, 2).errors_mated == 1
        assert open_set_at_threshold(ranks, 4, None).errors_mated == 1
        assert open_set_at_threshold(ranks, 3, None).errors_mated == 0

    @pytest.mark.parametrize(
        ("fpir", "threshold", "observed", "errors"),
        # One of five allowed: threshold one unit above 5. Two: above 4. Less than one: above 7.
        [(0.2, 6, 0.2, 2.5), (0.39, 6, 0.2, 2.5), (0.4, 5, 0.4, 2.5), (0.1, 8, 0.0, 3)],
    )
    def test_takes_the_smallest_threshold_within_an_fpir(self, fpir, threshold, observed, errors):
        point = open_set_at_fpir(ranks_of(MATED, OPEN), fpir)
        assert (point.threshold, point.fpir, point.errors_mated, point.target) == (threshold, observed, errors, fpir)
        assert isinstance(point.threshold, int)

    def test_curve_goes_from_nobody_to_everybody(self):
        curve = open_set_curve(ranks_of(MATED, OPEN))
        # Scores 9, 7, 6, 5, 4, 3, 2, 1 after the threshold that nothing reaches.
        assert curve.threshold.tolist() == [math.inf, 9.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]
        assert curve.fpir.tolist() == [0, 0, 0.2, 0.2, 0.4, 0.6, 0.6, 0.8, 1.0]
        assert curve.fnir.tolist() == [1, 0.75, 0.75, 0.625, 0.625, 0.625, 0.375, 0.375, 0.375]
        assert curve.fnir[-1] == cmc(ranks_of(MATED)).misidentification(1)

    def test_curve_is_read_as_a_staircase(self):
        curve = open_set_curve(ranks_of(MATED, OPEN))
        assert curve(0.39) == 0.625
        assert curve([0, 0.2, 1]).tolist() == [0.75, 0.625, 0.375]

    def test_mates_removed_give_an_fpir_where_nobody_else_searches(self):
        # The best others of the four are 2, 6, 8, 2, in a gallery of two.
        point = open_set_at_threshold(ranks_of(MATED), 6, probes="mate removed")
        assert (point.fpir, point.errors_open, point.n_open, point.gallery_size) == (0.5, 2, 4, 2)
        assert "without their mate, smaller by one" in point.caution
        assert open_set_at_threshold(ranks_of(MATED, OPEN), 6).gallery_size == 3


class TestWatchList:
    def test_without_a_threshold_is_right_with_the_cmc_and_flags_everybody(self):
        decision = watch_list(ranks_of(MATED, OPEN), 2)
        assert (decision.found, decision.missed, decision.flagged) == (1.0, 0.0, 1.0)
        assert watch_list(ranks_of(MATED, OPEN), 1).found == cmc(ranks_of(MATED))(1)

    def test_with_a_threshold_is_an_open_set_search(self):
        decision, point = watch_list(ranks_of(MATED, OPEN), 1, 4), open_set_at_threshold(ranks_of(MATED, OPEN), 4)
        assert (decision.found, decision.missed, decision.flagged) == (point.tpir, point.fnir, point.fpir)

    def test_without_open_set_probes_says_nothing_of_them(self):
        assert watch_list(ranks_of(MATED), 1, 4).flagged is None


class TestScoringSystems:
    def test_dissimilarities_come_back_as_they_were_given(self):
        ranks = ranks_of(MATED, OPEN, dissimilarity=True)  # the user's scores are −9, −6, …
        assert open_set_at_fpir(ranks, 0.4).threshold == -5
        assert isinstance(open_set_at_fpir(ranks, 0.4).threshold, int)
        assert open_set_at_threshold(ranks, -4).fpir == 3 / 5
        assert open_set_curve(ranks).threshold.tolist()[:3] == [-math.inf, -9.0, -7.0]

    def test_decimals_stay_decimals(self):
        tenths = [(m / 10, [o / 10 for o in others]) for m, others in MATED], [[s / 10 for s in row] for row in OPEN]
        assert open_set_at_fpir(ranks_of(*tenths), 0.2).threshold == 0.6
        assert open_set_at_fpir(ranks_of(*tenths, unit="continuous"), 0.1).threshold == 0.9

    def test_a_unit_is_seen_in_every_score_that_is_known(self):
        # Mates and best candidates are whole; the best other of the first is not.
        ranks = ranks_of([(9.0, [2.5, 1.0]), *MATED[1:]], OPEN)
        assert open_set_at_fpir(ranks, 0.2).threshold == pytest.approx(5.1)

    def test_single_precision_is_compared_as_such(self):
        ranks = ranks_of([(1 / 3, [0.1])] * 3, [[0.1, 0.2]], unit="continuous")
        fields = {name: getattr(ranks, name).astype(np.float32) for name in ("mate_score", "best_other", "open_best")}
        single = counted(
            ranks.above, ranks.tied, gallery_size=2, open_subject=ranks.open_subject, open_others=ranks.open_others,
            unit="continuous", **fields,
        )  # fmt: skip
        assert open_set_at_threshold(single, 0.2).fpir == 1.0
        assert open_set_at_fpir(single, 0.5).threshold == 0.33333334

    def test_a_mate_that_failed_is_found_by_no_number(self):
        ranks = ranks_of([(-math.inf, [0.0, 1.0]), (5.0, [0.0, 1.0])], [[1.0, 2.0, 3.0]])
        assert open_set_at_threshold(ranks, -1e300, None).fnir == 0.5


class TestRealScores:
    @pytest.mark.parametrize(
        ("name", "rate", "alarms"), [("", 1.0, 0.0), ("-one-error", 6 / 7, 0.0), ("-two-errors", 6 / 7, 0.5)]
    )
    def test_bob_s_open_set_toys(self, reference_data, name, rate, alarms):
        # bob.measure 6.1: detection-and-identification rate at rank 1 and false-alarm rate at threshold .5.
        path = reference_data / "bob" / f"scores-cmc-4col-open-set{name}.txt"
        probes: dict[str, tuple[str, dict[str, float]]] = {}
        for claimed, real, label, score in (line.split() for line in path.read_text().splitlines()):
            probes.setdefault(label, (real, {}))[1][claimed] = float(score)
        mated = [(s[real], [x for who, x in s.items() if who != real]) for real, s in probes.values() if real in s]
        strangers = [list(s.values()) for real, s in probes.values() if real not in s]
        point = open_set_at_threshold(ranks_of(mated, strangers), 0.5)
        assert point.tpir == pytest.approx(rate, rel=1e-15)
        assert point.fpir == alarms


class TestCautions:
    def test_a_target_below_what_the_probes_resolve(self):
        point = open_set_at_fpir(ranks_of(MATED, OPEN), 0.1)
        assert "5 searches without a mate can speak of false positive identification rates down to 0.2" in point.caution

    def test_few_errors_are_named(self):
        point = open_set_at_threshold(ranks_of(MATED, OPEN), 8)
        assert point.caution == "no false positives; only 3 missed mates"
        assert "only 1 false positive;" in open_set_at_threshold(ranks_of(MATED, OPEN), 6).caution

    def test_a_threshold_outside_the_scores(self):
        assert "which run from 1 to 9" in open_set_at_threshold(ranks_of(MATED, OPEN), 50).caution

    def test_enough_errors_need_none(self):
        ranks = ranks_of(MATED * 40, OPEN * 40)
        assert open_set_at_threshold(ranks, 4).caution is None
        assert open_set_at_fpir(ranks, 0.2).caution is None


class TestWhatIsRefused:
    def test_an_fpir_without_open_set_probes_says_what_to_do(self):
        with pytest.raises(MatedError, match=r"no open-set probes.*probes='mate removed'"):
            open_set_at_threshold(ranks_of(MATED), 4)

    def test_a_search_without_mated_probes(self):
        with pytest.raises(MatedError, match="no probe has its identity in the gallery"):
            open_set_curve(ranks_of([], OPEN))

    @pytest.mark.parametrize("threshold", [math.nan, "high", None])
    def test_thresholds_that_are_no_number(self, threshold):
        with pytest.raises(MatedError, match="a threshold must be a number"):
            open_set_at_threshold(ranks_of(MATED, OPEN), threshold)

    @pytest.mark.parametrize("fpir", [0, 1, -0.1, "few"])
    def test_targets_that_are_no_rate(self, fpir):
        with pytest.raises(MatedError, match="an FPIR must"):
            open_set_at_fpir(ranks_of(MATED, OPEN), fpir)

    @pytest.mark.parametrize("rank", [0, 4, 1.5])
    def test_ranks_that_the_gallery_does_not_have(self, rank):
        with pytest.raises(MatedError, match="a whole number from 1 to 3"):
            open_set_at_threshold(ranks_of(MATED, OPEN), 4, rank)

    def test_probes_of_another_kind(self):
        with pytest.raises(MatedError, match="'open' or 'mate removed', not 'closed'"):
            open_set_at_threshold(ranks_of(MATED, OPEN), 4, probes="closed")

    def test_a_gallery_that_is_empty_without_the_mate(self):
        with pytest.raises(MatedError, match="a gallery of one identity"):
            open_set_tally(ranks_of([(1.0, [])]), "mate removed")

    def test_an_fpir_that_infinite_scores_make_impossible(self):
        ranks = ranks_of(MATED, [[math.inf, 0.0, 0.0], [1.0, 0.0, 0.0]])
        with pytest.raises(
            MatedError, match=r"no threshold keeps FPIR at 0\.1: 1 of 2 searches without a mate scored infinity"
        ):
            open_set_at_fpir(ranks, 0.1)
        assert open_set_at_fpir(ranks, 0.5).fpir == 0.5
