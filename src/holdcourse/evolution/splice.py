"""Cutting words out of a text and setting words in, everything else byte for byte as it was."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from holdcourse.evolution.layout import Layout, Span
from holdcourse.evolution.lines import content_end, line_end, line_ending, line_start
from holdcourse.evolution.placement import Placement

_NUMBER_MARKER = re.compile(r"[ \t>]*\d{1,3}[.)][ \t]*")
_WORD = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class _Change:
    """The old range [start, end) becomes `text`.

    The new span of `node` is `text` less its first `front` and its last `back` characters.
    """

    start: int
    end: int
    text: str = ""
    node: str | None = None
    front: int = 0
    back: int = 0


def splice(
    text: str,
    layout: Layout,
    removed: Collection[str],
    reworded: Mapping[str, str],
    added: Sequence[tuple[Placement, str]],
) -> tuple[str, Layout]:
    """Make the changed text and its layout.

    Args:
        text: the old text.
        layout: its spans.
        removed: nodes whose words go, with their line when nothing else stands on it.
        reworded: node to new words, which take the place of the old ones.
        added: placements, in order, and the words of each.

    Returns:
        The new text; a span for every node that was not removed.
    """
    gone = [span for span in layout.spans if span.node in removed]
    kept = [span for span in layout.spans if span.node not in removed]
    changes = [_set_in(text, placement, words) for placement, words in added]
    changes += [_Change(start, end) for start, end in _cuts(text, gone, kept)]
    changes += [
        _Change(span.start, span.end, reworded[span.node], span.node)
        for span in kept
        if span.node in reworded
    ]
    # An insertion at the start of a changed range stands before it.
    changes.sort(key=lambda change: (change.start, change.end > change.start))
    untouched = [span for span in kept if span.node not in reworded]
    return _assemble(text, changes, untouched)


def _assemble(text: str, changes: Sequence[_Change], untouched: Sequence[Span]) -> tuple[str, Layout]:
    pieces: list[str] = []
    spans: list[Span] = []
    done, length, waiting = 0, 0, list(untouched)
    for change in [*changes, _Change(len(text), len(text))]:
        while waiting and waiting[0].end <= change.start:
            span, shift = waiting.pop(0), length - done
            spans.append(Span(span.node, span.start + shift, span.end + shift))
        pieces += [text[done : change.start], change.text]
        length += change.start - done
        if change.node is not None:
            spans.append(Span(change.node, length + change.front, length + len(change.text) - change.back))
        length += len(change.text)
        done = change.end
    return "".join(pieces), Layout.of(spans)


def _set_in(text: str, placement: Placement, words: str) -> _Change:
    position = placement.position
    ending = line_ending(text, max(0, position - 1))
    at_line_start = position == 0 or text[position - 1] == "\n"
    before = placement.front if at_line_start else ending + placement.front
    after = ending if at_line_start else ""
    return _Change(position, position, before + words + after, placement.node, len(before), len(after))


def _cuts(text: str, gone: Sequence[Span], kept: Sequence[Span]) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    for span in gone:
        gap = (ranges[-1][1], span.start) if ranges else (0, 0)
        if ranges and "\n" not in text[slice(*gap)] and _is_bare(text, *gap, kept):
            ranges[-1] = (ranges[-1][0], span.end)
        else:
            ranges.append((span.start, span.end))
    return [_widened(text, start, end, kept) for start, end in ranges]


def _widened(text: str, start: int, end: int, kept: Sequence[Span]) -> tuple[int, int]:
    """The range to cut: the whole lines when nothing would be left on them, else with one spare blank."""
    first, last = line_start(text, start), max(end, content_end(text, end - 1))
    number = _NUMBER_MARKER.match(text, first, start)
    front = number.end() if number and not _holds(first, number.end(), kept) else first
    if _is_bare(text, front, start, kept) and _is_bare(text, end, last, kept):
        return first, max(end, line_end(text, end - 1))
    blank_before = start > 0 and text[start - 1] in " \t" and _is_bare(text, start - 1, start, kept)
    if text[end : end + 1] == " " and (blank_before or start == first) and _is_bare(text, end, end + 1, kept):
        return start, end + 1
    if end == last and blank_before:
        return start - 1, end
    return start, end


def _is_bare(text: str, start: int, end: int, kept: Sequence[Span]) -> bool:
    """Whether a stretch holds no word and no part of a unit that stays."""
    return not _holds(start, end, kept) and not _WORD.search(text[start:end])


def _holds(start: int, end: int, kept: Sequence[Span]) -> bool:
    return any(span.start < end and start < span.end for span in kept)
