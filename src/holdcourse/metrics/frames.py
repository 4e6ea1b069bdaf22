"""The tables that metrics are kept in: task scores of all runs, and metrics.parquet made from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from holdcourse.errors import HoldcourseError
from holdcourse.metrics.records import EvaluationRecord
from holdcourse.metrics.reliability import TASK_SCORE_COLUMNS, task_scores

ALL_INTENTS = "all"
REFERENCE_ARM = "reference"
"""Stands as an arm in task scores and metrics: the stronger model with ℓ_0, at checkpoint 0."""

RUN_COLUMNS = ("arm", "seed", "checkpoint")
METRICS_COLUMNS = (
    *RUN_COLUMNS,
    "intent",
    "k",
    "pass_hat_k",
    "pass_at_k",
    "tasks",
    "excluded_tasks",
    "simulations",
    "infrastructure_failures",
    "strict_pass_hat_k",
    "mean_reward",
    "wrong_owner_rate",
)


@dataclass(frozen=True)
class EvaluatedRun:
    """One arm's checkpoint of one seed and the simulations it was evaluated with."""

    arm: str
    seed: int
    checkpoint: int
    records: tuple[EvaluationRecord, ...]


def task_scores_frame(runs: Iterable[EvaluatedRun], ks: Sequence[int]) -> pd.DataFrame:
    """Task scores of many runs: the columns arm, seed and checkpoint before those of `task_scores`.

    Raises:
        HoldcourseError: a run is given twice, or a trial stands twice in a run.
    """
    frames = []
    seen: set[tuple[str, int, int]] = set()
    for run in runs:
        key = (run.arm, run.seed, run.checkpoint)
        if key in seen:
            raise HoldcourseError(
                f"arm {run.arm}, seed {run.seed}, checkpoint {run.checkpoint} is given twice"
            )
        seen.add(key)
        scores = task_scores(run.records, ks)
        scores.insert(0, "arm", run.arm)
        scores.insert(1, "seed", run.seed)
        scores.insert(2, "checkpoint", run.checkpoint)
        frames.append(scores)
    filled = [frame for frame in frames if len(frame)]
    if not filled:
        return empty_task_scores()
    return pd.concat(filled, ignore_index=True)


def empty_task_scores() -> pd.DataFrame:
    """A task-score table with no rows, for a study in which nothing was evaluated yet."""
    empty = task_scores((), ())
    for position, (column, dtype) in enumerate(zip(RUN_COLUMNS, ("object", "int64", "int64"), strict=True)):
        empty.insert(position, column, pd.Series([], dtype=dtype))
    return empty


def metrics_of_scores(scores: pd.DataFrame) -> pd.DataFrame:
    """Average task scores over the tasks of a checkpoint, all intents first and then each.

    The unit is the task: every value is a mean over tasks in which it is defined. `tasks` is that
    number for pass^k and pass@k, `excluded_tasks` the tasks with fewer than k trials left after
    infrastructure failures. A value over no task is NaN. `simulations` counts all that were run,
    `infrastructure_failures` those among them that gave no trial.

    Args:
        scores: the table of `task_scores_frame`.

    Returns:
        The columns of `METRICS_COLUMNS`, by arm (in order of appearance), seed, checkpoint, intent, k.
    """
    expected = [*RUN_COLUMNS, *TASK_SCORE_COLUMNS]
    if missing := [column for column in expected if column not in scores.columns]:
        raise ValueError(f"task scores lack the columns {missing}")
    everything = pd.concat([scores.assign(intent=ALL_INTENTS), scores], ignore_index=True)
    if everything.empty:
        return everything.assign(tasks=0, excluded_tasks=0)[list(METRICS_COLUMNS)]
    grouped = everything.groupby([*RUN_COLUMNS, "intent", "k"], sort=False)
    metrics = grouped.agg(
        pass_hat_k=("pass_hat_k", "mean"),
        pass_at_k=("pass_at_k", "mean"),
        tasks=("pass_hat_k", "count"),
        rows=("task", "size"),
        simulations=("simulations", "sum"),
        infrastructure_failures=("infrastructure_failures", "sum"),
        strict_pass_hat_k=("strict_pass_hat_k", "mean"),
        mean_reward=("mean_reward", "mean"),
        wrong_owner_rate=("wrong_owner_rate", "mean"),
    ).reset_index()
    metrics["excluded_tasks"] = metrics["rows"] - metrics["tasks"]
    return metrics.sort_values(
        [*RUN_COLUMNS, "intent", "k"], key=lambda column: _rank(column, list(dict.fromkeys(scores["arm"])))
    )[list(METRICS_COLUMNS)].reset_index(drop=True)


def _rank(column: pd.Series, arms: list[str]) -> pd.Series:
    """Sort key: arms in order of appearance, "all" before the intents, numbers as they are."""
    if column.name == "arm":
        return column.map(arms.index)
    if column.name == "intent":
        return column.map(lambda intent: "" if intent == ALL_INTENTS else intent)
    return column
