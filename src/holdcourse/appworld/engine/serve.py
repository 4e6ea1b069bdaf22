"""The engine's server: loads the engine once and forks a process for each episode and each evaluation.

    python -m holdcourse.appworld.engine.serve

It runs under the engine's own environment. The first line of its standard input says what to serve, later
ones which episode to kill; it ends when that input does, or when its parent is gone. Its one line of standard
output says where it listens.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import socket
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn, cast

from holdcourse.appworld.engine.limits import Limits
from holdcourse.appworld.engine.loading import Operations, load_once
from holdcourse.appworld.engine.wire import receive, send

POLL_S = 0.5
HELLO_S = 20.0


@dataclass
class Service:
    """What is served: a world under an AppWorld root of its own, to whoever knows the secret."""

    root: Path
    keep: bool
    secret: str
    limits: Limits
    operations: Operations = field(default_factory=dict)


def main() -> None:
    """Serve until the input ends."""
    asked, answers = os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb")
    # The engine prints; that belongs into the log.
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    given = receive(asked)
    if given is None:
        return
    service = Service(
        root=Path(str(given["root"])),
        keep=bool(given["keep"]),
        secret=str(given["secret"]),
        limits=Limits.of(cast("Mapping[str, object]", given["limits"])),
    )
    parent = os.getppid()
    signal.signal(signal.SIGTERM, _end)
    try:
        try:
            listener = socket.create_server(("127.0.0.1", cast("int", given["port"])), backlog=64)
        except OSError as error:
            send(answers, {"problem": "port", "why": error.strerror or str(error)})
            return
        began = time.monotonic()
        try:
            service.operations = load_once(service.root, bool(given["warm"]))
        except Exception as error:
            send(answers, {"problem": "engine", "why": f"{type(error).__name__}: {error}"})
            return
        seconds = round(time.monotonic() - began, 3)
        with suppress(BrokenPipeError):
            send(answers, {"port": listener.getsockname()[1], "seconds": seconds})
        answers.close()
        _serve(service, listener, asked.fileno(), parent)
    finally:
        if not service.keep:
            shutil.rmtree(service.root, ignore_errors=True)


def _end(number: int, frame: object) -> NoReturn:
    raise SystemExit(0)


def _serve(service: Service, listener: socket.socket, control: int, parent: int) -> None:
    children: set[int] = set()
    rest = b""
    try:
        while os.getppid() == parent:
            ready, _, _ = select.select([listener.fileno(), control], [], [], POLL_S)
            _reap(children)
            if control in ready:
                read = os.read(control, 65536)
                if not read:
                    return
                *lines, rest = (rest + read).split(b"\n")
                for line in lines:
                    # A process that has ended keeps its number until it is reaped here: none else can have
                    # it.
                    if line.isdigit() and int(line) in children:
                        os.kill(int(line), signal.SIGKILL)
            if listener.fileno() in ready:
                connection, _ = listener.accept()
                children.add(_fork(service, listener, connection, control))
                connection.close()
    finally:
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        for child in children:
            with suppress(ChildProcessError):
                os.waitpid(child, 0)


def _reap(children: set[int]) -> None:
    for child in list(children):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            children.discard(child)
            if status:
                code = os.waitstatus_to_exitcode(status)
                print(f"process {child} ended with {code}", file=sys.stderr, flush=True)


def _fork(service: Service, listener: socket.socket, connection: socket.socket, control: int) -> int:
    """Have a new process answer a connection; its number."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        from holdcourse.appworld.engine.episode import answer

        listener.close()
        os.close(control)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        connection.settimeout(HELLO_S)
        status = answer(service, connection)
    except BaseException as error:
        print(f"process {os.getpid()}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
    finally:
        # Not `sys.exit`: what was registered to be done at the end is the parent's to do.
        os._exit(status)


if __name__ == "__main__":
    main()
