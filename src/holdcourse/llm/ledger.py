"""The ledger: what every call cost, in tokens and dollars, a line a call.

Simulated conversations are the one exception: a study holds millions of their turns, all free, so they are
entered as one line a simulation and role, with the number of calls it stands for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import JsonValue

from holdcourse.llm.chat import ChatReply, ChatRequest, Role

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """One call, or the calls of one side of a simulated conversation.

    `subject` is the start of the request's digest, or the task and trial of the conversation. `cost_usd` None
    means unknown; `cached` is how many of the calls were answered from a cache.
    """

    role: Role
    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    latency_s: float
    attempts: int
    cached: int
    subject: str

    def record(self) -> dict[str, JsonValue]:
        """The line as written to ledger.jsonl; an unknown price stays the word `unknown`."""
        return {
            "role": self.role,
            "model": self.model,
            "calls": self.calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cost_usd": UNKNOWN if self.cost_usd is None else self.cost_usd,
            "latency_s": self.latency_s,
            "attempts": self.attempts,
            "cached": self.cached,
            "subject": self.subject,
        }


def line_of(request: ChatRequest, reply: ChatReply) -> LedgerLine:
    """The ledger line of one answered call."""
    return LedgerLine(
        role=request.role,
        model=request.model,
        calls=1,
        prompt_tokens=reply.usage.prompt_tokens,
        completion_tokens=reply.usage.completion_tokens,
        cost_usd=reply.cost_usd,
        latency_s=round(reply.latency_s, 3),
        attempts=reply.attempts,
        cached=int(reply.cached),
        subject=request.digest[:16],
    )


def total_cost(costs: Iterable[float | None]) -> float | None:
    """Sum of dollars; one unknown makes the sum unknown (None), never 0."""
    total = 0.0
    for cost in costs:
        if cost is None:
            return None
        total += cost
    return total
