"""The validation of a world's tasks, run by the engine's side, and its table for readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from holdcourse.appworld.engine_command import run_engine
from holdcourse.appworld.measured import kept
from holdcourse.appworld.world import World

RUNS = ("solution", "nothing", "wrong")
Row = Mapping[str, object]


def validated(world: World, python: Path, workers: int) -> dict[str, object]:
    """Run every task of a world with its solution, with nothing and with another task's solution.

    The outcome is kept beside the world, since nothing but the world and our code decides it.

    Returns:
        `tasks`, `surfaces`, `evaluate` (our shares and the engine's own, in percent) and `ok`.

    Raises:
        EngineError: a task is not sound, or the engine failed.
    """
    return kept(world.root / "validation.json", lambda path: _validate(world.root, python, workers, path))


def _validate(root: Path, python: Path, workers: int, path: Path) -> None:
    run_engine(python, "validate", [str(root), "--out", str(path), "--workers", str(workers)])


def validation_table(report: Mapping[str, object]) -> str:
    """The outcome in Markdown: a line a template, the sums, and the engine's own scores."""
    tasks = cast("Sequence[Row]", report["tasks"])
    surfaces = cast("Sequence[Row]", report["surfaces"])
    lines = [
        "# Validation of the world's tasks",
        "",
        "How many tasks the engine's own tests call done: after the solution (all must be), after closing "
        "the task at once and after another task's solution (none may be). Unit: task.",
        "",
        "| template | difficulty | tasks | solution | nothing | wrong | surfaces that show a planted text |",
        "|---|---:|---:|---:|---:|---:|---|",
    ]
    for name in dict.fromkeys(str(row["template"]) for row in tasks):
        mine = [row for row in tasks if row["template"] == name]
        shown = [
            str(row["surface"]) + ("" if row["sound"] else " (fails)")
            for row in surfaces
            if row["template"] == name
        ]
        lines.append(_line(name, str(mine[0]["difficulty"]), mine, ", ".join(shown)))
    lines.append(_line("all", "", tasks, ""))
    scores = cast("Mapping[str, Mapping[str, float]]", report["evaluate"])
    lines += [
        "",
        "Half of the tasks solved, half not: shares in percent, by our runs and by AppWorld's own `evaluate` "
        "command.",
        "",
        "| | " + " | ".join(scores["ours"]) + " |",
        "|---|" + "---:|" * len(scores["ours"]),
        *(
            f"| {name} | " + " | ".join(str(value) for value in found.values()) + " |"
            for name, found in scores.items()
        ),
        "",
    ]
    return "\n".join(lines)


def _line(name: str, difficulty: str, rows: Sequence[Row], surfaces: str) -> str:
    passed = [sum(bool(row[f"{run}_success"]) for row in rows) for run in RUNS]
    cells = [name, difficulty, str(len(rows)), *map(str, passed), surfaces]
    return f"| {' | '.join(cells)} |"
