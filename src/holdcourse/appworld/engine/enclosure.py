"""What the operating system forbids the process of an episode: files, sockets, memory, outliving its parent.

On Linux with Landlock (5.13 and later, no privilege needed) the process can read the engine, the databases
and its own task's start, and write its own folder, and nothing else: the ground truth is out of its reach
whatever the code does. Elsewhere the fences in `guard`, `sandbox` and `watch` stand alone.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1
# Access rights by bit (linux/landlock.h): execute 0, write 1, read file 2, read folder 3, make and remove
# 4-12, refer 13 (version 2), truncate 14 (version 3), device ioctl 15 (version 5).
_OF_A_FILE = 0b1100_0000_0000_0111
_READ = 0b1101
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_MEGABYTE = 1024 * 1024
_SPARE_MB = 512


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes of address space: while agent code runs, and otherwise, so that the engine can go on after it."""

    agents: int
    engines: int

    @contextmanager
    def bounded(self) -> Iterator[None]:
        """Agent code runs."""
        _soften(self.agents, self.engines)
        try:
            yield
        finally:
            _soften(self.engines, self.engines)


def limit(memory_mb: int, file_mb: int) -> Memory | None:
    """Bound what this process may add to its memory, and the size of a file it writes; no core files.

    Returns:
        The bounds of memory; None where the system does not say how much is in use.
    """
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, file_mb * _MEGABYTE)
    try:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:
        return None
    agents = used + memory_mb * _MEGABYTE
    engines = _lower(resource.RLIMIT_AS, agents + _SPARE_MB * _MEGABYTE)
    return Memory(min(agents, engines), engines)


def enclose(readable: Iterable[str], writable: Iterable[str]) -> bool:
    """Take from this process every file but these, every TCP connection, and signals to others.

    Returns:
        Whether the kernel could.
    """
    if sys.platform != "linux":
        return False
    library = ctypes.CDLL(None, use_errno=True)
    version = library.syscall(_CREATE_RULESET, None, 0, _VERSION)
    if version < 1:
        return False
    every = (1 << _RIGHTS.get(version, 16)) - 1
    rules = _Ruleset(every, 0b11 if version >= 4 else 0, 0b11 if version >= 6 else 0)
    ruleset = library.syscall(_CREATE_RULESET, ctypes.byref(rules), ctypes.sizeof(rules), 0)
    if ruleset < 0:
        return False
    try:
        for path in readable:
            _allow(library, ruleset, path, _READ & every)
        for path in writable:
            _allow(library, ruleset, path, every)
        library.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        return bool(library.syscall(_RESTRICT_SELF, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


def _allow(library: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    with suppress(FileNotFoundError):
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            allowed = rights if Path(path).is_dir() else rights & _OF_A_FILE
            rule = _Beneath(allowed, opened)
            if library.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0) != 0:
                raise OSError(ctypes.get_errno(), "the kernel refused a rule for", path)
        finally:
            os.close(opened)


def _lower(which: int, value: int) -> int:
    _, hard = resource.getrlimit(which)
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (bound, bound))
    return bound


def _soften(soft: int, hard: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
