"""What one server is: its command, filled in, and the folder in which the jobs that share it meet.

The folder is local to the machine and named by all that makes servers the same: two jobs that need the same
command share one server, unless a batch system gave them different allocations or GPUs.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shlex
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from holdcourse.config.serving import ServingConfig
from holdcourse.errors import HoldcourseError

ALLOCATION = (
    "SLURM_JOB_ID",
    "CUDA_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
)
"""Variables that say which part of a machine a job was given: jobs with different values share no server."""

WITHHELD = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")
"""Variables of this program's own environment, which would mislead a server in another one."""

SCRIPT = Path(__file__).with_name("llamacpp.py")


class ServingError(HoldcourseError):
    """A server could not be started, or did not become ready."""


@dataclass(frozen=True)
class ServerPlan:
    """One server. `command` still holds {host} and {port}, since a free port is found when it is started."""

    model: str
    command: tuple[str, ...]
    host: str
    port: int
    health_path: str
    models_path: str | None
    api_path: str
    start_timeout_s: float
    stop_timeout_s: float
    linger_s: float
    restarts: int
    log: str

    @property
    def folder(self) -> Path:
        """Where the jobs that share this server, and its keeper, meet."""
        same = {"plan": {**asdict(self), "log": ""}, "allocation": _allocation()}
        key = hashlib.sha256(json.dumps(same, sort_keys=True).encode()).hexdigest()[:16]
        return meeting_place() / key

    def words(self, port: int) -> list[str]:
        """The command for one port."""
        return [_filled(word, {"host": self.host, "port": str(port)}) for word in self.command]

    def to_json(self) -> str:
        """The plan as text, for the keeper."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> ServerPlan:
        """Read what `to_json` made."""
        values = json.loads(text)
        return cls(**{**values, "command": tuple(values["command"])})


def plan_server(config: ServingConfig, model: str, logs: Path) -> ServerPlan:
    """The server of one model.

    Args:
        config: how servers are started.
        model: the model as conf/models/ names it, prefix included.
        logs: folder of the servers' logs, unless the configuration names one.

    Raises:
        ServingError: the model is not among those served, or the environment has no such program.
    """
    name = model.removeprefix(config.prefix)
    served = next((entry for entry in config.models if entry.name == name), None)
    if served is None:
        known = ", ".join(config.prefix + entry.name for entry in config.models) or "none"
        raise ServingError(
            f"model {model!r} is to be served, but conf/serving/ has no entry for it (it has {known}); add "
            f"{{name: {name}, weights: …}} to serving.models, or name a running server with "
            f"+llm.api_bases={{{config.prefix}: URL}}"
        )
    environment = str(Path(config.environment).absolute()) if config.environment else ""
    values = {
        "environment": environment,
        "script": str(SCRIPT),
        "name": served.name,
        "weights": str(Path(served.weights).absolute()) if Path(served.weights).exists() else served.weights,
        "threads": str(config.threads),
        "host": "{host}",
        "port": "{port}",
    }
    command = tuple(_filled(w, values) for w in (*config.command, *config.arguments, *served.arguments))
    if os.sep in command[0] and not os.access(command[0], os.X_OK):
        raise ServingError(
            f"model {model!r} needs a server, and {command[0]} does not exist; make its environment "
            "(`make setup-serving` or `make setup-vllm`), choose it with serving.environment=DIR, or name a "
            f"running server with +llm.api_bases={{{config.prefix}: URL}}"
        )
    return ServerPlan(
        model=served.name,
        command=command,
        host=config.host,
        port=config.port,
        health_path=config.health_path,
        models_path=config.models_path,
        api_path=config.api_path,
        start_timeout_s=config.start_timeout_s,
        stop_timeout_s=config.stop_timeout_s,
        linger_s=config.linger_s,
        restarts=config.restarts,
        log=str(Path(config.log or logs).absolute() / f"{served.name.replace('/', '--')}.log"),
    )


def meeting_place() -> Path:
    """The folder of this user's servers on this machine, readable to nobody else.

    Raises:
        ServingError: it belongs to someone else.
    """
    folder = Path(tempfile.gettempdir()) / f"holdcourse-serving-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise ServingError(
            f"{folder} is not this user's alone; remove it, or set TMPDIR to a folder of yours"
        )
    return folder


def server_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Variables a server is given: none of ours that would mislead it, and no provider's key."""
    return {
        name: value
        for name, value in environ.items()
        if name not in WITHHELD and not name.endswith(("_API_KEY", "_SECRET_ACCESS_KEY"))
    }


def _allocation() -> list[str | None]:
    # The host's name too, for containers that share a folder of temporary files.
    return [platform.node(), *(os.environ.get(name) for name in ALLOCATION)]


def shown(words: list[str]) -> str:
    """A command as one would type it."""
    return shlex.join(words)


def _filled(word: str, values: Mapping[str, str]) -> str:
    try:
        return word.format_map(values)
    except (KeyError, ValueError, IndexError) as error:
        raise ServingError(f"the word {word!r} of a server's command cannot be filled in: {error}") from None
