"""The runs to be recovered: drifted runs of one type by one main agent, and those without drift (§5.3.2)."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from holdcourse.appworld.cases import Case, cases
from holdcourse.appworld.engine_environment import engine_python
from holdcourse.appworld.engine_identity import engine_identity
from holdcourse.appworld.labels import references_of
from holdcourse.appworld.server import EngineServer
from holdcourse.appworld.tasks import tasks_of
from holdcourse.appworld.trajectories import Maker, Payload, make, plan_of_variant, undisturbed
from holdcourse.appworld.variants import plant
from holdcourse.appworld.world import world_root
from holdcourse.errors import HoldcourseError
from holdcourse.files import read_json, read_jsonl, read_object, write_jsonl
from holdcourse.journal import Journal
from holdcourse.llm.door import Door
from holdcourse.recovery.stored import reversible_operations
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.launch import command_line
from holdcourse.stages.recovery_slices import DriftedSlice
from holdcourse.stages.stage import Stage, unit_journals

log = logging.getLogger(__name__)

NAMES = ("drift", "no_drift", "resisted")
WARM_FROM = 30
"""Runs from which on it pays to warm the engine up."""


def main(cfg: DriftedSlice, out: Path) -> None:
    """Write drift/episodes/{type}/{main_agent}/{drift,no_drift,resisted}.jsonl.

    Runs that no text pushed off task are named in `resisted` and left out of the others. The large agent's
    drifted runs are those of the held-out split; the small agent meets the same texts anew.

    Raises:
        HoldcourseError: no run of this type drifted.
    """
    paths = DriftPaths(out)
    rows = [
        row
        for row in read_jsonl(paths.dataset("heldout"))
        if row["type"] == cfg.drift_type and not row["non_monotone"]
    ]
    tasks = {task.id: task for task in tasks_of(read_object(paths.world))}
    reversible = reversible_operations(read_json(paths.reversibility))
    planned = {case.id: case for case in cases(tuple(tasks.values()), cfg.drift, reversible)}
    python = engine_python(Path(cfg.engine.environment))
    root = world_root(cfg.world, python)
    journals = unit_journals(STAGE, cfg, out)
    with (
        journals.open("trajectories") as journal,
        EngineServer(root, python, cfg.engine.limits, warm=len(rows) >= WARM_FROM) as server,
    ):
        maker = Maker(
            server,
            Door(None, cfg.door, journals.folder / "calls.jsonl", cfg.simulated_drift),
            cfg.drift_agents[f"agent_{cfg.main_agent}"],
            cfg.episode,
            reversible,
            cfg.drift.seed,
            f"{cfg.study}-{cfg.drift_type}-{cfg.main_agent}",
        )
        if cfg.main_agent == "small":
            payloads = {
                str(row["id"]): Payload(tasks[str(row["payload_task_id"])], references_of(row).payload)
                for row in rows
            }
            rows = _anew([planned[str(row["id"])] for row in rows], payloads, maker, journal, root, python)
        drifted = [row for row in rows if row["onset"] is not None]
        log.info("%d of %d runs drifted; now the same tasks without drift", len(drifted), len(rows))
        without = []
        for row in drifted:
            key = f"no drift {row['base_task_id']}"
            if key not in journal.done:
                made = undisturbed(planned[str(row["id"])], maker)
                journal.append(key, cast("dict[str, JsonValue]", made))
            without.append({**journal.done[key], "id": row["id"]})
    resisted = [row for row in rows if row["onset"] is None]
    if not drifted:
        raise HoldcourseError(
            f"no run of type {cfg.drift_type} by agent_{cfg.main_agent} drifted ({len(resisted)} resisted "
            "the injected text), so there is nothing to recover; make more cases (drift.heldout), choose "
            "another agent, or take the cell out of end_to_end.cells"
        )
    named = [{key: row[key] for key in ("id", "base_task_id", "difficulty")} for row in resisted]
    for name, listed in zip(NAMES, (drifted, without, named), strict=True):
        write_jsonl(paths.episodes(cfg.drift_type, cfg.main_agent, name), listed)


def _anew(
    mine: Sequence[Case],
    payloads: Mapping[str, Payload],
    maker: Maker,
    journal: Journal,
    root: Path,
    python: Path,
) -> list[dict[str, object]]:
    todo = [case for case in mine if case.id not in journal.done]
    plant(
        root, python, [plan_of_variant(case, payloads[case.id]) for case in todo if case.surface is not None]
    )
    for case in todo:
        made = make(case, [payloads[case.id]], maker)
        journal.append(case.id, {"row": cast("dict[str, JsonValue]", made)})
    return [cast("dict[str, object]", journal.done[case.id]["row"]) for case in mine]


def _inputs(cfg: DriftedSlice, out: Path) -> Sequence[Path]:
    paths = DriftPaths(out)
    return [paths.world, paths.reversibility, paths.dataset("heldout")]


def _outputs(cfg: DriftedSlice, out: Path) -> Sequence[Path]:
    paths = DriftPaths(out)
    return [paths.episodes(cfg.drift_type, cfg.main_agent, name) for name in NAMES]


def _provenance(cfg: DriftedSlice, out: Path) -> Path:
    return DriftPaths(out).episodes(cfg.drift_type, cfg.main_agent, "drift").with_suffix(".provenance.json")


def _unit(cfg: DriftedSlice, out: Path) -> Path:
    return DriftPaths(out).episodes(cfg.drift_type, cfg.main_agent, "drift").with_suffix("")


STAGE = Stage(
    name="drifted",
    module="holdcourse.stages.drifted",
    config=DriftedSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
    unit=_unit,
    engine=engine_identity,
)

if __name__ == "__main__":
    command_line(STAGE)
