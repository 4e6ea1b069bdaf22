"""What is said to a language model and what comes back: the types of the one door.

Every call to a language model in holdcourse, τ²'s agent and user included, is a `ChatRequest` given
to a `ChatModel`. A request is complete in itself: its digest covers everything the answer may depend
on, so that a reply can be cached, replayed and attributed.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, Literal, Protocol, get_args

from pydantic import JsonValue

Role = Literal[
    "agent",
    "user",
    "reflector",
    "extractor",
    "planner",
    "relations",
    "analyst",
    "reconstructor",
    "holistic",
    "guard",
    "auditor",
    "appworld_agent",
    "recovery",
    "judge",
]
"""Who speaks. Each role has its own model in conf/models/ and its own line in the ledger."""

ROLES: tuple[Role, ...] = get_args(Role)

Speaker = Literal["system", "user", "assistant", "tool"]
StopReason = Literal["stop", "tool_calls", "length", "refusal"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool, as a model asked for it."""

    id: str
    name: str
    arguments: dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool offered to a model; `parameters` is a JSON schema object."""

    name: str
    description: str
    parameters: dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message. `tool_calls` only with the assistant, `tool_call_id` only with a tool's answer."""

    speaker: Speaker
    content: str | None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Sampling:
    """Decoding parameters that are part of a request.

    `seed` is given to providers that take one; it is derived from (study seed, task, trial) and so
    keeps trials of one task apart. `json_reply` asks the provider for a JSON object where it can.
    """

    temperature: float = 0.0
    max_tokens: int | None = None
    seed: int | None = None
    json_reply: bool = False


@dataclass(frozen=True)
class ChatRequest:
    """One call to a model, complete in itself.

    `trial` counts the repeats of the same question: three trials are three different calls, never
    one call answered three times from a cache.
    """

    role: Role
    model: str
    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSpec, ...] = ()
    sampling: Sampling = Sampling()
    trial: int = 0

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the whole request, as hexadecimal.

        Over the canonical JSON of all fields; written out by hand, since long messages and tools come again
        in each turn of a conversation and need not be made into JSON each time.
        """
        messages = ",".join(map(_message_json, self.messages))
        text = (
            f'{{"messages":[{messages}],"model":{canonical_json(self.model)},'
            f'"role":{canonical_json(self.role)},"sampling":{canonical_json(asdict(self.sampling))},'
            f'"tools":{tools_json(self.tools)},"trial":{canonical_json(self.trial)}}}'
        )
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def characters(self) -> int:
        """Length of all message contents and tool-call arguments, in characters."""
        return sum(message_characters(message) for message in self.messages)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call; `cached_prompt_tokens` are those of the prompt that a provider had kept."""

    prompt_tokens: int
    completion_tokens: int
    cached_prompt_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A model's answer. `cost_usd` is None when the price is unknown, which is never the same as 0."""

    content: str | None
    tool_calls: tuple[ToolCall, ...]
    stop_reason: StopReason
    usage: Usage
    cost_usd: float | None
    latency_s: float
    attempts: int = 1
    cached: bool = False


class ChatModel(Protocol):
    """Anything that answers a `ChatRequest`: the door itself, a provider, a script in a test."""

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request.

        Raises:
            ModelError: the call failed for good; its subclass says how.
        """
        ...


class ModelError(Exception):
    """A call to a model failed for good; `kind` is the word it is counted under."""

    kind: ClassVar[str] = "infrastructure"


class UnknownModelError(ModelError):
    """No provider serves the model a request names."""


def message_characters(message: ChatMessage) -> int:
    """Characters of a message: its content and the arguments of its tool calls."""
    arguments = sum(len(canonical_json(call.arguments)) for call in message.tool_calls)
    return len(message.content or "") + arguments


def canonical_json(value: object) -> str:
    """JSON with sorted keys and no spaces: the same text for the same value."""
    return _CANONICAL.encode(value)


# One encoder for all: json.dumps makes a new one for each call that has arguments.
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@lru_cache(maxsize=4096)
def _text_json(text: str) -> str:
    return canonical_json(text)


def _message_json(message: ChatMessage) -> str:
    content = "null" if message.content is None else _text_json(message.content)
    answered = "null" if message.tool_call_id is None else _text_json(message.tool_call_id)
    calls = ""
    if message.tool_calls:
        calls = ",".join(
            f'{{"arguments":{canonical_json(call.arguments)},"id":{_text_json(call.id)},'
            f'"name":{_text_json(call.name)}}}'
            for call in message.tool_calls
        )
    return (
        f'{{"content":{content},"speaker":"{message.speaker}","tool_call_id":{answered},'
        f'"tool_calls":[{calls}]}}'
    )


_tools_known: dict[int, tuple[tuple[ToolSpec, ...], str]] = {}
_TOOLS_KNOWN = 64


def tools_json(tools: tuple[ToolSpec, ...]) -> str:
    """JSON of offered tools, remembered by identity: a conversation offers the same tuple in each turn."""
    known = _tools_known.get(id(tools))
    if known is not None and known[0] is tools:
        return known[1]
    text = canonical_json([asdict(tool) for tool in tools])
    if len(_tools_known) >= _TOOLS_KNOWN:
        _tools_known.clear()
    _tools_known[id(tools)] = (tools, text)
    return text
