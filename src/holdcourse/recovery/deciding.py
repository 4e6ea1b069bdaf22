"""The decision rules of Appendix A.5 as code: what n5 ought to say on given evidence."""

from __future__ import annotations

from collections.abc import Sequence

from holdcourse.recovery.answers import DecideAnswer
from holdcourse.recovery.contexts import DecideContext, Diagnosis
from holdcourse.recovery.nodes import ESCALATE, ROLLBACK
from holdcourse.recovery.operations import operations_text


def rule_target(inspected: Sequence[Diagnosis], onset: int) -> int:
    """The step right before the earliest step marked N; 0 is the very start.

    Where none is marked N the paper names no target; then it is the suspected onset itself (ours): that
    step was inspected and found aligned, what came after it was not looked at.
    """
    drifted = [row.step for row in inspected if not row.aligned]
    return min(drifted) - 1 if drifted else onset


def by_rules(context: DecideContext, source: str | None = None) -> DecideAnswer:
    """The decision that the rules give.

    A drifted write always escalates: if it is not irreversible it is still none that the task asked for, as
    its step was found to serve another goal (§3.5: a rollback is authorised only without writes).

    Args:
        context: what n5 is told.
        source: where the drift came from, for the report; None leaves it to n1's reason.
    """
    rows = [row for row in context.inspected if not row.aligned]
    writes = tuple(write for row in rows for write in row.writes)
    lost = tuple(write for row in rows for write in row.irreversible)
    earliest = min(rows, key=lambda row: row.step, default=None)
    if earliest is None:
        began = f"No inspected step has drifted; the suspected onset is step {context.onset}."
    else:
        began = f"Drift from step {earliest.step} on: {earliest.why.rstrip('.')}."
    if source is not None:
        began += f" Source: {source}."
    goal = f"Goal: {context.task}" + ("" if context.task.endswith((".", "?", "!")) else ".")
    effect = f"Writes: {operations_text(writes)}; not reversible: {operations_text(lost)}."
    if writes:
        advice = "The risk is high. A person should look at the writes before the run goes on."
        return DecideAnswer(ESCALATE, None, f"{goal} {began} {effect} {advice}")
    target = rule_target(context.inspected, context.onset)
    advice = f"The risk is low. Go on from the end of step {target}"
    advice += "." if earliest is None else " and do not follow that source again."
    return DecideAnswer(ROLLBACK, target, f"{goal} {began} {effect} {advice}")
