"""The engine's own Python environment and AppWorld's own data: where they are, and how they are got."""

from __future__ import annotations

import os
from pathlib import Path

from holdcourse.errors import HoldcourseError

SPLITS = ("train", "dev", "test_normal", "test_challenge")
"""The datasets of AppWorld's own data."""


class EngineError(HoldcourseError):
    """The engine cannot be used, or an episode of it was lost."""


def engine_python(environment: Path) -> Path:
    """The interpreter of the engine's environment.

    Raises:
        EngineError: it is not there, or `appworld install` was not run.
    """
    python = environment.absolute() / "bin" / "python"
    if not os.access(python, os.X_OK):
        raise EngineError(
            f"{environment} holds no environment of the AppWorld engine; run `make setup`, "
            "or choose another with engine.environment=DIR"
        )
    if not any(environment.glob("lib/python3*/site-packages/appworld/apps/admin/models.py")):
        raise EngineError(
            f"the apps of AppWorld are not unpacked in {environment}; run {python.parent}/appworld install"
        )
    return python


def official_world(environment: Path, root: str | None = None) -> Path:
    """The AppWorld root that holds AppWorld's own data, once its user has downloaded it (`world=official`).

    Args:
        environment: the engine's environment, whose command downloads the data.
        root: the folder above `data`; None takes $APPWORLD_ROOT.

    Raises:
        EngineError: no folder is named, or its data are missing or not whole.
    """
    download = f"APPWORLD_ROOT=DIR {environment / 'bin' / 'appworld'} download data"
    named = root or os.environ.get("APPWORLD_ROOT", "")
    if not named:
        raise EngineError(
            f"world=official needs AppWorld's data: run `{download}`, then set APPWORLD_ROOT to that folder"
        )
    found = Path(named).expanduser().absolute()
    missing = [
        name
        for name in ("tasks", "base_dbs", "api_docs/standard", *(f"datasets/{split}.txt" for split in SPLITS))
        if not (found / "data" / name).exists()
    ]
    if missing:
        raise EngineError(
            f"{found / 'data'} does not hold AppWorld's own data (no {missing[0]}); "
            f"run `{download.replace('DIR', str(found))}`"
        )
    check_root(found)
    return found


def official_tasks(root: Path, split: str) -> tuple[str, ...]:
    """The task ids of a split of AppWorld's own data.

    Raises:
        EngineError: there is no such split.
    """
    listed = root / "data" / "datasets" / f"{split}.txt"
    if not listed.is_file():
        raise EngineError(f"AppWorld has no split {split!r}; choose one of {', '.join(SPLITS)}")
    return tuple(listed.read_text(encoding="utf-8").split())


def check_root(root: Path) -> None:
    """Hold that the engine can work under a folder.

    Raises:
        EngineError: it has no data, or a name by which the engine misunderstands it.
    """
    if "memory" in str(root):
        raise EngineError(
            f"{root}: the engine takes a path with the word 'memory' for a database in memory; "
            "use another folder (HOLDCOURSE_CACHE or TMPDIR)"
        )
    if not (root / "data" / "tasks").is_dir():
        raise EngineError(f"{root} holds no world (there is no {root / 'data' / 'tasks'}); build it first")
