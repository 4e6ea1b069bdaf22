"""The shift study once more for one arm, smaller, under one slope of the offline model's competence curve.

Runs the study's own stages one after the other in this process, in the unit's journal folder, and evaluates
the last checkpoint. A killed run goes on with the unit of work it was at.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from holdcourse.files import read_json, read_jsonl
from holdcourse.metrics.frames import EvaluatedRun, task_scores_frame
from holdcourse.metrics.records import check_complete, read_records
from holdcourse.stages import evaluate, evolve, initial, protocol
from holdcourse.stages.launch import command_line
from holdcourse.stages.parquet import write_parquet
from holdcourse.stages.paths import ShiftPaths, instruction_files
from holdcourse.stages.shift_slices import (
    EvaluateSlice,
    EvolveSlice,
    InitialSlice,
    ProtocolSlice,
    SensitivitySlice,
)
from holdcourse.stages.slices import SliceT, models_of
from holdcourse.stages.stage import Stage, execute, unit_journals
from holdcourse.telecom.data import engine_identity
from holdcourse.telecom.protocol import Protocol


def main(cfg: SensitivitySlice, out: Path) -> None:
    """Write shift/sensitivity/{arm}/slope{X}.parquet: task scores of the last checkpoint, with the slope."""
    journals = unit_journals(STAGE, cfg, out)
    scores = task_scores_frame(_runs(cfg, journals.folder), cfg.ks)
    scores.insert(0, "slope", cfg.simulated.curve.slope)
    write_parquet(_outputs(cfg, out)[0], scores)
    shutil.rmtree(journals.folder)


def _runs(cfg: SensitivitySlice, folder: Path) -> Iterator[EvaluatedRun]:
    last = cfg.protocol.batches
    paths = ShiftPaths(folder)
    for seed in cfg.sensitivity_seeds:
        execute(protocol.STAGE, _slice(ProtocolSlice, cfg, seed=seed), folder)
        execute(initial.STAGE, _slice(InitialSlice, cfg, seed=seed), folder)
        for batch in range(1, last + 1):
            execute(evolve.STAGE, _slice(EvolveSlice, cfg, seed=seed, batch=batch), folder)
        execute(evaluate.STAGE, _slice(EvaluateSlice, cfg, seed=seed, checkpoint=last), folder)
        path = paths.checkpoint(cfg.arm.name, seed, last) / "evaluation.jsonl"
        records = read_records(read_jsonl(path), str(path))
        heldout = Protocol.from_json(read_json(paths.protocol(seed))).heldout
        check_complete(records, heldout, cfg.trials, str(path))
        yield EvaluatedRun(cfg.arm.name, seed, last, records)


def _slice(kind: type[SliceT], cfg: SensitivitySlice, **identity: int) -> SliceT:
    """A stage's slice out of this stage's own, which holds all groups."""
    groups = {name: getattr(cfg, name) for name in type(cfg).model_fields}
    groups |= {
        "arm_name": cfg.arm.name,
        "graph": cfg.graph if cfg.arm.kind == "graph" else None,
        "models": models_of(kind, cfg.arm.kind, cfg.all_models),
        **identity,
    }
    return kind.model_validate({name: groups[name] for name in kind.model_fields})


def _outputs(cfg: SensitivitySlice, out: Path) -> Sequence[Path]:
    return [ShiftPaths(out).sensitivity(cfg.arm.name, cfg.simulated.curve.slope)]


def _provenance(cfg: SensitivitySlice, out: Path) -> Path:
    return _outputs(cfg, out)[0].with_suffix(".provenance.json")


def _unit(cfg: SensitivitySlice, out: Path) -> Path:
    return _outputs(cfg, out)[0].with_suffix("")


STAGE = Stage(
    name="sensitivity",
    module="holdcourse.stages.sensitivity",
    config=SensitivitySlice,
    main=main,
    inputs=lambda cfg, out: instruction_files(cfg.protocol),
    outputs=_outputs,
    provenance=_provenance,
    unit=_unit,
    engine=engine_identity,
)

if __name__ == "__main__":
    command_line(STAGE)
