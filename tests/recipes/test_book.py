"""What every recipe of the book must be, and that none is taken for another."""

from __future__ import annotations

import ast
import builtins
import itertools
import re
from collections import Counter

import pytest
from tests.recipes.samples import VALUES, WRAPPINGS, values_of

from holdcourse.recipes.book import ALL, IRREVERSIBLE, PORTABLE, by_name, operations
from holdcourse.recipes.difficulty import CONDITIONS, FEW_OPERATIONS, difficulty
from holdcourse.recipes.login import ORIENT, login_code
from holdcourse.recipes.recipe import Recipe, asked_in

each_recipe = pytest.mark.parametrize("recipe", ALL, ids=lambda recipe: recipe.name)
LOGIN_STEPS = 2
APPS = {"spotify", "gmail", "venmo", "phone", "simple_note", "todoist", "file_system", "splitwise", "amazon"}


def codes(recipe: Recipe) -> list[str]:
    return [recipe.code(step, values_of(recipe)) for step in range(len(recipe.steps))]


def test_the_book_is_as_large_and_as_varied_as_the_study_needs() -> None:
    assert len(ALL) >= 26
    assert len({recipe.name for recipe in ALL}) == len(ALL)
    assert {app for recipe in ALL for app in recipe.apps} == APPS
    assert sum(recipe.reads_only for recipe in ALL) >= 10
    assert sum(not recipe.reads_only for recipe in ALL) >= 12
    assert min(Counter(recipe.difficulty for recipe in ALL).values()) >= 8


def test_anybody_can_do_enough_of_them_of_each_kind() -> None:
    portable = [by_name(name) for name in PORTABLE]
    assert sum(recipe.reads_only for recipe in portable) >= 8
    assert sum(not recipe.reads_only and recipe.name not in IRREVERSIBLE for recipe in portable) >= 6
    assert sum(recipe.name in IRREVERSIBLE for recipe in portable) >= 5
    assert not any(by_name(name).reads_only for name in IRREVERSIBLE)


def test_portable_ones_name_nothing_of_ones_own() -> None:
    personal = {"friend", "group", "playlist", "project", "title_of_mine"}
    assert not [name for name in PORTABLE if personal & set(by_name(name).fields)]


@each_recipe
def test_there_are_three_wordings_of_the_same_fields(recipe: Recipe) -> None:
    assert len(set(recipe.sentences)) >= 3
    for sentence in recipe.sentences:
        assert set(re.findall(r"\{(\w+)\}", sentence)) == set(recipe.fields)
        assert sentence[-1] in ".?"
        assert sentence.isascii()
        assert not set(sentence) & set("'\"\\\n`")
        # A value may hold a full stop, so none stands where only one ends it.
        assert not re.search(r"\{(amount|email|time)\}[.?]$", sentence)
        assert not re.search(r"\} ?\{", sentence)


@each_recipe
def test_the_steps_are_of_the_right_number_and_end_the_task_once(recipe: Recipe) -> None:
    fewest, most = {1: (3, 4), 2: (4, 5), 3: (5, 6)}[recipe.difficulty]
    assert fewest <= len(recipe.steps) <= most
    assert 5 <= LOGIN_STEPS + len(recipe.steps) <= 10
    assert ["complete_task" in step for step in recipe.steps] == [False] * (len(recipe.steps) - 1) + [True]
    assert ("complete_task(answer=" in recipe.steps[-1]) == recipe.reads_only


@each_recipe
def test_each_reading_step_prints(recipe: Recipe) -> None:
    silent = [step for step in recipe.steps if "print(" not in step]
    assert all(step.startswith("apis.supervisor.complete_task(") for step in silent)


@each_recipe
def test_what_reads_only_calls_only_what_shows_or_searches(recipe: Recipe) -> None:
    writes = [name for name in operations(recipe) if not re.match(r"\w+\.(show|search)_", name)]
    assert bool(writes) != recipe.reads_only


@each_recipe
def test_the_steps_use_the_apps_they_log_in_to(recipe: Recipe) -> None:
    assert {name.split(".")[0] for name in operations(recipe)} == set(recipe.apps)


@each_recipe
def test_essential_steps_are_in_order_and_the_last_is_among_them(recipe: Recipe) -> None:
    assert list(recipe.essential) == sorted(set(recipe.essential))
    assert recipe.essential[-1] == len(recipe.steps) - 1
    assert recipe.essential[0] >= 0


@each_recipe
def test_its_difficulty_follows_from_the_definition(recipe: Recipe) -> None:
    assert recipe.difficulty == difficulty(recipe)


def test_conditions_are_those_of_recipes_and_an_easy_task_has_few_calls() -> None:
    assert set(CONDITIONS) <= {recipe.name for recipe in ALL}
    easy = [recipe for recipe in ALL if recipe.difficulty == 1]
    assert all(len(recipe.apps) == 1 and len(operations(recipe)) <= FEW_OPERATIONS for recipe in easy)
    assert by_name("order_product").difficulty == 2  # one app, no condition, seven kinds of calls


def _names(code: str, kind: type[ast.expr_context]) -> set[str]:
    return {
        node.id
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Name) and isinstance(node.ctx, kind)
    }


def _carried(recipe: Recipe) -> set[str]:
    """Names that a step reads and an earlier step of the recipe has made."""
    given = _names(f"{ORIENT}\n{login_code(recipe.apps)}", ast.Store) | {"apis"} | set(dir(builtins))
    return {
        name for code in codes(recipe) for name in _names(code, ast.Load) - _names(code, ast.Store) - given
    }


@each_recipe
def test_each_name_is_made_before_it_is_read(recipe: Recipe) -> None:
    made: set[str] = set()
    for code in codes(recipe):
        assert (_carried(recipe) & _names(code, ast.Load)) - _names(code, ast.Store) <= made
        made |= _names(code, ast.Store)


def test_no_two_recipes_carry_the_same_name_from_step_to_step() -> None:
    # So that a task that is taken up again after another one was done still finds what it had found.
    for one, other in itertools.combinations(ALL, 2):
        assert not _carried(one) & _carried(other), (one.name, other.name)
        for name in _carried(one):
            assert all(name not in _names(code, ast.Store) for code in codes(other)), (
                one.name,
                other.name,
                name,
            )


@pytest.mark.parametrize("wrapping", WRAPPINGS)
@each_recipe
def test_an_instruction_is_recognised_wherever_it_stands(recipe: Recipe, wrapping: str) -> None:
    values = values_of(recipe)
    for wording in range(len(recipe.sentences)):
        text = WRAPPINGS[wrapping](recipe.sentence(values, wording))
        assert [(asked.recipe.name, dict(asked.values)) for asked in asked_in(text, ALL)] == [
            (recipe.name, values)
        ]


def test_two_instructions_in_one_line_are_told_apart() -> None:
    sentences = [
        (recipe, recipe.sentence(values_of(recipe), wording))
        for recipe in ALL
        for wording in range(len(recipe.sentences))
    ]
    for (one, first), (other, second) in itertools.permutations(sentences, 2):
        if one is other:
            continue
        found = [asked.recipe.name for asked in asked_in(f"{first} {second}", (one, other))]
        assert found == [one.name, other.name], f"{first} {second}"


def test_a_wording_with_its_fields_emptied_is_not_taken_for_an_instruction() -> None:
    for recipe in ALL:
        for sentence in recipe.sentences:
            assert asked_in(re.sub(r"\{\w+\}", "", sentence), ALL) == []


def test_the_samples_have_each_field_and_no_other_is_needed() -> None:
    assert {field for recipe in ALL for field in recipe.fields} <= set(VALUES)
