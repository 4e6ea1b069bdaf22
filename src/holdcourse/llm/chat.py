"""What is said to a language model and what comes back: the types of the one door.

Every call to a language model in holdcourse, τ²'s agent and user included, is a `ChatRequest` given
to a `ChatModel`. A request is complete in itself: its digest covers everything the answer may depend
on, so that a reply can be cached, replayed and attributed.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Literal, Protocol, get_args

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
        """SHA-256 over the whole request, as hexadecimal."""
        return hashlib.sha256(canonical_json(asdict(self)).encode()).hexdigest()

    @cached_property
    def characters(self) -> int:
        """Length of all message contents and tool-call arguments, in characters."""
        return sum(message_characters(message) for message in self.messages)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call."""

    prompt_tokens: int
    completion_tokens: int


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
    """A call to a model failed for good."""


class UnknownModelError(ModelError):
    """No provider serves the model a request names."""


def message_characters(message: ChatMessage) -> int:
    """Characters of a message: its content and the arguments of its tool calls."""
    arguments = sum(len(canonical_json(call.arguments)) for call in message.tool_calls)
    return len(message.content or "") + arguments


def canonical_json(value: object) -> str:
    """JSON with sorted keys and no spaces: the same text for the same value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
