"""Differences between systems: the same draw for both, alignment by ids, and honest refusals."""

from __future__ import annotations

import numpy as np
import pytest

import mated
from mated.errors import MatedError
from mated.evaluation.resampling import SubjectResampling
from mated.scores import Comparisons
from mated.synthetic import GaussianIdentities
from mated.verification import area_under_roc, at_fmr, equal_error_rate


@pytest.fixture(scope="module")
def people():
    return GaussianIdentities().draw(25, 4, rng=5)


@pytest.fixture(scope="module")
def tables(people):
    return people.comparisons("llr", decimals=2), people.comparisons("cosine", decimals=3)


def without_subjects(table, rows=None, *, turned=False):
    """The same comparisons known by their samples alone, in another order, with the sides exchanged if asked."""
    rows = np.arange(len(table)) if rows is None else rows
    names = np.array(table.samples.names)
    sides = [names[table.samples.probe[rows]], names[table.samples.reference[rows]]]
    probe, reference = sides[::-1] if turned else sides
    return Comparisons.from_arrays(table.score[rows], table.mated[rows], probe_sample=probe, reference_sample=reference)


def numbers(result):
    return [(d.statistic, d.difference, d.se, d.low, d.high, d.p_value) for d in result.differences]


def test_differences_of_paired_replicates_are_those_of_the_same_subjects(tables):
    a, b = (mated.verify(t) for t in tables)
    result = mated.compare(a, b, fmr=[0.1], replicates=300, rng=4)
    by_name = {d.statistic: d for d in result.differences}
    drawn = [SubjectResampling(v.tally, v.subject_pairs, 300, 4) for v in (a, b)]
    assert np.array_equal(drawn[0].weights, drawn[1].weights)
    eer = drawn[0].eer()[0] - drawn[1].eer()[0]
    assert by_name["eer"].difference == a.eer().value - b.eer().value
    assert by_name["eer"].se == np.std(eer, ddof=1)
    fnmr = drawn[1].at_fmr([0.1])[0][:, 0] - drawn[0].at_fmr([0.1])[0][:, 0]
    assert by_name["fnmr at fmr 0.1"].se == pytest.approx(np.std(fnmr, ddof=1))
    tail = min((eer <= 0).sum(), (eer >= 0).sum())
    assert by_name["eer"].p_value == min(1, 2 * (tail + 1) / 301)
    assert by_name["eer"].method == "paired pigeonhole bootstrap"


def test_the_order_of_the_rows_does_not_matter(tables):
    a, b = tables
    shuffled = b.take(np.random.default_rng(0).permutation(len(b)))
    assert numbers(mated.compare(a, b, replicates=200, rng=1)) == numbers(
        mated.compare(a, shuffled, replicates=200, rng=1)
    )


def test_exchanging_the_systems_turns_the_differences_round(tables):
    one, other = (mated.compare(*pair, replicates=200, rng=1) for pair in (tables, tables[::-1]))
    for d, e in zip(one.differences, other.differences, strict=True):
        assert (d.difference, d.p_value) == (-e.difference, e.p_value)
        assert (d.low, d.high) == pytest.approx((-e.high, -e.low), abs=1e-15)


def test_comparisons_without_subjects_are_paired_by_their_samples(tables):
    a, b = tables
    rows = np.random.default_rng(1).permutation(len(b))
    result = mated.compare(without_subjects(a), without_subjects(b, rows, turned=True), fmr=[0.1], replicates=60, rng=3)
    # The same draws by hand: a stream for each replicate, then plain counting of the drawn comparisons.
    from mated.scores import Tally
    from mated.uncertainty.streams import block_generator

    mated_rows, other_rows = np.flatnonzero(a.mated), np.flatnonzero(~a.mated)
    units = [t.tally().unit for t in (a, b)]
    drawn = {"eer": [], "auc": [], "fnmr at fmr 0.1": []}
    for replicate in range(60):
        rng = block_generator(3, "aligned", replicate)
        m = mated_rows[rng.integers(len(mated_rows), size=len(mated_rows))]
        n = other_rows[rng.integers(len(other_rows), size=len(other_rows))]
        pair = [Tally.from_scores(t.score[m], t.score[n], unit=u) for t, u in zip((a, b), units, strict=True)]
        drawn["eer"].append(np.subtract(*(equal_error_rate(t).value for t in pair)))
        drawn["auc"].append(np.subtract(*(area_under_roc(t) for t in pair)))
        drawn["fnmr at fmr 0.1"].append(np.subtract(*(at_fmr(t, 0.1).fnmr for t in pair)))
    for d in result.differences:
        assert d.method == "paired bootstrap of comparisons"
        assert d.se == pytest.approx(np.std(drawn[d.statistic], ddof=1), abs=1e-12)
        assert "presumes independent comparisons" in d.caution


def test_a_system_compared_with_itself_shows_no_difference(tables):
    result = mated.compare(tables[0], tables[0], replicates=100, rng=1)
    *resampled, ranked = result.differences
    for d in resampled:
        assert (d.difference, d.low, d.p_value) == (0, None, None)
        assert "do not differ" in d.caution
    assert (ranked.statistic, ranked.difference, ranked.p_value) == ("rank 1", 0, 1)
    assert ranked.low < 0 < ranked.high


def test_tests_that_share_nobody_are_taken_as_independent(tables):
    other = GaussianIdentities().draw(25, 4, rng=6)
    table = other.comparisons("llr", decimals=2)
    names = np.array(["q" + n for n in table.subjects.names])
    renamed = Comparisons.from_arrays(
        table.score,
        probe_subject=names[table.subjects.probe],
        reference_subject=names[table.subjects.reference],
    )
    result = mated.compare(tables[0], renamed, replicates=200, rng=1)
    assert {d.method for d in result.differences} == {"independent bootstraps"}
    eer = next(d for d in result.differences if d.statistic == "eer")
    alone = [mated.verify(t).bootstrap(200, rng=9).eer().eer.se for t in (tables[0], renamed)]
    assert eer.se == pytest.approx(np.hypot(*alone), rel=0.25)  # 200 replicates: each SE to about 5 %


def test_unpaired_differences_of_the_same_people_are_wider(tables):
    paired, unpaired = (mated.compare(*tables, replicates=500, rng=1, paired=p) for p in ("auto", "no"))
    assert paired.differences[0].se < unpaired.differences[0].se


def test_several_systems_are_corrected_and_ranked(people, tables):
    rng = np.random.default_rng(3)
    noise = Comparisons.from_arrays(
        rng.normal(size=len(tables[0])),
        probe_subject=np.array(tables[0].subjects.names)[tables[0].subjects.probe],
        reference_subject=np.array(tables[0].subjects.names)[tables[0].subjects.reference],
    )
    result = mated.compare(*tables, noise, names=("llr", "cosine", "noise"), replicates=300, rng=1)
    eers = [d for d in result.differences if d.statistic == "eer"]
    assert len(eers) == 3
    assert all(d.p_adjusted >= d.p_value for d in eers)
    ranking = result.rankings["eer"]
    assert ranking.names[-1] == "noise"
    assert not set(ranking.letters[-1]) & set(ranking.letters[0])
    assert result.to_frame().height == len(result.differences)


class TestRefusals:
    def test_one_system_is_none_to_compare(self, tables):
        with pytest.raises(MatedError, match="two systems or more"):
            mated.compare(tables[0])

    def test_subjects_that_overlap_in_part_are_named(self, tables):
        a, b = tables
        kept = (b.subjects.probe != 3) & (b.subjects.reference != 3)
        with pytest.raises(MatedError, match="share 24 subjects but not all: b lacks 1, the first of them 'p04'"):
            mated.compare(mated.verify(a, name="a"), mated.verify(b.take(kept), name="b"))

    def test_comparisons_that_only_one_test_has_are_named(self, tables):
        a, b = tables
        fewer = without_subjects(b, np.arange(1, len(b)))
        with pytest.raises(MatedError, match="b lacks 1, the first of them of samples p01-1 and p01-2"):
            mated.compare(mated.verify(without_subjects(a), name="a"), mated.verify(fewer, name="b"))

    def test_flags_that_contradict_each_other_are_refused(self, tables):
        a = without_subjects(tables[0])
        flags = a.mated.copy()
        flags[0] = ~flags[0]
        names = np.array(a.samples.names)
        b = Comparisons.from_arrays(
            a.score, flags, probe_sample=names[a.samples.probe], reference_sample=names[a.samples.reference]
        )
        with pytest.raises(MatedError, match="do not agree whether the comparison of samples p01-1 and p01-2 is mated"):
            mated.compare(a, b)

    def test_pairs_listed_twice_cannot_be_aligned(self, tables):
        a = without_subjects(tables[0], np.r_[0, 0, np.arange(len(tables[0]))])
        with pytest.raises(MatedError, match="more than once"):
            mated.compare(a, a)

    def test_pairing_without_ids_is_refused_when_insisted_on(self):
        with pytest.raises(MatedError, match="cannot be paired"):
            mated.compare(mated.verify([2, 3], [0, 1]), mated.verify([2, 3], [0, 2]), paired="yes")


def test_equal_systems_are_seldom_told_apart_and_unequal_ones_often():
    """A small version of `mated reproduce paired`; at 5 % and 60 pairs more than 9 false alarms have p < 0.2 %."""
    from mated.reproduce.paired import simulate

    null = [simulate((0.3, 0.3), k, subjects=30, samples=4) for k in range(60)]
    for statistic in range(2):
        assert sum(d[statistic].p_value < 0.05 for d in null) <= 9
    apart = [simulate((0.2, 0.8), k, subjects=30, samples=4) for k in range(10)]
    assert sum(d[0].p_value < 0.05 for d in apart) >= 8


class TestRankOne:
    def test_is_the_difference_of_the_ranks_by_hand(self, people, tables):
        found = {d.statistic: d for d in mated.compare(*tables, fmr=0.1, replicates=20, rng=1).differences}["rank 1"]
        rates = []
        for scorer, decimals in (("llr", 2), ("cosine", 3)):
            scores = np.array(people.matrix(scorer, decimals=decimals).scores, dtype=float)
            np.fill_diagonal(scores, -np.inf)
            own = people.subject[:, None] == people.subject[None, :]
            mate, other = (np.where(same, scores, -np.inf).max(axis=1) for same in (own, ~own))
            tied = [len(set(people.subject[~own[k] & (scores[k] == mate[k])])) for k in range(len(scores))]
            rates.append(np.mean((mate >= other) / (1 + np.array(tied))))
        assert (found.a, found.b) == pytest.approx(rates)
        assert found.low <= found.difference <= found.high
        assert found.difference == pytest.approx(rates[0] - rates[1])

    def test_is_left_out_where_the_probes_are_not_the_same(self, tables):
        fewer = tables[1].take(np.arange(len(tables[1])) >= len(tables[1]) // 3)
        assert "rank 1" not in {
            d.statistic for d in mated.compare(tables[0], fewer, fmr=0.1, paired="no", replicates=20).differences
        }

    def test_is_better_when_high(self, tables):
        ranked = mated.compare(*tables, fmr=0.1, replicates=20, rng=1).rankings["rank 1"]
        assert ranked.better == "high"
