"""Dollars of planned calls; an unknown price is unknown in every sum, beside what is known of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from holdcourse.config.llm import PricesConfig
from holdcourse.estimate.volumes import Volume
from holdcourse.llm.chat import Usage
from holdcourse.llm.door import is_simulated
from holdcourse.llm.prices import cost_of


@dataclass(frozen=True, slots=True)
class Money:
    """`known_usd` is what is known of a sum, `unpriced` the models whose share of it is not."""

    known_usd: float
    unpriced: tuple[str, ...] = ()

    @property
    def usd(self) -> float | None:
        """The sum; None when a price in it is unknown."""
        return None if self.unpriced else self.known_usd


def price(volume: Volume, prices: PricesConfig, cached_share: float) -> Money:
    """Dollars of some calls; nothing for the offline model.

    Args:
        volume: the calls.
        prices: conf/prices/.
        cached_share: share of the prompt tokens that the provider bills as cached.
    """
    if is_simulated(volume.model) or volume.calls == 0:
        return Money(0.0)
    prompt = round(volume.prompt_tokens)
    usage = Usage(prompt, round(volume.completion_tokens), round(prompt * cached_share))
    dollars = cost_of(prices, volume.model, usage)
    return Money(0.0, (volume.model,)) if dollars is None else Money(dollars)


def total(sums: Iterable[Money]) -> Money:
    """All together."""
    parts = tuple(sums)
    unpriced = dict.fromkeys(model for part in parts for model in part.unpriced)
    return Money(sum(part.known_usd for part in parts), tuple(unpriced))
