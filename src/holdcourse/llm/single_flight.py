"""Locks by name that end with their holder, however it ends: one asks, the others wait for its answer."""

from __future__ import annotations

import fcntl
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from holdcourse.llm.failures import TimedOutError

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.002, 0.1


@contextmanager
def hold(path: Path, wait_s: float | None = None) -> Iterator[None]:
    """Hold the lock at `path`, over all processes and threads of this machine.

    Raises:
        TimedOutError: another held it for longer than `wait_s`.
    """
    ends_at = None if wait_s is None else time.monotonic() + wait_s
    pause = _FIRST_PAUSE_S
    handle = acquired(path)
    while handle is None:
        if ends_at is not None and time.monotonic() > ends_at:
            raise TimedOutError(f"another call of the same request took longer than {wait_s:g} s")
        # Any pause will do, and no result depends on it.
        time.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311
        pause = min(pause * 1.5, _LONGEST_PAUSE_S)
        handle = acquired(path)
    try:
        yield
    finally:
        # Removed while held: whoever has it open already finds that it is not the one in the folder.
        path.unlink(missing_ok=True)
        os.close(handle)


def acquired(path: Path) -> int | None:
    """An open handle that holds the lock file at `path`, or None while another does."""
    try:
        handle = _opened(path)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = _opened(path)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if path.stat().st_ino == os.fstat(handle).st_ino:
            return handle
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
