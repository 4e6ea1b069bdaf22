"""The journals of one unit of work: what a killed job finds again."""

from __future__ import annotations

import contextlib
import shutil
from dataclasses import dataclass
from pathlib import Path

from holdcourse.journal import Journal

NAMES = ("simulations", "replies", "trajectories", "walks", "episodes", "answers", "completions")
"""The journals a unit may have: what it finished of each kind, and the answers to its own calls."""
JUDGE_CACHE = "judge.jsonl"
"""What a model gave as judge."""
WORK = "training"
"""Folder of a training run's states: gigabytes, of no use once its results are on record."""


@dataclass(frozen=True)
class UnitJournals:
    """Where a unit's journals stand and what they belong to."""

    folder: Path
    identity: str

    def open(self, name: str) -> Journal:
        """Open one of the unit's journals."""
        return Journal.open(self.folder / f"{name}.jsonl", {"unit": self.identity})

    def discard(self) -> None:
        """Remove the journals of a finished unit; what they held stands in its results.

        The calls stay: they are the record of what was paid for.
        """
        # Out of the way in one move: half a training run must not pass for one to go on with.
        work, gone = self.folder / WORK, self.folder / f".{WORK}.gone"
        for folder in (gone, work):
            if folder.exists():
                shutil.rmtree(folder.replace(gone))
        for name in (*(f"{name}.jsonl" for name in NAMES), JUDGE_CACHE):
            (self.folder / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.folder.rmdir()
