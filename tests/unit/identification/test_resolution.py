"""What the data resolve, by hand, and which prediction leads."""

from __future__ import annotations

import pytest

from mated.errors import MatedError
from mated.identification.resolution import Resolution, forecast_caution, headline, resolution
from mated.scores.probe_scores import ProbeScores
from mated.synthetic import GaussianIdentities


def test_a_complete_design_resolves_the_geometric_mean_of_rivals_and_scores():
    """20 subjects × 4 samples: 19 rivals and 4 · 19 · 4 = 304 non-mated scores a subject; √(19 · 304) = 76."""
    found = resolution(ProbeScores.of(GaussianIdentities().draw(20, 4, rng=1).matrix()))
    assert found == Resolution(19, 19, 304)
    assert found.largest_gallery == 76
    assert found.smallest_fmr == 1 / 76


def test_one_sample_a_rival_resolves_as_many_as_there_are_rivals():
    assert Resolution(399, 399, 399).largest_gallery == 399


@pytest.mark.parametrize(
    ("size", "leads"), [(2, "hypergeometric"), (400, "hypergeometric"), (401, "step"), (1995, "step"), (1996, "tail")]
)
def test_the_headline_goes_from_unbiased_to_resolved_to_extrapolated(size, leads):
    assert headline(size, Resolution(399, 399, 9975)) == leads


def test_galleries_are_drawn_from_the_data_only_as_far_as_every_subject_has_rivals():
    assert headline(300, Resolution(399, 250, 9975)) == "step"


def test_the_caution_says_what_a_forecast_rests_on():
    resolved = Resolution(399, 399, 9975)
    assert forecast_caution(1995, resolved, pooled=10**7) is None
    assert forecast_caution(1995, resolved) is None
    assert "this is an upper bound" in forecast_caution(1996, resolved)
    beyond_one = forecast_caution(10**6, resolved, pooled=10**7)
    assert "1,000,000 is larger" in beyond_one
    assert "upper bound" in beyond_one
    assert "beyond all" not in beyond_one
    assert "beyond all 10,000,000 non-mated scores" in forecast_caution(10**9, resolved, pooled=10**7)
    assert "2.0% of the mated scores" in forecast_caution(10**9, resolved, pooled=10**7, beyond=0.02)


def test_no_gallery_of_one():
    with pytest.raises(MatedError, match="gallery size"):
        headline(1, Resolution(10, 10, 10))
