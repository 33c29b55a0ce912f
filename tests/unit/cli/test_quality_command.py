"""`mated quality` as a person uses it: what it prints, where, and with which exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import NamedTuple

import polars as pl
import pytest
from typer.testing import CliRunner

import mated
from mated.cli.main import app
from mated.errors import MatedError
from mated.io.quality_files import QualityColumns
from mated.io.write import write_comparisons
from mated.synthetic.quality import draw_qualities


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def run(*arguments: object) -> Done:
    """Run the command in this process; what `mated.cli.main.run` makes of an error is done here too."""
    done = CliRunner().invoke(app, ["quality", *map(str, arguments)])
    if isinstance(done.exception, MatedError):
        return Done(1, done.stdout, f"mated: {done.exception}\n")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return Done(done.exit_code, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Scores with pair qualities as a further column, and qualities of their samples."""
    folder = tmp_path_factory.mktemp("quality")
    drawn = draw_qualities((0.1, 1.0), subjects=60, samples=4, nonmated=300, rng=1)
    data = drawn.comparisons()
    write_comparisons(data, folder / "scores.csv", covariates={"pairs": data.score + 1})
    good, weak = drawn.quality.values()
    pl.DataFrame({"sample": drawn.sample_names, "good": good, "weak": weak}).write_csv(folder / "samples.csv")
    return folder / "scores.csv", folder / "samples.csv"


def test_the_table_gives_the_ranking_with_intervals_and_says_what_it_rests_on(files):
    done = run(files[0], "--quality", files[1], "--bootstrap", 200, "--stability", "--scalars")
    assert done.returncode == 0, done.stderr
    for words in (
        "FNM-EDC", "pAUC above", "95 %", "Against", "good", "weak", "Row better than column, share of replicates",
        "with nothing discarded: FNMR 5.000 % (asked for: 5.000 %), 18 errors in 360 mated comparisons, at threshold",
        "only 18 errors to begin with", "intervals: 95 %, 200 replicates of 60 subjects, threshold found anew in each",
        "Placements over", "Measures that discard nothing",
    ):  # fmt: skip
        assert "".join(words.split()) in "".join(done.stdout.split()), words


def test_json_is_exactly_the_dictionary_of_the_result(files):
    arguments = [files[0], "--quality", files[1], "--json", "--curves", "--stability", "--scalars", "--bootstrap", 50]
    done = run(
        *arguments, "--starting-error", ".1", "--limit", ".3", "--pair", "geometric-mean", "--seed", 7, "--level", ".9"
    )
    assert done.returncode == 1, "qualities below 0 have no geometric mean"
    done = run(*arguments, "--starting-error", ".1", "--limit", ".3", "--pair", "mean", "--seed", 7, "--level", ".9")
    assert done.returncode == 0, done.stderr
    expected = mated.quality(
        *files, starting_error=0.1, limit=0.3, pair="mean", rng=7, level=0.9, replicates=50, curves=True,
        stability=True, scalars=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == expected.to_dict()


@pytest.mark.parametrize(
    ("options", "keywords"),
    [
        (["--type", "fm", "--starting-error", ".02"], {"type": "fm", "starting_error": 0.02}),
        (["--type", "cs", "--of", "nonmated"], {"type": "cs", "of": "nonmated"}),
        (["--type", "dprime", "--d-prime", "usual"], {"type": "dprime", "d_prime": "usual"}),
        (["--type", "fc", "--fixed-fnmr", ".1"], {"type": "fc", "fixed": "fnmr", "rate": 0.1}),
        (
            ["--type", "det", "--fractions", "0,.2", "--bins"],
            {"type": "det", "fractions": (0, 0.2), "division": "bins"},
        ),
        (["--among", "all", "--interpolation", "linear"], {"among": "all", "interpolation": "linear"}),
        (["--axis", "samples", "--threshold", "-.9"], {"axis": "samples", "threshold": -0.9}),
        (["--resample", "comparisons", "--hold-threshold"], {"resample": "comparisons", "refind": False}),
        (["--quality-column", "good"], {"quality_columns": QualityColumns(quality=("good",))}),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else "",
)
def test_options_mean_what_the_verb_calls_them(files, options, keywords):
    done = run(files[0], "--quality", files[1], "--json", "--bootstrap", 10, *options)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == mated.quality(*files, replicates=10, **keywords).to_dict()
    assert run(files[0], "--quality", files[1], "--bootstrap", 10, *options).returncode == 0


def test_pair_qualities_may_stand_in_the_score_file(files):
    result = json.loads(run(files[0], "--pair-quality", "pairs", "--json", "--bootstrap", 10).stdout)
    assert result["algorithms"]["pairs"]["pauc_relative"] < 0.05  # nearly an oracle


def test_several_quality_files_are_put_together(files, tmp_path):
    table = pl.read_csv(files[1])
    table.select("sample", "good").write_csv(tmp_path / "a.csv")
    table.select("sample", "weak").write_parquet(tmp_path / "b.parquet")
    done = run(
        files[0], "--quality", tmp_path / "a.csv", "--quality", tmp_path / "b.parquet", "--json", "--bootstrap", 10
    )
    assert list(json.loads(done.stdout)["algorithms"]) == ["good", "weak"]


def test_the_dasec_json_needs_no_second_file(tmp_path):
    path = tmp_path / "d.json"
    scores = {f"s-{k}-t-{k}": k for k in range(40)}
    quality = {"q": {f"{side}-{k}": k for k in range(40) for side in "st"}}
    path.write_text(
        json.dumps(
            {
                "similarity_scores": {"type": "mated", "scores_by_pair_ids": scores},
                "quality_scores_by_sample_id_per_algorithm": quality,
            }
        )
    )
    done = run(path, "--json", "--bootstrap", 10)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["algorithms"]["q"]["rank"] == 1
    assert json.loads(done.stdout)["uncertainty"]["resampled"] == "joined samples"


def test_figures_are_written_where_they_are_asked_for(files, tmp_path):
    done = run(files[0], "--quality", files[1], "--plot", tmp_path / "f", "--stability", "--bootstrap", 10)
    assert done.returncode == 0, done.stderr
    names = {p.name for p in (tmp_path / "f").iterdir()}
    kinds = ("curves", "curves_full", "ranks_above", "stability", "placements")
    assert names == {f"quality_{kind}.svg" for kind in kinds}
    assert "5 figures in" in done.stderr
    done = run(files[0], "--quality", files[1], "--plot", tmp_path / "d", "--type", "det")
    assert {p.name for p in (tmp_path / "d").iterdir()} == {"quality_det_1.svg", "quality_det_2.svg"}


def write(folder, name, text):
    (folder / name).write_text(text)
    return folder / name


GOOD = "score,mated,probe_sample,reference_sample\n1,1,a,b\n2,1,c,d\n3,1,a,c\n0,0,a,d\n"
BAD = {
    "no quality": ([], GOOD, "sample,q\na,1\n", "there are no qualities"),
    "quality for nobody": (["q"], GOOD, "sample,q\nx,1\ny,2\n", "quality for no sample that was compared"),
    "a NaN quality": (["q"], GOOD, "sample,q\na,1\nb,nan\n", "q.csv, line 3, column 'q': the quality is NaN"),
    "text for a quality": (["q"], GOOD, "sample,q\na,1\nb,x\n", "line 3, column 'q': the quality 'x' is not a number"),
    "a sample twice": (["q"], GOOD, "sample,q\na,1\na,2\n", "one sample has two qualities, 1 and 2"),
    "an unknown column": (["q", "--sample-column", "id"], GOOD, "sample,q\na,1\n", "has no column 'id'"),
    "an unknown pair column": (["--pair-quality", "z"], GOOD, "", "no column 'z' of pair qualities"),
    "no mated flags": (
        ["q"], "score,probe_sample,reference_sample\n1,a,b\n", "sample,q\na,1\n",
        "does not say which comparisons are mated",
    ),
    "no samples": (["q"], "score,mated\n1,1\n2,1\n", "sample,q\na,1\n", "do not say which samples were compared"),
    "a limit above one": (["q", "--limit", "20"], GOOD, "sample,q\na,1\n", "a discard limit lies above 0"),
    "a limit of zero": (["q", "--limit", "0"], GOOD, "sample,q\na,1\n", "a discard limit lies above 0"),
    "a starting error the data do not allow": (
        ["q", "--bootstrap", "0"], GOOD, "sample,q\na,1\nb,2\nc,3\nd,4\n", "the nearest are 0.333333, 0.666667",
    ),
    "a missing quality file": (["none"], GOOD, "", "there is no file"),
    "a single replicate": (["q", "--bootstrap", "1"], GOOD, "sample,q\na,1\n", "at least 2 bootstrap replicates"),
    "no such comparison": (["q", "--type", "fm"], GOOD[: -len("0,0,a,d\n")], "sample,q\na,1\n", "no non-mated comp"),
    "a figure format": (["q", "--plot", "x", "--plot-format", "bmp"], GOOD, "sample,q\na,1\n", "bmp"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_sentence_and_status_one(case, tmp_path):
    options, scores, qualities, words = BAD[case]
    write(tmp_path, "q.csv", qualities)
    if options and not options[0].startswith("--"):
        options = ["--quality", tmp_path / f"{options[0]}.csv", *options[1:]]
    done = run(write(tmp_path, "scores.csv", scores), *options)
    assert done.returncode == 1
    assert words in done.stderr
    assert done.stderr.startswith("mated: ")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.mark.parametrize(
    "options",
    [["--type", "roc"], ["--pair", "median"], ["--fixed-fmr", ".1", "--fixed-fnmr", ".1"], ["--axis", "people"]],
)
def test_wrong_usage_has_status_two(files, options):
    assert run(files[0], "--quality", files[1], *options).returncode == 2


def test_from_the_shell_results_go_to_standard_output_and_errors_to_the_other(files, tmp_path):
    def shell(*arguments):
        code = "from mated.cli.main import run; run()"
        return subprocess.run(
            [sys.executable, "-c", code, "quality", *map(str, arguments)], capture_output=True, text=True, check=False
        )

    good = shell(files[0], "--quality", files[1], "--json", "--bootstrap", 10)
    assert (good.returncode, good.stderr) == (0, "")
    assert json.loads(good.stdout)["type"] == "fnm"
    bad = shell(files[0], "--quality", write(tmp_path, "q.csv", "sample,q\na,nan\n"))
    assert (bad.returncode, bad.stdout) == (1, "")
    assert bad.stderr.startswith("mated: ")
    assert bad.stderr.count("\n") == 1
