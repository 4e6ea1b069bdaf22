"""Cutting an instruction into sections."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdcourse.evolution.sections import sections

TEXTS = st.lists(st.sampled_from(["# a\n", "\n", "\r\n", "word ", "\u00e9\U0001f600", "## b\r\n"])).map(
    "".join
)


@given(TEXTS, st.integers(1, 30))
def test_sections_cover_the_text_and_keep_to_the_limit(text: str, limit: int) -> None:
    parts = sections(text, limit)
    assert "".join(text[start:end] for start, end in parts) == text
    assert all(0 < end - start <= limit for start, end in parts)


def cut(text: str, limit: int) -> list[str]:
    return [text[start:end] for start, end in sections(text, limit)]


def test_cuts_before_headings_when_that_is_enough() -> None:
    assert cut("# A\none\n\ntwo\n# B\nthree\n", 14) == ["# A\none\n\ntwo\n", "# B\nthree\n"]


def test_joins_small_neighbours() -> None:
    assert cut("# A\n1\n# B\n2\n# C\n3\n", 12) == ["# A\n1\n# B\n2\n", "# C\n3\n"]


def test_cuts_a_long_part_between_paragraphs_then_lines_then_anywhere() -> None:
    assert cut("aaaa\n\nbbbb\ncccc\n", 11) == ["aaaa\n\n", "bbbb\ncccc\n"]
    assert cut("bbbb\ncccc\n", 6) == ["bbbb\n", "cccc\n"]
    assert cut("abcdefg", 3) == ["abc", "def", "g"]
