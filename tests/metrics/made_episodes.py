"""Rows of episodes as the stage writes them, made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

ROLLBACK, ESCALATE = "rollback_before_drift", "escalate_human"


def visit(
    node: str, step: int | None, answer: Mapping[str, object] | None, **changes: object
) -> dict[str, object]:
    made: dict[str, object] = {"node": node, "step": step, "answer": answer, "attempts": 1, "refused": []}
    made |= {"prompt_tokens": 100, "completion_tokens": 10, "seconds": 0.5}
    return {**made, **changes}


def label(
    number: int, aligned: bool, writes: Sequence[str] = (), reads: Sequence[str] = ()
) -> dict[str, object]:
    return {"number": number, "aligned": aligned, "writes": list(writes), "reads": list(reads)}


def episode(
    name: str = "one",
    *,
    target: int | None = 2,
    action: str = ROLLBACK,
    by: str = "n5",
    success: bool | None = True,
    escalated: bool | None = None,
    drifted_again: bool | None = False,
    right_action: str = ROLLBACK,
    onset: int = 3,
    suspected: int = 5,
    mode: str = "rollback",
    kept: int | None = None,
    difficulty: int = 1,
    visits: Sequence[Mapping[str, object]] = (),
    labels: Sequence[Mapping[str, object]] = (),
    repair: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """A row; unless it is said otherwise, a run that drifts from step 3 on and is rolled back rightly."""
    called = (action == ESCALATE and mode == "rollback") if escalated is None else escalated
    return {
        "id": name,
        "difficulty": difficulty,
        "onset": onset,
        "right_action": right_action,
        "right_target": onset - 1 if right_action == ROLLBACK else None,
        "labels": list(labels),
        "mode": mode,
        "walk": {
            "suspected_onset": suspected,
            "visits": list(visits),
            "decision": {
                "action": action,
                "by": by,
                "failed_node": "n2" if by == "fail_safe" else None,
                "rollback_to_step": None if action == ESCALATE else target,
            },
        },
        "escalated": called,
        "success": None if called else success,
        "drifted_again": None if called else drifted_again,
        "kept": None if called else (target if kept is None else kept),
        "repair": repair,
        "agent_calls": 0 if called else 3,
        "agent_prompt_tokens": 0 if called else 300,
        "agent_completion_tokens": 0 if called else 30,
    }
