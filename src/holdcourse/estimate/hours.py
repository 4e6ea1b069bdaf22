"""How long a study takes when models are waited for: what is in flight at once, what waits in line."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

from holdcourse.config.schema import Config
from holdcourse.estimate.volumes import Unit
from holdcourse.llm.door import is_simulated

SECONDS_AN_HOUR = 3600.0


def hours(units: Iterable[Unit], config: Config) -> float:
    """The longest of three bounds, in hours.

    A model answers at most `llm.concurrency.max` calls at once; `cost.jobs` jobs run at once, each with
    `llm.concurrency.simulations` conversations in flight; the jobs of one arm and seed wait for each other.
    Waiting for the offline model counts nothing.
    """
    by_model: dict[str, float] = defaultdict(float)
    by_chain: dict[str, float] = defaultdict(float)
    for unit in units:
        for volume in unit.volumes:
            if not is_simulated(volume.model):
                by_model[volume.model] += volume.seconds
        by_chain[unit.chain] += _duration(unit, config.llm.concurrency.simulations)
    most = [seconds / config.llm.concurrency.max for seconds in by_model.values()]
    return (
        max([*most, *by_chain.values(), sum(by_chain.values()) / config.cost.jobs], default=0.0)
        / SECONDS_AN_HOUR
    )


def _duration(unit: Unit, at_once: int) -> float:
    """Seconds of one job alone: its conversations in waves, then its other calls one by one."""
    conversation = sum(side.seconds for side in unit.sides if not is_simulated(side.model))
    maintenance = sum(call.seconds for call in unit.maintenance if not is_simulated(call.model))
    return math.ceil(unit.conversations / at_once) * conversation + maintenance
