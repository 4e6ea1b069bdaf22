"""What has been said and done so far, as the agent can tell from the messages of its request."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from pydantic import JsonValue

from holdcourse.llm.chat import ChatMessage
from holdcourse.simulated.complaint import complaint_of
from holdcourse.simulated.lexicon import Service, ToolUse
from holdcourse.simulated.phrasebook import understood

JsonObject = dict[str, JsonValue]

_PHONE = re.compile(r"\b\d{3}-\d{3}-\d{4}\b")
_ABROAD = re.compile(r"\babroad\b|\boverseas\b|\btravel\w*\b|\broaming\b|\bforeign\b", re.IGNORECASE)
_AT_HOME = re.compile(r"\bat home\b|\bnot (?:abroad|travel)", re.IGNORECASE)
_SIGNAL = re.compile(r"📶|Cellular Connection: connected")
_NO_SIGNAL = re.compile(r"📵 No Signal|✈️|Cellular Connection: (?:no_service|searching)")
_GIGABYTES = re.compile(r"\b(\d+(?:\.\d+)?) ?(?:GB|gigabytes?)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """A tool the agent asked the customer for; `report` is the customer's next message."""

    at: int
    use: ToolUse
    report: str


@dataclass(frozen=True, slots=True)
class Called:
    """A tool the agent called itself, with its result."""

    at: int
    tool: str
    arguments: JsonObject
    result: str

    @property
    def failed(self) -> bool:
        """The environment answered with an error."""
        return self.result.startswith("Error")


@dataclass(frozen=True)
class Dialogue:
    """The conversation after the system message, sorted by who did what."""

    heard: tuple[str, ...]
    said: tuple[str, ...]
    asked: tuple[Asked, ...]
    called: tuple[Called, ...]
    questions: dict[str, str] = field(default_factory=dict)

    @cached_property
    def complaint(self) -> Service:
        """What the customer called about, by the first message."""
        return complaint_of(self.heard[0]) if self.heard else "service"

    @cached_property
    def phone_number(self) -> str | None:
        """The number the customer gave."""
        return next((found.group(0) for found in map(_PHONE.search, self.heard) if found), None)

    @cached_property
    def abroad(self) -> bool | None:
        """Whether the customer is outside the home network; None when nothing was said."""
        for text in self.heard:
            if _AT_HOME.search(text):
                return False
            if _ABROAD.search(text):
                return True
        return None

    @cached_property
    def has_signal(self) -> bool | None:
        """Whether the last report that shows it had a cellular signal; None when none did."""
        for asked in reversed(self.asked):
            signal = _signal_in(asked.report)
            if signal is not None:
                return signal
        return None

    def last_asked(self, use: ToolUse, after: int = -1) -> Asked | None:
        """The last request for a tool made after a position in the conversation."""
        return next((a for a in reversed(self.asked) if a.use == use and a.at > after), None)

    def last_called(self, tool: str, after: int = -1) -> Called | None:
        """The agent's last call of a tool after a position in the conversation."""
        return next((c for c in reversed(self.called) if c.tool == tool and c.at > after), None)

    def gigabytes(self, question: str) -> float | None:
        """The amount of data in the customer's answer to a question."""
        found = _GIGABYTES.search(self.questions.get(question, ""))
        return float(found.group(1)) if found else None


def dialogue_of(messages: Sequence[ChatMessage]) -> Dialogue:
    """Sort the messages of a conversation by who did what."""
    heard: list[str] = []
    said: list[str] = []
    asked: list[Asked] = []
    called: list[Called] = []
    questions: dict[str, str] = {}
    for at, message in enumerate(messages):
        following = messages[at + 1].content or "" if at + 1 < len(messages) else ""
        text = message.content or ""
        if message.speaker == "user":
            heard.append(text)
        elif message.speaker == "assistant" and message.tool_calls:
            first = message.tool_calls[0]
            called.append(Called(at, first.name, first.arguments, following))
        elif message.speaker == "assistant":
            said.append(text)
            questions[text] = following
            asked.extend(Asked(at, use, following) for use in understood(text))
    return Dialogue(tuple(heard), tuple(said), tuple(asked), tuple(called), questions)


@lru_cache(maxsize=16384)
def _signal_in(report: str) -> bool | None:
    if _NO_SIGNAL.search(report):
        return False
    return True if _SIGNAL.search(report) else None


@lru_cache(maxsize=4096)
def record_of(result: str) -> JsonObject:
    """A tool's result as a JSON object; anything else is an empty one."""
    value = _json(result)
    return value if isinstance(value, dict) else {}


@lru_cache(maxsize=4096)
def records_of(result: str) -> tuple[JsonObject, ...]:
    """A tool's result as a list of JSON objects; anything else is an empty one."""
    value = _json(result)
    return tuple(row for row in value if isinstance(row, dict)) if isinstance(value, list) else ()


def _json(text: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(text)
    except json.JSONDecodeError:
        return None
    return value
