"""The diagnostic observation o_t: what a batch's failures teach (GRACE §2.2)."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from holdcourse.config.schema import NodeType
from holdcourse.errors import HoldcourseError
from holdcourse.evolution.shapes import LessonShape
from holdcourse.llm.problems import in_words


class ObservationError(HoldcourseError):
    """A stored observation cannot be used."""


@dataclass(frozen=True)
class Lesson:
    """One thing to learn: a rule of conduct (norm) or a fact (knowledge), and what it rests on.

    `failures` are 1-based numbers of the failure digests it was drawn from.
    """

    lesson: str
    type: NodeType
    because: str
    intents: tuple[str, ...]
    failures: tuple[int, ...]

    def to_record(self) -> dict[str, JsonValue]:
        """The lesson as JSON."""
        return {
            "lesson": self.lesson,
            "type": self.type,
            "because": self.because,
            "intents": list(self.intents),
            "failures": list(self.failures),
        }


class _StoredObservation(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    lessons: list[LessonShape]


@dataclass(frozen=True)
class Observation:
    """The lessons of one batch, in the reflector's order."""

    lessons: tuple[Lesson, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to learn, and so nothing to change."""
        return not self.lessons

    def to_record(self) -> dict[str, JsonValue]:
        """The observation as JSON, as planner and holistic role see it."""
        return {"lessons": [lesson.to_record() for lesson in self.lessons]}

    @classmethod
    def from_record(cls, value: object) -> Observation:
        """Read the value of observation.json; keys beside `lessons` are ignored.

        Raises:
            ObservationError: a wrong shape.
        """
        try:
            stored = _StoredObservation.model_validate(value)
        except ValidationError as error:
            raise ObservationError(
                f"observation: {in_words(error)}; remove the observation and rerun its batch"
            ) from None
        return cls(tuple(lesson_of(shape) for shape in stored.lessons))


def lesson_of(shape: LessonShape) -> Lesson:
    """The lesson in a checked reply."""
    return Lesson(
        shape.lesson.strip(),
        shape.type,
        shape.because.strip(),
        tuple(shape.intents),
        tuple(shape.failures),
    )
