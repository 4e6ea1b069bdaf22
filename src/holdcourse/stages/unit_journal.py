"""The journals of one unit of work: what a killed job finds again."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

from holdcourse.journal import Journal

NAMES = ("simulations", "replies", "trajectories", "walks", "episodes", "answers", "completions")
"""The journals a unit may have: what it finished of each kind, and the answers to its own calls."""


@dataclass(frozen=True)
class UnitJournals:
    """Where a unit's journals stand and what they belong to."""

    folder: Path
    identity: str

    def open(self, name: str) -> Journal:
        """Open one of the unit's journals."""
        return Journal.open(self.folder / f"{name}.jsonl", {"unit": self.identity})

    def discard(self) -> None:
        """Remove the journals of a finished unit; what they held stands in its results."""
        for name in NAMES:
            (self.folder / f"{name}.jsonl").unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.folder.rmdir()
