"""Whatever is wrong with a file of any format, one sentence says where and what to do, and nothing else happens."""

from __future__ import annotations

import errno
import gzip
import io
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from broken_files import FRAME, OF_ANY_TEXT, OF_FORMATS, TABLE, WHOLE, arrow, npy, parquet
from mated.cli import main
from mated.errors import MatedError
from mated.io import bytes_in, read
from mated.io.quality_files import read_qualities
from mated.io.scanning import scan

SCANNED = ("table", "lists", "parquet", "arrow", "bob", "bob CSV", "folder", "folder of Parquet")


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)


def with_paths(folder, options):
    """Return options with the path in place of each name of a file."""
    words = ("bob", "trials", "table", "nonmated")
    return {name: value if value in words else folder / value for name, value in options.items()}


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Run the command line in this process, as a person would, and return status, output and message."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["mated", *map(str, arguments)])
        monkeypatch.setattr(main.signal, "signal", lambda *_: None)
        status = 0
        try:
            main.run()
        except SystemExit as done:
            status = done.code
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def arguments_of(folder, whole, options):
    given = [whole.command, *([folder / whole.name] if whole.name else [])]
    for name, value in with_paths(folder, options).items():
        given += [f"--{name.replace('_', '-')}", value]
    return given


def read_whole(folder, whole):
    if whole.command == "quality":
        return read_qualities(folder / whole.options["quality"])
    return read(folder / whole.name if whole.name else None, **with_paths(folder, whole.options))


@pytest.mark.parametrize("form", WHOLE)
def test_the_whole_file_is_read_so_that_only_its_defect_can_be_refused(tmp_path, form):
    write(tmp_path, WHOLE[form].files)
    assert read_whole(tmp_path, WHOLE[form]).notes is not None


@pytest.mark.parametrize("case", OF_FORMATS, ids=str)
def test_a_broken_file_ends_in_one_sentence_and_status_one(tmp_path, command, case):
    write(tmp_path, case.files)
    whole = WHOLE[case.form]
    there = sorted(tmp_path.rglob("*"))
    options = whole.options if case.options is None else case.options
    status, printed, message = command(*arguments_of(tmp_path, whole, options), "--plot", tmp_path / "plots")
    assert status == 1
    assert printed == ""
    assert message.startswith("mated: ")
    assert message.count("\n") == 1
    assert len(message) < 1000
    assert str(tmp_path / case.named) in message
    for words in case.words:
        assert words in message
    assert sorted(tmp_path.rglob("*")) == there


@pytest.mark.parametrize("case", OF_ANY_TEXT, ids=str)
def test_text_that_is_none_is_refused_in_one_sentence(tmp_path, case):
    write(tmp_path, case.files)
    whole = WHOLE[case.form]
    with pytest.raises(MatedError) as refused:
        read_whole(tmp_path, whole)
    message = str(refused.value)
    assert str(tmp_path / case.named) in message
    assert "\n" not in message
    assert len(message) < 1000
    for words in case.words:
        assert words in message


def all_batches(source, options):
    return [batch for part in scan(source, **options).parts for batch in part.batches(("score", "mated"))]


@pytest.mark.parametrize("case", [case for case in (*OF_ANY_TEXT, *OF_FORMATS) if case.form in SCANNED], ids=str)
def test_a_scan_refuses_what_read_refuses_with_the_same_words(tmp_path, case):
    write(tmp_path, case.files)
    whole = WHOLE[case.form]
    options = with_paths(tmp_path, whole.options if case.options is None else case.options)
    if "ids" in options:
        pytest.skip("a scan takes no table of ids")
    with pytest.raises(MatedError) as refused:
        all_batches(tmp_path / whole.name if whole.name else None, options)
    assert str(tmp_path / case.named) in str(refused.value)
    for words in case.words:
        assert words in str(refused.value)


# -- files of other programs -----------------------------------------------------------------------


def zipped(**files):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return held.getvalue()


def arrays():
    held = io.BytesIO()
    np.savez(held, scores=np.ones(3))
    return held.getvalue()


def tar():
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        about = tarfile.TarInfo("scores.csv")
        about.size = len(TABLE)
        archive.addfile(about, io.BytesIO(TABLE))
    return held.getvalue()


FOREIGN = {
    "zip": (zipped(a=TABLE), "is a zip archive; unpack it"),
    "xlsx": (zipped(**{"[Content_Types].xml": "<a/>", "xl/workbook.xml": "<a/>"}), "is an Excel workbook; save"),
    "npz": (arrays(), "is an .npz archive of NumPy; save the array alone with numpy.save"),
    "tar": (tar(), "is a tar archive; unpack it"),
    "tar.gz": (gzip.compress(tar()), "is a tar archive; unpack it"),
    "xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "is an Excel workbook or another document"),
    "7z": (b"7z\xbc\xaf\x27\x1c" + bytes(50), "is a 7z archive"),
    "bzip2": (b"BZh91AY&SY" + bytes(50), "is bzip2 data; unpack it, or pack it with gzip"),
    "xz": (b"\xfd7zXZ\0" + bytes(50), "is xz data"),
    "zstd": (b"\x28\xb5\x2f\xfd" + bytes(50), "is zstd data"),
    "PDF": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "is a PDF document; copy the scores out of it"),
    "RTF": (b"{\\rtf1\\ansi 0.5}", "is an RTF document"),
    "PNG": (b"\x89PNG\r\n\x1a\n" + bytes(50), "is an image; give a file of scores"),
    "JPEG": (b"\xff\xd8\xff\xe0" + bytes(50), "is an image"),
    "HDF5": (b"\x89HDF\r\n\x1a\n" + bytes(50), "is an HDF5 or MATLAB file; save the scores as CSV or Parquet"),
    "MATLAB": (b"MATLAB 5.0 MAT-file, Platform: GLNXA64" + b" " * 80, "is a MATLAB file"),
    "SQLite": (b"SQLite format 3\0" + bytes(50), "is an SQLite database"),
    "pickle": (b"\x80\x04\x95\x10\0\0\0\0\0\0\0}.", "is a Python pickle, which is never loaded"),
    "LFS": (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 12\n", "fetch it with git lfs pull"),
    "HTML": (
        b"\n<!doctype HTML>\n<html><title>Sign in</title>",
        "is a web page (HTML), perhaps one that asks to sign in",
    ),
    "short HTML": (b"<html><body>404, not found</body></html>", "is a web page (HTML)"),
    "XML": (b'\xef\xbb\xbf<?xml version="1.0"?>\n<scores/>', "is XML"),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_file_of_another_program_is_called_by_its_name_whatever_its_ending(tmp_path, kind):
    content, words = FOREIGN[kind]
    for name in ("a.csv", "a.parquet", "a.npy", "a.json", "a.mtx"):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(MatedError) as refused:
            read(tmp_path / name)
        assert str(tmp_path / name) in str(refused.value)
        assert words in str(refused.value)


def test_text_that_begins_like_nothing_known_is_read(tmp_path):
    for start in ("PK", "BZh", "<1>", "7z", "GIF", "version", "%", "MATLAB", "{"):
        (tmp_path / "a.csv").write_text(f"site,mated,score\n{start},1,0.5\nb,0,0.25\n")
        assert len(read(tmp_path / "a.csv")) == 2


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_marks_and_line_ends_of_any_system_are_no_defect(tmp_path, mark, end):
    (tmp_path / "a.csv").write_bytes(mark + TABLE.replace(b"\n", end))
    assert read(tmp_path / "a.csv").score.tolist() == FRAME["score"].to_list()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_wide_text_with_its_mark_is_no_defect(tmp_path, encoding):
    (tmp_path / "a.csv").write_bytes(TABLE.decode().replace("ann", "安").encode(encoding))
    assert read(tmp_path / "a.csv").n_subjects == 2


# -- what there is in place of a file --------------------------------------------------------------


def test_a_missing_file_a_folder_and_a_pattern_without_files_get_a_sentence(tmp_path, command):
    (tmp_path / "empty").mkdir()
    for given, words in (
        ("none.csv", "there is no file"),
        ("empty", "is a directory without a file that ends in"),
        ("*.csv", "no file matches"),
    ):
        status, printed, message = command("verify", tmp_path / given)
        assert (status, printed) == (1, "")
        assert str(tmp_path / given) in message
        assert words in message


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.npy", "a.json", "a.mtx"])
def test_a_file_that_may_not_be_read_gets_a_sentence(tmp_path, command, monkeypatch, name):
    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    path = tmp_path / name
    path.write_bytes(TABLE)
    path.chmod(0)
    if os.access(path, os.R_OK):  # root may read any file
        monkeypatch.setattr(Path, "open", refuse)
    status, _, message = command("verify", path)
    assert status == 1
    assert f"{path} cannot be read: {os.strerror(errno.EACCES)}" in message


def test_a_path_that_is_none_gets_a_sentence(tmp_path, monkeypatch):
    with pytest.raises(MatedError, match=r"^'probe_subject.*'… cannot be read: .*; give the path of a file$"):
        read(TABLE.decode() * 100)
    with pytest.raises(MatedError, match=r"^there is no file 'mated,score\\n1,0\.5'; check the path$"):
        read("mated,score\n1,0.5")
    monkeypatch.setattr(Path, "stat", lambda *_, **__: (_ for _ in ()).throw(PermissionError(errno.EACCES, "No")))
    with pytest.raises(MatedError, match=r"a\.csv cannot be read: No; give the path of a file"):
        read(tmp_path / "a.csv")


def test_a_conversion_that_fails_leaves_no_file(tmp_path, command):
    (tmp_path / "a.csv").write_bytes(TABLE[:-5])
    status, _, message = command("convert", tmp_path / "a.csv", tmp_path / "b.parquet")
    assert status == 1
    assert "line 5 has 2 fields instead of 3" in message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv"]


# -- data frames -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (FRAME.drop("score"), "has no score column"),
        (FRAME.drop("probe_subject"), "does not say which comparisons are mated"),
        (FRAME.head(0), "has no rows"),
        (pl.DataFrame(), "has no columns"),
        (FRAME.with_columns(score=pl.Series([0.9, float("nan"), 0.8, 0.1])), "row 2, column 'score': the score is NaN"),
        (FRAME.with_columns(score=pl.lit("x")), "row 1, column 'score': the score 'x' is not a number"),
        (FRAME.with_columns(probe_subject=pl.Series(["a", None, "b", "b"])), "row 2, column 'probe_subject': there is"),
        (FRAME.with_columns(mated=pl.lit(1)), "row 2: the comparison is marked mated, but its subjects differ"),
    ],
)
def test_a_data_frame_is_refused_with_row_and_column(frame, words):
    with pytest.raises(MatedError) as refused:
        read(frame)
    assert "the data frame" in str(refused.value)
    assert words in str(refused.value)


# -- trials that disagree, where a table may list them ------------------------------------------------


def test_a_table_may_list_a_pair_again_and_inspect_counts_those_that_disagree(tmp_path, command):
    """A table may hold several attempts of one pair; only trials, whose pairs name a comparison, refuse them."""
    names = "probe_subject,reference_subject,probe_sample,reference_sample,score"
    (tmp_path / "a.csv").write_text(f"{names}\na,a,1,2,0.5\na,a,1,2,0.75\na,b,1,3,0.25\n")
    assert len(read(tmp_path / "a.csv")) == 3
    status, printed, _ = command("inspect", tmp_path / "a.csv", "--json")
    assert status == 0
    assert '"disagreeing": 1' in printed


# -- lines without end -----------------------------------------------------------------------------

LONG = {form: WHOLE[form] for form in WHOLE if form not in ("npy", "parquet", "arrow", "stream", "bee", "dasec")}


@pytest.mark.parametrize("form", [form for form in LONG if form != "folder of Parquet"])
def test_a_line_longer_than_any_is_refused_by_its_number(tmp_path, command, monkeypatch, form):
    monkeypatch.setattr(bytes_in, "_LONGEST_LINE", 1 << 12)
    monkeypatch.setattr(bytes_in, "_PIECE", 100)
    whole = LONG[form]
    for name in whole.damage or tuple(whole.files)[:1]:
        text = whole.files[name]
        write(tmp_path, whole.with_file(name, text + b"1" * (1 << 13)))
        status, _, message = command(*arguments_of(tmp_path, whole, whole.options))
        assert status == 1
        assert f"{tmp_path / name}, line {text.count(10) + 1}: the line is longer than" in message


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no device of endless zeros")  # noqa: PTH110
def test_a_device_that_never_ends_is_refused(command, monkeypatch):
    monkeypatch.setattr(bytes_in, "_LONGEST_LINE", 1 << 20)
    status, _, message = command("verify", "/dev/zero")
    assert status == 1
    assert "/dev/zero, line 1: the line is longer than 1 MiB" in message


def test_json_too_large_to_hold_is_refused_packed_or_not(tmp_path, monkeypatch):
    monkeypatch.setattr("mated.io.dasec_json._LARGEST", 1 << 20)
    for name, content in (("a.json", b"{" + b" " * (2 << 20)), ("b.json.gz", gzip.compress(b"{" + b" " * (2 << 20)))):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(MatedError, match=rf"{name} has more than 1 MiB; JSON is held in memory, so write"):
            read(tmp_path / name)


SPARSE = {
    "a.csv": (b"mated,score\n1,0.", b"", ()),
    "matrix.csv": (b",ann,bob\nann,0.9,0.2\nbob,0.1,", b"", ()),
    "bob.txt": (b"ann ann a1 0.9\nann bob b1 ", b"", ("--format", "bob")),
    "trials.txt": (b"m1 s1 2\nm1 s2 ", b"", ("--key", "key")),
    "frte.log": (b"enrollTempl verifTempl simScore returnCode\n1 7 3.25 0\n1 8 ", b"", ("--key", "key")),
    "dasec.json": (b'{"similarity_scores": {"type": "mated", "scores_by_pair_ids": {"A-', b"", ()),
    "list.txt": (b"1\n2\n", b"", ("--nonmated", "other.txt")),
    "a.npy": (b"\x93NUMPY\2\0\xff\xff\xff\xff{'descr': '<f8', ", b"", ()),
    "a.parquet": (b"PAR1", b"\xff\xff\xff\xffPAR1", ()),
    "a.arrow": (b"ARROW1\0\0", b"\xff\xff\xff\x7fARROW1", ()),
    "a.mtx": (b"S2\na\nb", b"", ()),
}
CHILD = """
import resource, sys
from pathlib import Path
from mated.cli import main
main.signal.signal = lambda *_: None
for line in sys.stdin.read().splitlines():
    sys.argv = ["mated", *line.split("\\t")]
    try:
        main.run()
    except SystemExit as done:
        print("status", done.code)
said = Path("/proc/self/status")
if said.exists():
    print("peak", next(line.split()[1] for line in said.read_text().splitlines() if line.startswith("VmHWM")))
else:
    print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


@pytest.mark.skipif(not sys.platform.startswith(("linux", "darwin")), reason="needs files with holes")
def test_ten_gigabytes_without_a_line_end_are_refused_in_bounded_memory(tmp_path):
    """One file of 10 GB a format, with nothing in it but a beginning; all of them within 400 MB and seconds."""
    (tmp_path / "key").write_bytes(b"m1 s1 target\nm1 s2 nontarget\n")
    (tmp_path / "other.txt").write_bytes(b"1\n2\n")
    lines = []
    for name, (start, end, options) in SPARSE.items():
        with (tmp_path / name).open("wb") as file:
            file.write(start)
            file.truncate(10 << 30)
            file.seek((10 << 30) - len(end))
            file.write(end)
        given = ["--mated", name] if "--nonmated" in options else [name]
        lines.append("\t".join(["verify", *given, *options]))
    child = [sys.executable, "-c", CHILD]
    done = subprocess.run(
        child, input="\n".join(lines), capture_output=True, text=True, cwd=tmp_path, check=True, timeout=120
    )
    assert done.stdout.splitlines()[:-1] == ["status 1"] * len(SPARSE)
    messages = done.stderr.splitlines()
    assert len(messages) == len(SPARSE)
    for name, message in zip(SPARSE, messages, strict=True):
        assert message.startswith("mated: ")
        assert name in message
    assert int(done.stdout.split()[-1]) < 400_000


def test_long_values_and_many_names_are_shown_in_short(tmp_path):
    for text in (
        "mated,score\n1," + "x" * 100_000,
        "mated,score\n1," + "7" * 100_000,
        "mated," + "s" * 100_000 + "\n1,2",
    ):
        (tmp_path / "a.csv").write_text(text + "\n0,2\n")
        with pytest.raises(MatedError) as refused:
            read(tmp_path / "a.csv")
        assert len(str(refused.value)) < 1000
    (tmp_path / "a.csv").write_text("mated," + ",".join(f"x{k}" for k in range(5000)) + "\n1" + ",1" * 5000 + "\n")
    with pytest.raises(MatedError, match=r"'x28' and 4971 more; name it with --score-column"):
        read(tmp_path / "a.csv")


def test_a_quoted_field_longer_than_the_csv_module_takes_is_no_defect(tmp_path):
    (tmp_path / "a.csv").write_text('mated,score,remark\n1,0.5,"' + "x" * 200_000 + '"\n0,0.25,y\n')
    assert len(read(tmp_path / "a.csv")) == 2


def test_streams_and_arrays_that_hold_more_than_one_thing_are_refused_packed_too(tmp_path):
    (tmp_path / "a.npy.gz").write_bytes(gzip.compress(npy(np.ones((2, 2))) * 2))
    with pytest.raises(MatedError, match="bytes after its array"):
        read(tmp_path / "a.npy.gz", ids=["a", "b"])
    for content in (parquet(FRAME)[:-1], arrow(FRAME)[:-1]):
        (tmp_path / "a.parquet.gz").write_bytes(gzip.compress(content))
        with pytest.raises(MatedError, match="is not a whole"):
            read(tmp_path / "a.parquet.gz")
