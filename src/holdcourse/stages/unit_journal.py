"""The journals of one unit of work and the door that writes to them.

They stand under results/{study}/journal/, outside every declared output, in a folder named by all that the
unit depends on: a changed configuration starts its own, and a killed job finds what it had done.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from holdcourse.config.schema import SimulatedConfig
from holdcourse.files import write_jsonl
from holdcourse.journal import Journal
from holdcourse.llm.door import Door
from holdcourse.llm.journalled import JournalledDoor
from holdcourse.llm.ledger import LedgerLine
from holdcourse.stages.paths import ShiftPaths
from holdcourse.stages.slices import SliceT
from holdcourse.stages.stage import Stage, unit_identity
from holdcourse.telecom.simulation import Simulation


@dataclass(frozen=True)
class UnitJournals:
    """Where a unit's journals stand and what they belong to."""

    folder: Path
    identity: str

    def open(self, name: str) -> Journal:
        """Open one of the unit's journals."""
        return Journal.open(self.folder / f"{name}.jsonl", {"unit": self.identity})


def journals_of(stage: Stage[SliceT], cfg: SliceT, unit: Path, out: Path) -> UnitJournals:
    """The journals of the unit whose results stand in the folder `unit`."""
    identity = unit_identity(stage.module, cfg, stage.inputs(cfg, out), out)
    return UnitJournals(ShiftPaths(out).journal(unit, identity), identity)


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
