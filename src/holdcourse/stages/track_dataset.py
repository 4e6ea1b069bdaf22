"""Record the drift dataset for Weights & Biases: counts, cards and figures.

Not the trajectories: they may quote AppWorld's documentation, which must not be passed on in plain text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from holdcourse.files import read_object, write_json
from holdcourse.stages.dataset import SPLITS
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.drift_slices import TrackDatasetSlice
from holdcourse.stages.launch import command_line
from holdcourse.stages.stage import Stage
from holdcourse.stages.wandb_run import RunName, record, tracked


def main(cfg: TrackDatasetSlice, out: Path) -> None:
    """Write tracking/drift-data.json, which names the run and where its files stand."""
    summary = read_object(DriftPaths(out).dataset_summary)
    name = RunName(cfg.study, "drift-data", f"{cfg.study}-drift-data", ("drift-data",), cfg.digest[:16])
    with tracked(name, cfg.identity(), cfg.tracking, out / "tracking") as run:
        run.history = [(0, _counts(summary))]
        run.artifact, run.kind = f"{cfg.study}-drift-data", "dataset"
        run.files = {str(path.relative_to(out)): path for path in _inputs(cfg, out)}
    write_json(out / "tracking" / "drift-data.json", record(name, cfg.tracking, run))


def _counts(summary: Mapping[str, object]) -> dict[str, float]:
    counted = {"relabelled": float(cast("int", summary["relabelled"]))}
    for split in SPLITS:
        found = cast("Mapping[str, object]", summary[split])
        counted |= {f"{split}/{key}": float(value) for key, value in found.items() if isinstance(value, int)}
        for key in ("type", "carrier"):
            for kind, count in cast("Mapping[str, int]", found[key]).items():
                counted[f"{split}/{key}/{kind}"] = float(count)
    return counted


def _inputs(cfg: TrackDatasetSlice, out: Path) -> Sequence[Path]:
    paths = DriftPaths(out)
    figures = [out / "figures" / f"drift_dataset.{kind}" for kind in cfg.report.formats]
    return [
        paths.dataset_summary,
        paths.dataset_card,
        paths.prompts_card,
        paths.validation.with_suffix(".md"),
        paths.reversibility.with_suffix(".md"),
        *figures,
    ]


def _outputs(cfg: TrackDatasetSlice, out: Path) -> Sequence[Path]:
    return [out / "tracking" / "drift-data.json"]


def _provenance(cfg: TrackDatasetSlice, out: Path) -> Path:
    return out / "tracking" / "drift-data.provenance.json"


STAGE = Stage(
    name="track_dataset",
    module="holdcourse.stages.track_dataset",
    config=TrackDatasetSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
)

if __name__ == "__main__":
    command_line(STAGE)
