"""Each fault of a provider has its stated outcome: what comes back, how often it was asked, what is kept."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from holdcourse.errors import HoldcourseError
from holdcourse.llm.chat import ChatMessage, ChatRequest, Sampling, ToolSpec
from holdcourse.llm.door import Door
from holdcourse.llm.failures import (
    AuthenticationError,
    BadRequestError,
    CallError,
    ContextLengthError,
    MalformedReplyError,
    NoProviderError,
    RateLimitedError,
    ServerError,
    TimedOutError,
    UnreachableError,
)
from tests.door.conftest import KEY, QUICK, make_settings
from tests.servers.loopback import Answer
from tests.servers.openai_format import CONTEXT_LENGTH, completion, error, key_refused, tool_call
from tests.servers.scripted import Scripted

TOOL = ToolSpec("toggle", "Toggle it.", {"type": "object", "properties": {"on": {"type": "boolean"}}})
REQUEST = ChatRequest(
    "agent",
    "openai/scripted",
    (ChatMessage("system", "Help."), ChatMessage("user", "My phone is broken.")),
    (TOOL,),
    Sampling(seed=5),
)
ATTEMPTS, ANSWER_ATTEMPTS = QUICK["attempts"], QUICK["answer_attempts"]
GOOD = completion("good")
SLOW_DOWN = error(429, "slow down")
HANG = completion("too late", delay_s=20.0)
DRIP = replace(completion("x" * 400), drip_s=0.1)
BROKEN_ARGUMENTS = completion(None, tool_calls=[tool_call("toggle", '{"on": tru')])
LIST_AS_ARGUMENTS = completion(None, tool_calls=[tool_call("toggle", "[1, 2]")])


@pytest.fixture
def door_to(tmp_path):
    def make(server, **changes):
        settings = make_settings(tmp_path, server.api_base, call_timeout_s=0.5, **changes)
        return Door(None, settings, tmp_path / "calls.jsonl")

    return make


PASSING = {
    "429 with Retry-After": error(429, "slow down", headers={"Retry-After": "0"}),
    "429 with a fraction": error(429, "slow down", headers={"Retry-After": "0.05"}),
    "429 with nonsense": error(429, "slow down", headers={"Retry-After": "soon"}),
    "429 without": SLOW_DOWN,
    "500": error(500, "oops"),
    "502": Answer(502, b"<html>Bad Gateway</html>", {"Content-Type": "text/html"}),
    "503": error(503, "overloaded"),
    "hang": HANG,
    "drip": DRIP,
    "cut connection": Answer(cut_after=0),
    "cut half way": completion("half", cut_after=30),
    "malformed JSON": Answer(body=b'{"choices": [{"mess'),
    "no choices": Answer(body=b'{"id": "1", "object": "chat.completion", "choices": []}'),
    "empty content": completion(""),
    "broken tool arguments": BROKEN_ARGUMENTS,
    "tool arguments that are no object": LIST_AS_ARGUMENTS,
}


@pytest.mark.parametrize("fault", PASSING)
def test_a_fault_that_passes_is_waited_out(door_to, fault):
    with Scripted(PASSING[fault], GOOD) as server:
        reply = door_to(server).complete(REQUEST)
        assert reply.content == "good"
        assert server.calls == 2
        assert door_to(server).complete(REQUEST).cached
        assert server.calls == 2


def test_retry_after_is_obeyed(door_to):
    with Scripted(error(429, "slow down", headers={"Retry-After": "1"}), GOOD) as server:
        before = time.monotonic()
        door_to(server).complete(REQUEST)
        assert time.monotonic() - before >= 1.0


LASTING = {
    "429": (SLOW_DOWN, RateLimitedError, "rate_limited", ATTEMPTS),
    "500": (error(500, "oops"), ServerError, "server_error", ATTEMPTS),
    "hang": (HANG, TimedOutError, "timeout", ATTEMPTS),
    "drip": (DRIP, TimedOutError, "timeout", ATTEMPTS),
    "cut connection": (Answer(cut_after=0), UnreachableError, "connection", ATTEMPTS),
    "cut half way": (completion("half", cut_after=30), UnreachableError, "connection", ATTEMPTS),
    "malformed JSON": (Answer(body=b'{"choices": ['), MalformedReplyError, "malformed_reply", None),
    "context length": (CONTEXT_LENGTH, ContextLengthError, "context_length", 1),
    "bad request": (error(400, "no such parameter"), BadRequestError, "bad_request", 1),
    "too large": (error(413, "request entity too large"), CallError, None, 1),
}


@pytest.mark.parametrize("fault", LASTING)
def test_a_fault_that_lasts_fails_the_call_by_its_kind(door_to, fault):
    act, failure, kind, calls = LASTING[fault]
    with Scripted(act) as server:
        with pytest.raises(failure) as caught:
            door_to(server).complete(REQUEST)
        asked = server.calls
        assert 1 <= asked <= ATTEMPTS
        if calls is not None:
            assert asked == calls
        if kind is not None:
            assert caught.value.kind == kind
        with pytest.raises(failure):
            door_to(server).complete(REQUEST)
        assert server.calls == 2 * asked, "a failure must not be kept"


STOPPING = {
    "401": (key_refused, AuthenticationError),
    "403": (error(403, "this key may not use the model"), AuthenticationError),
    "404": (error(404, "The model `scripted` does not exist", code="model_not_found"), NoProviderError),
}


@pytest.mark.parametrize("fault", STOPPING)
def test_a_fault_of_the_setup_stops_the_job_at_once(door_to, fault):
    act, failure = STOPPING[fault]
    with Scripted(act) as server:
        with pytest.raises(failure) as caught:
            door_to(server).complete(REQUEST)
        assert isinstance(caught.value, HoldcourseError)
        assert server.calls == 1
        assert KEY not in str(caught.value)


ANSWERS_OF_ITS_OWN = {
    "length stop": (completion("cut in the mid", finish_reason="length"), "length"),
    "content filter": (completion("", finish_reason="content_filter"), "refusal"),
    "refusal": (completion(None, message={"refusal": "I will not."}), "refusal"),
}


@pytest.mark.parametrize("fault", ANSWERS_OF_ITS_OWN)
def test_a_cut_off_or_refused_answer_comes_back_as_such_and_is_not_kept(door_to, fault):
    act, stop_reason = ANSWERS_OF_ITS_OWN[fault]
    with Scripted(act) as server:
        reply = door_to(server).complete(REQUEST)
        assert (reply.stop_reason, reply.cached) == (stop_reason, False)
        asked = server.calls
        again = door_to(server).complete(REQUEST)
        assert not again.cached
        assert server.calls == 2 * asked


def test_an_answer_that_stays_empty_is_the_models_answer(door_to):
    with Scripted(completion("")) as server:
        reply = door_to(server).complete(REQUEST)
        assert (reply.content or "", reply.tool_calls) == ("", ())
        assert server.calls == reply.attempts == ANSWER_ATTEMPTS
        assert reply.usage.prompt_tokens == 11 * ANSWER_ATTEMPTS
        assert door_to(server).complete(REQUEST).cached


@pytest.mark.parametrize("act", [BROKEN_ARGUMENTS, LIST_AS_ARGUMENTS], ids=["broken", "list"])
def test_tool_arguments_that_stay_unreadable_are_a_malformed_reply(door_to, act):
    with Scripted(act) as server:
        with pytest.raises(MalformedReplyError):
            door_to(server).complete(REQUEST)
        assert server.calls == ANSWER_ATTEMPTS


def test_tool_calls_come_back_as_they_were_made(door_to):
    calls = [tool_call("toggle", {"on": True, "n": 1.5}, "a"), tool_call("unheard_of", {}, "b")]
    with Scripted(completion(None, tool_calls=calls)) as server:
        reply = door_to(server).complete(REQUEST)
        assert [(call.id, call.name, call.arguments) for call in reply.tool_calls] == [
            ("a", "toggle", {"on": True, "n": 1.5}),
            ("b", "unheard_of", {}),
        ]
        assert reply.stop_reason == "tool_calls"


def test_no_attempt_is_left_out_of_the_account(door_to, tmp_path):
    with Scripted(error(500, "oops"), SLOW_DOWN, completion("good", tokens=(100, 20))) as server:
        reply = door_to(server).complete(REQUEST)
        assert server.calls == reply.attempts == 3
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (100, 20)
    assert reply.cost_usd is None


def test_three_trials_of_one_question_are_three_calls(door_to):
    requests = [replace(REQUEST, trial=trial) for trial in range(3)]
    with Scripted(completion("one"), completion("two"), completion("three")) as server:
        door = door_to(server)
        first = [door.complete(request).content for request in requests]
        second = [door.complete(request).content for request in requests]
        assert first == second == ["one", "two", "three"]
        assert server.calls == 3


def test_the_key_goes_to_the_provider_and_into_no_file(door_to, tmp_path, caplog):
    with Scripted(error(500, f"oops {KEY}"), error(400, f"bad {KEY}")) as server:
        with pytest.raises(BadRequestError) as caught:
            door_to(server).complete(REQUEST)
        assert {asked.key for asked in server.asked} == {KEY}
    assert KEY not in str(caught.value)
    assert KEY not in caplog.text
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


def test_a_key_in_an_answer_is_not_kept(door_to, tmp_path):
    """A careless proxy may send the key back as text or as an argument of a tool."""
    said = completion(f"your key is {KEY}", tool_calls=[tool_call("toggle", {"key": KEY})])
    with Scripted(said) as server:
        reply = door_to(server).complete(REQUEST)
    assert KEY not in repr(reply)
    assert "OPENAI_API_KEY" in (reply.content or "")
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path
