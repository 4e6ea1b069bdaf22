"""The server's process: in a group of its own, ended as a group, killed by the system if its keeper dies."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

PR_SET_PDEATHSIG = 1
POLL_S = 0.05


def start_server(words: Sequence[str], environment: Mapping[str, str], log: Path) -> subprocess.Popen[bytes]:
    """Start a server; what it prints is added to `log`.

    Raises:
        OSError: the program cannot be started.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        return subprocess.Popen(  # noqa: S603  # the command stands in conf/serving/
            list(words),
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_dies_with_parent(),
        )


def stop_server(process: subprocess.Popen[bytes], timeout_s: float) -> None:
    """End a server and all that it started: asked first, killed after `timeout_s` seconds."""
    # A server's own children may outlive it, so the group is signalled even if its first process is gone.
    if process.poll() is None:
        _signal_group(process.pid, signal.SIGTERM)
        end = time.monotonic() + timeout_s
        while process.poll() is None and time.monotonic() < end:
            time.sleep(POLL_S)
    _signal_group(process.pid, signal.SIGKILL)
    process.wait()


def free_port(host: str) -> int:
    """A port that nobody listens on at this moment."""
    with socket.socket() as listener:
        listener.bind((host, 0))
        port: int = listener.getsockname()[1]
        return port


def _signal_group(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _dies_with_parent() -> Callable[[], None] | None:
    """What the child does before it becomes the server: ask the kernel to be killed with its keeper."""
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None, use_errno=True)
    keeper = os.getpid()

    def ask() -> None:
        library.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != keeper:
            os._exit(1)

    return ask
