"""How templates choose the values of their tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from random import Random
from typing import TypeVar

T = TypeVar("T")

ENOUGH = 8
"""So many value sets a person are enough for any world we build."""

MEMOS = (
    "museum tickets", "taxi share", "birthday cake", "parking", "train snacks", "coffee beans",
    "garden soil", "picnic food", "poster frame", "bike pump", "book club fee", "ferry fare",
    "soup lunch", "climbing hall",
)  # fmt: skip
SUBJECTS = (
    "Saturday plan", "A small update", "For the record", "News from me", "Next steps",
    "The list you wanted", "Before I forget", "Numbers for you", "About the weekend", "Short summary",
    "As promised", "Ideas for July",
)  # fmt: skip
MESSAGES = (
    "I will be ten minutes late", "the keys are under the mat", "dinner is at seven",
    "bring the blue folder", "the train leaves at noon", "I found your umbrella",
    "we meet at the north gate", "the parcel has arrived", "practice is off this week",
    "please save me a seat", "the door code has changed", "lunch is on me tomorrow",
)  # fmt: skip
NOTE_TITLES = (
    "Repair log", "Tea tasting", "Bird sightings", "Paint colors", "Sourdough timing", "Summer reading",
    "Museum hours", "Spare parts", "Stretch routine", "Balcony plants", "Card game rules",
    "Old bookmarks",
)  # fmt: skip
TASKS = (
    "Oil the hinges", "Sort the receipts", "Wash the curtains", "Sharpen the knives", "Label the boxes",
    "Back up the photos", "Water the ferns", "Return the ladder", "Descale the kettle",
    "Air the blankets", "Mend the rucksack", "Polish the boots",
)  # fmt: skip
ALARM_LABELS = (
    "Bread out", "Call home", "Feed the cat", "Leave for class", "Stretch break", "Tea is ready",
    "Laundry done", "Vitamins", "Sunset walk", "Radio show", "Bins out", "Language practice",
)  # fmt: skip
MONTHS = ("January", "February", "March", "April", "May")
"""Those for which everybody has bills."""


def some(choices: Iterable[T], rng: Random, most: int = ENOUGH) -> list[T]:
    """Some of the choices, in a random order."""
    pool = list(choices)
    return rng.sample(pool, min(most, len(pool)))


def nobodys_first(
    choices: Sequence[str], anybodys: Set[str], own: Set[str], rng: Random, most: int = ENOUGH
) -> list[str]:
    """Some choices that a person does not have; first those that nobody has."""
    shuffled = some((choice for choice in choices if choice not in own), rng, len(choices))
    return sorted(shuffled, key=lambda choice: choice in anybodys)[:most]


def mixed(rng: Random, most: int = ENOUGH, **choices: Sequence[str]) -> list[Mapping[str, str]]:
    """Value sets with each field's value taken at random from its choices; none twice."""
    if not all(choices.values()):
        return []
    found = {tuple(rng.choice(options) for options in choices.values()) for _ in range(3 * most)}
    return [dict(zip(choices, values, strict=True)) for values in some(sorted(found), rng, most)]


def thresholds(numbers: Iterable[float], rng: Random, most_above: int, step: int = 1) -> list[str]:
    """Whole numbers, multiples of `step`, that at least one and at most `most_above` of the numbers exceed.

    Not all of the numbers exceed them.
    """
    known = sorted(numbers)
    if not known:
        return []
    found = [
        limit
        for limit in range(step, int(known[-1]) + 1, step)
        if 1 <= sum(number > limit for number in known) <= min(most_above, len(known) - 1)
    ]
    return [str(limit) for limit in some(found, rng)]
