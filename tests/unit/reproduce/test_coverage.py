"""The coverage study: its truths, its exact table, and that it gives the same numbers however it is run."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest
from scipy import stats

from mated.errors import MatedError
from mated.evaluation.verify import verify
from mated.reproduce import coverage
from mated.reproduce.coverage_cells import (
    DEFAULT,
    EER,
    FMR_AT_THRESHOLD,
    FNMR_AT_FMR,
    FNMR_AT_THRESHOLD,
    INDEPENDENT,
    BinormalCell,
    Interval,
    SubjectCell,
    exact_coverage,
    simulate,
)
from mated.reproduce.coverage_truth import TRUTH, binormal_eer, binormal_tmr, compute_truth
from mated.synthetic.identities import VELDHUIS_RAJA_2023

TINY = (SubjectCell(20, 3, runs=20, replicates=100), BinormalCell(2_000, runs=20, replicates=100))


def nothing(done: int, total: int) -> None:
    assert 0 < done <= total


# -- truth --------------------------------------------------------------------------------------------


def test_the_stored_truth_is_what_the_model_gives():
    for name, value in asdict(compute_truth()).items():
        assert getattr(TRUTH, name) == pytest.approx(value, abs=2e-10), name


def test_the_truth_agrees_with_simulated_pairs_within_their_error():
    """A million independent pairs of each class, scored from the two densities themselves."""
    rng, pairs, v = np.random.default_rng(20), 1_000_000, np.array(VELDHUIS_RAJA_2023)
    person, first, second, other = (rng.standard_normal((pairs, 4)) for _ in range(4))

    def rate_of(x: np.ndarray, y: np.ndarray, below: float | None = None, above: float | None = None) -> float:
        apart = (x**2 + y**2 - 2 * v * x * y) / (1 - v**2)
        score = (-0.5 * apart - 0.5 * np.log(1 - v**2) + 0.5 * (x**2 + y**2)).sum(axis=1)
        return float(np.mean(score < below if below is not None else score >= above))

    one_person = [np.sqrt(v) * person + np.sqrt(1 - v) * capture for capture in (first, second)]
    two_people = (person, other)
    found = [
        (rate_of(*two_people, above=TRUTH.threshold), 1e-2),
        (rate_of(*two_people, above=TRUTH.high_threshold), 1e-4),
        (rate_of(*one_person, below=TRUTH.threshold), TRUTH.fnmr),
        (rate_of(*one_person, below=TRUTH.low_threshold), 1e-2),
    ]
    for simulated, truth in found:
        assert abs(simulated - truth) < 4 * np.sqrt(truth * (1 - truth) / pairs)


def test_the_equal_error_rate_is_where_both_simulated_rates_meet():
    cell = SubjectCell(400, 2, runs=1, replicates=2)
    values = [verify(cell.draw(np.random.default_rng(seed))).eer().value for seed in range(12)]
    assert abs(np.mean(values) - TRUTH.eer) < 4 * np.std(values, ddof=1) / np.sqrt(len(values))


def test_binormal_truths_lie_on_the_normal_curves():
    threshold = stats.norm.isf(1e-3)
    assert binormal_tmr(1e-3) == pytest.approx(stats.norm.sf(threshold, loc=3), rel=1e-12)
    assert binormal_eer() == pytest.approx(stats.norm.sf(1.5), rel=1e-12)


# -- exact coverage -----------------------------------------------------------------------------------


@pytest.mark.parametrize("expected", [1.0, 30.0])
@pytest.mark.parametrize(("method", "scipy_name"), [("Wilson", "wilson"), ("Clopper–Pearson", "exact")])
def test_exact_coverage_agrees_with_intervals_of_scipy(expected, method, scipy_name):
    rate, held, width = expected / 10_000, 0.0, 0.0
    for count in range(150):
        weight = stats.binom.pmf(count, 10_000, rate)
        low, high = stats.binomtest(count, 10_000).proportion_ci(0.95, method=scipy_name)
        held += weight * (low <= rate <= high)
        width += weight * (high - low)
    row = next(row for row in exact_coverage(expected) if row.method == method)
    assert row.coverage == pytest.approx(held, abs=1e-9)
    assert row.width_ratio == pytest.approx(width / (2 * stats.norm.ppf(0.975) * np.sqrt(rate * (1 - rate) / 1e4)))


def test_without_errors_the_normal_interval_and_the_bootstrap_miss_by_having_no_width():
    """With half an error expected no error occurs with probability e^-½ = .607, and the rest is 39.3 %."""
    rows = {row.method: row for row in exact_coverage(0.5)}
    assert rows["normal"].coverage == pytest.approx(1 - np.exp(-0.5), abs=1e-3)
    assert rows["percentile bootstrap"].coverage < 0.4
    assert min(row.coverage for name, row in rows.items() if name.startswith(DEFAULT)) > 0.95


def test_the_exact_percentile_bootstrap_is_the_limit_of_resampling():
    rng, (trials, errors) = np.random.default_rng(5), (400, 12)
    drawn = np.quantile(rng.binomial(trials, errors / trials, 200_001), [0.025, 0.975])
    assert drawn.tolist() == stats.binom.ppf([0.025, 0.975], trials, errors / trials).tolist()


# -- simulated coverage -------------------------------------------------------------------------------


def test_default_rows_hold_what_a_user_gets_by_default():
    cell = SubjectCell(30, 3, runs=1, replicates=150)
    stream = np.random.SeedSequence(8)
    rows = {(row.statistic, row.method.startswith(INDEPENDENT)): row for row in cell.run(np.random.SeedSequence(8))
            if row.method.startswith((DEFAULT, INDEPENDENT))}  # fmt: skip
    data, boot = stream.spawn(2)
    v = verify(cell.draw(np.random.default_rng(data)))
    seed = int(boot.generate_state(1, np.uint64)[0] >> 1)
    for blind, intervals in ((False, "auto"), (True, "iid")):
        b = v.bootstrap(150, rng=seed, intervals=intervals)
        for statistic, estimate in (
            (FNMR_AT_THRESHOLD, b.at_threshold(TRUTH.threshold).fnmr),
            (FMR_AT_THRESHOLD, b.at_threshold(TRUTH.threshold).fmr),
            (FNMR_AT_FMR, b.at_fmr(0.01).fnmr),
            (EER, b.eer().eer),
        ):
            row = rows[statistic, blind]
            assert (row.value, row.low, row.high) == (estimate.value, estimate.low, estimate.high), statistic


def test_coverage_and_width_are_counted_from_the_intervals():
    cell = SubjectCell(20, 3, runs=4, replicates=2)
    ends = [(0.5, 0.7), (0.6, 0.9), (0.1, 0.2), (0.69, 0.7)]
    values = (0.6, 0.7, 0.2, 0.7)
    runs = [[Interval(FNMR_AT_THRESHOLD, "hand", value, *end)] for value, end in zip(values, ends, strict=True)]
    (row,) = coverage.summarise(cell, runs)
    assert (row.runs, row.coverage, row.above) == (4, 0.5, 0.25)
    assert row.width_ratio == pytest.approx(0.1525 / (2 * 1.959964 * np.std(values, ddof=1)))
    assert row.mc_se == pytest.approx(0.25)
    assert row.expected_errors == pytest.approx(TRUTH.fnmr * 60)


def test_the_same_seed_gives_the_same_intervals_on_one_and_on_two_processes():
    one = simulate(TINY, seed=5, jobs=1, progress=nothing)
    assert one == simulate(TINY, seed=5, jobs=2, progress=nothing)
    assert [len(runs) for runs in one] == [20, 20]
    assert one[0] != simulate(TINY[:1], seed=6, jobs=1, progress=nothing)[0]


def test_more_runs_leave_the_first_ones_as_they_were():
    few, more = (SubjectCell(20, 3, runs=runs, replicates=20) for runs in (2, 5))
    first, longer = (simulate([cell], seed=1, jobs=1, progress=nothing)[0] for cell in (few, more))
    assert longer[:2] == first


def test_a_study_writes_its_files_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setitem(coverage.PLANS, "small", TINY)
    seen: list[tuple[int, int]] = []
    files = coverage.run(tmp_path / "out", seed=2, size="small", jobs=1, progress=lambda *at: seen.append(at))
    assert sorted(files) == sorted((tmp_path / "out").iterdir())
    assert {file.name for file in files} == {"coverage.csv", "coverage.md", "coverage.png", "coverage.svg"}
    assert seen[-1][0] == seen[-1][1]
    lines = (tmp_path / "out" / "coverage.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("data,cell,statistic,method,")
    assert "runs,coverage,mc_se,mean_width_ratio" in lines[0]
    assert len(lines) == 1 + len(coverage.EXPECTED) * 6 + 16 + 2
    page = (tmp_path / "out" / "coverage.md").read_text(encoding="utf-8")
    assert all(part in page for part in ("## The requirement", "20×3", "f·N = 2"))


def test_both_sizes_hold_what_the_documentation_promises():
    for plan, runs in (("small", 200), ("full", 2000)):
        assert all(cell.runs >= runs for cell in coverage.PLANS[plan])
    assert {cell.name for cell in coverage.PLANS["full"] if isinstance(cell, SubjectCell)} == {
        "30×5", "100×2", "100×5", "100×10", "300×5", "300×10",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "said"), [({"size": "huge"}, "no size 'huge'"), ({"jobs": 0}, "one process"), ({"seed": -1}, "a seed")]
)
def test_bad_options_are_refused_in_a_sentence(tmp_path, options, said):
    with pytest.raises(MatedError, match=said):
        coverage.run(tmp_path, **{"seed": 1, "size": "small", "jobs": 1, "progress": nothing, **options})
