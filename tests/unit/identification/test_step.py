"""Predictions from each subject's own scores against enumerated galleries, drawn with and without replacement."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from mated.errors import MatedError
from mated.identification.bolle import theoretical_cmc
from mated.identification.rank_law import mean_hypergeometric_cdf
from mated.identification.roc_to_cmc import cmc_of_rocs
from mated.identification.step import hypergeometric_cmc, hypergeometric_cmcs, step_cmc, step_cmcs
from mated.scores import Comparisons, SubjectTallies, Tally
from mated.synthetic import GaussianIdentities
from mated.verification import individual_rocs

TIES = ["expected", "optimistic", "pessimistic"]

PEOPLE = {
    "a": ([5.0, 3.0], [4.0, 3.0, 1.0, 3.0, 6.0]),
    "b": ([2.0], [1.0, 0.0, 2.0, 2.0, 1.0]),
    "c": ([7.0, 7.0, 1.0], [0.0, 7.0, 1.0, 1.0, 8.0]),
}


def tallies_of(people):
    rows = [(name, name, s) for name, (mated, _) in people.items() for s in mated]
    rows += [(name, "somebody", s) for name, (_, nonmated) in people.items() for s in nonmated]
    probe, reference, score = zip(*rows, strict=True)
    return SubjectTallies.of(Comparisons.from_arrays(score, probe_subject=probe, reference_subject=reference), "no")


def share_within(mate, rivals, rank, ties):
    """P(rank ≤ r) of a mate among these rivals."""
    above, tied = sum(r > mate for r in rivals), sum(r == mate for r in rivals)
    if ties == "expected":
        return Fraction(min(max(rank - above, 0), tied + 1), tied + 1)
    return Fraction(rank > above + (tied if ties == "pessimistic" else 0))


def cmc_of_all_galleries(mated, nonmated, size, ties, draw):
    galleries = list(draw(nonmated, size - 1))
    return [
        sum(share_within(m, g, r, ties) for m in mated for g in galleries) / (len(mated) * len(galleries))
        for r in range(1, size + 1)
    ]


def with_replacement(scores, size):
    return itertools.product(scores, repeat=size)


class TestAgainstEnumeratedGalleries:
    @pytest.mark.parametrize("ties", TIES)
    @pytest.mark.parametrize("size", [2, 3, 5])
    def test_step_draws_rivals_with_replacement(self, size, ties):
        expected = [
            [float(x) for x in cmc_of_all_galleries(*scores, size, ties, with_replacement)]
            for scores in PEOPLE.values()
        ]
        tallies = tallies_of(PEOPLE)
        np.testing.assert_allclose(step_cmcs(tallies, size, ties=ties), expected, rtol=0, atol=1e-14)
        np.testing.assert_allclose(step_cmc(tallies, size, ties=ties), np.mean(expected, axis=0), rtol=0, atol=1e-14)

    @pytest.mark.parametrize("ties", TIES)
    @pytest.mark.parametrize("size", [2, 3, 5, 6])
    def test_hypergeometric_draws_them_without(self, size, ties):
        expected = [
            [float(x) for x in cmc_of_all_galleries(*scores, size, ties, itertools.combinations)]
            for scores in PEOPLE.values()
        ]
        tallies = tallies_of(PEOPLE)
        np.testing.assert_allclose(hypergeometric_cmcs(tallies, size, ties=ties), expected, rtol=0, atol=1e-14)
        mean = np.mean(expected, axis=0)
        np.testing.assert_allclose(hypergeometric_cmc(tallies, size, ties=ties), mean, rtol=0, atol=1e-14)

    def test_subjects_without_both_kinds_of_scores_are_in_no_mean(self):
        more = {**PEOPLE, "no rivals": ([4.0], []), "no mates": ([], [4.0, 3.0])}
        assert step_cmc(tallies_of(more), 4).tolist() == step_cmc(tallies_of(PEOPLE), 4).tolist()


def hypergeometric_exactly(beating, scores, drawn, rank):
    ways = [math.comb(beating, x) * math.comb(scores - beating, drawn - x) for x in range(min(rank, drawn + 1))]
    return Fraction(sum(ways), math.comb(scores, drawn))


class TestHypergeometricLaw:
    @pytest.mark.parametrize(("scores", "drawn"), [(1, 1), (7, 3), (60, 60), (300, 299), (400, 25), (5000, 40)])
    def test_it_is_the_exact_ratio_of_binomial_coefficients(self, scores, drawn):
        beating = np.unique(np.linspace(0, scores, 23).astype(np.int64))
        size, ranks = drawn + 1, np.unique(np.linspace(1, drawn + 1, 9).astype(np.int64))
        row = np.arange(len(beating))
        got = mean_hypergeometric_cdf(
            beating, beating, np.full_like(beating, scores), np.ones(len(row)), size, ranks, row, len(row)
        )
        for j, c in enumerate(beating.tolist()):
            exact = [float(hypergeometric_exactly(c, scores, drawn, r)) for r in ranks.tolist()]
            np.testing.assert_allclose(got[j], exact, rtol=0, atol=1e-14)

    @pytest.mark.parametrize("tied", [1, 16, 17, 100, 400])
    @pytest.mark.parametrize("above", [0, 3, 99])
    def test_many_equal_scores_are_the_mean_over_every_place_among_them(self, above, tied):
        """Beyond 16 ties a closed form replaces the sum; both must be the mean over places."""
        scores, size = 500, 31
        ranks = np.array([1, 2, 7, 15, 29, 30, 31])
        one = np.zeros(1, dtype=np.int64)
        tied = min(tied, scores - above)
        got = mean_hypergeometric_cdf(one + above, one + above + tied, one + scores, np.ones(1), size, ranks, one, 1)[0]
        for r, value in zip(ranks.tolist(), got.tolist(), strict=True):
            exact = sum(
                (hypergeometric_exactly(c, scores, size - 1, r) for c in range(above, above + tied + 1)), Fraction(0)
            )
            assert value == pytest.approx(float(exact / (tied + 1)), abs=1e-13)

    def test_it_is_unbiased_where_the_plug_in_is_not(self):
        """N scores of which each beats the mate with probability p: the mean over c of the law at c is the law at p."""
        n_scores, size, rank, p = 8, 5, 1, Fraction(1, 10)
        by_count = [math.comb(n_scores, c) * p**c * (1 - p) ** (n_scores - c) for c in range(n_scores + 1)]
        people = {f"{c}": ([0.5], [1.0] * c + [0.0] * (n_scores - c)) for c in range(n_scores + 1)}
        tallies = tallies_of(people)
        weight = np.array([float(w) for w in by_count])
        truth = float((1 - p) ** (size - 1))
        assert weight @ hypergeometric_cmcs(tallies, size, rank)[:, 0] == pytest.approx(truth, abs=1e-14)
        assert abs(weight @ step_cmcs(tallies, size, rank)[:, 0] - truth) > 0.01

    def test_a_gallery_of_all_the_data_ranks_each_mate_where_it_stands(self):
        """n − 1 = N: nothing is left to chance, so rank = 1 + those above (optimistic)."""
        mated, nonmated = PEOPLE["a"]
        got = hypergeometric_cmcs(tallies_of({"a": (mated, nonmated)}), 6, ties="optimistic")[0]
        ranks = [1 + sum(s > m for s in nonmated) for m in mated]
        assert got.tolist() == [sum(k <= r for k in ranks) / 2 for r in range(1, 7)]


class TestBesideTheOtherPredictions:
    def test_one_subject_is_the_theoretical_cmc_of_its_scores(self):
        mated, nonmated = PEOPLE["c"]
        got = step_cmc(tallies_of({"c": (mated, nonmated)}), 40)
        np.testing.assert_allclose(got, theoretical_cmc(Tally.from_scores(mated, nonmated), 40), rtol=0, atol=1e-15)

    @pytest.mark.parametrize("size", [2, 30, 1000])
    def test_lines_between_corners_never_predict_less_than_the_steps(self, size):
        tallies = SubjectTallies.of(GaussianIdentities().draw(12, 5, rng=1).comparisons(decimals=0))
        lines, steps = cmc_of_rocs(individual_rocs(tallies), size), step_cmcs(tallies, size, ties="pessimistic")
        assert np.all(lines >= steps - 1e-14)
        assert (lines - steps).max() > 1e-3

    def test_steps_come_closer_to_random_galleries_of_the_same_data_than_lines(self):
        """The trial of the Gaussian model in small: 40 people × 12 samples, 300 galleries a probe sample."""
        people, samples = 40, 12
        matrix = GaussianIdentities().draw(people, samples, rng=2).matrix("llr")
        scores = np.asarray(matrix.scores).reshape(people, samples, people, samples)
        rng = np.random.default_rng(0)
        hits = np.zeros(people + 1)
        own = np.arange(people)
        for _ in range(300):
            reference = rng.integers(samples, size=(people, samples, people))  # one sample of each identity
            drawn = np.take_along_axis(scores, reference[..., None], axis=3)[..., 0]
            apart = reference[own, :, own] != np.arange(samples)  # the probe itself is no reference
            mates = drawn[own, :, own]
            ranks = 1 + (drawn > mates[:, :, None]).sum(axis=2)
            hits += np.bincount(ranks[apart], minlength=people + 1)
        drawn_cmc = np.cumsum(hits)[1:] / hits.sum()
        tallies = SubjectTallies.of(matrix.comparisons())
        steps = np.abs(step_cmc(tallies, people) - drawn_cmc).max()
        lines = np.abs(cmc_of_rocs(individual_rocs(tallies), people).mean(axis=0) - drawn_cmc).max()
        assert steps < lines


class TestWhatIsRefused:
    def test_a_gallery_beyond_the_data_without_replacement(self):
        with pytest.raises(MatedError, match="cannot be drawn without replacement from 5 non-mated scores"):
            hypergeometric_cmc(tallies_of(PEOPLE), 7)

    @pytest.mark.parametrize("function", [step_cmc, step_cmcs, hypergeometric_cmc, hypergeometric_cmcs])
    def test_each_function_says_so(self, function):
        tallies = tallies_of(PEOPLE)
        with pytest.raises(MatedError, match="a gallery size is a whole number from 2"):
            function(tallies, 1)
        with pytest.raises(MatedError, match="a rank is a whole number from 1 to 5"):
            function(tallies, 5, [1, 6])
        with pytest.raises(MatedError, match="ties must be"):
            function(tallies, 5, ties="random")
        with pytest.raises(MatedError, match="no subject has both"):
            function(tallies_of({"a": ([1.0], [])}), 5)
