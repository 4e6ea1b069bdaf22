"""Which tasks a world has: templates, people and values, chosen before any database is opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from holdcourse.appworld.engine.template import Template
from holdcourse.appworld.engine.world.records import Person, World
from holdcourse.errors import HoldcourseError

TaskSplit = Literal["evaluation", "pool"]


@dataclass(frozen=True)
class Planned:
    """A task to be made.

    Attributes:
        number: place of its template in the book.
        wording: place of its sentence in the recipe.
    """

    task_id: str
    template: Template
    number: int
    split: TaskSplit
    person: Person
    wording: int
    values: Mapping[str, str]

    @property
    def instruction(self) -> str:
        """The sentence that asks for it."""
        return self.template.recipe.sentence(self.values, self.wording)


@dataclass(frozen=True)
class Sizes:
    """How many tasks of each difficulty evaluation has, and how many the pool has in all."""

    evaluation: tuple[int, int, int]
    pool: int


def chosen(world: World, book: Sequence[Template], sizes: Sizes, only: Sequence[str] = ()) -> list[Planned]:
    """Choose tasks, spread evenly over templates and people.

    No (template, values) occurs twice. Evaluation tasks use one wording of a template, pool tasks the others.

    Args:
        world: the people and what they have.
        book: all templates; a template's place decides the ids of its tasks.
        sizes: how many tasks.
        only: names of the templates to be used; all if empty.

    Raises:
        HoldcourseError: a template is unknown, or they offer too few values.
    """
    unknown = sorted(set(only) - {template.name for template in book})
    if unknown:
        raise HoldcourseError(f"no task template is named {', '.join(unknown)}; see holdcourse.recipes.book")
    used = [entry for entry in enumerate(book) if not only or entry[1].name in only]
    choice = _Choice(world)
    for difficulty, wanted in enumerate(sizes.evaluation, start=1):
        templates = [entry for entry in used if entry[1].difficulty == difficulty]
        choice.spread(templates, "evaluation", wanted, f"difficulty {difficulty}")
    choice.spread(used, "pool", sizes.pool, "any difficulty")
    return sorted(choice.planned, key=lambda planned: (planned.split, planned.task_id))


class _Choice:
    """Tasks chosen so far."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._used: set[tuple[str, tuple[tuple[str, str], ...]]] = set()
        self._load: Counter[str] = Counter()
        self._scenarios: Counter[str] = Counter()
        self._instances: dict[tuple[str, str], list[Mapping[str, str]]] = {}
        self.planned: list[Planned] = []

    def spread(
        self, templates: Sequence[tuple[int, Template]], split: TaskSplit, wanted: int, what: str
    ) -> None:
        """Take a task of each template in turn until there are enough."""
        made, round_number, left = 0, 0, list(templates)
        while made < wanted:
            if not left:
                raise HoldcourseError(
                    f"the task templates give {made} {split} tasks of {what}, and {wanted} are wanted; "
                    "add people or templates, or ask for fewer"
                )
            for entry in list(left):
                if made == wanted:
                    return
                if self._take(*entry, split, round_number):
                    made += 1
                else:
                    left.remove(entry)
            round_number += 1

    def _take(self, number: int, template: Template, split: TaskSplit, round_number: int) -> bool:
        people = self._world.of_split(split)
        for person in sorted(people, key=lambda person: (self._load[person.email], people.index(person))):
            for values in self._offered(template, person):
                key = (template.name, tuple(sorted(values.items())))
                if key in self._used:
                    continue
                self._used.add(key)
                self._load[person.email] += 1
                wording = _wording(number, len(template.recipe.sentences), split, round_number)
                scenario = f"hc{number:02d}{split[0]}{wording:02d}"
                self._scenarios[scenario] += 1
                task_id = f"{scenario}_{self._scenarios[scenario]}"
                self.planned.append(Planned(task_id, template, number, split, person, wording, dict(values)))
                return True
        return False

    def _offered(self, template: Template, person: Person) -> list[Mapping[str, str]]:
        key = (template.name, person.email)
        if key not in self._instances:
            rng = Random(f"{self._world.seed}:instances:{template.name}:{person.email}")  # noqa: S311
            self._instances[key] = list(template.instances(self._world, person, rng))
        return self._instances[key]


def _wording(number: int, wordings: int, split: TaskSplit, round_number: int) -> int:
    """Evaluation keeps one wording, another with each template; the pool goes round the rest."""
    kept = number % wordings
    if split == "evaluation" or wordings == 1:
        return kept
    return (kept + 1 + round_number % (wordings - 1)) % wordings
