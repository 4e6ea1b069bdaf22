"""A reply as plain data, as journals and caches keep it."""

from __future__ import annotations

from dataclasses import asdict

from pydantic import BaseModel, ConfigDict, JsonValue

from holdcourse.llm.chat import ChatReply, StopReason, ToolCall, Usage


class StoredReply(BaseModel):
    """What is kept of a reply. Its price is not: that follows from the tokens and conf/prices/."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    content: str | None
    tool_calls: tuple[ToolCall, ...]
    stop_reason: StopReason
    usage: Usage
    latency_s: float
    attempts: int

    @classmethod
    def of(cls, reply: ChatReply) -> StoredReply:
        """The reply as it is kept."""
        return cls(
            content=reply.content,
            tool_calls=reply.tool_calls,
            stop_reason=reply.stop_reason,
            usage=reply.usage,
            latency_s=round(reply.latency_s, 3),
            attempts=reply.attempts,
        )

    def reply(self, cost_usd: float | None) -> ChatReply:
        """The kept reply as an answer from a cache."""
        return ChatReply(
            content=self.content,
            tool_calls=self.tool_calls,
            stop_reason=self.stop_reason,
            usage=self.usage,
            cost_usd=cost_usd,
            latency_s=self.latency_s,
            attempts=self.attempts,
            cached=True,
        )

    def record(self) -> dict[str, JsonValue]:
        """The kept reply as JSON values."""
        return {
            "content": self.content,
            "tool_calls": [asdict(call) for call in self.tool_calls],
            "stop_reason": self.stop_reason,
            "usage": asdict(self.usage),
            "latency_s": self.latency_s,
            "attempts": self.attempts,
        }
