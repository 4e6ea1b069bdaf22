"""A history of OpenAI-format messages as steps, and what of it a rollback keeps (RollbackMessages).

A step is one message of the assistant with what answered it. What another speaker said between the answer and
the next step came in before that next step, and goes when that step goes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from holdcourse.drift.records import Call, Step
from holdcourse.errors import HoldcourseError
from holdcourse.recovery.code_calls import TOOLS, calls_in, kind
from holdcourse.recovery.docs import Docs

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
Message = Mapping[str, object]

# A fence stands at the start of its line: one in a comment or a string of the code ends nothing. A block
# that is never closed was cut off and goes to the end.
_BLOCK = re.compile(r"^[ \t]*```[\w+-]*[ \t]*\r?\n(.*?)(?:^[ \t]*```[ \t]*\r?$|\Z)", re.DOTALL | re.MULTILINE)


@dataclass
class _Open:
    """A step that is being read."""

    start: int
    injected: list[str]
    thought: str
    code: str
    calls: tuple[Call, ...]
    answered_by: str | None
    outputs: list[str] = field(default_factory=list)
    stop: int = 0


@dataclass(frozen=True)
class History:
    """A history with its steps.

    Attributes:
        messages: as they were given.
        steps: numbered from 1.
        start: messages before this place are the setting (system message, examples, task) and are always
            kept.
        stops: for each step the place after its last message.
    """

    messages: tuple[Message, ...]
    steps: tuple[Step, ...]
    start: int
    stops: tuple[int, ...]

    def kept(self, step: int) -> tuple[Message, ...]:
        """The messages up to and with a step: the setting alone for step 0, all of them for the last step.

        Raises:
            HoldcourseError: there is no such step.
        """
        return self.messages[: self.kept_count(step)]

    def kept_count(self, step: int) -> int:
        """How many messages `kept` keeps."""
        if not 0 <= step <= len(self.steps):
            raise HoldcourseError(
                f"cannot roll back to step {step}; the history has steps 1 to {len(self.steps)}"
            )
        if step == len(self.steps):
            return len(self.messages)
        return self.stops[step - 1] if step else self.start


def read_history(messages: Sequence[Message], task: str, docs: Docs | None = None) -> History:
    """Read a history.

    Args:
        messages: `role` and `content` each, `tool_calls` with the assistant's; content may be a list of
            parts.
        task: what the agent was asked; the first user message that holds it ends the setting, else the
            first user message does.
        docs: tells reads from writes; without it the names of calls do.

    Raises:
        HoldcourseError: a message is no object, has an unknown role or unreadable content, or a tool answers
            before the assistant spoke.
    """
    known: Docs = docs or {}
    checked = tuple(_checked(place, message) for place, message in enumerate(messages))
    start = _start(checked, task)
    steps: list[_Open] = []
    came_in: list[str] = []
    for place, message in enumerate(checked[start:], start=start):
        role, text = str(message["role"]), _text(place, message)
        if role == "assistant":
            since = steps[-1].stop if steps else start
            steps.append(_opened(since, came_in, text, message, place, known))
            came_in = []
        elif role in ("tool", "function"):
            if not steps:
                raise HoldcourseError(
                    f"message {place + 1}: a {role} answers before the assistant has spoken"
                )
            steps[-1].outputs.append(text)
            steps[-1].stop = place + 1
        elif steps and steps[-1].answered_by == "user" and not came_in:
            steps[-1].outputs.append(text)
            steps[-1].answered_by, steps[-1].stop = None, place + 1
        else:
            came_in.append(text)
    return History(
        messages=checked,
        steps=tuple(_step(number, one) for number, one in enumerate(steps, start=1)),
        start=start,
        stops=tuple(one.stop for one in steps),
    )


def kept_messages(messages: Sequence[Message], step: int, task: str) -> list[Message]:
    """The messages of a history up to and with a step; see `History.kept`."""
    return list(read_history(messages, task).kept(step))


def first_user_text(messages: Sequence[Message]) -> str:
    """Text of the first user message, which usually is the task.

    Raises:
        HoldcourseError: there is none.
    """
    for place, message in enumerate(messages):
        if _checked(place, message)["role"] == "user":
            return _text(place, message)
    raise HoldcourseError("the history has no user message, so the task must be given: task=TEXT")


def _start(messages: Sequence[Message], task: str) -> int:
    wanted = " ".join(task.split())
    users = [place for place, message in enumerate(messages) if message["role"] == "user"]
    for place in users:
        if wanted and wanted in " ".join(_text(place, messages[place]).split()):
            return place + 1
    spoken = next((place for place, one in enumerate(messages) if one["role"] == "assistant"), len(messages))
    return min([*(place + 1 for place in users), spoken])


def _opened(start: int, came_in: list[str], text: str, message: Message, place: int, docs: Docs) -> _Open:
    asked = list(_tool_calls(place, message))
    blocks = _BLOCK.findall(text)
    if asked:
        code = "\n".join(f"{app}.{api}({arguments})" for app, api, arguments in asked)
        calls = tuple(
            Call(app, api, _arguments(given), kind(app, api, docs), succeeded=True)
            for app, api, given in asked
        )
        return _Open(start, came_in, text, code, calls, None, stop=place + 1)
    code = "\n".join(blocks)
    if not code and "apis." in text:
        code = text
    thought = _BLOCK.sub("", text).strip() if blocks else "" if code else text
    return _Open(
        start, came_in, thought, code, calls_in(code, docs), "user" if code else None, stop=place + 1
    )


def _step(number: int, one: _Open) -> Step:
    return Step(
        number=number,
        injected="\n\n".join(one.injected) if one.injected else None,
        thought=one.thought,
        # A reply without code is all that the step did.
        code=one.code or one.thought,
        output="\n".join(one.outputs),
        calls=one.calls,
    )


def _tool_calls(place: int, message: Message) -> Iterator[tuple[str, str, str]]:
    asked = message.get("tool_calls") or []
    if not isinstance(asked, list | tuple):
        raise HoldcourseError(f'message {place + 1}: "tool_calls" must be a list')
    functions = [entry.get("function") if isinstance(entry, Mapping) else None for entry in asked]
    if message.get("function_call"):
        functions.append(message["function_call"])
    for function in functions:
        name = function.get("name") if isinstance(function, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(name, str) or not name:
            raise HoldcourseError(f"message {place + 1}: a tool call has no function name")
        arguments = function.get("arguments", "")
        told = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        app, dot, api = name.replace("__", ".", 1).partition(".")
        yield (
            (app, api.replace(".", "_"), told)
            if dot and api and app
            else (TOOLS, name.replace(".", "_"), told)
        )


def _arguments(given: str) -> Mapping[str, object]:
    try:
        value = json.loads(given)
    except (ValueError, RecursionError):
        # A number of thousands of digits is a ValueError of its own.
        return {}
    return value if isinstance(value, dict) else {}


def _checked(place: int, message: object) -> Message:
    if not isinstance(message, Mapping):
        raise HoldcourseError(f"message {place + 1}: expected an object, got {type(message).__name__}")
    role = message.get("role")
    if role not in ROLES:
        raise HoldcourseError(f"message {place + 1}: role {role!r} is unknown; expected {', '.join(ROLES)}")
    return message


def _text(place: int, message: Message) -> str:
    content = message.get("content")
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list | tuple) and all(isinstance(part, str | Mapping) for part in content):
        parts = (
            part if isinstance(part, str) else part.get("text", f"[{part.get('type', 'part')}]")
            for part in content
        )
        return "\n".join(str(part) for part in parts)
    raise HoldcourseError(f"message {place + 1}: content must be a text or a list of parts")
