"""What a keeper says about its server, in one small file that the jobs read."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from holdcourse.errors import HoldcourseError
from holdcourse.files import read_json, write_json

Status = Literal["starting", "ready", "failed", "stopped"]


@dataclass(frozen=True, slots=True)
class ServerState:
    """`problem` says why a server failed; `keeper` and `server` are process ids, 0 if there is none."""

    status: Status
    keeper: int
    server: int = 0
    url: str = ""
    problem: str = ""


_STATE = TypeAdapter(ServerState)


def write_state(folder: Path, state: ServerState) -> None:
    """Say how the server is."""
    write_json(folder / "state.json", asdict(state))


def read_state(folder: Path) -> ServerState | None:
    """How the server was last said to be; None before its keeper has said anything."""
    try:
        return _STATE.validate_python(read_json(folder / "state.json"))
    except (HoldcourseError, ValidationError):
        return None
