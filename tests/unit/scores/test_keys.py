"""Keys ascend with the scores, lose nothing, and are the same in NumPy and in the compiled loops.

Expected keys are made here from the bits as `struct` packs them.
"""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mated.errors import MatedError
from mated.scores.key_kernels import count_bins
from mated.scores.key_picker import KeyPicker
from mated.scores.keys import BINS, BITS, as_floats, key_order

INF = math.inf
WIDTHS = {"float32": 32, "float64": 64}
SCRATCH = np.zeros(2 * BINS, dtype=np.uint32), np.zeros(BINS, dtype=np.uint8)


def plain_key(score, dtype):
    """The key of one score, bit by bit."""
    width = WIDTHS[dtype]
    (bits,) = struct.unpack(*((">I", struct.pack(">f", score)) if width == 32 else (">Q", struct.pack(">d", score))))
    sign = 1 << (width - 1)
    if score == 0:
        return sign
    return (1 << width) - 1 - bits if bits & sign else bits | sign


def edge_scores(dtype):
    """Zeros, subnormals, the largest numbers, infinities, and neighbours of the edges of bins."""
    kind = np.dtype(dtype).type
    info = np.finfo(dtype)
    values = [0.0, info.smallest_subnormal, info.tiny, info.max, 1.0, 1 + 2.0**-10, 1 + 2.0**-13, 2.0, 0.1, INF]
    values += [np.nextafter(kind(v), kind(d)) for v in (1.0, 2.0, 1 + 2.0**-10) for d in (-INF, INF)]
    return np.array([*values, *(-np.array(values, dtype=dtype))], dtype=dtype)


def any_scores(dtype):
    width = WIDTHS[dtype]
    return st.lists(
        st.one_of(st.floats(allow_nan=False, width=width), st.sampled_from(edge_scores(dtype).tolist())), max_size=60
    ).map(lambda values: np.array(values, dtype=dtype))


typed_scores = st.sampled_from(sorted(WIDTHS)).flatmap(any_scores)


@given(typed_scores)
def test_keys_are_those_made_bit_by_bit_and_give_the_scores_back(scores):
    order = key_order(scores.dtype)
    keys = order.keys(scores)
    assert keys.tolist() == [plain_key(float(s), scores.dtype.name) for s in scores]
    assert np.array_equal(order.scores(keys), scores)
    assert order.scores(keys).dtype == scores.dtype


@given(typed_scores)
def test_keys_are_in_the_order_of_the_scores_and_equal_where_these_are(scores):
    order = key_order(scores.dtype)
    keys = order.keys(scores)
    assert np.array_equal(keys[:, None] < keys[None, :], scores[:, None] < scores[None, :])


@pytest.mark.parametrize("dtype", WIDTHS)
def test_neighbouring_scores_have_neighbouring_keys(dtype):
    order, scores = key_order(dtype), edge_scores(dtype)
    finite = scores[np.abs(scores) < np.finfo(dtype).max]
    above = np.nextafter(finite, scores.dtype.type(INF))
    step = order.keys(above) - order.keys(finite)
    # The number below 0 is one further away, as −0 is no score of its own.
    assert step.tolist() == [2 if -1e-40 < s < 0 and a == 0 else 1 for s, a in zip(finite, above, strict=True)]


def test_minus_zero_is_zero():
    order = key_order("float32")
    assert order.keys(np.float32([-0.0]))[0] == order.keys(np.float32([0.0]))[0] == order.sign


@pytest.mark.parametrize("dtype", WIDTHS)
def test_infinities_are_the_ends_and_have_bins_of_their_own(dtype):
    order = key_order(dtype)
    assert (order.lowest, order.highest) == (order.key(-INF), order.key(INF))
    largest = float(np.finfo(dtype).max)
    for infinite, finite in ((INF, largest), (-INF, -largest)):
        assert order.key(infinite) >> order.shift != order.key(finite) >> order.shift


@pytest.mark.parametrize("dtype", WIDTHS)
def test_many_blocks_are_one(dtype):
    scores = np.random.default_rng(1).normal(size=150_000).astype(dtype)
    order = key_order(dtype)
    assert np.array_equal(np.argsort(order.keys(scores), kind="stable"), np.argsort(scores, kind="stable"))


def test_nan_and_other_types_are_refused():
    order = key_order("float32")
    with pytest.raises(MatedError, match="NaN has no place"):
        order.keys(np.float32([1, np.nan]))
    with pytest.raises(MatedError, match="scores of type float64"):
        order.keys(np.float64([1]))
    with pytest.raises(MatedError, match="float32 or float64"):
        key_order("int32")


def test_a_score_is_rounded_to_the_type_before_it_gets_a_key():
    assert key_order("float32").key(0.1) == plain_key(0.1, "float32")
    assert key_order("float32").key(1e300) == key_order("float32").highest


def test_integers_become_float64_and_are_refused_beyond_what_it_holds():
    assert as_floats(np.array([3, -4], dtype=np.int8), "scores").dtype == np.float64
    assert as_floats(np.arange(10, dtype=">f4")[::2], "scores").tolist() == [0, 2, 4, 6, 8]
    with pytest.raises(MatedError, match=r"beyond 2\^53"):
        as_floats(np.array([2**53 + 1]), "scores")


@given(typed_scores, st.booleans(), st.data())
def test_compiled_loops_count_and_pick_the_same_keys(scores, dissimilarity, data):
    mated = np.array(data.draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores))), dtype=bool)
    order = key_order(scores.dtype)
    keys = order.keys(-scores if dissimilarity else scores)
    bins = (keys >> np.uint64(order.shift)).astype(int)
    counts, wanted = SCRATCH
    bits, constants = scores.view(order.unsigned), order.constants(dissimilarity)
    assert tuple(count_bins(bits, mated, constants, counts)) == (0, 0)
    expected = {}
    for place in (2 * bins + mated).tolist():
        expected[place] = expected.get(place, 0) + 1
    assert {place: int(counts[place]) for place in expected} == expected
    counts[list(expected)] = 0

    wanted[bins[::2]] = 1
    picker = KeyPicker(order, dissimilarity, wanted)
    picked = picker.pick(scores, mated)
    failed, picked_too = picker.count_and_pick(scores, mated, counts)
    assert tuple(failed) == (0, 0)
    assert {place: int(counts[place]) for place in expected} == expected
    counts[list(expected)] = 0
    chosen = wanted[bins] == 1
    wanted[bins] = 0
    for found_keys, found_flags in (picked, picked_too):
        assert np.array_equal(found_keys, keys[chosen])
        assert np.array_equal(found_flags, mated[chosen])


def test_every_kind_of_nan_is_counted_and_lands_in_no_bin():
    # Quiet and signalling, of either sign: the last shares its leading bits with +∞.
    bits = np.array([0x7FC00000, 0xFFC00000, 0x7F800001, 0xFF800001, 0x7F800000], dtype=np.uint32)
    order, flags = key_order("float32"), np.array([True, True, False, True, False])
    counts = np.zeros(2 * BINS, dtype=np.uint32)
    assert tuple(count_bins(bits, flags, order.constants(False), counts)) == (1, 3)
    assert counts.sum() == 1
    scores, wanted = bits.view(np.float32), np.ones(BINS, dtype=np.uint8)
    picker = KeyPicker(order, False, wanted)
    failed, both = picker.count_and_pick(scores, flags, counts)
    assert tuple(failed) == (1, 3)
    assert counts.sum() == 2
    for keys, found in (both, picker.pick(scores, flags)):
        assert (keys.tolist(), found.tolist()) == ([order.highest], [False])


def test_many_blocks_with_a_nan_in_one_of_them_are_counted():
    scores = np.random.default_rng(3).normal(size=10_000)
    scores[5000] = np.nan
    flags = np.arange(10_000) % 3 == 0
    order, counts = key_order("float64"), np.zeros(2 * BINS, dtype=np.uint32)
    assert tuple(count_bins(scores.view(np.uint64), flags, order.constants(False), counts)) == (1, 0)
    usable = ~np.isnan(scores)
    places = 2 * (order.keys(scores[usable]) >> np.uint64(order.shift)).astype(int) + flags[usable]
    assert np.array_equal(counts, np.bincount(places, minlength=2 * BINS))
    assert BITS == 22
