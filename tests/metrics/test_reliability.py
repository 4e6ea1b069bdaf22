"""pass^k and pass@k on values worked out by hand; undefined is never 0."""

from __future__ import annotations

from itertools import combinations
from math import isnan

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.metrics.made_records import make_record, make_records

from holdcourse.errors import HoldcourseError
from holdcourse.metrics.reliability import pass_at_k, pass_hat_k, task_scores

# c successes in n trials: pass^k = C(c,k) / C(n,k), pass@k = 1 - C(n-c,k) / C(n,k).
BY_HAND = [
    # c, n, k, pass^k, pass@k
    (0, 3, 1, 0.0, 0.0),
    (2, 3, 1, 2 / 3, 2 / 3),
    (2, 3, 2, 1 / 3, 1.0),  # (c/n)^k would be 4/9
    (2, 3, 3, 0.0, 1.0),  # (c/n)^k would be 8/27
    (1, 3, 2, 0.0, 2 / 3),
    (3, 3, 3, 1.0, 1.0),
    (3, 5, 2, 3 / 10, 9 / 10),
    (4, 5, 3, 4 / 10, 1.0),
    (2, 5, 3, 0.0, 9 / 10),
    (5, 8, 3, 10 / 56, 55 / 56),
]


@pytest.mark.parametrize(("c", "n", "k", "hat", "at"), BY_HAND)
def test_values_worked_out_by_hand(c: int, n: int, k: int, hat: float, at: float) -> None:
    assert pass_hat_k(c, n, k) == pytest.approx(hat)
    assert pass_at_k(c, n, k) == pytest.approx(at)


@pytest.mark.parametrize(("c", "n", "k"), [(0, 0, 1), (2, 2, 3), (0, 2, 3), (1, 1, 2)])
def test_fewer_than_k_trials_leave_both_undefined(c: int, n: int, k: int) -> None:
    assert pass_hat_k(c, n, k) is None
    assert pass_at_k(c, n, k) is None


@pytest.mark.parametrize(("c", "n", "k"), [(1, 3, 0), (4, 3, 1), (-1, 3, 1)])
def test_impossible_counts_are_refused(c: int, n: int, k: int) -> None:
    with pytest.raises(ValueError, match=r"k is 0|cannot be"):
        pass_hat_k(c, n, k)
    with pytest.raises(ValueError, match=r"k is 0|cannot be"):
        pass_at_k(c, n, k)


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.integers(1, 7))
def test_both_are_shares_of_the_subsets_of_k_trials(trials: list[bool], k: int) -> None:
    subsets = list(combinations(trials, k))
    hat, at = pass_hat_k(sum(trials), len(trials), k), pass_at_k(sum(trials), len(trials), k)
    if not subsets:
        assert hat is None
        assert at is None
    else:
        assert hat == pytest.approx(sum(map(all, subsets)) / len(subsets))
        assert at == pytest.approx(sum(map(any, subsets)) / len(subsets))


@given(st.integers(0, 9), st.integers(1, 9))
def test_pass_hat_falls_and_pass_at_rises_with_k(c: int, n: int) -> None:
    c = min(c, n)
    hats = [pass_hat_k(c, n, k) or 0.0 for k in range(1, n + 1)]
    ats = [pass_at_k(c, n, k) or 0.0 for k in range(1, n + 1)]
    assert hats == sorted(hats, reverse=True)
    assert ats == sorted(ats)
    assert hats[0] == pytest.approx(ats[0])


def scores_of(outcomes: dict[str, str], ks: tuple[int, ...] = (1, 2, 3)) -> pd.DataFrame:
    return task_scores(make_records(outcomes), ks).set_index(["task", "k"])


def test_a_task_is_scored_for_each_k() -> None:
    scores = scores_of({"t1": "110"})
    assert scores["pass_hat_k"].tolist() == pytest.approx([2 / 3, 1 / 3, 0.0])
    assert scores["pass_at_k"].tolist() == pytest.approx([2 / 3, 1.0, 1.0])


def test_an_infrastructure_failure_is_no_trial_and_is_counted() -> None:
    scores = scores_of({"t1": "1-1"})
    assert scores.loc[("t1", 2), "trials"] == 2
    assert scores.loc[("t1", 2), "pass_hat_k"] == 1.0
    assert isnan(scores.loc[("t1", 3), "pass_hat_k"])
    assert isnan(scores.loc[("t1", 3), "pass_at_k"])
    assert scores.loc[("t1", 3), "infrastructure_failures"] == 1
    assert scores.loc[("t1", 3), "simulations"] == 3


def test_a_task_with_no_trial_left_has_no_value_at_all() -> None:
    row = scores_of({"t1": "---"}).loc[("t1", 1)]
    assert row["trials"] == 0
    undefined = ["pass_hat_k", "pass_at_k", "strict_pass_hat_k", "mean_reward", "wrong_owner_rate"]
    assert row[undefined].isna().all()


def test_strict_counts_the_stored_strict_scores() -> None:
    records = [make_record(trial=t, strict=strict) for t, strict in enumerate((True, False, True))]
    row = task_scores(records, [2]).iloc[0]
    assert row["pass_hat_k"] == 1.0
    assert row["strict_pass_hat_k"] == pytest.approx(1 / 3)


def test_strict_leaves_out_trials_whose_strict_score_is_undefined() -> None:
    records = [make_record(trial=0, strict=True), make_record(trial=1, strict=None)]
    scores = task_scores(records, [1, 2]).set_index("k")
    assert scores.loc[1, "strict_pass_hat_k"] == 1.0
    assert isnan(scores.loc[2, "strict_pass_hat_k"])


def test_reward_and_wrong_owner_calls_are_means_over_trials() -> None:
    records = [
        make_record(trial=0, reward=0.5, wrong_owner_calls=4),
        make_record(trial=1),
        make_record(trial=2, success=None),
    ]
    row = task_scores(records, [1]).iloc[0]
    assert row["mean_reward"] == 0.75
    assert row["wrong_owner_rate"] == 0.5
    assert row["successes"] == 1


def test_a_trial_that_stands_twice_is_refused() -> None:
    with pytest.raises(HoldcourseError, match="task t1 trial 0"):
        task_scores([make_record(), make_record(success=False)], [1])


def test_trial_order_is_immaterial() -> None:
    records = make_records({"t2": "10", "t1": "011"})
    pd.testing.assert_frame_equal(task_scores(records, [1, 2]), task_scores(records[::-1], [1, 2]))


def test_no_records_give_an_empty_table_with_all_columns() -> None:
    scores = task_scores((), [1])
    assert scores.empty
    assert "pass_hat_k" in scores.columns
