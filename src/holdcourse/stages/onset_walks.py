"""Walk the graph of each drifted run again, the suspected onset off by some steps; no agent is run."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from holdcourse.files import read_json, read_jsonl, write_jsonl
from holdcourse.llm.door import Door
from holdcourse.recovery.docs import Docs, docs_of
from holdcourse.recovery.incident import Incident
from holdcourse.recovery.record import Walk, walk_record
from holdcourse.recovery.stored import Row, incident_of, reversible_operations, truth_of
from holdcourse.stages.backbones import adapter_files, backbone_of
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.launch import command_line
from holdcourse.stages.recovery_slices import OnsetWalksSlice
from holdcourse.stages.stage import Stage, unit_journals

log = logging.getLogger(__name__)

WALKS_AT_ONCE = 100
KEPT = ("id", "base_task_id", "difficulty", "onset", "right_action", "right_target")
WALK_KEPT = ("suspected_onset", "decision", "route")


def main(cfg: OnsetWalksSlice, out: Path) -> None:
    """Write drift/onset/{type}/{main_agent}/{backbone}.jsonl, a row a drifted run and error.

    `walk` is null where the error would point outside the run.
    """
    paths = DriftPaths(out)
    rows = read_jsonl(paths.episodes(cfg.drift_type, cfg.main_agent, "drift"))
    docs = docs_of(cast("Mapping[str, Sequence[Mapping[str, object]]]", read_json(paths.docs)))
    reversible = reversible_operations(read_json(paths.reversibility))
    planned = [(row, error) for row in rows for error in cfg.onset_errors]
    incidents = {_key(row, error): one for row, error in planned if (one := shifted(row, error, docs))}
    truths = {_key(row, error): truth_of(row, reversible) for row, error in planned}
    journals = unit_journals(STAGE, cfg, out)
    with journals.open("walks") as journal, journals.open("answers") as answers:
        door = Door(None, cfg.door, journals.folder / "calls.jsonl", cfg.simulated_drift)
        backbone = backbone_of(cfg, out, door, truths, answers)
        todo = [incident for key, incident in incidents.items() if key not in journal.done]
        for start in range(0, len(todo), WALKS_AT_ONCE):
            for walk in backbone.walks(todo[start : start + WALKS_AT_ONCE], cfg.recovery):
                journal.append(walk.incident_id, _kept(walk))
            log.info("%d of %d walks", len(journal.done), len(incidents))
        made = [
            {
                **{name: row[name] for name in KEPT},
                "error": error,
                "backbone": cfg.backbone,
                "walk": journal.done.get(_key(row, error)),
            }
            for row, error in planned
        ]
    write_jsonl(paths.onset_walks(cfg.drift_type, cfg.main_agent, cfg.backbone), made)


def shifted(row: Row, error: int, docs: Docs) -> Incident | None:
    """The incident of a drifted run, its onset suspected so many steps after the true one.

    None where that is no step of the run.
    """
    suspected = cast("int", row["onset"]) + error
    if not 1 <= suspected <= len(cast("Sequence[object]", row["steps"])):
        return None
    return replace(incident_of(row, docs, suspected), id=_key(row, error))


def _key(row: Row, error: int) -> str:
    return f"{row['id']} {error:+d}"


def _kept(walk: Walk) -> dict[str, JsonValue]:
    record = walk_record(walk)
    return {name: record[name] for name in WALK_KEPT}


def _inputs(cfg: OnsetWalksSlice, out: Path) -> Sequence[Path]:
    paths = DriftPaths(out)
    drifted = paths.episodes(cfg.drift_type, cfg.main_agent, "drift")
    return [paths.docs, paths.reversibility, drifted, *adapter_files(cfg, out)]


def _outputs(cfg: OnsetWalksSlice, out: Path) -> Sequence[Path]:
    return [DriftPaths(out).onset_walks(cfg.drift_type, cfg.main_agent, cfg.backbone)]


def _provenance(cfg: OnsetWalksSlice, out: Path) -> Path:
    path = DriftPaths(out).onset_walks(cfg.drift_type, cfg.main_agent, cfg.backbone)
    return path.with_suffix(".provenance.json")


def _unit(cfg: OnsetWalksSlice, out: Path) -> Path:
    return DriftPaths(out).onset_walks(cfg.drift_type, cfg.main_agent, cfg.backbone).with_suffix("")


STAGE = Stage(
    name="onset_walks",
    module="holdcourse.stages.onset_walks",
    config=OnsetWalksSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
    unit=_unit,
)

if __name__ == "__main__":
    command_line(STAGE)
