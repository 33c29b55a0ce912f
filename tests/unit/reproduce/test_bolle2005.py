"""The experiment bolle2005: stand-ins, the CMCs of a data set by slow counts, and what a run leaves."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from mated.reproduce import experiment
from mated.reproduce.bolle2005 import DRAWS, PUBLISHED, run
from mated.reproduce.bolle2005_searches import GALLERY, MODELS, SEARCHES, draw_scores, measure

if TYPE_CHECKING:
    from pathlib import Path

SEED = 1  # the default of the command
SMALL = {"people": 20, "samples": 4}


def nothing(done: int, total: int) -> None:
    assert 0 < done <= total


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("bolle2005")
    run(directory, seed=SEED, size="small", jobs=1, progress=nothing)
    return directory


def rows(directory: Path, name: str) -> list[dict[str, str]]:
    with (directory / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def values(directory: Path, model: str, quantity: str) -> np.ndarray:
    return np.array(
        [
            float(row["value"])
            for row in rows(directory, "bolle2005")
            if row["model"] == model and row["quantity"] == quantity
        ]
    )


# -- one data set ------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS)
def test_curves_are_those_of_a_slow_count(model):
    matrix = draw_scores(model, SEED, 0, **SMALL)
    found = measure(matrix)
    scores, n = np.asarray(matrix.scores), SMALL["people"]
    owner = np.repeat(np.arange(n), SMALL["samples"] - 1)
    own = scores[np.arange(len(owner)), owner]
    others = scores[owner[:, None] != np.arange(n)]
    rank = np.array([1 + np.sum(np.delete(row, w) > row[w]) for row, w in zip(scores, owner, strict=True)])
    far = np.array([np.mean(others > x) for x in own])
    for k in range(1, n + 1):
        assert found.empirical[k - 1] == pytest.approx(np.mean(rank <= k), abs=1e-12)  # Eq. 4
        assert found.theoretical[k - 1] == pytest.approx(np.mean(stats.binom.cdf(k - 1, n - 1, far)), abs=1e-12)
        typical = stats.binom.cdf(k - 1, n - 1, np.mean(others > own.mean()))
        assert found.narrow[k - 1] == pytest.approx(typical, abs=1e-12)  # Eq. 17
    pairs = found.pairs
    assert pairs.by_mated == pytest.approx(np.mean(own[:, None] > others[None, :]), abs=1e-12)
    assert pairs.measured == pytest.approx(np.mean((n - rank) / (n - 1)), abs=1e-12)
    assert pairs.agree


def test_pairs_that_differ_are_said_to_differ():
    pairs = measure(draw_scores("alike", SEED, 0, **SMALL)).pairs
    assert not type(pairs)(**{**vars(pairs), "predicted": pairs.predicted + 1e-6}).agree


@pytest.mark.parametrize("model", MODELS)
def test_normalising_per_probe_changes_no_rank(model):
    found = measure(draw_scores(model, SEED, 0, **SMALL))
    np.testing.assert_array_equal(found.searches["probe"], found.searches[None])


def test_models_score_the_same_people():
    alike, clear = (np.asarray(draw_scores(model, SEED, 0, **SMALL).scores) for model in ("alike", "clear"))
    factors = clear / ((1 + alike) / 2)
    # One factor a person, of either side: the log factors are a sum of a row's and a column's.
    logs = np.log(factors)
    rows_and_columns = logs.mean(axis=1, keepdims=True) + logs.mean(axis=0, keepdims=True) - logs.mean()
    np.testing.assert_allclose(logs, rows_and_columns, atol=1e-12)
    assert logs.std() > 0.01


def test_data_sets_of_a_seed_differ_and_repeat():
    first, again, other = (np.asarray(draw_scores("alike", 7, number, **SMALL).scores) for number in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


# -- a run -------------------------------------------------------------------------------------------


def test_theory_fits_about_as_published_where_people_are_alike_and_not_where_they_differ(results):
    largest = {model: values(results, model, "empirical minus theoretical, largest") for model in MODELS}
    assert all(len(some) == DRAWS["small"] for some in largest.values())
    assert np.median(np.abs(largest["alike"])) <= PUBLISHED
    assert (largest["calibrated"] < 0).all()  # Eq. 16 promises too much where one threshold is right for all
    assert (largest["clear"] > 3 * PUBLISHED).all()  # and too little where scores mean something else for each


def test_own_false_match_rates_repair_what_differences_between_people_do(results):
    own, pooled = (
        np.abs(values(results, "clear", f"empirical minus {name}, largest")) for name in ("average", "theoretical")
    )
    assert (own < pooled / 2).all()


def test_gain_shows_what_a_search_adds_on_top_of_what_the_theory_misses(results):
    plain, probe, reference = (values(results, "clear", f"gain: {search}") for search in SEARCHES.values())
    np.testing.assert_array_equal(plain, probe)
    assert (plain > 0.05).all()  # nothing is added: Eq. 16 misses it
    assert (reference > plain + 0.05).all()  # ranks change for the better


def test_probability_of_rank_1_in_a_gallery_of_two_is_the_area_under_the_roc(results):
    for model in MODELS:
        area = values(results, model, "gallery of two: area")
        for name in ("by_mated", "by_nonmated", "predicted"):
            np.testing.assert_allclose(values(results, model, f"gallery of two: {name}"), area, atol=1e-9)
        np.testing.assert_allclose(values(results, model, "gallery of two: second"), 1 - area, atol=1e-9)


def test_run_writes_its_files_and_nothing_else(results):
    figures = {f"{name}.{kind}" for name in ("figure6", "section7") for kind in ("svg", "png")}
    assert {file.name for file in results.iterdir()} == figures | {"bolle2005.csv", "figure6.csv", "bolle2005.md"}
    curves = rows(results, "figure6")
    assert len(curves) == GALLERY * len(MODELS)
    assert float(curves[GALLERY - 1]["empirical"]) == float(curves[GALLERY - 1]["theoretical"]) == 1


def test_page_has_the_published_number_beside_ours(results):
    page = (results / "bolle2005.md").read_text(encoding="utf-8")
    assert page.splitlines()[2].startswith("**These are stand-ins, not the original scores.**")
    for model, title in MODELS.items():
        size = np.median(np.abs(values(results, model, "empirical minus theoretical, largest")))
        line = next(line for line in page.splitlines() if line.startswith(f"| {title} ") and "about" in line)
        cells = [cell.strip() for cell in line.split("|")]
        assert cells[2] == f"about {PUBLISHED}"
        assert cells[3] == f"{size:.4f}"
        for search in SEARCHES.values():
            gain = np.median(values(results, model, f"gain: {search}"))
            assert f"| {title}: {search} " in page
            assert f"{gain:+.4f}".replace("-", "−") in page
    assert "(to 1e-12 in every data set)" in " ".join(page.split())


def test_same_seed_gives_the_same_bytes(results, tmp_path):
    steps = []
    files = experiment("bolle2005")(
        tmp_path, seed=SEED, size="small", jobs=2, progress=lambda *step: steps.append(step)
    )
    assert steps[-1] == (DRAWS["small"] + 1, DRAWS["small"] + 1)
    assert files[0].name == "bolle2005.md"
    for file in files:
        if file.suffix in (".csv", ".md", ".svg"):
            assert file.read_bytes() == (results / file.name).read_bytes()
