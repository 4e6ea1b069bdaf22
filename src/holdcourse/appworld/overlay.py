"""A root for the engine over another's data: runs and variants made in it leave the other untouched.

Standard library only: both environments use it.
"""

from __future__ import annotations

import os
from pathlib import Path

_SHARED = ("api_docs", "base_dbs", "datasets")


def lay_over(source: Path, root: Path) -> None:
    """Make a root whose data are links to a source's, a link a task, so that others can be added.

    Args:
        source: a root of the engine, with `data`.
        root: the new root; links that are there already are kept, so that it can be done again.
    """
    data = root / "data"
    (data / "tasks").mkdir(parents=True, exist_ok=True)
    for name in _SHARED:
        _link(source / "data" / name, data / name)
    for task in sorted((source / "data" / "tasks").iterdir()):
        if not task.name.startswith("."):
            _link(task, data / "tasks" / task.name)


def _link(target: Path, place: Path) -> None:
    if not os.path.lexists(place):
        place.symlink_to(target.resolve())
