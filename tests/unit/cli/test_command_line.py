"""The command line as a person uses it: what it prints, where, and with which exit status."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import mated
from mated.synthetic import GaussianIdentities


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    code = "from mated.cli.main import run; run()"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=120
    )


@pytest.fixture(scope="module")
def people():
    return GaussianIdentities((0.8, 0.9, 0.9)).draw(30, 4, rng=1)


@pytest.fixture(scope="module")
def table(people, tmp_path_factory):
    """A CSV file of comparisons with a covariate, and the comparisons themselves."""
    data = people.comparisons("llr", scale=10, decimals=0)
    names = np.array(data.subjects.names)
    sensor = np.where(np.arange(len(data)) % 3 == 0, "old", "new")
    path = tmp_path_factory.mktemp("scores") / "alpha.csv"
    pl.DataFrame(
        {
            "probe_subject": names[data.subjects.probe],
            "reference_subject": names[data.subjects.reference],
            "sensor": sensor,
            "score": data.score.astype(int),
        }
    ).write_csv(path)
    return path, data


def test_the_table_names_the_numbers(table):
    path, _ = table
    done = run("verify", path)
    assert done.returncode == 0, done.stderr
    for words in ("Verification", "alpha", "Equal error rate by definition", "At a false match rate", "wu2008"):
        assert words in done.stdout


def test_json_is_exactly_the_dictionary_of_the_result(table):
    path, _ = table
    done = run("verify", path, "--json", "--fmr", "0.1,1e-2", "--threshold", "30", "--tmr", ".9", "--prior", ".01")
    assert done.returncode == 0, done.stderr
    v = mated.verify(path, name="alpha", fmr=(0.1, 1e-2), threshold=30, tmr=0.9, prior=0.01)
    assert json.loads(done.stdout) == v.bootstrap(2000, rng=1).to_dict()
    without = run(
        "verify",
        path,
        "--json",
        "--fmr",
        "0.1,1e-2",
        "--threshold",
        "30",
        "--tmr",
        ".9",
        "--prior",
        ".01",
        "--bootstrap",
        "0",
    )
    assert json.loads(without.stdout) == v.to_dict()


def test_the_keys_that_others_rely_on_are_there(table):
    result = json.loads(run("verify", table[0], "--json", "--threshold", "30", "--tmr", ".9").stdout)
    assert {"counts", "eer", "at_fmr", "at_tmr", "at_threshold", "auc", "d_prime", "uncertainty"} <= result.keys()
    assert {"mated", "nonmated", "subjects", "failures"} <= result["counts"].keys()
    assert {"value", "threshold", "se", "low", "high", "relative_error", "by_definition"} <= result["eer"].keys()
    assert list(result["eer"]["by_definition"]) == ["wu2008", "nearest", "interpolated", "rocch", "fvc2000"]
    assert {
        "fmr", "tmr", "fnmr", "threshold", "errors_nonmated", "errors_mated", "tmr_se", "tmr_low", "tmr_high",
        "threshold_low", "threshold_high", "fnmr_conservative", "threshold_conservative", "caution",
    } <= result["at_fmr"][0].keys()  # fmt: skip
    assert {"tmr", "fmr", "threshold"} <= result["at_tmr"][0].keys()
    assert {"threshold", "fmr", "fmr_se", "fmr_low", "fmr_high", "tmr", "tmr_se", "tmr_low", "tmr_high"} <= result[
        "at_threshold"
    ][0].keys()
    assert isinstance(result["eer"]["threshold"], int)


def test_two_files_are_two_systems_side_by_side(table, tmp_path):
    path, data = table
    other = tmp_path / "beta.csv"
    pl.DataFrame({"score": data.score, "mated": data.mated.astype(int)}).write_csv(other)
    result = json.loads(run("verify", path, other, "--json").stdout)
    assert list(result["systems"]) == ["alpha", "beta"]
    assert result["systems"]["alpha"]["eer"]["value"] == result["systems"]["beta"]["eer"]["value"]
    # Subjects are known for the first alone.
    assert [s["uncertainty"]["method"] for s in result["systems"].values()] == [
        "subject-level",
        "independent comparisons",
    ]
    assert "beta" in run("verify", path, other).stdout


def test_two_score_lists_are_one_system(tmp_path):
    (tmp_path / "m.txt").write_text("1\n2\n4\n")
    (tmp_path / "n.txt").write_text("0\n1\n4\n")
    result = json.loads(run("verify", "--mated", tmp_path / "m.txt", "--nonmated", tmp_path / "n.txt", "--json").stdout)
    assert result["auc"]["value"] == pytest.approx(2 / 3, abs=1e-16)
    assert result["name"] == "m + n"


def test_groups_are_evaluated_apart(table):
    path, data = table
    result = json.loads(run("verify", path, "--by", "sensor", "--json").stdout)
    assert list(result["groups"]) == ["new", "old"]
    old = np.arange(len(data)) % 3 == 0
    expected = mated.verify(data.score[old & data.mated], data.score[old & ~data.mated])
    assert result["groups"]["old"]["eer"]["value"] == expected.eer().value


def test_a_group_without_mated_comparisons_is_left_out_and_named(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("score,mated,site\n1,1,A\n0,0,A\n0,0,B\n")
    done = run("verify", path, "--by", "site")
    assert done.returncode == 0
    assert "left out, as one class is missing: 'B' (0 mated, 1 non-mated comparisons)" in done.stdout


def test_a_threshold_set_on_one_file_is_used_on_another(table, tmp_path):
    path, data = table
    development = tmp_path / "dev.csv"
    pl.DataFrame({"score": data.score + 5, "mated": data.mated.astype(int)}).write_csv(development)
    dev = mated.verify(development)
    for where, threshold in (("eer", dev.eer().threshold), ("1e-2", dev.at_fmr(1e-2).threshold)):
        done = run("verify", path, "--threshold-from", development, "--threshold-at", where, "--json")
        hter = json.loads(done.stdout)["hter"]
        at = mated.verify(path).at_threshold(threshold)
        assert hter == {"value": (at.fmr + at.fnmr) / 2, "threshold": threshold}


def test_the_mark_at_a_threshold_stands_by_the_rate_that_rests_on_few_errors(tmp_path):
    """Forty false matches and one false non-match at threshold 1."""
    (tmp_path / "mated.txt").write_text("0\n" + "2\n" * 9)
    (tmp_path / "nonmated.txt").write_text("1\n" * 40 + "0\n" * 60)
    lists = ("--mated", tmp_path / "mated.txt", "--nonmated", tmp_path / "nonmated.txt")
    said = run("verify", *lists, "--threshold", "1", "--bootstrap", "0").stdout
    assert "1 40.00 % 10.00 % ! 40 1" in " ".join(said.split())


def test_figures_are_written_where_they_are_asked_for(table, tmp_path):
    done = run("verify", table[0], "--plot", tmp_path / "figures", "--plot-format", "svg,png", "--individual")
    assert done.returncode == 0, done.stderr
    names = sorted(p.name for p in (tmp_path / "figures").iterdir())
    kinds = ("det", "individual", "rates", "roc", "roc_log", "scores")
    assert names == sorted(f"{kind}.{ending}" for kind in kinds for ending in ("png", "svg"))
    assert "12 figures in" in done.stderr


def test_individual_rocs_are_summed_up(table):
    assert "TMR, average ROC" in run("verify", table[0], "--individual").stdout


def test_similarities_read_as_dissimilarities_are_pointed_out(table):
    assert "the AUC is 0.0" in run("verify", table[0], "--dissimilarity").stdout


def test_nan_is_refused_and_counted_only_on_request(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("score,mated\n1,1\nnan,1\n0,0\n")
    refused = run("verify", path)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "line 3" in refused.stderr
    counted = json.loads(run("verify", path, "--nan", "failure", "--json").stdout)
    assert counted["counts"] | {"mated": 1, "failures": 1, "mated_failures": 1} == counted["counts"]


def write(folder, name: str, content: str | bytes):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


BAD = {
    "a missing file": (lambda d: [d / "none.csv"], "none.csv"),
    "an empty file": (lambda d: [write(d, "e.csv", "")], "e.csv"),
    "a header alone": (lambda d: [write(d, "h.csv", "score,mated\n")], "h.csv"),
    "no mated comparison": (lambda d: [write(d, "n.csv", "score,mated\n1,0\n2,0\n")], "no mated comparison"),
    "no non-mated comparison": (lambda d: [write(d, "m.csv", "score,mated\n1,1\n")], "no non-mated comparison"),
    "text for a score": (lambda d: [write(d, "t.csv", "score,mated\n1,1\nhigh,0\n")], "line 3"),
    "a wrong column": (
        lambda d: [write(d, "c.csv", "value,mated\n1,1\n0,0\n"), "--score-column", "skore"],
        "'value', 'mated'",
    ),
    "an FMR above one": (lambda d: [write(d, "f.csv", "score,mated\n1,1\n0,0\n"), "--fmr", "10"], "between 0 and 1"),
    "an FMR of zero": (lambda d: [write(d, "z.csv", "score,mated\n1,1\n0,0\n"), "--fmr", "0"], "between 0 and 1"),
    "a threshold that is text": (
        lambda d: [write(d, "th.csv", "score,mated\n1,1\n0,0\n"), "--threshold", "high"],
        "'high'",
    ),
    "a wrong unit": (lambda d: [write(d, "u.csv", "score,mated\n1.5,1\n0,0\n"), "--unit", "1"], "multiple of the unit"),
    "a truncated gzip": (lambda d: [write(d, "g.csv.gz", b"\x1f\x8b\x08\x00\x00")], "g.csv.gz"),
    "a truncated Parquet": (lambda d: [write(d, "p.parquet", b"PAR1\x00\x00")], "p.parquet"),
    "an unknown figure format": (
        lambda d: [write(d, "ff.csv", "score,mated\n1,1\n0,0\n"), "--plot", d / "x", "--plot-format", "bmp"],
        "bmp",
    ),
    "groups of no column": (lambda d: [write(d, "b.csv", "score,mated\n1,1\n0,0\n"), "--by", "sex"], "no column 'sex'"),
    "a level above one": (lambda d: [write(d, "l.csv", "score,mated\n1,1\n0,0\n"), "--level", "95"], "between 0 and 1"),
    "a single replicate": (
        lambda d: [write(d, "r.csv", "score,mated\n1,1\n0,0\n"), "--bootstrap", "1"],
        "at least 2 bootstrap replicates",
    ),
    "unknown intervals": (
        lambda d: [write(d, "iv.csv", "score,mated\n1,1\n0,0\n"), "--intervals", "wald"],
        "no intervals 'wald'",
    ),
    "one subject only": (
        lambda d: [write(d, "s.csv", "score,mated,probe_subject,reference_subject\n1,1,a,a\n0,1,a,a\n")],
        "no non-mated comparison",
    ),
    "no rates": (lambda d: [write(d, "nf.csv", "score,mated\n1,1\n0,0\n"), "--fmr", ""], "none is given"),
    "a threshold of another orientation": (
        lambda d: [
            write(d, "o.csv", "score,mated\n1,1\n0,0\n"),
            "--threshold-from",
            write(d, "dev.csv", "distance,mated\n0,1\n1,0\n"),
        ],
        "do not agree whether scores are dissimilarities",
    ),
    "individual rates without subjects": (
        lambda d: [write(d, "i.csv", "score,mated\n1,1\n0,0\n"), "--individual"],
        "who was compared",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_sentence_and_status_one(case, tmp_path):
    arguments, words = BAD[case]
    done = run("verify", *arguments(tmp_path))
    assert done.returncode == 1
    assert words in done.stderr
    assert done.stderr.startswith("mated: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_a_matrix_and_ids_of_different_sizes_are_refused(tmp_path):
    np.save(tmp_path / "m.npy", np.eye(3))
    ids = write(tmp_path, "ids.csv", "sample,subject\n1,a\n2,b\n")
    done = run("verify", tmp_path / "m.npy", "--ids", ids)
    assert done.returncode == 1
    assert "3" in done.stderr
    assert "2" in done.stderr


@pytest.mark.parametrize("arguments", [["verify"], ["verify", "--nan", "x", "f"], ["fly"], ["verify", "--mated", "f"]])
def test_wrong_usage_has_status_two(arguments):
    assert run(*arguments).returncode == 2


def test_the_demo_leaves_scores_a_study_and_its_page(tmp_path):
    folder = tmp_path / "demo"
    done = run("demo", folder)
    assert done.returncode == 0, done.stderr
    assert {p.name for p in folder.iterdir()} == {"alpha.csv", "beta.csv", "quality.csv", "study.toml", "report.html"}
    assert done.stdout.splitlines()[-1].endswith((folder / "report.html").resolve().as_uri())
    page = (folder / "report.html").read_text(encoding="utf-8")
    for section in ("Verification", "Systems compared", "Identification", "Quality", "Groups", "Method"):
        assert section in page
    again = run("report", folder / "study.toml", "-o", tmp_path / "again.html", "--bootstrap", "50")
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize("statement", ["import mated", "import mated.cli.main"])
def test_importing_stays_light(statement):
    """The heavy libraries are imported where they are used, so that `mated --help` answers at once."""
    heavy = {"matplotlib", "plotly", "torch", "dask", "numba", "scipy.stats", "polars"}
    code = f"{statement}; import sys; print(*sys.modules)"
    loaded = set(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    )
    assert not heavy & loaded
