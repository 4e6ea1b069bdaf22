"""Messages between the engine and its client: one JSON object a line, over a socket or a pipe.

Standard library only: both environments speak it. No clock is looked at here, since the engine's stands
still.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Protocol, cast

LONGEST = 64 * 1024 * 1024
"""Bytes of the longest message; a longer one is an error and not read any further."""


class Stream(Protocol):
    """What a message is written to and read from."""

    def write(self, data: bytes, /) -> object:
        """Take bytes."""

    def flush(self) -> object:
        """Pass on what was taken."""

    def readline(self, size: int, /) -> bytes:
        """Bytes up to and with the next line end."""


def send(stream: Stream, message: Mapping[str, object]) -> None:
    """Write one message.

    Raises:
        OSError: the other side is gone.
    """
    stream.write(json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n")
    stream.flush()


def receive(stream: Stream) -> dict[str, object] | None:
    """Read one message; None when the other side has ended.

    Raises:
        OSError: the connection broke.
        ValueError: the line is no message.
    """
    line = stream.readline(LONGEST)
    if not line.endswith(b"\n"):
        if len(line) >= LONGEST:
            raise ValueError(f"a message is longer than {LONGEST} bytes")
        return None
    message = json.loads(line)
    if not isinstance(message, dict):
        raise ValueError("a message is a JSON object")
    return cast("dict[str, object]", message)
