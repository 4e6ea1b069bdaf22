"""metrics.parquet: means over tasks with their denominators, for all intents and for each."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

import pandas as pd
import pytest
from tests.metrics.made_records import make_records

from holdcourse.errors import HoldcourseError
from holdcourse.metrics.frames import (
    METRICS_COLUMNS,
    EvaluatedRun,
    empty_task_scores,
    metrics_of_scores,
    task_scores_frame,
)


def metrics_frame(runs: Sequence[EvaluatedRun], ks: Sequence[int]) -> pd.DataFrame:
    return metrics_of_scores(task_scores_frame(runs, ks))


INTENTS = {"t1": "mms_issue", "t2": "mms_issue", "t3": "service_issue"}
RUN = EvaluatedRun("grace", 0, 6, make_records({"t1": "110", "t2": "11-", "t3": "000"}, INTENTS))


def test_the_columns_are_those_of_the_contract() -> None:
    assert tuple(metrics_frame([RUN], [1, 3]).columns) == METRICS_COLUMNS == (
        "arm", "seed", "checkpoint", "intent", "k", "pass_hat_k", "pass_at_k", "tasks", "excluded_tasks",
        "simulations", "infrastructure_failures", "strict_pass_hat_k", "mean_reward", "wrong_owner_rate",
    )  # fmt: skip


def test_means_are_over_tasks_and_say_which_were_left_out() -> None:
    metrics = metrics_frame([RUN], [1, 2, 3]).set_index(["intent", "k"])
    everything = metrics.loc[("all", 2)]
    assert everything["pass_hat_k"] == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert everything["pass_at_k"] == pytest.approx((1 + 1 + 0) / 3)
    assert (everything["tasks"], everything["excluded_tasks"]) == (3, 0)
    three = metrics.loc[("all", 3)]
    assert three["pass_hat_k"] == pytest.approx((0 + 0) / 2)
    assert (three["tasks"], three["excluded_tasks"]) == (2, 1)
    assert (three["simulations"], three["infrastructure_failures"]) == (9, 1)


def test_a_task_counts_once_however_many_trials_it_kept() -> None:
    run = EvaluatedRun("grace", 0, 0, make_records({"t1": "1--", "t2": "000"}))
    metrics = metrics_frame([run], [1]).set_index("intent")
    assert metrics.loc["all", "pass_hat_k"] == 0.5
    assert metrics.loc["all", "mean_reward"] == 0.5


def test_intents_have_rows_of_their_own() -> None:
    metrics = metrics_frame([RUN], [1]).set_index("intent")
    assert metrics.loc["mms_issue", "pass_hat_k"] == pytest.approx((2 / 3 + 1) / 2)
    assert metrics.loc["mms_issue", "tasks"] == 2
    assert metrics.loc["service_issue", "pass_hat_k"] == 0.0


def test_a_mean_over_no_task_is_undefined_not_zero() -> None:
    run = EvaluatedRun("grace", 0, 0, make_records({"t1": "11"}))
    row = metrics_frame([run], [3]).iloc[0]
    assert isnan(row["pass_hat_k"])
    assert isnan(row["pass_at_k"])
    assert (row["tasks"], row["excluded_tasks"]) == (0, 1)


def test_rows_come_in_order_of_arms_given_then_seed_checkpoint_intent_k() -> None:
    runs = [
        EvaluatedRun(arm, seed, checkpoint, RUN.records)
        for arm in ("hce", "grace") for seed in (1, 0) for checkpoint in (10, 2)
    ]  # fmt: skip
    metrics = metrics_frame(runs, [2, 1])
    assert metrics["arm"].drop_duplicates().tolist() == ["hce", "grace"]
    first = metrics[metrics["arm"] == "hce"]
    assert first["seed"].tolist() == sorted(first["seed"])
    assert first["checkpoint"].drop_duplicates().tolist() == [2, 10]
    assert metrics["intent"].drop_duplicates().tolist() == ["all", "mms_issue", "service_issue"]
    assert metrics["k"].tolist()[:2] == [1, 2]


def test_seed_0_is_a_seed() -> None:
    assert metrics_frame([RUN], [1])["seed"].unique().tolist() == [0]


def test_a_run_given_twice_is_refused() -> None:
    with pytest.raises(HoldcourseError, match="arm grace, seed 0, checkpoint 6 is given twice"):
        task_scores_frame([RUN, RUN], [1])


def test_no_runs_give_empty_tables_with_all_columns() -> None:
    assert tuple(metrics_frame([], [1]).columns) == METRICS_COLUMNS
    assert len(metrics_frame([], [1])) == 0
    assert list(empty_task_scores().columns) == list(task_scores_frame([RUN], [1]).columns)


def test_metrics_are_the_same_from_the_stored_task_scores(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("scores") / "task_scores.parquet"
    scores = task_scores_frame([RUN], [1, 3])
    scores.to_parquet(path)
    pd.testing.assert_frame_equal(metrics_of_scores(pd.read_parquet(path)), metrics_frame([RUN], [1, 3]))


def test_a_table_without_the_needed_columns_is_refused() -> None:
    with pytest.raises(ValueError, match="pass_hat_k"):
        metrics_of_scores(task_scores_frame([RUN], [1]).drop(columns="pass_hat_k"))
