"""Laws of closed- and open-set identification, and the fast path against every order of ties and every threshold."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from mated.identification.cmc import cmc, shares_within
from mated.identification.open_set import open_set_at_fpir, open_set_at_threshold, open_set_curve, open_set_tally
from mated.scores import Tally
from mated.scores.ranks import Ranks
from mated.uncertainty.open_set_bootstrap import _just_above, _Search
from mated.verification import area_under_roc
from search_brute_force import counted, fnir, fpir, least_fnir, ranks_in_every_order, ranks_of, rate_within

rules = st.sampled_from(["expected", "optimistic", "pessimistic"])
few_scores = st.integers(0, 4).map(float)  # so that most mates tie


@st.composite
def searches(draw, scores=few_scores, most=5):
    """Mated and open-set probes in one gallery of two to five identities."""
    size = draw(st.integers(2, 5))
    others = st.lists(scores, min_size=size - 1, max_size=size - 1)
    mated = draw(st.lists(st.tuples(scores, others), min_size=1, max_size=most))
    open_set = draw(st.lists(st.lists(scores, min_size=size, max_size=size), min_size=1, max_size=most))
    return mated, open_set


any_searches = st.one_of(searches(), searches(strategies.decimals), searches(strategies.continuous))


@st.composite
def tied_counts(draw):
    """Mates above and tied in a gallery of up to forty."""
    size = draw(st.integers(1, 40))
    above = draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=30))
    tied = [draw(st.integers(0, size - 1 - a)) for a in above]
    return above, tied, size


class TestTheCurve:
    @given(searches(), rules)
    @settings(max_examples=60)
    def test_is_the_mean_over_every_order_of_ties(self, data, ties):
        mated, _ = data
        curve = cmc(ranks_of(mated), ties)
        exact = [rate_within(mated, k, ties) for k in range(1, curve.gallery_size + 1)]
        assert curve.rate.tolist() == [float(rate) for rate in exact]
        steps = [b - a for a, b in zip([Fraction(0), *exact], exact, strict=False)]
        assert curve.probabilities.tolist() == [float(p) for p in steps]

    @given(searches())
    @settings(max_examples=60)
    def test_has_the_mean_rank_of_every_order(self, data):
        mated, _ = data
        every = [Fraction(sum(k), len(k)) for k in (ranks_in_every_order(*probe) for probe in mated)]
        assert cmc(ranks_of(mated)).mean_rank == float(sum(every) / len(every))

    @given(tied_counts(), rules)
    def test_rises_to_one_and_its_steps_sum_to_one(self, data, ties):
        above, tied, size = data
        curve = cmc(counted(above, tied, gallery_size=size), ties)
        assert curve.rate[-1] == 1.0
        assert (curve.probabilities >= 0).all()
        assert (np.diff(curve.rate) >= 0).all()
        assert curve.probabilities.sum() == pytest.approx(1.0, abs=1e-14)

    @given(tied_counts())
    def test_lies_between_the_optimistic_and_the_pessimistic_one(self, data):
        above, tied, size = data
        low, middle, high = (
            cmc(counted(above, tied, gallery_size=size), t).rate for t in ("pessimistic", "expected", "optimistic")
        )
        assert (low <= middle).all()
        assert (middle <= high).all()

    @given(tied_counts(), rules)
    def test_has_a_mean_rank_of_n_plus_one_less_n_times_its_area(self, data, ties):
        # Σ_r CMC(r) counts a probe once for each rank from its own to n, n + 1 − rank times.
        above, tied, size = data
        curve = cmc(counted(above, tied, gallery_size=size), ties)
        assert curve.area == pytest.approx(float(curve.rate.mean()), rel=1e-12)
        assert curve.mean_rank == pytest.approx(size + 1 - size * float(curve.rate.mean()), rel=1e-10)
        assert curve.mean_rank == pytest.approx(float(curve.probabilities @ np.arange(1, size + 1)), rel=1e-12)

    @given(tied_counts(), st.integers(1, 40), rules)
    def test_is_the_mean_of_the_shares_of_its_probes(self, data, rank, ties):
        above, tied, size = data
        ranks, rank = counted(above, tied, gallery_size=size), min(rank, size)
        assert cmc(ranks, ties)(rank) == pytest.approx(shares_within(ranks, rank, ties).values.mean(), rel=1e-12)

    @given(strategies.two_lists(strategies.integers, most=8))
    def test_of_galleries_of_two_starts_at_the_area_under_the_roc(self, data):
        # Every mated with every non-mated score as a probe of its own: P(1) = P(X > Y) + P(X = Y)/2 (Bolle, Eq. 10).
        mated, nonmated = data
        curve = cmc(ranks_of([(x, [y]) for x in mated for y in nonmated]))
        assert curve(1) == pytest.approx(area_under_roc(Tally.from_scores(mated, nonmated)), rel=1e-14)

    @given(searches(), searches(), rules)
    def test_of_two_parts_together_is_their_weighted_mean(self, one, two, ties):
        size = max(len(one[0][0][1]), len(two[0][0][1])) + 1
        people = tuple(str(k) for k in range(20))
        parts = [_renamed(ranks_of(mated, gallery_size=size), people) for mated, _ in (one, two)]
        whole = cmc(parts[0] + parts[1], ties)
        weighted = sum(cmc(part, ties).rate * part.n_mated for part in parts) / whole.probes
        assert whole.rate == pytest.approx(weighted, rel=1e-12)


def _renamed(ranks: Ranks, names: tuple[str, ...]) -> Ranks:
    fields = {name: getattr(ranks, name) for name in Ranks.__dataclass_fields__}
    return Ranks(**(fields | {"names": names}))


def thresholds_of(mated, open_set):
    """Every score, between them, and beyond both ends."""
    scores = sorted(
        {m for m, _ in mated} | {s for _, others in mated for s in others} | {s for r in open_set for s in r}
    )
    between = [(a + b) / 2 for a, b in itertools.pairwise(scores)]
    return [*scores, *between, scores[0] - 1, scores[-1] + 1]


class TestOpenSetRates:
    @given(any_searches, rules, st.sampled_from([1, 2, None]))
    @settings(max_examples=60)
    def test_are_those_of_loops_at_every_threshold(self, data, ties, rank):
        mated, open_set = data
        ranks = ranks_of(mated, open_set)
        for t in thresholds_of(mated, open_set):
            point = open_set_at_threshold(ranks, t, rank, ties=ties)
            assert point.fpir == float(fpir(open_set, t))
            assert point.fnir == float(fnir(mated, t, rank, ties))
            assert point.below_threshold == sum(mate < t for mate, _ in mated)

    @given(any_searches, rules, st.sampled_from([1, 2, None]))
    @settings(max_examples=60)
    def test_move_apart_as_the_threshold_rises(self, data, ties, rank):
        mated, open_set = data
        ranks = ranks_of(mated, open_set)
        points = [open_set_at_threshold(ranks, t, rank, ties=ties) for t in sorted(thresholds_of(mated, open_set))]
        assert (np.diff([p.fpir for p in points]) <= 0).all()
        assert (np.diff([p.fnir for p in points]) >= 0).all()

    @given(any_searches, rules, st.sampled_from([1, 2, None]))
    @settings(max_examples=60)
    def test_curve_holds_every_threshold(self, data, ties, rank):
        mated, open_set = data
        curve = open_set_curve(ranks_of(mated, open_set), rank, ties=ties)
        observed = {mate for mate, _ in mated} | {max(scores) for scores in open_set}
        assert curve.threshold.tolist() == [math.inf, *sorted(observed, reverse=True)]
        assert curve.fpir.tolist() == [0.0, *(float(fpir(open_set, t)) for t in curve.threshold[1:])]
        assert curve.fnir.tolist() == [1.0, *(float(fnir(mated, t, rank, ties)) for t in curve.threshold[1:])]

    @given(any_searches, rules, st.sampled_from([1, 2, None]))
    def test_without_a_threshold_are_those_of_the_closed_set(self, data, ties, rank):
        mated, open_set = data
        ranks = ranks_of(mated, open_set)
        point = open_set_at_threshold(ranks, -math.inf, rank, ties=ties)
        assert point.fpir == 1.0
        assert point.tpir == pytest.approx(1.0 if rank is None else cmc(ranks, ties)(rank), rel=1e-15)

    @given(any_searches, strategies.targets, rules)
    @settings(max_examples=60)
    def test_at_an_fpir_are_the_best_that_any_threshold_gives(self, data, target, ties):
        mated, open_set = data
        ranks = ranks_of(mated, open_set)
        point = open_set_at_fpir(ranks, target, ties=ties)
        exact = Fraction(str(target))
        assert Fraction(point.errors_open, point.n_open) <= exact
        assert point.fnir == float(least_fnir(mated, open_set, exact, 1, ties))
        assert point.fnir == open_set_curve(ranks, ties=ties)(target)
        again = open_set_at_threshold(ranks, point.threshold, ties=ties)
        assert (again.errors_open, again.errors_mated) == (point.errors_open, point.errors_mated)

    @given(searches(), strategies.targets)
    def test_take_the_smallest_whole_threshold(self, data, target):
        ranks = ranks_of(*data, unit=Fraction(1))
        threshold = open_set_at_fpir(ranks, target).threshold
        assert isinstance(threshold, int)
        lower = open_set_at_threshold(ranks, threshold - 1)
        assert Fraction(lower.errors_open, lower.n_open) > Fraction(str(target))

    @given(any_searches, strategies.targets)
    def test_of_dissimilarities_are_those_of_similarities_with_thresholds_negated(self, data, target):
        plain, negated = ranks_of(*data), ranks_of(*data, dissimilarity=True)
        one, other = open_set_at_fpir(plain, target), open_set_at_fpir(negated, target)
        assert (one.fpir, one.fnir, one.threshold) == (other.fpir, other.fnir, -other.threshold)
        assert isinstance(one.threshold, type(other.threshold))
        assert np.array_equal(open_set_curve(plain).threshold, -open_set_curve(negated).threshold)

    @given(searches(), strategies.targets)
    def test_do_not_change_under_a_monotone_transform(self, data, target):
        mated, open_set = data
        bent = [(math.exp(m), [math.exp(s) for s in o]) for m, o in mated], [[math.exp(s) for s in o] for o in open_set]
        one, other = (open_set_curve(ranks_of(*searched)) for searched in (data, bent))
        assert np.array_equal(one.fpir, other.fpir)
        assert np.array_equal(one.fnir, other.fnir)
        assert one(target) == other(target)


class TestTheBootstrapOfSubjects:
    @given(searches(most=6), strategies.targets, rules, st.booleans(), st.data())
    def test_a_replicate_is_the_estimate_of_the_probes_repeated(self, data, target, ties, same_people, more):
        mated, open_set = data
        people = [more.draw(st.integers(0, 2)) for _ in mated], [more.draw(st.integers(3, 5)) for _ in open_set]
        ranks = ranks_of(mated, open_set, subjects=people[0], open_subjects=people[1], unit=Fraction(1))
        probes = "mate removed" if same_people else "open"
        everybody = sorted({*people[0], *people[1]})
        search = _Search.of(ranks, shares_within(ranks, 1, ties), probes, Fraction(str(target)))
        draws, expected = [], []
        for _ in range(3):  # side by side, as they share the work
            times = {person: more.draw(st.integers(0, 3)) for person in everybody}
            again = [probe for probe, who in zip(mated, people[0], strict=True) for _ in range(times[who])]
            strangers = [probe for probe, who in zip(open_set, people[1], strict=True) for _ in range(times[who])]
            if again and (strangers or same_people):
                draws.append(times)
                repeated = ranks_of(again, strangers, unit=Fraction(1))
                expected.append(open_set_at_fpir(repeated, target, ties=ties, probes=probes))
        if not draws:
            return
        weight, other = (np.array([[t[who] for who in sorted(set(p))] for t in draws], dtype=float) for p in people)
        if same_people:
            other = weight
        kept_out = search._kept_out(other, other @ np.bincount(search.best_owner).astype(float))
        total = weight @ np.bincount(search.mate_owner)
        found = search._found_above(weight, kept_out)
        assert (1 - found / total).tolist() == pytest.approx([point.fnir for point in expected], abs=1e-12)
        thresholds = _just_above(kept_out, open_set_tally(ranks, probes))
        assert thresholds.tolist() == [point.threshold for point in expected]
