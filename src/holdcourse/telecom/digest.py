"""Failure digests: what a reflector is shown of a failed simulation, bounded in length.

The bounds are ours (the paper is silent): a digest must fit many to a request, and what went wrong mostly
shows at the beginning and near the end of a conversation.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from pydantic import JsonValue

from holdcourse.telecom.simulation import Simulation, Turn
from holdcourse.telecom.tasks import task_hash

FIRST_TURNS = 3
LAST_TURNS = 24
TURN_CHARACTERS = 320

_NAMES = {
    "agent": "Agent",
    "customer": "Customer",
    "agent_tool": "Result for the agent",
    "customer_tool": "Result on the customer's phone",
}


def failure_digests(simulations: Iterable[Simulation]) -> list[dict[str, JsonValue]]:
    """Digests of the scored simulations with less than full reward, in the order given.

    Simulations that infrastructure broke say nothing about the instruction and are left out. A task
    stands by its hash, so that no reader can look it up.
    """
    return [
        digest(simulation)
        for simulation in simulations
        if simulation.reward is not None and simulation.reward < 1.0
    ]


def digest(simulation: Simulation) -> dict[str, JsonValue]:
    """One simulation in short: how it went, what was not reached, which actions were never taken."""
    return {
        "task": task_hash(simulation.task),
        "intent": simulation.intent,
        "conversation": conversation_text(simulation.transcript),
        "failed_assertions": list(simulation.failed_assertions),
        "missing_actions": [
            {"who": action.who, "action": action.action, "arguments": action.arguments}
            for action in simulation.missing_actions
        ],
        "wrong_owner_calls": list(simulation.wrong_owner_calls),
        "ended": simulation.termination,
    }


def conversation_text(transcript: Sequence[Turn]) -> str:
    """The first and the last turns, a line each, long ones cut; says how many turns lie between."""
    lines = [_line(turn) for turn in transcript]
    hidden = len(lines) - FIRST_TURNS - LAST_TURNS
    if hidden > 0:
        lines[FIRST_TURNS:-LAST_TURNS] = [f"[… {hidden} turns left out …]"]
    return "\n".join(lines)


def _line(turn: Turn) -> str:
    parts = [turn.text.strip()] if turn.text.strip() else []
    parts += [f"calls {call.name}({_arguments(call.arguments)})" for call in turn.calls]
    # A turn is one line whatever a model put into it, so that none can pass for another's turn.
    text = " ".join("; ".join(parts).split())
    if len(text) > TURN_CHARACTERS:
        text = text[: TURN_CHARACTERS - 1] + "…"
    failed = " (error)" if turn.error else ""
    return f"{_NAMES[turn.speaker]}{failed}: {text}"


def _arguments(arguments: dict[str, JsonValue]) -> str:
    return ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
