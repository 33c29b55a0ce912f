"""Whatever is wrong with a text table is said in one sentence with file, line and value."""

from __future__ import annotations

import gzip
import random

import pytest

from mated.errors import MatedError
from mated.io import Columns, read


@pytest.fixture
def refusal(tmp_path):
    def read_refused(content, name="scores.csv", **options):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        with pytest.raises(MatedError) as error:
            read(path, **options)
        message = str(error.value)
        assert name in message
        assert "\n" not in message
        return message

    return read_refused


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(MatedError, match=r"there is no file .*none\.csv"):
        read(tmp_path / "none.csv")
    with pytest.raises(MatedError, match=r"there is no file .*none\.txt"):
        read(mated=tmp_path / "none.txt", nonmated=tmp_path / "none.txt")


def test_a_directory_is_named(tmp_path):
    with pytest.raises(MatedError, match="is a directory"):
        read(tmp_path)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"  \n\t\n", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)])
def test_an_empty_file_is_refused(refusal, content):
    assert "is empty" in refusal(content)


def test_a_header_without_data_is_refused(refusal):
    assert "has a header and no data" in refusal("score,mated\n\n")


@pytest.mark.parametrize("value", ["high", "0.5x", "1_000", "0x1F", "--1", "−1", "NA"])
def test_text_for_a_score_is_refused_with_line_column_and_value(refusal, value):
    message = refusal(f"mated,score\n1,0.5\n0,{value}\n")
    assert f"scores.csv, line 3, column 'score': the score {value!r} is not a number" in message


def test_the_first_wrong_score_is_named_far_down_the_file(refusal):
    lines = "".join(f"{i % 2},0.{i}\n" for i in range(20_000))
    assert "line 20002," in refusal(f"mated,score\n{lines}1,x\n0,y\n")


def test_line_numbers_count_blank_lines_and_other_line_ends(refusal):
    assert "scores.csv, line 6," in refusal("\r\nmated,score\r\n1,0.5\r\n\r\n\r\n0,x\r\n")


def test_a_decimal_comma_is_met_with_advice(refusal):
    message = refusal("mated;score\n1;0,5\n0;0,25\n")
    assert "line 2" in message
    assert "write decimals with a point" in message


def test_a_missing_score_is_refused_with_its_line(refusal):
    message = refusal("mated,score,site\n1,0.5,a\n0,,b\n")
    assert "scores.csv, line 3, column 'score': the score is missing; " in message
    assert "--nan failure" in message


def test_nan_is_refused_with_its_line_and_count(refusal):
    message = refusal("mated,score\n1,0.5\n0,NaN\n0,nan\n")
    assert "scores.csv, line 3, column 'score': the score is NaN (2 such scores); " in message
    assert "nan='failure' (--nan failure)" in message


@pytest.mark.parametrize("policy", ["refuse", "failure"])
@pytest.mark.parametrize("header", ["mated,score", "score,mated", "score,mated,site"])
def test_a_short_row_is_refused_with_its_line(refusal, header, policy):
    full = "1," * header.count(",") + "1"
    message = refusal(f"{header}\n{full}\n{full[:-2]}\n{full}\n", nan=policy)
    assert "scores.csv, line 3 has" in message
    assert f"instead of {header.count(',') + 1}" in message


def test_a_long_row_is_refused_with_its_line(refusal):
    assert "scores.csv, line 3 has 3 fields instead of 2" in refusal("mated,score\n1,0.5\n0,0.25,9\n1,0.5\n")


def test_a_short_row_between_blanks_is_refused_with_its_line(refusal):
    assert "line 2 has 2 fields instead of 3" in refusal("a b 0.5\na 0.5\nc c 0.25\n")


def test_a_quoted_score_over_several_lines_is_refused_with_its_line(refusal):
    message = refusal('mated,score\n1,0.5\n1,"0.5\n0,0.3\n1,0.2"\n')
    assert "scores.csv, line 3: a quotation mark is not closed on its line" in message


@pytest.mark.parametrize("rows", ['"a,a,0.5\na,b,0.25\n', '"a,a,0.5\na,b",b,0.25\n', 'a"b,a,0.5\na,b,0.25\n'])
def test_an_open_quotation_mark_is_refused_with_its_line(refusal, rows):
    message = refusal("probe_subject,reference_subject,score\n" + rows)
    assert "scores.csv, line 2" in message


def test_misplaced_quotation_marks_are_refused(refusal):
    assert "quotation mark" in refusal('mated,score,site\n1,0.5,"a"b\n0,0.25,d\n')


def test_the_first_unusable_score_is_named_whichever_way_it_is_missing(refusal):
    message = refusal("mated,score,site\n1,0.5,a\n0,NaN,b\n1,0.5,c\n0,,d\n")
    assert "scores.csv, line 3, column 'score': the score is NaN (2 such scores); " in message
    message = refusal("mated,score,site\n1,0.5,a\n0,,b\n1,0.5,c\n0,NaN,d\n")
    assert "scores.csv, line 3, column 'score': the score is missing (2 such scores); " in message


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("9007199254740993", "is beyond 2^53 and would be rounded"),
        ("-9007199254740993", "is beyond 2^53 and would be rounded"),
        ("9007199254740993.0", "is beyond 2^53 and would be rounded"),
        ("9.007199254740993e15", "is beyond 2^53 and would be rounded"),
        ("9007199254740994", "is beyond 2^53 and would be rounded"),
        ("1e400", "is too large for floating point"),
        (" -1E+400 ", "is too large for floating point"),
    ],
)
def test_a_number_that_floating_point_does_not_keep_is_refused_with_its_line(refusal, text, what):
    message = refusal(f"mated,score\n1,9007199254740992\n0,-inf\n0,{text}\n")
    assert f"scores.csv, line 4, column 'score': the score {text.strip()} {what}; divide the scores first" in message


def test_huge_numbers_that_are_kept_are_read(tmp_path):
    texts = ["9007199254740992", "1e23", "1.7976931348623157e308", "-1180591620717411303424.000", "Infinity", "+inf"]
    path = tmp_path / "scores.csv"
    path.write_text("score,mated\n" + "".join(f"{text},{i % 2}\n" for i, text in enumerate(texts)))
    assert read(path).score.tolist() == [float(text) for text in texts]


@pytest.mark.parametrize("word", ["NaN", "nan", "NA", " n/a ", "N/A", "null", "None", "NULL", "<NA>"])
@pytest.mark.parametrize("column", ["probe_subject", "reference_subject", "probe_sample", "reference_sample"])
def test_a_word_for_a_missing_identifier_is_refused_with_line_and_column(refusal, word, column):
    names = ["probe_subject", "reference_subject", "probe_sample", "reference_sample", "score"]
    row = ",".join("0.5" if name == "score" else word if name == column else "Alice" for name in names)
    message = refusal(f"{','.join(names)}\na,a,a1,a2,0.75\n{row}\n")
    noun = column.partition("_")[2]
    assert f"scores.csv, line 3, column {column!r}: {word.strip()!r} names no {noun}; " in message
    assert f"name the {noun}, or leave the row out" in message
    assert "Alice" not in message


def test_a_missing_identifier_is_refused_with_its_line(refusal):
    message = refusal("probe_subject,reference_subject,score\na,a,0.5\n,b,0.25\n")
    assert "scores.csv, line 3, column 'probe_subject': there is no value" in message


def test_repeated_column_names_are_refused(refusal):
    assert "more than one column 'score'" in refusal("score,score,mated\n1,2,1\n")


def test_a_wrong_column_name_is_refused_with_those_that_exist(refusal):
    message = refusal("sim,mated\n1,1\n", columns=Columns(score="simm"))
    assert "no column 'simm'" in message
    assert "did you mean 'sim'?" in message
    assert "'mated'" in message


@pytest.mark.parametrize("size", [15, 30, -1, -8])
def test_truncated_gzip_is_refused(refusal, size):
    data = gzip.compress(b"score,mated\n" + b"0.5,1\n" * 999)
    assert "cut short or damaged gzip" in refusal(data[:size], "scores.csv.gz")


def test_damaged_gzip_is_refused(refusal):
    data = bytearray(gzip.compress(b"score,mated\n" + b"0.5,1\n" * 999))
    data[-6] ^= 0xFF
    message = refusal(bytes(data), "scores.csv.gz")
    assert "gzip" in message


def test_a_name_ending_in_gz_over_plain_text_is_refused(refusal):
    assert "is not gzip data" in refusal("score,mated\n1,1\n", "scores.csv.gz")


def test_text_in_another_encoding_is_refused_with_its_line(refusal):
    message = refusal("score,mated,site\n1,1,Graz\n2,0,Zürich\n".encode("latin-1"))
    assert "scores.csv, line 3: the byte 0xfc is not UTF-8 text" in message


def test_binary_files_and_unmarked_utf_16_are_refused(refusal):
    assert "is not text" in refusal(bytes(range(256)), "scores.bin")
    assert "if it is UTF-16 text, save it as UTF-8" in refusal("score,mated\n1,1\n".encode("utf-16-le"))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_wide_text_that_is_cut_short_is_refused(refusal, encoding):
    message = refusal("score,mated\n1,1\n".encode(encoding)[:-1])
    assert f"begins as {encoding.upper()} text and is cut short or damaged; save the file as UTF-8" in message


def test_a_wrong_option_is_refused_before_the_file_is_read(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("score,mated\n1,1\n")
    with pytest.raises(MatedError, match="there is no format 'xlsx'; the formats are auto, lists, frame, npy, parquet"):
        read(path, format="xlsx")
    with pytest.raises(MatedError, match="header must be"):
        read(path, header="yes")
    with pytest.raises(MatedError, match="nan must be"):
        read(path, nan="drop")
    with pytest.raises(MatedError, match="unit 'x' is not a unit"):
        read(path, unit="x")
    with pytest.raises(MatedError, match="format 'lists' is read from two files"):
        read(path, format="lists")
    with pytest.raises(MatedError, match="format 'frame' is read from a data frame, and this is a file"):
        read(path, format="frame")


@pytest.mark.parametrize("seed", range(200))
def test_damaged_text_is_either_read_or_refused_in_one_sentence(tmp_path, seed):
    chance = random.Random(seed)
    rows = [f"s{chance.randrange(3)},s{chance.randrange(3)},{chance.random():.3f},x" for _ in range(20)]
    data = bytearray(("probe_subject,reference_subject,score,site\n" + "\n".join(rows) + "\n").encode())
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(data))
        data[at : at + chance.randrange(2)] = chance.choice(
            [b",", b"\n", b'"', b"\t", b"\xff", b"\0", b"", b" ", b"7e"]
        )
    path = tmp_path / "scores.csv"
    path.write_bytes(bytes(data))
    try:
        outcome = f"read {len(read(path))} comparisons of scores.csv"
    except MatedError as error:
        outcome = str(error)
    assert "scores.csv" in outcome
    assert "\n" not in outcome
