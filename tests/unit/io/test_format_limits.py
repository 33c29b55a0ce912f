"""A line without end is refused before it fills the memory."""

from __future__ import annotations

import gzip
import tracemalloc

import pytest

from mated.errors import MatedError
from mated.io import bytes_in, read

MIB = 1 << 20


@pytest.mark.parametrize("packed", [False, True])
def test_a_line_without_end_is_refused_in_bounded_memory(tmp_path, packed):
    """A sparse file of 10 GB, and 200 MB of one sign in a small gzip; both with one good line before."""
    path = tmp_path / ("scores.csv.gz" if packed else "scores.csv")
    with gzip.open(path, "wb", compresslevel=1) if packed else path.open("wb") as stream:
        stream.write(b"mated,score\n1,0.")
        if packed:
            for _ in range(200):
                stream.write(b"1" * MIB)
        else:
            stream.truncate(10 << 30)
    tracemalloc.start()
    try:
        with pytest.raises(MatedError, match=r"line 2: the line is longer than 64 MiB; a line holds one comparison"):
            read(path, format="table")
        assert tracemalloc.get_traced_memory()[1] < 80 * MIB
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_long_files_of_short_lines_are_read_whatever_ends_them(tmp_path, monkeypatch, end):
    monkeypatch.setattr(bytes_in, "_LONGEST_LINE", 100)
    monkeypatch.setattr(bytes_in, "_PIECE", 7)
    path = tmp_path / "scores.csv"
    path.write_bytes(end.join([b"mated,score", *[b"1,0.5"] * 200, b"0,0.25"]))
    assert len(read(path)) == 201


def test_the_line_that_is_too_long_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(bytes_in, "_LONGEST_LINE", 100)
    monkeypatch.setattr(bytes_in, "_PIECE", 7)
    path = tmp_path / "scores.csv"
    path.write_text("mated,score\n1,0.5\n0," + "1" * 120 + "\n1,0.5\n")
    with pytest.raises(MatedError, match=r"scores\.csv, line 3: the line is longer than"):
        read(path)
    path.write_text("mated,score\n1,0.5\n0,0." + "1" * 90 + "\n1,0.5\n")
    assert len(read(path)) == 3
