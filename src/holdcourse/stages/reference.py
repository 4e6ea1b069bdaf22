"""Evaluate the zero-shot reference model on the held-out tasks under ℓ_0 (GRACE §4)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holdcourse.files import write_text
from holdcourse.stages.evaluate import evaluate_instruction
from holdcourse.stages.launch import command_line
from holdcourse.stages.paths import ShiftPaths, instruction_files
from holdcourse.stages.shift_slices import ReferenceSlice
from holdcourse.stages.stage import Stage, unit_journals
from holdcourse.telecom.data import engine_identity
from holdcourse.telecom.protocol import initial_instruction_text


def main(cfg: ReferenceSlice, out: Path) -> None:
    """Write reference/seed{S}/: instruction.md (ℓ_0) and evaluation.jsonl."""
    folder = ShiftPaths(out).reference(cfg.seed)
    instruction = folder / "instruction.md"
    write_text(instruction, initial_instruction_text(cfg.protocol))
    journals = unit_journals(STAGE, cfg, out)
    agent = cfg.models["reference_agent"]
    evaluate_instruction(cfg, agent, instruction, folder / "evaluation.jsonl", journals, out)


def _inputs(cfg: ReferenceSlice, out: Path) -> Sequence[Path]:
    return [ShiftPaths(out).protocol(cfg.seed), *instruction_files(cfg.protocol)]


def _outputs(cfg: ReferenceSlice, out: Path) -> Sequence[Path]:
    return [ShiftPaths(out).reference(cfg.seed) / name for name in ("instruction.md", "evaluation.jsonl")]


def _provenance(cfg: ReferenceSlice, out: Path) -> Path:
    return ShiftPaths(out).reference(cfg.seed) / "provenance.json"


def _unit(cfg: ReferenceSlice, out: Path) -> Path:
    return ShiftPaths(out).reference(cfg.seed)


STAGE = Stage(
    name="reference",
    module="holdcourse.stages.reference",
    config=ReferenceSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
    unit=_unit,
    engine=engine_identity,
)

if __name__ == "__main__":
    command_line(STAGE)
