"""The envelope, read strictly: what a walk acts on."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdcourse.llm.replies import ReplyError
from holdcourse.recovery.envelope import TAGS, read_strict, wrap

GOOD = '<reasoning>\nIt reads.\n</reasoning>\n<answer>\n{"a": 1}\n</answer>'


def test_a_good_reply_is_read() -> None:
    envelope = read_strict(GOOD)
    assert (envelope.reasoning, envelope.answer) == ("It reads.", {"a": 1})


@pytest.mark.parametrize(
    "text", [f"\n {GOOD} \n", GOOD.replace("\n", ""), GOOD.replace("</reasoning>\n", "</reasoning>")]
)
def test_white_space_does_not_matter(text: str) -> None:
    assert read_strict(text).answer == {"a": 1}


@given(
    st.text(st.characters(exclude_characters="<>", exclude_categories=["Cs"])),
    st.dictionaries(st.text(max_size=5), st.integers() | st.booleans() | st.none()),
)
def test_what_is_wrapped_reads_back(reasoning: str, answer: dict[str, object]) -> None:
    told = {key.replace("<", "").replace("\ud800", ""): value for key, value in answer.items()}
    text = wrap(reasoning, told)  # type: ignore[arg-type]
    assert read_strict(text).answer == told


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Y",
        '{"a": 1}',
        '<answer>{"a": 1}</answer>',
        "<reasoning>x</reasoning>",
        '<answer>{"a": 1}</answer><reasoning>x</reasoning>',
        f"{GOOD} and more",
        f"Sure! {GOOD}",
        GOOD * 2,
        GOOD.replace("<answer>", "<answer><answer>"),
        GOOD.replace("<answer>", "<Answer>").replace("</answer>", "</Answer>"),
        GOOD.replace("<answer>", "< answer >"),
        GOOD.replace("It reads.", "</reasoning> <reasoning>"),
        GOOD.replace("It reads.", '<answer>{"a": 2}</answer>'),
        GOOD.replace("</answer>", ""),
        GOOD.replace('{"a": 1}', ""),
        GOOD.replace('{"a": 1}', "[1]"),
        GOOD.replace('{"a": 1}', "Y"),
        GOOD.replace('{"a": 1}', '{"a": 1} {"a": 2}'),
        GOOD.replace('{"a": 1}', '{"a": 1}}'),
        GOOD.replace('{"a": 1}', '{"a": 1, "a": 2}'),
        GOOD.replace('{"a": 1}', '{"a": NaN}'),
        GOOD.replace('{"a": 1}', '{"a": 1'),
        GOOD.replace('{"a": 1}', '```json\n{"a": 1}\n```'),
        GOOD.replace('{"a": 1}', 'the answer is {"a": 1}'),
        GOOD.replace('{"a": 1}', "[" * 5000),
        GOOD.replace('{"a": 1}', '{"a": "\\ud800"}'),
    ],
)
def test_anything_else_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(ReplyError) as refused:
        read_strict(text)
    assert 0 < len(refused.value.reason) < 400


@given(st.lists(st.sampled_from([*"<>/{} ", "\n", "{}", "answer", *TAGS])).map("".join))
def test_reading_never_raises_anything_else(text: str) -> None:
    try:
        envelope = read_strict(text)
    except ReplyError:
        return
    assert tuple(re.findall("|".join(TAGS), text)) == TAGS
    assert envelope.answer == {}


@pytest.mark.parametrize(
    "part", ["<reasoning>", "<answer>", "</answer>", "< ", "<answer x", "<" + " " * 50, "{", '{"a":']
)
def test_a_megabyte_of_anything_is_refused(part: str) -> None:
    with pytest.raises(ReplyError):
        read_strict(part * (1_000_000 // len(part)))


def test_a_number_of_thousands_of_digits_is_refused() -> None:
    with pytest.raises(ReplyError, match="too many digits"):
        read_strict(GOOD.replace("1", "9" * 5000))
