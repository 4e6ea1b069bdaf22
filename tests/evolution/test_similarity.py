"""Lexical similarity."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdcourse.evolution.similarity import cosine, nearest


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("check the bill", "Check the BILL!", 1.0),
        ("check bill", "check line", 0.5),
        ("toggle_airplane_mode", "airplane mode", 2 / (3**0.5 * 2**0.5)),
        ("check", "", 0.0),
        ("check", "line", 0.0),
    ],
)
def test_cosine_of_word_counts(first: str, second: str, expected: float) -> None:
    assert cosine(first, second) == pytest.approx(expected)


@given(st.text(), st.text())
def test_cosine_is_symmetric_and_bounded(first: str, second: str) -> None:
    assert 0.0 <= cosine(first, second) <= 1.0
    assert cosine(first, second) == cosine(second, first)


def test_rare_words_decide() -> None:
    others = [
        ("a", "the agent checks the bill"),
        ("b", "the agent greets the customer"),
        ("c", "the agent ends the call"),
        ("d", "roaming abroad"),
    ]
    assert nearest("when roaming, the customer is abroad", others, 2)[0] == "d"


def test_texts_without_a_common_word_are_not_near() -> None:
    assert nearest("roaming", [("a", "bill"), ("b", "roaming costs")], 5) == ("b",)


def test_ties_go_to_the_earlier() -> None:
    assert nearest("bill", [("b", "bill"), ("a", "bill")], 1) == ("b",)
