"""Prompts for checkpoints of all sorts, and tool calls read from what they say."""

from __future__ import annotations

import pytest

from holdcourse.llm.chat import ChatMessage, ChatRequest, Sampling, ToolCall, ToolSpec, Usage
from holdcourse.llm.local_format import read_answer, rendered

TOOL = ToolSpec("toggle", "Toggle it.", {"type": "object"})
TALK = (
    ChatMessage("system", "Help."),
    ChatMessage("user", "broken"),
    ChatMessage("assistant", None, (ToolCall("1", "toggle", {"on": True}),)),
    ChatMessage("tool", "done", tool_call_id="1"),
)
REQUEST = ChatRequest("agent", "local/x", TALK, (TOOL,))
USAGE = Usage(1, 1)


class Template:
    """Renders as `render` says; refuses by raising, as templates do."""

    def __init__(self, text, render) -> None:
        self.chat_template = text
        self._render = render

    def apply_chat_template(self, turns, tools, add_generation_prompt, tokenize):
        assert add_generation_prompt
        assert not tokenize
        return self._render(turns, tools)


def words(turns, tools):
    return "|".join(f"{turn['role']}={turn['content']}" for turn in turns)


def strict(turns, tools):
    roles = [turn["role"] for turn in turns]
    if roles != ["user", "assistant"] * (len(roles) // 2) + ["user"] * (len(roles) % 2):
        raise ValueError("Conversation roles must alternate user/assistant/user/assistant/...")
    return words(turns, tools)


def test_a_template_that_knows_tools_is_given_them():
    def render(turns, tools):
        assert tools[0]["function"]["name"] == "toggle"
        assert turns[2]["tool_calls"][0]["function"]["arguments"] == {"on": True}
        assert turns[3] == {"role": "tool", "content": "done", "tool_call_id": "1"}
        return "prompt"

    assert rendered(REQUEST, Template("{{ tools }}", render)) == "prompt"


def test_a_template_that_does_not_is_told_of_them_in_words():
    prompt = rendered(REQUEST, Template("{{ messages }}", words))
    assert prompt.startswith("system=Help.\n\nYou may use these tools:\n- toggle: Toggle it.")
    assert 'assistant=<tool_call>{"arguments":{"on":true},"name":"toggle"}</tool_call>' in prompt
    assert prompt.endswith("user=Result of the tool:\ndone")


def test_a_template_that_wants_turns_in_order_gets_them_joined():
    prompt = rendered(REQUEST, Template("{{ messages }}", strict))
    assert prompt.startswith("user=Help.")
    assert "broken|assistant=<tool_call>" in prompt


def test_without_a_template_there_is_a_plain_form():
    assert rendered(REQUEST, Template(None, None)).endswith("user: Result of the tool:\ndone\n\nassistant: ")


def test_a_json_answer_is_begun_and_completed():
    request = ChatRequest("planner", "local/x", TALK[:2], (), Sampling(json_reply=True))
    assert rendered(request, Template("{{ messages }}", words)).endswith("broken{")
    assert read_answer(request, '"edits": []}', True, USAGE).content == '{"edits": []}'


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "toggle", "arguments": {"on": true}}</tool_call>',
        '<tool_call>\n{"name": "toggle", "parameters": {"on": true}}\n</tool_call>',
        '{"name": "toggle", "arguments": {"on": true}}',
        '<think>hm</think>\n<tool_call>{"name": "toggle", "arguments": {"on": true}}',
    ],
)
def test_a_tool_call_is_read_in_its_usual_spellings(text):
    answer = read_answer(REQUEST, text, True, USAGE)
    assert answer.stop_reason == "tool_calls"
    (call,) = answer.tool_calls
    assert (call.name, call.arguments) == ("toggle", {"on": True})
    assert answer.content is None


@pytest.mark.parametrize(
    "body", ['{"name": "toggle", "arguments": [1]}', '{"name": "tog', "{}", "toggle(on)"]
)
def test_a_marked_call_that_cannot_be_read_is_malformed(body):
    answer = read_answer(REQUEST, f"<tool_call>{body}</tool_call>", True, USAGE)
    assert answer.malformed
    assert answer.tool_calls == ()


@pytest.mark.parametrize("text", ["Hello.", '{"name": "unknown"}', '{"a": 1}'])
def test_text_is_text(text):
    answer = read_answer(REQUEST, text, True, USAGE)
    assert (answer.content, answer.tool_calls, answer.stop_reason) == (text, (), "stop")


def test_a_call_that_was_cut_off_is_a_cut_off_answer():
    answer = read_answer(REQUEST, '<tool_call>{"name": "tog', False, USAGE)
    assert (answer.stop_reason, answer.malformed) == ("length", "")
