"""`mated convert` as a person uses it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from mated.cli.main import app
from mated.errors import MatedError
from mated.io import read

TABLE = (
    "probe_subject,reference_subject,probe_sample,reference_sample,score\n"
    "ann,ann,a1,a0,0.75\nann,bob,a1,b0,0.25\nbob,ann,b1,a0,0.5\nbob,bob,b1,b0,1\n"
)


def run(*arguments, check=True):
    """Run the command here; a MatedError comes out as it is, as the one place that prints it is in `main.run`."""
    done = CliRunner().invoke(app, ["convert", *map(str, arguments)])
    if isinstance(done.exception, MatedError):
        raise done.exception
    if check:
        assert done.exit_code == 0, done.output
    return done


@pytest.fixture
def table(tmp_path):
    (tmp_path / "in.csv").write_text(TABLE)
    return tmp_path / "in.csv"


def test_one_line_says_what_was_read_and_written(table, tmp_path):
    done = run(table, tmp_path / "out.parquet")
    size = (tmp_path / "out.parquet").stat().st_size
    assert done.stdout == (
        f"{table}: 4 comparisons read as table (told by the names in its first line), written as parquet to "
        f"{tmp_path}/out.parquet ({size / 1000:.3g} kB)\n"
    )
    assert done.stderr == ""


def test_what_the_format_does_not_hold_goes_to_standard_error_with_how_to_read_it(table, tmp_path):
    done = run(table, tmp_path / "out.txt", "--to", "bob2")
    assert "does not hold subjects" in done.stderr
    assert "read it with --format bob" in done.stderr
    assert done.stdout.count("\n") == 1


def test_a_file_that_exists_is_kept_without_force(table, tmp_path):
    (tmp_path / "out.csv").write_text("precious")
    with pytest.raises(MatedError, match=r"out\.csv exists.*--force"):
        run(table, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "precious"
    run(table, tmp_path / "out.csv", "--force")
    assert len(read(tmp_path / "out.csv")) == 4


def test_several_files_are_all_named(table, tmp_path):
    done = run(table, tmp_path / "out.mtx", "--byte-order", "big")
    for name in ("out.mtx", "out.mask", "out_probe_ids.csv", "out_reference_ids.csv"):
        assert name in done.stdout
    assert np.array_equal(read(tmp_path / "out.mtx").scores, [[0.75, 0.25], [0.5, 1]])


def test_two_lists_are_read_by_options_and_out_alone_is_named(tmp_path):
    (tmp_path / "m").write_text("3\n4\n")
    (tmp_path / "n").write_text("1\n")
    run("--mated", tmp_path / "m", "--nonmated", tmp_path / "n", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "mated,score\n1,3\n1,4\n0,1\n"


@pytest.mark.parametrize(
    "arguments", [["in.csv"], ["a", "b", "c"], ["--mated", "m", "out.csv"], ["a", "b", "--byte-order", "middle"], []]
)
def test_wrong_usage_ends_with_2(arguments):
    assert run(*arguments, check=False).exit_code == 2


def test_reading_options_and_filters_apply(tmp_path):
    (tmp_path / "in.csv").write_text("mated,sensor,distance\n1,A,0.1\n0,A,\n1,B,0.3\n")
    run(tmp_path / "in.csv", tmp_path / "out.csv", "--nan", "failure", "--where", "sensor = 'A'", "--similarity")
    assert (tmp_path / "out.csv").read_text() == "mated,sensor,score\n1,A,0.1\n0,A,\n"


def test_a_mistake_ends_with_1_and_one_sentence_and_leaves_nothing(tmp_path):
    (tmp_path / "in.csv").write_text("mated,score\n1,oops\n")
    code = "from mated.cli.main import run; run()"
    command = [sys.executable, "-c", code, "convert", str(tmp_path / "in.csv"), str(tmp_path / "out.parquet")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"mated: {tmp_path}/in.csv, line 2")
    assert done.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_sizes_are_written_as_people_say_them():
    from mated.cli.convert import byte_size

    assert [byte_size(n) for n in (7, 999, 1000, 1234567, 10**12)] == [
        "7 bytes",
        "999 bytes",
        "1 kB",
        "1.23 MB",
        "1 TB",
    ]
