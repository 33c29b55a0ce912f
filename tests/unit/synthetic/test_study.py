"""The synthetic study has the truth it is said to have."""

from __future__ import annotations

import numpy as np
import pytest

from mated import MatedError, quality, verify
from mated.synthetic import GaussianIdentities
from mated.synthetic.study import draw_study

STUDY = draw_study(rng=2008)


def test_it_has_two_systems_on_the_same_comparisons_two_groups_and_three_algorithms():
    systems = STUDY.systems()
    assert len(systems) == 2
    assert {len(c) for c in systems.values()} == {600 * 599 // 2}
    assert {c.n_subjects for c in systems.values()} == {200}
    assert set(STUDY.group) == {"A", "B"}
    assert len(STUDY.quality) == 3


def test_the_group_with_noisier_captures_is_rejected_more_often():
    groups, alpha = STUDY.pair_groups(), STUDY.systems()["alpha"]
    threshold = verify(alpha).at_fmr(1e-3).threshold
    fnmr = {}
    for name in ("A", "B"):
        rows = (groups["probe_group"] == name) & (groups["reference_group"] == name) & alpha.mated
        fnmr[name] = float(np.mean(alpha.score[rows] < threshold))
    assert fnmr["B"] > 1.3 * fnmr["A"]


def test_the_algorithms_rank_as_they_see_the_noise():
    judged = {
        name: dict(zip(STUDY.people.sample_names, values.tolist(), strict=True))
        for name, values in STUDY.quality.items()
    }
    found = quality(STUDY.systems()["alpha"], judged, replicates=0).to_dict()["algorithms"]
    assert sorted(found, key=lambda name: found[name]["pauc"]) == ["sharp", "fair", "blind"]


def test_noise_may_be_given_for_every_sample():
    model, still = GaussianIdentities((0.5,) * 4), np.zeros((6, 3))
    people = model.draw(6, 3, rng=1, noise=still)
    assert np.array_equal(people.features[::3], people.features[1::3])
    one, each = (model.draw(6, 3, rng=1, noise=n).features for n in (2.0, np.full((6, 3), 2.0)))
    assert np.array_equal(one, each)


def test_noise_of_another_shape_is_refused():
    with pytest.raises(MatedError, match="one a person"):
        GaussianIdentities().draw(6, 3, rng=1, noise=np.ones(5))
