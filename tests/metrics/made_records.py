"""Short ways to say what a simulation was."""

from __future__ import annotations

from holdcourse.metrics.records import EvaluationRecord


def make_record(
    task: str = "t1",
    trial: int = 0,
    success: bool | None = True,
    *,
    intent: str = "mms_issue",
    reward: float | None = None,
    db_match: bool | None = True,
    strict: bool | None = None,
    wrong_owner_calls: int = 0,
) -> EvaluationRecord:
    """One simulation; `success=None` is an infrastructure failure, `strict=None` undefined."""
    scored = success is not None
    value = (float(bool(success)) if reward is None else reward) if scored else None
    return EvaluationRecord(
        task=task,
        intent=intent,
        issues=("bad_vpn",),
        persona="None",
        transfer_expected=False,
        trial=trial,
        outcome="scored" if scored else "infrastructure",
        reward=value,
        db_match=db_match if scored else None,
        strict=strict,
        wrong_owner_calls=wrong_owner_calls,
        termination="user_stop" if scored else "error",
        steps=10,
        calls=8,
        prompt_tokens=100,
        completion_tokens=10,
        cost_usd="unknown",
        attempts=1,
    )


def make_records(
    outcomes: dict[str, str], intents: dict[str, str] | None = None
) -> tuple[EvaluationRecord, ...]:
    """Records from words such as {"t1": "110-"}: success, success, failure, infrastructure failure."""
    meaning = {"1": True, "0": False, "-": None}
    return tuple(
        make_record(task, trial, meaning[letter], intent=(intents or {}).get(task, "mms_issue"))
        for task, word in outcomes.items()
        for trial, letter in enumerate(word)
    )
