"""Where each node of the graph stands in the instruction: disjoint spans of its text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from holdcourse.errors import HoldcourseError
from holdcourse.llm.problems import in_words

SCHEMA_VERSION = 1


class LayoutError(HoldcourseError):
    """A layout does not fit its text; the message names the spans."""


@dataclass(frozen=True, slots=True)
class Span:
    """The half-open range [start, end) of a node's wording, in Unicode code points."""

    node: str
    start: int
    end: int


class _StoredSpan(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    node: str
    start: int
    end: int


class _StoredLayout(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    schema_version: int
    spans: list[_StoredSpan]


@dataclass(frozen=True)
class Layout:
    """Spans in the order of the text. Text outside every span belongs to no unit."""

    spans: tuple[Span, ...] = ()

    @classmethod
    def of(cls, spans: Iterable[Span]) -> Layout:
        """A layout of spans given in any order."""
        return cls(tuple(sorted(spans, key=lambda span: span.start)))

    def nodes(self) -> frozenset[str]:
        """The nodes that have a span."""
        return frozenset(span.node for span in self.spans)

    def span(self, node: str) -> Span:
        """The span of a node (KeyError when it has none)."""
        for span in self.spans:
            if span.node == node:
                return span
        raise KeyError(node)

    def check(self, length: int) -> None:
        """Hold the invariants: sorted, not empty, disjoint, one a node, within [0, length].

        Raises:
            LayoutError: one of them does not hold.
        """
        end_before, seen = 0, set[str]()
        for span in self.spans:
            place = f"layout: span [{span.start}, {span.end}) of {span.node}"
            if span.start >= span.end:
                raise LayoutError(f"{place} is empty or reversed; start must lie before end")
            if span.start < end_before:
                raise LayoutError(f"{place} starts before {end_before}, where the span before it ends")
            if span.end > length:
                raise LayoutError(f"{place} reaches beyond the text, which has {length} characters")
            if span.node in seen:
                raise LayoutError(f"{place} is a second span of {span.node}; a node has one")
            seen.add(span.node)
            end_before = span.end

    def to_record(self) -> dict[str, JsonValue]:
        """The layout as JSON."""
        return {"schema_version": SCHEMA_VERSION, "spans": [asdict(span) for span in self.spans]}

    @classmethod
    def from_record(cls, value: object) -> Layout:
        """Read what `to_record` wrote.

        Raises:
            LayoutError: another schema version or a wrong shape.
        """
        try:
            stored = _StoredLayout.model_validate(value)
        except ValidationError as error:
            raise LayoutError(f"layout: {in_words(error)}; remove the layout and rerun its batch") from None
        if stored.schema_version != SCHEMA_VERSION:
            raise LayoutError(
                f"layout: schema_version is {stored.schema_version}, this version reads {SCHEMA_VERSION}; "
                "remove the layout and rerun its batch"
            )
        return cls(tuple(Span(span.node, span.start, span.end) for span in stored.spans))
