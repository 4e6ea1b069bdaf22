"""The invented world, before any database: what holds of every seed."""

import dataclasses
from datetime import datetime
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdcourse.appworld.engine.world.generate import world
from holdcourse.appworld.engine.world.people import APPS, COMPANIONS, LARGEST, SMALLEST
from holdcourse.appworld.engine.world.records import Person, World
from holdcourse.errors import HoldcourseError

PLACES = ("mails", "texts", "transactions", "notes", "files", "orders")


@cache
def made(seed: int, count: int) -> World:
    return world(seed, count)


worlds = st.builds(made, st.integers(0, 3), st.sampled_from((SMALLEST, 30, LARGEST)))


def principals(of: World) -> list[Person]:
    return [person for person in of.people if person.split != "companion"]


def texts_in(record: object) -> list[str]:
    """All strings that a record holds, however deep."""
    if isinstance(record, str):
        return [record]
    if dataclasses.is_dataclass(record):
        return [text for name in record.__dataclass_fields__ for text in texts_in(getattr(record, name))]
    if isinstance(record, (tuple, list)):
        return [text for part in record for text in texts_in(part)]
    return []


def test_a_seed_makes_one_world_and_another_seed_another() -> None:
    assert world(7, 30) == world(7, 30)
    assert world(7, 30) != world(8, 30)


def test_the_default_world_has_nine_evaluation_and_thirteen_pool_principals() -> None:
    splits = [person.split for person in made(7, 30).people]
    assert [splits.count(split) for split in ("evaluation", "pool", "companion")] == [9, 13, 8]


@pytest.mark.parametrize("count", [0, SMALLEST - 1, LARGEST + 1])
def test_too_few_and_too_many_people_are_refused_by_number(count: int) -> None:
    with pytest.raises(HoldcourseError, match=f"people={count}: a world has {SMALLEST} to {LARGEST} people"):
        world(7, count)


@settings(deadline=None, max_examples=10)
@given(worlds)
def test_names_addresses_and_numbers_are_told_apart(of: World) -> None:
    for field in ("first_name", "last_name", "email", "phone_number"):
        values = [getattr(person, field) for person in of.people]
        assert len(set(values)) == len(values)
    numbers = [card.number for person in of.people for card in person.cards]
    assert len(set(numbers)) == len(numbers)
    assert all(len(str(number)) == 16 for number in numbers)
    assert all(person.email.endswith("@example.com") for person in of.people)


@settings(deadline=None, max_examples=10)
@given(worlds)
def test_all_dealings_are_with_companions(of: World) -> None:
    companions = {person.email for person in of.people if person.split == "companion"}
    phones = {person.phone_number for person in of.people if person.split == "companion"}
    assert len(companions) == COMPANIONS
    for person in principals(of):
        assert {contact.email for contact in person.contacts} < companions
        for mail in (*person.mails, *person.sent_mails):
            assert {mail.sender, *mail.recipients} - companions == {person.email}
        for text in person.texts:
            assert {text.sender, text.receiver} - phones == {person.phone_number}
        for payment in person.transactions:
            assert {payment.sender, payment.receiver} - companions == {person.email}
        for group in person.groups:
            assert set(group.members) - companions == {person.email}
            assert all(set(expense.sharers) <= set(group.members) for expense in group.expenses)


@settings(deadline=None, max_examples=10)
@given(worlds)
def test_everybody_who_asks_has_something_in_every_app(of: World) -> None:
    for person in principals(of):
        assert set(person.passwords) == set(APPS)
        assert all(getattr(person, place) for place in PLACES)
        for titles in (
            [note.title for note in person.notes],
            [playlist.title for playlist in person.playlists],
            [alarm.label for alarm in person.alarms],
            [group.name for group in person.groups],
            [todo.title for project in person.projects for todo in project.todos],
        ):
            assert titles
            assert len(set(titles)) == len(titles)


@settings(deadline=None, max_examples=10)
@given(worlds)
def test_what_a_task_can_name_holds_no_quotes(of: World) -> None:
    held = texts_in(of.people) + texts_in(of.artists) + texts_in(of.products)
    assert not [text for text in held if "'" in text or '"' in text or "{" in text]


@settings(deadline=None, max_examples=10)
@given(worlds)
def test_equal_shares_are_exact_and_include_payer_and_maker(of: World) -> None:
    for person in principals(of):
        for group in person.groups:
            for expense in group.expenses:
                assert (expense.amount / len(expense.sharers)) % 1 == 0
                assert {expense.payer, person.email} <= set(expense.sharers)
                assert len(expense.sharers) > 1


@settings(deadline=None, max_examples=10)
@given(worlds)
def test_the_past_lies_before_the_tasks(of: World) -> None:
    def moments(record: object) -> list[datetime]:
        if isinstance(record, datetime):
            return [record]
        if dataclasses.is_dataclass(record):
            return [m for name in record.__dataclass_fields__ for m in moments(getattr(record, name))]
        if isinstance(record, tuple):
            return [m for part in record for m in moments(part)]
        return []

    for person in principals(of):
        for place in PLACES:
            assert all(moment < of.now for moment in moments(getattr(person, place)))
