"""Which tasks a world has: enough of each difficulty, and nothing in both splits."""

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest

from holdcourse.appworld.engine.evaluation import source
from holdcourse.appworld.engine.selection import Planned, Sizes, chosen
from holdcourse.appworld.engine.template import Template, Truth
from holdcourse.appworld.engine.world.generate import world
from holdcourse.appworld.engine.world.records import Person, World
from holdcourse.errors import HoldcourseError
from holdcourse.recipes.recipe import Recipe

WORLD = world(7, 14)


def template(name: str, difficulty: Any, offers: int = 6, sentences: int = 3) -> Template:
    """A template that offers numbers: the same ones to everybody."""
    recipe = Recipe(
        name=name,
        apps=("spotify",),
        sentences=tuple(f"Wording {place} of {name} with {{number}}." for place in range(sentences)),
        steps=("print({number})", "apis.supervisor.complete_task()"),
        essential=(0, 1),
        reads_only=False,
        difficulty=difficulty,
    )

    def instances(of: World, person: Person, rng: Random) -> Sequence[Mapping[str, str]]:
        return [{"number": str(number)} for number in range(offers)]

    return Template(recipe, difficulty, source(()), instances, lambda scene: Truth(), {})


BOOK = (template("easy", 1), template("fair", 2), template("hard", 3), template("other", 1))


def tasks(sizes: Sizes, book: Sequence[Template] = BOOK, only: Sequence[str] = ()) -> list[Planned]:
    return chosen(WORLD, book, sizes, only)


def test_each_difficulty_has_the_evaluation_tasks_asked_for() -> None:
    planned = tasks(Sizes((3, 2, 1), 8))
    levels = [one.template.difficulty for one in planned if one.split == "evaluation"]
    assert sorted(levels) == [1, 1, 1, 2, 2, 3]
    assert sum(one.split == "pool" for one in planned) == 8


def test_tasks_are_spread_over_templates_and_people() -> None:
    pool = [one for one in tasks(Sizes((1, 1, 1), 8)) if one.split == "pool"]
    assert sorted(one.template.name for one in pool) == sorted(2 * ["easy", "fair", "hard", "other"])
    load = [sum(one.person is person for one in pool) for person in WORLD.of_split("pool")]
    assert max(load) - min(load) <= 1


def test_the_splits_share_no_values_no_person_and_no_wording() -> None:
    planned = tasks(Sizes((4, 2, 2), 12))
    keys = [(one.template.name, tuple(one.values.items())) for one in planned]
    assert len(set(keys)) == len(keys)
    by_split = {split: [one for one in planned if one.split == split] for split in ("evaluation", "pool")}
    people = [{one.person.email for one in rows} for rows in by_split.values()]
    assert not people[0] & people[1]
    wordings = [{(one.template.name, one.wording) for one in rows} for rows in by_split.values()]
    assert not wordings[0] & wordings[1]


def test_a_scenario_is_a_template_a_split_and_a_wording() -> None:
    planned = tasks(Sizes((4, 2, 2), 12))
    assert all(re.fullmatch(r"hc\d\d[ep]\d\d_\d+", one.task_id) for one in planned)
    assert len({one.task_id for one in planned}) == len(planned)
    scenarios = {(one.task_id.split("_")[0], one.template.name, one.split, one.wording) for one in planned}
    assert len({scenario[0] for scenario in scenarios}) == len(scenarios)


def test_ids_do_not_depend_on_which_templates_are_used() -> None:
    alone = tasks(Sizes((0, 0, 0), 1), only=["hard"])
    assert [one.task_id for one in alone] == ["hc02p00_1"]


def test_the_instruction_is_the_chosen_wording_filled_in() -> None:
    one = tasks(Sizes((1, 0, 0), 0))[0]
    assert one.instruction == f"Wording {one.wording} of easy with {one.values['number']}."


def test_too_few_values_are_told_with_how_many_there_were() -> None:
    book = (template("easy", 1, offers=2), template("fair", 2), template("hard", 3))
    with pytest.raises(HoldcourseError, match="give 2 evaluation tasks of difficulty 1, and 3 are wanted"):
        tasks(Sizes((3, 0, 0), 0), book)


def test_an_unknown_template_is_named() -> None:
    with pytest.raises(HoldcourseError, match="no task template is named ease"):
        tasks(Sizes((0, 0, 0), 1), only=["easy", "ease"])
