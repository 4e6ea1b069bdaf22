"""Which target of the Snakefile makes a file, for errors that say how to get one that is missing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

SHIFT = "report"
TARGETS = {
    "drift-data": ("drift/world/", "drift/dataset/", "drift/prompts/", "figures/drift_dataset."),
    "training": ("drift/training/", "drift/intrinsic/"),
    "drift": ("drift/", "tables/drift_", "figures/drift_"),
}
"""Targets of the drift study, and how the files begin that each makes beside those of the one before it."""


def target_of(files: Sequence[Path], out: Path) -> str:
    """The smallest target that makes all of some files of a study; `out` is results/{study}."""
    made = {_target(path.relative_to(out).as_posix()) for path in files if path.is_relative_to(out)}
    return max(made, key=(SHIFT, *TARGETS).index, default=SHIFT)


def _target(name: str) -> str:
    return next((target for target, starts in TARGETS.items() if name.startswith(starts)), SHIFT)
