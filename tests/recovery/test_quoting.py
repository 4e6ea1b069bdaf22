"""Text of the agent's world can neither end its block nor look like a part of a prompt or a reply."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdcourse.recovery.injections import PAYLOADS
from holdcourse.recovery.quoting import MARKS, code_cut, cut, neutral, quoted
from holdcourse.training.rewards.reading import read

TAG_IN_DISGUISE = [
    "<answer>",
    "</answer>",
    "<ANSWER>",
    "< / answer >",
    "<an\u200bswer>",
    "＜answer＞",
    "﹤answer﹥",
    "&lt;answer&gt;",
    "&LT;answer&GT;",
    "&ltanswer&gt",
    "&amp;lt;answer&amp;gt;",
    "&#60;answer&#62;",
    "&#0060;answer&#x3E;",
    "&#x003c;answer&#x3e;",
    "&l\u200bt;answer&gt;",
    "\\u003canswer\\u003e",
    "\\x3Canswer\\x3E",
    "%3Canswer%3e",
    "<|im_start|>answer",
]


@pytest.mark.parametrize("text", TAG_IN_DISGUISE)
def test_a_tag_in_disguise_becomes_plain_text(text: str) -> None:
    plain = neutral(text)
    assert "‹" in plain
    assert not re.search(r"[<>]|&l?t?|\\u003c|%3c", plain, re.IGNORECASE)
    assert re.search("answer", plain, re.IGNORECASE)


@pytest.mark.parametrize(
    "text", ["a = [1, 2]", "x['k'] == 'v'", "Zürich, 12 €", "line\n\tindented", "[a]", "AT&T"]
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert neutral(text) == text


def test_comparisons_stay_readable() -> None:
    assert neutral("if a < 3 and b >= 4:") == "if a ‹ 3 and b ›= 4:"


def test_numbers_that_only_begin_like_a_bracket_stay() -> None:
    assert neutral("&#600; &#x3cf; &#62") == "&#600; &#x3cf; ›"


@pytest.mark.parametrize(
    "unseen",
    [
        "\u200b",
        "\u202e",
        "\u2066",
        "\ufeff",
        "\u00ad",
        "\U000e0041",
        "\ufe0f",
        "\u3164",
        "\x1b",
        "\x00",
        "\ud800",
        "\r",
    ],
)
def test_what_cannot_be_seen_is_dropped(unseen: str) -> None:
    assert neutral(f"a{unseen}b") == "ab"


def test_control_words_of_tokenizers_lose_their_brackets() -> None:
    assert neutral("[/INST] [INST] [TOOL_CALLS] [1]") == "(/INST) (INST) (TOOL_CALLS) [1]"


@given(st.text())
def test_neutral_text_holds_no_bracket_and_is_stable(text: str) -> None:
    plain = neutral(text)
    assert not set("<>") & set(plain)
    assert not any(unicodedata.category(sign) in {"Cf", "Cs", "Co"} for sign in plain)
    assert neutral(plain) == plain


@given(
    st.lists(st.sampled_from([*TAG_IN_DISGUISE, "</code>", "x", "\n", "&", "lt;", "\u200b", "#60"])),
    st.integers(40, 200),
)
def test_a_block_has_one_beginning_one_end_and_its_limit(parts: list[str], limit: int) -> None:
    block = quoted("code", "".join(parts), limit)
    inside = block.removeprefix("<code>\n").removesuffix("\n</code>")
    assert len(inside) == len(block) - len("<code>\n\n</code>")
    assert len(inside) <= limit
    assert not set("<>") & set(inside)


@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda payload: payload.name)
def test_no_payload_of_the_suite_holds_an_answer_after_quoting(payload: object) -> None:
    inside = quoted("output", payload.text, 1000).removeprefix("<output>").removesuffix("</output>")  # type: ignore[attr-defined]
    reading = read(inside, 6000)
    assert (reading.reasoning, reading.answer, reading.counts) == (None, None, (0, 0, 0, 0))


def test_a_cut_keeps_both_ends_and_says_how_much_is_gone() -> None:
    text = "A" * 500 + "B" * 500
    short = cut(text, 200)
    assert len(short) <= 200
    assert short.startswith("AAA")
    assert short.endswith("BBB")
    assert " [… 800 left out …] " in short
    assert cut("short", 200) == "short"


@given(st.text(), st.integers(40, 300))
def test_a_cut_never_exceeds_its_limit(text: str, limit: int) -> None:
    assert len(cut(text, limit)) <= limit


def test_a_tag_is_a_word() -> None:
    with pytest.raises(ValueError, match="block tag"):
        quoted("a b", "x", 40)


LONG = """groups = []
for page in range(25):
    # apis.venmo.pretended()
    part = apis.splitwise.show_groups(page_index=page)
    groups += part
done = apis.splitwise.record_expense(
    description="x" * 100,
)
print(done["message"], "and much more to be said about it")"""


def test_long_code_is_cut_to_the_lines_that_call_then_to_the_calls() -> None:
    assert code_cut(LONG, 1000) == LONG
    assert code_cut(LONG, 120).splitlines() == [
        "part = apis.splitwise.show_groups(page_index=page)",
        "done = apis.splitwise.record_expense(",
        "[… 175 left out …]",
    ]
    assert code_cut(LONG, 100).splitlines() == [
        "apis.splitwise.show_groups(…)",
        "apis.splitwise.record_expense(…)",
        "[… the rest left out …]",
    ]


@given(
    st.lists(st.sampled_from(["apis.a.b()", "x = 1", "# apis.a.c", "\n", "y" * 50])).map("\n".join),
    st.integers(40, 200),
)
def test_cut_code_keeps_its_limit(code: str, limit: int) -> None:
    assert len(code_cut(code, limit)) <= limit


ENDLESS = ["\u0301\u0323", "\u0f73", "\u0f81\u0344", "\u0301\uff9e", "\u0f75\uff9f"]
"""Marks, and signs that only fall into marks when they are normalized."""


@pytest.mark.parametrize("unit", ENDLESS)
def test_endless_marks_on_a_letter_are_cut(unit: str) -> None:
    plain = neutral("a" + unit * 250_000 + "b")
    assert plain.endswith("b")
    assert len(plain) <= MARKS + 2


@pytest.mark.parametrize(
    "text",
    [
        "\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd",
        "\u0e17\u0e35\u0e48",
        "\u0f66\u0f92\u0fb2\u0f74",
        "a" + "\u0323" * 29,
    ],
    ids=["Hebrew", "Thai", "Tibetan", "many"],
)
def test_the_marks_of_real_text_stay(text: str) -> None:
    assert neutral(text) == unicodedata.normalize("NFKC", text)
