"""Read ℓ_0 into an arm's starting state: text alone for a flat arm, text and graph for a graph arm."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holdcourse.evolution.asking import Asker
from holdcourse.evolution.extraction import extract
from holdcourse.evolution.schema import NetworkSchema
from holdcourse.files import write_json, write_text
from holdcourse.stages.launch import command_line
from holdcourse.stages.paths import ShiftPaths, instruction_files
from holdcourse.stages.shift_slices import InitialSlice
from holdcourse.stages.stage import Stage, unit_journals
from holdcourse.stages.unit_door import asking, write_ledger
from holdcourse.telecom.data import engine_identity
from holdcourse.telecom.protocol import derive_seed, initial_instruction_text

FLAT: dict[str, None] = {"flat_text": None}
"""What a flat-text arm's graph files hold: it has no graph."""


def main(cfg: InitialSlice, out: Path) -> None:
    """Write batch00/: instruction.md, graph.json, layout.json, edits.json and ledger.jsonl."""
    folder = ShiftPaths(out).batch(cfg.arm.name, cfg.seed, 0)
    instruction = initial_instruction_text(cfg.protocol)
    records: dict[str, object] = dict.fromkeys(("graph", "layout", "edits"), FLAT)
    with asking(unit_journals(STAGE, cfg, out), cfg) as door:
        if cfg.graph is not None:
            schema = NetworkSchema.from_config(cfg.graph)
            ask = Asker(door, cfg.models, derive_seed(cfg.seed, "initial", 0), cfg.arm.reply_attempts)
            extraction = extract(instruction, schema, ask, cfg.graph.section_characters)
            records = {
                "graph": extraction.state.graph.to_record(),
                "layout": extraction.state.layout.to_record(),
                "edits": extraction.to_record(),
            }
        write_ledger(folder / "ledger.jsonl", (), door.lines)
    for name, record in records.items():
        write_json(folder / f"{name}.json", record)
    write_text(folder / "instruction.md", instruction)


def _inputs(cfg: InitialSlice, out: Path) -> Sequence[Path]:
    return instruction_files(cfg.protocol)


def _outputs(cfg: InitialSlice, out: Path) -> Sequence[Path]:
    folder = ShiftPaths(out).batch(cfg.arm.name, cfg.seed, 0)
    names = ("instruction.md", "graph.json", "layout.json", "edits.json", "ledger.jsonl")
    return [folder / name for name in names]


def _provenance(cfg: InitialSlice, out: Path) -> Path:
    return ShiftPaths(out).batch(cfg.arm.name, cfg.seed, 0) / "provenance.json"


def _unit(cfg: InitialSlice, out: Path) -> Path:
    return ShiftPaths(out).batch(cfg.arm.name, cfg.seed, 0)


STAGE = Stage(
    name="initial",
    module="holdcourse.stages.initial",
    config=InitialSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
    unit=_unit,
    engine=engine_identity,
)

if __name__ == "__main__":
    command_line(STAGE)
