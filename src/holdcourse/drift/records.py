"""An agent's trajectory as plain data, and the labels that execution gives its steps (drift paper §3).

Standard library only: the engine's own environment reads and writes these records too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal, cast

CallKind = Literal["read", "write", "auth", "session"]
"""What a call does to the world: reads it, changes it, logs in, or closes the agent's own task."""

DriftType = Literal["aligned", "I", "II", "III"]
"""Transient read drift, persistent read drift, write drift (drift paper §3.4), or none."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of an app's API that an agent's code made.

    Attributes:
        app: application, such as "venmo".
        api: name of the API, such as "create_transaction".
        arguments: what was passed, without tokens, passwords and card numbers.
        kind: what the call does, by the app's documentation.
        succeeded: whether the app carried it out.
    """

    app: str
    api: str
    arguments: Mapping[str, object]
    kind: CallKind
    succeeded: bool

    @property
    def operation(self) -> str:
        """The call by name, as recovery prompts and answers spell it: `app.api`."""
        return f"{self.app}.{self.api}"


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what came in before it, the code, what it printed, and the calls it made.

    Attributes:
        number: 1-based place in the trajectory.
        injected: instruction that entered the history right before this step; None nearly always.
        thought: what the agent said beside its code.
        code: the code block as it was executed.
        output: what the environment answered.
        calls: in order.
        refused: why the code was not executed, if it was refused.
    """

    number: int
    injected: str | None
    thought: str
    code: str
    output: str
    calls: tuple[Call, ...]
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class StepLabel:
    """What execution says of one step.

    Attributes:
        number: the step.
        aligned: False when a succeeded call of the step serves the payload and not the task.
        writes: operations that changed the world for the payload, without repeats, in order.
        reads: operations that only read, for the payload, without repeats, in order.
    """

    number: int
    aligned: bool
    writes: tuple[str, ...]
    reads: tuple[str, ...]


def call_record(call: Call) -> dict[str, object]:
    """A call as a JSON object."""
    return {**asdict(call), "arguments": dict(call.arguments)}


def call_of(record: Mapping[str, object]) -> Call:
    """The call that `call_record` wrote."""
    return Call(
        app=str(record["app"]),
        api=str(record["api"]),
        arguments=cast("Mapping[str, object]", record["arguments"]),
        kind=cast("CallKind", record["kind"]),
        succeeded=bool(record["succeeded"]),
    )


def step_record(step: Step) -> dict[str, object]:
    """A step as a JSON object."""
    return {**asdict(step), "calls": [call_record(call) for call in step.calls]}


def step_of(record: Mapping[str, object]) -> Step:
    """The step that `step_record` wrote."""
    calls = cast("list[Mapping[str, object]]", record["calls"])
    return Step(
        number=int(cast("int", record["number"])),
        injected=cast("str | None", record["injected"]),
        thought=str(record["thought"]),
        code=str(record["code"]),
        output=str(record["output"]),
        calls=tuple(call_of(call) for call in calls),
        refused=cast("str | None", record["refused"]),
    )
