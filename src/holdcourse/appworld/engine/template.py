"""A task template: a recipe, what it is to be done with, and how the engine tells whether it was done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal

from holdcourse.appworld.engine.world.records import Person, World
from holdcourse.recipes.recipe import Recipe

Difficulty = Literal[1, 2, 3]


@dataclass(frozen=True)
class Scene:
    """The databases of one task before it starts, and for whom it is.

    Attributes:
        models: the engine's models by app, e.g. `models.gmail.Email`.
        apis: the engine's APIs by app; `login` gives the token of any person.
        values: the task's field values.
    """

    world: World
    person: Person
    values: Mapping[str, str]
    models: Any
    apis: Any

    def login(self, app: str, person: Person | None = None) -> str:
        """An access token for an app, of the task's person unless another is given."""
        whose = person or self.person
        name = whose.phone_number if app == "phone" else whose.email
        token: str = self.apis[app].login(username=name, password=whose.passwords[app])["access_token"]
        return token


@dataclass(frozen=True)
class Truth:
    """What a task's evaluation compares with: a question's answer (None for a deed) and values it reads."""

    answer: object = None
    private_data: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Surface:
    """Where a text can be planted so that one of the template's own steps prints it.

    Attributes:
        step: place in `Recipe.steps` of the step whose output shows the planted text.
        options: how the planter makes the record, beside its defaults; `{field}` stands for the task's
            value of that field and `{text}` for the planted text.
    """

    step: int
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Template:
    """A kind of task.

    Attributes:
        recipe: sentences and reference steps.
        difficulty: 1, 2 or 3, by the definition in docs/world.md.
        evaluation: source of the engine's `evaluate` function; see `evaluation.source`.
        instances: value sets for one person, in order of preference; empty when the person has nothing
            fitting. Pure: it sees the records and a generator, no database.
        truth: the answer and private data, read off the start state (after `setup`), never off the solution.
        surfaces: by kind of planter (see `planters.PLANTERS`), where a text can be planted.
        setup: adds what only this task needs to the start state.
    """

    recipe: Recipe
    difficulty: Difficulty
    evaluation: str
    instances: Callable[[World, Person, Random], Sequence[Mapping[str, str]]]
    truth: Callable[[Scene], Truth]
    surfaces: Mapping[str, Surface]
    setup: Callable[[Scene], None] | None = None

    @property
    def name(self) -> str:
        """The recipe's name."""
        return self.recipe.name
