"""Evaluate the zero-shot reference model on the held-out tasks under ℓ_0 (GRACE §4)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holdcourse.files import write_text
from holdcourse.stages.evaluate import evaluate_instruction
from holdcourse.stages.launch import command_line
from holdcourse.stages.paths import ShiftPaths
from holdcourse.stages.shift_slices import ReferenceSlice
from holdcourse.stages.stage import Stage
from holdcourse.stages.unit_journal import journals_of
from holdcourse.telecom.protocol import initial_instruction_text


def main(cfg: ReferenceSlice, out: Path) -> None:
    """Write reference/seed{S}/: instruction.md (ℓ_0) and evaluation.jsonl."""
    folder = ShiftPaths(out).reference(cfg.seed)
    instruction = folder / "instruction.md"
    write_text(instruction, initial_instruction_text(cfg.protocol))
    journals = journals_of(STAGE, cfg, folder, out)
    agent = cfg.models["reference_agent"]
    evaluate_instruction(cfg, agent, instruction, folder / "evaluation.jsonl", journals, out)


def _inputs(cfg: ReferenceSlice, out: Path) -> Sequence[Path]:
    return [ShiftPaths(out).protocol(cfg.seed)]


def _outputs(cfg: ReferenceSlice, out: Path) -> Sequence[Path]:
    return [ShiftPaths(out).reference(cfg.seed) / name for name in ("instruction.md", "evaluation.jsonl")]


def _provenance(cfg: ReferenceSlice, out: Path) -> Path:
    return ShiftPaths(out).reference(cfg.seed) / "provenance.json"


STAGE = Stage(
    "reference", "holdcourse.stages.reference", ReferenceSlice, main, _inputs, _outputs, _provenance
)

if __name__ == "__main__":
    command_line(STAGE)
