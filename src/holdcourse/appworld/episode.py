"""One episode of the engine, seen by its client: code in, what it printed and did out."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast
from uuid import uuid4

from holdcourse.appworld.engine.wire import receive, send
from holdcourse.appworld.engine_environment import EngineError
from holdcourse.config.engine import EngineLimits
from holdcourse.drift.records import Call, call_of


@dataclass(frozen=True, slots=True)
class Supervisor:
    """The person an agent works for."""

    first_name: str
    last_name: str
    email: str
    phone_number: str


@dataclass(frozen=True, slots=True)
class TaskInfo:
    """What an agent is told of its task; `datetime` (ISO) is where the world's clock stands."""

    task_id: str
    instruction: str
    supervisor: Supervisor
    datetime: str


@dataclass(frozen=True, slots=True)
class Execution:
    """What came of one execution.

    Attributes:
        output: what the code printed, or the error; cut at the limit.
        calls: the calls it made, whatever became of it.
        responses: what the apps answered, a JSON value a call, with all that may be secret in it.
        refused: why the code was not run, or what of it was stopped; None nearly always.
        failed: whether it did not run to its end.
        completed: whether the agent has closed its task.
    """

    output: str
    calls: tuple[Call, ...]
    responses: tuple[object, ...]
    refused: str | None
    failed: bool
    completed: bool


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What the engine's own tests say of the state; `failures` are the requirements that are not met."""

    success: bool
    passes: int
    total: int
    failures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A kept state of the databases, of one task, for as long as its server runs."""

    task_id: str
    name: str


class Episode:
    """A task's world with the shell that agent code runs in; `EngineServer.episode` opens and closes it."""

    def __init__(
        self,
        connection: socket.socket,
        task_id: str,
        experiment: str,
        limits: EngineLimits,
        kill: Callable[[int], None],
        evaluate: Callable[[str, str], Mapping[str, object]],
    ) -> None:
        """Take over a connection on which the server's process of this episode was asked to open it.

        Raises:
            EngineError: it could not.
        """
        self._connection = connection
        self._stream = connection.makefile("rwb")
        self._task_id = task_id
        self._experiment = experiment
        self._limits = limits
        self._kill = kill
        self._evaluate = evaluate
        self._pid = 0
        self._over: str | None = None
        self._completed = False
        opened = cast("dict[str, object]", self._answer("open", limits.open_s))
        self._pid = cast("int", opened["pid"])
        self.task = TaskInfo(
            task_id=str(opened["task_id"]),
            instruction=str(opened["instruction"]),
            supervisor=Supervisor(**cast("dict[str, str]", opened["supervisor"])),
            datetime=str(opened["datetime"]),
        )

    @property
    def pid(self) -> int:
        """The process of this episode."""
        return self._pid

    def execute(self, code: str) -> Execution:
        """Run an agent's code.

        Code that does not let itself be stopped is ended together with the episode: the result says so, and
        all but `evaluate` raises from then on.

        Raises:
            EngineError: the episode was lost.
        """
        seconds = self._limits.execute_s + self._limits.grace_s
        try:
            answer = self._ask("execute", seconds, code=code)
        except TimeoutError:
            stopped = f"stopped while it ran: it did not end within {seconds} s"
            self._end(f"its code was {stopped}")
            output = f"Execution failed: {stopped}, and the episode with it."
            return Execution(output, (), (), stopped, failed=True, completed=self._completed)
        found = cast("dict[str, object]", answer)
        self._completed = bool(found["completed"])
        return Execution(
            output=str(found["output"]),
            calls=tuple(call_of(call) for call in cast("list[dict[str, object]]", found["calls"])),
            responses=tuple(cast("list[object]", found["responses"])),
            refused=cast("str | None", found["refused"]),
            failed=bool(found["failed"]),
            completed=self._completed,
        )

    def changes(self) -> tuple[str, ...]:
        """What differs from the task's start, as the evaluator sees it: "app.Model:+added/~updated/-removed".

        The state of the agent's own task does not count. Empty when nothing was touched.
        """
        return tuple(cast("list[str]", self._answer("changes", self._limits.answer_s)))

    def evaluate(self) -> Evaluation:
        """What the engine's tests say of the world; of a lost episode's, as its last whole step left it."""
        if self._over is None:
            self._answer("flush", self._limits.answer_s)
        found = self._evaluate(self._task_id, self._experiment)
        return Evaluation(
            success=bool(found["success"]),
            passes=cast("int", found["passes"]),
            total=cast("int", found["total"]),
            failures=tuple(cast("list[str]", found["failures"])),
        )

    def save(self) -> Checkpoint:
        """Keep the state of the databases."""
        checkpoint = Checkpoint(self._task_id, uuid4().hex)
        self._answer("save", self._limits.answer_s, name=checkpoint.name)
        return checkpoint

    def load(self, checkpoint: Checkpoint) -> None:
        """Go back to a state of the databases, of this episode or another of its task; Python's names stay.

        Raises:
            EngineError: it is of another task, or the episode was lost.
        """
        if checkpoint.task_id != self._task_id:
            raise EngineError(
                f"a checkpoint of task {checkpoint.task_id} cannot be loaded in an episode of {self._task_id}"
            )
        self._answer("load", self._limits.answer_s, name=checkpoint.name)

    def close(self) -> None:
        """End the episode; its process ends too."""
        self._over = self._over or "it was closed"
        self._stream.close()
        self._connection.close()

    def _answer(self, do: str, seconds: float, **fields: object) -> object:
        try:
            return self._ask(do, seconds, **fields)
        except TimeoutError:
            self._end(f"the engine did not answer to {do} within {seconds} s")
            raise EngineError(self._lost()) from None

    def _ask(self, do: str, seconds: float, **fields: object) -> object:
        if self._over is not None:
            raise EngineError(self._lost())
        self._connection.settimeout(seconds)
        try:
            if do != "open":
                send(self._stream, {"do": do, **fields})
            found = receive(self._stream)
        except TimeoutError:
            raise
        except (OSError, ValueError) as error:
            found = {"problem": f"the connection broke ({error})"}
        if found is None:
            found = {"problem": "its process ended unexpectedly"}
        if "problem" in found:
            self._end(str(found["problem"]))
            raise EngineError(self._lost())
        return found["answer"]

    def _end(self, why: str) -> None:
        self._over = why
        if self._pid:
            self._kill(self._pid)

    def _lost(self) -> str:
        return f"the episode of task {self._task_id} ({self._experiment}) is over: {self._over}; open another"
