"""The door of one unit of work, its answers journalled, its calls entered in a ledger."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from holdcourse.config.schema import SimulatedConfig
from holdcourse.files import write_jsonl
from holdcourse.llm.door import Door
from holdcourse.llm.journalled import JournalledDoor
from holdcourse.llm.ledger import LedgerLine
from holdcourse.stages.unit_journal import UnitJournals
from holdcourse.telecom.simulation import Simulation


@contextmanager
def asking(journals: UnitJournals, simulated: SimulatedConfig | None) -> Iterator[JournalledDoor]:
    """The door for a unit's own calls; answers already in its journal are not asked for again."""
    with journals.open("replies") as journal:
        yield JournalledDoor(Door(simulated), journal)


def door_factory(simulated: SimulatedConfig | None) -> partial[Door]:
    """A picklable maker of doors, for the worker processes of simulations."""
    return partial(Door, simulated)


def write_ledger(path: Path, simulations: Sequence[Simulation], lines: Sequence[LedgerLine]) -> None:
    """Write a unit's ledger: its conversations by task and trial, then its own calls in order."""
    conversations = [
        LedgerLine(
            role=usage.role,
            model=usage.model,
            calls=usage.calls,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cost_usd=usage.cost_usd,
            latency_s=round(usage.latency_s, 3),
            attempts=usage.attempts,
            cached=usage.cached,
            subject=f"{simulation.task} trial {simulation.trial}",
        )
        for simulation in simulations
        for usage in simulation.usage
    ]
    write_jsonl(path, [line.record() for line in (*conversations, *lines)])
