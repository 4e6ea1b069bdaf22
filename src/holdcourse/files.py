"""Reading and writing result files: atomic, UTF-8, the same bytes for the same value."""

from __future__ import annotations

import fcntl
import glob
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from holdcourse.errors import HoldcourseError

if TYPE_CHECKING:
    # The AppWorld engine's environment has pydantic 1, which lacks it.
    from pydantic import JsonValue


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; parent folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


@contextmanager
def held(path: Path, work: str) -> Iterator[None]:
    """Hold a lock file while the body runs; it is let go of when the process ends, however it ends.

    Raises:
        HoldcourseError: another process holds it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise HoldcourseError(
                f"{work} is in use: another run is making it; wait for it or stop it first"
            ) from None
        yield


def remove_leftovers(path: Path) -> None:
    """Remove what a write of this file has left that was killed in the middle."""
    for temporary in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text atomically, line endings as given."""
    write_bytes(path, text.encode())


def write_json(path: Path, value: object) -> None:
    """Write one JSON value: sorted keys, two spaces, a final newline."""
    write_text(path, json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False) + "\n")


def write_jsonl(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """Write one JSON object a line, keys sorted."""
    write_text(path, "".join(json.dumps(row, sort_keys=True, ensure_ascii=False) + "\n" for row in rows))


def read_text(path: Path) -> str:
    """Read UTF-8 text.

    Raises:
        HoldcourseError: the file is missing or is not UTF-8.
    """
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        raise HoldcourseError(f"{path} does not exist; run the stage that makes it first") from None
    except UnicodeDecodeError as error:
        raise HoldcourseError(f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8 text") from None


def read_json(path: Path) -> object:
    """Read one JSON value.

    Raises:
        HoldcourseError: the file is missing, not UTF-8 or not JSON.
    """
    return _parsed(read_text(path), str(path))


def read_object(path: Path) -> dict[str, JsonValue]:
    """Read one JSON object.

    Raises:
        HoldcourseError: the file is missing, not UTF-8, not JSON or not an object.
    """
    value = read_json(path)
    if not isinstance(value, dict):
        raise HoldcourseError(f"{path}: expected a JSON object, got {type(value).__name__}")
    return value


def read_jsonl(path: Path) -> list[dict[str, object]]:
    """Read one JSON object a line.

    Raises:
        HoldcourseError: the file is missing or a line is not a JSON object; the line is named.
    """
    rows: list[dict[str, object]] = []
    lines = read_text(path).split("\n")
    if lines[-1] == "":
        lines.pop()
    for number, line in enumerate(lines, start=1):
        row = _parsed(line, f"{path}, line {number}")
        if not isinstance(row, dict):
            raise HoldcourseError(f"{path}, line {number}: expected a JSON object, got {type(row).__name__}")
        rows.append(row)
    return rows


def _parsed(text: str, place: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = f", line {error.lineno}" if "\n" in text else ""
        raise HoldcourseError(f"{place}{line}: not JSON ({error.msg}); remove the file and rerun") from None
    except (ValueError, RecursionError) as error:
        # A number of thousands of digits, or brackets as deep.
        raise HoldcourseError(f"{place}: cannot be read ({error}); remove the file and rerun") from None
