"""Record the recovery for Weights & Biases: its main metrics, tables and figures.

Not the episodes: their steps may quote AppWorld's documentation, which must not be passed on in plain text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from holdcourse.files import write_json
from holdcourse.metrics.drift_frames import ALL
from holdcourse.report.names import TABLE_FORMATS
from holdcourse.report.recovery_names import RECOVERY_FIGURES, RECOVERY_TABLES
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.launch import command_line
from holdcourse.stages.recovery_slices import TrackDriftSlice
from holdcourse.stages.stage import Stage
from holdcourse.stages.wandb_run import RunName, record, tracked

LOGGED = ("task_goal_completion", "task_goal_completion_all", "escalated", "failed_safe", "n1_f1")


def main(cfg: TrackDriftSlice, out: Path) -> None:
    """Write tracking/drift.json, which names the run and where its files stand."""
    metrics = pd.read_parquet(DriftPaths(out).metrics)
    name = RunName(cfg.study, "drift", f"{cfg.study}-drift", ("drift",), cfg.digest[:16])
    with tracked(name, cfg.identity(), cfg.tracking, out / "tracking") as run:
        run.history = [(0, _logged(metrics))]
        run.artifact, run.kind = f"{cfg.study}-drift", "tables"
        run.files = {str(path.relative_to(out)): path for path in _inputs(cfg, out)}
    write_json(out / "tracking" / "drift.json", record(name, cfg.tracking, run))


def _logged(metrics: pd.DataFrame) -> Mapping[str, float]:
    chosen = metrics[(metrics["difficulty"] == ALL) & metrics["metric"].isin(LOGGED)].dropna(subset=["value"])
    keys = ("drift_type", "main_agent", "backbone", "mode", "metric")
    return {
        "/".join(str(row[key]) for key in keys): float(row["value"])
        for row in chosen.to_dict(orient="records")
    }


def _inputs(cfg: TrackDriftSlice, out: Path) -> Sequence[Path]:
    paths = DriftPaths(out)
    return [
        paths.metrics,
        paths.onset_sensitivity,
        paths.injection_suite,
        *(out / "tables" / f"{name}.{kind}" for name in RECOVERY_TABLES for kind in TABLE_FORMATS),
        *(out / "figures" / f"{name}.{kind}" for name in RECOVERY_FIGURES for kind in cfg.report.formats),
    ]


def _outputs(cfg: TrackDriftSlice, out: Path) -> Sequence[Path]:
    return [out / "tracking" / "drift.json"]


def _provenance(cfg: TrackDriftSlice, out: Path) -> Path:
    return out / "tracking" / "drift.provenance.json"


STAGE = Stage(
    name="track_drift",
    module="holdcourse.stages.track_drift",
    config=TrackDriftSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
)

if __name__ == "__main__":
    command_line(STAGE)
