"""Cutting a long instruction into sections, so that reading it in takes requests of bounded length."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

_HEADING = re.compile(r"^#{1,6}[ \t]", re.MULTILINE)
_PARAGRAPH = re.compile(r"(?<=\n)[ \t]*\r?\n(?=[ \t]*\S)")
_LINE = re.compile(r"\n")


def sections(text: str, limit: int) -> list[tuple[int, int]]:
    """Half-open ranges that cover the text in order, none longer than `limit` characters.

    Cut where the text itself pauses: before headings if that is enough, else between paragraphs,
    else between lines, and inside a line only when it is longer than the limit. Neighbouring pieces
    are joined while they fit.
    """
    return _pack(_cut(text, 0, len(text), limit, [_headings, _paragraphs, _lines]), limit)


def _cut(
    text: str, start: int, end: int, limit: int, ways: list[Callable[[str], list[int]]]
) -> list[tuple[int, int]]:
    if end - start <= limit:
        return [(start, end)] if start < end else []
    if not ways:
        return [(here, min(here + limit, end)) for here in range(start, end, limit)]
    cuts = [start, *(start + cut for cut in ways[0](text[start:end])), end]
    pieces: list[tuple[int, int]] = []
    for left, right in pairwise(cuts):
        pieces.extend(_pack(_cut(text, left, right, limit, ways[1:]), limit))
    return pieces


def _headings(text: str) -> list[int]:
    return [match.start() for match in _HEADING.finditer(text)]


def _paragraphs(text: str) -> list[int]:
    return [match.end() for match in _PARAGRAPH.finditer(text)]


def _lines(text: str) -> list[int]:
    return [match.end() for match in _LINE.finditer(text)]


def _pack(pieces: list[tuple[int, int]], limit: int) -> list[tuple[int, int]]:
    packed: list[tuple[int, int]] = []
    for start, end in pieces:
        if packed and end - packed[-1][0] <= limit:
            packed[-1] = (packed[-1][0], end)
        else:
            packed.append((start, end))
    return packed
