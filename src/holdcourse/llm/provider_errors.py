"""What a provider's error means: try again, count it by its kind, take it for a refusal, or stop the job.

Decided by HTTP status and wording, not by the class of a client library: libraries disagree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from holdcourse.llm.chat import ChatRequest, Usage
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
from holdcourse.llm.provider import Answer
from holdcourse.llm.redaction import redact
from holdcourse.llm.retries import FailedTryError, retry_after_s

_TOO_LONG = re.compile(
    r"context.?length|context.?window|maximum context|exceeds? the (available )?context|context size"
    r"|prompt is too long|input is too long|too many (input )?tokens|input token count .*exceeds"
    r"|exceeds the maximum number of (input )?tokens|maximum (input|model|prompt|sequence) length"
    r"|(prompt|input|request)( \(\d+ tokens\))? (is )?longer than|reduce the length of"
    r"|please reduce (the length|your prompt)|string too long|max_model_len|n_ctx",
    re.IGNORECASE | re.DOTALL,
)
_REFUSED = re.compile(
    r"content.?policy|content.?filter|content management policy|responsible.?ai|safety "
    r"(system|settings|filter)"
    r"|prohibited.?content|flagged",
    re.IGNORECASE,
)
_NO_QUOTA = re.compile(
    r"insufficient.?quota|exceeded your current quota, please check|billing|credit balance", re.IGNORECASE
)
_NO_JSON = re.compile(
    r"expecting value|json.?decode|invalid json|not valid json|unterminated string|extra data"
    r"|expecting property name|expecting ',' delimiter|unable to (get|parse) json",
    re.IGNORECASE,
)
_SHOWN = 500


def refusal_in(error: Exception, request: ChatRequest) -> Answer:
    """The refusal that an error is, if it is one; else raise what it means.

    Raises:
        FailedTryError: this try failed; says whether another can help.
        AuthenticationError: 401, 403, or an account without quota.
        NoProviderError: 404, or no such provider.
    """
    status = _status(error)
    whole = " ".join(redact(str(error)).split()) or type(error).__name__
    said = whole if len(whole) <= _SHOWN else f"{whole[:_SHOWN]} …"
    whom = f"{request.model} (role {request.role})"
    where = f"{whom} answered {status}" if status else whom
    if status in (401, 403):
        raise AuthenticationError(
            f"{where}: {said}. Check the key in the environment and that it may use this model"
        ) from error
    if status in (400, 413, 422) and _TOO_LONG.search(whole):
        raise FailedTryError(ContextLengthError(f"{where}: {said}"), again=False) from error
    if status in (429, 402) and _NO_QUOTA.search(whole):
        raise AuthenticationError(f"{where}: {said}. The account has no quota left; top it up") from error
    if status in (400, 422) and (_REFUSED.search(whole) or "ContentPolicy" in type(error).__name__):
        return Answer(None, (), "refusal", Usage(0, 0))
    if status == 404 or "provider not provided" in whole.lower():
        raise NoProviderError(
            f"{where}: {said}. Check the model's name in conf/models/, and llm.api_bases"
        ) from error
    raise FailedTryError(
        _failure(error, status, said, where),
        again=status is None or status in (408, 409, 425, 429) or status >= 500,
        retry_after_s=retry_after_s(_header(error, "retry-after")),
    ) from error


def no_answer(what: str, request: ChatRequest) -> FailedTryError:
    """A try that brought something which is no answer."""
    return FailedTryError(
        MalformedReplyError(f"{request.model} (role {request.role}) sent {what}"), again=True
    )


def _failure(error: Exception, status: int | None, said: str, where: str) -> CallError:
    text = f"{where}: {said}"
    names = {kind.__name__ for each in _chain(error) for kind in type(each).__mro__}
    if status == 429:
        return RateLimitedError(text)
    if status == 408 or names & {"Timeout", "APITimeoutError", "TimeoutException", "TimeoutError"}:
        return TimedOutError(text)
    if names & {"JSONDecodeError", "APIResponseValidationError"} or _NO_JSON.search(said):
        return MalformedReplyError(text)
    unreachable = {"ConnectionError", "TransportError", "NetworkError"}
    if status is not None and 400 <= status < 500 and status not in (409, 425):
        return BadRequestError(text)
    if names & unreachable or "APIConnectionError" in names or status is None:
        return UnreachableError(text)
    return ServerError(text)


def _status(error: Exception) -> int | None:
    """The HTTP status that the provider answered with; None when no answer came.

    Client libraries put a status on errors of their own making too, so a cause that is a broken connection
    decides first.
    """
    for each in _chain(error):
        kinds = {kind.__name__ for kind in type(each).__mro__}
        if kinds & {"TransportError", "TimeoutException", "APIConnectionError", "APITimeoutError"} and not (
            kinds & {"APIStatusError", "HTTPStatusError"}
        ):
            return None
        if "JSONDecodeError" in kinds:
            return None
    status = getattr(error, "status_code", None)
    try:
        return int(status) if status is not None else None
    except (TypeError, ValueError):
        return None


def _chain(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def _header(error: Exception, name: str) -> str | None:
    for each in _chain(error):
        response = getattr(each, "response", None)
        for headers in (getattr(response, "headers", None), getattr(each, "litellm_response_headers", None)):
            if isinstance(headers, Mapping):
                for key, value in headers.items():
                    if str(key).lower() == name:
                        return str(value)
    return None
