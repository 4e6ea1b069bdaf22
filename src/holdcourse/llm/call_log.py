"""The ledger of calls: a line for each, written at once, so that no kill loses what was paid for.

The stages' own ledger.jsonl is written when a unit is finished; this one grows while it runs. Several
processes append to one file: each line is one write to a file opened for appending.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from pydantic import JsonValue

from holdcourse.errors import HoldcourseError
from holdcourse.llm.ledger import LedgerLine
from holdcourse.llm.redaction import redact

ANSWERED, EMPTY, REFUSED, CUT_OFF = "answered", "empty", "refused", "cut_off"
"""Outcomes of a call that was answered; one that failed has the kind of its error instead."""


class CallLog:
    """Appends lines to one file; makes it, and its folder, when the first comes."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, line: LedgerLine, outcome: str) -> None:
        """Write one line, whole, before returning."""
        record = {**line.record(), "outcome": outcome, "at": round(time.time(), 3)}
        text = redact(json.dumps(record, sort_keys=True, ensure_ascii=False)) + "\n"
        try:
            handle = self._open()
        except FileNotFoundError:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle = self._open()
        try:
            os.write(handle, text.encode())
        finally:
            os.close(handle)

    def _open(self) -> int:
        return os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)


def read_calls(path: Path) -> list[dict[str, JsonValue]]:
    """Lines of a ledger of calls; one that a kill cut off at the end is left out.

    Raises:
        HoldcourseError: another line is no JSON object.
    """
    content = path.read_bytes()
    rows: list[dict[str, JsonValue]] = []
    for number, line in enumerate(content[: content.rfind(b"\n") + 1].splitlines(), start=1):
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise HoldcourseError(f"{path}, line {number}: not a JSON object; mend or remove that line")
        rows.append(row)
    return rows
