"""A time limit around many calls, such as those of one simulation, and a way to stop them.

Each thread has its own; both are looked at before a call is made or waited for.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from holdcourse.errors import HoldcourseError
from holdcourse.llm.failures import TimedOutError


class StoppedError(HoldcourseError):
    """Whoever wanted the work has given it up."""


class _Here(threading.local):
    ends_at: float | None = None
    limit_s: float = 0.0
    stop: threading.Event | None = None


_here = _Here()


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Bound all calls that this thread makes inside; None is no limit."""
    before = (_here.ends_at, _here.limit_s)
    if seconds is not None:
        _here.ends_at, _here.limit_s = time.monotonic() + seconds, seconds
    try:
        yield
    finally:
        _here.ends_at, _here.limit_s = before


@contextmanager
def stopping_with(event: threading.Event) -> Iterator[None]:
    """Let this thread's next call fail once the event is set."""
    before, _here.stop = _here.stop, event
    try:
        yield
    finally:
        _here.stop = before


def remaining_s(at_most: float) -> float:
    """Seconds that the next step may take: `at_most`, or less where this thread's limit is nearer.

    Raises:
        TimedOutError: the limit is over.
        StoppedError: the work was given up.
    """
    if _here.stop is not None and _here.stop.is_set():
        raise StoppedError("the work was given up")
    if _here.ends_at is None:
        return at_most
    left = _here.ends_at - time.monotonic()
    if left <= 0:
        raise TimedOutError(f"the time limit of {_here.limit_s:g} s for the whole simulation is over")
    return min(at_most, left)
