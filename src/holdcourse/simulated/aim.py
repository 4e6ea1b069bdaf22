"""What a lesson changes in a body of units: the decision that planner and holistic rewriter share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from holdcourse.simulated.judgement import adds_detail, same_subject, similarity, states
from holdcourse.simulated.reading import Reading


@dataclass(frozen=True, slots=True)
class Aim:
    """`skip` the lesson, `merge` it into unit number `place`, or `add` it (near that unit, if any)."""

    act: Literal["skip", "merge", "add"]
    place: int | None = None


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
