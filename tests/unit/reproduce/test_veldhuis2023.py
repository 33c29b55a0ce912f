"""The experiment veldhuis2023: its numbers against slow counts, what the paper says, and what a run leaves."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from mated.identification.convergence import ExponentialRoc
from mated.reproduce import experiment
from mated.reproduce import veldhuis2023_published as paper
from mated.reproduce.processes import mapped
from mated.reproduce.veldhuis2023 import CELLS, DRAWS, TARGET, _one, run
from mated.reproduce.veldhuis2023_measured import Cell, Faces, faces_folder, measure
from mated.reproduce.veldhuis2023_statements import COINCIDE, Theory, statements
from mated.synthetic import GaussianIdentities
from mated.verification.individual import average_roc

if TYPE_CHECKING:
    from pathlib import Path

SEED = 1  # the default of the command
TINY = Cell("figure3", 6, 5, 4, "llr")


def nothing(done: int, total: int) -> None:
    assert 0 < done <= total


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("veldhuis2023")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MATED_REFERENCE_DATA", str(directory / "absent"))
        run(directory, seed=SEED, size="small", jobs=1, progress=nothing)
    return directory


def rows(directory: Path, name: str) -> list[dict[str, str]]:
    with (directory / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def facts(directory: Path, name: str) -> dict[str, float]:
    return {row["fact"]: float(row["value"]) for row in rows(directory, "facts") if row["experiment"] == name}


def gap(directory: Path, name: str, *key: str) -> float:
    found = [
        float(row["rms"])
        for row in rows(directory, "gaps")
        if (row["experiment"], row["empirical"], row["roc"], row["estimator"]) == (name, *key)
    ]
    return float(np.median(found))


# -- what is published -------------------------------------------------------------------------------


def test_parameters_are_those_of_table_1():
    assert [(cell.name, cell.n, cell.m, cell.m_g, cell.classifier) for cell in CELLS] == [
        ("figure3", 10, 30, 30, "llr"),
        ("figure4", 10, 30, 30, "cosine"),
        ("figure5", 100, 20, 5, "llr"),
        ("figure6", 100, 20, 5, "cosine"),
    ]
    assert paper.TABLE_1["FRGC-V2 data"] == ((10, 20, 30), (100, 20, 5))
    assert paper.TABLE_1["FVC2006 data"] == paper.TABLE_1["HKPU Cross-Spectral Iris data"] == ((100, 10, 30),)


# -- one data set against slow counts ----------------------------------------------------------------


def slow_measurement(n: int, m: int, scores: np.ndarray) -> dict[str, np.ndarray]:
    """Every quantity by loops over comparisons, from the definitions of section VI."""
    owner = np.repeat(np.arange(n), m)
    linear, step, expected = (np.zeros((n, n)) for _ in range(3))
    grid = np.linspace(0, 1, 20_001)
    for w in range(n):
        own = np.flatnonzero(owner == w)
        mated = np.array([scores[i, j] for i in own for j in own if j < i])
        against = np.sort(scores[np.ix_(own, owner != w)].ravel())
        fmr = np.array([np.mean(against >= t) for t in mated])
        tmr = np.array([np.mean(mated >= t) for t in mated])
        corners = {0.0: 0.0}
        for a, b in zip(fmr, tmr, strict=True):
            corners[a] = max(b, corners.get(a, 0.0))
        corners.setdefault(1.0, 1.0)
        places = sorted(corners)
        roc = np.interp(grid, places, [corners[a] for a in places])
        ranks = []
        for i in own:
            for j in own[own != i]:
                law = np.ones(1)
                for v in set(range(n)) - {w}:
                    p = np.mean(scores[i, owner == v] > scores[i, j])
                    law = np.convolve(law, [1 - p, p])
                ranks.append(np.cumsum(law))
        expected[w] = np.mean(ranks, axis=0)
        for r in range(1, n + 1):
            step[w, r - 1] = np.mean(stats.binom.cdf(r - 1, n - 1, fmr))
            kernel = stats.beta.pdf(grid, r, n - r) if r < n else np.zeros_like(grid)
            linear[w, r - 1] = np.trapezoid(roc * kernel, grid) if r < n else 1.0
    return {"linear": linear, "step": step, "expected": expected}


def test_measured_curves_and_gaps_are_those_of_a_slow_count():
    people = GaussianIdentities().draw(TINY.n, TINY.m, rng=3)
    matrix = people.matrix("llr")
    found = measure(matrix, 3, np.random.default_rng(0))
    slow = slow_measurement(TINY.n, TINY.m, np.asarray(matrix.scores))
    curves = found.curves
    np.testing.assert_allclose(curves.individual["expected"], slow["expected"], atol=1e-12)
    np.testing.assert_allclose(curves.predicted["individual", "step"], slow["step"], atol=1e-12)
    # Trapezoids of width 5e-5 over a ROC with jumps of up to 0.1: an error of up to 5e-5 · 0.1 · n(n - 1).
    np.testing.assert_allclose(curves.predicted["individual", "linear"], slow["linear"], atol=2e-4)
    apart = np.abs(slow["step"].mean(axis=0) - slow["expected"].mean(axis=0))
    whole = found.gaps["expected", "average", "step"]
    assert whole.largest == pytest.approx(apart.max(), abs=1e-12)
    assert whole.at_rank == np.argmax(apart) + 1
    assert whole.rms == pytest.approx(np.sqrt(np.mean(apart**2)), abs=1e-12)
    each = np.abs(slow["step"] - slow["expected"])
    own = found.gaps["expected", "individual", "step"]
    assert own == pytest.approx((each.max(axis=1).mean(), None, np.sqrt((each**2).mean(axis=1)).mean()), abs=1e-12)


def test_facts_are_what_their_names_say():
    found = TINY.draw(SEED, 0)
    curves, grid = found.curves, np.arange(1, 1000) / 1000
    apart = curves.overall(grid) - average_roc(curves.rocs)(grid)
    at_one_tenth = [roc(0.1) for roc in curves.rocs]
    assert found.facts["tmr lowest"] == min(at_one_tenth)
    assert found.facts["tmr deviation"] == pytest.approx(np.std(at_one_tenth, ddof=1))
    assert found.facts["roc above"] == pytest.approx(np.mean(apart >= -1e-12))
    assert found.facts["roc mean"] == pytest.approx(np.mean(np.abs(apart)))
    # A staircase of mated scores without lines between them lies nowhere above the linear ROC.
    assert found.facts["stairs above"] >= found.facts["roc above"]
    assert found.facts["rank 1"] == curves.empirical["expected"][0]
    ratio = found.gaps["expected", "global", "linear"].rms / found.gaps["expected", "average", "linear"].rms
    assert found.facts["rms ratio"] == ratio


def test_drawn_galleries_agree_with_their_expectation_within_their_error():
    people = GaussianIdentities().draw(8, 6, rng=5)
    found = measure(people.matrix("cosine"), 400, np.random.default_rng(1))
    apart = np.abs(found.curves.empirical["drawn"] - found.curves.empirical["expected"])
    # 48 probes with 400 galleries each; mated scores of a probe share them, so no more than 19,200 draws count.
    assert apart.max() < 4 * np.sqrt(0.25 / (48 * 400))


def test_data_sets_of_a_seed_differ_and_repeat():
    first, again, other = TINY.draw(7, 0), TINY.draw(7, 0), TINY.draw(7, 1)
    assert first.gaps == again.gaps
    assert first.facts == again.facts
    assert first.facts != other.facts


def test_data_sets_do_not_depend_on_the_number_of_processes():
    tasks = [(TINY, SEED, number) for number in range(2)]
    one, two = (list(mapped(_one, tasks, jobs)) for jobs in (1, 2))
    assert [measured.gaps for measured in one] == [measured.gaps for measured in two]
    assert [measured.facts for measured in one] == [measured.facts for measured in two]


# -- what the paper says, on the paper's parameters ------------------------------------------------


def test_global_roc_lies_above_the_average_for_the_log_likelihood_ratio(results):
    found = facts(results, "figure5")
    assert found["roc above"] > 0.95
    assert found["stairs above"] > 0.95


def test_global_and_average_roc_coincide_for_the_cosine_and_not_for_the_log_likelihood_ratio(results):
    assert facts(results, "figure6")["roc mean"] < COINCIDE < facts(results, "figure5")["roc mean"]
    assert facts(results, "figure6")["stairs mean"] < COINCIDE / 2


def test_average_roc_predicts_at_least_four_times_better_than_the_global_one(results):
    assert gap(results, "figure5", "expected", "global", "linear") > TARGET * gap(
        results, "figure5", "expected", "average", "linear"
    )
    assert facts(results, "figure5")["rms ratio"] > TARGET


def test_both_sides_of_corollary_2_agree(results):
    for cell in CELLS:
        found = facts(results, cell.name)
        assert found["area cmc"] == pytest.approx(found["area roc"], abs=1e-9)  # nine digits are written


def test_convergence_has_the_rates_of_theorem_2_and_keeps_the_bound():
    theory = Theory.of(ExponentialRoc())
    assert np.log2(theory.convergence.largest[-1] / theory.convergence.largest[-2]) == pytest.approx(-1, abs=0.005)
    assert np.log2(theory.at_rank_1[-1] / theory.at_rank_1[-2]) == pytest.approx(-2, abs=0.01)
    assert (theory.at_rank_1 <= theory.bound_at_rank_1).all()
    assert theory.convergence.within_bound
    assert theory.highest.max() <= 1e-12  # from below
    # cmc(1; n) of Figure 2's ROC by hand at n = 2: a uniform kernel, so the area under the ROC.
    assert ExponentialRoc().cmc(2, [1])[0] == pytest.approx(1 / (1 - np.exp(-50)) - 1 / 50)


# -- a run -------------------------------------------------------------------------------------------


def test_run_writes_every_table_and_figure_and_nothing_else(results):
    names = ["figure1", "figure2", "theorem2", *(cell.name for cell in CELLS)]
    figures = {f"{name}.{kind}" for name in names for kind in ("svg", "png")}
    tables = {"gaps.csv", "facts.csv", "convergence.csv"}
    assert {file.name for file in results.iterdir()} == figures | tables | {"veldhuis2023.md"}
    # Two empirical CMCs, three kinds of ROC, two estimators, four experiments.
    assert len(rows(results, "gaps")) == 2 * 3 * 2 * 4 * DRAWS["small"]


def test_page_sets_every_published_statement_beside_what_was_measured(results):
    page = (results / "veldhuis2023.md").read_text(encoding="utf-8")
    words = " ".join(page.split())
    for name, (where, published) in paper.STATEMENTS.items():
        assert (f"- {where}. Published: {published}. Measured: " in words) == (name != "faces")
    assert "Does not agree" not in page
    assert paper.NOT_PUBLIC in words
    assert "was left out: there is no folder att_faces" in words
    assert f"{gap(results, 'figure5', 'expected', 'average', 'linear'):.4f} |" in page
    assert f"{facts(results, 'figure5')['roc mean']:.4f}" in page
    assert f"{facts(results, 'figure6')['rank 1']:.4f} |" in page
    assert all(f"({name}.svg)" in page for name in ("figure1", "figure2", "theorem2", "figure3", "figure6"))


def test_experiment_is_found_by_its_name():
    assert experiment("veldhuis2023") is run


# -- faces -------------------------------------------------------------------------------------------


def test_absent_faces_are_no_error(monkeypatch, tmp_path):
    monkeypatch.setenv("MATED_REFERENCE_DATA", str(tmp_path))
    assert faces_folder() is None


def test_average_roc_predicts_faces_better_than_the_global_one(reference_data, monkeypatch):
    monkeypatch.setenv("MATED_REFERENCE_DATA", str(reference_data))
    folder = faces_folder()
    assert folder is not None
    found = {f"faces{k}": [Faces(folder, 30, k).draw(SEED, 0)] for k in (128, 8)}
    assert found["faces128"][0].facts["rank 1"] > 0.99
    weak = found["faces8"][0]
    assert weak.facts["rms ratio"] > TARGET
    # People differ and scores mean something else for each: the global ROC predicts too little.
    assert weak.curves.predicted["global", "linear"][0] < weak.facts["rank 1"] - 0.03
    assert weak.facts["roc above"] < 0.5
    cells = {cell.name: [TINY.draw(SEED, 0)] for cell in CELLS}
    lines = [beside.line() for beside in statements({**cells, **found}, Theory.of(ExponentialRoc()))]
    assert sum(line.startswith("- Section VI-B.") for line in lines) == 1
