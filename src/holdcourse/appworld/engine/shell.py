"""One episode: a task's world, opened by the engine's own class, and the shell that agent code runs in.

AppWorld's traps that are met here: restoring a state ends the engine's log of calls, closes all databases and
makes the shell's imports anew; after it no world can be opened in the process, so a process serves one
episode. The clock of the process stands still from the moment the world is open: nothing here waits or
measures.
"""

from __future__ import annotations

import builtins
import io
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from holdcourse.appworld.engine.apis import agent_apis
from holdcourse.appworld.engine.call_log import CallLog
from holdcourse.appworld.engine.enclosure import Memory
from holdcourse.appworld.engine.guard import refusal
from holdcourse.appworld.engine.limits import Limits
from holdcourse.appworld.engine.loading import Operations
from holdcourse.appworld.engine.printing import BoundedText, cut
from holdcourse.appworld.engine.sandbox import names, taken_away
from holdcourse.appworld.engine.watch import Watch

_SESSION = "supervisor.Task"
_PERSON = ("first_name", "last_name", "email", "phone_number")


class Shell:
    """The world of one task, open in this process.

    Args:
        task_id: a task of the world on disk.
        experiment: folder of the engine's own records; with `task_id` it is this episode's alone.
    """

    def __init__(
        self,
        task_id: str,
        experiment: str,
        limits: Limits,
        watch: Watch,
        memory: Memory | None,
        operations: Operations,
    ) -> None:
        from appworld.environment import AppWorld
        from IPython.utils import capture

        def bounded() -> io.StringIO:
            return BoundedText(limits.printed_characters, watch.record)

        capture.StringIO = bounded
        self._limits = limits
        self._watch = watch
        self._memory = memory
        self._log = CallLog(operations)
        self._ran = False
        # Without ground truth: the evaluation is another process's.
        self._world: Any = AppWorld(
            task_id=task_id,
            experiment_name=experiment,
            load_ground_truth=False,
            timeout_seconds=limits.execute_s,
            max_interactions=limits.executions,
            max_api_calls_per_interaction=limits.calls,
        )
        self._run_cell = self._world._shell_run_cell
        self._world._shell_run_cell = self._run_watched
        # Else a line such as `env` is a command of IPython's.
        self._world.shell.automagic = False
        self._close_doors()

    def task(self) -> dict[str, object]:
        """What the agent is told of its task."""
        task = self._world.task
        return {
            "task_id": task.id,
            "instruction": task.instruction,
            "supervisor": {name: str(task.supervisor[name]) for name in _PERSON},
            "datetime": task.datetime.isoformat(),
        }

    def execute(self, code: str) -> dict[str, object]:
        """Run agent code: what it printed, the calls it made, and why it was refused or stopped.

        Raises:
            OSError: the state could not be written to disk.
        """
        self._log.clear()
        self._watch.stopped = []
        self._ran = False
        reason = refusal(code)
        if reason is None:
            output = str(self._world.execute(code))
            if self._watch.stopped:
                reason = f"stopped while it ran: {'; '.join(self._watch.stopped)}"
        else:
            output = f"Execution refused: {reason}. There are the apis and plain Python, nothing else."
        return {
            "output": cut(output, self._limits.output_characters),
            "calls": self._log.calls,
            "responses": self._log.responses,
            "refused": reason,
            "failed": not self._ran,
            "completed": bool(self._world.task_completed()),
        }

    def changes(self) -> list[str]:
        """The evaluator's own difference to the task's start, by model: added, updated, removed."""
        from appworld.collections.models import ModelCollectionPair

        start, end = self._world.task.model_collection, self._world.models
        end.clear_ids_record_hashes()
        pair = ModelCollectionPair(start.to_db_home_path, start, end.to_db_home_path, end)
        rows = []
        for model in sorted(pair.changed_model_names(ignore=[_SESSION])):
            added, updated, removed = (len(records) for records in pair.changed_records(model))
            rows.append(f"{model}:+{added}/~{updated}/-{removed}")
        end.reset_db_home_path()
        return rows

    def flush(self) -> None:
        """Write the state to the engine's own records, from which an evaluation reads it."""
        self._world._save_state(self._world.output_db_home_path_on_disk)

    def save(self, folder: Path) -> None:
        """Keep the state of the databases."""
        self._world._save_state(str(folder))

    def load(self, folder: Path) -> None:
        """Go back to a state of the databases; what the agent's code has defined stays."""
        world = self._world
        world.shell.user_ns["__builtins__"] = builtins
        world.load_state(str(folder.absolute()))
        # Closed along with all others; it is read again when it is next asked for.
        world.task._model_collection = None
        self._close_doors()
        self.flush()

    def _run_watched(self, code: str) -> object:
        # The bound is asked of the system, which the watch would stop: so it is the outer one.
        with self._memory.bounded() if self._memory else nullcontext(), self._watch.on():
            result = self._run_cell(code)
        self._ran = bool(result is not None and result.success)
        return result

    def _close_doors(self) -> None:
        world = self._world
        self._log.watch(world.requester)
        space = world.shell.user_ns
        kept = names(self._watch.record, space)
        for name in taken_away(space):
            del space[name]
        space.update(kept, apis=agent_apis(world.apis, self._watch.off))
