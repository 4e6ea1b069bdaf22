"""Tasks in the file system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from holdcourse.appworld.engine.template import Scene, Surface, Template, Truth
from holdcourse.appworld.engine.templates.truth import QUESTION
from holdcourse.appworld.engine.templates.values import MONTHS, some
from holdcourse.appworld.engine.world.records import Person, World
from holdcourse.recipes import files as recipes


def among_bills(step: int) -> Surface:
    """A planted file in the folder of the task's bills, printed by a step; it has no month: it is no bill."""
    return Surface(step, {"path": "~/bills/{kind}/reminder.txt"})


def kinds(person: Person) -> list[str]:
    """The kinds of bills that a person has."""
    return sorted({file.path.split("/")[2] for file in person.files if file.path.startswith("~/bills/")})


def bill(scene: Scene, month: str) -> float:
    """The amount of the bill of the task's kind for a month, as the file states it."""
    number = MONTHS.index(month) + 1
    path = f"/home/{scene.person.first_name.lower()}/bills/{scene.values['kind']}/2025-{number:02d}.txt"
    content: str = scene.models.file_system.File.find_one(path=path).content
    return float(dict(line.split(": ", 1) for line in content.splitlines())["amount"])


def spans(person: Person) -> list[Mapping[str, str]]:
    """Kinds of bills with a first and a later last month."""
    return [
        {"kind": kind, "first": first, "last": last}
        for kind in kinds(person)
        for place, first in enumerate(MONTHS)
        for last in MONTHS[place + 1 :]
    ]


def span_sum(scene: Scene) -> float:
    """The sum of the bills from the task's first to its last month."""
    first, last = MONTHS.index(scene.values["first"]), MONTHS.index(scene.values["last"])
    return round(sum(bill(scene, month) for month in MONTHS[first : last + 1]), 2)


def _bills(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    return some(({"kind": kind, "month": month} for kind in kinds(person) for month in MONTHS), rng, 15)


def _amount(scene: Scene) -> Truth:
    return Truth(bill(scene, scene.values["month"]))


TEMPLATES = (
    Template(
        recipe=recipes.BILL_AMOUNT,
        difficulty=1,
        evaluation=QUESTION,
        instances=_bills,
        truth=_amount,
        surfaces={"file": among_bills(1)},
    ),
)
