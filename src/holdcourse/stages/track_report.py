"""Record a study's tables and figures for Weights & Biases, as one artifact."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holdcourse.files import write_json
from holdcourse.stages import figures, tables
from holdcourse.stages.launch import command_line
from holdcourse.stages.shift_slices import TrackReportSlice
from holdcourse.stages.stage import Stage
from holdcourse.stages.wandb_run import RunName, record, tracked


def main(cfg: TrackReportSlice, out: Path) -> None:
    """Write tracking/report.json, which names the run and where its files stand."""
    name = RunName(cfg.study, "report", f"{cfg.study}-report", ("report",), cfg.digest[:16])
    with tracked(name, cfg.identity(), cfg.tracking, out / "tracking") as run:
        run.artifact, run.kind = f"{cfg.study}-report", "tables"
        run.files = {str(path.relative_to(out)): path for path in _inputs(cfg, out)}
    write_json(out / "tracking" / "report.json", record(name, cfg.tracking, run))


def _inputs(cfg: TrackReportSlice, out: Path) -> Sequence[Path]:
    return [*tables.table_files(out), *figures.drawn_files(cfg.slopes, cfg.report, out)]


def _outputs(cfg: TrackReportSlice, out: Path) -> Sequence[Path]:
    return [out / "tracking" / "report.json"]


def _provenance(cfg: TrackReportSlice, out: Path) -> Path:
    return out / "tracking" / "report.provenance.json"


STAGE = Stage(
    name="track_report",
    module="holdcourse.stages.track_report",
    config=TrackReportSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
)

if __name__ == "__main__":
    command_line(STAGE)
