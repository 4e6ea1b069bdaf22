"""Record one training run for Weights & Biases: its curve by step, and the adapter with its card.

The run's id comes from the slice's digest, so that recording again continues the same run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from holdcourse.files import read_jsonl, write_json
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.launch import command_line
from holdcourse.stages.stage import Stage
from holdcourse.stages.train import training_files
from holdcourse.stages.training_slices import TrackTrainingSlice
from holdcourse.stages.wandb_run import RunName, record, tracked


def main(cfg: TrackTrainingSlice, out: Path) -> None:
    """Write tracking/training-{policy_model}-seed{S}.json, which names the run and where its files stand."""
    folder = DriftPaths(out).training(cfg.policy_model.name, cfg.seed)
    unit = f"training-{cfg.policy_model.name}-seed{cfg.seed}"
    tags = (cfg.policy_model.name, f"seed{cfg.seed}", cfg.training.name)
    name = RunName(cfg.study, "train", f"{cfg.study}-{unit}", tags, cfg.digest[:16])
    with tracked(name, cfg.identity(), cfg.tracking, out / "tracking") as run:
        run.history = [(int(str(row["step"])), _numbers(row)) for row in read_jsonl(folder / "curve.jsonl")]
        run.artifact, run.kind = f"{cfg.study}-{unit}", "adapter"
        for file in training_files(folder):
            run.files[str(file.relative_to(folder))] = file
    write_json(out / "tracking" / f"{unit}.json", record(name, cfg.tracking, run))


def _numbers(row: Mapping[str, object], prefix: str = "") -> dict[str, float]:
    """The numbers of a row of the curve, those of its tables under their names."""
    found: dict[str, float] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            found |= _numbers(value, f"{prefix}{name}/")
        elif isinstance(value, int | float) and name != "step":
            found[f"{prefix}{name}"] = float(value)
    return found


def _inputs(cfg: TrackTrainingSlice, out: Path) -> Sequence[Path]:
    return training_files(DriftPaths(out).training(cfg.policy_model.name, cfg.seed))


def _outputs(cfg: TrackTrainingSlice, out: Path) -> Sequence[Path]:
    return [out / "tracking" / f"training-{cfg.policy_model.name}-seed{cfg.seed}.json"]


def _provenance(cfg: TrackTrainingSlice, out: Path) -> Path:
    return _outputs(cfg, out)[0].with_suffix(".provenance.json")


STAGE = Stage(
    name="track_training",
    module="holdcourse.stages.track_training",
    config=TrackTrainingSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
)

if __name__ == "__main__":
    command_line(STAGE)
