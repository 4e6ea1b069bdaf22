"""Runs the engine side's commands: Python modules of ours, under the engine's own environment."""

from __future__ import annotations

import logging
import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import holdcourse
from holdcourse.appworld.engine_environment import EngineError
from holdcourse.serving.process import start_server, stop_server

log = logging.getLogger(__name__)

POLL_S = 0.1
STOP_S = 5.0
TAIL = 10
ERROR = "error: "
"""How the engine side's commands begin the line that says why they failed."""


def run_engine(python: Path, module: str, arguments: Sequence[str]) -> None:
    """Run a module of `holdcourse.appworld.engine` to its end; what it prints goes to the log as it comes.

    It ends with this process, however that ends.

    Args:
        python: interpreter of the engine's environment.
        module: its name within the engine's folder, such as "build".
        arguments: its command line.

    Raises:
        EngineError: it failed; the message is its own.
    """
    words = [str(python), "-m", f"holdcourse.appworld.engine.{module}", *arguments]
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(holdcourse.__file__).parents[1]),
        "PYTHONUNBUFFERED": "1",
        "OMP_NUM_THREADS": "1",
    }
    with tempfile.TemporaryDirectory(prefix="holdcourse-") as folder:
        printed = Path(folder, "printed.txt")
        process = start_server(words, environment, printed)
        try:
            with printed.open(encoding="utf-8", errors="replace") as lines:
                told = _followed(process, lines)
        finally:
            stop_server(process, STOP_S)
    if process.returncode:
        raise EngineError(_reason(module, process.returncode, told))


def _followed(process: subprocess.Popen[bytes], lines: TextIO) -> list[str]:
    """Log line by line until the process has ended; returns the last lines."""
    told: list[str] = []
    while True:
        ended = process.poll() is not None
        for line in lines:
            if line.strip():
                told = [*told, line.rstrip()][-TAIL:]
                log.info("%s", line.rstrip())
        if ended:
            return told
        time.sleep(POLL_S)


def _reason(module: str, status: int, told: Sequence[str]) -> str:
    reasons = [line.removeprefix(ERROR) for line in told if line.startswith(ERROR)]
    return reasons[-1] if reasons else f"the engine's {module} ended with status {status}: {' | '.join(told)}"
