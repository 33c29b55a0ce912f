"""Qualities from tables of every layout, data frames, mappings and the dasec JSON, and what is said of bad ones."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import mated
from mated.errors import MatedError
from mated.io.quality_files import QualityColumns, is_quality_file, read_qualities


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def as_dict(read):
    """Algorithm → sample → quality, without those that are missing."""
    return {a: {s: q for s, q in zip(read.samples, v.tolist(), strict=True) if q == q} for a, v in read.values.items()}


WIDE = "sample,serfiq,magface\na,0.5,20\nb,,21\n007,1e-1,19\n"
EXPECTED = {"serfiq": {"a": 0.5, "007": 0.1}, "magface": {"a": 20.0, "b": 21.0, "007": 19.0}}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("q.csv", WIDE),
        ("q.csv.gz", gzip.compress(WIDE.encode())),
        ("q.tsv", WIDE.replace(",", "\t")),
        ("q.csv", WIDE.replace(",", ";")),
        ("q.csv", "sep=,\n" + WIDE),
        ("q.csv", WIDE.replace("sample", "Image Name")),
        ("q.csv", "sample,algorithm,quality\na,serfiq,.5\na,magface,20\nb,magface,21\n007,magface,19\n007,serfiq,.1\n"),
        ("q.csv", "algorithm,score,filename\nserfiq,.5,a\nmagface,20,a\nmagface,21,b\nmagface,19,007\nserfiq,.1,007\n"),
    ],
    ids=["csv", "gzip", "tsv", "semicolons", "separator said", "another name", "long", "long, other names"],
)
def test_wide_and_long_tables_say_the_same(tmp_path, name, content):
    assert as_dict(read_qualities(write(tmp_path, name, content))) == EXPECTED


def test_parquet_and_any_data_frame_say_the_same(tmp_path):
    frame = pl.DataFrame({"sample": ["a", "b", "007"], "serfiq": [0.5, None, 0.1], "magface": [20, 21, 19]})
    frame.write_parquet(tmp_path / "q.parquet")
    for source in (tmp_path / "q.parquet", frame, frame.lazy(), frame.to_arrow(), frame.to_pandas()):
        assert as_dict(read_qualities(source)) == EXPECTED
    assert as_dict(read_qualities(EXPECTED)) == EXPECTED


def test_numbers_name_samples_as_they_do_in_the_comparisons():
    frame = pd.DataFrame({"id": [1, 2], "q": [0.5, 0.25]})
    assert as_dict(read_qualities(frame)) == {"q": {"1": 0.5, "2": 0.25}}


def test_without_a_header_the_sample_is_first(tmp_path):
    one = read_qualities(write(tmp_path, "serfiq.txt", "a.png 0.5\nb.png 0.7\n"))
    assert as_dict(one) == {"serfiq": {"a.png": 0.5, "b.png": 0.7}}
    assert "has no header" in one.notes[0]
    two = read_qualities(write(tmp_path, "q.csv", "a,1,2\nb,3,4\n"))
    assert as_dict(two) == {"column 2": {"a": 1, "b": 3}, "column 3": {"a": 2, "b": 4}}


def test_columns_without_a_number_and_other_labels_are_left_out_and_named(tmp_path):
    path = write(tmp_path, "q.csv", "subject,sample,q,file,camera\n1,1_1,.5,x/1.png,old\n2,2_1,.7,x/2.png,new\n")
    read = read_qualities(path)
    assert as_dict(read) == {"q": {"1_1": 0.5, "2_1": 0.7}}
    assert read.subjects == ("1", "2")
    assert read.notes == (f"{path}: columns without a number are left out: 'file', 'camera'",)


def test_columns_can_be_named(tmp_path):
    path = write(tmp_path, "q.csv", "a,b,c,d\nx,1,2,t\ny,3,4,u\n")
    assert as_dict(read_qualities(path, QualityColumns(sample="a", quality=("c",)))) == {"c": {"x": 2, "y": 4}}
    long = QualityColumns(sample="a", algorithm="d", quality=("b",))
    assert as_dict(read_qualities(path, long)) == {"t": {"x": 1}, "u": {"y": 3}}


def test_a_column_of_numbers_is_an_algorithm_even_if_it_is_called_method(tmp_path):
    assert as_dict(read_qualities(write(tmp_path, "q.csv", "sample,method\nx,1\ny,2\n"))) == {
        "method": {"x": 1, "y": 2}
    }


def test_lines_of_one_sample_that_agree_are_one(tmp_path):
    read = read_qualities(write(tmp_path, "q.csv", "sample,q,r\na,1,\nb,2,2\na,1,3\n"))
    assert as_dict(read) == {"q": {"a": 1, "b": 2}, "r": {"a": 3, "b": 2}}
    assert "lines that repeat a sample and agree with its other lines: 1" in read.notes[0]


def test_samples_numbered_within_subjects_are_told_apart(tmp_path):
    read = read_qualities(write(tmp_path, "q.csv", "subject,sample,q\nann,1,5\nbob,1,7\n"))
    assert (read.subjects, read.samples, read.values["q"].tolist()) == (("ann", "bob"), ("1", "1"), [5, 7])


def test_a_subject_that_is_missing_matters_only_where_the_column_is_asked_for(tmp_path):
    path = write(tmp_path, "q.csv", "subject,sample,q\nann,a1,5\n,b1,7\n")
    assert as_dict(read_qualities(path)) == {"q": {"a1": 5, "b1": 7}}
    with pytest.raises(MatedError, match="line 3, column 'subject': there is no value"):
        read_qualities(path, QualityColumns(subject="subject"))


BAD = {
    "no sample column": ("face,q\na,1\n", "no column of samples that is recognised; the columns are 'face', 'q'"),
    "no quality": ("sample,camera\na,old\n", "no column of qualities: beside 'sample' none holds a number"),
    "text in a quality column": ("sample,q\na,1\nb,high\n", "line 3, column 'q': the quality 'high' is not a number"),
    "a NaN": ("sample,q\na,1\nb,nan\n", "line 3, column 'q': the quality is NaN"),
    "two qualities": (
        "sample,q\na,1\nb,2\na,3\n",
        "line 2, and {}, line 4, column 'q': one sample has two qualities, 1 and 3",
    ),
    "two qualities, long": (
        "sample,algorithm,quality\na,x,1\na,y,2\na,x,3\n",
        "line 2, and {}, line 4, algorithm 'x': one sample has two qualities, 1 and 3",
    ),
    "an unnamed sample": ("sample,q\na,1\n,2\n", "line 3, column 'sample': there is no value"),
    "a header alone": ("sample,q\n", "header and no data"),
    "nothing": ("", "is empty"),
    "one column": ("1\n2\n", "one column; a table of qualities has samples"),
    "a name twice": ("sample,q,q\na,1,2\n", "more than one column 'q'"),
    "two samples": ("sample,Sample,q\na,b,1\n", "columns 'sample', 'Sample' could each be the sample"),
    "a missing field": ("sample,q,r\na,1,2\nb,1\n", "line 3 has 2 fields instead of 3"),
    "a long table with two numbers": (
        "sample,algorithm,x,y\na,m,1,2\n",
        "2 columns could be its qualities",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_bad_table_gets_one_sentence_with_its_place(case, tmp_path):
    content, words = BAD[case]
    path = write(tmp_path, "q.csv", content)
    with pytest.raises(MatedError) as error:
        read_qualities(path)
    assert words.format(path) in str(error.value)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (QualityColumns(sample="sampel"), "no column 'sampel'; did you mean 'sample'?"),
        (QualityColumns(quality=("serfic",)), "no column 'serfic'; did you mean 'serfiq'? the columns are"),
        (QualityColumns(quality=("sample",)), "the quality 'a' is not a number; correct it, or name the right column"),
        (QualityColumns(algorithm="sample", quality=("serfiq", "magface")), "one column of qualities, not 2"),
    ],
)
def test_a_wrong_column_is_named_with_those_there_are(columns, words, tmp_path):
    with pytest.raises(MatedError) as error:
        read_qualities(write(tmp_path, "q.csv", WIDE), columns)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (7, "a int holds no qualities that can be read"),
        ({"q": {"a": "high"}}, "quality number 1 of algorithm 'q' is 'high' and not a number"),
        ({"q": {"a": 1.0, "b": float("nan")}}, "quality number 2 of algorithm 'q' is nan and not a number"),
        ({}, "names no quality algorithm"),
        (pl.DataFrame({"sample": ["a"], "q": [[1, 2]]}), "no column of qualities"),
        (pl.DataFrame({"sample": ["a", "b"], "q": [1.0, float("nan")]}), "row 2, column 'q': the quality is NaN"),
    ],
)
def test_a_source_that_cannot_be_read_is_refused(source, words):
    with pytest.raises(MatedError) as error:
        read_qualities(source)
    assert words in str(error.value)


# -- the dasec JSON ------------------------------------------------------------------------------------------------


def dasec(scores, qualities, kind="mated"):
    return json.dumps(
        {
            "similarity_scores": {"type": kind, "scores_by_pair_ids": scores},
            "quality_scores_by_sample_id_per_algorithm": qualities,
        },
        indent=1,
    )


def test_the_dasec_json_holds_scores_and_qualities(tmp_path):
    path = write(tmp_path, "d.json", dasec({"a-b": 0.5, "b-c": 0.7}, {"q": {"a": 1, "b": 2}, "r": {"c": 3}}))
    read = mated.read(path)
    assert read.score.tolist() == [0.5, 0.7]
    assert read.mated.all()
    assert [read.samples.names[k] for k in read.samples.probe] == ["a", "b"]
    assert [read.samples.names[k] for k in read.samples.reference] == ["b", "c"]
    assert as_dict(read_qualities(path)) == {"q": {"a": 1, "b": 2}, "r": {"c": 3}}
    assert is_quality_file(path)
    assert not mated.read(write(tmp_path, "n.json", dasec({"a-b": 1}, {}, "nonmated"))).mated.any()


def test_hyphens_in_sample_ids_do_not_break_pairs(tmp_path):
    known = {"q": dict.fromkeys(["p-1", "p-2", "2-3"], 1)}
    read = mated.read(write(tmp_path, "d.json", dasec({"p-1-p-2": 0.5, "p-1-2-3": 0.6}, known)))
    assert [read.samples.names[k] for k in read.samples.reference] == ["p-2", "2-3"]


BAD_JSON = {
    "no JSON": ('{"a": 1,\n}', "line 2: this is not JSON"),
    "a list": ("[1]", "is JSON without similarity_scores"),
    "no scores": ("{}", "without similarity_scores.scores_by_pair_ids"),
    "an unknown class": (dasec({"a-b": 1}, {}, "genuine"), "type says whether the comparisons are mated, and it is"),
    "no pairs": (dasec({}, {}), "has no comparison scores"),
    "text for a score": (dasec({"a-b": "x"}, {}), "line 5: the score 'x' is not a number"),
    "no hyphen": (dasec({"ab": 1}, {}), "line 5: the name of the pair has no hyphen"),
    "unknown halves": (dasec({"a-b-c": 1}, {}), "has no hyphen between two samples with a quality"),
    "two ways": (
        dasec({"a-b-c": 1}, {"q": {"a": 1, "b-c": 2, "a-b": 3, "c": 4}}),
        "line 5: the name of the pair can be divided into two known samples in 2 ways",
    ),
    "a key twice": ('{"a": 1, "a": 2}', "line 1: a name stands twice in one object"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_JSON)
def test_bad_json_gets_one_sentence(case, tmp_path):
    content, words = BAD_JSON[case]
    path = write(tmp_path, "d.json", content)
    with pytest.raises(MatedError) as error:
        mated.read(path)
    assert words in str(error.value)
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    ("qualities", "words"),
    [
        ({"q": {"a": 1, "b": "x"}}, "line 12: the quality 'x' is not a number (algorithm 'q')"),
        ({"q": {"a": 1, "b": float("nan")}}, "line 12: the quality is NaN"),
        ({"q": {"a": None}}, "the quality None is not a number"),
        ({}, "names no quality algorithm"),
        ([], "without quality_scores_by_sample_id_per_algorithm"),
    ],
)
def test_bad_qualities_in_json_get_one_sentence(qualities, words, tmp_path):
    content = dasec({"a-b": 1, "b-a": 2}, qualities)
    with pytest.raises(MatedError) as error:
        read_qualities(write(tmp_path, "d.json", content))
    assert words in str(error.value)


def test_names_of_people_are_not_shown(tmp_path):
    known = {"q": dict.fromkeys(["ann", "ann-1", "1-ann", "bob"], 1)}
    with pytest.raises(MatedError) as error:
        mated.read(write(tmp_path, "d.json", dasec({"ann-1-ann": 1}, known)))
    assert "ann" not in str(error.value)


def test_columns_cannot_be_named_where_there_are_none(tmp_path):
    path = write(tmp_path, "d.json", dasec({"a-b": 1}, {"q": {"a": 1}}))
    with pytest.raises(MatedError, match="no columns to name"):
        read_qualities(path, QualityColumns(sample="id"))


def test_the_example_of_the_dasec_script_is_read_whole(reference_data):
    path = reference_data / "dasec" / "example_data.json"
    read, qualities = mated.read(path), read_qualities(path)
    assert (len(read), len(read.samples.names)) == (10_000, 5834)
    assert (len(qualities.values), len(qualities.samples)) == (5, 5834)
    assert all(np.isfinite(v).all() for v in qualities.values.values())


def test_the_samples_of_att_faces_are_read_with_their_four_qualities(reference_data):
    read = read_qualities(reference_data / "att_faces" / "samples.csv")
    assert list(read.values) == ["q_detector", "q_laplacian_var", "q_embedding_norm", "q_contrast_std"]
    assert len(read.samples) == 400
