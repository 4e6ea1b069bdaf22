"""A limit of one call's whole time on the wire.

An HTTP client's own time limit holds between two reads; a server that sends a byte now and then passes it.
While `hard_limit` is in force, each read of this thread waits at most until its end. It is put into httpcore,
which carries every synchronous call of httpx and so of LiteLLM; a thread for each call, which could be
abandoned, would cost more than the rest of the door.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpcore
from httpcore._backends.sync import SyncStream


class _Here(threading.local):
    ends_at: float | None = None


_here = _Here()
_read = SyncStream.read


@contextmanager
def hard_limit(seconds: float) -> Iterator[None]:
    """Let reads of this thread raise httpcore.ReadTimeout once so many seconds are over."""
    _here.ends_at = time.monotonic() + seconds
    try:
        yield
    finally:
        _here.ends_at = None


def _bounded_read(stream: SyncStream, max_bytes: int, timeout: float | None = None) -> bytes:
    if _here.ends_at is not None:
        left = _here.ends_at - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("the whole call took too long")
        timeout = left if timeout is None else min(timeout, left)
    return _read(stream, max_bytes, timeout)


SyncStream.read = _bounded_read  # type: ignore[assignment,method-assign]
