"""What a walk is about: the task, the recorded steps, the suspected onset, and the documentation at hand."""

from __future__ import annotations

from dataclasses import dataclass

from holdcourse.drift.records import Step
from holdcourse.errors import HoldcourseError
from holdcourse.recovery.contexts import NO_CAUSE
from holdcourse.recovery.docs import Docs


@dataclass(frozen=True, slots=True)
class Incident:
    """One suspected drift.

    Attributes:
        id: name of the trajectory, unique among those walked together.
        task: the instruction of the agent's principal.
        suspected_onset: k_0, the number of the step where an outer detector suspects the onset.
        steps: the trajectory, numbered from 1.
        docs: documentation of the applications.
        cause: what the detector takes for the cause, in words.

    Raises:
        HoldcourseError: no steps, other numbers than 1, 2, …, or an onset that is none of them.
    """

    id: str
    task: str
    suspected_onset: int
    steps: tuple[Step, ...]
    docs: Docs
    cause: str = NO_CAUSE

    def __post_init__(self) -> None:
        if not self.steps:
            raise HoldcourseError(f"trajectory {self.id} has no steps; there is nothing to recover from")
        if not 1 <= self.suspected_onset <= len(self.steps):
            raise HoldcourseError(
                f"trajectory {self.id}: suspected onset {self.suspected_onset} is none of its steps "
                f"1 to {len(self.steps)}"
            )
        for place, step in enumerate(self.steps, start=1):
            if step.number != place:
                raise HoldcourseError(
                    f"trajectory {self.id}: step {place} is numbered {step.number}; steps must be numbered "
                    "1, 2, …"
                )
