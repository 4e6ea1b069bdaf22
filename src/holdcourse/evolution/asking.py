"""Asking a role of the evolution: its templates, its model, the batch's seed, what the answer cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel, JsonValue

from holdcourse.config.role_model import RoleModel
from holdcourse.evolution.templates import render
from holdcourse.llm.chat import ChatModel, ChatRequest, Role, Sampling
from holdcourse.llm.replies import Parsed, Unparsed, ask_json

Reply = TypeVar("Reply", bound=BaseModel)


@dataclass(frozen=True)
class Asker:
    """Whom to ask, and how: the door to models, the model of each role, the seed of the batch.

    `attempts` is how often a role is asked for a reply that can be read (arm.reply_attempts).
    """

    model: ChatModel
    models: Mapping[str, RoleModel]
    seed: int
    attempts: int


@dataclass(frozen=True, slots=True)
class RoleUsage:
    """Calls and tokens of one role."""

    role: Role
    calls: int
    prompt_tokens: int
    completion_tokens: int

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens


def ask_role(
    ask: Asker, role: Role, blocks: Mapping[str, JsonValue], shape: type[Reply]
) -> tuple[Parsed[Reply] | Unparsed, RoleUsage]:
    """Ask a role about data blocks: its checked reply or why there is none, and what all asks cost.

    Args:
        ask: whom and how.
        role: the role, which is the model and the templates.
        blocks: tag to content of the user message.
        shape: what the reply must look like; what its validators refuse is asked again.

    Raises:
        ModelError: the call failed for good.
    """
    decoding = ask.models[role]
    request = ChatRequest(
        role=role,
        model=decoding.model,
        messages=render(role, blocks),
        sampling=Sampling(decoding.temperature, decoding.max_tokens, ask.seed, json_reply=True),
    )
    answer = ask_json(ask.model, request, shape, ask.attempts)
    usage = RoleUsage(role, answer.attempts, answer.usage.prompt_tokens, answer.usage.completion_tokens)
    return answer, usage


def usage_record(usages: Iterable[RoleUsage]) -> dict[str, JsonValue]:
    """Usage per role as JSON: calls, prompt_tokens and completion_tokens, summed."""
    by_role: dict[Role, list[RoleUsage]] = {}
    for usage in usages:
        by_role.setdefault(usage.role, []).append(usage)
    return {
        role: {
            "calls": sum(usage.calls for usage in of_role),
            "prompt_tokens": sum(usage.prompt_tokens for usage in of_role),
            "completion_tokens": sum(usage.completion_tokens for usage in of_role),
        }
        for role, of_role in sorted(by_role.items())
    }
