"""Requests as the other rooms make them, and simulated models whose judgement is perfect or absent."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest
from pydantic import JsonValue

from holdcourse.config.schema import CurveConfig, ReflectorRates, SimulatedConfig
from holdcourse.llm.chat import ChatMessage, ChatRequest, Role, Sampling
from holdcourse.llm.replies import json_block, quote_block
from holdcourse.simulated.provider import SimulatedProvider

SCHEMA: list[JsonValue] = [
    ["knowledge", "supports", "norm"],
    ["norm", "refines", "norm"],
    ["norm", "sequence", "norm"],
]

Ask = Callable[..., dict[str, JsonValue]]


def constant_curve(level: float) -> CurveConfig:
    """The same competence for every length."""
    return CurveConfig(floor=level, ceiling=level, half_length=1.0, slope=1.0)


def provider(level: float, wrong: float = 0.0, overgeneral: float = 0.0) -> SimulatedProvider:
    """A simulated model of constant competence."""
    curve = constant_curve(level)
    rates = ReflectorRates(wrong=wrong, overgeneral=overgeneral)
    return SimulatedProvider(SimulatedConfig(curve=curve, reference_curve=curve, reflector=rates), curve)


def role_request(role: Role, blocks: Mapping[str, JsonValue], seed: int = 1, trial: int = 0) -> ChatRequest:
    """One system message, one user message with data blocks."""
    quoted = [
        quote_block(tag, value) if isinstance(value, str) else json_block(tag, value)
        for tag, value in blocks.items()
    ]
    messages = (ChatMessage("system", "Do your part."), ChatMessage("user", "\n\n".join(quoted)))
    return ChatRequest(role, f"simulated/{role}", messages, (), Sampling(seed=seed), trial)


def asked(
    role: Role, blocks: Mapping[str, JsonValue], level: float = 1.0, seed: int = 1, **rates: float
) -> dict[str, JsonValue]:
    """The JSON reply of a role; `level` is the competence."""
    if role in ("extractor", "planner", "relations", "analyst"):
        blocks = {"schema": SCHEMA, **blocks}
    reply = provider(level, **rates).complete(role_request(role, blocks, seed))
    value = json.loads(reply.content or "")
    assert isinstance(value, dict)
    return value


@pytest.fixture
def ask() -> Ask:
    """Asks a role and reads its JSON reply."""
    return asked
