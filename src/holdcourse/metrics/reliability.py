"""pass^k and pass@k of a task, from its trials (GRACE §3, Metrics).

Both are unbiased estimators over subsets of k of the n trials made: pass^k is the share of subsets in
which all k succeed (Yao et al. 2024, τ-bench), pass@k the share in which at least one does (Chen et
al. 2021, §2.1). With fewer than k trials there is no such subset and the value is undefined, never 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb, nan

import pandas as pd

from holdcourse.metrics.records import EvaluationRecord, refuse_repeats

TASK_SCORE_COLUMNS = (
    "task",
    "intent",
    "k",
    "trials",
    "successes",
    "pass_hat_k",
    "pass_at_k",
    "strict_pass_hat_k",
    "mean_reward",
    "wrong_owner_rate",
    "simulations",
    "infrastructure_failures",
)


def pass_hat_k(successes: int, trials: int, k: int) -> float | None:
    """Chance that k of the trials, drawn without replacement, all succeed: C(c, k) / C(n, k).

    Returns:
        A share in [0, 1], or None when there are fewer than k trials.

    Raises:
        ValueError: k below 1, or successes outside 0..trials.
    """
    _check(successes, trials, k)
    return comb(successes, k) / comb(trials, k) if trials >= k else None


def pass_at_k(successes: int, trials: int, k: int) -> float | None:
    """Chance that of k trials, drawn without replacement, at least one succeeds: 1 - C(n-c, k) / C(n, k).

    Returns:
        A share in [0, 1], or None when there are fewer than k trials.

    Raises:
        ValueError: k below 1, or successes outside 0..trials.
    """
    _check(successes, trials, k)
    return 1.0 - comb(trials - successes, k) / comb(trials, k) if trials >= k else None


def task_scores(records: Iterable[EvaluationRecord], ks: Sequence[int]) -> pd.DataFrame:
    """Score each task of one evaluated checkpoint.

    Infrastructure failures are no trials: they shrink a task's n and are counted. The strict variant
    uses the trials whose strict score is defined.

    Args:
        records: one checkpoint's records.
        ks: the k of pass^k and pass@k.

    Returns:
        A row a task and k, by task name, with the columns of `TASK_SCORE_COLUMNS`; NaN where a value
        is undefined. `mean_reward` is over a task's trials, `wrong_owner_rate` the share of its trials
        with at least one call of a tool that the other side owns.

    Raises:
        HoldcourseError: a trial of a task stands twice.
    """
    by_task: dict[str, list[EvaluationRecord]] = {}
    for record in records:
        by_task.setdefault(record.task, []).append(record)
    rows = []
    for task in sorted(by_task):
        refuse_repeats(by_task[task], "the evaluation")
        rows += [_task_row(by_task[task], k) for k in ks]
    return pd.DataFrame(rows, columns=list(TASK_SCORE_COLUMNS)).astype(_DTYPES)


_DTYPES = {
    "task": "object",
    "intent": "object",
    **dict.fromkeys(("k", "trials", "successes", "simulations", "infrastructure_failures"), "int64"),
    **dict.fromkeys(
        ("pass_hat_k", "pass_at_k", "strict_pass_hat_k", "mean_reward", "wrong_owner_rate"), "float64"
    ),
}


def _task_row(records: Sequence[EvaluationRecord], k: int) -> dict[str, str | int | float]:
    scored = [record for record in records if record.scored]
    strict = [record.strict for record in scored if record.strict is not None]
    trials, successes = len(scored), sum(record.success for record in scored)
    return {
        "task": records[0].task,
        "intent": records[0].intent,
        "k": k,
        "trials": trials,
        "successes": successes,
        "pass_hat_k": _number(pass_hat_k(successes, trials, k)),
        "pass_at_k": _number(pass_at_k(successes, trials, k)),
        "strict_pass_hat_k": _number(pass_hat_k(sum(strict), len(strict), k)),
        "mean_reward": _share(sum(record.reward or 0.0 for record in scored), trials),
        "wrong_owner_rate": _share(sum(record.wrong_owner_calls > 0 for record in scored), trials),
        "simulations": len(records),
        "infrastructure_failures": len(records) - trials,
    }


def _check(successes: int, trials: int, k: int) -> None:
    if k < 1:
        raise ValueError(f"k is {k}; pass^k and pass@k need k of at least 1")
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials cannot be")


def _share(total: float, count: int) -> float:
    return total / count if count else nan


def _number(value: float | None) -> float:
    return nan if value is None else value
