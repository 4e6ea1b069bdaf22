"""Ratios of counts: values by hand, intervals that resample whole tasks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdcourse.metrics.count_intervals import (
    count_interval,
    f1,
    mean_of_sums,
    paired_count_interval,
    precision,
    recall,
    share,
)
from holdcourse.metrics.intervals import Bootstrap

BOOTSTRAP = Bootstrap(resamples=400, confidence=0.95, seed=3)
COUNTS = np.array([[3.0, 1.0, 0.0], [1.0, 0.0, 2.0], [0.0, 0.0, 0.0]])


@pytest.mark.parametrize(
    ("statistic", "value"),
    [(precision, 4 / 5), (recall, 4 / 6), (f1, 8 / 11)],
)
def test_ratios_are_of_sums_over_tasks(statistic, value) -> None:
    interval = count_interval(COUNTS, statistic, BOOTSTRAP)
    assert interval.estimate == pytest.approx(value)
    assert (interval.units, interval.excluded) == (2, 1)
    assert interval.low is not None
    assert interval.high is not None
    assert interval.low <= value <= interval.high


def test_a_share_and_a_mean_of_two_columns() -> None:
    assert share(np.array([[3.0, 1.0]]))[0] == 0.75
    assert mean_of_sums(np.array([[7.0, 2.0]]))[0] == 3.5


def test_what_nobody_counted_is_undefined() -> None:
    nothing = count_interval(np.zeros((4, 3)), f1, BOOTSTRAP)
    assert (nothing.estimate, nothing.units, nothing.excluded) == (None, 0, 4)
    misses = count_interval(np.array([[0.0, 0.0, 2.0]]), precision, BOOTSTRAP)
    assert (misses.estimate, misses.units) == (None, 1)
    assert count_interval(np.array([[0.0, 0.0, 2.0]]), recall, BOOTSTRAP).estimate == 0.0


def test_a_tasks_counts_stay_together() -> None:
    """Ten steps of one task are no ten units: with one task there is nothing to resample."""
    one = count_interval(np.array([[5.0, 5.0, 0.0]]), precision, BOOTSTRAP)
    assert (one.low, one.estimate, one.high) == (0.5, 0.5, 0.5)


def test_a_paired_difference_cancels_what_both_share() -> None:
    same = paired_count_interval(COUNTS, COUNTS, f1, BOOTSTRAP)
    assert (same.low, same.estimate, same.high) == (0.0, 0.0, 0.0)
    better = COUNTS + np.array([[1.0, 0.0, 0.0]])
    gain = paired_count_interval(better, COUNTS, recall, BOOTSTRAP)
    assert gain.estimate == pytest.approx(7 / 9 - 4 / 6)
    with pytest.raises(ValueError, match="of the same tasks"):
        paired_count_interval(COUNTS[:2], COUNTS, f1, BOOTSTRAP)


@given(st.lists(st.tuples(*[st.integers(0, 5)] * 3), min_size=1, max_size=8))
def test_f1_lies_between_precision_and_recall(rows) -> None:
    counts = np.array(rows, dtype=np.float64)
    low, middle, high = (
        count_interval(counts, one, Bootstrap(20, 0.9, 0)).estimate for one in (precision, f1, recall)
    )
    if low is not None and high is not None and middle is not None:
        assert min(low, high) - 1e-9 <= middle <= max(low, high) + 1e-9
