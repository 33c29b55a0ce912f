"""What stands in the files that are written: small ones by hand, and what is refused or said."""

from __future__ import annotations

import json
import struct
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from mated.errors import MatedError
from mated.io import read
from mated.io.write import write, write_comparisons
from mated.io.writers import WRITERS
from mated.io.writers.conversion import convert
from mated.scores import Comparisons, ScoreMatrix

# Two people with two samples each, of which one is the reference: four comparisons, one without a score.
PEOPLE = {
    "probe_subject": ["ann", "ann", "bob", "bob"],
    "reference_subject": ["ann", "bob", "ann", "bob"],
    "probe_sample": ["a1", "a1", "b1", "b1"],
    "reference_sample": ["a0", "b0", "a0", "b0"],
}


def comparisons(scores=(0.75, 0.25, 0.5, np.nan), **options):
    return Comparisons.from_arrays(np.array(scores), **PEOPLE, **{"nan": "failure", **options})


def text(path):
    return Path(path).read_text(encoding="utf-8")


def test_csv_has_the_canonical_columns_and_an_empty_cell_for_a_failure(tmp_path):
    done = write(comparisons(covariates={"sensor": np.array(["A", "B", "A", "B"])}), tmp_path / "s.csv")
    assert text(tmp_path / "s.csv") == (
        "probe_sample,reference_sample,probe_subject,reference_subject,sensor,score\n"
        "a1,a0,ann,ann,A,0.75\na1,b0,ann,bob,B,0.25\nb1,a0,bob,ann,A,0.5\nb1,b0,bob,bob,B,\n"
    )
    assert done.comparisons == 4
    assert done.notes == ()


def test_whole_numbers_and_flags_are_written_plainly_and_tabs_divide_a_tsv(tmp_path):
    write(Comparisons.from_arrays([4.0, -2.0], [True, False]), tmp_path / "s.tsv")
    assert text(tmp_path / "s.tsv") == "mated\tscore\n1\t4\n0\t-2\n"


def test_dissimilarities_keep_their_values_and_their_name(tmp_path):
    write(Comparisons.from_arrays([0.25, 0.0], [True, False], dissimilarity=True), tmp_path / "s.csv")
    assert text(tmp_path / "s.csv") == "mated,dissimilarity\n1,0.25\n0,0.0\n"


def test_text_may_be_packed(tmp_path):
    write(comparisons((1, 2, 3, 4)), tmp_path / "s.csv.gz")
    assert (tmp_path / "s.csv.gz").read_bytes()[:2] == b"\x1f\x8b"
    assert read(tmp_path / "s.csv.gz").score.tolist() == [1, 2, 3, 4]


def test_parquet_keeps_types(tmp_path):
    scores = np.array([0.1, 0.2], dtype=np.float32)
    write(
        Comparisons.from_arrays(scores, [True, False], covariates={"age": np.array([30, 40])}), tmp_path / "s.parquet"
    )
    schema = pl.read_parquet_schema(tmp_path / "s.parquet")
    assert schema == {"mated": pl.Boolean, "age": pl.Int64, "score": pl.Float32}
    assert read(tmp_path / "s.parquet").score.tolist() == scores.tolist()


@pytest.mark.parametrize(
    ("scores", "lines", "unit"),
    [
        ([0.1, 0.25], "1,0.1\n0,0.25\n", Fraction(1, 100)),
        ([0.1, 1 / 3], "1,0.10000000149011612\n0,0.3333333432674408\n", None),
    ],
)
def test_scores_of_32_bits_keep_their_values_and_their_unit_as_text(tmp_path, scores, lines, unit):
    # 0.1 in 32 bits is 0.100000001490116119384765625: a decimal is written as such, anything else with all its digits.
    narrow = np.array(scores, dtype=np.float32)
    data = Comparisons.from_arrays(narrow, [True, False])
    done = write(data, tmp_path / "s.csv")
    assert text(tmp_path / "s.csv") == f"mated,score\n{lines}"
    assert read(tmp_path / "s.csv").score.astype(np.float32).tolist() == narrow.tolist()
    assert read(tmp_path / "s.csv").tally().unit == data.tally().unit == unit
    assert "32 bits" in done.notes[0]
    write(data, tmp_path / "s.parquet")
    convert(tmp_path / "s.parquet", tmp_path / "t.csv")
    assert text(tmp_path / "t.csv") == text(tmp_path / "s.csv")


def test_a_further_column_that_would_be_taken_for_another_is_renamed_and_said(tmp_path):
    more = {"similarity": np.array([9, 8]), "label": np.array(["x", "y"]), "sex": np.array(["m", "f"])}
    done = write(Comparisons.from_arrays([1.0, 2.0], [True, False], covariates=more), tmp_path / "s.csv")
    assert text(tmp_path / "s.csv").splitlines()[0] == "mated,covariate_similarity,covariate_label,sex,score"
    assert len(done.notes) == 1
    assert done.notes[0].endswith("are renamed: 'similarity' as 'covariate_similarity', 'label' as 'covariate_label'")
    assert list(read(tmp_path / "s.csv").covariates) == ["covariate_similarity", "covariate_label", "sex"]


def test_a_number_as_a_name_needs_the_header_to_be_said(tmp_path):
    done = write(
        Comparisons.from_arrays([1.0, 2.0], [True, False], covariates={"2024": np.array([1, 2])}), tmp_path / "s.csv"
    )
    assert done.reading == "--header"
    assert read(tmp_path / "s.csv", header=True).covariates["2024"].tolist() == [1, 2]


def test_samples_numbered_within_subjects_are_written_as_they_were(tmp_path):
    numbered = PEOPLE | {"probe_sample": ["1", "1", "1", "1"], "reference_sample": ["0", "0", "0", "0"]}
    write(Comparisons.from_arrays([1.0, 2.0, 3.0, 4.0], **numbered), tmp_path / "s.csv")
    assert text(tmp_path / "s.csv").splitlines()[1] == "1,0,ann,ann,1"
    assert read(tmp_path / "s.csv").samples.names == ("ann/0", "ann/1", "bob/0", "bob/1")


def test_bob_lists_have_two_four_and_five_columns(tmp_path):
    data = comparisons()
    for width, lines in {
        2: "1 0.75\n-1 0.25\n-1 0.5\n1 nan\n",
        4: "ann ann a1 0.75\nbob ann a1 0.25\nann bob b1 0.5\nbob bob b1 nan\n",
        5: "ann a0 ann a1 0.75\nbob b0 ann a1 0.25\nann a0 bob b1 0.5\nbob b0 bob b1 nan\n",
    }.items():
        done = write(data, tmp_path / f"s{width}.txt", to=f"bob{width}")
        assert text(tmp_path / f"s{width}.txt") == lines
        assert done.reading == "--format bob --nan failure"


def test_what_a_list_does_not_hold_is_said(tmp_path):
    done = write(
        comparisons(covariates={"sensor": np.array([*"AABB"])}, dissimilarity=True), tmp_path / "s.txt", to="bob2"
    )
    lost, turned = done.notes
    assert lost.startswith("a list of two columns does not hold subjects")
    assert lost.endswith("samples or further columns ('sensor')")
    assert turned.endswith("does not say that a lower score means more alike; read it with --dissimilarity")
    assert done.reading == "--format bob --dissimilarity --nan failure"


def test_four_columns_are_refused_where_they_would_merge_references(tmp_path):
    several = Comparisons.from_arrays(
        [1.0, 2.0], probe_subject=["ann"] * 2, reference_subject=["ann"] * 2, probe_sample=["a1"] * 2,
        reference_sample=["a2", "a3"],
    )  # fmt: skip
    with pytest.raises(MatedError, match=r"a subject has several references.*--to bob5.*--lossy"):
        write(several, tmp_path / "s.txt", to="bob4")
    assert list(tmp_path.iterdir()) == []
    done = write(several, tmp_path / "s.txt", to="bob4", lossy=True)
    assert "each claimed id is read as one reference" in done.notes[0]


def test_score_lists_are_two_files_named_after_one(tmp_path):
    done = write(comparisons(), tmp_path / "s.txt", to="lists")
    assert [path.name for path in done.files] == ["s_mated.txt", "s_nonmated.txt"]
    assert [text(path) for path in done.files] == ["0.75\nnan\n", "0.25\n0.5\n"]
    assert not (tmp_path / "s.txt").exists()


def test_trials_of_kaldi_have_a_key_and_a_table_of_subjects(tmp_path):
    done = write(comparisons((4, 2, 3, 5)), tmp_path / "s.txt", to="trials")
    assert [text(path) for path in done.files] == [
        "a0 a1 4\nb0 a1 2\na0 b1 3\nb0 b1 5\n",
        "a0 a1 target\nb0 a1 nontarget\na0 b1 nontarget\nb0 b1 target\n",
        "sample,subject\na0,ann\na1,ann\nb0,bob\nb1,bob\n",
    ]
    assert done.reading == f"--key {tmp_path}/s_key.txt --ids {tmp_path}/s_ids.csv"


def test_trials_of_voxceleb_stand_line_by_line(tmp_path):
    done = write(comparisons((4, 2, 3, 5)), tmp_path / "s.txt", to="voxceleb")
    assert [text(path) for path in done.files[:2]] == ["4\n2\n3\n5\n", "1 a0 a1\n0 b0 a1\n0 a0 b1\n1 b0 b1\n"]


def test_trials_refuse_repeated_pairs_and_names_that_would_be_read_as_flags(tmp_path):
    names = {"probe_sample": ["no", "yes"], "reference_sample": ["a", "b"]}
    with pytest.raises(MatedError, match="would be taken for flags"):
        write(Comparisons.from_arrays([1.0, 2.0], [True, False], **names), tmp_path / "s.txt", to="voxceleb")
    names = {"probe_sample": ["a", "a"], "reference_sample": ["b", "b"]}
    with pytest.raises(MatedError, match=r"1 comparisons repeat a pair.*--to voxceleb"):
        write(Comparisons.from_arrays([1.0, 2.0], [True, True], **names), tmp_path / "s.txt", to="trials")


def test_the_json_of_dasec_holds_one_class(tmp_path):
    data = comparisons((4, 2, 3.5, 5))
    with pytest.raises(MatedError, match=r"2 mated and 2 non-mated.*--where"):
        write(data, tmp_path / "s.json")
    write(data.take(data.mated), tmp_path / "s.json")
    assert json.loads(text(tmp_path / "s.json")) == {
        "similarity_scores": {"type": "mated", "scores_by_pair_ids": {"a1-a0": 4.0, "b1-b0": 5.0}},
        "quality_scores_by_sample_id_per_algorithm": {},
    }
    hyphen = Comparisons.from_arrays([1.0], [True], probe_sample=["a-1"], reference_sample=["b"])
    with pytest.raises(MatedError, match="hyphen") as error:
        write(hyphen, tmp_path / "t.json")
    assert "a-1" not in str(error.value)


MATRIX = ScoreMatrix.from_arrays(
    [[0.75, 0.25], [0.5, np.nan]], ["ann", "bob"], ["ann", "bob"], probe_sample=["a1", "b1"],
    reference_sample=["a0", "b0"], nan="failure",
)  # fmt: skip


def test_a_text_matrix_has_ids_in_its_header_and_first_column(tmp_path):
    done = write(MATRIX, tmp_path / "s.csv", to="matrix")
    assert [text(path) for path in done.files] == [
        ",a0,b0\na1,0.75,0.25\nb1,0.5,nan\n",
        "sample,subject\na1,ann\nb1,bob\na0,ann\nb0,bob\n",
    ]
    assert done.reading == f"--format matrix --ids {tmp_path}/s_ids.csv --nan failure"


def test_an_entry_that_is_no_comparison_is_an_empty_cell(tmp_path):
    three = comparisons((4, 2, 3, np.nan)).take(np.arange(3))
    three = Comparisons(three.score, three.mated, three.subjects, three.samples)
    write(three, tmp_path / "s.csv", to="matrix")
    assert text(tmp_path / "s.csv") == ",a0,b0\na1,4,2\nb1,3,\n"
    with pytest.raises(MatedError, match=r"1 of the 4 pairs .* not compared.*--to matrix"):
        write(three, tmp_path / "s.npy")


def test_a_table_that_lists_each_pair_once_becomes_a_matrix_that_is_its_own_transpose(tmp_path):
    once = Comparisons.from_arrays(
        [1.0, 2.0, 3.0], probe_subject=["p", "p", "p"], reference_subject=["p", "q", "q"],
        probe_sample=["a", "a", "b"], reference_sample=["b", "c", "c"],
    )  # fmt: skip
    done = write(once, tmp_path / "s.npy")
    assert np.array_equal(np.load(tmp_path / "s.npy"), [[np.nan, 1, 2], [1, np.nan, 3], [2, 3, np.nan]], equal_nan=True)
    assert done.comparisons == 3
    found = read(tmp_path / "s.npy", ids=tmp_path / "s_ids.csv")
    assert found.symmetric
    assert found.tally().n_mated == 1


def test_both_orders_with_equal_scores_are_refused_as_a_matrix(tmp_path):
    both = Comparisons.from_arrays(
        [1.0, 1.0], probe_subject=["p", "q"], reference_subject=["q", "p"], probe_sample=["a", "b"],
        reference_sample=["b", "a"],
    )  # fmt: skip
    with pytest.raises(MatedError, match="both orders with equal scores"):
        write(both, tmp_path / "s.npy")


def test_rows_and_columns_without_names_are_named_by_their_places_in_a_table(tmp_path):
    unnamed = ScoreMatrix.from_arrays([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], ["p", "p", "q"], ["p", "q"])
    done = write(unnamed, tmp_path / "s.csv")
    assert text(tmp_path / "s.csv").splitlines()[1:3] == ["row1,column1,p,p,1", "row1,column2,p,q,2"]
    assert "row1" in done.notes[0]


@pytest.mark.parametrize(("order", "magic", "numbers"), [("little", "<", "<4f"), ("big", ">", ">4f")])
def test_a_bee_matrix_stands_byte_for_byte(tmp_path, order, magic, numbers):
    done = write(MATRIX, tmp_path / "s.mtx", byte_order=order)
    failure = -float(np.finfo(np.float32).max)
    head = b"S2\ns references\ns probes\n%b 2 2 " + struct.pack(f"{magic}I", 0x12345678) + b"\n"
    assert (tmp_path / "s.mtx").read_bytes() == head.replace(b"%b", b"MF") + struct.pack(
        numbers, 0.75, 0.25, 0.5, failure
    )
    assert (tmp_path / "s.mask").read_bytes() == head.replace(b"%b", b"MB") + bytes([0xFF, 0x7F, 0x7F, 0xFF])
    assert [path.name for path in done.files] == ["s.mtx", "s.mask", "s_probe_ids.csv", "s_reference_ids.csv"]


def test_distances_are_marked_as_such_in_a_bee_matrix(tmp_path):
    turned = ScoreMatrix.from_arrays([[1.0, 2.0]], ["p"], ["p", "q"], dissimilarity=True)
    write(turned, tmp_path / "s.mtx")
    assert (tmp_path / "s.mtx").read_bytes().startswith(b"D2\n")
    assert read(tmp_path / "s.mtx").dissimilarity


def test_scores_that_32_bits_do_not_hold_are_refused_unless_that_is_allowed(tmp_path):
    fine = ScoreMatrix.from_arrays([[0.1, 0.5]], ["p"], ["p", "q"])
    with pytest.raises(MatedError, match=r"1 of 2 scores are no 32-bit numbers.*--lossy"):
        write(fine, tmp_path / "s.mtx")
    assert list(tmp_path.iterdir()) == []
    done = write(fine, tmp_path / "s.mtx", lossy=True)
    assert done.notes == ("1 scores are rounded to 32 bits",)
    largest = ScoreMatrix.from_arrays([[float(np.finfo(np.float32).max), 0.5]], ["p"], ["p", "q"])
    with pytest.raises(MatedError, match="FLT_MAX"):
        write(largest, tmp_path / "t.mtx", lossy=True)


@pytest.mark.parametrize("to", ["bob2", "bob4", "bob5", "lists", "trials", "voxceleb", "dasec", "npy", "matrix", "bee"])
def test_a_mere_list_of_scores_goes_where_it_can_and_is_refused_elsewhere(tmp_path, to):
    bare = Comparisons.from_arrays([1.0, 2.0], [True, False])
    if to in ("bob2", "lists"):
        assert write(bare, tmp_path / "s.txt", to=to).comparisons == 2
        return
    with pytest.raises(MatedError, match=r"named|name none|names subjects|names samples"):
        write(bare, tmp_path / "s.txt", to=to)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("to", "name"),
    [
        ("bob5", "a b"),
        ("bob5", "a,b"),
        ("trials", 'a"b'),
        ("csv", "a\nb"),
        ("csv", "nan"),
        ("parquet", " a"),
        ("matrix", "a;b"),
    ],
)
def test_names_that_a_format_cannot_hold_are_refused_and_not_shown(tmp_path, to, name):
    named = PEOPLE | {"probe_sample": [name, name, "b1", "b1"]}
    with pytest.raises(MatedError, match=r"rename|line break") as error:
        write(Comparisons.from_arrays([1.0, 2.0, 3.0, 4.0], **named), tmp_path / "s.out", to=to)
    assert repr(name) not in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_exists_stays_unless_it_is_to_be_replaced(tmp_path):
    path = tmp_path / "s.npy"
    (tmp_path / "s_probe_ids.csv").write_text("precious")
    with pytest.raises(MatedError, match=r"s_probe_ids\.csv exists.*--force"):
        write(MATRIX, path)
    assert not path.exists()
    assert (tmp_path / "s_probe_ids.csv").read_text() == "precious"
    write(MATRIX, path, force=True)
    assert path.exists()


def test_the_ending_says_the_format_and_others_are_named(tmp_path):
    data = comparisons((1, 2, 3, 4))
    for ending in ("parquet", "pq", "arrow", "feather", "ipc", "csv", "tsv"):
        write(data, tmp_path / f"s.{ending}")
        assert read(tmp_path / f"s.{ending}").score.tolist() == [1, 2, 3, 4]
    with pytest.raises(MatedError, match=r"s\.txt: the ending does not say.*\.parquet.*bob2"):
        write(data, tmp_path / "s.txt")
    with pytest.raises(MatedError, match="there is no format 'excel' to write; the formats are parquet, csv"):
        write(data, tmp_path / "s.txt", to="excel")
    with pytest.raises(MatedError, match="the ending does not say"):
        write(data, tmp_path / "s.parquet.gz")


def test_a_set_unit_is_said_since_no_format_holds_it(tmp_path):
    done = write(Comparisons.from_arrays([1.0, 2.0], [True, False], unit="continuous"), tmp_path / "s.csv")
    assert done.notes == ("the unit of the scores is not held; read it with --unit continuous",)


def test_every_writer_has_a_name_of_its_own_and_a_description():
    names = [writer.name for writer in WRITERS]
    assert len(set(names)) == len(names)
    assert names[0] == "parquet"
    assert all(writer.description for writer in WRITERS)


def test_a_table_may_get_more_columns_on_the_way_out(tmp_path):
    data = Comparisons.from_arrays([1.0, 2.0], [True, False])
    write_comparisons(data, tmp_path / "s.csv", covariates={"group": np.array(["A", "B"])})
    assert text(tmp_path / "s.csv") == "mated,group,score\n1,A,1\n0,B,2\n"
    with pytest.raises(MatedError, match=r"written as \.csv"):
        write_comparisons(data, tmp_path / "s.npy")
