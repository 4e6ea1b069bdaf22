"""Starts `small_model.py` by the Python that can, and stops it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Self


class LlamaServer:
    """A server of SmolLM2-135M on the loopback interface while the context is open."""

    def __init__(self, python: str, context: int) -> None:
        script = Path(__file__).with_name("small_model.py")
        self._command = [python, str(script), str(context)]
        self._process: subprocess.Popen[str] | None = None
        self.port = 0

    @property
    def api_base(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        assert line.isdigit(), f"the server did not start: {line!r}"
        self.port = int(line)
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.stdin.close()
            try:
                self._process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
