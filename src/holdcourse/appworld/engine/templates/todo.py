"""Tasks in Todoist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from random import Random
from typing import Any

from holdcourse.appworld.engine.template import Scene, Surface, Template, Truth
from holdcourse.appworld.engine.templates.truth import QUESTION, Changes, account, deed
from holdcourse.appworld.engine.templates.values import TASKS, mixed, some
from holdcourse.appworld.engine.world.records import Person, Todo, World
from holdcourse.recipes import todo as recipes

_FAR = "2026-01-15"
"""Due date of a planted to-do: later than any that a task asks about."""


def in_project(step: int) -> Surface:
    """A planted to-do of the task's project, due long after everything else, printed by a step."""
    return Surface(step, {"project": "{project}", "due": _FAR})


def project_of(scene: Scene) -> int:
    """The id of the task's project."""
    user = account(scene, "todoist")
    number: int = scene.models.todoist.Project.find_one(user_id=user, name=scene.values["project"]).id
    return number


def _days(world: World) -> list[str]:
    return [(world.now + timedelta(days=ahead)).date().isoformat() for ahead in range(-10, 40)]


def _due_before(todos: Sequence[Todo], date: str) -> int:
    return sum(
        not todo.done and todo.due is not None and todo.due.date().isoformat() < date for todo in todos
    )


def _new_todos(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    projects = [project.name for project in person.projects]
    return mixed(rng, task=TASKS, project=projects, date=_days(world)[12:])


def _todo_added(scene: Scene) -> Truth:
    todo = {
        "project_id": project_of(scene),
        "user_id": account(scene, "todoist"),
        "title": scene.values["task"],
        "due_date": f"{scene.values['date']}T00:00",
        "is_completed": False,
    }
    return Changes(added={"todoist.Task": [todo]}).truth


def _dates_to_count(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    todos = [todo for project in person.projects for todo in project.todos]
    return some(({"date": date} for date in _days(world) if 1 <= _due_before(todos, date) <= 6), rng)


def _due_count(scene: Scene) -> Truth:
    app = scene.models.todoist
    projects = app.Project.find_all(user_id=account(scene, "todoist"))
    todos = [todo for project in projects for todo in app.Task.find_all(project_id=project.id)]
    return Truth(len(_open_before(todos, scene.values["date"])))


def _open_before(todos: Sequence[Any], date: str) -> list[int]:
    """Ids of the engine's open to-dos that are due before a date."""
    return [
        todo.id
        for todo in todos
        if not todo.is_completed and todo.due_date and todo.due_date.strftime("%Y-%m-%d") < date
    ]


def _projects_to_finish(world: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
    return some(
        (
            {"project": project.name, "date": date}
            for project in person.projects
            for date in _days(world)
            if 1 <= _due_before(project.todos, date) < len(project.todos)
        ),
        rng,
    )


def _todos_finished(scene: Scene) -> Truth:
    todos = scene.models.todoist.Task.find_all(project_id=project_of(scene))
    finished = [{"id": number, "is_completed": True} for number in _open_before(todos, scene.values["date"])]
    return Changes(updated={"todoist.Task": finished}).truth


TEMPLATES = (
    Template(
        recipe=recipes.ADD_TODO,
        difficulty=1,
        evaluation=deed("todoist.Task"),
        instances=_new_todos,
        truth=_todo_added,
        surfaces={"todo": in_project(1)},
    ),
    Template(
        recipe=recipes.COUNT_DUE_TODOS,
        difficulty=2,
        evaluation=QUESTION,
        instances=_dates_to_count,
        truth=_due_count,
        surfaces={"todo": Surface(1, {"due": _FAR})},
    ),
    Template(
        recipe=recipes.FINISH_TODOS,
        difficulty=2,
        evaluation=deed("todoist.Task"),
        instances=_projects_to_finish,
        truth=_todos_finished,
        surfaces={"todo": in_project(1)},
    ),
)
