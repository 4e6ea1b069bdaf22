"""The record of one simulation, and its forms as rows of evaluation.jsonl and experience.jsonl."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from pydantic import JsonValue, TypeAdapter, ValidationError

from holdcourse.config.schema import Intent
from holdcourse.errors import HoldcourseError
from holdcourse.llm.ledger import total_cost
from holdcourse.telecom.usage import RoleUsage

UNKNOWN_COST = "unknown"

Outcome = Literal["scored", "infrastructure", "context_length"]
TurnSpeaker = Literal["agent", "customer", "agent_tool", "customer_tool"]


@dataclass(frozen=True, slots=True)
class CallMade:
    """A tool call as it was made."""

    name: str
    arguments: dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation; `agent_tool` and `customer_tool` are answers of each side's tools."""

    speaker: TurnSpeaker
    text: str
    calls: tuple[CallMade, ...] = ()
    error: bool = False


@dataclass(frozen=True, slots=True)
class MissingAction:
    """An action of the reference solution that nobody took; `who` is the side that should have."""

    who: Literal["agent", "customer"]
    action: str
    arguments: dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Simulation:
    """One simulation of one trial of one task.

    `reward` and `db_match` are None when the outcome is "infrastructure". "context_length" is a trial that
    failed: instruction and conversation outgrew what a model takes. `db_match` is None also when the
    conversation did not end by itself, since τ² then compares nothing. `steps` are τ²'s; `attempts` counts
    how often the simulation was started; tokens and cost cover all attempts. `error` says in words why a
    simulation failed otherwise than by its score.
    """

    task: str
    intent: Intent
    issues: tuple[str, ...]
    persona: str
    transfer_expected: bool
    trial: int
    outcome: Outcome
    reward: float | None
    db_match: bool | None
    wrong_owner_calls: tuple[str, ...]
    termination: str
    steps: int
    usage: tuple[RoleUsage, ...]
    attempts: int = 1
    transcript: tuple[Turn, ...] = ()
    failed_assertions: tuple[str, ...] = ()
    missing_actions: tuple[MissingAction, ...] = ()
    error: str = ""

    @property
    def strict(self) -> bool | None:
        """Full reward and the very end state of the reference solution; None where that is unknown."""
        if self.reward is None:
            return None
        if self.reward < 1.0:
            return False
        return self.db_match

    @property
    def cost_usd(self) -> float | None:
        """Dollars of all calls; None when a price is unknown."""
        return total_cost(usage.cost_usd for usage in self.usage)

    @property
    def paid_usd(self) -> float | None:
        """Dollars of the calls that were not answered from a cache; None when a price is unknown."""
        return total_cost(usage.paid_usd for usage in self.usage)

    def record(self) -> dict[str, JsonValue]:
        """The row of evaluation.jsonl."""
        cost = self.cost_usd
        return {
            "task": self.task,
            "intent": self.intent,
            "issues": list(self.issues),
            "persona": self.persona,
            "transfer_expected": self.transfer_expected,
            "trial": self.trial,
            "outcome": self.outcome,
            "reward": self.reward,
            "db_match": self.db_match,
            "strict": self.strict,
            "wrong_owner_calls": len(self.wrong_owner_calls),
            "termination": self.termination,
            "steps": self.steps,
            "calls": sum(usage.calls for usage in self.usage),
            "prompt_tokens": sum(usage.prompt_tokens for usage in self.usage),
            "completion_tokens": sum(usage.completion_tokens for usage in self.usage),
            "cost_usd": UNKNOWN_COST if cost is None else cost,
            "attempts": self.attempts,
        }

    def detailed_record(self) -> dict[str, JsonValue]:
        """The row of experience.jsonl: that of evaluation.jsonl, the conversation and what was checked."""
        plain = self.to_json()
        details = ("transcript", "failed_assertions", "missing_actions", "error")
        return {
            **self.record(),
            "wrong_owner_names": list(self.wrong_owner_calls),
            **{name: plain[name] for name in details},
        }

    def to_json(self) -> dict[str, JsonValue]:
        """All fields as plain data; `from_json` reads them back."""
        plain: dict[str, JsonValue] = _adapter().dump_python(self, mode="json")
        return plain

    @classmethod
    def from_json(cls, value: Mapping[str, object]) -> Simulation:
        """Read what `to_json` made.

        Raises:
            HoldcourseError: it is no such record.
        """
        try:
            return _adapter().validate_python(dict(value))
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in problem["loc"])
            raise HoldcourseError(
                f"not a record of a simulation ({where}: {problem['msg']}); move its journal away to start "
                "afresh"
            ) from None

    def after(self, earlier: Simulation) -> Simulation:
        """This simulation as the next attempt after a broken one: attempts and costs add up."""
        return replace(
            self,
            attempts=self.attempts + earlier.attempts,
            usage=tuple(new.plus(old) for new, old in zip(self.usage, earlier.usage, strict=True)),
        )


@cache
def _adapter() -> TypeAdapter[Simulation]:
    return TypeAdapter(Simulation)
