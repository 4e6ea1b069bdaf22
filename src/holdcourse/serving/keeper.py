"""The keeper: a small process that starts one server, watches it, and stops it when no job uses it any more.

`python -m holdcourse.serving.keeper FOLDER` reads FOLDER/plan.json. A job uses the server as long as it holds
a shared lock on FOLDER/users; the system lets go of it when the job ends, also by a kill. The keeper holds
FOLDER/keeper alone while it lives. If the keeper itself is killed, the kernel kills the server.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from holdcourse.files import read_text
from holdcourse.serving.health import not_ready
from holdcourse.serving.locks import FileLock
from holdcourse.serving.plan import ServerPlan, server_environment, shown
from holdcourse.serving.process import free_port, start_server, stop_server
from holdcourse.serving.state import ServerState, write_state

POLL_S = 0.2
LOCK_S = 5.0
TAIL_CHARACTERS = 1500


class _StopError(Exception):
    """The keeper was told to stop."""


class Keeper:
    """Keeps one server; `run` returns when it is stopped."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._plan = ServerPlan.from_json(read_text(folder / "plan.json"))
        self._users = FileLock(folder / "users")
        self._unused_since: float | None = None

    def run(self) -> None:
        """Start the server and keep it until nobody has used it for a while, or it fails for good."""
        say = ServerState("starting", os.getpid())
        write_state(self._folder, say)
        try:
            for start in range(self._plan.restarts + 1):
                problem = self._keep_one()
                if problem is None:
                    say = ServerState("stopped", os.getpid())
                    break
                again = start < self._plan.restarts and self._in_use()
                self._log(f"{problem}; {'starting it again' if again else 'giving up'}")
                say = ServerState("failed", os.getpid(), problem=problem)
                if not again:
                    break
                write_state(self._folder, ServerState("starting", os.getpid(), problem=problem))
        except _StopError:
            say = ServerState("stopped", os.getpid(), problem="its keeper was told to stop")
        finally:
            write_state(self._folder, say)

    def _keep_one(self) -> str | None:
        """Run the server once; None when it was stopped since nobody used it, else what went wrong."""
        plan = self._plan
        port = plan.port or free_port(plan.host)
        words = plan.words(port)
        self._log(shown(words))
        try:
            with _server(plan, words) as process:
                problem = self._until_ready(process, port)
                if problem is not None:
                    return None if problem == "" else f"{problem}; {self._tail()}"
                url = f"http://{plan.host}:{port}{plan.api_path}"
                write_state(self._folder, ServerState("ready", os.getpid(), process.pid, url))
                while not self._abandoned():
                    if process.poll() is not None:
                        return f"it ended with status {process.returncode}; {self._tail()}"
                    time.sleep(POLL_S)
                return None
        except OSError as error:
            return f"it cannot be started: {error}"

    def _until_ready(self, process: subprocess.Popen[bytes], port: int) -> str | None:
        """None when the server is ready, "" when nobody waits for it any more, else what went wrong."""
        plan = self._plan
        end = time.monotonic() + plan.start_timeout_s
        reason: str | None = "it was not asked yet"
        while time.monotonic() < end:
            if process.poll() is not None:
                return f"it ended with status {process.returncode} before it was ready"
            reason = not_ready(plan.host, port, plan.health_path, plan.models_path, plan.model)
            if reason is None:
                return None
            if self._abandoned():
                return ""
            time.sleep(POLL_S)
        return f"it was not ready within {plan.start_timeout_s:g} s ({reason})"

    def _in_use(self) -> bool:
        """Whether a job uses the server. If none does, none can begin to until this process ends."""
        return not self._users.exclusive()

    def _abandoned(self) -> bool:
        if self._in_use():
            self._unused_since = None
            return False
        now = time.monotonic()
        self._unused_since = now if self._unused_since is None else self._unused_since
        if now - self._unused_since >= self._plan.linger_s:
            return True
        # Nobody uses it for now: let go, so that the next job can come in.
        self._users.release()
        self._users = FileLock(self._folder / "users")
        return False

    def _log(self, text: str) -> None:
        path = Path(self._plan.log)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as log:
            log.write(f"[holdcourse] {text}\n")

    def _tail(self) -> str:
        text = Path(self._plan.log).read_text(encoding="utf-8", errors="replace").strip()
        return f"the end of {self._plan.log}:\n{text[-TAIL_CHARACTERS:]}"


@contextmanager
def _server(plan: ServerPlan, words: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    process = start_server(words, server_environment(os.environ), Path(plan.log))
    try:
        yield process
    finally:
        stop_server(process, plan.stop_timeout_s)


def main(folder: Path) -> None:
    """Keep the server planned in a folder, unless another keeper does already."""
    with FileLock(folder / "keeper") as mine:
        # Jobs look now and then whether somebody holds this lock, by taking it for a moment.
        if not mine.exclusive_within(LOCK_S):
            return

        def stop(number: int, frame: object) -> None:
            raise _StopError

        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, stop)
        Keeper(folder).run()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
