"""The simulations of one unit of work, journalled as they are done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from holdcourse.stages.unit_door import AskingSlice, conversations_at_once, require_reach
from holdcourse.stages.unit_journal import UnitJournals
from holdcourse.telecom.evaluation import Job, RolloutPlan, run_simulations
from holdcourse.telecom.simulation import Simulation


class SimulatingSlice(AskingSlice, Protocol):
    """A slice of a stage that simulates."""

    @property
    def workers(self) -> int:
        """Processes the stage may use."""
        ...


def simulate_unit(
    plan: RolloutPlan, jobs: Sequence[Job], cfg: SimulatingSlice, journals: UnitJournals, label: str
) -> tuple[Simulation, ...]:
    """Run what the unit's journal does not hold yet, and hand back all in the order of `jobs`.

    Raises:
        HoldcourseError: as `run_simulations` says, or not one simulation could be carried out.
    """
    with journals.open("simulations") as journal:
        simulations = run_simulations(
            plan,
            jobs,
            workers=cfg.workers,
            threads=conversations_at_once(cfg),
            journal=journal,
            label=label,
        )
    require_reach(simulations, journals)
    return simulations
