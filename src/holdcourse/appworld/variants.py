"""Variants of tasks, made by the engine's side: a task with one planted record more in its start state."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from holdcourse.appworld.engine_command import run_engine
from holdcourse.files import write_json


def plant(root: Path, python: Path, plan: Sequence[Mapping[str, object]]) -> None:
    """Make the variants of a plan that are not there yet.

    Args:
        root: the world.
        python: interpreter of the engine's environment.
        plan: rows `{"task_id", "variant_id", "surface", "text"}`.

    Raises:
        EngineError: one of them cannot be made.
    """
    missing = [row for row in plan if not (root / "data" / "tasks" / str(row["variant_id"])).is_dir()]
    if not missing:
        return
    with tempfile.TemporaryDirectory(prefix="holdcourse-") as folder:
        planned = Path(folder, "plan.json")
        write_json(planned, missing)
        run_engine(python, "variants", [str(root), str(planned)])
