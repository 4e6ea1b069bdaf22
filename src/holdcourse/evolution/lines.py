"""Lines, line ends and list markers of an instruction. A line ends at a line feed; CRLF counts as one end."""

from __future__ import annotations

import re

_MARKER = re.compile(r"[ \t>]*(?:(?:[-*+•–]|\d{1,3}[.)])[ \t]+)?")
_LIST_MARKER = re.compile(r"\A(?:[-*+•–]|\d{1,3}[.)])[ \t]+")
_NUMBER = re.compile(r"([ \t>]*)(\d{1,3}[.)][ \t]+)")


def line_start(text: str, position: int) -> int:
    """Where the line begins in which `position` lies."""
    return text.rfind("\n", 0, position) + 1


def line_end(text: str, position: int) -> int:
    """Where the next line begins: just after the line feed, or the end of the text."""
    feed = text.find("\n", position)
    return len(text) if feed < 0 else feed + 1


def content_end(text: str, position: int) -> int:
    """Where the content of the line ends in which `position` lies, before its line end."""
    start, end = line_start(text, position), line_end(text, position)
    for ending in ("\r\n", "\n"):
        if text.endswith(ending, start, end):
            return end - len(ending)
    return end


def line_ending(text: str, position: int) -> str:
    """The line end of the line at `position`; for an unended last line, that of the text."""
    ending = text[content_end(text, position) : line_end(text, position)]
    return ending or ("\r\n" if "\r\n" in text else "\n")


def marker(line: str) -> str:
    """Indentation, quote marks and list marker in front of a line's words."""
    found = _MARKER.match(line)
    return found.group() if found else ""


def marker_below(line: str) -> str:
    """The front of a line that is to stand below `line`, in its style.

    Below a numbered item comes an indented dash, since another number would make the others wrong (ours).
    """
    numbered = _NUMBER.match(line)
    if numbered:
        return numbered[1] + " " * len(numbered[2]) + "- "
    return marker(line)


def indentation(line: str) -> int:
    """Columns of white space in front of a line, a tab counting to the next multiple of four."""
    front = line[: len(line) - len(line.lstrip(" \t"))]
    return len(front.expandtabs(4))


def without_marker(words: str) -> str:
    """Words without white space around and without a list marker in front."""
    return _LIST_MARKER.sub("", words.strip(), count=1).strip()
