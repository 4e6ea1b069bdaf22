"""Using a server: start it if nobody has, wait until it is ready, let go of it at the end."""

from __future__ import annotations

import logging
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from holdcourse.files import write_text
from holdcourse.serving.locks import FileLock, is_held_alone
from holdcourse.serving.plan import ServerPlan, ServingError
from holdcourse.serving.state import read_state

log = logging.getLogger(__name__)

POLL_S = 0.1
KEEPER_START_S = 60.0


@contextmanager
def served(plan: ServerPlan) -> Iterator[str]:
    """The base URL of a server that runs for as long as the context does.

    Jobs on one machine whose plans are the same share one server. It is stopped when no job has used it for
    `linger_s`; a job that fails or is killed stops using it.

    Raises:
        ServingError: the server did not become ready, or it died for good while it was used.
    """
    folder = plan.folder
    folder.mkdir(mode=0o700, exist_ok=True)
    with FileLock(folder / "users") as use:
        # A keeper that is just stopping its server holds this lock until it is done.
        if not use.shared_within(plan.stop_timeout_s + KEEPER_START_S):
            raise ServingError(f"the server of {plan.model} is stuck; see {plan.log} and {folder}")
        url = _ready(plan, folder)
        yield url
        state = read_state(folder)
        if state is None or state.status != "ready" or not is_held_alone(folder / "keeper"):
            problem = state.problem if state is not None else "its keeper is gone"
            raise ServingError(
                f"the server of {plan.model} died while it was used: {problem or 'its keeper is gone'}"
            )


def _ready(plan: ServerPlan, folder: Path) -> str:
    _start_keeper(plan, folder)
    log.info("waiting for the server of %s (its log: %s)", plan.model, plan.log)
    started = time.monotonic()
    # The keeper gives up by itself; this is for a keeper that hangs.
    end = started + (plan.start_timeout_s + plan.stop_timeout_s) * (plan.restarts + 1) + KEEPER_START_S
    while time.monotonic() < end:
        state = read_state(folder)
        if state is not None and state.status == "ready":
            log.info("the server of %s is ready at %s", plan.model, state.url)
            return state.url
        if not is_held_alone(folder / "keeper"):
            problem = state.problem if state is not None else ""
            raise ServingError(
                f"the server of {plan.model} could not be started: {problem or 'its keeper ended'}"
            )
        time.sleep(POLL_S)
    raise ServingError(f"the server of {plan.model} did not become ready; see {plan.log}")


def _start_keeper(plan: ServerPlan, folder: Path) -> None:
    """Start a keeper unless one is at work; returns when it is."""
    with FileLock(folder / "start") as starting:
        if not starting.exclusive_within(KEEPER_START_S):
            raise ServingError(f"another job is stuck in starting the server of {plan.model}; see {folder}")
        if is_held_alone(folder / "keeper"):
            return
        (folder / "state.json").unlink(missing_ok=True)
        write_text(folder / "plan.json", plan.to_json())
        # In a session of its own: Ctrl-C is for the jobs, and the keeper notices when they are gone.
        with (folder / "keeper.err").open("wb") as said:
            keeper = subprocess.Popen(  # noqa: S603  # this program's own module
                [sys.executable, "-m", "holdcourse.serving.keeper", str(folder)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                start_new_session=True,
            )
        end = time.monotonic() + KEEPER_START_S
        while read_state(folder) is None:
            if keeper.poll() is not None:
                error = (folder / "keeper.err").read_text(encoding="utf-8", errors="replace").strip()
                raise ServingError(
                    f"the keeper of the server of {plan.model} ended: {error[-800:] or 'silently'}"
                )
            if time.monotonic() > end:
                raise ServingError(f"the keeper of the server of {plan.model} did not start; see {folder}")
            time.sleep(POLL_S)
