"""The typed answers of the five nodes, and their JSON (drift paper §4.3 and Appendix A).

`parse_answer` is strict: it is what a walk acts on. Scoring reads the JSON itself (`training.rewards`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from pydantic import JsonValue

from holdcourse.llm.replies import ReplyError
from holdcourse.recovery.nodes import ACTIONS, KEYS, ROLLBACK, Action, NodeId
from holdcourse.recovery.operations import SEPARATOR, names_of, operations_of, operations_text

LONGEST_TEXT = 4000
"""Characters of a free text that is read; a longer one is refused, since the next node has to read it."""


@dataclass(frozen=True, slots=True)
class ClassifyAnswer:
    """n1: whether one step serves the task."""

    node: ClassVar[NodeId] = "n1"
    step: int
    aligned: bool
    why: str


@dataclass(frozen=True, slots=True)
class DetectAnswer:
    """n2: what a drifted step changed, and what it read beside the task; only what succeeded."""

    node: ClassVar[NodeId] = "n2"
    writes: tuple[str, ...]
    reads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """n3: whose documentation is needed."""

    node: ClassVar[NodeId] = "n3"
    apps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RiskAnswer:
    """n4: the writes, parted by whether the documentation shows how to undo them."""

    node: ClassVar[NodeId] = "n4"
    reversible: tuple[str, ...]
    irreversible: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DecideAnswer:
    """n5: what to do. `target` is the last step to keep, 0 for none; it is None when a human is called."""

    node: ClassVar[NodeId] = "n5"
    action: Action
    target: int | None
    report: str


Answer = ClassifyAnswer | DetectAnswer | SearchAnswer | RiskAnswer | DecideAnswer


def parse_answer(node: NodeId, value: Mapping[str, JsonValue]) -> Answer:
    """Read the JSON object of an answer.

    Raises:
        ReplyError: a key is missing or unknown, a value has another type or is not allowed; one sentence
            that can be told to the model.
    """
    _keys(value, KEYS[node], "the object")
    match node:
        case "n1":
            return ClassifyAnswer(_integer(value, "step"), _verdict(value), _text(value, "why"))
        case "n2":
            return DetectAnswer(_operations(value, "write_operations"), _operations(value, "read_operations"))
        case "n3":
            return SearchAnswer(names_of(_text(value, "apps_name")))
        case "n4":
            return _risk(_operations(value, "write_reversible"), _operations(value, "write_not_reversible"))
        case "n5":
            return _decision(value)


def answer_json(answer: Answer) -> dict[str, JsonValue]:
    """The JSON object of an answer: also the shape of the labels that training scores against."""
    match answer:
        case ClassifyAnswer():
            return {"step": answer.step, "is_aligned": "Y" if answer.aligned else "N", "why": answer.why}
        case DetectAnswer():
            return {
                "write_operations": operations_text(answer.writes),
                "read_operations": operations_text(answer.reads),
            }
        case SearchAnswer():
            return {"apps_name": SEPARATOR.join(answer.apps)}
        case RiskAnswer():
            return {
                "write_reversible": operations_text(answer.reversible),
                "write_not_reversible": operations_text(answer.irreversible),
            }
        case DecideAnswer():
            arguments: dict[str, JsonValue] = {"report": answer.report}
            if answer.target is not None:
                arguments = {"rollback_to_step": answer.target, "report": answer.report}
            return {"action": answer.action, "arguments": arguments}


def _risk(reversible: tuple[str, ...], irreversible: tuple[str, ...]) -> RiskAnswer:
    both = [operation for operation in reversible if operation in irreversible]
    if both:
        raise ReplyError(f"{both[0]} stands in both lists")
    return RiskAnswer(reversible, irreversible)


def _decision(value: Mapping[str, JsonValue]) -> DecideAnswer:
    if value["action"] not in ACTIONS:
        raise ReplyError(f'"action" must be {" or ".join(ACTIONS)}')
    action: Action = value["action"]
    arguments = value["arguments"]
    if not isinstance(arguments, dict):
        raise ReplyError('"arguments" must be an object')
    keys = ("rollback_to_step", "report")
    if action == ROLLBACK:
        _keys(arguments, keys, '"arguments"')
        return DecideAnswer(action, _integer(arguments, "rollback_to_step"), _text(arguments, "report"))
    # A human who is called needs no step to go back to; one that is given is not acted on.
    _keys({"rollback_to_step": None, **arguments}, keys, '"arguments"')
    return DecideAnswer(action, None, _text(arguments, "report"))


def _keys(value: Mapping[str, JsonValue], expected: tuple[str, ...], whole: str) -> None:
    if set(value) != set(expected):
        found = ", ".join(map(repr, value)) or "none"
        raise ReplyError(f"{whole} must have the keys {', '.join(map(repr, expected))}, not {found[:300]}")


def _integer(value: Mapping[str, JsonValue], key: str) -> int:
    number = value[key]
    if isinstance(number, str) and number.strip().isdecimal() and len(number) < 12:
        return int(number)
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise ReplyError(f'"{key}" must be a step number, 0 or more')
    return number


def _verdict(value: Mapping[str, JsonValue]) -> bool:
    if value["is_aligned"] not in ("Y", "N"):
        raise ReplyError('"is_aligned" must be "Y" or "N"')
    return value["is_aligned"] == "Y"


def _text(value: Mapping[str, JsonValue], key: str) -> str:
    text = value[key]
    if not isinstance(text, str) or not text.strip():
        raise ReplyError(f'"{key}" must be a text that is not empty')
    if len(text) > LONGEST_TEXT:
        raise ReplyError(f'"{key}" has {len(text)} characters; at most {LONGEST_TEXT} are read')
    return text.strip()


def _operations(value: Mapping[str, JsonValue], key: str) -> tuple[str, ...]:
    text = value[key]
    if not isinstance(text, str):
        raise ReplyError(f'"{key}" must be a text such as "app.api | app.api", or "None"')
    return operations_of(text)
