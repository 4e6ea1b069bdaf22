"""A small file that many processes read and change in turn.

It is overwritten in place by one write under a lock, so that a kill leaves the old content or the new:
replacing it by a renamed file, as results are written, costs a journalling file system a millisecond each
time.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class OpenRecord:
    """The record while it is locked: `content` is what it holds, empty at first; `replace` writes."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._size = os.fstat(handle).st_size
        self.content = os.pread(handle, self._size, 0)

    def replace(self, content: bytes) -> None:
        """Write new content. Shorter one is padded with spaces, which JSON allows."""
        padded = content.ljust(self._size)
        os.pwrite(self._handle, padded, 0)
        self.content, self._size = padded, len(padded)


class SharedRecord:
    """One such file; it and its folder are made when it is first changed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def changing(self) -> Iterator[OpenRecord]:
        """Hold the record alone, over all processes and threads of this machine."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        try:
            handle = os.open(self.path, flags, 0o644)
        except FileNotFoundError:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path, flags, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield OpenRecord(handle)
        finally:
            os.close(handle)

    def read(self) -> bytes:
        """The content; empty when there is none."""
        try:
            handle = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return b""
        try:
            fcntl.flock(handle, fcntl.LOCK_SH)
            return os.pread(handle, os.fstat(handle).st_size, 0)
        finally:
            os.close(handle)
