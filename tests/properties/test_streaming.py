"""Data read in chunks answer as data in memory: the same floats, whatever the chunks, their order and the limits.

Scores are chosen so that bins hold several of them, lie side by side and end where scores are.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mated.engine import Points, Scoring, ahead, from_arrays, stream_tally
from mated.engine.bounds import area_bounds, d_prime_bounds, extremes
from mated.engine.reach import EER_INTERVALS, OPERATING_POINTS, ROCCH
from mated.engine.recount import plan_for, recount_chunk
from mated.engine.refine import MOST_PASSES, Limits, refine
from mated.engine.stream import count, count_chunk
from mated.scores import Tally
from mated.uncertainty.independent import draw_at_fmr, draw_at_threshold, draw_at_tmr, draw_eer
from mated.verification import area_under_roc, at_fmr, at_threshold, at_tmr, d_prime, equal_error_rate
from mated.verification.costs import cllr, fvc_rates, min_cllr
from strategies import targets

INF = math.inf
norm_quantile = NormalDist().inv_cdf
FEW = settings(max_examples=40)

# Bins of float64 are 2^-10 wide from 1 to 2, those of float32 2^-13.
_fine = st.integers(-40, 40).map(lambda n: 1 + n * 2.0**-15)
_at_edges = st.tuples(st.sampled_from([1.0, 1.5, 2.0, -1.0, 0.0]), st.integers(-2, 2)).map(
    lambda pair: (
        float(np.nextafter(np.float32(pair[0]), np.float32(math.copysign(INF, pair[1])))) if pair[1] else pair[0]
    )
)
_odd = st.sampled_from([INF, -INF, 0.0, -0.0, 5e-324, -5e-324, 1e-40, 3e38, -3e38])
_integers = st.integers(2040, 2060).map(float)
_decimals = st.integers(7000, 7040).map(lambda n: n / 100)
_kinds = st.sampled_from([_fine, _at_edges, st.one_of(_fine, _at_edges, _odd), _integers, _decimals])


@st.composite
def few_scores(draw):
    """Up to 40 scores of one awkward kind with a flag each, both classes present."""
    scores = np.array(draw(st.lists(draw(_kinds), min_size=2, max_size=40)))
    flags = np.array(draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores))))
    flags[0], flags[1] = True, False
    return scores, flags


@st.composite
def many_bins(draw):
    """Up to 400 scores in up to 100 bins of four legitimate scores each, one class sometimes tiny."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    size, bins = draw(st.integers(20, 400)), draw(st.integers(10, 100))
    flags = rng.random(size) < draw(st.sampled_from([0.02, 0.5]))
    flags[0], flags[1] = True, False
    place = rng.integers(0, 4 * bins, size) + flags * draw(st.integers(0, 2 * bins))
    return place, flags


@st.composite
def flagged_scores(draw):
    """Scores as float32 or float64 with a flag each."""
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    if draw(st.booleans()):
        scores, flags = draw(few_scores())
    else:
        place, flags = draw(many_bins())
        single = dtype == np.float32
        if draw(st.booleans()):
            scores = 1 + place * 2.0 ** (-15 if single else -12)
        else:
            scores = (80_000 + 3 * place) / 10_000 if single else (8000 + 2 * place) / 1000
    return scores.astype(dtype), flags


@st.composite
def in_chunks(draw, scores, flags):
    """The same comparisons in any order, cut anywhere."""
    order = np.random.default_rng(draw(st.integers(0, 99))).permutation(len(scores))
    cuts = sorted(draw(st.lists(st.integers(0, len(scores)), max_size=3)))
    return [(scores[part], flags[part]) for part in np.split(order, cuts)]


def the_same(a, b):
    """Whether two results are equal to the last bit, types and signs included."""
    return repr(a) == repr(b)


def source_of(chunks):
    whole = from_arrays(np.concatenate([c[0] for c in chunks]), np.concatenate([c[1] for c in chunks]))
    return type(whole)("chunks", lambda: chunks, whole.rows)


@FEW
@given(st.data())
def test_the_first_pass_does_not_depend_on_chunks_or_their_order(data):
    scores, flags = data.draw(flagged_scores())
    scoring = Scoring(dissimilarity=data.draw(st.booleans()))
    chunks = data.draw(in_chunks(scores, flags))
    whole = count_chunk(scores, flags, scoring)
    assert sum(count_chunk(*chunk, scoring) for chunk in chunks) == whole
    assert count(source_of(chunks), scoring=scoring) == whole
    inner = -scores if scoring.dissimilarity else scores
    assert whole.unit == Tally.from_scores(inner[flags], inner[~flags]).unit


@FEW
@given(st.data())
def test_a_further_pass_does_not_depend_on_chunks_or_their_order(data):
    from mated.engine.cells import Cells

    scores, flags = data.draw(flagged_scores())
    scoring = Scoring(dissimilarity=data.draw(st.booleans()))
    cells = Cells.of(count_chunk(scores, flags, scoring))
    wanted = np.array(data.draw(st.lists(st.booleans(), min_size=len(cells), max_size=len(cells))))
    plan = plan_for(cells, wanted, most=data.draw(st.integers(0, 20)), split=data.draw(st.integers(0, 3)))
    chunks = data.draw(in_chunks(scores, flags))
    refined = [
        plan.refined(found)
        for found in (recount_chunk(scores, flags, plan), sum(recount_chunk(*chunk, plan) for chunk in chunks))
    ]
    for name in ("low", "high", "mated", "nonmated"):
        assert np.array_equal(getattr(refined[0], name), getattr(refined[1], name))
    assert (refined[0].n_mated, refined[0].n_nonmated) == (cells.n_mated, cells.n_nonmated)


@settings(max_examples=100)
@given(st.data())
def test_every_operating_point_is_that_of_all_comparisons_in_memory(data):
    scores, flags = data.draw(flagged_scores())
    dissimilarity = data.draw(st.booleans())
    chunks = source_of(data.draw(in_chunks(scores, flags)))
    points = Points(
        fmr=tuple(data.draw(st.lists(targets, max_size=2))),
        tmr=tuple(data.draw(st.lists(st.one_of(targets, st.just(1)), max_size=2))),
        threshold=tuple(data.draw(st.lists(st.one_of(st.sampled_from(scores.tolist()), _fine), max_size=2))),
        replicates=False,
    )
    # Nothing is collected as a whole; cells are divided where they hold more than a few scores.
    limits = Limits(whole=0, most=data.draw(st.sampled_from([0, 3, 10**6])), split=data.draw(st.sampled_from([2, 100])))
    streamed = refine(count(chunks, scoring=Scoring(dissimilarity=dissimilarity)), chunks, points, limits=limits)
    tally, memory = (
        streamed.tally,
        Tally.from_scores(scores[flags], scores[~flags], dissimilarity=dissimilarity),
    )
    assert tally.unit == memory.unit
    assert streamed.passes <= MOST_PASSES
    if OPERATING_POINTS in streamed.given_up:
        assert streamed.passes == MOST_PASSES
        assert limits.split == 2  # two cells a pass
        assert limits.most < 10
        return
    for read, places in ((at_fmr, points.fmr), (at_tmr, points.tmr), (at_threshold, points.threshold)):
        for place in places:
            assert the_same(read(tally, place), read(memory, place))
    assert the_same(fvc_rates(tally), fvc_rates(memory))
    found, expected = equal_error_rate(tally), equal_error_rate(memory)
    if ROCCH in streamed.given_up:
        assert found.by_definition.pop("rocch") >= expected.by_definition.pop("rocch") - 1e-12
    assert the_same(found, expected)


@FEW
@given(st.data())
def test_collecting_ahead_changes_nothing_but_the_number_of_passes(data):
    scores, flags = data.draw(flagged_scores())
    chunks = source_of(data.draw(in_chunks(scores, flags)))
    points = Points((0.5, 0.1), (0.9,), (1.0,), replicates=data.draw(st.booleans()))
    limits = Limits(whole=0, most=data.draw(st.sampled_from([30, 10**6])), split=100)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ahead, "SAMPLE", data.draw(st.sampled_from([1, 20, 100])))
        patch.setattr(ahead, "_FEWEST", 1)
        found = stream_tally(chunks, points, limits=limits)
    expected = refine(count(chunks), chunks, points, limits=limits)
    assert found.passes <= expected.passes
    assert found.given_up == expected.given_up
    for name in ("low", "high", "mated", "nonmated"):
        assert np.array_equal(getattr(found.cells, name), getattr(expected.cells, name))


@FEW
@given(st.data())
def test_replicates_are_those_of_all_comparisons_in_memory(data):
    scores, flags = data.draw(flagged_scores())
    chunks = source_of(data.draw(in_chunks(scores, flags)))
    fmr, tmr, threshold = (0.5, 0.01), (0.9, 1), (1.0, 2050.0)
    streamed = refine(count(chunks), chunks, Points(fmr, tmr, threshold), limits=Limits(whole=0, most=10**6, split=100))
    memory = Tally.from_scores(scores[flags], scores[~flags])
    options = {"replicates": 50, "seed": data.draw(st.integers(0, 9))}
    for draw, places in ((draw_at_fmr, fmr), (draw_at_tmr, tmr), (draw_at_threshold, threshold)):
        for found, expected in zip(
            draw(streamed.tally, places, **options), draw(memory, places, **options), strict=True
        ):
            assert np.array_equal(found, expected)
    assert EER_INTERVALS not in streamed.given_up
    for found, expected in zip(draw_eer(streamed.tally, **options), draw_eer(memory, **options), strict=True):
        assert np.array_equal(found, expected)


@settings(max_examples=30)
@given(st.data())
def test_replicates_of_the_eer_are_those_in_memory_however_few_errors_stand_behind_it(data):
    # With so few errors resamples cross far from the estimate; most scores lie beyond where any of them does.
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    mated, errors = data.draw(st.sampled_from([2000, 20_000])), data.draw(st.integers(0, 100))
    nonmated = data.draw(st.sampled_from([1000, 30_000]))
    shift = -norm_quantile(max(errors, 0.01) / mated) * 2
    scores = np.concatenate([rng.normal(shift, 1, mated), rng.normal(0, 1, nonmated)])
    scores = scores.astype(data.draw(st.sampled_from([np.float32, np.float64])))
    if data.draw(st.booleans()):
        scores = np.round(scores, 3)  # ties, and gaps that hold no legitimate score
    flags = np.arange(len(scores)) < mated
    source = source_of(data.draw(in_chunks(scores, flags)))
    streamed = refine(count(source), source, Points(), limits=Limits(whole=0, most=10**6, split=100))
    assert EER_INTERVALS not in streamed.given_up
    memory = Tally.from_scores(scores[flags], scores[~flags])
    options = {"replicates": 4000, "seed": data.draw(st.integers(0, 9))}
    for found, expected in zip(draw_eer(streamed.tally, **options), draw_eer(memory, **options), strict=True):
        assert np.array_equal(found, expected)


@FEW
@given(st.data())
def test_what_is_not_exact_lies_within_its_bounds(data):
    scores, flags = data.draw(flagged_scores())
    chunks = source_of([(scores, flags)])
    streamed = refine(
        count(chunks), chunks, Points(eer=False, replicates=False), limits=Limits(whole=0, most=10**6, split=100)
    )
    memory = Tally.from_scores(scores[flags], scores[~flags])
    worst, best = extremes(streamed.cells)
    low, high = area_bounds(streamed.cells)
    assert (low, high) == (area_under_roc(worst), area_under_roc(best))
    assert low <= area_under_roc(memory) <= high
    slack = 1e-9
    for cost in (min_cllr, cllr):
        assert cost(best) * (1 - slack) <= cost(memory) <= cost(worst) * (1 + slack) + slack
    assert (
        equal_error_rate(best).by_definition["rocch"] - slack
        <= equal_error_rate(memory).by_definition["rocch"]
        <= equal_error_rate(worst).by_definition["rocch"] + slack
    )
    separation, bounds = d_prime(memory), d_prime_bounds(streamed.cells)
    if bounds is not None and separation is not None:
        wide = slack * (1 + abs(separation))
        assert bounds[0] - wide <= separation <= bounds[1] + wide
    # Every point of a drawn curve is one of the true curve, threshold included.
    for score, mated, nonmated in zip(
        streamed.tally.scores, streamed.tally.mated_at_or_above, streamed.tally.nonmated_at_or_above, strict=True
    ):
        assert (mated, nonmated) == (np.sum(scores[flags] >= score), np.sum(scores[~flags] >= score))
