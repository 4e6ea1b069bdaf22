"""Histories of OpenAI-format messages: their steps, and what a rollback keeps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recovery.made import DOCS, TASK

from holdcourse.errors import HoldcourseError
from holdcourse.recovery.trajectory import Message, first_user_text, kept_messages, read_history


def said(role: str, content: object, **more: object) -> Message:
    return {"role": role, "content": content, **more}


def code(*operations: str) -> Message:
    calls = "\n".join(f"print(apis.{operation}())" for operation in operations)
    return said("assistant", f"Next.\n```python\n{calls}\n```")


def tool_call(name: str, arguments: str = "{}") -> dict[str, object]:
    return {"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}


REACT = [
    said("system", "You write code."),
    said("user", f"My task: {TASK}"),
    code("spotify.show_playlist"),
    said("user", "Output:\nRain"),
    said("user", "By the way, look at my payments."),
    code("venmo.show_payments"),
    said("user", "Output:\n12"),
]


def test_steps_of_a_code_writing_agent() -> None:
    first, second = read_history(REACT, TASK, DOCS).steps
    assert (first.number, first.injected, first.thought, first.output) == (1, None, "Next.", "Output:\nRain")
    assert [call.operation for call in first.calls] == ["spotify.show_playlist"]
    assert (second.number, second.injected) == (2, "By the way, look at my payments.")
    assert (second.calls[0].kind, second.calls[0].succeeded) == ("read", True)


def test_a_rollback_takes_what_came_in_before_the_first_step_it_drops() -> None:
    assert kept_messages(REACT, 1, TASK) == REACT[:4]
    assert kept_messages(REACT, 0, TASK) == REACT[:2]
    assert kept_messages(REACT, 2, TASK) == REACT


@pytest.mark.parametrize("step", [-1, 3])
def test_a_rollback_to_no_step_is_refused(step: int) -> None:
    with pytest.raises(HoldcourseError, match="steps 1 to 2"):
        kept_messages(REACT, step, TASK)


def test_steps_of_an_agent_with_tools() -> None:
    messages = [
        said("user", TASK),
        said(
            "assistant",
            None,
            tool_calls=[tool_call("spotify__show_playlist", '{"id": 1}'), tool_call("send_mail", "broken")],
        ),
        said("tool", "Rain", tool_call_id="1"),
        said("tool", "sent", tool_call_id="2"),
        said("user", "And now?"),
        said("assistant", "Done."),
    ]
    first, second = read_history(messages, TASK, DOCS).steps
    assert first.code == 'spotify.show_playlist({"id": 1})\ntools.send_mail(broken)'
    assert [(call.operation, call.kind, dict(call.arguments)) for call in first.calls] == [
        ("spotify.show_playlist", "read", {"id": 1}),
        ("tools.send_mail", "write", {}),
    ]
    assert first.output == "Rain\nsent"
    assert (second.injected, second.code, second.calls) == ("And now?", "Done.", ())
    assert kept_messages(messages, 1, TASK) == messages[:4]


def test_the_old_form_of_a_tool_call_is_read_too() -> None:
    messages = [
        said("user", TASK),
        said("assistant", "", function_call={"name": "a.b", "arguments": {"x": 1}}),
        said("function", "ok", name="a.b"),
    ]
    (step,) = read_history(messages, TASK).steps
    assert (step.code, step.output) == ('a.b({"x": 1})', "ok")


def test_examples_before_the_task_belong_to_the_setting() -> None:
    example = [said("user", "Example task"), code("venmo.send_payment"), said("user", "Output:\nok")]
    history = read_history([said("system", "s"), *example, *REACT[1:]], TASK)
    assert len(history.steps) == 2
    assert len(history.kept(0)) == 5


def test_what_comes_in_before_the_first_step_is_seen_at_it() -> None:
    history = read_history([REACT[1], said("user", "Ignore that."), REACT[2]], TASK)
    assert history.steps[0].injected == "Ignore that."
    assert history.kept(0) == (REACT[1],)


def test_content_may_be_a_list_of_parts() -> None:
    parts = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {}}]
    (step,) = read_history([said("user", TASK), said("assistant", parts)], TASK).steps
    assert step.code == "look\n[image_url]"


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ([said("wizard", "x")], "message 1: role 'wizard' is unknown; expected system, developer, user"),
        ([{"content": "x"}], "message 1: role None is unknown"),
        (["x"], "message 1: expected an object, got str"),
        ([said("user", TASK), said("assistant", 5)], "message 2: content must be a text"),
        (
            [said("user", TASK), said("tool", "x")],
            "message 2: a tool answers before the assistant has spoken",
        ),
        ([said("user", TASK), said("assistant", "", tool_calls="x")], '"tool_calls" must be a list'),
        ([said("user", TASK), said("assistant", "", tool_calls=[{"function": {}}])], "has no function name"),
    ],
)
def test_a_history_that_cannot_be_read_says_where(messages: list[Message], reason: str) -> None:
    with pytest.raises(HoldcourseError) as refused:
        read_history(messages, TASK)
    assert reason in str(refused.value)


def test_the_task_is_the_first_user_message_where_none_is_given() -> None:
    assert first_user_text(REACT) == f"My task: {TASK}"
    with pytest.raises(HoldcourseError, match="no user message"):
        first_user_text([said("system", "s")])


ROLES = st.sampled_from(["system", "user", "assistant", "developer"])


@given(st.lists(st.tuples(ROLES, st.sampled_from(["x", "```\napis.a.b()\n```", TASK, "", None]))))
def test_any_history_falls_into_a_setting_and_steps_without_a_gap(
    pairs: list[tuple[str, str | None]],
) -> None:
    messages = [said(role, content) for role, content in pairs]
    history = read_history(messages, TASK)
    counts = [history.kept_count(step) for step in range(len(history.steps) + 1)]
    assert counts == sorted(counts)
    assert counts[-1] == len(messages)
    assert all(step.number == place for place, step in enumerate(history.steps, start=1))
    for step, count in enumerate(counts[1:-1], start=1):
        assert len(read_history(list(history.kept(step)), TASK).steps) in (step, step + 0)
        assert count <= len(messages)


def test_a_fence_within_the_code_hides_no_call() -> None:
    text = "```python\n# ```\nx = '```json'\napis.venmo.send_payment()\n```\nThat was it."
    (step,) = read_history([said("user", TASK), said("assistant", text)], TASK).steps
    assert [call.operation for call in step.calls] == ["venmo.send_payment"]
    assert step.thought == "That was it."


def test_a_block_that_was_cut_off_goes_to_the_end() -> None:
    (step,) = read_history(
        [said("user", TASK), said("assistant", "Go.\n```python\napis.venmo.send_payment()")], TASK
    ).steps
    assert [call.operation for call in step.calls] == ["venmo.send_payment"]
