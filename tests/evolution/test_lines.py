"""Lines, line ends and list markers."""

from __future__ import annotations

import pytest

from holdcourse.evolution.lines import (
    content_end,
    indentation,
    line_end,
    line_ending,
    line_start,
    marker,
    marker_below,
    without_marker,
)

TEXT = "one\r\ntwo\nthree"


@pytest.mark.parametrize(
    ("position", "start", "content", "end", "ending"),
    [
        (0, 0, 3, 5, "\r\n"),
        (4, 0, 3, 5, "\r\n"),
        (5, 5, 8, 9, "\n"),
        (8, 5, 8, 9, "\n"),
        (9, 9, 14, 14, "\r\n"),
        (14, 9, 14, 14, "\r\n"),
    ],
)
def test_the_line_around_a_position(position: int, start: int, content: int, end: int, ending: str) -> None:
    assert line_start(TEXT, position) == start
    assert content_end(TEXT, position) == content
    assert line_end(TEXT, position) == end
    assert line_ending(TEXT, position) == ending


def test_a_text_without_line_ends_is_given_line_feeds() -> None:
    assert line_ending("", 0) == line_ending("one", 1) == "\n"


@pytest.mark.parametrize(
    ("line", "front", "below"),
    [
        ("Plain words.", "", ""),
        ("- an item", "- ", "- "),
        ("\t*  an item", "\t*  ", "\t*  "),
        ("  1. a step", "  1. ", "     - "),
        ("12) a step", "12) ", "    - "),
        ("> quoted", "> ", "> "),
        ("-5 degrees", "", ""),
        ("**Note** well", "", ""),
        ("# Heading", "", ""),
        ("2025. was long ago", "", ""),
    ],
)
def test_the_front_of_a_line(line: str, front: str, below: str) -> None:
    assert marker(line) == front
    assert marker_below(line) == below


@pytest.mark.parametrize(
    ("words", "bare"),
    [
        ("  - an item\n", "an item"),
        ("3. step", "step"),
        ("-5 degrees", "-5 degrees"),
        ("> 2 GB", "> 2 GB"),
        ("- ", "-"),
    ],
)
def test_words_without_their_marker(words: str, bare: str) -> None:
    assert without_marker(words) == bare


def test_indentation_counts_columns() -> None:
    assert [indentation(line) for line in ("a", "  a", "\ta", " \ta")] == [0, 2, 4, 4]
