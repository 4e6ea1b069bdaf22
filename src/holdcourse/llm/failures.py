"""How a call to a language model can fail: for itself alone (`CallError`), or so that the job must stop.

Each takes one message, so that it crosses the border between processes as it is.
"""

from __future__ import annotations

from typing import ClassVar

from holdcourse.errors import HoldcourseError
from holdcourse.llm.chat import ModelError


class CallError(ModelError):
    """One call failed for good, after all its tries; the work around it may be tried again."""


class TimedOutError(CallError):
    """The provider did not answer within the limit of a call, or of a simulation."""

    kind: ClassVar[str] = "timeout"


class RateLimitedError(CallError):
    """The provider still refused for its rate limit after all tries."""

    kind: ClassVar[str] = "rate_limited"


class ServerError(CallError):
    """The provider still failed by itself (5xx) after all tries."""

    kind: ClassVar[str] = "server_error"


class UnreachableError(CallError):
    """No connection, or one that broke, after all tries."""

    kind: ClassVar[str] = "connection"


class MalformedReplyError(CallError):
    """The answer was no answer: no JSON, or tool arguments that are no JSON object, after all tries."""

    kind: ClassVar[str] = "malformed_reply"


class ContextLengthError(CallError):
    """The request is longer than the model takes. Asking again cannot help."""

    kind: ClassVar[str] = "context_length"


class BadRequestError(CallError):
    """The provider refuses the request as it is. Asking again cannot help."""

    kind: ClassVar[str] = "bad_request"


class NoProviderError(HoldcourseError):
    """The configuration names a model that cannot be reached."""


class MissingKeyError(HoldcourseError):
    """The environment lacks the key of a provider."""


class AuthenticationError(HoldcourseError):
    """A provider does not accept the key, or the key may not use the model."""


class ReplayMissError(HoldcourseError):
    """Replay was asked for an answer that its cache does not hold."""


class BudgetReachedError(HoldcourseError):
    """The study has spent what it may spend."""
