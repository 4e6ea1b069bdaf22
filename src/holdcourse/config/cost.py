"""The schema behind conf/cost/: what a study's cost is estimated from, before it is run.

`measured` was read off an offline run; `assumed` is what a real model does otherwise, as a range. Sizes are
in characters, since that is what can be measured without a model's tokenizer.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from holdcourse.config.section import Count, NonNegative, Section

Case = Literal["low", "mid", "high"]
CASES: tuple[Case, ...] = ("low", "mid", "high")

Amount = Annotated[float, Field(ge=0.0)]


class Range(Section):
    """A quantity in the cheap case, the expected one and the dear one."""

    low: float
    mid: float
    high: float

    def of(self, case: Case) -> float:
        """The quantity in one case."""
        return {"low": self.low, "mid": self.mid, "high": self.high}[case]


class MeasuredSide(Section):
    """One side of a simulated conversation: calls a simulation, and characters a call.

    `prompt_characters` is what a call reads beside the instruction (`prompt_share` of it) and the tools.
    """

    calls: Amount
    prompt_characters: NonNegative
    prompt_share: Amount
    tool_characters: NonNegative
    answer_characters: NonNegative


class MeasuredRole(Section):
    """One role's calls a unit of work. Shares are of the instruction's length, on top of the characters."""

    calls: Amount
    prompt_characters: NonNegative
    prompt_share: Amount
    answer_characters: NonNegative
    answer_share: Amount


class MeasuredArm(Section):
    """A batch of an arm of one kind; `growth_characters` is how much its instruction grows a batch."""

    kind: Literal["graph", "holistic"]
    structural_analysis: bool
    growth_characters: int
    roles: dict[str, MeasuredRole]


class MeasuredConfig(Section):
    """Calls and sizes of texts, read off a finished offline study by benchmarks/cost_measurements.py.

    `initial` is for an instruction of `instruction_characters`, and its calls grow with that length; `audit`
    is one repeat of an audit.
    """

    source: str
    instruction_characters: Count
    main_policy_characters: Count
    conversation: dict[Literal["agent", "user"], MeasuredSide]
    initial: dict[str, MeasuredRole]
    audit: dict[str, MeasuredRole]
    arms: tuple[MeasuredArm, ...]


class AssumedConfig(Section):
    """What real models do otherwise than the offline one, and how fast; nobody measured these here.

    `conversation_calls`, `conversation_answer`, `maintenance_calls` and `maintenance_answer` multiply what
    was measured. `growth_characters` null is the measured growth. `reasoning_tokens` are hidden tokens a
    call that a provider bills as completion, `cached_prompt_share` the share of a prompt that it bills at the
    price of a cached one.
    """

    characters_per_token: Range
    conversation_calls: Range
    conversation_answer: Range
    maintenance_calls: Range
    maintenance_answer: Range
    growth_characters: dict[Case, float | None]
    reasoning_tokens: Range
    cached_prompt_share: Range
    seconds_per_call: Range
    completion_tokens_per_second: Range

    @model_validator(mode="after")
    def _growth_has_three_cases(self) -> Self:
        if set(self.growth_characters) != set(CASES):
            raise ValueError("growth_characters needs low, mid and high; null is the measured growth")
        if min(self.characters_per_token.of(case) for case in CASES) <= 0:
            raise ValueError("characters_per_token must be above 0")
        if min(self.completion_tokens_per_second.of(case) for case in CASES) <= 0:
            raise ValueError("completion_tokens_per_second must be above 0")
        return self


class CostConfig(Section):
    """conf/cost/: the estimate of `holdcourse.stages.cost`. `jobs` is how many jobs run at once."""

    jobs: Count
    measured: MeasuredConfig
    assumed: AssumedConfig
