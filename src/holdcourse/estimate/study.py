"""The estimate of one study: the planned calls, less what is answered already, with their price."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from holdcourse.config.cost import CASES, Case
from holdcourse.config.schema import ArmConfig, Config
from holdcourse.estimate.hours import hours
from holdcourse.estimate.money import Money, price, total
from holdcourse.estimate.volumes import Planner, Unit, Volume
from holdcourse.llm.ledger import UNKNOWN


@dataclass(frozen=True, slots=True)
class Held:
    """Answers that a cache holds of one role and model."""

    role: str
    model: str
    calls: int


@dataclass(frozen=True, slots=True)
class Row:
    """One role in one stage: what is still to be asked, and what that costs."""

    volume: Volume
    money: Money
    answered: float


@dataclass(frozen=True)
class CaseEstimate:
    """One case: its rows in the order data flows, and its sums."""

    case: Case
    rows: tuple[Row, ...]
    hours: float

    @property
    def calls(self) -> float:
        """Calls still to be made."""
        return sum(row.volume.calls for row in self.rows)

    @property
    def answered(self) -> float:
        """Calls that the cache answers."""
        return sum(row.answered for row in self.rows)

    @property
    def prompt_tokens(self) -> float:
        """Tokens still to be read."""
        return sum(row.volume.prompt_tokens for row in self.rows)

    @property
    def completion_tokens(self) -> float:
        """Tokens still to be written."""
        return sum(row.volume.completion_tokens for row in self.rows)

    @property
    def money(self) -> Money:
        """Dollars still to be spent."""
        return total(row.money for row in self.rows)


def estimate(
    config: Config, arms: Mapping[str, ArmConfig], held: Iterable[Held] = ()
) -> dict[Case, CaseEstimate]:
    """Estimate a study in the low, the mid and the high case.

    Args:
        config: the composed study.
        arms: its arms by name.
        held: what the cache answers. An answer counts for the first stage that asks its role and model.

    Raises:
        HoldcourseError: an arm has no measurement, or ℓ_0 cannot be read.
    """
    answers = tuple(held)
    return {case: _case(config, arms, case, answers) for case in CASES}


def _case(config: Config, arms: Mapping[str, ArmConfig], case: Case, held: tuple[Held, ...]) -> CaseEstimate:
    units = tuple(Planner(config, arms, case).units())
    left = {(one.role, one.model): float(one.calls) for one in held}
    rows = []
    for volume in _by_stage_and_role(units):
        # The reference model speaks in the agent's role.
        key = ("agent" if volume.role == "reference_agent" else volume.role, volume.model)
        answered = min(left.get(key, 0.0), volume.calls)
        left[key] = left.get(key, 0.0) - answered
        remaining = volume.times(1.0 - answered / volume.calls) if volume.calls else volume
        money = price(remaining, config.prices, config.cost.assumed.cached_prompt_share.of(case))
        rows.append(Row(remaining, money, answered))
    planned = sum(row.volume.calls + row.answered for row in rows)
    share = sum(row.volume.calls for row in rows) / planned if planned else 0.0
    return CaseEstimate(case, tuple(rows), hours(units, config) * share)


def _by_stage_and_role(units: Iterable[Unit]) -> list[Volume]:
    sums: dict[tuple[str, str, str], Volume] = {}
    for unit in units:
        for volume in unit.volumes:
            key = (volume.stage, volume.role, volume.model)
            sums[key] = sums[key].plus(volume) if key in sums else volume
    order = ("initial", "evolve", "evaluate", "reference", "audit")
    return sorted(sums.values(), key=lambda volume: order.index(volume.stage))


def as_json(cases: Mapping[Case, CaseEstimate]) -> dict[str, JsonValue]:
    """The estimate as plain data; an unknown sum is the word `unknown`."""
    return {case: _case_json(one) for case, one in cases.items()}


def _case_json(one: CaseEstimate) -> dict[str, JsonValue]:
    rows: list[JsonValue] = [
        {
            "stage": row.volume.stage,
            "role": row.volume.role,
            "model": row.volume.model,
            **_amounts(row.volume.calls, row.volume.prompt_tokens, row.volume.completion_tokens, row.money),
            "answered_by_cache": round(row.answered),
        }
        for row in one.rows
    ]
    return {
        "rows": rows,
        "total": {
            **_amounts(one.calls, one.prompt_tokens, one.completion_tokens, one.money),
            "answered_by_cache": round(one.answered),
            "hours": round(one.hours, 2),
        },
    }


def _amounts(calls: float, prompt: float, completion: float, money: Money) -> dict[str, JsonValue]:
    unpriced: list[JsonValue] = list(money.unpriced)
    return {
        "calls": round(calls),
        "prompt_tokens": round(prompt),
        "completion_tokens": round(completion),
        "usd": UNKNOWN if money.usd is None else round(money.usd, 4),
        "usd_known_part": round(money.known_usd, 4),
        "unpriced_models": unpriced,
    }
