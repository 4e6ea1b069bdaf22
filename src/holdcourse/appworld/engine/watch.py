"""Watches agent code while it runs: what the interpreter reports of files, processes and sockets is refused.

Python calls an audit hook for every such act, however it was come by, and a hook cannot be taken off again.
This one looks only at the thread that runs agent code, while it runs: calls of the apps are the engine's own
work.
"""

from __future__ import annotations

import _thread
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_ACTS = """_thread. asyncio. code. ctypes. cpython.run_ ensurepip. fcntl. ftplib. gc. glob. http. imaplib.
    mmap. msvcrt. os. pickle. poplib. pty. resource. shutil. signal. smtplib. socket. sqlite3.
    subprocess. sys.addaudithook sys.setprofile sys.settrace syslog. telnetlib. tempfile. urllib.
    webbrowser. winreg."""
_REFUSED = tuple(_ACTS.split())
_PATHS = ("open", "os.listdir", "os.scandir")
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class StoppedError(PermissionError):
    """Agent code did what it may not."""


class Watch:
    """The hook, and what it stopped.

    Args:
        readable: folders from which modules and the text of tracebacks are read, also while agent code runs.
    """

    def __init__(self, readable: Sequence[str]) -> None:
        self._readable = tuple(f"{folder.rstrip('/')}/" for folder in readable)
        self._thread = threading.get_ident()
        self._on = False
        self.stopped: list[str] = []
        sys.addaudithook(self._hook)
        self._watch_threads()

    def record(self, act: str) -> None:
        """Write down what was stopped elsewhere."""
        if act not in self.stopped:
            self.stopped.append(act)

    @contextmanager
    def on(self) -> Iterator[None]:
        """Agent code runs."""
        self.stopped = []
        self._on = True
        try:
            yield
        finally:
            self._on = False

    @contextmanager
    def off(self) -> Iterator[None]:
        """The engine's code runs, called by agent code."""
        before, self._on = self._on, False
        try:
            yield
        finally:
            self._on = before

    def _watch_threads(self) -> None:
        """Before Python 3.12 the start of a thread is not reported."""
        start: Any = _thread.start_new_thread

        def checked(*arguments: object) -> object:
            self._hook("_thread.start_new_thread", arguments)
            return start(*arguments)

        for module, name in ((_thread, "start_new_thread"), (threading, "_start_new_thread")):
            setattr(module, name, checked)

    def _hook(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self._on or threading.get_ident() != self._thread:
            return
        if event in _PATHS:
            if self._may_read(arguments):
                return
        elif not event.startswith(_REFUSED):
            return
        act = f"{event} {arguments[0]!r}"[:200] if arguments else event
        self.record(act)
        raise StoppedError(f"{act} is not allowed")

    def _may_read(self, arguments: tuple[object, ...]) -> bool:
        path, flags = arguments[0], arguments[2] if len(arguments) > 2 else 0
        if not isinstance(path, str) or (isinstance(flags, int) and flags & _WRITES):
            return False
        # Not resolved through links: that would itself ask the file system.
        return ".." not in Path(path).parts and path.startswith(self._readable)
