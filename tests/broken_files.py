"""Small whole files of every format, and what can be wrong with them: a table of format × defect.

Each row is written by hand: the broken file, the command that reads it, and words that its one sentence must have.
"""

from __future__ import annotations

import gzip
import io
import json
import struct
from dataclasses import dataclass, field

import numpy as np
import polars as pl

__all__ = ["OF_ANY_TEXT", "OF_FORMATS", "WHOLE", "Broken", "Whole", "arrow", "npy", "parquet", "stream"]


def npy(values, **options):
    held = io.BytesIO()
    np.save(held, values, **options)
    return held.getvalue()


def parquet(frame):
    held = io.BytesIO()
    frame.write_parquet(held)
    return held.getvalue()


def arrow(frame):
    held = io.BytesIO()
    frame.write_ipc(held)
    return held.getvalue()


def stream(frame):
    held = io.BytesIO()
    frame.write_ipc_stream(held)
    return held.getvalue()


@dataclass(frozen=True)
class Whole:
    """A file that is read, those beside it, and the options of `read`; `damage` names the files to break."""

    name: str
    files: dict[str, bytes]
    options: dict[str, str] = field(default_factory=dict)
    command: str = "verify"
    damage: tuple[str, ...] = ()

    def with_file(self, name, content):
        return {**self.files, name: content}


@dataclass(frozen=True)
class Broken:
    """One row: the format, what is wrong, the files, and what the sentence says; `named` is the file it names."""

    form: str
    defect: str
    files: dict[str, bytes]
    words: tuple[str, ...]
    named: str
    options: dict[str, str] | None = None

    def __str__(self):
        return f"{self.form}: {self.defect}"


FRAME = pl.DataFrame(
    {
        "probe_subject": ["ann", "ann", "bob", "bob"],
        "reference_subject": ["ann", "bob", "bob", "ann"],
        "score": [0.9, 0.2, 0.8, 0.1],
    }
)
TABLE = FRAME.write_csv().encode()
MATRIX = b",ann,bob\nann,0.9,0.2\nbob,0.1,0.8\n"
ARRAY = npy(np.array([[0.9, 0.2], [0.1, 0.8]]))
MARK = b"\x78\x56\x34\x12\n"
BEE = b"S2\na\nb\nMF 2 2 " + MARK + struct.pack("<4f", 1, 0.5, 0.2, 0.9)
MASK = b"S2\na\nb\nMB 2 2 " + MARK + b"\xff\x7f\x7f\xff"
BOB = b"ann ann a1 0.9\nann bob b1 0.2\nbob ann a1 0.3\nbob bob b1 0.8\n"
BOB_CSV = (
    b"bio_ref_subject_id,probe_subject_id,probe_key,bio_ref_key,score\nann,ann,p1,r1,0.5\nbob,ann,p1,r2,0.2\n"
    b"bob,bob,p2,r2,0.7\n"
)
ONE_TO_ONE = b"enrollTempl verifTempl simScore returnCode\n1 7 3.25 0\n1 8 0.5 0\n2 7 -1 5\n"
CANDIDATES = (
    b"searchId candidateRank searchRetCode isAssigned templateId score\n"
    b"a 0 0 1 t1 5\na 1 0 1 t2 3\nb 0 0 1 t1 4\nb 1 0 0  -1\nc 0 2 0 NA -1\n"
)
QUALITY_LOG = b"id image returnCode quality\n1 i1 0 50\n2 i2 0 60\n3 i3 4 -1\n"
SAMPLES = b"probe_subject,reference_subject,probe_sample,reference_sample,score\nann,ann,i1,i2,0.5\nann,bob,i1,i3,0.2\n"
TRIALS, KEY = b"m1 s1 2.5\nm1 s2 -0.5\nm2 s1 -1\n", b"m1 s1 target\nm1 s2 nontarget\nm2 s1 nontarget\n"
PAIRS, TRUE_PAIRS = b"q1 t1 0.9\nq1 t2 0.1\nq2 t1 0.7\n", b"q1 t1\n"
VOX, VOX_KEY = b"1\n2\n3\n", b"1 a b\n0 a c\n0 a d\n"
DASEC = json.dumps(
    {
        "similarity_scores": {"type": "mated", "scores_by_pair_ids": {"A-B": 0.7, "C-D": 0.3}},
        "quality_scores_by_sample_id_per_algorithm": {"q": {"A": 0.1, "B": 0.2, "C": 0.3, "D": 0.4}},
    },
    indent=1,
).encode()
SIDES = {"probe_ids": "ids.csv", "reference_ids": "ids.csv"}
IDS = b"subject\nann\nbob\n"

WHOLE = {
    "table": Whole("a.csv", {"a.csv": TABLE}),
    "matrix": Whole("a.csv", {"a.csv": MATRIX}),
    "npy": Whole("a.npy", {"a.npy": ARRAY, "ids.csv": IDS}, SIDES, damage=("a.npy", "ids.csv")),
    "parquet": Whole("a.parquet", {"a.parquet": parquet(FRAME)}),
    "arrow": Whole("a.arrow", {"a.arrow": arrow(FRAME)}),
    "stream": Whole("a.arrow", {"a.arrow": stream(FRAME)}),
    "lists": Whole("", {"m.txt": b"1\n2\n", "n.txt": b"0\n1\n"}, {"mated": "m.txt", "nonmated": "n.txt"}),
    "histogram": Whole(
        "",
        {"n.txt": b"3\n2\n1\n", "m.txt": b"1\n2\n"},
        {"mated": "m.txt", "nonmated": "n.txt", "histogram": "nonmated"},
    ),
    "bob": Whole("a.txt", {"a.txt": BOB}, {"format": "bob"}),
    "bob CSV": Whole("a.csv", {"a.csv": BOB_CSV}),
    "bee": Whole("a.mtx", {"a.mtx": BEE, "b.mask": MASK}, {"mask": "b.mask"}, damage=("a.mtx", "b.mask")),
    "frte 1:1": Whole("a.log", {"a.log": ONE_TO_ONE, "key": b"1 7\n"}, {"key": "key"}, damage=("a.log", "key")),
    "frte 1:N": Whole(
        "a.log", {"a.log": CANDIDATES, "key": b"a t1\nb t2\n"}, {"key": "key"}, "identify", ("a.log", "key")
    ),
    "frte quality": Whole("s.csv", {"q.log": QUALITY_LOG, "s.csv": SAMPLES}, {"quality": "q.log"}, "quality"),
    "trials": Whole("a.txt", {"a.txt": TRIALS, "key": KEY}, {"key": "key"}, damage=("a.txt", "key")),
    "trials by line": Whole("a.txt", {"a.txt": VOX, "key": VOX_KEY}, {"key": "key"}, damage=("a.txt", "key")),
    "pairs": Whole("a.txt", {"a.txt": PAIRS, "key": TRUE_PAIRS}, {"key": "key"}, damage=("a.txt", "key")),
    "dasec": Whole("a.json", {"a.json": DASEC}),
    "folder": Whole("set", {"set/a.csv": TABLE, "set/b.csv": TABLE}, damage=("set/b.csv",)),
    "folder of Parquet": Whole(
        "set", {"set/a.parquet": parquet(FRAME), "set/b.parquet": parquet(FRAME)}, damage=("set/b.parquet",)
    ),
}
"""One whole file of each format; without `damage` the first of its files is the one to break."""


def broken(form, defect, content, *words, file=None, options=None):
    whole = WHOLE[form]
    name = file or (whole.damage or tuple(whole.files))[0]
    return Broken(form, defect, whole.with_file(name, content), words, name, options)


# -- what any text can have ------------------------------------------------------------------------

OTHER_MARK = "begins with the byte order mark of UTF-16 and its text is of another byte order or encoding; save"
# The file of a format to break, and the line that a replacement breaks.
TEXTS = (
    ("table", "a.csv", b"ann,bob,0.2", 3),
    ("matrix", "a.csv", b"ann,0.9", 2),
    ("npy", "ids.csv", b"bob", 3),
    ("lists", "m.txt", b"2", 2),
    ("histogram", "n.txt", b"2", 2),
    ("bob", "a.txt", b"ann bob", 2),
    ("bob CSV", "a.csv", b"bob,ann", 3),
    ("frte 1:1", "a.log", b"1 8 0.5", 3),
    ("frte 1:1", "key", b"1 7", 1),
    ("frte 1:N", "a.log", b"a 1 0", 3),
    ("frte 1:N", "key", b"b t2", 2),
    ("frte quality", "q.log", b"2 i2", 3),
    ("trials", "a.txt", b"m1 s2", 2),
    ("trials", "key", b"m1 s2", 2),
    ("trials by line", "a.txt", b"2", 2),
    ("pairs", "a.txt", b"q1 t2", 2),
    ("pairs", "key", b"q1 t1", 1),
    ("folder", "set/b.csv", b"ann,bob,0.2", 3),
)


def of_any_text():
    for form, file, line, number in TEXTS:
        text = WHOLE[form].files[file]
        assert text.count(line) >= 1
        wide = text.decode().encode("utf-16")
        yield broken(form, f"{file} empty", b"", "is empty", file=file)
        yield broken(form, f"{file} of blank lines", b"\n \n", "is empty", file=file)
        yield broken(
            form,
            f"{file} not UTF-8",
            text.replace(line, b"\xe4" + line, 1),
            f"line {number}: the byte 0xe4 is not UTF-8 text; save",
            file=file,
        )
        yield broken(
            form, f"{file} with a byte 0", text.replace(line, b"\0" + line, 1), f"line {number} has a byte 0", file=file
        )
        yield broken(form, f"{file} of UTF-16 cut", wide[:-1], "begins as UTF-16 text and is cut short", file=file)
        yield broken(form, f"{file} with the other mark", b"\xfe\xff" + wide[2:], OTHER_MARK, file=file)
        yield broken(form, f"{file} UTF-8 with the mark of UTF-16", b"\xff\xfe" + text[: len(text) // 2 * 2], file=file)
        yield broken(form, f"{file} of UTF-16 without mark", wide[2:], "if it is UTF-16 text, save it", file=file)
        yield broken(form, f"{file} gzip cut", gzip.compress(text)[:-9], "cut short or damaged gzip data", file=file)
        yield broken(form, f"{file} with a line of U+00A0", "\u00a0\n".encode() + text, file=file)
        yield broken(form, f"{file} with a line of 0x1f", b"\x1f\x1f\n" + text, file=file)
        yield broken(form, f"{file} a web page", b"<!DOCTYPE html>\n<html>\n", "a web page (HTML)", file=file)


# -- truncated, a missing key, duplicates that disagree, mixed separators, wrong values ---------------

SHORT = "complete or remove the line"
ONE_SIGN = "so write one sign"
NOT_A_NUMBER = "is not a number; correct it"
HEADER_ALONE = "has a header and no data"
DASEC_TEXT = DASEC.decode()


def own():
    yield broken("table", "cut in a line", TABLE[:-5], "line 5 has 2 fields instead of 3", SHORT)
    yield broken("table", "cut after the header", TABLE[:38], HEADER_ALONE)
    yield broken("table", "no column of scores", TABLE.replace(b"score", b"skore"), "--score-column", "'skore'")
    yield broken("table", "no key", TABLE.replace(b"probe_subject", b"x"), "does not say which", "--mated-column")
    mixed = TABLE.replace(b"ann,bob,0.2", b"ann;bob;0.2")
    yield broken("table", "mixed separators", mixed, "line 3 has 1 field instead of 3; it has ';'", ONE_SIGN)
    header = TABLE.replace(b"probe_subject,reference_subject,score", b"probe_subject\treference_subject\tscore")
    yield broken("table", "header of another separator", header, "line 2", "the first lines have tabs", ONE_SIGN)
    yield broken("table", "text for a score", TABLE.replace(b"0.2", b"high"), "line 3, column 'score'", NOT_A_NUMBER)
    yield broken("table", "open quotation mark", TABLE.replace(b"ann,bob", b'"ann,bob'), "line 3: a quotation mark")
    flagged = b"probe_subject,reference_subject,mated,score\nann,ann,1,2\nann,bob,1,3\n"
    yield broken("table", "flag and subjects disagree", flagged, "line 3: the comparison is marked mated, but")
    yield broken("table", "two files in one", TABLE + TABLE, "line 6, column 'score': the score 'score'", NOT_A_NUMBER)
    yield broken("table", "many fields", b"0.5," * (1 << 19) + b"1\n", "line 1 has 524289 fields, and at most")

    yield broken("matrix", "cut in a row", MATRIX[:-5], "line 3 has 2 fields instead of 3", SHORT)
    yield broken("matrix", "cut after the header", MATRIX[:9], HEADER_ALONE)
    yield broken("matrix", "row without id", MATRIX.replace(b"bob,0.1", b",0.1"), "line 3: the row has no id")
    yield broken("matrix", "column without id", MATRIX.replace(b"ann,bob\n", b"ann,\n"), "column 3 has no id")
    yield broken("matrix", "mixed separators", MATRIX.replace(b"bob,0.1,0.8", b"bob;0.1;0.8"), "line 3", ONE_SIGN)
    yield broken("matrix", "text for a score", MATRIX.replace(b"0.1", b"x"), "line 3, column 2", NOT_A_NUMBER)
    sampled = {"a.csv": b",1,2\n1,0.9,0.1\n2,0.1,0.8\n", "ids.csv": b"sample,subject\n1,ann\n3,bob\n"}
    missing = ("has no sample for line 3", "add it")
    yield Broken("matrix", "id missing in the table of ids", sampled, missing, "ids.csv", {"ids": "ids.csv"})
    twice = {**sampled, "ids.csv": b"sample,subject\n1,ann\n2,bob\n2,eve\n"}
    disagree = ("line 4: the sample is given to another subject than in line 3",)
    yield Broken("matrix", "ids that disagree", twice, disagree, "ids.csv", {"ids": "ids.csv"})

    for cut in (6, 40, len(ARRAY) - 3):
        yield broken("npy", f"cut at {cut}", ARRAY[:cut], "is not a whole .npy array", "write it again")
    yield broken("npy", "bytes after it", ARRAY + ARRAY, "160 bytes after its array", "write one array alone")
    yield broken("npy", "text", TABLE, "is not a .npy array; write it with numpy.save")
    yield broken("npy", "pickled objects", npy(np.array([[None]]), allow_pickle=True), "which are never loaded")
    yield broken("npy", "three dimensions", npy(np.ones((2, 2, 2))), "of shape (2, 2, 2)")
    yield broken("npy", "header of gigabytes", b"\x93NUMPY\2\0\xff\xff\xff\xff{", "is not a whole .npy array")
    yield broken("npy", "too few ids", b"subject\nann\n", "has 1 ids; they must be as many", file="ids.csv")

    for form, kind in (("parquet", "Parquet"), ("arrow", "Arrow")):
        name, content = next(iter(WHOLE[form].files.items()))
        whole = f"is not a whole {kind} file"
        for cut in (6, len(content) // 2, len(content) - 1):
            yield broken(form, f"cut at {cut}", content[:cut], whole, "write it again")
        yield broken(form, "text", TABLE, whole, "begins as text; name its format")
        yield broken(form, "empty", b"", "is empty")
        big = content[:-8] + b"\xff\xff\xff\x7fPAR1" if form == "parquet" else content[:-10] + b"\xff\xff\xff\x7fARROW1"
        yield broken(form, "a description of 2 GB", big, whole)
        write = parquet if form == "parquet" else arrow
        yield broken(form, "no rows", write(FRAME.head(0)), "has no rows")
        yield broken(form, "no columns", write(pl.DataFrame()), "it holds no scores")
        yield broken(form, "no key", write(FRAME.drop("probe_subject")), "does not say which comparisons are mated")
        yield broken(form, "no score", write(FRAME.drop("score")), "has no score column", "--score-column")
        nulled = write(FRAME.with_columns(score=pl.Series([0.9, None, 0.8, 0.1])))
        yield broken(form, "a missing score", nulled, "row 2, column 'score': the score is missing", "--nan failure")
    streamed = WHOLE["stream"].files["a.arrow"]
    for cut in (8, len(streamed) // 2, len(streamed) - 8):
        yield broken("stream", f"cut at {cut}", streamed[:cut], "is an Arrow stream without its end; it is cut short")
    yield broken("stream", "bytes after it", streamed + b"abc", "without its end")

    yield broken("lists", "text for a score", b"1\nabc\n", "line 2: the score 'abc' is not a number")
    yield broken("lists", "mixed separators", b"a 1\nb;2\n", "line 2: it is not a number", "separated by blanks")
    yield broken("lists", "a table", TABLE, "line 1: it is not a number", "write only the score")
    yield broken("lists", "decimal commas", b"0,5\n", "line 1: the score '0,5'", "write decimals with a point")
    yield broken("lists", "NaN", b"1\nnan\n", "line 2: the score is NaN", "--nan failure")
    yield broken("lists", "an array that is cut", npy(np.ones(5))[:-3], "is not a whole .npy array")
    yield broken("lists", "a header alone", b"score\n", HEADER_ALONE)

    for content, words in ((b"3\n-2\n", "line 2: '-2'"), (b"3\n2.5\n", "line 2: '2.5'"), (b"9" * 20, "line 1: '999")):
        yield broken("histogram", f"{words} for a count", content, words, "is not a count")
    yield broken("histogram", "a blank line", b"3\n\n2\n", "line 2 is blank", "write 0")
    yield broken("histogram", "too many to list", b"99999999999\n", "counts 99999999999 comparisons, and at most")
    yield broken("histogram", "two columns", b"1 3\n2 4\n", "line 1: '1 3' is not a count")

    yield broken("bob", "cut in a line", BOB[:-8], "line 4 has 2 fields instead of 4", SHORT)
    yield broken("bob", "three columns", b"ann ann 0.9\n", "line 1 has 3 fields, and a list of bob has 2")
    yield broken("bob", "mixed separators", BOB.replace(b"bob ann a1 0.3", b"bob,ann,a1,0.3"), "line 3", ONE_SIGN)
    yield broken("bob", "text for a score", BOB.replace(b"0.3", b"x"), "line 3, column 'score'", NOT_A_NUMBER)
    yield broken("bob", "NaN", BOB.replace(b"0.3", b"nan"), "line 3, column 'score': the score is NaN", "--nan failure")
    yield broken("bob", "a class of its own", b"1 0.5\n2 0.3\n", "line 2, column 'class': this does not say")
    yield broken("bob CSV", "cut in a line", BOB_CSV[:-9], "line 4 has 3 fields instead of 5", SHORT)
    yield broken("bob CSV", "a header alone", BOB_CSV[:64], HEADER_ALONE)
    yield broken(
        "bob CSV", "no key", BOB_CSV.replace(b"probe_subject_id", b"x"), "does not say which", "--mated-column"
    )
    yield broken("bob CSV", "one name twice", BOB_CSV.replace(b"bio_ref_key", b"probe_key"), "more than one column")
    yield broken(
        "bob CSV", "mixed separators", BOB_CSV.replace(b"bob,ann,p1,r2,", b"bob;ann;p1;r2;"), "line 3", ONE_SIGN
    )

    yield broken("bee", "cut", BEE[:-3], "is cut short: 2 rows and 2 columns need 35 bytes, and it has 32")
    yield broken("bee", "cut in its header", BEE[:9], "line 4: a BEE matrix has MF")
    yield broken("bee", "too long", BEE + b"x", "is too long", "write it again")
    yield broken("bee", "empty", b"", "is empty")
    for name, content in (("a.mtx", BEE), ("b.mask", MASK)):
        order = content.replace(MARK, b"\x34\x12\x78\x56\n")
        yield broken("bee", f"{name} of no byte order", order, "line 4: the bytes 0x34127856 do not tell", file=name)
    many = BEE.replace(b" 2 2 ", b" " + b"9" * 5000 + b" 2 ")
    yield broken("bee", "a number of 5000 digits", many, "line 4: a BEE matrix has MF")
    yield broken("bee", "a mask that is cut", MASK[:-1], "is cut short", file="b.mask")
    yield broken("bee", "a mask of another size", MASK.replace(b"2 2 ", b"1 4 "), "a mask has as many", file="b.mask")
    yield broken("bee", "a byte of no mask", MASK[:-1] + b"\1", "row 2, column 2: the byte 0x01", file="b.mask")
    yield broken("bee", "a matrix as mask", BEE, "line 4: this is a matrix of scores, and a mask", file="b.mask")
    yield Broken("bee", "no mask", {"a.mtx": BEE}, ("does not say which comparisons are mated", "--mask"), "a.mtx", {})

    yield broken("frte 1:1", "cut in a line", ONE_TO_ONE[:-5], "line 4 has 2 fields instead of 4", SHORT)
    yield broken("frte 1:1", "a header alone", ONE_TO_ONE[:43], HEADER_ALONE)
    comma = ONE_TO_ONE.replace(b"1 8 0.5 0", b"1,8,0.5,0")
    yield broken("frte 1:1", "mixed separators", comma, "line 3", ONE_SIGN)
    again = ONE_TO_ONE + b"1 7 3.5 0\n"
    yield broken("frte 1:1", "trials that disagree", again, "line 5: the pair stands also", "keep one of the scores")
    yield broken(
        "frte 1:1", "no whole code", ONE_TO_ONE.replace(b"-1 5", b"-1 5.5"), "line 4, column 'returnCode': 5.5"
    )
    keyed = b"1 7 target\n1 7 nontarget\n1 8 nontarget\n2 7 nontarget\n"
    yield broken("frte 1:1", "a key that disagrees", keyed, "line 2: the pair stands also", "correct", file="key")
    lone = ("does not say which comparisons are mated", "--key")
    yield Broken("frte 1:1", "no key", {"a.log": ONE_TO_ONE}, lone, "a.log", {})
    missing = ("there is no file", "check the path")
    yield Broken("frte 1:1", "a key that is missing", {"a.log": ONE_TO_ONE}, missing, "key", {"key": "key"})

    yield broken("frte 1:N", "cut in a line", CANDIDATES[:-4], "line 6 has 5 fields instead of 6", SHORT)
    comma = CANDIDATES.replace(b"a 1 0 1 t2 3", b"a,1,0,1,t2,3")
    yield broken("frte 1:N", "mixed separators", comma, "line 3", ONE_SIGN)
    yield broken("frte 1:N", "a rank twice", CANDIDATES.replace(b"a 1", b"a 0"), "line 3: the rank stands twice")
    twice = CANDIDATES.replace(b"t2 3", b"t1 3")
    yield broken("frte 1:N", "candidates that disagree", twice, "line 3: the template stands twice")
    yield broken("frte 1:N", "a key of others", b"x t1\n", "names no mate of any search", file="key")
    lone = ("holds candidate lists, which do not say", "--key")
    yield Broken("frte 1:N", "no key", {"a.log": CANDIDATES}, lone, "a.log", {})

    yield broken("frte quality", "cut in a line", QUALITY_LOG[:-5], "line 4 has 2 fields instead of 4", SHORT)
    comma = QUALITY_LOG.replace(b"2 i2 0 60", b"2,i2,0,60")
    yield broken("frte quality", "mixed separators", comma, "line 3", ONE_SIGN)
    again = QUALITY_LOG + b"1 i1 0 55\n"
    yield broken(
        "frte quality", "qualities that disagree", again, "line 2, and", "line 5, column 'quality': one sample"
    )
    yield broken(
        "frte quality", "no quality", QUALITY_LOG.replace(b"60", b"nan"), "line 3, column 'quality'", "correct"
    )

    yield broken("trials", "cut in a line", TRIALS[:-6], "line 3 has 1 field instead of 3", SHORT)
    yield broken("trials", "mixed separators", TRIALS.replace(b"m1 s2 -0.5", b"m1,s2,-0.5"), "line 2", ONE_SIGN)
    yield broken("trials", "trials that disagree", TRIALS + b"m1 s1 2\n", "line 4: the pair stands also", "keep one")
    yield broken("trials", "a key that is cut", KEY[:-4], "line 3, column 'target or nontarget'", file="key")
    yield broken("trials", "a key that disagrees", KEY + b"m1 s1 nontarget\n", "line 4: the pair", file="key")
    extra = KEY + b"m9 s9 target\n"
    yield broken("trials", "a pair without score", extra, "line 4: the pair has no score in", "add", file="key")
    short = {"a.txt": TRIALS, "key": KEY[:-16]}
    yield Broken("trials", "a trial not in the key", short, ("line 3: the trial has no line in", "add it"), "a.txt")
    yield broken("trials", "a key of four columns", b"1 2 3 4\n", "has 4 columns, and a key has three", file="key")
    no_key = ("does not say which comparisons are mated", "--key")
    yield Broken("trials", "no key", {"a.txt": TRIALS}, no_key, "a.txt", {"format": "trials"})
    yield broken("trials by line", "fewer than the key", VOX[:-2], "has 2 scores and", "must be as many")
    vox = VOX_KEY.replace(b"0 a c", b"0 a b")
    yield broken("trials by line", "a key that disagrees", vox, "line 2: the pair stands also", file="key")

    yield broken("pairs", "cut in a line", PAIRS[:-6], "line 3 has 2 fields instead of 3", SHORT)
    yield broken("pairs", "mixed separators", PAIRS.replace(b"q1 t2 0.1", b"q1;t2;0.1"), "line 2", ONE_SIGN)
    yield broken("pairs", "pairs that disagree", PAIRS + b"q1 t1 0.2\n", "line 4: the pair stands also", "keep one")
    yield broken("pairs", "a key of two signs", TRUE_PAIRS + b"q2,t1\n", "line 2", ONE_SIGN, file="key")
    yield broken("pairs", "a pair without score", TRUE_PAIRS + b"q1 t9\n", "line 2: the pair has no score", file="key")

    yield from of_json()
    yield broken("folder", "a part that is cut", TABLE[:-5], "line 5 has 2 fields instead of 3", SHORT)
    header = TABLE.replace(b"score", b"skore")
    yield broken("folder", "a part of another header", header, "has another header than", "the same columns")
    yield broken("folder", "a part without header", TABLE[38:], "has none; give all parts one")
    mixed = TABLE.replace(b"ann,bob,0.2", b"ann;bob;0.2")
    yield broken("folder", "a part of two separators", mixed, "line 3", ONE_SIGN)
    part = "folder of Parquet"
    yield broken(part, "a part that is cut", parquet(FRAME)[:-9], "is not a whole Parquet file")
    yield broken(part, "a part without a column", parquet(FRAME.drop("score")), "lacks 'score', unlike")
    texts = parquet(FRAME.with_columns(score=pl.lit("x")))
    yield broken(part, "a part of another type", texts, "column 'score' holds String values", "write all parts alike")


def of_json():
    def changed(change):
        content = json.loads(DASEC_TEXT)
        change(content["similarity_scores"])
        return json.dumps(content, indent=1).encode()

    yield broken("dasec", "empty", b"", "is empty")
    yield broken("dasec", "cut", DASEC[:-20], "line 14: this is not JSON", "the file is cut short or damaged")
    yield broken("dasec", "of lines", b'{"score": 1}\n{"score": 2}\n', "line 2: this is not JSON", "CSV or Parquet")
    yield broken("dasec", "no key", changed(lambda block: block.pop("type")), "write 'mated' or 'nonmated'")
    listed = changed(lambda block: block.update(type=["mated"]))
    yield broken("dasec", "a list for a key", listed, "it is ['mated']; write 'mated' or 'nonmated'")
    yield broken("dasec", "no scores", changed(lambda block: block.pop("scores_by_pair_ids")), "is JSON without")
    pairs = DASEC.replace(b'"C-D"', b'"A-B"')
    yield broken("dasec", "pairs that disagree", pairs, "line 6: a name stands twice in one object; keep one")
    yield broken("dasec", "no pair", DASEC.replace(b'"C-D"', b'"CD"'), "line 6: the name of the pair has no hyphen")
    hyphens = DASEC.replace(b'"C-D"', b'"' + b"-" * 100_000 + b'"')
    yield broken("dasec", "a pair of hyphens", hyphens, "line 6: the name of the pair has no hyphen between")
    yield broken(
        "dasec", "text for a score", DASEC.replace(b"0.3,", b'"x",').replace(b"0.3\n", b'"x"\n'), "the score 'x'"
    )
    yield broken("dasec", "NaN", DASEC.replace(b"0.7", b"NaN"), "line 5: the score is NaN", "--nan failure")
    for written in (b"1e999", b"1" + b"0" * 400, b"-" + b"1" * 5000):
        large = DASEC.replace(b"0.7", written)
        yield broken("dasec", f"a number of {len(written)} signs", large, "line 5: the score is too large for floating")
    rounded = DASEC.replace(b"0.7", b"9007199254740993")
    yield broken("dasec", "a number that is rounded", rounded, "line 5: the score is beyond 2^53")
    yield broken("dasec", "half a sign", DASEC.replace(b'"C-D"', b'"C-\\ud800"'), "half a sign; write names as UTF-8")
    yield broken("dasec", "too deep", b'{"a":' + b"[" * 100_000, "too many objects within each other")
    yield broken("dasec", "not UTF-8", DASEC.replace(b'"A"', b'"\xc4"'), "line 11: this is not UTF-8 text; save")
    wide = DASEC_TEXT.encode("utf-16-le")
    yield broken("dasec", "the other mark", b"\xfe\xff" + wide, OTHER_MARK)
    yield broken("dasec", "a web page", b"<html>\n</html>", "a web page (HTML)")


OF_ANY_TEXT = list(of_any_text())
"""Rows that any text can be in."""
OF_FORMATS = list(own())
"""Rows of one format each."""
