"""Runs a command of the engine's side for a test."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import holdcourse


def start(
    python: Path, module: str, *words: object, before: Callable[[], None] | None = None
) -> subprocess.Popen[str]:
    """Start a command; `before` runs in the new process first."""
    return subprocess.Popen(
        [str(python), "-m", f"holdcourse.appworld.engine.{module}", *map(str, words)],
        env={
            **os.environ,
            "PYTHONPATH": str(Path(holdcourse.__file__).parents[1]),
            "OMP_NUM_THREADS": "1",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=before,
    )


def run(
    python: Path, module: str, *words: object, before: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    with start(python, module, *words, before=before) as process:
        output, error = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode, output, error)
