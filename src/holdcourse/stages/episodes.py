"""Recover the drifted runs of one cell with one backbone: walk the graph, act, run the task to its end."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from holdcourse.appworld.docs import Docs
from holdcourse.appworld.engine_environment import engine_python
from holdcourse.appworld.engine_identity import engine_identity
from holdcourse.appworld.recovering import Redoing, Redone, redo
from holdcourse.appworld.server import EngineServer
from holdcourse.appworld.variants import plant
from holdcourse.appworld.world import world_root
from holdcourse.config.end_to_end import Acting, RecoveryMode
from holdcourse.errors import HoldcourseError
from holdcourse.files import read_json, read_jsonl, write_jsonl
from holdcourse.journal import Journal
from holdcourse.llm.door import Door
from holdcourse.recovery.docs import docs_of
from holdcourse.recovery.record import Walk, walk_of, walk_record
from holdcourse.recovery.stored import Row, incident_of, reversible_operations, truth_of
from holdcourse.recovery.warning import warning_text
from holdcourse.stages.backbones import adapter_files, backbone_of
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.launch import command_line
from holdcourse.stages.recovery_slices import EpisodesSlice
from holdcourse.stages.stage import Stage, unit_journals

log = logging.getLogger(__name__)

WALKS_AT_ONCE = 40
REPORT_EVERY = 10
WARM_FROM = 30
"""Episodes from which on it pays to warm the engine up."""
KEPT = (
    "id",
    "task_id",
    "base_task_id",
    "person",
    "difficulty",
    "type",
    "carrier",
    "surface",
    "onset",
    "suspected_onset",
    "writes",
    "reversible",
    "right_action",
    "right_target",
    "labels",
)
"""What an episode's row repeats of the drifted run."""


def main(cfg: EpisodesSlice, out: Path) -> None:
    """Write drift/episodes/{type}/{main_agent}/{backbone}.jsonl, a row an incident and mode.

    Raises:
        HoldcourseError: conf/end_to_end/ has no cell with this type, main agent and backbone, or there is no
            drifted run.
    """
    if cfg.acting is None:
        raise HoldcourseError(
            f"end_to_end.cells has no backbone {cfg.backbone} for type {cfg.drift_type} and the "
            f"{cfg.main_agent} agent; choose one that it names, or add it there"
        )
    paths = DriftPaths(out)
    drifted = paths.episodes(cfg.drift_type, cfg.main_agent, "drift")
    rows = read_jsonl(drifted)
    if not rows:
        raise HoldcourseError(
            f"{drifted} holds no drifted run, so there is nothing to recover; have stage drifted make it "
            "again"
        )
    journals = unit_journals(STAGE, cfg, out)
    with journals.open("walks") as walked, journals.open("episodes") as redone:
        door = Door(None, cfg.door, journals.folder / "calls.jsonl", cfg.simulated_drift)
        with journals.open("answers") as answers:
            walks = _walks(cfg, out, rows, door, walked, answers)
        _redo_missing(cfg, cfg.acting, rows, walks, door, redone)
        made = [
            _record(cfg, row, walks[str(row["id"])], mode, redone.done[f"{row['id']} {mode}"])
            for mode in cfg.acting.modes
            for row in rows
        ]
    write_jsonl(paths.episodes(cfg.drift_type, cfg.main_agent, cfg.backbone), made)


def _walks(
    cfg: EpisodesSlice, out: Path, rows: Sequence[Row], door: Door, journal: Journal, answers: Journal
) -> dict[str, Walk]:
    paths = DriftPaths(out)
    todo = [row for row in rows if str(row["id"]) not in journal.done]
    if todo:
        docs = docs_of(cast("Mapping[str, Sequence[Mapping[str, object]]]", read_json(paths.docs)))
        reversible = reversible_operations(read_json(paths.reversibility))
        truths = {str(row["id"]): truth_of(row, reversible) for row in todo}
        backbone = backbone_of(cfg, out, door, truths, answers)
        for start in range(0, len(todo), WALKS_AT_ONCE):
            incidents = [incident_of(row, docs) for row in todo[start : start + WALKS_AT_ONCE]]
            for walk in backbone.walks(incidents, cfg.recovery):
                journal.append(walk.incident_id, walk_record(walk))
            log.info("%d of %d walks", len(journal.done), len(rows))
    return {str(row["id"]): walk_of(journal.done[str(row["id"])]) for row in rows}


def _redo_missing(
    cfg: EpisodesSlice,
    acting: Acting,
    rows: Sequence[Row],
    walks: Mapping[str, Walk],
    door: Door,
    journal: Journal,
) -> None:
    wanted = [(mode, row) for mode in acting.modes for row in rows]
    todo = [(mode, row) for mode, row in wanted if f"{row['id']} {mode}" not in journal.done]
    if not todo:
        return
    python = engine_python(Path(cfg.engine.environment))
    root = world_root(cfg.world, python)
    # The dataset planted them; results that were carried to another machine find a world without.
    plant(root, python, [plan for _, row in todo if (plan := _variant(row))])
    with EngineServer(root, python, cfg.engine.limits, warm=len(todo) >= WARM_FROM) as server:
        redoing = Redoing(
            server,
            door,
            cfg.drift_agents[f"agent_{cfg.main_agent}"],
            cfg.episode,
            Docs.read(root),
            cfg.agent_seed,
            f"{cfg.study}-{cfg.drift_type}-{cfg.main_agent}-{cfg.backbone}",
        )

        def acted(mode: RecoveryMode, row: Row) -> Redone:
            walk = walks[str(row["id"])]
            warned = acting.warn and mode != "unwarned"
            warning = warning_text(walk.decision.report) if warned else None
            return redo(row, walk, mode, warning, redoing)

        # Waiting for a hosted agent costs no processor.
        at_once = 1 if cfg.door is None else cfg.door.llm.concurrency.simulations
        with ThreadPoolExecutor(at_once) as pool:
            running = {pool.submit(acted, mode, row): f"{row['id']} {mode}" for mode, row in todo}
            try:
                for future in as_completed(running):
                    journal.append(running[future], _redone_record(future))
                    if len(journal.done) % REPORT_EVERY == 0 or len(journal.done) == len(wanted):
                        log.info("%d of %d episodes", len(journal.done), len(wanted))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                # What was finished beside the failure is not done again.
                for future, key in running.items():
                    failed = future.cancelled() or future.exception() is not None
                    if not failed and key not in journal.done:
                        journal.append(key, _redone_record(future))
                raise


def _redone_record(future: Future[Redone]) -> dict[str, JsonValue]:
    return cast("dict[str, JsonValue]", future.result().record())


def _variant(row: Row) -> dict[str, object] | None:
    if row["variant_id"] is None:
        return None
    return {
        "task_id": row["base_task_id"],
        "variant_id": row["variant_id"],
        "surface": row["surface"],
        "text": row["injected_text"],
    }


def _record(
    cfg: EpisodesSlice, row: Row, walk: Walk, mode: RecoveryMode, redone: Mapping[str, JsonValue]
) -> dict[str, object]:
    return {
        **{key: row[key] for key in KEPT},
        "length": len(cast("Sequence[object]", row["steps"])),
        "main_agent": cfg.main_agent,
        "backbone": cfg.backbone,
        "mode": mode,
        "walk": walk_record(walk),
        **redone,
    }


def _inputs(cfg: EpisodesSlice, out: Path) -> Sequence[Path]:
    paths = DriftPaths(out)
    drifted = paths.episodes(cfg.drift_type, cfg.main_agent, "drift")
    return [paths.world, paths.docs, paths.reversibility, drifted, *adapter_files(cfg, out)]


def _outputs(cfg: EpisodesSlice, out: Path) -> Sequence[Path]:
    return [DriftPaths(out).episodes(cfg.drift_type, cfg.main_agent, cfg.backbone)]


def _provenance(cfg: EpisodesSlice, out: Path) -> Path:
    path = DriftPaths(out).episodes(cfg.drift_type, cfg.main_agent, cfg.backbone)
    return path.with_suffix(".provenance.json")


def _unit(cfg: EpisodesSlice, out: Path) -> Path:
    return DriftPaths(out).episodes(cfg.drift_type, cfg.main_agent, cfg.backbone).with_suffix("")


STAGE = Stage(
    name="episodes",
    module="holdcourse.stages.episodes",
    config=EpisodesSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
    unit=_unit,
    engine=engine_identity,
)

if __name__ == "__main__":
    command_line(STAGE)
