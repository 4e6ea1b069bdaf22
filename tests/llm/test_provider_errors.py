"""What an error means is read from its status and wording, whoever's library raised it."""

from __future__ import annotations

import json

import httpx
import pytest
from tests.llm.scripted_provider import REQUEST

from holdcourse.llm.failures import (
    AuthenticationError,
    BadRequestError,
    ContextLengthError,
    MalformedReplyError,
    NoProviderError,
    RateLimitedError,
    ServerError,
    TimedOutError,
    UnreachableError,
)
from holdcourse.llm.provider_errors import refusal_in
from holdcourse.llm.retries import FailedTryError


class StatusError(Exception):
    def __init__(self, status: int | None, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status_code = status
        self.response = httpx.Response(status or 200, headers=headers or {})


def failed(error: Exception) -> FailedTryError:
    with pytest.raises(FailedTryError) as caught:
        refusal_in(error, REQUEST)
    return caught.value


@pytest.mark.parametrize(
    "wording",
    [
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
        "Input token count (1200000) exceeds the maximum number of tokens allowed (1048576)",
        "The input token count (2000) exceeds the maximum number of tokens allowed (1000).",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "the request exceeds the available context size. try increasing the context size",
        "request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it",
        "The decoder prompt (length 9000) is longer than the maximum model length of 4096",
        "Please reduce the length of the messages or completion.",
        "ContextWindowExceededError: input is too long for requested model",
    ],
)
@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_request_that_is_too_long_is_a_kind_of_its_own(wording, status):
    failure = failed(StatusError(status, wording))
    assert isinstance(failure.error, ContextLengthError)
    assert not failure.again


@pytest.mark.parametrize(
    ("status", "message", "kind", "again"),
    [
        (400, "Unsupported parameter: seed", BadRequestError, False),
        (422, "temperature must be below 2", BadRequestError, False),
        (408, "request timeout", TimedOutError, True),
        (429, "Too Many Requests", RateLimitedError, True),
        (500, "internal error", ServerError, True),
        (503, "overloaded", ServerError, True),
        (529, "overloaded", ServerError, True),
        (None, "something broke", UnreachableError, True),
    ],
)
def test_a_status_has_its_kind(status, message, kind, again):
    failure = failed(StatusError(status, message))
    assert type(failure.error) is kind
    assert failure.again is again
    assert message in str(failure.error)


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_stops_the_job(status):
    with pytest.raises(AuthenticationError, match=f"answered {status}: no entry"):
        refusal_in(StatusError(status, "no entry"), REQUEST)


def test_an_account_without_quota_stops_the_job_instead_of_being_tried_again():
    message = (
        "You exceeded your current quota, please check your plan and billing details. insufficient_quota"
    )
    with pytest.raises(AuthenticationError, match="no quota left"):
        refusal_in(StatusError(429, message), REQUEST)


def test_an_unknown_model_stops_the_job():
    with pytest.raises(NoProviderError, match=r"conf/models/, and llm\.api_bases"):
        refusal_in(StatusError(404, "model not found"), REQUEST)


def test_a_filtered_prompt_is_a_refusal():
    answer = refusal_in(StatusError(400, "blocked by our content management policy"), REQUEST)
    assert (answer.stop_reason, answer.content) == ("refusal", None)


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (httpx.ReadTimeout("slow"), TimedOutError),
        (httpx.ConnectError("refused"), UnreachableError),
        (httpx.RemoteProtocolError("cut"), UnreachableError),
        (json.JSONDecodeError("Expecting value", "<html>", 0), MalformedReplyError),
    ],
)
def test_a_cause_counts_more_than_the_status_a_library_made_up(cause, kind):
    error = StatusError(500, "APIConnectionError")
    error.__cause__ = cause
    failure = failed(error)
    assert type(failure.error) is kind
    assert failure.again


def test_retry_after_is_found_in_the_answer():
    assert failed(StatusError(429, "slow", {"Retry-After": "7"})).retry_after_s == 7.0
    assert failed(StatusError(429, "slow")).retry_after_s is None


def test_a_key_in_the_message_does_not_get_through(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "planted-Zq7wN3x")
    with pytest.raises(AuthenticationError) as caught:
        refusal_in(StatusError(401, "Incorrect API key provided: planted-Zq7wN3x"), REQUEST)
    assert "Zq7" not in str(caught.value)
