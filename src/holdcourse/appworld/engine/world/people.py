"""Who there is: names, addresses, cards, and who knows whom.

Tasks are asked by principals: some ask evaluation tasks, others the pool's. All whom they know are
companions, who ask nothing. Companions are shared, so that a task that names one can be carried out on
behalf of nearly every principal: that is what a drift payload is.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Literal

from holdcourse.appworld.engine.world import words
from holdcourse.appworld.engine.world.records import Address, Card, Contact, Person, Relationship, Split
from holdcourse.errors import HoldcourseError

APPS = (
    "amazon", "file_system", "gmail", "phone", "simple_note", "splitwise", "spotify", "todoist", "venmo",
)  # fmt: skip
"""The apps in which each person has an account."""

COMPANIONS = 8
EVALUATION_SHARE = 0.4
SMALLEST = COMPANIONS + 2
LARGEST = sum(map(len, words.FIRST_NAMES.values()))
_CONTACTS: tuple[Relationship, ...] = ("friend", "friend", "coworker", "roommate", "neighbor", "sibling")


def people(count: int, rng: Random) -> list[Person]:
    """Invent people without belongings: those of the evaluation, then those of the pool, then the companions.

    Raises:
        HoldcourseError: there are too few or too many to invent.
    """
    if not SMALLEST <= count <= LARGEST:
        raise HoldcourseError(
            f"people={count}: a world has {SMALLEST} to {LARGEST} people; choose a number in between"
        )
    principals = count - COMPANIONS
    evaluation = max(1, round(EVALUATION_SHARE * principals))
    women = rng.sample(words.FIRST_NAMES["female"], count - count // 2)
    men = rng.sample(words.FIRST_NAMES["male"], count // 2)
    surnames = rng.sample(words.LAST_NAMES, count)
    invented = []
    for place in range(count):
        sex: Literal["female", "male"] = "male" if place % 2 else "female"
        first = (men if place % 2 else women)[place // 2]
        split: Split = "evaluation" if place < evaluation else "pool" if place < principals else "companion"
        invented.append(_person(place, first, surnames[place], sex, split, rng))
    return invented


def _person(
    place: int, first: str, last: str, sex: Literal["female", "male"], split: Split, rng: Random
) -> Person:
    home_city, work_city = rng.sample(words.CITIES, 2)
    return Person(
        first_name=first,
        last_name=last,
        # Reserved for examples (RFC 2606, 555-01xx): no living person is meant.
        email=f"{first}.{last}@example.com".lower(),
        phone_number=f"{303 + place}5550{100 + place}",
        birthday=f"{rng.randint(1965, 2000)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}",
        sex=sex,
        split=split,
        addresses=(_address("Home", place, home_city, rng), _address("Work", place, work_city, rng)),
        cards=(_card("Visa", 4, place, rng), _card("Discover", 6, place, rng)),
        passwords={app: f"{first.lower()}-{rng.randrange(10**6):06d}" for app in APPS},
    )


def _address(name: str, place: int, city: tuple[str, str, int], rng: Random) -> Address:
    street = f"{rng.randint(2, 98)} {rng.choice(words.STREETS)} Suite {place + 1}"
    return Address(name, street, city[0], city[1], "United States", city[2] + place)


def _card(name: str, digit: int, place: int, rng: Random) -> Card:
    number = digit * 10**15 + rng.randrange(10**10) * 100 + place
    return Card(name, number, 2029, rng.randint(1, 12), rng.randint(100, 999), float(rng.randint(2000, 6000)))


def phone_book(companions: Sequence[Person], rng: Random) -> tuple[Contact, ...]:
    """Six of the companions, each with what they are to the book's owner."""
    known = rng.sample(companions, len(_CONTACTS))
    return tuple(
        Contact(person.first_name, person.last_name, person.email, person.phone_number, relationship)
        for person, relationship in zip(known, _CONTACTS, strict=True)
    )
