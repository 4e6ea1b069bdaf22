"""Digests of a world's files: the same world has the same ones. Standard library only."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path


def checksums(data: Path, task_ids: Sequence[str]) -> dict[str, str]:
    """Digest of each part of a world's data, and of the tasks it was built with.

    Args:
        data: the `data` folder.
        task_ids: tasks that count; variants made later stand beside them and do not.
    """
    parts = {name: [data / name] for name in ("api_docs", "base_dbs", "datasets")}
    parts["tasks"] = [data / "tasks" / name for name in task_ids]
    return {name: _digest(data, folders) for name, folders in parts.items()}


def _digest(data: Path, folders: Sequence[Path]) -> str:
    whole = hashlib.sha256()
    files = sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())
    # Python leaves compiled evaluations beside the sources when the engine runs them.
    files = [path for path in files if path.parent.name != "__pycache__"]
    for path in files:
        whole.update(f"{path.relative_to(data)}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()
