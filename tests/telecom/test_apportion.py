import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdcourse.telecom.apportion import apportion

shares = st.dictionaries(st.text("abcdef", min_size=1), st.floats(0.0, 1.0), min_size=1, max_size=6)


def test_the_left_over_seat_goes_to_the_largest_remainder():
    assert apportion(66, {"service": 0.15, "mobile": 0.425, "mms": 0.425}) == {
        "service": 10,  # 9.9
        "mobile": 28,  # 28.05
        "mms": 28,
    }


def test_a_tie_goes_to_the_key_named_first():
    assert apportion(3, {"left": 0.5, "right": 0.5}) == {"left": 2, "right": 1}


def test_quotas_that_are_whole_numbers_stay_whole_in_floating_point():
    assert apportion(20, {"a": 0.7, "b": 0.15, "c": 0.15}) == {"a": 14, "b": 3, "c": 3}


def test_no_seats_need_no_shares():
    assert apportion(0, {"a": 0.0}) == {"a": 0}


@pytest.mark.parametrize("bad", [{"a": 0.0}, {"a": 1.0, "b": -0.5}])
def test_impossible_shares_are_refused(bad):
    with pytest.raises(ValueError, match="cannot divide"):
        apportion(5, bad)


@given(st.integers(0, 300), shares.filter(lambda shares: sum(shares.values()) > 1e-3))
def test_seats_are_all_given_and_no_key_is_a_seat_off_its_quota(seats, shares):
    counts = apportion(seats, shares)
    assert sum(counts.values()) == seats
    total = sum(shares.values())
    assert all(abs(counts[key] - seats * shares[key] / total) < 1 + 1e-6 for key in shares)
