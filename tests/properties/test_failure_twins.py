"""FRR, FAR, GFRR and GFAR against attempts that are counted one by one."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from mated import verify
from strategies import integers

NAN = float("nan")
scores = st.lists(st.one_of(integers, st.just(NAN)), min_size=1, max_size=10).filter(
    lambda values: not all(map(math.isnan, values))
)
counts = st.integers(1, 5).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def accepted(values, threshold, acquisition=(0, 1), enrolment=(0, 1)):
    """Let everybody, enrolled or not, make every attempt, acquired or not, and count what is accepted by hand."""
    yes = no = 0
    for person in range(enrolment[1]):
        for capture in range(acquisition[1]):
            for score in values:
                if person < enrolment[0] or capture < acquisition[0] or math.isnan(score) or score < threshold:
                    no += 1
                else:
                    yes += 1
    return Fraction(yes, yes + no)


@given(scores, scores, st.integers(-7, 7), counts, counts)
def test_the_rates_are_those_of_attempts_counted_one_by_one(mated, nonmated, threshold, acquisition, enrolment):
    texts = [f"{failed}/{tried}" for failed, tried in (acquisition, enrolment)]
    v = verify(mated, nonmated, nan="failure", threshold=threshold, fta=texts[0], fte=texts[1])
    rates = v.with_failures(v.at_threshold(threshold))
    assert rates.frr == float(1 - accepted(mated, threshold, acquisition))
    assert rates.far == float(accepted(nonmated, threshold, acquisition))
    assert rates.gfrr == float(1 - accepted(mated, threshold, acquisition, enrolment))
    assert rates.gfar == float(accepted(nonmated, threshold, acquisition, enrolment))
    bare = verify(mated, nonmated, nan="failure")
    alone = bare.with_failures(bare.at_threshold(threshold))
    assert alone.frr == float(1 - accepted(mated, threshold))
    assert alone.far == float(accepted(nonmated, threshold))


@given(scores, scores, st.integers(1, 99).map(lambda n: n / 100))
def test_failures_never_lower_frr_nor_raise_far(mated, nonmated, fmr):
    v = verify(mated, nonmated, nan="failure", fte=0.1)
    point = v.at_fmr(fmr)
    rates = v.with_failures(point)
    assert point.fnmr <= rates.frr + 1e-15
    assert rates.frr <= rates.gfrr <= 1
    assert 0 <= rates.gfar <= rates.far <= point.fmr
