"""Our templates, without the engine: the values they choose, the plan of tasks, instructions told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from random import Random

import pytest

from holdcourse.appworld.engine.selection import Planned, Sizes, chosen
from holdcourse.appworld.engine.template import Template
from holdcourse.appworld.engine.templates.book import ALL
from holdcourse.appworld.engine.templates.truth import RECORDS, Changes, text
from holdcourse.appworld.engine.templates.values import mixed, nobodys_first, some, thresholds
from holdcourse.appworld.engine.world.generate import world as invented
from holdcourse.appworld.engine.world.records import World
from holdcourse.recipes.book import ALL as RECIPES
from holdcourse.recipes.recipe import asked_in

SEEDS = (7, 11)
PEOPLE = 30
SIZES = Sizes((14, 13, 13), 120)
each_template = pytest.mark.parametrize("template", ALL, ids=lambda template: template.name)
each_seed = pytest.mark.parametrize("seed", SEEDS)


@cache
def world_of(seed: int) -> World:
    return invented(seed, PEOPLE)


@cache
def planned(seed: int) -> tuple[Planned, ...]:
    return tuple(chosen(world_of(seed), ALL, SIZES))


def texts(value: object) -> Iterator[str]:
    """All texts in a world's records."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from texts(item)
    elif isinstance(value, tuple):
        for item in value:
            yield from texts(item)
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from texts(getattr(value, name))


def test_each_recipe_has_one_template_in_the_same_order() -> None:
    assert [template.recipe for template in ALL] == list(RECIPES)
    assert all(template.difficulty == template.recipe.difficulty for template in ALL)


def test_there_are_surfaces_of_many_kinds_and_one_at_least_for_each_template() -> None:
    assert all(template.surfaces for template in ALL)
    assert len({kind for template in ALL for kind in template.surfaces}) >= 5


@each_template
def test_a_surface_is_printed_by_a_step_and_its_options_name_fields(template: Template) -> None:
    recipe = template.recipe
    filling = dict.fromkeys(recipe.fields, "x") | {"text": "planted"}
    for surface in template.surfaces.values():
        assert "print(" in recipe.steps[surface.step]
        for option in surface.options.values():
            option.format(**filling)


@each_seed
@each_template
def test_instances_are_complete_plain_and_the_same_each_time(template: Template, seed: int) -> None:
    world = world_of(seed)
    offered = 0
    for person in (*world.of_split("evaluation"), *world.of_split("pool")):
        instances = template.instances(world, person, Random(1))
        assert list(instances) == list(template.instances(world, person, Random(1)))
        offered += len(instances)
        for values in instances:
            assert set(values) == set(template.recipe.fields)
            for value in values.values():
                assert value == value.strip() != ""
                assert value.isascii()
                assert not set(value) & set("'\"\\\n`")
    assert offered >= 20


@each_seed
def test_the_plan_has_the_numbers_of_the_study(seed: int) -> None:
    tasks = planned(seed)
    evaluation = [task for task in tasks if task.split == "evaluation"]
    pool = [task for task in tasks if task.split == "pool"]
    assert Counter(task.template.difficulty for task in evaluation) == {1: 14, 2: 13, 3: 13}
    assert len(pool) >= 110
    assert {task.template.name for task in pool} == {template.name for template in ALL}
    assert min(Counter(task.template.name for task in pool).values()) >= 2


@each_seed
def test_evaluation_and_pool_share_no_person_no_values_and_no_wording(seed: int) -> None:
    sides = [[task for task in planned(seed) if task.split == split] for split in ("evaluation", "pool")]
    for key in (
        lambda task: task.person.email,
        lambda task: (task.template.name, tuple(sorted(task.values.items()))),
        lambda task: (task.template.name, task.wording),
        lambda task: task.instruction,
    ):
        one, other = ({key(task) for task in side} for side in sides)
        assert not one & other


@each_seed
def test_every_instruction_is_recognised_as_its_task(seed: int) -> None:
    for task in planned(seed):
        for sentence in (
            task.instruction,
            f"Jorunn - Car repair - Dear all. {task.instruction} Yours, Jorunn",
            repr([{"content": f"- oats\n{task.instruction}\n- rice"}]),
        ):
            (asked,) = asked_in(sentence, RECIPES)
            assert (asked.recipe.name, dict(asked.values)) == (task.template.name, dict(task.values))


@each_seed
def test_no_text_of_the_world_is_taken_for_an_instruction(seed: int) -> None:
    everything = list(dict.fromkeys(texts(world_of(seed).people)))
    assert len(everything) > 500
    assert [text for text in everything if asked_in(text, RECIPES)] == []
    assert asked_in(" ".join(everything), RECIPES) == []


def test_thresholds_leave_some_above_and_some_below() -> None:
    amounts = [3.0, 8.5, 8.5, 12.0]
    # 3 to 8 are below three of the four, 9 to 11 below the last alone; none is below all four.
    assert {int(limit) for limit in thresholds(amounts, Random(1), most_above=1)} == {9, 10, 11}
    assert {int(limit) for limit in thresholds(amounts, Random(1), most_above=3)} <= set(range(3, 12))
    assert {int(limit) for limit in thresholds(amounts, Random(1), most_above=3, step=5)} == {5, 10}
    assert thresholds([], Random(1), most_above=3) == []
    assert thresholds([5.0, 5.0], Random(1), most_above=3) == []


def test_mixed_values_are_all_different_and_none_without_choices() -> None:
    found = mixed(Random(1), color=("red", "blue"), size=("s", "m", "l"))
    assert len(found) == len({tuple(values.items()) for values in found}) <= 6
    assert mixed(Random(1), color=(), size=("s",)) == []
    assert sorted(some("abc", Random(1))) == ["a", "b", "c"]


def test_what_nobody_has_is_chosen_first_and_what_one_has_never() -> None:
    found = nobodys_first(("a", "b", "c", "d"), {"a", "b", "d"}, {"b"}, Random(1))
    assert found[0] == "c"
    assert set(found) == {"a", "c", "d"}


def test_the_changes_of_a_deed_name_every_model_with_all_three_kinds() -> None:
    changes = Changes(added={"app.A": [{"name": text(["x"])}]}, removed={"app.B": [3]})
    assert changes.truth.answer is None
    assert changes.truth.private_data["records"] == {
        "app.A": {"added": [{"name": {"holds": ["x"], "lacks": []}}], "updated": [], "removed": []},
        "app.B": {"added": [], "updated": [], "removed": [3]},
    }


@pytest.mark.parametrize(
    ("part", "message", "stands"),
    [
        ("6", "6 new tasks", True),
        ("6", "that makes 6.", True),
        ("6", "16 new tasks", False),
        ("6", "60 new tasks", False),
        ("6", "6.5 tasks", False),
        ("78.4", "78.40 dollars", True),
        ("78.4", "$78.4", True),
        ("78.4", "78.45 dollars", False),
        ("78.4", "178.4 dollars", False),
        ("78", "78.00 dollars", True),
        ("2025-06-20", "on 2025-06-20.", True),
        ("Blue Avenue", "1.Blue Avenue", True),
        ("Blue Avenue", "Blue Station", False),
    ],
)
def test_a_number_stands_in_a_message_only_as_itself(part: str, message: str, stands: bool) -> None:
    # The function is text of the evaluation, which the engine runs.
    names: dict[str, Callable[[str, str], bool]] = {}
    exec(RECORDS.split("def plain")[0], names)
    assert names["stands"](part, message) is stands
