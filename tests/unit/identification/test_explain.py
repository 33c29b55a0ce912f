"""What explains a CMC that verification did not predict, on data where the reason is known."""

from __future__ import annotations

import json

import numpy as np
import pytest

from mated.errors import MatedError
from mated.identification.expectation import expected_cmc
from mated.identification.explain import explain, search_gain
from mated.identification.normalisation import normalise
from mated.identification.roc_to_cmc import cmc_of_roc, global_roc
from mated.scores import ScoreMatrix, SubjectTallies
from mated.synthetic import GaussianIdentities
from mated.verification import average_roc, individual_rocs


def model(scorer: str, seed: int, samples: int):
    """People of Veldhuis & Raja (2023), section VI-A: 100 of them; in their Table I with 20 samples each."""
    return explain(GaussianIdentities().draw(100, samples, rng=seed).matrix(scorer), normalisations=())


class TestTheGaussianModel:
    def test_llr_scores_are_predicted_four_times_better_by_the_average_roc_than_by_the_global_one(self):
        results = [model("llr", seed, 16) for seed in range(10)]
        assert np.median([x.rms_ratio for x in results]) >= 4
        # The global ROC is above the average one (their Figure 5b), and so is its prediction where the curve bends.
        assert all(x.gap_global.largest > 0.015 for x in results)
        assert all((x.from_global - x.from_average)[10:30].min() > 0 for x in results)
        # The reason: the subjects' false match rates differ far beyond chance.
        assert all(at.variation > 4 * at.counting for x in results for at in x.spread)

    def test_for_cosine_scores_the_two_coincide(self):
        results = [model("cosine", seed, 20) for seed in range(2)]
        for x in results:
            # Beyond the first few ranks, where the corners of individual ROCs are too few (Figure 6b).
            assert np.abs(x.from_global - x.from_average)[10:].max() < 0.004
            assert abs(x.gap_global.largest) < 0.006
            assert x.spread[0].variation < 0.2


class TestItsNumbers:
    data = GaussianIdentities().draw(15, 6, rng=3).matrix(scale=10, decimals=0)

    def test_are_those_of_the_parts_it_is_made_of(self):
        x = explain(self.data)
        tallies = SubjectTallies.of(self.data.comparisons())
        np.testing.assert_array_equal(x.ranks, np.arange(1, 16))
        np.testing.assert_allclose(x.empirical.rate, expected_cmc(self.data).rate, atol=1e-14)
        np.testing.assert_allclose(x.from_global, cmc_of_roc(global_roc(self.data.tally()), 15), atol=1e-14)
        average = cmc_of_roc(average_roc(individual_rocs(tallies)), 15)
        np.testing.assert_allclose(x.from_average, average, atol=1e-12)
        difference = x.from_average - x.empirical.rate
        worst = np.argmax(np.abs(difference))
        assert x.gap_average.largest == difference[worst]
        assert x.gap_average.at_rank == worst + 1
        assert x.gap_average.rms == pytest.approx(np.sqrt(np.mean(difference**2)))
        for by, result in x.normalised.items():
            scores = normalise(self.data, by)
            np.testing.assert_allclose(result.empirical, expected_cmc(scores).rate, atol=1e-13)
            np.testing.assert_allclose(result.predicted, cmc_of_roc(global_roc(scores.tally()), 15), atol=1e-14)
            assert result.closed == pytest.approx(1 - result.gap.rms / x.gap_global.rms)

    def test_of_the_spread_are_those_of_plain_counting(self):
        x = explain(self.data, normalisations=())
        table = self.data.comparisons()
        ids = table.subjects
        nonmated = np.sort(table.score[~table.mated])
        for at, fmr in zip(x.spread, (1e-1, 1e-2, 1e-3), strict=True):
            reached = [t for t in np.unique(table.score) if np.mean(nonmated >= t) >= fmr]
            assert at.threshold == max(reached)
            assert at.global_fmr == np.mean(nonmated >= at.threshold)
            own = []
            for code in range(15):
                mine = ~table.mated & ((ids.probe == code) | (ids.reference == code))
                own.append(np.mean(table.score[mine] >= at.threshold))
            assert at.quantiles == pytest.approx(np.quantile(own, [0.05, 0.25, 0.5, 0.75, 0.95]))
            assert at.largest == max(own)
            assert at.variation == pytest.approx(np.std(own, ddof=1) / np.mean(own))
            assert at.without == np.mean(np.array(own) == 0)
            assert at.counting == pytest.approx(np.sqrt((1 - at.global_fmr) / (at.global_fmr * 14 * 36)))
        assert x.spread[0].largest_to_median == x.spread[0].largest / x.spread[0].quantiles[2]

    def test_are_the_same_from_a_table(self):
        one, other = explain(self.data), explain(self.data.comparisons())
        assert one.spread == other.spread
        for name in ("from_global", "from_average"):
            np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-13)
        for by in one.normalised:
            assert one.normalised[by].gap.rms == pytest.approx(other.normalised[by].gap.rms, abs=1e-12)

    def test_hold_for_a_smaller_gallery_and_some_ranks(self):
        x = explain(self.data, [1, 3], gallery_size=6, normalisations=("equal-fmr",))
        np.testing.assert_allclose(x.empirical.rate, expected_cmc(self.data, gallery_size=6).rate[[0, 2]], atol=1e-14)
        np.testing.assert_allclose(x.from_global, cmc_of_roc(global_roc(self.data.tally()), 6, [1, 3]), atol=1e-14)

    def test_can_be_written_as_json(self):
        x = explain(self.data)
        plain = json.loads(json.dumps(x.to_dict()))
        assert plain["gap_global"]["rms"] == x.gap_global.rms
        assert plain["normalised"]["equal-fmr"]["closed"] == x.normalised["equal-fmr"].closed
        assert "gallery of 15" in repr(x)


class TestNormalisation:
    def test_to_equal_fmr_closes_most_of_the_gap(self):
        x = explain(GaussianIdentities().draw(60, 16, rng=5).matrix("llr"), normalisations=("equal-fmr",))
        assert x.normalised["equal-fmr"].closed > 0.6

    def test_by_probe_closes_a_gap_that_shifts_and_scales_of_probes_opened(self):
        data = GaussianIdentities().draw(40, 10, rng=5).matrix("cosine")
        rng = np.random.default_rng(1)
        people = [data.subjects.names[code] for code in data.subjects.probe]
        names = [data.samples.names[code] for code in data.samples.probe]
        moved = data.scores * rng.uniform(0.5, 2, (400, 1)) + rng.normal(size=(400, 1))
        spoilt = ScoreMatrix.from_arrays(moved, people, people, probe_sample=names, reference_sample=names)
        before = explain(data, normalisations=())
        x = explain(spoilt, normalisations=("probe",))
        # Ranks do not see what happened to a probe as a whole; one threshold for all does.
        np.testing.assert_allclose(x.empirical.rate, before.empirical.rate, atol=1e-13)
        assert x.gap_global.rms > 0.1
        assert x.normalised["probe"].closed > 0.9


class TestSearchGain:
    def test_is_empirical_minus_theoretical_by_hand(self):
        gain = search_gain([0.8, 0.9, 1.0], [0.75, 0.95, 1.0])
        assert gain.difference == pytest.approx([0.05, -0.05, 0])
        assert gain.largest == pytest.approx(0.05)
        assert (gain.at_rank, gain.first) == (1, gain.difference[0])
        assert gain.mean == pytest.approx(0, abs=1e-15)

    def test_names_the_ranks_it_is_given(self):
        gain = search_gain([0.8, 0.95], [0.8, 0.9], [5, 10])
        assert gain.at_rank == 10
        assert np.isnan(gain.first)

    @pytest.mark.parametrize(
        ("curves", "sentence"),
        [
            (([0.5], [0.5, 0.6]), "same ranks"),
            (([], []), "same ranks"),
            (([0.5, 1.2], [0.5, 1.0]), "between 0 and 1"),
            (([0.5, 1.0], [0.5, np.nan]), "between 0 and 1"),
            (([0.5, 1.0], [0.5, 1.0], [1]), "as many"),
        ],
    )
    def test_of_what_is_no_pair_of_curves_is_refused(self, curves, sentence):
        with pytest.raises(MatedError, match=sentence):
            search_gain(*curves)


@pytest.mark.parametrize("fmr", [0, 1, -0.1, float("nan")])
def test_a_false_match_rate_outside_the_open_interval_is_refused(fmr):
    with pytest.raises(MatedError, match="lies between 0 and 1"):
        explain(TestItsNumbers.data, fmrs=(fmr,))


def test_rates_below_one_comparison_are_left_out():
    few = ScoreMatrix.from_arrays(np.arange(9.0).reshape(3, 3), list("abc"), list("abc"))
    assert [at.fmr for at in explain(few, normalisations=()).spread] == []
    assert [at.fmr for at in explain(few, normalisations=(), fmrs=(0.5,)).spread] == [0.5]
