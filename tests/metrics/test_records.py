"""Evaluation records are checked when read: nothing is dropped and nothing counts twice."""

from __future__ import annotations

import pytest
from tests.metrics.made_records import make_record, make_records

from holdcourse.errors import HoldcourseError
from holdcourse.metrics.records import check_complete, read_records


def row(**changes: object) -> dict[str, object]:
    return make_record().model_dump(mode="json") | changes


def test_rows_of_a_file_become_records() -> None:
    records = read_records([row(trial=0), row(trial=1, reward=0.0)], "evaluation.jsonl")
    assert [record.success for record in records] == [True, False]


def test_a_simulation_that_outgrew_a_context_is_a_trial_that_failed() -> None:
    outgrown = row(outcome="context_length", reward=0.0, db_match=None, strict=False)
    (record,) = read_records([outgrown], "evaluation.jsonl")
    assert record.scored
    assert not record.success
    assert record.strict is False


def test_columns_that_metrics_do_not_use_are_passed_over() -> None:
    assert read_records([row(transcript="long")], "evaluation.jsonl") == (make_record(),)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"reward": None}, "all but infrastructure have a reward"),
        ({"outcome": "infrastructure"}, "all but infrastructure have a reward"),
        ({"reward": 1.5}, "reward"),
        ({"reward": float("nan")}, "reward"),
        ({"trial": -1}, "trial"),
        ({"outcome": "lost"}, "outcome"),
        ({"cost_usd": "free"}, "cost_usd"),
        ({"reward": 0.0, "strict": True}, "a strict success is a success"),
        ({"outcome": "infrastructure", "reward": None, "strict": False}, "a strict success is a success"),
    ],
)
def test_a_bad_row_is_named(changes: dict[str, object], named: str) -> None:
    with pytest.raises(HoldcourseError, match=named) as error:
        read_records([row(), row(trial=1) | changes], "e.jsonl")
    assert "e.jsonl, record 2" in str(error.value)


def test_a_missing_field_is_named() -> None:
    broken = {key: value for key, value in row().items() if key != "db_match"}
    with pytest.raises(HoldcourseError, match="db_match"):
        read_records([broken], "e.jsonl")


def test_a_trial_that_stands_twice_is_refused() -> None:
    with pytest.raises(HoldcourseError, match="task t1 trial 0"):
        read_records([row(), row(reward=0.0)], "e.jsonl")


def test_a_reward_just_below_one_is_a_success_as_in_the_benchmark() -> None:
    assert make_record(reward=1.0 - 1e-7).success
    assert not make_record(reward=0.999).success


@pytest.mark.parametrize(("success", "strict"), [(True, True), (True, False), (False, False), (False, None)])
def test_the_strict_score_is_the_one_that_the_evaluation_stored(success: bool, strict: bool | None) -> None:
    (record,) = read_records([make_record(success=success, strict=strict).model_dump()], "e.jsonl")
    assert record.strict is strict


def test_complete_evaluations_pass_with_infrastructure_failures_in_them() -> None:
    check_complete(make_records({"t1": "1-0", "t2": "---"}), ["t1", "t2"], 3, "e.jsonl")


def test_a_missing_trial_is_named() -> None:
    with pytest.raises(HoldcourseError, match=r"lacks 1 of 6 trials: task t2 trial 2"):
        check_complete(make_records({"t1": "100", "t2": "10"}), ["t1", "t2"], 3, "e.jsonl")


def test_a_foreign_task_is_named() -> None:
    with pytest.raises(HoldcourseError, match="outside the protocol: task t2 trial 0"):
        check_complete(make_records({"t1": "1", "t2": "1"}), ["t1"], 1, "e.jsonl")


def test_long_lists_of_missing_trials_are_cut() -> None:
    with pytest.raises(HoldcourseError, match="and 5 more"):
        check_complete((), [f"t{i}" for i in range(10)], 1, "e.jsonl")
