"""Where a drift came from, as far as calls tell: what came in before the drifted step, or what was read."""

from __future__ import annotations

from holdcourse.drift.records import Step
from holdcourse.recovery.incident import Incident


def source_of(incident: Incident, step: int) -> str:
    """The source in words that a warning can repeat; no text that the agent met is quoted.

    Args:
        incident: the incident.
        step: number of the first drifted step.
    """
    drifted = incident.steps[step - 1]
    if drifted.injected is not None:
        return f"an instruction that came in right before step {step}"
    # The step before showed what this one obeys; without one, the step itself must have.
    shown = incident.steps[step - 2] if step > 1 else drifted
    reads = _reads(shown)
    if not reads:
        return f"something in the output of step {shown.number}"
    return f"an instruction that stood in what step {shown.number} read with {', '.join(reads)}"


def _reads(step: Step) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(call.operation for call in step.calls if call.succeeded and call.kind == "read")
    )
