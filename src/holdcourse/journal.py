"""An append-only record of finished work, outside the outputs that a workflow engine may delete.

A journal belongs to one identity (configuration, code and inputs of a job). Work that it holds is never
done again; work of another identity never gets in. A line cut off by a kill is dropped when the journal
is opened; any other damage is an error, since it means that something else wrote to the file.
"""

from __future__ import annotations

import fcntl
import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import JsonValue

from holdcourse.errors import HoldcourseError

VERSION = 1


class JournalError(HoldcourseError):
    """A journal cannot be used as it is; the message says which line and what to do."""


class Journal:
    """Finished records by key, and the open file that takes the next one (one writer at a time)."""

    def __init__(self, path: Path, handle: int, done: dict[str, dict[str, JsonValue]]) -> None:
        self.path = path
        self.done = done
        self._handle = handle

    @classmethod
    def open(cls, path: Path, identity: Mapping[str, JsonValue]) -> Self:
        """Open a journal for appending, or start it.

        Raises:
            JournalError: another run holds it, it belongs to another identity, or a line is damaged.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise JournalError(
                    f"{path} is in use: another run is doing this work; wait for it or stop it first"
                ) from None
            content = path.read_bytes()
            whole = content[: content.rfind(b"\n") + 1]
            done = _read(path, whole, dict(identity)) if whole else {}
            if len(whole) != len(content):
                os.ftruncate(handle, len(whole))
            if not whole:
                os.write(handle, _line({"journal": VERSION, "identity": dict(identity)}))
        except BaseException:
            os.close(handle)
            raise
        return cls(path, handle, done)

    def append(self, key: str, record: Mapping[str, JsonValue]) -> None:
        """Record finished work; once this returns, a kill of the process does not lose it.

        `done` then holds the record as the file does, so that a run reads the same whether it was killed or
        not, down to the order of keys.
        """
        line = _line({"key": key, "record": dict(record)})
        whole = os.fstat(self._handle).st_size
        written = 0
        try:
            while written < len(line):
                written += os.write(self._handle, line[written:])
        except OSError:
            # A full disk takes half a line; the next one must not be glued to it.
            os.ftruncate(self._handle, whole)
            raise
        self.done[key] = json.loads(line.partition(b" ")[2])["record"]

    def close(self) -> None:
        """Flush to disk and let others open the journal."""
        os.fsync(self._handle)
        os.close(self._handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _line(value: Mapping[str, JsonValue]) -> bytes:
    body = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"{zlib.crc32(body.encode()):08x} {body}\n".encode()


def _read(path: Path, content: bytes, identity: dict[str, JsonValue]) -> dict[str, dict[str, JsonValue]]:
    done: dict[str, dict[str, JsonValue]] = {}
    for number, line in enumerate(content[:-1].split(b"\n"), start=1):
        entry = _checked(path, number, line)
        if number == 1:
            if entry.get("journal") != VERSION or entry.get("identity") != identity:
                raise JournalError(
                    f"{path} belongs to another configuration, code or input than this run; "
                    "move it away to start afresh, or go back to the configuration that wrote it"
                )
            continue
        key, record = entry.get("key"), entry.get("record")
        if not isinstance(key, str) or not isinstance(record, dict):
            raise JournalError(f"{path}, line {number}: no key and record; {_ADVICE}")
        done[key] = record
    return done


_ADVICE = "remove that line to repeat its work, or move the file away to start afresh"


def _checked(path: Path, number: int, line: bytes) -> dict[str, JsonValue]:
    checksum, _, body = line.partition(b" ")
    if f"{zlib.crc32(body):08x}".encode() != checksum:
        raise JournalError(f"{path}, line {number}: damaged (its checksum does not match); {_ADVICE}")
    try:
        entry = json.loads(body)
    except ValueError:
        raise JournalError(f"{path}, line {number}: not JSON; {_ADVICE}") from None
    if not isinstance(entry, dict):
        raise JournalError(f"{path}, line {number}: not an object; {_ADVICE}")
    return entry
