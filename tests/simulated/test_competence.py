import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdcourse.config.schema import CurveConfig
from holdcourse.simulated.competence import competence

CURVE = CurveConfig(floor=0.4, ceiling=1.0, half_length=1000.0, slope=2.0)


def test_an_empty_request_meets_the_ceiling() -> None:
    assert competence(CURVE, 0) == 1.0


def test_at_half_length_competence_is_halfway_between_floor_and_ceiling() -> None:
    assert competence(CURVE, 1000) == pytest.approx(0.7)


def test_at_twice_the_half_length_a_slope_of_two_leaves_a_fifth_of_the_range() -> None:
    assert competence(CURVE, 2000) == pytest.approx(0.4 + 0.6 / 5)


def test_without_slope_length_does_not_matter() -> None:
    flat = CurveConfig(floor=0.2, ceiling=0.8, half_length=1000.0, slope=0.0)
    assert competence(flat, 0) == competence(flat, 10) == competence(flat, 10**6) == pytest.approx(0.5)


def test_a_negative_length_is_refused() -> None:
    with pytest.raises(ValueError, match="-1 characters"):
        competence(CURVE, -1)


@given(st.integers(0, 10**7), st.integers(0, 10**7))
def test_longer_requests_are_never_judged_better(first: int, second: int) -> None:
    short, long = sorted((first, second))
    assert CURVE.floor <= competence(CURVE, long) <= competence(CURVE, short) <= CURVE.ceiling
