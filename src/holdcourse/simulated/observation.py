"""The `<observation>` block: the lessons that planner and holistic rewriter are to work in."""

from __future__ import annotations

from dataclasses import dataclass

from holdcourse.llm.chat import ChatRequest
from holdcourse.simulated.blocks import object_block, objects, text_of
from holdcourse.simulated.reading import Reading, read


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson of the reflector, with its number in the observation."""

    number: int
    text: str
    type: str
    because: str

    @property
    def reading(self) -> Reading:
        """What the lesson says."""
        return read(self.text)


def lessons_of(request: ChatRequest) -> tuple[Lesson, ...]:
    """The lessons of a request, those without words left out.

    Raises:
        MalformedRequestError: the block is missing or malformed.
    """
    rows = objects(object_block(request, "observation").get("lessons", []), "the lessons of <observation>")
    lessons = (
        Lesson(n, text_of(r, "lesson").strip(), text_of(r, "type") or "norm", text_of(r, "because").strip())
        for n, r in enumerate(rows, start=1)
    )
    return tuple(lesson for lesson in lessons if lesson.text)
