"""Turns of a conversation: what its opening fixes, and how a reply is put together."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import lru_cache

from pydantic import JsonValue

from holdcourse.llm.chat import (
    ChatReply,
    ChatRequest,
    Role,
    Sampling,
    ToolCall,
    ToolSpec,
    Usage,
    canonical_json,
)
from holdcourse.simulated.blocks import MalformedRequestError
from holdcourse.simulated.coins import Coins
from holdcourse.simulated.lexicon import ToolUse

_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Opening:
    """What stays fixed through a conversation: the system text and all up to the first user turn.

    Coins and the length L are the opening's, so that what is recalled in the first turn is recalled
    in the last, as it would be were the whole reply sampled at once.
    """

    system: str
    digest: str
    characters: int
    seed: int | None

    @property
    def coins(self) -> Coins:
        """The coins of the conversation."""
        return Coins(self.seed, self.digest)


class _Identity:
    """A key that is equal to itself only, so that a memo need not look inside the tools."""

    __slots__ = ("tools",)

    def __init__(self, tools: tuple[ToolSpec, ...]) -> None:
        self.tools = tools

    def __hash__(self) -> int:
        return id(self.tools)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and self.tools is other.tools


@lru_cache(maxsize=128)
def _tools_text(key: _Identity) -> str:
    return canonical_json([[t.name, t.description, t.parameters] for t in key.tools])


def opening_of(request: ChatRequest) -> Opening:
    """The opening of the conversation a request continues.

    Raises:
        MalformedRequestError: the first message is not a system message with text.
    """
    if not request.messages or request.messages[0].speaker != "system" or not request.messages[0].content:
        raise MalformedRequestError(
            f"a request of role {request.role!r} must begin with a system message that has text"
        )
    spoken: list[tuple[str, str]] = []
    for message in request.messages:
        spoken.append((message.speaker, message.content or ""))
        if message.speaker == "user":
            break
    tools = _tools_text(_Identity(request.tools)) if request.tools else ""
    return _opening(request.role, request.model, tuple(spoken), tools, request.sampling, request.trial)


@lru_cache(maxsize=4096)
def _opening(
    role: Role, model: str, spoken: tuple[tuple[str, str], ...], tools: str, sampling: Sampling, trial: int
) -> Opening:
    material = canonical_json([role, model, spoken, tools, asdict(sampling), trial])
    digest = hashlib.sha256(material.encode()).hexdigest()
    return Opening(spoken[0][1], digest, sum(len(text) for _, text in spoken), sampling.seed)


def say(request: ChatRequest, text: str) -> ChatReply:
    """A reply in words; tokens are characters divided by four, rounded up."""
    return ChatReply(text, (), "stop", _usage(request, len(text)), 0.0, 0.0)


def call(request: ChatRequest, use: ToolUse, extra: dict[str, JsonValue] | None = None) -> ChatReply:
    """A reply that calls one tool; the call's id is unique in the conversation."""
    arguments: dict[str, JsonValue] = {**dict(use.arguments), **(extra or {})}
    number = len(request.messages)
    identifier = f"call_{opening_of(request).digest[:12]}_{number}"
    size = len(use.tool) + _arguments_length(arguments)
    tool_call = ToolCall(identifier, use.tool, arguments)
    return ChatReply(None, (tool_call,), "tool_calls", _usage(request, size), 0.0, 0.0)


def _usage(request: ChatRequest, reply_characters: int) -> Usage:
    size = len(_tools_text(_Identity(request.tools))) if request.tools else 0
    for message in request.messages:
        size += len(message.content or "")
        for tool_call in message.tool_calls:
            size += _arguments_length(tool_call.arguments)
    return Usage(_tokens(size), _tokens(reply_characters))


def _tokens(characters: int) -> int:
    return -(-characters // _CHARACTERS_PER_TOKEN)


def _arguments_length(arguments: dict[str, JsonValue]) -> int:
    """Characters of a call's arguments as JSON; `{}`, by far the most frequent, is not worth an encoder."""
    return len(json.dumps(arguments, ensure_ascii=False)) if arguments else 2
