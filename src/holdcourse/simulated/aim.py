"""What lessons change in a body of units: the decisions that planner and holistic rewriter share.

Both work a lesson in alike, ground included; they differ in how they write down what was decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from holdcourse.simulated.coins import Coins
from holdcourse.simulated.judgement import adds_detail, same_subject, sentences, similarity, states
from holdcourse.simulated.observation import Lesson
from holdcourse.simulated.reading import Reading, read


@dataclass(frozen=True, slots=True)
class Passage:
    """A unit's text and the headings it stands under."""

    text: str
    context: tuple[str, ...] = ()

    @property
    def reading(self) -> Reading:
        """What the unit says."""
        return read(self.text, self.context)


@dataclass(frozen=True, slots=True)
class Aim:
    """`skip` the lesson, `merge` it into unit number `place`, or `add` it (near that unit, if any)."""

    act: Literal["skip", "merge", "add"]
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """How a lesson is worked in.

    `ground` is what is to be said of its ground, empty when there is none or when unit number
    `grounded_at` gives it already.
    """

    lesson: Lesson
    aim: Aim
    ground: str
    grounded_at: int | None = None


def changes_for(
    lessons: Iterable[Lesson], units: Sequence[Passage], right: float, coins: Coins
) -> tuple[Change, ...]:
    """The changes that work lessons in, skipped lessons left out.

    A lesson is aimed well with probability `right`. Otherwise nobody looks at what is there: it is
    added, with its ground, near nothing. Merges accumulate: a lesson is held against a unit as the
    lessons before it left it. What they added as units of their own it does not see.
    """
    passages = list(units)
    changes: list[Change] = []
    for lesson in lessons:
        if not coins.comes_true(right, f"aim {lesson.number}"):
            changes.append(Change(lesson, Aim("add"), lesson.because))
            continue
        aim = aim_well(lesson.reading, [passage.reading for passage in passages])
        if aim.act == "skip":
            continue
        known = _giving(lesson.because, passages)
        changes.append(Change(lesson, aim, lesson.because if known is None else "", known))
        if aim.act == "merge" and aim.place is not None:
            passage = passages[aim.place]
            passages[aim.place] = Passage(f"{passage.text} {lesson.text}", passage.context)
    return tuple(changes)


def aim_well(lesson: Reading, units: Sequence[Reading]) -> Aim:
    """The right way to work a lesson in.

    What is said already changes nothing, unless the lesson names a condition or an actor that every
    unit saying it leaves out: then the first of them is merged with the lesson. What is new, and what
    contradicts, is added next to the unit on the same subject that is most like it.
    """
    saying = [place for place, unit in enumerate(units) if states(unit, lesson)]
    if saying:
        if all(adds_detail(lesson, units[place]) for place in saying):
            return Aim("merge", saying[0])
        return Aim("skip")
    related = [place for place, unit in enumerate(units) if same_subject(lesson, unit)]
    if not related:
        return Aim("add")
    return Aim("add", max(related, key=lambda place: (similarity(lesson, units[place]), -place)))


def _giving(ground: str, passages: Sequence[Passage]) -> int | None:
    """The first unit a sentence of which says what a ground says; None when none does."""
    if not ground:
        return None
    said = read(ground)
    for place, passage in enumerate(passages):
        if any(states(read(sentence), said) for sentence in sentences(passage.text)):
            return place
    return None
