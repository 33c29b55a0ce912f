"""A scan's batches, put together, are what `read` gives; bad input is refused with the same sentences."""

from __future__ import annotations

import gzip
import pickle
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from mated.errors import MatedError
from mated.io import Columns, bytes_in, is_large, read, scan, scan_frames, scan_lists, text_blocks
from mated.io.scanning import LARGE_ROWS

ROWS = [
    ("007", "007", "p1", "r1", 0.5, "A", 61, "1.50"),
    ("007", "8", "p1", "r2", 0.25, "B", 20, ""),
    ("8", "8", "p2", "r2", 0.75, "A", 75, "2"),
    ("8", "ann lee", "p2", "r3", 0.125, "A", 33, "3.25"),
    ("ann lee", "ann lee", "p3", "r3", 1.0, "B", 64, "4"),
]
NAMES = ["probe_subject", "reference_subject", "probe_sample", "reference_sample", "score", "sensor", "age", "dose"]
ROLES = ("score", "mated", "probe_subject", "reference_subject", "probe_sample", "reference_sample")


def frame():
    return pl.DataFrame(ROWS, schema=NAMES, orient="row").with_columns(
        pl.col("dose").replace("", None).cast(pl.Float64)
    )


def text(separator=",", end="\n", header=True):
    lines = [NAMES, *ROWS] if header else ROWS
    return "".join(separator.join(map(str, line)) + end for line in lines)


def write(tmp_path, ending):
    path = tmp_path / f"scores{ending}"
    if ending == ".csv":
        path.write_text(text())
    elif ending == ".tsv":
        path.write_text(text("\t", "\r\n"))
    elif ending == ".txt":
        path.write_text("sep=;\n\n" + text(";"), encoding="utf-16")
    elif ending == ".csv.gz":
        path.write_bytes(gzip.compress(text().encode()))
    elif ending == ".parquet":
        frame().write_parquet(path, row_group_size=2)
    else:
        frame().write_ipc(path, record_batch_size=2)
    return path


def whole(scanned, columns):
    batches = [batch for part in scanned.parts for batch in part.batches(columns)]
    assert all(batch.columns == list(columns) for batch in batches)
    return pl.concat(batches)


def check_same(scanned, expected):
    """Compare every column of a scan with the comparisons that were read."""
    known = [role for role in ROLES if role in scanned.knows]
    columns = (*known, *scanned.covariates)
    found = whole(scanned, columns)
    assert found["mated"].dtype == pl.Boolean
    score = found["score"].to_numpy()
    np.testing.assert_array_equal(-score if scanned.dissimilarity else score, expected.score)
    np.testing.assert_array_equal(found["mated"].to_numpy(), expected.mated)
    for what, ids in (("subject", expected.subjects), ("sample", expected.samples)):
        for side in ("probe", "reference"):
            if ids is None or f"{side}_{what}" not in known:
                continue
            names = [(ids.given or ids.names)[code] for code in getattr(ids, side)]
            assert [str(label) for label in found[f"{side}_{what}"]] == names
    assert scanned.covariates == tuple(expected.covariates)
    for name, values in expected.covariates.items():
        np.testing.assert_array_equal(found[name].to_numpy(), values)
        assert found[name].to_numpy().dtype == values.dtype
    assert scanned.notes == expected.notes
    assert (scanned.dissimilarity, scanned.unit) == (expected.dissimilarity, expected.unit)


def refusal(call, *arguments, **options):
    with pytest.raises(MatedError) as error:
        call(*arguments, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


def walk(source=None, columns=("score", "mated"), **options):
    return [batch for part in scan(source, **options).parts for batch in part.batches(columns)]


ENDINGS = [".csv", ".tsv", ".txt", ".csv.gz", ".parquet", ".arrow"]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("where", [None, "sensor = 'A' and age > 60", "probe_subject = '007' or dose is null"])
def test_a_scan_of_a_file_is_the_file(tmp_path, monkeypatch, ending, where):
    monkeypatch.setattr(text_blocks, "BLOCK", 60)
    monkeypatch.setattr(bytes_in, "_PIECE", 16)
    path = write(tmp_path, ending)
    check_same(scan(path, where=where), read(path, where=where))


@pytest.mark.parametrize("ending", ENDINGS)
def test_parts_are_read_again_and_can_be_sent_to_another_process(tmp_path, ending):
    cloudpickle = pytest.importorskip("cloudpickle")
    scanned = scan(write(tmp_path, ending), where="age > 25")
    columns = ("mated", "score", "sensor", "dose")
    first = whole(scanned, columns)
    assert whole(scanned, columns).equals(first)
    assert whole(cloudpickle.loads(cloudpickle.dumps(scanned)), columns).equals(first)
    assert whole(pickle.loads(pickle.dumps(scanned)), columns).equals(first)


def test_row_ranges_follow_row_groups_and_are_the_whole(tmp_path):
    path = write(tmp_path, ".parquet")
    scanned = scan(path, rows_per_part=3)
    assert [part.rows for part in scanned.parts] == [2, 3]
    assert [part.rows for part in scan(path, rows_per_part=4).parts] == [4, 1]
    assert [part.rows for part in scan(path, rows_per_part=1).parts] == [2, 2, 1]  # a row group is not divided
    assert len({part.reads for part in scanned.parts}) == 2
    assert "rows 3 to 5" in scanned.parts[1].name
    check_same(scanned, read(path))
    check_same(scan(path, rows_per_part=1, where="age > 60"), read(path, where="age > 60"))


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet", ".arrow"])
def test_a_folder_is_one_table_with_a_part_a_file(tmp_path, ending):
    for number, rows in enumerate((ROWS[:2], ROWS[2:4], ROWS[4:])):
        path = tmp_path / f"part-{number}{ending}"
        part = pl.DataFrame(rows, schema=NAMES, orient="row")
        if ending == ".parquet":
            part.write_parquet(path)
        elif ending == ".arrow":
            part.write_ipc(path)
        else:
            data = part.write_csv().encode()
            path.write_bytes(gzip.compress(data) if ending.endswith(".gz") else data)
    for source in (tmp_path, str(tmp_path / f"*{ending}"), sorted(tmp_path.iterdir())):
        scanned = scan(source)
        assert len(scanned.parts) == 3
        assert scanned.size == sum(path.stat().st_size for path in tmp_path.iterdir())
        check_same(scanned, read(source))
        check_same(scan(source, where="age > 60"), read(source, where="age > 60"))


def test_folders_that_name_values_add_columns_to_filter_by(tmp_path):
    for sensor, rows in (("A", ROWS[:2]), ("B", ROWS[2:])):
        (tmp_path / f"camera={sensor}").mkdir()
        pl.DataFrame(rows, schema=NAMES, orient="row").write_parquet(tmp_path / f"camera={sensor}" / "part.parquet")
    check_same(scan(tmp_path), read(tmp_path))
    check_same(scan(tmp_path, where="camera = 'B'"), read(tmp_path, where="camera = 'B'"))
    assert len(read(tmp_path, where="camera = 'B'")) == 3


def test_numbers_of_two_types_in_two_files_become_the_wider_type(tmp_path):
    pl.DataFrame({"score": [1, 2], "mated": [1, 0], "age": [1, 2]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"score": [0.5, 2.0], "mated": [1, 0], "age": [1.0, 2.5]}).write_parquet(tmp_path / "b.parquet")
    check_same(scan(tmp_path), read(tmp_path))
    pl.DataFrame({"score": [0.5, 2.0], "mated": [1, 0], "age": ["x", "y"]}).write_parquet(tmp_path / "c.parquet")
    assert refusal(scan, tmp_path) == refusal(read, tmp_path)


def test_whether_a_column_of_text_is_a_number_is_decided_by_all_of_it(tmp_path, monkeypatch):
    monkeypatch.setattr(text_blocks, "BLOCK", 1)
    monkeypatch.setattr(bytes_in, "_PIECE", 8)
    head = "score,mated,whole,real,word,zeros,empty\n"
    (tmp_path / "a.csv").write_text(head + "1,1,1,1,1,10,\n2,0,2,2,2,20,\n")
    (tmp_path / "b.csv").write_text(head + "3,0,,3.5,x,07,\n")
    scanned = scan(tmp_path)
    check_same(scanned, read(tmp_path))
    found = whole(scanned, ("whole", "real", "word", "zeros", "empty"))
    assert found.dtypes == [pl.Int64, pl.Float64, pl.String, pl.String, pl.String]
    check_same(scan(tmp_path, where="zeros <> '10' and real > 1"), read(tmp_path, where="zeros <> '10' and real > 1"))


@pytest.mark.parametrize(
    "lines",
    ["1 0.5\n0 0.25\n-0 1\n", "0.5\t1\n0.25\t-1\n1\t1\n", "a a 0.5\na b 1\n", "a b 0.5\nc d 1\n", "a a 1\n"],
    ids=["flag first", "flag last", "subjects", "subjects that never meet", "one line"],
)
def test_text_without_a_header_is_understood_as_when_read(tmp_path, monkeypatch, lines):
    monkeypatch.setattr(text_blocks, "BLOCK", 1)
    path = tmp_path / "scores.txt"
    path.write_text(lines)
    check_same(scan(path), read(path))


def test_columns_by_number_and_unnamed_first_columns(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("a,b,x,0.5\na,a,y,1\n")
    columns = Columns(score=4, probe_subject=1, reference_subject=2)
    check_same(scan(path, columns=columns), read(path, columns=columns))
    path.write_text(",distance,mated,site\n0,1,1,x\n1,2,0,y\n")
    assert scan(path, format="table").notes
    check_same(scan(path, format="table"), read(path, format="table"))


@pytest.mark.parametrize("kind", ["text", "npy", "fields"])
def test_two_lists_are_two_parts(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(text_blocks, "BLOCK", 1)
    monkeypatch.setattr(scan_lists, "VALUES", 2)
    mated, nonmated = [0.9, 0.8, 0.7], [0.1, 0.2, 0.3, 0.4]
    paths = {}
    for name, scores in (("mated", mated), ("nonmated", nonmated)):
        paths[name] = tmp_path / f"{name}.{'npy' if kind == 'npy' else 'txt'}"
        if kind == "npy":
            np.save(paths[name], np.array(scores))
        else:
            before = "a b " if kind == "fields" else ""
            paths[name].write_text("distance\n" + "".join(f"{before}{score}\n" for score in scores))
    scanned = scan(**paths)
    check_same(scanned, read(**paths))
    assert len(scanned.parts) == 2
    assert scanned.rows == (7 if kind == "npy" else None)
    assert pickle.loads(pickle.dumps(scanned)).parts[0].reads != scanned.parts[1].reads
    assert "without a column 'age'" in refusal(walk, columns=("age",), **paths)


def test_nan_in_lists_is_refused_with_its_place_or_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(text_blocks, "BLOCK", 1)
    monkeypatch.setattr(bytes_in, "_PIECE", 4)
    monkeypatch.setattr(scan_lists, "VALUES", 2)
    (tmp_path / "m.txt").write_text("0.5\n0.6\n0.7\nnan\n")
    np.save(tmp_path / "n.npy", np.array([0.1, 0.2, 0.3, np.nan]))
    ok = tmp_path / "ok.txt"
    ok.write_text("1\n")
    for options in ({"mated": tmp_path / "m.txt", "nonmated": ok}, {"mated": ok, "nonmated": tmp_path / "n.npy"}):
        assert refusal(walk, **options) == refusal(read, **options)
        assert whole(scan(**options, nan="failure"), ("score",))["score"].is_nan().sum() == 1


@pytest.mark.parametrize(
    "source",
    [
        "score,mated\n1,1\n2,0\nx,0\n",
        "score,mated\n1,1\n2,0\n,0\n",
        "score,mated\n1,1\n2,0\nnan,0\n",
        "score,mated\n1,1\n2,maybe\n3,1\n",
        "score,mated\n1,1\n2,\n3,1\n",
        "score,mated\n1,1\n2,0\n3,-1\n",
        "score,mated\n1,1\n2,-1\n3,0\n",
        "score,mated\n1,1\n2,0,7\n",
        "score,mated\n1,1\n2\n",
        "score,mated\n1,1\n2;0\n",
        "score,mated\n1,1\n9007199254740993,0\n",
        'score,mated\n1,1\n2,"0\n',
        "score,mated\n",
        "",
        "\n \n",
        "name,mated\n1,1\n",
        "score,mated,mated\n1,1,1\n",
        "score,probe_subject,reference_subject\n1,a,a\n2,,b\n",
        "score,probe_subject,reference_subject\n1,a,a\n2,NA,b\n",
        "score,probe_subject,reference_subject,mated\n1,a,a,1\n2,a,b,1\n",
        "1 0\n1 0\n0 1\n",
        "a b c d\ne f g h\n",
        b"score,mated\n1,1\n2,\xff\n",
        b"score,mated\n1,1\n2,\x00\n",
        "score,mated\n1,1\n2,0\n".encode("utf-16")[:-1],
    ],
)
def test_bad_text_is_refused_with_the_sentence_of_read(tmp_path, monkeypatch, source):
    path = tmp_path / "scores.csv"
    path.write_bytes(source.encode() if isinstance(source, str) else source)
    expected = refusal(read, path)
    assert refusal(walk, path).replace(" so far", "") == expected
    monkeypatch.setattr(text_blocks, "BLOCK", 1)
    monkeypatch.setattr(bytes_in, "_PIECE", 6)
    assert refusal(walk, path).replace(" so far", "") == expected


def test_a_flag_without_a_header_is_found_by_the_first_lines_and_held_to(tmp_path, monkeypatch):
    path = tmp_path / "scores.txt"
    path.write_text("1 2\n1 0\n3 4\n")
    assert refusal(walk, path) == refusal(read, path)
    monkeypatch.setattr(text_blocks, "BLOCK", 1)
    monkeypatch.setattr(bytes_in, "_PIECE", 4)
    assert "line 3, column 'column 1': this does not say whether the comparison is mated" in refusal(walk, path)


def test_a_count_in_a_message_goes_as_far_as_was_read(tmp_path, monkeypatch):
    path = tmp_path / "scores.csv"
    path.write_text("score,mated\n1,1\n,0\n,0\n")
    assert "line 3, column 'score': the score is missing (2 such scores so far)" in refusal(walk, path)
    pl.DataFrame({"score": [1.0, np.nan, None], "mated": [1, 1, 0]}).write_parquet(tmp_path / "scores.parquet")
    assert "row 2, column 'score': the score is NaN (2 such scores so far)" in refusal(
        walk, tmp_path / "scores.parquet"
    )


@pytest.mark.parametrize("rows_per_part", [None, 2])
def test_errors_in_parquet_name_the_row_of_the_file(tmp_path, rows_per_part):
    path = tmp_path / "scores.parquet"
    data = {"score": [1.0, 2, 3, 4, np.nan, 6], "mated": [1, 0, 0, 1, 1, 0], "age": [9, 1, 9, 1, 9, 9]}
    pl.DataFrame(data).write_parquet(path, row_group_size=2)
    options = {"rows_per_part": rows_per_part}
    assert refusal(walk, path, **options) == refusal(read, path)
    assert refusal(walk, path, where="age > 5", **options) == refusal(read, path, where="age > 5")
    assert "row 5" in refusal(read, path, where="age > 5")
    assert len(read(path, where="age < 5")) == 2


def test_bad_parquet_is_refused_with_the_sentence_of_read(tmp_path):
    path = tmp_path / "scores.parquet"
    frame().write_parquet(path)
    data = path.read_bytes()
    for damaged in (b"", data[: len(data) // 2], data[:-3], b"PAR1" + b"\0" * 50, b"score,mated\n1,1\n"):
        path.write_bytes(damaged)
        assert refusal(scan, path) == refusal(read, path)
    for bad in (
        {"score": ["1", "x"], "mated": [1, 0]},
        {"score": [True, False], "mated": [1, 0]},
        {"score": [1, 2**53 + 1], "mated": [1, 0]},
        {"score": [1.0, 2.0], "mated": [1, None]},
        {"score": [1.0, 2.0], "mated": [1, 5]},
        {"score": [1.0], "probe_subject": [1.5], "reference_subject": [1.5]},
        {"name": [1.0]},
        {"score": pl.Series([], dtype=pl.Float64), "mated": pl.Series([], dtype=pl.Boolean)},
    ):
        pl.DataFrame(bad).write_parquet(path)
        assert refusal(walk, path) == refusal(read, path)


def test_one_side_alone_is_refused_as_when_read(tmp_path):
    path = tmp_path / "scores.parquet"
    pl.DataFrame({"score": [1.0], "mated": [1], "who": ["a"]}).write_parquet(path)
    for columns in (Columns(probe_subject="who"), Columns(reference_sample="who")):
        assert refusal(scan, path, columns=columns) == refusal(read, path, columns=columns)


def test_a_column_that_is_not_there_is_refused(tmp_path):
    path = write(tmp_path, ".csv")
    assert "no further column 'site'; the further columns are: 'sensor'" in refusal(walk, path, columns=("site",))
    pl.DataFrame({"score": [1.0], "mated": [1]}).write_parquet(tmp_path / "s.parquet")
    assert "no column for probe_subject" in refusal(walk, tmp_path / "s.parquet", columns=("probe_subject",))


def test_missing_scores_are_null_where_they_are_failures(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("score,mated\n1,1\n,0\nnan,1\n")
    found = whole(scan(path, nan="failure"), ("score",))["score"]
    assert found.null_count() == 1
    assert np.isnan(found[2])
    pl.DataFrame({"score": [1, None], "mated": [1, 0]}).write_parquet(tmp_path / "s.parquet")
    assert whole(scan(tmp_path / "s.parquet", nan="failure"), ("score",))["score"].to_list() == [1, None]


def test_what_can_only_be_read_whole_is_no_scan(tmp_path):
    (tmp_path / "m.csv").write_text(",a,b\na,1,2\nb,2,1\n")
    np.save(tmp_path / "m.npy", np.eye(2))
    frame().write_ipc_stream(tmp_path / "stream.arrow")
    (tmp_path / "packed.parquet.gz").write_bytes(gzip.compress(write(tmp_path, ".parquet").read_bytes()))
    for name in ("m.csv", "m.npy", "stream.arrow", "packed.parquet.gz"):
        assert scan(tmp_path / name) is None


def test_a_line_without_end_is_refused_in_little_memory(tmp_path):
    path = tmp_path / "scores.csv"
    with path.open("wb") as file:
        file.write(b"score,mated\n0.5,1\n")
        for _ in range(300):
            file.write(b"7" * (1 << 20))
    code = (
        "import resource, sys; from mated.io import scan; from mated.errors import MatedError\n"
        "import polars; before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try: [b for p in scan(sys.argv[1]).parts for b in p.batches(('score', 'mated'))]\n"
        "except MatedError as error: print(error)\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    said, megabytes = done.stdout.strip().split("\n")
    assert "scores.csv, line 3: the line is longer than 64 MiB" in said
    assert int(megabytes) < 250


def test_tables_are_large_by_rows_or_bytes(tmp_path, monkeypatch):
    from dataclasses import replace

    path = write(tmp_path, ".parquet")
    small = scan(path)
    assert not is_large(small)
    assert is_large(replace(small, parts=(replace(small.parts[0], rows=LARGE_ROWS + 1),)))
    monkeypatch.setattr("mated.io.scanning.LARGE_BYTES", 100)
    assert not is_large(small)
    assert is_large(scan(path, where="age > 1"))
    assert is_large(scan(write(tmp_path, ".csv")))
    assert is_large(replace(small, lazy=True))


@pytest.mark.parametrize("where", [None, "sensor = 'A' and age > 60"])
def test_frames_in_memory_are_one_part(monkeypatch, where):
    monkeypatch.setattr(scan_frames, "BATCH", 2)
    for source in (
        frame(),
        frame().to_pandas(),
        frame().to_arrow(),
        frame().with_columns(pl.col("sensor").cast(pl.Categorical)),
    ):
        scanned = scan(source, where=where)
        assert not scanned.lazy
        assert len(scanned.parts) == 1
        check_same(scanned, read(source, where=where))


def test_other_objects_are_no_frames():
    for source in ([1, 2], np.arange(3), pl.DataFrame({"score": [], "mated": []})):
        assert refusal(scan, source) == refusal(read, source)


@pytest.mark.parametrize(
    "lines",
    [
        "ann ann a1 0.9\nann bob b1 0.2\nbob ann a1 0.3\nbob bob b1 0.8\n",
        "ann m1 ann a1 0.9\nann m1 bob b1 0.2\nbob m2 bob b1 0.8\n",
        "ann x ann x 0.9\nann x bob x 0.2\nbob x bob x 0.8\n",
        "ann ann x 0.9\nann ann x 0.2\n",
        "1 0.9\n-1 0.2\n",
        "bio_ref_subject_id,probe_subject_id,probe_key,score\na,a,p1,0.5\na,b,p2,0.25\n",
    ],
)
def test_a_scan_of_bobs_lists_is_the_list(tmp_path, monkeypatch, lines):
    monkeypatch.setattr(text_blocks, "BLOCK", 1)
    monkeypatch.setattr(bytes_in, "_PIECE", 9)
    path = tmp_path / "scores.txt"
    path.write_text(lines)
    check_same(scan(path, format="bob"), read(path, format="bob"))


def test_a_list_that_is_not_bobs_is_refused_as_when_read(tmp_path):
    path = tmp_path / "scores.txt"
    for lines in ("a b c\nd e f\n", "a b c d\n", "a b c 1\na b 1\n"):
        path.write_text(lines)
        assert refusal(walk, path, format="bob") == refusal(read, path, format="bob")


@pytest.mark.parametrize("scores", [[0.5, -1.0, 0.25, 1.0], [5, -1, 2, 1]])
def test_a_score_that_stands_for_a_failure_is_missing(tmp_path, scores):
    path = tmp_path / "scores.parquet"
    pl.DataFrame({"score": scores, "mated": [1, 1, 0, 0]}).write_parquet(path)
    scanned = scan(path, failure_score=-1)
    assert scanned.nan == "failure"
    found = pickle.loads(pickle.dumps(scanned.parts[0])).batches(("mated", "score"))
    assert pl.concat(list(found))["score"].to_list() == [scores[0], None, *scores[2:]]
    expected = read(path, failure_score=-1)
    assert whole(scanned, ("score",))["score"].drop_nulls().to_list() == expected.score.tolist()
    assert [batch.columns for batch in walk(path, ("mated",), failure_score=-1)] == [["mated"]]
    assert refusal(scan, path, failure_score="x") == refusal(read, path, failure_score="x")
