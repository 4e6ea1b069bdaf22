"""Record one arm and seed as a Weights & Biases run: metrics over checkpoints, graphs as an artifact.

Offline by default; the run's id comes from the slice's digest, so recording again continues the same run.
Nothing reads these runs back: the files under results/ are authoritative.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from pydantic import JsonValue

from holdcourse.files import read_object, write_json
from holdcourse.stages.launch import command_line
from holdcourse.stages.paths import ShiftPaths
from holdcourse.stages.shift_slices import TrackSlice
from holdcourse.stages.stage import Stage

log = logging.getLogger(__name__)


def main(cfg: TrackSlice, out: Path) -> None:
    """Write tracking/{arm}-seed{S}.json, which names the run and where its files stand."""
    mode = os.environ.get("WANDB_MODE", cfg.tracking.mode)
    run_id = cfg.digest[:16]
    folder = out / "tracking"
    record: dict[str, JsonValue] = {"mode": mode, "project": cfg.tracking.project, "run_id": run_id}
    if mode != "disabled":
        record["folder"] = _record_run(cfg, out, mode, run_id)
    write_json(folder / f"{cfg.arm_name}-seed{cfg.seed}.json", record)


def _record_run(cfg: TrackSlice, out: Path, mode: str, run_id: str) -> str:
    # Imported here: it is slow, and WANDB_MODE=disabled must work without it.
    import wandb

    folder = out / "tracking"
    folder.mkdir(parents=True, exist_ok=True)
    paths = ShiftPaths(out)
    with wandb.init(
        project=cfg.tracking.project,
        mode="online" if mode == "online" else "offline",
        id=run_id,
        group=cfg.study,
        job_type="shift",
        name=f"{cfg.study}-{cfg.arm_name}-seed{cfg.seed}",
        tags=[cfg.arm_name, f"seed{cfg.seed}"],
        config=cfg.identity(),
        dir=folder,
        resume="allow",
        settings=wandb.Settings(silent=True, console="off", x_disable_stats=True, disable_git=True),
    ) as run:
        for checkpoint, values in _history(cfg, paths):
            run.log(values, step=checkpoint)
        artifact = wandb.Artifact(f"{cfg.study}-{cfg.arm_name}-seed{cfg.seed}", type="instruction")
        for batch in range(1, cfg.batches + 1):
            source = paths.batch(cfg.arm_name, cfg.seed, batch)
            for name in ("instruction.md", "graph.json"):
                artifact.add_file(str(source / name), name=f"batch{batch:02d}/{name}")
        run.log_artifact(artifact)
        place = Path(run.dir).parent
    return str(place.relative_to(folder.resolve()) if place.is_relative_to(folder.resolve()) else place)


def _history(cfg: TrackSlice, paths: ShiftPaths) -> list[tuple[int, dict[str, float]]]:
    frame = pd.read_parquet(paths.metrics)
    mine = frame[(frame["arm"] == cfg.arm_name) & (frame["seed"] == cfg.seed)]
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
        instruction = paths.batch(cfg.arm_name, cfg.seed, number) / "instruction.md"
        values["characters"] = float(len(instruction.read_text(encoding="utf-8")))
        if number > 0:
            analysis = read_object(paths.batch(cfg.arm_name, cfg.seed, number) / "analysis.json")
            values["verification_tokens"] = float(str(analysis["verification_tokens"]))
        history.append((number, values))
    return history


def _inputs(cfg: TrackSlice, out: Path) -> Sequence[Path]:
    paths = ShiftPaths(out)
    names = ("instruction.md", "graph.json", "analysis.json")
    batches = [paths.batch(cfg.arm_name, cfg.seed, batch) for batch in range(1, cfg.batches + 1)]
    return [paths.metrics, *(folder / name for folder in batches for name in names)]


def _outputs(cfg: TrackSlice, out: Path) -> Sequence[Path]:
    return [out / "tracking" / f"{cfg.arm_name}-seed{cfg.seed}.json"]


def _provenance(cfg: TrackSlice, out: Path) -> Path:
    return out / "tracking" / f"{cfg.arm_name}-seed{cfg.seed}.provenance.json"


STAGE = Stage("track", "holdcourse.stages.track", TrackSlice, main, _inputs, _outputs, _provenance)

if __name__ == "__main__":
    command_line(STAGE)
