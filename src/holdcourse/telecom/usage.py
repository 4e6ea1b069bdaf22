"""What one side's model calls in a simulation have cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from holdcourse.llm.chat import ChatReply, Role
from holdcourse.llm.ledger import total_cost


@dataclass(frozen=True, slots=True)
class RoleUsage:
    """Sums over the calls of one role.

    `cost_usd` is what the answers cost when they were bought, `paid_usd` the part that was paid now and not
    answered from a cache; each is None as soon as one price in it is unknown.
    """

    role: Role
    model: str
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = 0.0
    latency_s: float = 0.0
    attempts: int = 0
    cached: int = 0
    paid_usd: float | None = 0.0

    def plus_reply(self, reply: ChatReply) -> Self:
        """The usage with one more answered call."""
        return self.plus(
            type(self)(
                role=self.role,
                model=self.model,
                calls=1,
                prompt_tokens=reply.usage.prompt_tokens,
                completion_tokens=reply.usage.completion_tokens,
                cost_usd=reply.cost_usd,
                latency_s=reply.latency_s,
                attempts=reply.attempts,
                cached=int(reply.cached),
                paid_usd=0.0 if reply.cached else reply.cost_usd,
            )
        )

    def plus(self, other: Self) -> Self:
        """The usage of both together, under this one's role and model."""
        return type(self)(
            role=self.role,
            model=self.model,
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost_usd=total_cost((self.cost_usd, other.cost_usd)),
            latency_s=self.latency_s + other.latency_s,
            attempts=self.attempts + other.attempts,
            cached=self.cached + other.cached,
            paid_usd=total_cost((self.paid_usd, other.paid_usd)),
        )
