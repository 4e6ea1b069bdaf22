"""When a failed try of a call is made again, and how long after.

Full jitter: the wait is drawn from 0 to an exponentially growing bound. A provider's Retry-After is obeyed up
to a bound of its own.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

import tenacity

from holdcourse.config.llm import RetriesConfig
from holdcourse.llm.deadline import remaining_s
from holdcourse.llm.failures import CallError

Result = TypeVar("Result")


class FailedTryError(Exception):
    """One try failed; `error` says how, should it have been the last.

    `again` is whether another try can help; `retry_after_s` is what the provider asked for.
    """

    def __init__(self, error: CallError, *, again: bool, retry_after_s: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.again = again
        self.retry_after_s = retry_after_s


def with_retries(
    config: RetriesConfig, one_try: Callable[[], Result], sleep: Callable[[float], None] = time.sleep
) -> Result:
    """Try until one succeeds, at most `config.attempts` times.

    Raises:
        CallError: the last try's error; TimedOutError when the time limit around is over.
    """
    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_exception(lambda error: isinstance(error, FailedTryError) and error.again),
        stop=tenacity.stop_after_attempt(config.attempts),
        wait=lambda state: _wait(config, state),
        sleep=lambda seconds: sleep(remaining_s(seconds)),
        reraise=True,
    )
    try:
        return retrying(one_try)
    except FailedTryError as failed:
        raise failed.error from failed.__cause__


def _wait(config: RetriesConfig, state: tenacity.RetryCallState) -> float:
    bound = min(config.longest_wait_s, config.first_wait_s * 2 ** (state.attempt_number - 1))
    # No result depends on how long was waited.
    jitter = random.uniform(0.0, bound)  # noqa: S311
    failed = state.outcome.exception() if state.outcome is not None else None
    asked = failed.retry_after_s if isinstance(failed, FailedTryError) else None
    return jitter if asked is None else min(asked, config.longest_retry_after_s) + jitter * 0.1


def retry_after_s(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a Retry-After header asks for: a number, or an HTTP date; None when it says neither."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            when = parsedate_to_datetime(value)
        except ValueError:
            return None
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        seconds = (when - (now or datetime.now(UTC))).total_seconds()
    return max(0.0, seconds) if seconds == seconds and seconds != float("inf") else None
