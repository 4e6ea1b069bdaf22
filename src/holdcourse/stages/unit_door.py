"""The door of one unit of work, its answers journalled, its calls entered in a ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

from holdcourse.config.llm import DoorSettings
from holdcourse.config.schema import SimulatedConfig
from holdcourse.errors import HoldcourseError
from holdcourse.files import write_jsonl
from holdcourse.llm.door import Door
from holdcourse.llm.failures import BudgetReachedError
from holdcourse.llm.journalled import JournalledDoor
from holdcourse.llm.ledger import LedgerLine
from holdcourse.stages.unit_journal import UnitJournals
from holdcourse.telecom.simulation import Simulation


class AskingSlice(Protocol):
    """A slice of a stage that asks models."""

    @property
    def simulated(self) -> SimulatedConfig | None:
        """conf/simulated/, if one of the stage's models is simulated."""
        ...

    @property
    def door(self) -> DoorSettings | None:
        """How the others are reached, if one is not."""
        ...


@contextmanager
def asking(journals: UnitJournals, cfg: AskingSlice) -> Iterator[JournalledDoor]:
    """The door for a unit's own calls; answers already in its journal are not asked for again.

    Raises:
        BudgetReachedError: the study has spent what it may; says how many of the unit's answers are kept.
    """
    with journals.open("replies") as journal:
        try:
            yield JournalledDoor(door_factory(journals, cfg)(), journal)
        except BudgetReachedError as error:
            raise BudgetReachedError(
                f"{error}. This unit's own calls: {len(journal.done)} answers are kept; how many are left "
                "depends on what they say"
            ) from None


def door_factory(journals: UnitJournals, cfg: AskingSlice) -> partial[Door]:
    """A picklable maker of doors, for the worker processes of simulations."""
    return partial(Door, cfg.simulated, cfg.door, journals.folder / "calls.jsonl")


def conversations_at_once(cfg: AskingSlice) -> int:
    """How many simulations one process has in flight: waiting for a hosted model costs no processor."""
    return 1 if cfg.door is None else cfg.door.llm.concurrency.simulations


def simulation_timeout_s(cfg: AskingSlice) -> float | None:
    """How long one simulation may take; None, without limit, where all models are simulated."""
    return None if cfg.door is None else cfg.door.llm.simulation_timeout_s


def require_reach(simulations: Sequence[Simulation], journals: UnitJournals) -> None:
    """Refuse a unit in which not one simulation could be carried out: that is no result but a wrong endpoint.

    Raises:
        HoldcourseError: every simulation died of infrastructure. Its journals are dropped, so that the next
            run tries again.
    """
    if not simulations or any(simulation.outcome != "infrastructure" for simulation in simulations):
        return
    journals.discard()
    kinds = Counter(simulation.termination for simulation in simulations)
    counted = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    raise HoldcourseError(
        f"none of {len(simulations)} simulations could be carried out ({counted}); the last one said: "
        f"{simulations[-1].error or 'nothing'}. Check the model's endpoint and run the same command again"
    )


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
