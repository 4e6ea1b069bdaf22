"""The shape of each role's reply. Keys not named here are ignored; values are not coerced."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, JsonValue


class _Shape(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty")
    return text


WholeText = Annotated[str, AfterValidator(_not_blank)]
"""A whole instruction; one without text is no answer."""


class UnitShape(_Shape):
    """A unit that the extractor found; the type is checked later, so that one bad unit costs only itself."""

    id: str
    type: str
    quote: str


class RelationShape(_Shape):
    """A relation between two units of one section."""

    source: str
    relation: str
    target: str


class ExtractorReply(_Shape):
    """What a section of the instruction holds."""

    units: list[UnitShape]
    relations: list[RelationShape] = []


class LessonShape(_Shape):
    """One lesson of the reflector."""

    lesson: str
    type: Literal["norm", "knowledge"]
    because: str = ""
    intents: list[str] = []
    failures: list[int] = []


class ReflectorReply(_Shape):
    """What the failures of a batch teach."""

    lessons: list[LessonShape]


class EditsReply(_Shape):
    """Typed edits; each is read on its own (`edits.parse_edits`)."""

    edits: list[JsonValue]


class IssueShape(_Shape):
    """A contradiction or redundancy with its repairs."""

    kind: Literal["contradiction", "redundancy"]
    nodes: list[str]
    why: str = ""
    repairs: list[JsonValue]


class AnalystReply(_Shape):
    """The issues of one neighbourhood."""

    issues: list[IssueShape]


class WordingShape(_Shape):
    """New words for one unit."""

    id: str
    text: str


class ReconstructorReply(_Shape):
    """New words for the changed units."""

    wordings: list[WordingShape]


class HolisticReply(_Shape):
    """A whole new instruction."""

    instruction: WholeText


class FindingShape(_Shape):
    """An issue that the guard saw in the whole text."""

    kind: Literal["contradiction", "redundancy"]
    first: str
    second: str
    why: str = ""


class GuardReply(_Shape):
    """The guard's findings and the mended text."""

    findings: list[FindingShape]
    instruction: WholeText
