"""Make one shard of the drift dataset's trajectories: agents pushed off task on the real engine (§5.1)."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from holdcourse.appworld.cases import Case, cases
from holdcourse.appworld.engine_environment import engine_python
from holdcourse.appworld.engine_identity import engine_identity
from holdcourse.appworld.server import EngineServer
from holdcourse.appworld.tasks import tasks_of
from holdcourse.appworld.trajectories import Maker, Payload, Payloads, make, plan_of_variant
from holdcourse.appworld.variants import plant
from holdcourse.appworld.world import world_root
from holdcourse.errors import HoldcourseError
from holdcourse.files import read_json, read_object, write_jsonl
from holdcourse.journal import Journal
from holdcourse.llm.door import Door
from holdcourse.recovery.stored import reversible_operations
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.drift_slices import TrajectoriesSlice
from holdcourse.stages.launch import command_line
from holdcourse.stages.stage import Stage, unit_journals

log = logging.getLogger(__name__)

REPORT_EVERY = 10


def main(cfg: TrajectoriesSlice, out: Path) -> None:
    """Write drift/dataset/parts/{split}-{shard}.jsonl."""
    paths = DriftPaths(out)
    reversible = reversible_operations(read_json(paths.reversibility))
    tasks = tasks_of(read_object(paths.world))
    planned = [case for case in cases(tasks, cfg.drift, reversible) if case.split == cfg.split]
    mine = planned[cfg.shard :: cfg.drift.shards]
    python = engine_python(Path(cfg.engine.environment))
    root = world_root(cfg.world, python)
    journals = unit_journals(STAGE, cfg, out)
    with (
        journals.open("trajectories") as journal,
        EngineServer(root, python, cfg.engine.limits) as server,
    ):
        door = Door(None, cfg.door, journals.folder / "calls.jsonl", cfg.simulated_drift)
        maker = Maker(
            server,
            door,
            cfg.drift_agents["agent_large"],
            cfg.episode,
            reversible,
            cfg.drift.seed,
            f"{cfg.study}-{cfg.split}-{cfg.shard}",
        )
        _make_missing(mine, maker, journal, root, python)
        rows = [journal.done[case.id]["row"] for case in mine]
    left_out = sum(row is None for row in rows)
    if left_out:
        log.warning("%d of %d cases had no payload that could be carried out", left_out, len(rows))
    if left_out == len(rows) and mine:
        raise HoldcourseError(
            f"not one of {len(mine)} trajectories could be made: no payload can be carried out anywhere"
        )
    made: list[dict[str, object]] = []
    for case, row in zip(mine, rows, strict=True):
        made.append({**row} if isinstance(row, dict) else {"id": case.id, "unworkable": True})
    write_jsonl(paths.part(cfg.split, cfg.shard), made)


def _make_missing(mine: Sequence[Case], maker: Maker, journal: Journal, root: Path, python: Path) -> None:
    todo = [case for case in mine if case.id not in journal.done]
    payloads = Payloads(maker)
    planted: dict[str, Payload] = {}
    for case in todo:
        if case.surface is not None:
            found = next(payloads.workable(case), None)
            if found is not None:
                planted[case.id] = found
    plant(root, python, [plan_of_variant(case, planted[case.id]) for case in todo if case.id in planted])
    for number, case in enumerate(todo, start=1):
        usable: Iterable[Payload]
        if case.surface is None:
            usable = payloads.workable(case)
        else:
            usable = [planted[case.id]] if case.id in planted else []
        journal.append(case.id, {"row": cast("JsonValue", make(case, usable, maker))})
        if number % REPORT_EVERY == 0 or number == len(todo):
            log.info("%d of %d trajectories", len(journal.done), len(mine))


def _inputs(cfg: TrajectoriesSlice, out: Path) -> Sequence[Path]:
    paths = DriftPaths(out)
    return [paths.world, paths.reversibility]


def _outputs(cfg: TrajectoriesSlice, out: Path) -> Sequence[Path]:
    return [DriftPaths(out).part(cfg.split, cfg.shard)]


def _provenance(cfg: TrajectoriesSlice, out: Path) -> Path:
    part = DriftPaths(out).part(cfg.split, cfg.shard)
    return part.with_name(f"{part.stem}.provenance.json")


def _unit(cfg: TrajectoriesSlice, out: Path) -> Path:
    return DriftPaths(out).part(cfg.split, cfg.shard).with_suffix("")


STAGE = Stage(
    name="trajectories",
    module="holdcourse.stages.trajectories",
    config=TrajectoriesSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
    unit=_unit,
    engine=engine_identity,
)

if __name__ == "__main__":
    command_line(STAGE)
