"""The shift study once more, smaller, under one slope of the offline model's competence curve.

Runs the study's own stages one after the other in this process, into a folder beside the journals, and
evaluates the last checkpoint of every arm. A killed run goes on with the unit it was at.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

from holdcourse.config.schema import ArmConfig
from holdcourse.files import read_jsonl, write_bytes
from holdcourse.metrics.frames import EvaluatedRun, task_scores_frame
from holdcourse.metrics.records import read_records
from holdcourse.stages import evaluate, evolve, initial, protocol
from holdcourse.stages.launch import command_line
from holdcourse.stages.paths import ShiftPaths
from holdcourse.stages.shift_slices import (
    EvaluateSlice,
    EvolveSlice,
    InitialSlice,
    ProtocolSlice,
    SensitivitySlice,
)
from holdcourse.stages.slices import SliceT, models_of
from holdcourse.stages.stage import Stage, execute, unit_identity

log = logging.getLogger(__name__)


def main(cfg: SensitivitySlice, out: Path) -> None:
    """Write shift/sensitivity/slope{X}.parquet: task scores of every arm's last checkpoint."""
    target = _outputs(cfg, out)[0]
    folder = ShiftPaths(out).journal(target.with_suffix(""), unit_identity(STAGE.module, cfg, (), out))
    scores = task_scores_frame(_runs(cfg, folder), cfg.ks)
    scores.insert(0, "slope", cfg.simulated.curve.slope)
    buffer = io.BytesIO()
    scores.to_parquet(buffer, index=False)
    write_bytes(target, buffer.getvalue())


def _runs(cfg: SensitivitySlice, folder: Path) -> Iterator[EvaluatedRun]:
    last = cfg.protocol.batches
    for seed in cfg.sensitivity_seeds:
        execute(protocol.STAGE, _slice(ProtocolSlice, cfg, seed=seed), folder)
        for arm in cfg.arm_configs.values():
            execute(initial.STAGE, _slice(InitialSlice, cfg, arm, seed=seed), folder)
            for batch in range(1, last + 1):
                execute(evolve.STAGE, _slice(EvolveSlice, cfg, arm, seed=seed, batch=batch), folder)
            execute(evaluate.STAGE, _slice(EvaluateSlice, cfg, arm, seed=seed, checkpoint=last), folder)
            path = ShiftPaths(folder).checkpoint(arm.name, seed, last) / "evaluation.jsonl"
            log.info("slope %g: %s, seed %d done", cfg.simulated.curve.slope, arm.name, seed)
            yield EvaluatedRun(arm.name, seed, last, read_records(read_jsonl(path), str(path)))


def _slice(
    kind: type[SliceT], cfg: SensitivitySlice, arm: ArmConfig | None = None, **identity: int
) -> SliceT:
    """A stage's slice out of this stage's own, which holds all groups."""
    groups = {name: getattr(cfg, name) for name in type(cfg).model_fields}
    flat = arm is not None and arm.kind != "graph"
    groups |= {
        "arm": arm,
        "arm_name": None if arm is None else arm.name,
        "graph": None if flat else cfg.graph,
        "models": models_of(kind, "" if arm is None else arm.kind, cfg.all_models),
        **identity,
    }
    return kind.model_validate({name: groups[name] for name in kind.model_fields})


def _outputs(cfg: SensitivitySlice, out: Path) -> Sequence[Path]:
    return [ShiftPaths(out).sensitivity(cfg.simulated.curve.slope)]


def _provenance(cfg: SensitivitySlice, out: Path) -> Path:
    return _outputs(cfg, out)[0].with_suffix(".provenance.json")


STAGE = Stage(
    "sensitivity",
    "holdcourse.stages.sensitivity",
    SensitivitySlice,
    main,
    lambda cfg, out: (),
    _outputs,
    _provenance,
)

if __name__ == "__main__":
    command_line(STAGE)
