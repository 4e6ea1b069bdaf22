"""The forked process of one episode, or of one evaluation: it answers its client's requests one by one."""

from __future__ import annotations

import hmac
import os
import re
import socket
import sys
import sysconfig
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdcourse.appworld.engine.enclosure import die_with_parent, enclose, limit
from holdcourse.appworld.engine.shell import Shell
from holdcourse.appworld.engine.watch import Watch
from holdcourse.appworld.engine.wire import receive, send

if TYPE_CHECKING:
    from holdcourse.appworld.engine.serve import Service

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_CHECKPOINT = re.compile(r"[0-9a-f]{32}")
_ZONES = "/usr/share/zoneinfo"
_SYSTEM = ("/usr/lib", "/usr/local/lib", "/lib", "/lib64", "/etc/localtime", "/dev/urandom", _ZONES)


def answer(service: Service, connection: socket.socket) -> int:
    """Serve one connection until its client ends it; the process's exit status."""
    die_with_parent(os.getppid())
    stream = connection.makefile("rwb")
    hello = receive(stream)
    if hello is None or not hmac.compare_digest(str(hello.get("secret")), service.secret):
        return 0
    service.secret = ""
    connection.settimeout(None)
    task_id, experiment = str(hello["task_id"]), str(hello["experiment"])
    if not _NAME.fullmatch(task_id) or not _NAME.fullmatch(experiment):
        send(stream, {"problem": "names are letters, digits, dots, dashes and underscores"})
        return 0
    try:
        if hello["do"] == "evaluate":
            send(stream, {"answer": _evaluate(task_id, experiment)})
            return 0
        shell = _open(service, task_id, experiment)
        send(stream, {"answer": {"pid": os.getpid(), **shell.task()}})
        while (asked := receive(stream)) is not None:
            send(stream, {"answer": _do(service, shell, asked)})
    except OSError as error:
        # Above all a full disk: the engine keeps its state there, so the episode is lost.
        send(stream, {"problem": f"the engine cannot read or write its files: {error}"})
        # The log may stand on that disk too.
        with suppress(OSError):
            traceback.print_exc()
    except Exception as error:
        send(stream, {"problem": f"the engine failed with {type(error).__name__}: {error}"})
        traceback.print_exc()
    return 0


def _open(service: Service, task_id: str, experiment: str) -> Shell:
    root, data = service.root, service.root / "data"
    task = data / "tasks" / task_id
    own = root / "experiments" / "outputs" / experiment / "tasks" / task_id
    for folder in (own, root / "checkpoints"):
        folder.mkdir(parents=True, exist_ok=True)
    code = (
        sys.prefix,
        sysconfig.get_path("stdlib"),
        sysconfig.get_path("platstdlib"),
        str(Path(__file__).parents[3]),
    )
    start = (data / "base_dbs", data / "api_docs", data / "version.txt", task / "specs.json", task / "dbs")
    memory = limit(service.limits.memory_mb, service.limits.file_mb)
    watch = Watch((*code, *(str(Path(path).resolve()) for path in code), _ZONES))
    enclose(
        readable=(*code, *_SYSTEM, *map(str, start), str(root / "ipython")),
        writable=(str(own), str(root / "checkpoints"), os.devnull),
    )
    return Shell(task_id, experiment, service.limits, watch, memory, service.operations)


def _do(service: Service, shell: Shell, asked: dict[str, object]) -> object:
    match asked:
        case {"do": "execute", "code": str(code)}:
            return shell.execute(code)
        case {"do": "changes"}:
            return shell.changes()
        case {"do": "flush"}:
            shell.flush()
        case {"do": "save", "name": str(name)} if _CHECKPOINT.fullmatch(name):
            # Never a path of the client's: the engine empties the folder that it saves a state to.
            shell.save(service.root / "checkpoints" / name)
        case {"do": "load", "name": str(name)} if _CHECKPOINT.fullmatch(name):
            shell.load(service.root / "checkpoints" / name)
        case _:
            raise ValueError(f"unknown request {asked.get('do')!r}")
    return None


def _evaluate(task_id: str, experiment: str) -> dict[str, object]:
    """The engine's own evaluation of the state on disk: the one place that reads the ground truth."""
    from appworld.evaluator import evaluate_task

    tracker: Any = evaluate_task(task_id=task_id, experiment_name=experiment, save_report=False)
    return {
        "success": bool(tracker.success),
        "passes": int(tracker.pass_count),
        "total": int(tracker.num_tests),
        "failures": [str(failure["requirement"]) for failure in tracker.failures],
    }
