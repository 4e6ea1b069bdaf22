"""Record one arm and seed for Weights & Biases: metrics over checkpoints, instructions and graphs.

The run's id comes from the slice's digest, so that recording again continues the same run.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from holdcourse.files import read_object, read_text, write_json
from holdcourse.stages.launch import command_line
from holdcourse.stages.paths import ShiftPaths
from holdcourse.stages.shift_slices import TrackSlice
from holdcourse.stages.stage import Stage
from holdcourse.stages.wandb_run import RunName, record, tracked


def main(cfg: TrackSlice, out: Path) -> None:
    """Write tracking/{arm}-seed{S}.json, which names the run and where its files stand."""
    paths = ShiftPaths(out)
    unit = f"{cfg.arm.name}-seed{cfg.seed}"
    tags = (cfg.arm.name, f"seed{cfg.seed}")
    name = RunName(cfg.study, "track", f"{cfg.study}-{unit}", tags, cfg.digest[:16])
    with tracked(name, cfg.identity(), cfg.tracking, out / "tracking") as run:
        run.history = _history(cfg, paths)
        run.artifact, run.kind = f"{cfg.study}-{unit}", "instruction"
        for batch in range(cfg.protocol.batches + 1):
            source = paths.batch(cfg.arm.name, cfg.seed, batch)
            for file in ("instruction.md", "graph.json"):
                run.files[f"batch{batch:02d}/{file}"] = source / file
    write_json(out / "tracking" / f"{unit}.json", record(name, cfg.tracking, run))


def _history(cfg: TrackSlice, paths: ShiftPaths) -> list[tuple[int, dict[str, float]]]:
    frame = pd.read_parquet(paths.metrics)
    mine = frame[(frame["arm"] == cfg.arm.name) & (frame["seed"] == cfg.seed)]
    history = []
    for checkpoint, rows in mine.groupby("checkpoint"):
        values = {
            f"{intent}/{name}{k}": float(value)
            for intent, k, one, some in rows[["intent", "k", "pass_hat_k", "pass_at_k"]].itertuples(
                index=False
            )
            for name, value in (("pass^", one), ("pass@", some))
            if pd.notna(value)
        }
        number = int(str(checkpoint))
        instruction = paths.batch(cfg.arm.name, cfg.seed, number) / "instruction.md"
        values["characters"] = float(len(read_text(instruction)))
        if number > 0:
            analysis = read_object(paths.batch(cfg.arm.name, cfg.seed, number) / "analysis.json")
            values["verification_tokens"] = float(str(analysis["verification_tokens"]))
        history.append((number, values))
    return history


def _inputs(cfg: TrackSlice, out: Path) -> Sequence[Path]:
    paths = ShiftPaths(out)
    batches = range(cfg.protocol.batches + 1)
    folders = [paths.batch(cfg.arm.name, cfg.seed, batch) for batch in batches]
    return [
        paths.metrics,
        *(folder / name for folder in folders for name in ("instruction.md", "graph.json")),
        *(folder / "analysis.json" for folder in folders[1:]),
    ]


def _outputs(cfg: TrackSlice, out: Path) -> Sequence[Path]:
    return [out / "tracking" / f"{cfg.arm.name}-seed{cfg.seed}.json"]


def _provenance(cfg: TrackSlice, out: Path) -> Path:
    return out / "tracking" / f"{cfg.arm.name}-seed{cfg.seed}.provenance.json"


STAGE = Stage(
    name="track",
    module="holdcourse.stages.track",
    config=TrackSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
)

if __name__ == "__main__":
    command_line(STAGE)
