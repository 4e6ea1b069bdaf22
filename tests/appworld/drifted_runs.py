"""Drifted runs made on the engine for tests: an able simulated agent, pushed off a task by another's."""

from collections.abc import Iterable
from pathlib import Path

from holdcourse.appworld.cases import Case, Kind
from holdcourse.appworld.tasks import Task
from holdcourse.appworld.trajectories import Maker, Payload, Payloads, make, plan_of_variant
from holdcourse.appworld.variants import plant
from holdcourse.config.drift import AgentRates, EpisodeConfig, RecoveryRates, SimulatedDriftConfig
from holdcourse.config.role_model import RoleModel
from holdcourse.llm.chat import ChatModel
from holdcourse.recipes.book import IRREVERSIBLE, PORTABLE
from holdcourse.simulated.drift_provider import SimulatedDriftProvider

AGENT = RoleModel(model="simulated/appworld_agent", temperature=0.0, max_tokens=None)
LIMITS = EpisodeConfig(max_steps=24, output_characters=4000, faulty_replies=2)


def able_agent() -> ChatModel:
    """An agent that does every task, obeys every text and minds every warning."""
    able = AgentRates(success=(1.0, 1.0, 1.0), obeys=1.0, heeds=1.0)
    right = RecoveryRates(right=1.0)
    return SimulatedDriftProvider(
        SimulatedDriftConfig(large=able, small=able, recovery_large=right, recovery_small=right)
    )


def question(task: Task) -> bool:
    """Whether anybody can be asked this."""
    return task.reads_only and task.template in PORTABLE


def deed(task: Task) -> bool:
    """Whether anybody can do this and undo it."""
    return not task.reads_only and task.template in PORTABLE - IRREVERSIBLE


def final_deed(task: Task) -> bool:
    """Whether anybody can do this and nobody undo it."""
    return task.template in PORTABLE & IRREVERSIBLE


def drifted(
    kind: Kind,
    task: Task,
    payloads: Iterable[Task],
    maker: Maker,
    planted: tuple[Path, Path, str] | None = None,
) -> dict[str, object] | None:
    """A run of a task that drifted; None when no payload can be worked on in its world.

    The text comes in at the third step or so, or is planted: in which world, by which interpreter, where.
    """
    surface = None if planted is None else planted[2]
    others = tuple(other for other in payloads if other.template != task.template)
    case = Case(
        id=f"heldout-{kind}-{task.id}",
        split="heldout",
        kind=kind,
        task=task,
        payloads=others,
        carrier="mail",
        surface=surface,
        wording=0,
        place=0.4,
        delay=1,
    )
    found: list[Payload] = []
    for payload in Payloads(maker).workable(case):
        found.append(payload)
        break
    if not found:
        return None
    if planted is not None:
        plant(planted[0], planted[1], [plan_of_variant(case, found[0])])
    return make(case, found, maker)
