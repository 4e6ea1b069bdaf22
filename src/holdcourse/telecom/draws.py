"""Chance from hashes: the same draw whatever the order of the work, with no global generator."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from holdcourse.telecom.tasks import TaskInfo


def derive_seed(seed: int, task_id: str, trial: int) -> int:
    """The seed that a model is given in one trial of one task: 31 bits, 0 to 2^31 - 1."""
    return int.from_bytes(_digest("simulation", seed, task_id, trial)[:4]) >> 1


def ordered_by_hash(tasks: Iterable[TaskInfo], *purpose: str | int) -> list[TaskInfo]:
    """Tasks in an order that depends on `purpose` and their ids only: a shuffle without a generator."""
    return sorted(tasks, key=lambda task: (_digest(*purpose, task.id), task.id))


def _digest(*parts: str | int) -> bytes:
    return hashlib.sha256(json.dumps(parts).encode()).digest()
