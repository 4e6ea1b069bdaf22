"""Reflection: one call turns a batch's failure digests into the observation o_t."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from holdcourse.evolution.asking import Asker, RoleUsage, ask_role, usage_record
from holdcourse.evolution.observation import Lesson, Observation, lesson_of
from holdcourse.evolution.shapes import ReflectorReply
from holdcourse.llm.replies import Unparsed


@dataclass(frozen=True)
class Reflection:
    """The observation and how it came about; `unparsed` is why there is none."""

    observation: Observation
    failures: int
    unparsed: str | None
    notes: tuple[str, ...]
    usage: tuple[RoleUsage, ...]

    def to_record(self) -> dict[str, JsonValue]:
        """The value of observation.json."""
        return self.observation.to_record() | {
            "failures": self.failures,
            "unparsed": self.unparsed,
            "notes": list(self.notes),
            "usage": usage_record(self.usage),
        }


def reflect(failures: Sequence[Mapping[str, JsonValue]], ask: Asker) -> Reflection:
    """Learn from failures; without any, the observation is empty and nobody is asked.

    Args:
        failures: failure digests, plain JSON objects.
        ask: whom and how.
    """
    if not failures:
        return Reflection(Observation(), 0, None, (), ())
    digests: list[JsonValue] = [dict(failure) for failure in failures]
    answer, usage = ask_role(ask, "reflector", {"failures": digests}, ReflectorReply)
    if isinstance(answer, Unparsed):
        return Reflection(Observation(), len(failures), answer.reason, (), (usage,))
    lessons: list[Lesson] = []
    notes: list[str] = []
    for number, shape in enumerate(answer.value.lessons, start=1):
        lesson = lesson_of(shape)
        if not lesson.lesson:
            notes.append(f"lesson {number} dropped: it is empty")
            continue
        known = tuple(failure for failure in lesson.failures if 1 <= failure <= len(failures))
        if known != lesson.failures:
            notes.append(f"lesson {number}: it names failures beyond the {len(failures)} given")
        lessons.append(replace(lesson, failures=known))
    return Reflection(Observation(tuple(lessons)), len(failures), None, tuple(notes), (usage,))
