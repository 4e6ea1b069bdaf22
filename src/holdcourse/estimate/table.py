"""An estimate as people read it."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from holdcourse.config.cost import Case
from holdcourse.config.schema import Config
from holdcourse.estimate.money import Money
from holdcourse.estimate.study import CaseEstimate


def shown(config: Config, cases: Mapping[Case, CaseEstimate]) -> RenderableType:
    """A table by stage and role, in the mid case with the range of the dollars, and what it rests on."""
    low, mid, high = cases["low"], cases["mid"], cases["high"]
    table = Table(
        title=f"study={config.study}: what it asks, estimated before it is run", title_justify="left"
    )
    for name in ("stage", "role", "model"):
        table.add_column(name, overflow="fold", no_wrap=name != "model")
    for name in ("calls", "prompt", "completion", "dollars: low", "mid", "high"):
        table.add_column(name, justify="right")
    for cheap, row, dear in zip(low.rows, mid.rows, high.rows, strict=True):
        volume = row.volume
        table.add_row(
            volume.stage,
            volume.role,
            volume.model,
            f"{volume.calls:,.0f}",
            tokens(volume.prompt_tokens),
            tokens(volume.completion_tokens),
            *(dollars(one.money) for one in (cheap, row, dear)),
        )
    table.add_section()
    table.add_row(
        "all",
        "",
        "",
        f"{mid.calls:,.0f}",
        tokens(mid.prompt_tokens),
        tokens(mid.completion_tokens),
        *(dollars(one.money) for one in (low, mid, high)),
    )
    return Group(table, Text("\n".join(_sums(low, mid, high) + _grounds(config, mid))))


def tokens(count: float) -> str:
    """Tokens in millions, or in thousands below one."""
    return f"{count / 1e6:,.1f} M" if count >= 1e6 else f"{count / 1e3:,.1f} k"


def dollars(money: Money) -> str:
    """Dollars; a sum with an unknown price in it is unknown, with what is known of it as a lower bound."""
    if money.usd is not None:
        return f"${money.usd:,.2f}"
    return f"unknown (at least ${money.known_usd:,.2f})" if money.known_usd else "unknown"


def _sums(low: CaseEstimate, mid: CaseEstimate, high: CaseEstimate) -> list[str]:
    lines = [
        f"calls: {low.calls:,.0f} to {high.calls:,.0f}; prompt tokens: {tokens(low.prompt_tokens)} to "
        f"{tokens(high.prompt_tokens)}; completion tokens: {tokens(low.completion_tokens)} to "
        f"{tokens(high.completion_tokens)}"
    ]
    if mid.answered:
        lines.append(
            f"subtracted: {mid.answered:,.0f} calls whose answers the cache holds (by role and model; "
            "answers to another study's questions count too)"
        )
    lines.append(
        f"hours: {mid.hours:,.1f} ({low.hours:,.1f} to {high.hours:,.1f})"
        if high.hours
        else "hours: not estimated, since the offline model waits for nobody"
    )
    if mid.money.unpriced:
        lines.append(
            f"no price is known for {', '.join(mid.money.unpriced)}: no sum with it is, either. Set it in "
            "conf/prices/."
        )
    return lines


def _grounds(config: Config, mid: CaseEstimate) -> list[str]:
    at_once = config.cost.jobs * config.llm.concurrency.simulations
    lines = [
        f"prices: {config.prices.date}, {config.prices.source}",
        f"measured: {config.cost.measured.source}; a token was taken for "
        f"{config.cost.assumed.characters_per_token.mid:g} characters, not counted",
        f"hours: {config.cost.jobs} jobs at once (cost.jobs), {at_once} conversations in flight, at most "
        f"{config.llm.concurrency.max} calls of a model",
        "assumed: everything under cost.assumed in conf/cost/, from cheap (low) to dear (high)",
    ]
    return lines if mid.calls else lines[:1]
