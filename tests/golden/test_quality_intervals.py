"""What the intervals of a quality evaluation say on real data; the files are not part of the project."""

from __future__ import annotations

import pytest

import mated


def test_on_att_faces_three_of_four_measures_are_no_better_than_random(reference_data):
    """Three of the four columns are negative controls; only the embedding norm helps (40 subjects, 90 errors).

    20,000 replicates, since the upper end of the embedding norm's interval is near 1: with 1000 it varies by ±.004
    between seeds.
    """
    folder = reference_data / "att_faces"
    e = mated.quality(folder / "comparisons.csv.gz", folder / "samples.csv", replicates=20_000)
    assert (e.starting.errors, e.starting.comparisons, e.starting.threshold) == (90, 1800, 0.460695)
    assert e.ranking[0] == "q_embedding_norm"
    verdicts = {r.algorithm: r.against_random for r in e.results}
    assert verdicts == {
        "q_embedding_norm": "better",
        "q_detector": "not told apart",
        "q_laplacian_var": "not told apart",
        "q_contrast_std": "not told apart",
    }
    best = e["q_embedding_norm"]
    assert best.probability_best > 0.9
    assert best.relative_high < 1 < min(e[name].pauc_relative for name in e.ranking[1:])
    assert "only 40 subjects" in e.caution
    # The controls cannot be told from each other either.
    for pair in e.pair_results:
        if pair.above != "q_embedding_norm":
            assert pair.low < 0 < pair.high
            assert 0.2 < pair.probability < 0.9


def test_the_dasec_example_ranks_as_its_script_does_and_two_pairs_are_open(reference_data):
    """Areas above best of the dasec script to ten decimals; algorithms 1 and 5, and 4 and 2, lie close together."""
    e = mated.quality(reference_data / "dasec" / "example_data.json")
    found = {r.algorithm: r.pauc_above_best for r in e.results}
    expected = {1: 0.0057096816, 5: 0.0058177574, 3: 0.0065932575, 4: 0.0078638562, 2: 0.0080687126}
    assert found == pytest.approx({f"QA algorithm {k}": area for k, area in expected.items()}, abs=5e-11)
    assert list(found) == [f"QA algorithm {k}" for k in expected]
    assert (e.units.kind, e.units.count) == ("joined samples", 1674)
    open_pairs = {(p.above[-1], p.below[-1]) for p in e.pair_results if p.low < 0 < p.high}
    assert open_pairs == {("1", "5"), ("4", "2")}
    assert all(r.against_random == "better" for r in e.results)
