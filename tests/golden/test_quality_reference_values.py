"""Numbers of error-versus-discard curves that others computed from real data, to the digits they give.

The files are not part of the project; the tests are skipped where they are absent. The figures of the dasec script come
with its example (10,000 mated comparisons of 5,834 samples, five quality algorithms).
"""

from __future__ import annotations

import json

import numpy as np
import pytest

import mated
from mated.quality import SampleQualities, error_curve, pair_qualities, partial_area, rank_curves, starting_errors
from mated.scores import Comparisons

ABOVE_BEST = {
    # starting error .05, limit .2, stepwise, area under theoretical best subtracted; ten decimals
    "QA algorithm 1": 0.0057096816,
    "QA algorithm 2": 0.0080687126,
    "QA algorithm 3": 0.0065932575,
    "QA algorithm 4": 0.0078638562,
    "QA algorithm 5": 0.0058177574,
}


@pytest.fixture(scope="module")
def dasec(reference_data):
    example = json.loads((reference_data / "dasec" / "example_data.json").read_text())
    assert example["similarity_scores"]["type"] == "mated"
    scores = example["similarity_scores"]["scores_by_pair_ids"]
    first, second = zip(*(pair.split("-") for pair in scores), strict=True)
    data = Comparisons.from_arrays(
        list(scores.values()), [True] * len(scores), probe_sample=first, reference_sample=second
    )
    qualities = SampleQualities.from_mappings(example["quality_scores_by_sample_id_per_algorithm"])
    return pair_qualities(data, qualities), qualities


@pytest.fixture(scope="module")
def published(reference_data):
    return json.loads((reference_data / "dasec" / "reference_dasec_edc.json").read_text())


@pytest.mark.parametrize("algorithm", ABOVE_BEST)
def test_curves_and_areas_are_those_of_the_dasec_script(dasec, published, algorithm):
    paired, qualities = dasec
    expected = published[algorithm]
    values = qualities.values[algorithm]
    assert (len(values), len(np.unique(values))) == (expected["n_quality"], expected["distinct"])
    assert paired.samples_without_quality[algorithm] == expected["missing"]
    start = starting_errors(paired.comparisons.tally()).nearest(0.05)
    assert start.value == expected["start"]
    curve = error_curve(paired.order(algorithm), start)
    assert len(curve) == expected["n_points"]
    for discard, fnmr in expected["fnmr_at_discard"].items():
        assert curve(float(discard)) == fnmr
    area = partial_area(curve, 0.2)
    assert area.raw == pytest.approx(expected["pauc20"], rel=1e-14)
    assert area.best == pytest.approx(expected["best20"], rel=1e-15)
    assert area.above_best == pytest.approx(ABOVE_BEST[algorithm], abs=5e-11)


def test_every_algorithm_of_the_dasec_script_is_compared(published):
    assert sorted(published) == sorted(ABOVE_BEST)


def test_the_dasec_ranking(dasec):
    """By the areas above: 1, 5, 3, 4, 2; relative ranks by hand, (a − .0057096816)/(.0080687126 − .0057096816)."""
    paired, _ = dasec
    start = starting_errors(paired.comparisons.tally()).nearest(0.05)
    placed = rank_curves({a: error_curve(o, start) for a, o in paired.orders(limit=0.2).items()}, 0.2)
    assert [p.algorithm[-1] for p in placed] == list("15342")
    assert [p.rank for p in placed] == [1, 2, 3, 4, 5]
    assert [p.relative for p in placed] == pytest.approx([0, 0.0458136, 0.3745504, 0.9131608, 1], abs=1e-7)


def test_on_att_faces_only_the_embedding_norm_beats_random_discarding(reference_data):
    """The other three columns of quality are negative controls."""
    import polars as pl

    table = pl.read_csv(reference_data / "att_faces" / "samples.csv")
    columns = {name: table[name].to_numpy() for name in table.columns if name.startswith("q_")}
    data = mated.read(
        reference_data / "att_faces" / "comparisons.csv.gz",
        columns=mated.Columns(probe_sample="sample_a", reference_sample="sample_b"),
    )
    paired = pair_qualities(data, SampleQualities.from_arrays(table["sample"], columns))
    assert (len(paired.comparisons), paired.comparisons_left_out, paired.constant) == (79_800, 0, ())
    start = starting_errors(paired.comparisons.tally()).nearest(0.05)
    assert (start.errors, start.comparisons, start.threshold) == (90, 1800, 0.460695)
    areas = {a: partial_area(error_curve(o, start), 0.2) for a, o in paired.orders(limit=0.2).items()}
    assert [name for name, area in areas.items() if area.relative < 1] == ["q_embedding_norm"]
