"""What a claim may say, and how it is answered: a truth table, and hand calculations."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mated import MatedError, identify, predict, quality, verify
from mated.report.claims import Sources, answer_claim, verdict_of
from mated.report.claims_grammar import CONDITIONS, MEASURES, parse_claim
from mated.synthetic import GaussianIdentities
from mated.synthetic.quality import draw_qualities

HOLDS = {
    "<=": lambda x, limit: x <= limit,
    ">=": lambda x, limit: x >= limit,
    "<": lambda x, limit: x < limit,
    ">": lambda x, limit: x > limit,
}
ENDS = range(0, 9, 2)
PEOPLE = GaussianIdentities().draw(40, 3, rng=5)


def said_by_every_point(direction, limit, low, high):
    """The definition, by brute force: try every point of the interval on a grid that holds both ends and the limit."""
    held = [HOLDS[direction](x, limit) for x in range(low, high + 1)]
    return "supported" if all(held) else "undecided" if any(held) else "not supported"


@pytest.mark.parametrize("direction", HOLDS)
def test_a_verdict_is_what_every_point_of_the_interval_says(direction):
    seen = set()
    for low, high, limit in product(ENDS, ENDS, range(-1, 10)):
        if low <= high:
            expected = said_by_every_point(direction, limit, low, high)
            assert verdict_of(direction, limit, low, high) == expected, (low, high, limit)
            seen.add(expected)
    assert seen == {"supported", "not supported", "undecided"}


@pytest.mark.parametrize(("low", "high"), [(None, 0.1), (0.1, None), (float("nan"), 0.2), (0.1, float("nan"))])
def test_without_an_interval_nothing_is_decided(low, high):
    assert all(verdict_of(direction, 0.5, low, high) == "undecided" for direction in HOLDS)


@pytest.mark.parametrize(
    ("text", "measure", "direction", "limit", "rank", "at", "about"),
    [
        ("fmr <= 1e-4 at threshold 40", "fmr", "<=", 1e-4, None, {"threshold": 40}, None),
        ("fmr<1e-4 at tmr 0.99", "fmr", "<", 1e-4, None, {"tmr": 0.99}, None),
        ("FNMR ≤ 3 % at FMR 0.01%", "fnmr", "<=", 0.03, None, {"fmr": 1e-4}, None),
        ("tmr >= 0.97 at fmr 1e-3 for alpha", "tmr", ">=", 0.97, None, {"fmr": 1e-3}, "alpha"),
        ("eer <= 0.02", "eer", "<=", 0.02, None, {}, None),
        ("fmr <= 1e-4", "fmr", "<=", 1e-4, None, {}, None),
        ("auc ≥ 0.99 for 'my system'", "auc", ">=", 0.99, None, {}, "my system"),
        ("rank1 >= 0.98", "rank", ">=", 0.98, 1, {}, None),
        ("rank-5 > .9 at gallery 1e6", "rank", ">", 0.9, 5, {"gallery": 10**6}, None),
        ("rank 10 >= 1", "rank", ">=", 1, 10, {}, None),
        ("fnir <= 0.1 at fpir 1e-2", "fnir", "<=", 0.1, None, {"fpir": 0.01}, None),
        ("tpir >= 0.9 at gallery 1000 and fpir 1e-2", "tpir", ">=", 0.9, None, {"gallery": 1000, "fpir": 0.01}, None),
        ("fpir <= 0.1 at threshold -3.5", "fpir", "<=", 0.1, None, {"threshold": -3.5}, None),
        ("pauc <= 0.006 for SER-FIQ at night", "pauc", "<=", 0.006, None, {}, "SER-FIQ at night"),
    ],
)
def test_claims_are_read(text, measure, direction, limit, rank, at, about):
    claim = parse_claim(text)
    assert (claim.measure, claim.direction, claim.limit, claim.rank) == (measure, direction, limit, rank)
    assert (dict(claim.at), claim.about, claim.text) == (at, about, text)


@pytest.mark.parametrize(
    ("text", "character", "words"),
    [
        ("far <= 1e-4 at threshold 3", 1, "did you mean 'fmr'?"),
        ("erer <= 0.1", 1, "did you mean 'eer'?"),
        ("", 1, "a measure is expected"),
        ("eer = 0.1", 5, "one of <=, >=, <, > is expected"),
        ("eer <= small", 8, "a number is expected, and 'small'"),
        ("eer <= 3", 8, "3 % is 0.03"),
        ("eer <= 0.1 at fmr 0.1", 12, "comes nothing, not 'at fmr'"),
        ("fmr <= 1e-4 at fpir 0.1", 13, "'at threshold ...'; or 'at tmr ...'; or nothing, not 'at fpir'"),
        ("fmr <= 1e-4 at treshold 3", 16, "did you mean 'threshold'?"),
        ("fnmr <= 0.1 at fmr 0.1 and fmr 0.2", 28, "fmr is said twice"),
        ("fnmr <= 0.1 at fmr 2", 20, "between 0 and 1"),
        ("rank0 >= 0.5", 5, "whole number from 1 on"),
        ("rank1.5 >= 0.5", 5, "whole number from 1 on"),
        ("rank1 >= 0.5 at gallery 1", 25, "from 2 to 10^12"),
        ("rank1 >= 0.5 at gallery 1e999", 25, "beyond every number"),
        ("eer <= 0.1 maybe", 12, "'maybe' stands there"),
        ("eer <= 0.1 for ", 16, "the name of a system"),
    ],
)
def test_what_is_no_claim_gets_a_sentence_with_the_place(text, character, words):
    with pytest.raises(MatedError) as caught:
        parse_claim(text)
    assert f"at character {character}:" in str(caught.value)
    assert words in str(caught.value)


@given(st.text(alphabet="fmrteaucnkpi<>=≤ 0123456789.%'é-", max_size=30))
def test_any_text_is_a_claim_or_a_sentence(text):
    try:
        claim = parse_claim(text)
    except MatedError:
        return
    assert claim.measure in MEASURES
    assert set(claim.at) <= set(CONDITIONS)
    assert 0 <= claim.limit <= 1


def answered(text, sources, level=0.95, system="alpha"):
    return answer_claim(parse_claim(text), system, sources, level)[0]


@pytest.mark.parametrize(("limit", "verdict"), [("0.00369", "supported"), ("0.00368", "undecided"), ("0", "undecided")])
def test_no_error_among_a_thousand_supports_rates_above_the_bound_of_clopper_and_pearson(limit, verdict):
    # By hand: with no error among 1000 the upper end is 1 − 0.025^(1/1000) = 0.0036821.
    sure = verify([5.0] * 50, [1.0] * 1000).bootstrap(50, rng=1)
    answer = answered(f"fmr <= {limit} at threshold 3", Sources(sure))
    assert (answer.verdict, answer.errors, answer.trials, answer.subjects) == (verdict, 0, 1000, None)
    assert answer.high == pytest.approx(1 - 0.025 ** (1 / 1000), rel=1e-9)
    assert "0 errors in 1\u202f000 comparisons" in answer.sentence
    assert "subjects are not known" in answer.caution


def test_a_rate_that_is_missed_for_sure_is_not_supported():
    # 500 errors among 1000: Wilson's interval is 0.469 to 0.531.
    sure = verify([5.0] * 50, [1.0, 5.0] * 500).bootstrap(50, rng=1)
    answer = answered("fmr <= 0.4 at threshold 3", Sources(sure))
    assert answer.verdict == "not supported"
    assert (answer.value, answer.low, answer.high) == pytest.approx((0.5, 0.4691, 0.5309), abs=1e-4)
    assert answer.sentence.startswith(
        "Not supported: FMR at threshold 3 is 50 %, 95 % interval 46.91 to 53.09 %, wholly above 40 %;"
    )


def test_a_rate_without_a_condition_is_answered_at_every_threshold_in_use(known):
    b = known[1]
    two = answer_claim(parse_claim("fmr <= 0.1"), "alpha", Sources(b, thresholds=(-50, 10)), 0.95)
    for answer, threshold in zip(two, (-50, 10), strict=True):
        e = b.at_threshold(threshold).fmr
        assert (answer.claim, answer.value, answer.low, answer.high) == ("fmr <= 0.1", e.value, e.low, e.high)
        assert f"FMR at threshold {threshold} is" in answer.sentence
    (missed,) = answer_claim(parse_claim("tmr >= 0.5"), "alpha", Sources(b, thresholds=(10,)), 0.95)
    assert missed.value == b.at_threshold(10).tmr.value


def test_without_a_threshold_in_use_the_answer_names_the_laxest_that_would_do(known):
    v, b = known
    (answer,) = answer_claim(parse_claim("fmr <= 0.1"), "alpha", Sources(b), 0.95)
    assert (answer.verdict, answer.value) == ("undecided", None)
    assert "it depends on the threshold, and the study names none" in answer.sentence
    # By brute force: the upper end at every observed score, the laxest first.
    met = [t for t in v.tally.scores.tolist() if b.at_threshold(t).fmr.high <= 0.1]
    fnmr = b.at_threshold(met[0]).fnmr.value
    assert f"at threshold {met[0]:g} and stricter, where the FNMR is {100 * fnmr:.4g} % and more." in answer.sentence
    (never,) = answer_claim(parse_claim("fmr <= 1e-9"), "alpha", Sources(b), 0.95)
    assert "at none of the scores they hold: the comparisons are too few" in never.sentence
    (rate,) = answer_claim(parse_claim("fnmr <= 0.1"), "alpha", Sources(b), 0.95)
    assert "or the FMR ('at fmr 1e-3')" in rate.sentence
    assert "would support it" not in rate.sentence


@pytest.fixture(scope="module")
def known():
    v = verify(PEOPLE.comparisons("llr", scale=100, decimals=0), name="alpha")
    return v, v.bootstrap(200, rng=1)


def test_the_interval_is_the_one_that_the_library_prints(known):
    v, b = known
    sources = Sources(b)
    for text, e in (
        ("eer <= 0.1", b.eer().eer),
        ("auc >= 0.9", b.auc()),
        ("fnmr <= 0.1 at fmr 0.01", b.at_fmr(0.01).fnmr),
        ("tmr >= 0.9 at fmr 0.01", b.at_fmr(0.01).tmr),
        ("fmr <= 0.1 at tmr 0.9", b.at_tmr(0.9).fmr),
        ("fmr <= 0.1 at threshold 10", b.at_threshold(10).fmr),
        ("tmr >= 0.1 at threshold 10", b.at_threshold(10).tmr),
    ):
        answer = answered(text, sources)
        assert (answer.value, answer.low, answer.high) == (e.value, e.low, e.high), text
        assert (answer.errors, answer.subjects, answer.method) == (e.errors, 40, e.method)
    wider = answered("eer <= 0.1", sources, level=0.99)
    assert wider.low < b.eer().eer.low < b.eer().eer.high < wider.high
    assert (wider.low, wider.high) == (lambda e: (e.low, e.high))(replace(b, level=0.99).eer().eer)
    assert v.bootstrap(200, rng=1, level=0.99).eer().eer.high == wider.high


def test_a_target_that_the_data_cannot_resolve_is_undecided_and_says_why(known):
    answer = answered("fnmr <= 0.9 at fmr 1e-8", Sources(known[1]))
    assert (answer.verdict, answer.low) == ("undecided", None)
    assert "below 1/N" in answer.sentence


def test_searches_are_measured_where_there_are_any(known):
    found = identify(PEOPLE.matrix("llr"), fpir=0.1, probes="mate removed", replicates=200)
    sources = Sources(known[1], found)
    first = answered("rank1 >= 0.01", sources)
    assert (first.value, first.low, first.high) == (
        found.at_rank(1).value,
        found.at_rank(1).low,
        found.at_rank(1).high,
    )
    missed, found_rate = (answered(f"{what} at fpir 0.1", sources) for what in ("fnir <= 0.1", "tpir >= 0.9"))
    at = found.at_fpir(0.1)
    assert (missed.value, missed.low, missed.high) == (at.point.fnir, at.low, at.high)
    assert (found_rate.value, found_rate.low, found_rate.high) == (1 - at.point.fnir, 1 - at.high, 1 - at.low)
    assert missed.verdict == found_rate.verdict
    without = answered("rank1 >= 0.5", Sources(known[1], why_no_identification="samples are not known"))
    assert (without.verdict, without.value) == ("undecided", None)
    assert "samples are not known" in without.sentence


def test_a_gallery_makes_a_forecast(known):
    v, b = known

    def forecast(claim, level):
        return predict(v, gallery=claim.at["gallery"], ranks=claim.rank, replicates=20, rng=1, level=level)

    answer = answered("rank1 >= 0.01 at gallery 1000", Sources(b, forecast=forecast))
    made = predict(v, gallery=1000, ranks=1, replicates=20, rng=1).galleries[0]
    assert (answer.value, answer.low, answer.high) == (made.rate[0], made.low[0], made.high[0])
    assert (answer.basis, answer.subjects, answer.errors) == ("forecast", 40, None)
    assert "is forecast at" in answer.sentence
    assert answer.caution == made.caution
    nobody = answered("rank1 >= 0.01 at gallery 1000", Sources(b))
    assert "give both subjects" in nobody.sentence


def test_areas_are_answered_for_each_algorithm_unless_one_is_named():
    drawn = draw_qualities((0.1, 1.0), subjects=40, samples=3, nonmated=100, rng=1)
    judged = {name: dict(zip(drawn.sample_names, q.tolist(), strict=True)) for name, q in drawn.quality.items()}
    made = quality(drawn.comparisons(), judged, replicates=100)
    every = answer_claim(parse_claim("pauc <= 0.2"), "alpha", Sources(quality=made), 0.95)
    assert [answer.system for answer in every] == [f"alpha: {name}" for name in made.ranking]
    (one,) = answer_claim(parse_claim(f"pauc <= 1e-9 for {made.ranking[1]}"), "alpha", Sources(quality=made), 0.95)
    result = made[made.ranking[1]]
    assert (one.value, one.low, one.high) == (result.pauc, result.low, result.high)
    assert one.errors == made.starting.errors
    assert one.verdict == ("not supported" if result.low > 1e-9 else "undecided")
    (none,) = answer_claim(parse_claim("pauc <= 0.2"), "alpha", Sources(), 0.95)
    assert (none.verdict, none.value) == ("undecided", None)


def test_supported_claims_at_their_true_value_are_as_rare_as_the_level_says():
    # A claim exactly at the truth is false by a hair; it may be called supported in 2.5 % of tests at most.
    # 400 tests of 300 independent comparisons at a rate of 0.1: 2.5 % ± 3·0.78 % (Monte-Carlo error).
    rng = np.random.default_rng(7)
    claim = parse_claim("fmr < 0.1 at threshold 0.5")
    supported = 0
    for _ in range(400):
        sure = verify([1.0] * 5, (rng.random(300) < 0.1).astype(float)).bootstrap(2, rng=1)
        supported += answer_claim(claim, "alpha", Sources(sure), 0.95)[0].verdict == "supported"
    assert supported / 400 <= 0.025 + 3 * np.sqrt(0.025 * 0.975 / 400)
