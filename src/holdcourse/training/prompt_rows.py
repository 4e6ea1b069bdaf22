"""Node prompts with their right answers: the rows of prompts/{train,heldout}.jsonl."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import cast, get_args

from pydantic import JsonValue

from holdcourse.errors import HoldcourseError
from holdcourse.files import read_jsonl
from holdcourse.llm.chat import ChatMessage, Speaker
from holdcourse.recovery.nodes import NODES, NodeId

Json = Mapping[str, JsonValue]

_FIELDS = ("id", "node", "task_id", "trajectory_id", "messages", "label", "evidence")


@dataclass(frozen=True)
class PromptRow:
    """One prompt of one node.

    Attributes:
        id: unique in both splits.
        node: which node asks it.
        task_id: the task whose split it belongs to.
        trajectory_id: the trajectory it was cut from; None for one composed from the documentation.
        messages: what the model is given.
        label: the right answer, as the JSON object that <answer> should hold.
        evidence: what the grounded judge checks against (training/pool_evidence.py says what, by node).
    """

    id: str
    node: NodeId
    task_id: str
    trajectory_id: str | None
    messages: tuple[ChatMessage, ...]
    label: Json
    evidence: Json

    @cached_property
    def prompt(self) -> str:
        """All that the model is given, as one text."""
        return "\n\n".join(message.content or "" for message in self.messages)

    def record(self) -> dict[str, JsonValue]:
        """The row as written to a file."""
        messages: list[JsonValue] = [
            {"role": message.speaker, "content": message.content or ""} for message in self.messages
        ]
        return {
            "id": self.id,
            "node": self.node,
            "task_id": self.task_id,
            "trajectory_id": self.trajectory_id,
            "messages": messages,
            "label": dict(self.label),
            "evidence": dict(self.evidence),
        }


def prompt_row(record: Mapping[str, object], place: str = "prompt row") -> PromptRow:
    """The row that `PromptRow.record` gave.

    Raises:
        HoldcourseError: a field is missing or the node is unknown; `place` says where.
    """
    missing = [field for field in _FIELDS if field not in record]
    if missing:
        raise HoldcourseError(f"{place}: no {', '.join(missing)}; run the stage that makes the prompts again")
    messages = record["messages"]
    if not isinstance(messages, list) or not all(
        isinstance(message, dict) and isinstance(message.get("content"), str) for message in messages
    ):
        raise HoldcourseError(f"{place}: messages is no list of {{role, content}}; make the prompts again")
    trajectory = record["trajectory_id"]
    return PromptRow(
        id=str(record["id"]),
        node=_node(record["node"], place),
        task_id=str(record["task_id"]),
        trajectory_id=None if trajectory is None else str(trajectory),
        messages=tuple(
            ChatMessage(_speaker(message.get("role"), place), message["content"]) for message in messages
        ),
        label=cast("Json", record["label"]),
        evidence=cast("Json", record["evidence"]),
    )


def documented_inverses(row: PromptRow) -> dict[str, str | None]:
    """Documented inverse of each write that n4 is asked about, None without one; empty at other nodes."""
    pairs = cast("Sequence[Mapping[str, str]]", row.evidence.get("inverses") or ())
    return {pair["operation"]: pair["inverse"] for pair in pairs}


def read_prompts(path: Path) -> list[PromptRow]:
    """Read prompts/{train,heldout}.jsonl.

    Raises:
        HoldcourseError: the file is missing or a row is not one of ours; the line is named.
    """
    return [
        prompt_row(record, f"{path}, line {number}")
        for number, record in enumerate(read_jsonl(path), start=1)
    ]


def _node(name: object, place: str) -> NodeId:
    for node in NODES:
        if name == node:
            return node
    raise HoldcourseError(f"{place}: unknown node {name!r}; it is one of {', '.join(NODES)}")


def _speaker(role: object, place: str) -> Speaker:
    if role not in get_args(Speaker):
        raise HoldcourseError(f"{place}: unknown role {role!r}; it is one of {', '.join(get_args(Speaker))}")
    return cast("Speaker", role)
