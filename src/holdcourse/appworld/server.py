"""The engine's server, seen by its client: a process with the engine loaded, forked for each episode.

It listens on loopback, answers only to who knows its secret, and ends with its client, however that ends. Its
own records are kept in a temporary folder, unless they are asked for.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import secrets
import select
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self, cast

import holdcourse
from holdcourse.appworld.engine.wire import receive, send
from holdcourse.appworld.engine_environment import EngineError, check_root
from holdcourse.appworld.episode import Episode
from holdcourse.config.engine import EngineLimits
from holdcourse.serving.process import stop_server

log = logging.getLogger(__name__)

COMMAND = ("-s", "-m", "holdcourse.appworld.engine.serve")
STOP_S = 5.0
TAIL_CHARACTERS = 800
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class EngineServer:
    """Serves episodes of one world. A context manager; threads may share it, an episode each.

    Args:
        root: the world: the folder above `data`.
        python: interpreter of the engine's environment.
        limits: what an episode may use.
        outputs: an AppWorld root in which the engine's own records of the episodes stay, so that
            `APPWORLD_ROOT=outputs appworld evaluate EXPERIMENT DATASET` finds them; None keeps none.
        warm: use every app once at the start, for a server of more than a dozen episodes.
    """

    def __init__(
        self,
        root: Path,
        python: Path,
        limits: EngineLimits | None = None,
        outputs: Path | None = None,
        warm: bool = True,
    ) -> None:
        self._root = root.absolute()
        self._python = python.absolute()
        self._limits = limits or EngineLimits()
        self._outputs = outputs.absolute() if outputs else None
        self._warm = warm
        self._secret = secrets.token_hex(16)
        self._lock = threading.Lock()
        self._open: set[tuple[str, str]] = set()
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = Path()
        self._port = 0

    @property
    def pid(self) -> int:
        """The server's process; 0 before it was started."""
        return self._process.pid if self._process else 0

    def __enter__(self) -> Self:
        with self._lock:
            self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._stop()

    @contextmanager
    def episode(self, task_id: str, experiment: str) -> Iterator[Episode]:
        """One episode of a task, in a process of its own. A server that has died is started again first.

        Args:
            task_id: a task of the world.
            experiment: name of the engine's records; with `task_id`, one episode's alone while that is open.

        Raises:
            EngineError: there is no such task, the pair is in use, or the engine cannot be started.
        """
        self._check(task_id, experiment)
        with self._claimed(task_id, experiment):
            connection = self._connect({"do": "open", "task_id": task_id, "experiment": experiment})
            with contextlib.closing(connection):
                episode = Episode(connection, task_id, experiment, self._limits, self._kill, self._evaluate)
                with contextlib.closing(episode):
                    yield episode

    def _check(self, task_id: str, experiment: str) -> None:
        if not _NAME.fullmatch(experiment):
            raise EngineError(
                f"experiment {experiment!r}: expected up to 100 letters, digits, dots, dashes and underscores"
            )
        if (
            not _NAME.fullmatch(task_id)
            or not (self._root / "data" / "tasks" / task_id / "specs.json").is_file()
        ):
            raise EngineError(f"the world in {self._root} has no task {task_id!r}")

    @contextmanager
    def _claimed(self, task_id: str, experiment: str) -> Iterator[None]:
        pair = (experiment, task_id)
        with self._lock:
            if pair in self._open:
                raise EngineError(
                    f"an episode of task {task_id} is open in experiment {experiment!r}; name another one"
                )
            self._open.add(pair)
        try:
            yield
        finally:
            with self._lock:
                self._open.discard(pair)

    def _connect(self, hello: Mapping[str, object]) -> socket.socket:
        with self._lock:
            if self._process is None:
                raise EngineError("the engine's server is not running; use it as a context manager")
            if self._process.poll() is not None:
                log.warning("the engine's server ended (%s); starting it again", self._process.returncode)
                self._stop()
                self._start()
            port = self._port
        try:
            connection = socket.create_connection(("127.0.0.1", port), timeout=self._limits.open_s)
            with connection.makefile("rwb") as stream:
                send(stream, {"secret": self._secret, **hello})
        except OSError as error:
            raise EngineError(f"the engine's server does not answer ({error}); {self._tail()}") from None
        return connection

    def _evaluate(self, task_id: str, experiment: str) -> Mapping[str, object]:
        connection = self._connect({"do": "evaluate", "task_id": task_id, "experiment": experiment})
        with contextlib.closing(connection), connection.makefile("rwb") as stream:
            connection.settimeout(self._limits.answer_s)
            try:
                found = receive(stream)
            except (OSError, ValueError) as error:
                found = {"problem": str(error) or type(error).__name__}
        if found is None or "problem" in found:
            why = found["problem"] if found else "its process ended unexpectedly"
            raise EngineError(f"task {task_id} ({experiment}) could not be evaluated: {why}")
        return cast("dict[str, object]", found["answer"])

    def _kill(self, pid: int) -> None:
        """Have the server end one episode: it alone knows that the number is still that process's."""
        with self._lock, suppress(OSError):
            if self._process is not None and self._process.stdin is not None:
                self._process.stdin.write(f"{pid}\n".encode())
                self._process.stdin.flush()

    def _start(self) -> None:
        check_root(self._root)
        self._folder = self._outputs or Path(tempfile.mkdtemp(prefix="holdcourse-engine-"))
        self._prepare()
        check_root(self._folder)
        request = {
            "root": str(self._folder),
            "warm": self._warm,
            "keep": self._outputs is not None,
            "secret": self._secret,
            "port": self._limits.port,
            "limits": self._limits.model_dump(),
        }
        with (self._folder / "engine.log").open("ab") as said:
            try:
                self._process = subprocess.Popen(  # noqa: S603  # this program's own module
                    [str(self._python), *COMMAND],
                    env=self._environment(),
                    cwd=self._folder,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=said,
                    # Ctrl-C is for the client; the server ends with it.
                    start_new_session=True,
                )
            except OSError as error:
                self._stop()
                raise EngineError(
                    f"{self._python} cannot be started: {error.strerror}; run `make setup`"
                ) from None
        try:
            started = self._started(self._process, request)
        except EngineError:
            self._stop()
            raise
        self._port = cast("int", started["port"])
        log.info("the engine is ready after %s s", started["seconds"])

    def _started(self, process: subprocess.Popen[bytes], request: Mapping[str, object]) -> dict[str, object]:
        if process.stdin is None or process.stdout is None:
            raise EngineError("the engine's server has no pipes")
        line = b""
        with suppress(OSError):
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            ready, _, _ = select.select([process.stdout], [], [], self._limits.start_s)
            if not ready:
                raise EngineError(f"the engine did not start within {self._limits.start_s} s; {self._tail()}")
            line = process.stdout.readline()
        if not line:
            raise EngineError(f"the engine's server ended before it was ready; {self._tail()}")
        answer = cast("dict[str, object]", json.loads(line))
        if answer.get("problem") == "port":
            raise EngineError(
                f"port {self._limits.port} cannot be listened on ({answer['why']}); "
                "engine.limits.port=0 takes a free one"
            )
        if "problem" in answer:
            raise EngineError(f"the engine cannot be loaded: {answer['why']}; {self._tail()}")
        return answer

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            if process.stdin is not None:
                with suppress(OSError):
                    process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(STOP_S)
            stop_server(process, STOP_S)
            if process.stdout is not None:
                process.stdout.close()
        if self._outputs is None and self._folder.name.startswith("holdcourse-engine-"):
            shutil.rmtree(self._folder, ignore_errors=True)

    def _prepare(self) -> None:
        """Make the folder an AppWorld root: the world's data by a link, and places of its own beside them."""
        for name in ("checkpoints", "cache", "ipython"):
            (self._folder / name).mkdir(parents=True, exist_ok=True)
        data = self._folder / "data"
        if data.is_symlink():
            data.unlink()
        if data.exists():
            raise EngineError(f"{data} exists and is no link; name another folder for the engine's records")
        data.symlink_to(self._root / "data")

    def _environment(self) -> dict[str, str]:
        """A new environment, with nothing of ours in it: above all no key."""
        inherited = {
            name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ
        }
        return {
            **inherited,
            "PYTHONPATH": str(Path(holdcourse.__file__).parents[1]),
            # The engine draws from sets now and then; its results are not to depend on the day.
            "PYTHONHASHSEED": "0",
            "PYTHONUTF8": "1",
            "TZ": "UTC",
            "OMP_NUM_THREADS": "1",
            "APPWORLD_ROOT": str(self._folder),
            "APPWORLD_CACHE": str(self._folder / "cache"),
            "IPYTHONDIR": str(self._folder / "ipython"),
            # The engine loads a `.env` that lies above it, as the project's does.
            "PYTHON_DOTENV_DISABLED": "1",
        }

    def _tail(self) -> str:
        path = self._folder / "engine.log"
        text = path.read_text(encoding="utf-8", errors="replace").strip() if path.is_file() else ""
        return f"the end of its log:\n{text[-TAIL_CHARACTERS:]}" if text else "its log is empty"
