"""Audit a checkpoint: an auditor counts contradictions and redundancies in ℓ_t, several times (GRACE §4)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holdcourse.files import read_json, read_text, write_json, write_jsonl
from holdcourse.metrics.audit import audit
from holdcourse.stages.launch import command_line
from holdcourse.stages.paths import ShiftPaths
from holdcourse.stages.shift_slices import AuditSlice
from holdcourse.stages.sizes import graph_size
from holdcourse.stages.stage import Stage, unit_journals
from holdcourse.stages.unit_door import asking


def main(cfg: AuditSlice, out: Path) -> None:
    """Write checkpoint{TT}/audit.json and the ledger of its calls."""
    paths = ShiftPaths(out)
    folder = paths.checkpoint(cfg.arm_name, cfg.seed, cfg.checkpoint)
    instruction, graph = _inputs(cfg, out)
    units, edges = graph_size(read_json(graph))
    with asking(unit_journals(STAGE, cfg, out), cfg) as door:
        record = audit(
            door,
            cfg.models["auditor"],
            read_text(instruction),
            cfg.checkpoint,
            cfg.repeats,
            cfg.reply_attempts,
            units,
            edges,
            seed=cfg.seed,
        )
        write_jsonl(folder / "audit_ledger.jsonl", [line.record() for line in door.lines])
    write_json(folder / "audit.json", record.as_json())


def _inputs(cfg: AuditSlice, out: Path) -> Sequence[Path]:
    folder = ShiftPaths(out).batch(cfg.arm_name, cfg.seed, cfg.checkpoint)
    return [folder / "instruction.md", folder / "graph.json"]


def _outputs(cfg: AuditSlice, out: Path) -> Sequence[Path]:
    folder = ShiftPaths(out).checkpoint(cfg.arm_name, cfg.seed, cfg.checkpoint)
    return [folder / "audit.json", folder / "audit_ledger.jsonl"]


def _provenance(cfg: AuditSlice, out: Path) -> Path:
    return ShiftPaths(out).checkpoint(cfg.arm_name, cfg.seed, cfg.checkpoint) / "audit.provenance.json"


def _unit(cfg: AuditSlice, out: Path) -> Path:
    return ShiftPaths(out).checkpoint(cfg.arm_name, cfg.seed, cfg.checkpoint) / "audit"


STAGE = Stage(
    name="audit",
    module="holdcourse.stages.audit",
    config=AuditSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
    unit=_unit,
)

if __name__ == "__main__":
    command_line(STAGE)
