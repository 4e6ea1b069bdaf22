"""What a call costs, from conf/prices/. An unknown price is None and stays so in every sum."""

from __future__ import annotations

from holdcourse.config.llm import PricesConfig
from holdcourse.llm.chat import ChatRequest, Usage, tools_json

CHARACTERS_A_TOKEN = 4
"""A rule of thumb for English text, used only to estimate a call before it is made."""

_MILLION = 1_000_000


def cost_of(prices: PricesConfig, model: str, usage: Usage) -> float | None:
    """US dollars of a call's tokens; None when the model's price is unknown.

    Tokens of a prompt that the provider had kept are charged in full where their own price is not given.
    """
    price = prices.models.get(model)
    if price is None:
        return None
    kept = min(usage.cached_prompt_tokens, usage.prompt_tokens)
    kept_price = price.prompt if price.cached_prompt is None else price.cached_prompt
    dollars = (usage.prompt_tokens - kept) * price.prompt + kept * kept_price
    return (dollars + usage.completion_tokens * price.completion) / _MILLION


def estimated_prompt_tokens(request: ChatRequest) -> int:
    """About how many tokens a request's prompt has, its tools included."""
    tools = len(tools_json(request.tools)) if request.tools else 0
    return (request.characters + tools) // CHARACTERS_A_TOKEN + 1
