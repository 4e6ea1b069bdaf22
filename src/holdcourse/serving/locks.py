"""File locks that the system lets go of when their holder ends, however it ends.

They carry the whole bookkeeping of a shared server: a shared lock is one user of it, an exclusive lock is its
keeper. Nothing is counted, so a killed job leaves no wrong count behind. The files are on a local disk.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

POLL_S = 0.05


class FileLock:
    """A lock on a file, which is made if need be; a context manager that lets go at its end."""

    def __init__(self, path: Path) -> None:
        # Not inherited by programs that are started while the lock is held.
        self._descriptor: int | None = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def shared(self) -> bool:
        """Take the lock together with others, at once or not at all."""
        return self._take(fcntl.LOCK_SH)

    def exclusive(self) -> bool:
        """Take the lock alone, at once or not at all."""
        return self._take(fcntl.LOCK_EX)

    def shared_within(self, seconds: float) -> bool:
        """Take the lock together with others, waiting a while for it."""
        return _within(seconds, self.shared)

    def exclusive_within(self, seconds: float) -> bool:
        """Take the lock alone, waiting a while for it."""
        return _within(seconds, self.exclusive)

    def release(self) -> None:
        """Let go and close the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _take(self, kind: int) -> bool:
        if self._descriptor is None:
            raise ValueError("this lock was released")
        try:
            fcntl.flock(self._descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _within(seconds: float, take: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while not take():
        if time.monotonic() > end:
            return False
        time.sleep(POLL_S)
    return True


def is_held_alone(path: Path) -> bool:
    """Whether someone holds the file's lock exclusively."""
    with FileLock(path) as lock:
        return not lock.shared()
