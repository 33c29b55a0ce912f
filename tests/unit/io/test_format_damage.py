"""Whatever happens to a file of any format, it is read or refused in one sentence."""

from __future__ import annotations

import random

import pytest

from mated.errors import MatedError
from mated.io import read

MARK = b"\x78\x56\x34\x12\n"
CANDIDATES = b"searchId candidateRank searchRetCode isAssigned templateId score\n"
FILES = {
    "bee": (
        ("a.mtx", b"S2\na\nb\nMF 2 2 " + MARK + b"\0\0\x80?\0\0\0@\0\0\x40@\0\0\0\0"),
        ("mask", b"S2\na\nb\nMB 2 2 " + MARK + b"\xff\x7f\x7f\xff"),
    ),
    "bob": (("a.txt", b"ann ann a1 0.9\nann bob b1 0.2\nbob ann a1 0.3\nbob bob b1 0.8\n"),),
    "frte": (
        ("a.log", b"enrollTempl verifTempl simScore returnCode\n1 7 3.25 0\n1 8 0.5 0\n2 7 -1 5\n"),
        ("key", b"1 7\n"),
    ),
    "frte candidates": (
        (
            "b.log",
            CANDIDATES + b"a 0 0 1 t1 5\na 1 0 1 t2 3\nb 0 0 1 t1 4\nb 1 0 0  -1\nc 0 2 0 NA -1\n",
        ),
        ("key", b"a t1\nb t2\n"),
    ),
    "trials": (
        ("a.txt", b"m1 s1 2.5\nm1 s2 -0.5\nm2 s1 -1\n"),
        ("key", b"m1 s1 target\nm1 s2 nontarget\nm2 s1 nontarget\n"),
    ),
    "line by line": (("b.txt", b"0.5\n0.25\n"), ("key", b"1 id1/a id1/b\n0 id1/a id2/a\n")),
    "pairs": (("c.txt", b"q1 t1 0.9\nq1 t2 0.1\nq2 t1 0.7\n"), ("key", b"q1 t1\n")),
}
SCRAPS = [b"\n", b" ", b",", b";", b"\t", b'"', b"nan", b"\xff", b"\0", b"1e999", b"-", b"a b c\n", b"\xff\xfe", b"\r"]


def damaged(content: bytes, draw: random.Random) -> bytes:
    for _ in range(draw.randint(1, 3)):
        first, second = sorted(draw.choices(range(len(content) + 1), k=2))
        change = draw.randrange(3)
        if change == 0:
            content = content[:first]
        elif change == 1:
            content = content[:first] + draw.choice(SCRAPS) + content[first:]
        else:
            content = content[:first] + content[second:]
    return content


@pytest.mark.parametrize("form", FILES)
def test_a_damaged_file_is_read_or_refused_in_one_sentence(tmp_path, form):
    draw = random.Random(form)
    for _ in range(150):
        options = {"format": "bob"} if form == "bob" else {}
        for number, (name, content) in enumerate(FILES[form]):
            (tmp_path / name).write_bytes(damaged(content, draw) if draw.random() < 0.6 else content)
            if number:
                options[name] = tmp_path / name
        options["nan"] = draw.choice(["refuse", "failure"])
        message = ""
        try:
            read(tmp_path / FILES[form][0][0], **options).tally()
        except MatedError as error:
            message = str(error)
        assert "\n" not in message
        assert not message or str(tmp_path) in message


@pytest.mark.parametrize("text", ['mated,score\n1,"\n', 'mated,score\n",0.5\n', 'mated,score\n1,0.5\n0,"\n'])
def test_a_field_that_is_one_quotation_mark_is_refused_with_its_line(tmp_path, text):
    (tmp_path / "a.csv").write_text(text)
    line = text.count("\n")
    with pytest.raises(MatedError, match=rf"a\.csv, line {line}: a quotation mark is not closed on its line"):
        read(tmp_path / "a.csv")


def test_a_quoted_separator_is_a_field(tmp_path):
    (tmp_path / "a.csv").write_text('mated,score,sign\n1,0.5,","\n0,0.25,""\n')
    assert read(tmp_path / "a.csv").covariates["sign"][0] == ","
