"""A request is complete in itself: its digest covers all that an answer may depend on."""

from dataclasses import replace

import pytest

from holdcourse.llm.chat import ChatMessage, ChatRequest, Sampling, ToolCall, ToolSpec

REQUEST = ChatRequest(
    role="planner",
    model="simulated/planner",
    messages=(ChatMessage("system", "plan"), ChatMessage("user", "grüße")),
)


@pytest.mark.parametrize(
    "other",
    [
        replace(REQUEST, role="analyst"),
        replace(REQUEST, model="simulated/other"),
        replace(REQUEST, messages=REQUEST.messages[:1]),
        replace(REQUEST, messages=REQUEST.messages[::-1]),
        replace(REQUEST, tools=(ToolSpec("f", "does", {}),)),
        replace(REQUEST, sampling=Sampling(temperature=1.0)),
        replace(REQUEST, sampling=Sampling(seed=0)),
        replace(REQUEST, sampling=Sampling(json_reply=True)),
        replace(REQUEST, trial=1),
    ],
)
def test_every_part_of_a_request_is_in_its_digest(other):
    assert other.digest != REQUEST.digest


def test_equal_requests_have_equal_digests_whatever_the_order_of_arguments():
    def calling(arguments):
        message = ChatMessage("assistant", None, (ToolCall("1", "f", arguments),))
        return replace(REQUEST, messages=(*REQUEST.messages, message))

    assert calling({"a": 1, "b": 2}).digest == calling({"b": 2, "a": 1}).digest


def test_length_counts_contents_and_arguments():
    call = ToolCall("1", "f", {"a": "bc"})
    messages = (ChatMessage("user", "grüße"), ChatMessage("assistant", None, (call,)))
    assert replace(REQUEST, messages=messages).characters == len("grüße") + len('{"a":"bc"}')
