"""What is kept of a walk: each visit, what was found about each step, and the decision; JSON in and out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal, cast

from pydantic import JsonValue

from holdcourse.recovery.contexts import Diagnosis
from holdcourse.recovery.nodes import Action, NodeId

DecidedBy = Literal["n5", "fail_safe", "write_rule"]
"""The last node; the safety edges of the graph; or §3.5, where n5 ordered a rollback in spite of writes."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One node asked once, with all the attempts it took.

    Attributes:
        number: 1-based place in the walk.
        node: which node.
        step: the step under review; None at n5.
        prompt_digest: of the first attempt's messages, or of the node's fields where no model is asked.
        answer: its JSON; None when no attempt gave a usable one.
        reasoning: what stood in `<reasoning>`.
        verdict: the answer in a word or a line, for a reader.
        route: where the walk went next.
        attempts: times the node was asked.
        refused: why each refused attempt could not be used.
        prompt_tokens: of all attempts; 0 where no model is asked.
        completion_tokens: of all attempts.
        cost_usd: of all attempts; None when unknown.
        seconds: that the model took, all attempts together.
    """

    number: int
    node: NodeId
    step: int | None
    prompt_digest: str
    answer: dict[str, JsonValue] | None
    reasoning: str
    verdict: str
    route: str
    attempts: int = 1
    refused: tuple[str, ...] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do about the agent.

    Attributes:
        action: roll back or call a human.
        rollback_to_step: the last step to keep, 0 for none; None when a human is called.
        report: for the human, or for the agent that starts again.
        by: who decided.
        failed_node: the node that gave no usable answer, where that is why a human is called.
        reason: why n5 was not followed or not reached; None when it was followed.
    """

    action: Action
    rollback_to_step: int | None
    report: str
    by: DecidedBy = "n5"
    failed_node: NodeId | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Walk:
    """One walk through the graph, from the suspected onset to the decision."""

    incident_id: str
    suspected_onset: int
    backbone: str
    visits: tuple[Visit, ...]
    inspected: tuple[Diagnosis, ...]
    decision: Decision

    @property
    def route(self) -> str:
        """The visits in short: `n1@4 n2@4 n1@3 … n5`."""
        return " ".join(
            visit.node if visit.step is None else f"{visit.node}@{visit.step}" for visit in self.visits
        )

    @property
    def calls(self) -> int:
        """Times a node was asked, repeats included."""
        return sum(visit.attempts for visit in self.visits)

    @property
    def writes(self) -> tuple[str, ...]:
        """Writes found in drifted steps, without repeats."""
        return tuple(dict.fromkeys(write for row in self.inspected for write in row.writes))


def walk_record(walk: Walk) -> dict[str, JsonValue]:
    """A walk as a JSON object."""
    record = {**asdict(walk), "route": walk.route}
    for name in ("visits", "inspected"):
        record[name] = [_plain(row) for row in record[name]]
    return cast("dict[str, JsonValue]", record)


def walk_of(record: Mapping[str, JsonValue]) -> Walk:
    """The walk that `walk_record` wrote.

    Raises:
        KeyError, TypeError: the record was not written by it.
    """
    visits = cast("list[dict[str, object]]", record["visits"])
    inspected = cast("list[dict[str, object]]", record["inspected"])
    return Walk(
        incident_id=str(record["incident_id"]),
        suspected_onset=int(cast("int", record["suspected_onset"])),
        backbone=str(record["backbone"]),
        visits=tuple(Visit(**_tuples(row)) for row in visits),  # type: ignore[arg-type]
        inspected=tuple(Diagnosis(**_tuples(row)) for row in inspected),  # type: ignore[arg-type]
        decision=Decision(**cast("dict[str, object]", record["decision"])),  # type: ignore[arg-type]
    )


def _plain(row: dict[str, object]) -> dict[str, object]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in row.items()}


def _tuples(row: dict[str, object]) -> dict[str, object]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
