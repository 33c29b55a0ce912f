"""`mated.identify`: what it reads off a search, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import mated
from mated.errors import MatedError
from mated.scores import Comparisons, ScoreMatrix
from mated.synthetic import GaussianIdentities


def gallery(open_set=True):
    """Four enrolled people, one of them with two references; five probes of them, two of strangers.

    Ranks by hand. p1 (a): a 9 against 5, 2, 4, so rank 1. p2 (b): its best reference 6, c also 6, so rank 1 or 2.
    p3 (c): 3 below a 7 and b 4, rank 3. p4 (d): rank 1. p5 (a): 2 below b 8, c 5, d 3, rank 4. Strangers' best: 7, 4.
    """
    references = ["a1", "b1", "b2", "c1", "d1"]
    owners = ["a", "b", "b", "c", "d"]
    rows = {
        ("p1", "a"): [9, 5, 1, 2, 4],
        ("p2", "b"): [1, 3, 6, 6, 2],
        ("p3", "c"): [7, 4, 0, 3, 1],
        ("p4", "d"): [0, 2, 1, 5, 8],
        ("p5", "a"): [2, 1, 8, 5, 3],
        ("p6", "x"): [4, 7, 2, 1, 0],
        ("p7", "y"): [4, 1, 2, 3, 1],
    }
    if not open_set:
        rows = {key: row for key, row in rows.items() if key[1] not in "xy"}
    return ScoreMatrix.from_arrays(
        np.array(list(rows.values())),
        [subject for _, subject in rows],
        owners,
        probe_sample=[probe for probe, _ in rows],
        reference_sample=references,
    )


class TestByHand:
    found = mated.identify(gallery(), ranks=[1, 2, 3, 4], fpir=0.5, threshold=[5, 8], replicates=50)

    def test_the_cmc(self):
        assert self.found.cmc(1) == pytest.approx((1 + 0.5 + 0 + 1 + 0) / 5)
        assert self.found.cmc([2, 3, 4]).tolist() == pytest.approx([0.6, 0.8, 1.0])
        assert self.found.cmc.mean_rank == pytest.approx((1 + 1.5 + 3 + 1 + 4) / 5)

    def test_all_three_rules_for_ties_where_they_differ(self):
        first, second = self.found.to_dict()["cmc"][:2]
        assert (first["rate_optimistic"], first["rate_pessimistic"]) == (0.6, 0.4)
        assert (second["rate_optimistic"], second["rate_pessimistic"]) == (0.6, 0.6)
        optimistic = mated.identify(gallery(), ties="optimistic").to_dict()
        assert optimistic["cmc"][0]["rate"] == 0.6

    def test_the_open_set(self):
        # At 5: mates 9, 6, 8 are at or above it; p2 is at rank 1 half the time. Strangers: 7 is, 4 is not.
        point, fpir, fnir = self.found.at_threshold(5)
        assert (point.fpir, point.fnir) == (0.5, pytest.approx(1 - 2.5 / 5))
        assert fpir.low < 0.5 < fpir.high
        assert fnir.low < 0.5 < fnir.high
        # FPIR ≤ 0.5 lets one stranger in: the lowest such threshold is 5.
        assert (self.found.at_fpir(0.5).point.threshold, self.found.at_fpir(0.5).point.fnir) == (5, 0.5)

    def test_the_watch_list_and_the_prior(self):
        assert self.found.watch_list(2).found == pytest.approx(0.6)
        assert self.found.watch_list(4, 5).flagged == 0.5
        assert self.found.prior_weighted_cmc()[0] == pytest.approx(0.5 * 5 / 7)

    def test_the_dictionary_counts_what_was_searched(self):
        result = self.found.to_dict()
        assert result["gallery_size"] == 4
        assert result["probes"] == {
            "mated": 5,
            "open_set": 2,
            "subjects": 6,
            "failed_mates": 0,
            "unsearched": 0,
            "missing": 0,
        }
        assert [entry["rank"] for entry in result["rank_probabilities"]] == [1, 2, 3, 4]
        assert sum(entry["probability"] for entry in result["rank_probabilities"]) == pytest.approx(1)
        assert result["ties"] == {"rule": "expected", "probes": 1}

    def test_it_shows_itself(self):
        assert "rank-1 rate 0.5" in repr(self.found)
        assert "<table>" in self.found._repr_html_()
        assert self.found.to_frame()["rate"].to_list() == pytest.approx([0.5, 0.6, 0.8, 1.0])


def test_a_table_gives_what_its_matrix_gives():
    people = GaussianIdentities().draw(15, 3, rng=4)
    matrix, table = (
        mated.identify(layout, replicates=0).to_dict() for layout in (people.matrix(), people.comparisons())
    )
    for result in (matrix, table):
        result.pop("notes")
    assert matrix == table


def test_tests_without_strangers_can_leave_out_the_mate():
    found = mated.identify(gallery(open_set=False), fpir=0.4, probes="mate removed", replicates=20)
    # Best others by hand: 5, 6, 7, 5, 8. At most two of five may be reached: the lowest such threshold is 7.
    point = found.at_fpir(0.4).point
    assert (point.threshold, point.errors_open) == (7, 2)
    assert any("smaller by one" in remark for remark in found.remarks)


def test_the_same_seed_gives_the_same_numbers():
    one, same, other = (mated.identify(gallery(), fpir=0.5, replicates=40, rng=seed).to_dict() for seed in (3, 3, 4))
    assert one == same
    assert one["uncertainty"] != other["uncertainty"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ranks": 5}, "rank"),
        ({"ranks": 1.5}, "whole numbers"),
        ({"ties": "random"}, "ties must be"),
        ({"level": 1.0}, "level"),
        ({"fpir": 0.0}, "false positive identification rate"),
        ({"replicates": 1}, "two replicates"),
        ({"symmetric": "maybe"}, "symmetric"),
        ({"length": 9}, "rank"),
    ],
)
def test_a_wrong_option_is_one_sentence(options, words):
    with pytest.raises(MatedError, match=words):
        mated.identify(gallery(), **options)


def test_open_set_numbers_without_strangers_are_refused():
    with pytest.raises(MatedError, match="open-set"):
        mated.identify(gallery(open_set=False), fpir=0.1)


def test_scores_without_samples_are_refused():
    table = Comparisons.from_arrays([3, 2, 1, 0], probe_subject=[1, 1, 1, 2], reference_subject=[1, 1, 2, 2])
    with pytest.raises(MatedError, match="probe_sample"):
        mated.identify(table)


@pytest.mark.parametrize("stream", [False, True])
def test_mated_comparisons_alone_identify_nobody(tmp_path, stream):
    """Every mate would rank first, whatever the system: nobody else was compared."""
    header = "score,probe_sample,reference_sample,probe_subject,reference_subject"
    lines = [f"{k},{who}{k},{who}r,{who},{who}" for who in "ab" for k in range(3)]
    (tmp_path / "mated.csv").write_text("\n".join([header, *lines]))
    with pytest.raises(MatedError, match="no probe has a score with anybody but its mate"):
        mated.identify(tmp_path / "mated.csv", stream=stream)
