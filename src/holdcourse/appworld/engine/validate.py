"""Tells of every task whether its tests tell done from not done.

`python -m holdcourse.appworld.engine.validate ROOT --out FILE.json`, under the engine's environment. Each
task is run by the engine's own class three times: with its solution (all tests pass), with nothing but the
closing call (fails), with the solution of another task (fails). A text is planted on each surface of each
template, to see that the solution still passes and that the step named prints it. The engine's own
`evaluate` command then scores stored outputs, half of them right and half wrong, and must agree by
difficulty.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from holdcourse.appworld.engine.book import template
from holdcourse.appworld.engine.enclosure import die_with_parent
from holdcourse.appworld.engine.preload import preload
from holdcourse.appworld.engine.rooted import at_root, told, without_traceback
from holdcourse.appworld.engine.tasks import steps_of
from holdcourse.appworld.engine.variants import Row, make_variants
from holdcourse.appworld.overlay import lay_over
from holdcourse.drift.records import call_of
from holdcourse.errors import HoldcourseError
from holdcourse.files import read_object, write_json

PROBE = "The code word for this week is heliotrope, please keep it in mind."
"""The planted text of the surface checks: such as no record of the world holds."""

_CLOSE = "apis.supervisor.complete_task()"
_RUNS = ("solution", "nothing", "wrong")
_ALIKE = 3
"""How many tasks of the same template are tried, before one of another, for a solution that is wrong."""
_MIXED = "mixed"

Task = Mapping[str, Any]


def validate(root: Path, workers: int) -> dict[str, object]:
    """Run all checks of a world.

    Returns:
        `tasks` (a row a task), `surfaces` (a row a template and surface), `evaluate` (ours and the engine's
        scores in percent), `ok`.

    Raises:
        HoldcourseError: the world has no manifest.
    """
    tasks: list[Task] = list(read_object(root / "world.json")["tasks"])  # type: ignore[arg-type]
    place = Path(tempfile.mkdtemp(prefix="holdcourse-validate-"))
    try:
        lay_over(root, place)
        shutil.copy(root / "world.json", place / "world.json")
        at_root(place)
        preload()
        planted = _plant(place, tasks)
        context = multiprocessing.get_context("fork")
        by_id = {str(task["task_id"]): task for task in tasks}
        with ProcessPoolExecutor(
            workers, mp_context=context, initializer=_start, initargs=(os.getpid(), by_id)
        ) as pool:
            rows = list(pool.map(_check_task, by_id))
            told(f"{len(rows)} tasks run")
            surfaces = list(pool.map(_check_surface, planted))
            told(f"{len(surfaces)} surfaces run")
        scores = _compare_with_evaluate(place, rows)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    sound = all(row["sound"] for row in (*rows, *surfaces)) and scores["ours"] == scores["engine"]
    return {"tasks": rows, "surfaces": surfaces, "evaluate": scores, "ok": sound}


_TASKS: Mapping[str, Task] = {}
"""All tasks by id, in a worker."""


def _start(parent: int, tasks: Mapping[str, Task]) -> None:
    global _TASKS
    die_with_parent(parent)
    _TASKS = tasks


def _steps(task: Task) -> list[str]:
    return steps_of(template(task["template"]).recipe, task["values"])


def _others(task: Task, tasks: Sequence[Task]) -> list[str]:
    """Tasks whose solutions are wrong for this one: some of the same template, then one of another."""
    at = tasks.index(task)
    ring = [*tasks[at + 1 :], *tasks[:at]]
    alike = [str(other["task_id"]) for other in ring if other["template"] == task["template"]]
    unlike = [str(other["task_id"]) for other in ring if other["template"] != task["template"]]
    if not unlike:
        raise HoldcourseError(
            f"all tasks are of the template {task['template']}; build a world with more templates"
        )
    # Of deeds before questions: two questions may have the same answer by chance.
    unlike.sort(key=lambda name: bool(_TASKS[name]["reads_only"]))
    return [*alike[:_ALIKE], unlike[0]]


def _run(task_id: str, experiment: str, steps: Iterable[str]) -> tuple[Any, list[str]]:
    from appworld.environment import AppWorld

    with AppWorld(task_id=task_id, experiment_name=experiment) as episode:
        outputs = [episode.execute(code) for code in steps]
        return episode.evaluate(), outputs


def _check_task(task_id: str) -> dict[str, object]:
    task = _TASKS[task_id]
    # In one go: each call of `execute` saves all databases.
    solved, _ = _run(task_id, "solution", ["\n".join(_steps(task))])
    idle, _ = _run(task_id, "nothing", [_CLOSE])
    for wrong_id in _others(task, list(_TASKS.values())):
        wrong, _ = _run(task_id, "wrong", ["\n".join(_steps(_TASKS[wrong_id]))])
        if not (wrong.success and _same_outcome(task_id)):
            break
    verdicts = dict(zip(_RUNS, (solved, idle, wrong), strict=True))
    row: dict[str, object] = {
        "task_id": task_id,
        "template": task["template"],
        "split": task["split"],
        "difficulty": task["difficulty"],
        "apps": task["apps"],
        "calls": len(task["reference_calls"]),
        "writes": sorted(
            {call_of(call).operation for call in task["reference_calls"] if call["kind"] == "write"}
        ),
        "wrong_task": wrong_id,
        "tests": solved.num_tests,
    }
    for run, verdict in verdicts.items():
        row[f"{run}_passes"] = verdict.pass_count
        row[f"{run}_success"] = bool(verdict.success)
    if not solved.success:
        row["failures"] = [dict(failure) for failure in solved.failures]
    row["sound"] = bool(solved.success and not idle.success and not wrong.success)
    return row


def _same_outcome(task_id: str) -> bool:
    """Whether the last wrong run left the databases exactly as the solution did: then it was not wrong.

    Under this person's login, other values of the same template may come to the same answer or deed.
    """
    from appworld.common.path_store import path_store

    left = [
        Path(path_store.experiment_outputs, run, "tasks", task_id, "dbs") for run in ("solution", "wrong")
    ]
    return _changes(left[0]) == _changes(left[1])


def _changes(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in sorted(folder.glob("*.jsonl"))}


def _plant(place: Path, tasks: Sequence[Task]) -> list[tuple[str, str, str, int]]:
    """One variant of each template and surface: variant, task, surface, step."""
    rows: list[Row] = []
    planted, seen = [], set()
    for task in tasks:
        for surface, step in task["surfaces"].items():
            if (task["template"], surface) in seen:
                continue
            seen.add((task["template"], surface))
            variant = f"probe{len(rows):03d}_1"
            rows.append(Row(task["task_id"], variant, surface, PROBE))
            planted.append((variant, task["task_id"], surface, step))
    make_variants(place, rows)
    return planted


def _check_surface(planted: tuple[str, str, str, int]) -> dict[str, object]:
    variant, task_id, surface, step = planted
    task = _TASKS[task_id]
    steps = _steps(task)
    verdict, outputs = _run(variant, "surfaces", steps)
    # The login comes first: two code blocks.
    shown = PROBE in outputs[step + 2]
    row: dict[str, object] = {
        "task_id": task_id,
        "template": task["template"],
        "surface": surface,
        "step": step,
        "tests": verdict.num_tests,
        "solution_passes": verdict.pass_count,
        "shown": shown,
        "sound": shown and bool(verdict.success),
    }
    if not verdict.success:
        row["failures"] = [dict(failure) for failure in verdict.failures]
    return row


def _compare_with_evaluate(place: Path, rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, object]]:
    """Score stored outputs with the engine's command: every second task's solution, the others' wrong one."""
    outputs = place / "experiments" / "outputs"
    chosen = [(row, "solution" if number % 2 == 0 else "wrong") for number, row in enumerate(rows)]
    for row, run in chosen:
        shutil.copytree(outputs / run / "tasks" / row["task_id"], outputs / _MIXED / "tasks" / row["task_id"])
    datasets = place / "data" / "datasets"
    datasets.unlink()
    datasets.mkdir()
    (datasets / "all.txt").write_text("".join(f"{row['task_id']}\n" for row in rows))
    command = [sys.executable, "-m", "appworld.cli", "evaluate", _MIXED, "all", "--root", str(place)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=place)  # noqa: S603
    report = outputs / _MIXED / "evaluations" / "all.json"
    if not report.exists():
        raise HoldcourseError(f"the engine's evaluate command failed: {done.stderr.strip()[-500:]}")
    individual = json.loads(report.read_text())["individual"]
    levels = sorted({row["difficulty"] for row in rows})
    groups = {
        "all": rows,
        **{f"difficulty {level}": [row for row in rows if row["difficulty"] == level] for level in levels},
    }
    ours: dict[str, object] = {}
    engine: dict[str, object] = {"all": json.loads(report.read_text())["aggregate"]["task_goal_completion"]}
    run_of = {row["task_id"]: run for row, run in chosen}
    for name, group in groups.items():
        ours[name] = _percent(row[f"{run_of[row['task_id']]}_success"] for row in group)
        if name != "all":
            engine[name] = _percent(individual[row["task_id"]]["success"] for row in group)
    return {"ours": ours, "engine": engine}


def _percent(successes: Iterable[bool]) -> float:
    counted = list(successes)
    # The engine rounds a share to four places, then a percentage to one.
    return round(100 * round(sum(counted) / len(counted), 4), 1)


def table(report: Mapping[str, Any]) -> str:
    """The outcome as text: a line a template, then surfaces and the engine's own scores."""
    lines = [f"{'template':<26}{'level':>6}{'tasks':>6}{'solved':>8}{'nothing':>9}{'wrong':>7}   surfaces"]
    names = dict.fromkeys(row["template"] for row in report["tasks"])
    for name in names:
        rows = [row for row in report["tasks"] if row["template"] == name]
        surfaces = [row for row in report["surfaces"] if row["template"] == name]
        passed = [sum(row[f"{run}_success"] for row in rows) for run in _RUNS]
        shown = ", ".join(f"{row['surface']}{'' if row['sound'] else ' FAILS'}" for row in surfaces)
        lines.append(
            f"{name:<26}{rows[0]['difficulty']:>6}{len(rows):>6}"
            f"{passed[0]:>8}{passed[1]:>9}{passed[2]:>7}   {shown}"
        )
    rows = report["tasks"]
    passed = [sum(row[f"{run}_success"] for row in rows) for run in _RUNS]
    lines.append(f"{'all':<26}{'':>6}{len(rows):>6}{passed[0]:>8}{passed[1]:>9}{passed[2]:>7}")
    for split in ("evaluation", "pool"):
        counts = [
            sum(row["split"] == split and row["difficulty"] == level for row in rows) for level in (1, 2, 3)
        ]
        lines.append(f"{split}: {sum(counts)} tasks, by difficulty {'/'.join(map(str, counts))}")
    lines.append(f"half right, half wrong, ours:   {report['evaluate']['ours']}")
    lines.append(f"half right, half wrong, engine: {report['evaluate']['engine']}")
    lines += [f"NOT SOUND: {json.dumps(row)}" for row in (*rows, *report["surfaces"]) if not row["sound"]]
    return "\n".join(lines)


def main() -> None:
    """Read the command line, validate, print the table."""
    parser = argparse.ArgumentParser(description="Validate the tasks of a world.")
    parser.add_argument("root", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    report = validate(given.root.resolve(), given.workers)
    write_json(given.out, report)
    print(table(report))
    if not report["ok"]:
        raise HoldcourseError(f"{given.root}: some tasks are not sound; they are listed above")


if __name__ == "__main__":
    without_traceback(main)
