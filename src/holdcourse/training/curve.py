"""The record of a training run: a row an optimizer step, and a row a scored completion.

Files of our own, whatever else listens: they are complete after a kill, and rows that a resumed run will
write again are dropped when it starts.
"""

from __future__ import annotations

import json
import math
import resource
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from pydantic import JsonValue

from holdcourse.files import read_jsonl, write_jsonl
from holdcourse.recovery.nodes import NODES
from holdcourse.training.collapse import StepHealth
from holdcourse.training.prompt_rows import PromptRow
from holdcourse.training.rewards.vector import RewardVector

_LOGGED = {
    "loss": "loss",
    "kl": "kl",
    "grad_norm": "grad_norm",
    "learning_rate": "learning_rate",
    "entropy": "entropy",
    "reward": "reward",
    "reward_std": "reward_std",
    "equal_groups": "frac_reward_zero_std",
    "length": "completions/mean_length",
    "cut_off": "completions/clipped_ratio",
    "clipped": "clip_ratio/region_mean",
}
"""Our names for what TRL logs."""


STEPS, COMPLETIONS = "curve.jsonl", "completions.jsonl"
"""The files of a training run's record."""


class Curve:
    """Writes curve.jsonl and completions.jsonl in a folder.

    Args:
        folder: of the run's work in progress.
        resumed: the step that a resumed run starts after; later rows are dropped.
    """

    def __init__(self, folder: Path, resumed: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.steps_file = folder / STEPS
        self.completions_file = folder / COMPLETIONS
        self.rows = _kept(self.steps_file, resumed)
        _kept(self.completions_file, resumed)
        self._scored: list[dict[str, JsonValue]] = []
        self._started = time.perf_counter()

    def scored(
        self,
        step: int,
        rows: Sequence[PromptRow],
        completions: Sequence[str],
        vectors: Sequence[RewardVector],
    ) -> None:
        """Record the completions of a step with their rewards by component."""
        self._scored += [
            {
                "step": step,
                "prompt_id": row.id,
                "node": row.node,
                "completion": completion,
                "reward": vector.composite,
                "components": dict(vector.components),
            }
            for row, completion, vector in zip(rows, completions, vectors, strict=True)
        ]

    def step(self, number: int, logs: Mapping[str, float]) -> StepHealth:
        """Record an optimizer step from TRL's logs; returns what the collapse rules read."""
        now = time.perf_counter()
        row: dict[str, JsonValue] = {"step": number}
        row |= {ours: _finite(logs.get(theirs)) for ours, theirs in _LOGGED.items()}
        row |= {
            "completions": len(self._scored),
            "seconds": round(now - self._started, 3),
            "memory_mb": peak_memory_mb(),
        }
        row["components"] = _means(self._scored)
        row["nodes"] = {
            node: _mean(
                [reward for done in self._scored if done["node"] == node for reward in [done["reward"]]]
            )
            for node in NODES
            if any(done["node"] == node for done in self._scored)
        }
        _append(self.completions_file, self._scored)
        _append(self.steps_file, [row])
        self.rows.append(row)
        self._scored, self._started = [], now
        return health(row)


def health(row: Mapping[str, object]) -> StepHealth:
    """What the collapse rules read of a row of the curve; what is missing is NaN."""

    def value(name: str) -> float:
        found = row.get(name)
        return float(found) if isinstance(found, int | float) else math.nan

    return StepHealth(int(value("step")), value("reward"), value("kl"), value("length"), value("cut_off"))


def peak_memory_mb() -> int:
    """Largest memory so far: of the GPU if there is one, else resident memory of this process; in MB."""
    if torch.cuda.is_available():
        return int(torch.cuda.max_memory_allocated()) // 2**20
    # Linux counts in KB, macOS in bytes.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (
        2**20 if sys.platform == "darwin" else 2**10
    )


def recorded_steps(folder: Path) -> int:
    """How many steps, from the first on, stand in both files without a gap; cut lines are removed."""
    recorded = [{row["step"] for row in _rows(folder / name)} for name in (STEPS, COMPLETIONS)]
    whole = 0
    while all(whole + 1 in steps for steps in recorded):
        whole += 1
    return whole


def _kept(file: Path, resumed: int) -> list[dict[str, JsonValue]]:
    """Drop the rows after a step."""
    if not file.is_file():
        return []
    rows = [row for row in _rows(file) if isinstance(step := row["step"], int) and step <= resumed]
    write_jsonl(file, rows)
    return rows  # type: ignore[return-value]  # JSON by origin


def _rows(file: Path) -> list[dict[str, object]]:
    """The rows of a file; a line that a kill cut off is dropped."""
    if not file.is_file():
        return []
    content = file.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if whole != content:
        file.write_bytes(whole)
    return read_jsonl(file)


def _append(file: Path, rows: Sequence[Mapping[str, JsonValue]]) -> None:
    text = "".join(json.dumps(row, sort_keys=True, ensure_ascii=False) + "\n" for row in rows)
    with file.open("a", encoding="utf-8") as stream:
        stream.write(text)


def _means(scored: Sequence[Mapping[str, JsonValue]]) -> dict[str, JsonValue]:
    vectors = [components for row in scored if isinstance(components := row["components"], dict)]
    names = list(dict.fromkeys(name for vector in vectors for name in vector))
    return {name: _mean([vector.get(name) for vector in vectors]) for name in names}


def _mean(values: Sequence[JsonValue]) -> float | None:
    defined = [float(value) for value in values if isinstance(value, int | float)]
    return sum(defined) / len(defined) if defined else None


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)
