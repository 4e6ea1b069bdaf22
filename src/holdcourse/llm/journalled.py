"""A door that remembers its answers in a journal, so that a killed job never asks the same thing twice."""

from __future__ import annotations

from dataclasses import asdict

from pydantic import BaseModel, JsonValue

from holdcourse.journal import Journal
from holdcourse.llm.chat import ChatModel, ChatReply, ChatRequest, StopReason, ToolCall, Usage
from holdcourse.llm.ledger import LedgerLine, line_of


class _StoredReply(BaseModel):
    content: str | None
    tool_calls: list[ToolCall]
    stop_reason: StopReason
    usage: Usage
    cost_usd: float | None
    latency_s: float
    attempts: int
    cached: bool


class JournalledDoor:
    """Wraps a `ChatModel`; `lines` collects the ledger lines of this job in the order of its calls."""

    def __init__(self, door: ChatModel, journal: Journal) -> None:
        self._door = door
        self._journal = journal
        self.lines: list[LedgerLine] = []

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer from the journal where it holds the request, else through the door, and record it."""
        stored = self._journal.done.get(request.digest)
        if stored is None:
            reply = self._door.complete(request)
            self._journal.append(request.digest, _as_json(reply))
        else:
            known = _StoredReply.model_validate(stored)
            reply = ChatReply(**{**known.__dict__, "tool_calls": tuple(known.tool_calls)})
        self.lines.append(line_of(request, reply))
        return reply


def _as_json(reply: ChatReply) -> dict[str, JsonValue]:
    return {**asdict(reply), "tool_calls": [asdict(call) for call in reply.tool_calls]}
