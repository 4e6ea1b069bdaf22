"""An instruction's text cut into units: bullets, numbered steps and paragraph sentences-in-a-line.

Headings and parent bullets are no units; they are kept as the context of the units under them, so
that "If it is on, …" under "Airplane Mode" is understood.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Kind = Literal["bullet", "step", "paragraph"]

MARKER = re.compile(r"^(?P<indent>[ \t]*)(?P<mark>[-*+•]|\d+[.)])(?P<gap>[ \t]+)")
_HEADING = re.compile(r"^[ \t]*(#{1,6})[ \t]+(.*)$")
_TAG_LINE = re.compile(r"^[ \t]*</?[A-Za-z_][\w-]*>[ \t]*$")
_RULE = re.compile(r"^[ \t]*(?:[-*_=][ \t]*){3,}$")
_SENTENCE_END = re.compile(r"[.!?:;)\]\"'*_]\s*$")


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of text: `text` is `source[start:end]`, without its bullet; context is outermost first."""

    text: str
    start: int
    end: int
    kind: Kind
    context: tuple[str, ...]
    line_start: int
    line_end: int

    @property
    def leads_in(self) -> bool:
        """Whether the unit only opens a list."""
        return self.text.rstrip().endswith(":")


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    start: int
    end: int


@lru_cache(maxsize=256)
def units_of(text: str) -> tuple[Unit, ...]:
    """The units of a text, in order.

    `line_start`/`line_end` span the whole lines a unit stands on, line break included, so that a
    unit can be taken out without leaving a trace.
    """
    units: list[Unit] = []
    headings: list[tuple[int, str]] = []
    parents: list[tuple[int, str]] = []
    pending: list[_Line] = []
    for line in _lines(text):
        heading = _HEADING.match(line.text)
        marker = MARKER.match(line.text)
        skipped = not line.text.strip() or _TAG_LINE.match(line.text) or _RULE.match(line.text)
        if pending and (heading or marker or skipped or _SENTENCE_END.search(pending[-1].text)):
            units.append(_unit(text, pending, headings, parents))
            pending = []
        if heading:
            level = len(heading.group(1))
            headings = [known for known in headings if known[0] < level]
            headings.append((level, heading.group(2).strip()))
            parents = []
        elif skipped:
            if line.text.strip():
                headings, parents = [], []
        else:
            if marker:
                depth = len(marker.group("indent"))
                parents = [parent for parent in parents if parent[0] < depth]
            elif not pending and not line.text[:1].isspace():
                parents = []
            pending.append(line)
            if marker or line.text.rstrip().endswith(":"):
                depth = len(marker.group("indent")) if marker else -1
                parents = [*parents, (depth, line.text.strip())]
    if pending:
        units.append(_unit(text, pending, headings, parents))
    return tuple(units)


def _lines(text: str) -> list[_Line]:
    lines: list[_Line] = []
    position = 0
    for raw in text.split("\n"):
        lines.append(_Line(raw, position, position + len(raw)))
        position += len(raw) + 1
    return lines


def _unit(
    text: str, lines: list[_Line], headings: list[tuple[int, str]], parents: list[tuple[int, str]]
) -> Unit:
    first, last = lines[0], lines[-1]
    marker = MARKER.match(first.text)
    start = first.start + (marker.end() if marker else len(first.text) - len(first.text.lstrip()))
    end = last.start + len(last.text.rstrip())
    kind: Kind = "paragraph"
    if marker:
        kind = "step" if marker.group("mark")[0].isdigit() else "bullet"
    own = first.text.strip()
    context = [heading for _, heading in headings] + [parent for _, parent in parents if parent != own]
    line_end = min(last.end + 1, len(text))
    return Unit(text[start:end], start, end, kind, tuple(context), first.start, line_end)


_PROCEDURE = re.compile(r"\bsteps?\b|\bshould\b|\bneed to\b|\bmust\b|\bfollow", re.IGNORECASE)


def in_one_procedure(first: Unit, second: Unit) -> bool:
    """Whether two units are steps of one list, so that alike words do not make one of them superfluous."""
    if first.kind == "paragraph" or second.kind == "paragraph" or first.context != second.context:
        return False
    if first.kind == second.kind == "step":
        return True
    return bool(first.context) and _PROCEDURE.search(first.context[-1]) is not None
