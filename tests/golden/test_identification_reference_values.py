"""Identification figures that others computed from real score files, to the digits they give.

The files are not part of the project; the tests are skipped where they are absent. The origin of each value stands with
it: bob.measure 6.1.1, pyeer 0.5.6, or a hand count. Rates are read off `Ranks` here in one line each.
"""

from __future__ import annotations

import numpy as np
import pytest

import mated
from identification_brute_force import Sample, outcome, search_table
from mated.scores import Comparisons, rank

FOUR_COLUMNS = mated.Columns(reference_subject=1, probe_subject=2, probe_sample=3, score=4)
FIVE_COLUMNS = mated.Columns(reference_subject=1, reference_sample=2, probe_subject=3, probe_sample=4, score=5)


def cmc(ranks, upto: int) -> list[float]:
    return [float(np.mean(ranks.above + 1 <= r)) for r in range(1, upto + 1)]


@pytest.mark.parametrize("columns", [FOUR_COLUMNS, FIVE_COLUMNS], ids=["4col", "5col"])
def test_cmc_of_bobs_list(reference_data, columns):
    """bob.measure.cmc: .76 .89 .96 .98 1, for 100 probes in a gallery of 20; no mate ties."""
    name = "4col" if columns is FOUR_COLUMNS else "5col"
    ranks = rank(mated.read(reference_data / "bob" / f"scores-cmc-{name}.txt", columns=columns))
    assert (ranks.n_mated, ranks.n_open, ranks.gallery_size, ranks.missing) == (100, 0, 20, 0)
    assert cmc(ranks, 5) == pytest.approx([0.76, 0.89, 0.96, 0.98, 1.0], abs=1e-15)
    assert not ranks.tied.any()


def test_an_identity_with_several_references_takes_one_place_where_bob_counts_each(reference_data):
    """The 20 models of the 5-column list dealt to 7 identities in turn, so that each has two or three references.

    bob.measure.cmc, given the same scores, counts every non-mated score above the best mated one and gives
    .76 .94 .96 .98 1; an identity that beats the mate twice takes two places there. Both ways agree at rank 1.
    """
    lines = (reference_data / "bob" / "scores-cmc-5col.txt").read_text().split("\n")
    rows = [line.split() for line in lines if line]
    models = sorted({int(claimed) for claimed, *_ in rows})
    identity = {str(model): str(place % 7) for place, model in enumerate(models)}
    comparisons = [
        (Sample(identity[real], probe), Sample(identity[claimed], model), float(score))
        for claimed, model, real, probe, score in rows
    ]
    ranks = rank(
        Comparisons.from_arrays(
            [score for *_, score in comparisons],
            probe_subject=[p.subject for p, _, _ in comparisons],
            reference_subject=[r.subject for _, r, _ in comparisons],
            probe_sample=[p.number for p, _, _ in comparisons],
            reference_sample=[r.number for _, r, _ in comparisons],
        )
    )
    assert ranks.gallery_size == 7
    assert cmc(ranks, 5) == pytest.approx([0.76, 0.95, 0.98, 0.98, 1.0], abs=1e-15)
    assert outcome(ranks) == search_table(comparisons)
    by_score = []
    for probe in {p for p, _, _ in comparisons}:
        own = max(s for p, r, s in comparisons if p == probe and r.subject == p.subject)
        by_score.append(sum(s >= own for p, r, s in comparisons if p == probe and r.subject != p.subject))
    bob = [np.mean(np.array(by_score) < r) for r in range(1, 6)]
    assert bob == pytest.approx([0.76, 0.94, 0.96, 0.98, 1.0], abs=1e-15)


@pytest.mark.parametrize(
    ("file", "detected", "alarms"), [("", 1.0, 0.0), ("-one-error", 6 / 7, 0.0), ("-two-errors", 6 / 7, 0.5)]
)
def test_open_set_rates_of_bobs_toy_lists(reference_data, file, detected, alarms):
    """bob.measure.detection_identification_rate (rank 1) and false_alarm_rate, both at threshold .5."""
    ranks = rank(mated.read(reference_data / "bob" / f"scores-cmc-4col-open-set{file}.txt", columns=FOUR_COLUMNS))
    assert (ranks.n_mated, ranks.n_open, ranks.gallery_size) == (7, 2, 3)
    assert np.mean((ranks.above + ranks.tied < 1) & (ranks.mate_score >= 0.5)) == detected
    assert np.mean(ranks.open_best >= 0.5) == alarms


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("exp1", [0.24706, 0.31765, 0.32941, 0.32941, 0.34118]),
        ("exp2", [0.23529, 0.29412, 0.31765, 0.34118, 0.34118]),
    ],
)
def test_cmc_of_pyeers_experiments(reference_data, name, expected):
    """pyeer's get_cmc_curve: 85 queries, each with one true template of 257.

    pyeer sorts templates by score and leaves ties in the order of the file, and it counts a query once for each of its
    true templates; here no mate ties and each query has one true template, so that the two definitions meet.
    """
    folder = reference_data / "pyeer" / "cmc"
    lines = [line.split() for line in (folder / f"{name}_scores.txt").read_text().split("\n") if line]
    true_pairs = {tuple(line.split()) for line in (folder / f"{name}_tp.txt").read_text().split("\n") if line}
    query, template, score = zip(*lines, strict=True)
    mated_flag = [pair in true_pairs for pair in zip(query, template, strict=True)]
    ranks = rank(
        Comparisons.from_arrays([float(s) for s in score], mated_flag, probe_sample=query, reference_sample=template)
    )
    assert (ranks.n_mated, ranks.gallery_size, ranks.missing, int(ranks.tied.sum())) == (85, 257, 0, 0)
    assert cmc(ranks, 5) == pytest.approx(expected, abs=5e-6)


def test_several_true_references_and_ties_are_not_counted_as_pyeer_counts_them():
    """Worked by hand; pyeer's get_cmc_curve gives 1, 1 for the first query alone and 0, 1 for the second alone.

    Query p has two true templates, at places 1 and 2 of the list: pyeer adds one hit for each, so that its curve for p
    and q together is (1 + 0)/2 = .5 at rank 1 and (1 + 0)/2 + (1 + 1)/2 = 1.5, cut to 1, at rank 2. Query q's true
    template ties with a false one: where the false one stands first in the file pyeer ranks it first. Here p has one
    mate, at rank 1, and q's mate stands at rank 1 or 2, which `tied` says.
    """
    ranks = rank(
        Comparisons.from_arrays(
            [9.0, 8.0, 1.0, 5.0, 2.0, 5.0],
            [True, True, False, False, False, True],
            probe_sample=["p", "p", "p", "q", "q", "q"],
            reference_sample=["r1", "r2", "r3", "r1", "r2", "r3"],
        )
    )
    assert ranks.gallery_size == 2
    assert (ranks.above.tolist(), ranks.tied.tolist()) == ([0, 0], [0, 1])


def test_leave_one_out_on_att_faces(reference_data):
    """40 people × 10 images, dlib distances listed once a pair: each image finds its person at rank 1, without ties."""
    ranks = rank(mated.read(reference_data / "att_faces" / "comparisons.csv.gz"))
    assert (ranks.n_mated, ranks.n_open, ranks.gallery_size, ranks.missing) == (400, 0, 40, 0)
    assert ranks.dissimilarity
    assert set(ranks.others.tolist()) == {39}
    assert float(np.mean(ranks.above + ranks.tied == 0)) == 1.0
    assert (ranks.mate_score > ranks.best_other).all()
