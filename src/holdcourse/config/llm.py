"""The schema behind conf/llm/ and conf/prices/: how language models are reached and what they cost.

Nothing here says *what* is asked, so nothing here is part of a result's identity: another endpoint, limit,
budget or price reruns nothing.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from holdcourse.config.section import Count, Dollars, NonNegative, Seconds, Section
from holdcourse.config.serving import ServingConfig


class BudgetConfig(Section):
    """What one study may spend in all; null is no limit. Answers from the cache spend nothing."""

    usd: Dollars | None
    calls: NonNegative | None
    tokens: NonNegative | None


class ConcurrencyConfig(Section):
    """How much happens at once.

    `start` and `max` bound the calls in flight of one model, over all processes that share a cache;
    `simulations` is how many conversations one worker process has in flight.
    """

    start: Count
    max: Count
    simulations: Count

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.start > self.max:
            raise ValueError(f"start {self.start} is above max {self.max}")
        return self


class RetriesConfig(Section):
    """How often and how patiently a failing call is tried again.

    `attempts` bounds the tries of one call against limits and faults of the provider, `answer_attempts`
    those for an answer that is empty or holds unreadable tool arguments. A provider's Retry-After is obeyed
    up to `longest_retry_after_s`.
    """

    attempts: Count
    answer_attempts: Count
    first_wait_s: Seconds
    longest_wait_s: Seconds
    longest_retry_after_s: Seconds


class LlmConfig(Section):
    """conf/llm/: the door to language models that are not simulated.

    `cache` is a folder, null for none. `api_bases` maps the start of a model's name to the base URL of an
    OpenAI-compatible server; the longest match wins.
    """

    mode: Literal["live", "replay"]
    cache: str | None
    api_bases: dict[str, str]
    call_timeout_s: Seconds
    simulation_timeout_s: Seconds
    concurrency: ConcurrencyConfig
    retries: RetriesConfig
    budget: BudgetConfig

    @model_validator(mode="after")
    def _replay_has_a_cache(self) -> Self:
        if self.mode == "replay" and self.cache is None:
            raise ValueError("mode=replay answers from a cache; name its folder with llm.cache=DIR")
        return self

    def api_base(self, model: str) -> str | None:
        """The server that a model is asked at; None leaves it to the provider's own."""
        matching = [prefix for prefix in self.api_bases if model.startswith(prefix)]
        return self.api_bases[max(matching, key=len)] if matching else None


class ModelPrice(Section):
    """US dollars a million tokens; `cached_prompt` null charges the full price of a prompt."""

    prompt: Dollars
    cached_prompt: Dollars | None = None
    completion: Dollars


class PricesConfig(Section):
    """conf/prices/: list prices on one day. A model that is missing or null has an unknown price."""

    date: Annotated[str, Field(pattern=r"^\d{4}-\d{2}(-\d{2})?$")]
    source: str
    models: dict[str, ModelPrice | None]


class DoorSettings(Section):
    """All that a `Door` needs to reach models that are not simulated; `study_folder` is results/{study}."""

    llm: LlmConfig
    prices: PricesConfig
    study_folder: str
    serving: ServingConfig = ServingConfig()
