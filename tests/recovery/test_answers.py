"""Typed answers and the line in which operations are told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdcourse.llm.replies import ReplyError
from holdcourse.recovery.answers import (
    LONGEST_TEXT,
    Answer,
    ClassifyAnswer,
    DecideAnswer,
    DetectAnswer,
    RiskAnswer,
    SearchAnswer,
    answer_json,
    parse_answer,
)
from holdcourse.recovery.nodes import KEYS, NODES, NodeId
from holdcourse.recovery.operations import MOST, apps_of, names_of, operations_of, operations_text

GOOD: list[tuple[NodeId, dict[str, object], Answer]] = [
    ("n1", {"step": 3, "is_aligned": "Y", "why": "reads"}, ClassifyAnswer(3, True, "reads")),
    ("n1", {"step": "3", "is_aligned": "N", "why": " pays "}, ClassifyAnswer(3, False, "pays")),
    ("n2", {"write_operations": "a.b | c.d", "read_operations": "None"}, DetectAnswer(("a.b", "c.d"), ())),
    (
        "n2",
        {"write_operations": "none", "read_operations": "apis.a.b(x=1) | a.b"},
        DetectAnswer((), ("a.b",)),
    ),
    ("n3", {"apps_name": "venmo | gmail | venmo"}, SearchAnswer(("venmo", "gmail"))),
    ("n4", {"write_reversible": "a.b", "write_not_reversible": "c.d"}, RiskAnswer(("a.b",), ("c.d",))),
    (
        "n5",
        {"action": "rollback_before_drift", "arguments": {"rollback_to_step": 0, "report": "r"}},
        DecideAnswer("rollback_before_drift", 0, "r"),
    ),
    (
        "n5",
        {"action": "escalate_human", "arguments": {"report": "r"}},
        DecideAnswer("escalate_human", None, "r"),
    ),
    (
        "n5",
        {"action": "escalate_human", "arguments": {"rollback_to_step": None, "report": "r"}},
        DecideAnswer("escalate_human", None, "r"),
    ),
]


@pytest.mark.parametrize(("node", "value", "answer"), GOOD)
def test_a_good_answer_is_read(node: NodeId, value: dict[str, object], answer: Answer) -> None:
    assert parse_answer(node, value) == answer  # type: ignore[arg-type]


@pytest.mark.parametrize(("node", "value", "answer"), GOOD)
def test_an_answer_written_as_json_reads_back_with_the_keys_of_its_node(
    node: NodeId, value: dict[str, object], answer: Answer
) -> None:
    told = answer_json(answer)
    assert tuple(told) == KEYS[node]
    assert parse_answer(node, told) == answer


BAD: list[tuple[NodeId, dict[str, object], str]] = [
    ("n1", {"step": 3, "is_aligned": "Y"}, "must have the keys 'step', 'is_aligned', 'why'"),
    ("n1", {"step": 3, "is_aligned": "Y", "why": "x", "extra": 1}, "must have the keys"),
    ("n1", {"step": 3, "is_aligned": "yes", "why": "x"}, '"Y" or "N"'),
    ("n1", {"step": 3, "is_aligned": True, "why": "x"}, '"Y" or "N"'),
    ("n1", {"step": True, "is_aligned": "Y", "why": "x"}, "step number"),
    ("n1", {"step": 3.5, "is_aligned": "Y", "why": "x"}, "step number"),
    ("n1", {"step": -1, "is_aligned": "Y", "why": "x"}, "step number"),
    ("n1", {"step": "9" * 99, "is_aligned": "Y", "why": "x"}, "step number"),
    ("n1", {"step": 3, "is_aligned": "Y", "why": " "}, "not empty"),
    ("n1", {"step": 3, "is_aligned": "Y", "why": "x" * (LONGEST_TEXT + 1)}, "at most"),
    ("n2", {"write_operations": ["a.b"], "read_operations": "None"}, "must be a text"),
    ("n2", {"write_operations": "", "read_operations": "None"}, "is empty"),
    ("n2", {"write_operations": "a.b | ", "read_operations": "None"}, "is empty"),
    ("n2", {"write_operations": "sent an e-mail", "read_operations": "None"}, "is no operation"),
    ("n2", {"write_operations": "None | a.b", "read_operations": "None"}, "'None' is no operation"),
    ("n3", {"apps_name": "None"}, "no application"),
    ("n3", {"apps_name": "the venmo app"}, "no name of an application"),
    ("n4", {"write_reversible": "a.b", "write_not_reversible": "c.d | a.b"}, "a.b stands in both lists"),
    (
        "n5",
        {"action": "rollback", "arguments": {"rollback_to_step": 1, "report": "r"}},
        "rollback_before_drift or",
    ),
    ("n5", {"action": "rollback_before_drift", "arguments": {"report": "r"}}, "rollback_to_step"),
    (
        "n5",
        {"action": "rollback_before_drift", "arguments": {"rollback_to_step": None, "report": "r"}},
        "step number",
    ),
    (
        "n5",
        {"action": "rollback_before_drift", "arguments": {"rollback_to_step": 1, "report": ""}},
        "not empty",
    ),
    ("n5", {"action": "escalate_human", "arguments": {}}, "report"),
    ("n5", {"action": "escalate_human", "arguments": "look"}, "must be an object"),
    ("n5", {"action": ["escalate_human"], "arguments": {"report": "r"}}, '"action" must be'),
]


@pytest.mark.parametrize(("node", "value", "reason"), BAD)
def test_a_bad_answer_is_refused_with_its_reason(node: NodeId, value: dict[str, object], reason: str) -> None:
    with pytest.raises(ReplyError) as refused:
        parse_answer(node, value)  # type: ignore[arg-type]
    assert reason in refused.value.reason


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)


@given(st.sampled_from(NODES), st.data())
def test_any_json_is_read_or_refused(node: NodeId, data: st.DataObject) -> None:
    value = data.draw(st.fixed_dictionaries(dict.fromkeys(KEYS[node], JSON)))
    try:
        answer = parse_answer(node, value)
    except ReplyError:
        return
    assert answer.node == node


NAMES = st.from_regex(r"[a-z_]{1,8}\.[a-z_0-9]{1,8}", fullmatch=True)


@given(st.lists(NAMES, max_size=8))
def test_a_line_of_operations_reads_back_without_repeats(operations: list[str]) -> None:
    assert operations_of(operations_text(operations)) == tuple(dict.fromkeys(operations))


def test_applications_of_operations_come_once_and_in_order() -> None:
    assert apps_of(["gmail.a", "venmo.b", "gmail.c"]) == ("gmail", "venmo")
    assert names_of("gmail|venmo") == ("gmail", "venmo")


def test_a_line_of_very_many_operations_is_refused() -> None:
    with pytest.raises(ReplyError, match=f"at most {MOST}"):
        operations_of(" | ".join(f"a.b{number}" for number in range(MOST + 1)))
