"""Draw the drift dataset: types, onsets, lengths, apps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holdcourse.files import read_jsonl
from holdcourse.llm.door import is_simulated
from holdcourse.report.drift_dataset import dataset_figure
from holdcourse.report.setting import OFFLINE_LABEL
from holdcourse.report.writing import write_figure
from holdcourse.stages.dataset import SPLITS
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.drift_slices import DatasetFiguresSlice
from holdcourse.stages.launch import command_line
from holdcourse.stages.stage import Stage

NAME = "drift_dataset"


def main(cfg: DatasetFiguresSlice, out: Path) -> None:
    """Write figures/drift_dataset.* in the formats of conf/report/."""
    paths = DriftPaths(out)
    splits = {split: read_jsonl(paths.dataset(split)) for split in SPLITS}
    label = OFFLINE_LABEL if is_simulated(cfg.trajectory_agent) else None
    write_figure(dataset_figure(splits, cfg.report, label), NAME, out / "figures", cfg.report)


def _inputs(cfg: DatasetFiguresSlice, out: Path) -> Sequence[Path]:
    return [DriftPaths(out).dataset(split) for split in SPLITS]


def _outputs(cfg: DatasetFiguresSlice, out: Path) -> Sequence[Path]:
    return [out / "figures" / f"{NAME}.{kind}" for kind in cfg.report.formats]


def _provenance(cfg: DatasetFiguresSlice, out: Path) -> Path:
    return out / "figures" / f"{NAME}.provenance.json"


STAGE = Stage(
    name="dataset_figures",
    module="holdcourse.stages.dataset_figures",
    config=DatasetFiguresSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
)

if __name__ == "__main__":
    command_line(STAGE)
