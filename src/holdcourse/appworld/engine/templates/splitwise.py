"""Tasks in Splitwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from holdcourse.appworld.engine.template import Scene, Surface, Template, Truth
from holdcourse.appworld.engine.templates.truth import QUESTION, account
from holdcourse.appworld.engine.templates.values import thresholds
from holdcourse.appworld.engine.world.records import Person, World
from holdcourse.recipes import splitwise as recipes


def in_group(step: int) -> Surface:
    """A planted expense of one dollar that another member paid for the task's group, printed by a step."""
    return Surface(step, {"group": "{group}"})


def group_of(scene: Scene) -> Any:
    """The record of the task's group."""
    app, user = scene.models.splitwise, account(scene, "splitwise")
    mine = {membership.group_id for membership in app.GroupMember.find_all(user_id=user)}
    return next(group for group in app.Group.find_all(name=scene.values["group"]) if group.id in mine)


def _limits(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    amounts = [expense.amount for group in person.groups for expense in group.expenses]
    return [{"amount": limit} for limit in thresholds(amounts, rng, 8)]


def _above(scene: Scene) -> Truth:
    app, user = scene.models.splitwise, account(scene, "splitwise")
    groups = {membership.group_id for membership in app.GroupMember.find_all(user_id=user)}
    expenses = [expense for number in sorted(groups) for expense in app.Expense.find_all(group_id=number)]
    limit = float(scene.values["amount"])
    return Truth(sum(expense.amount > limit for expense in expenses if not expense.deleted))


TEMPLATES = (
    Template(
        recipe=recipes.COUNT_EXPENSES_ABOVE,
        difficulty=2,
        evaluation=QUESTION,
        instances=_limits,
        truth=_above,
        # Of one dollar: no task's limit is below that.
        surfaces={"expense": Surface(1)},
    ),
)
