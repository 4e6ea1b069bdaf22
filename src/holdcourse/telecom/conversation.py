"""One side of a simulated conversation: what it has heard so far, and the model that speaks for it.

Messages are converted as they come, so that a turn costs the same late in a conversation as early.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from holdcourse.config.role_model import RoleModel
from holdcourse.llm.chat import (
    ChatMessage,
    ChatModel,
    ChatReply,
    ChatRequest,
    Role,
    Sampling,
    ToolSpec,
)
from holdcourse.telecom.usage import RoleUsage


@dataclass(frozen=True, slots=True)
class Side:
    """What stays the same in all requests of one side of one simulation."""

    role: Role
    model: RoleModel
    tools: tuple[ToolSpec, ...]
    seed: int
    trial: int


class Conversation:
    """The messages of one side, as its model is shown them; `usage` is what its calls have cost so far."""

    def __init__(self, side: Side, door: ChatModel) -> None:
        self._side = side
        self._door = door
        self._sampling = Sampling(
            temperature=side.model.temperature, max_tokens=side.model.max_tokens, seed=side.seed
        )
        self._messages: list[ChatMessage] = []
        self._call_ids: set[str] = set()
        self.usage = RoleUsage(role=side.role, model=side.model.model)

    @property
    def messages(self) -> Sequence[ChatMessage]:
        """All messages so far, this side's own among them."""
        return self._messages

    def hear(self, messages: Iterable[ChatMessage]) -> None:
        """Add messages of others."""
        self._messages.extend(messages)

    def speak(self) -> ChatReply:
        """Ask the model for this side's next message and remember it.

        Raises:
            ModelError: the call failed for good.
        """
        side = self._side
        reply = self._door.complete(
            ChatRequest(
                role=side.role,
                model=side.model.model,
                messages=tuple(self._messages),
                tools=side.tools,
                sampling=self._sampling,
                trial=side.trial,
            )
        )
        self.usage = self.usage.plus_reply(reply)
        reply = self._usable(reply)
        self._messages.append(ChatMessage("assistant", reply.content, reply.tool_calls))
        return reply

    def _usable(self, reply: ChatReply) -> ChatReply:
        """The reply with call ids of its own and text that can be written to a file.

        τ² replays a conversation by its call ids, so one that is empty or was used before gets a new one.
        """
        calls = []
        for position, call in enumerate(reply.tool_calls):
            if not call.id or call.id in self._call_ids:
                call = replace(call, id=f"{self._side.role}_{len(self._messages)}_{position}")
            self._call_ids.add(call.id)
            calls.append(replace(call, name=_writable(call.name), arguments=_writable_values(call.arguments)))
        content = None if reply.content is None else _writable(reply.content)
        return replace(reply, content=content, tool_calls=tuple(calls))


def _writable(text: str) -> str:
    """Text without unpaired surrogates, which JSON escapes can bring in but no UTF-8 file can hold."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def _writable_values(arguments: dict[str, JsonValue]) -> dict[str, JsonValue]:
    if json.dumps(arguments, ensure_ascii=False).isascii():
        return arguments
    plain = json.dumps(arguments, ensure_ascii=False).encode(errors="replace").decode()
    cleaned: dict[str, JsonValue] = json.loads(plain)
    return cleaned
