"""Draw the shift study's figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holdcourse.config.schema import ReportConfig
from holdcourse.report.figures import shift_figures
from holdcourse.report.names import figure_names
from holdcourse.report.writing import write_figure
from holdcourse.stages.launch import command_line
from holdcourse.stages.shift_results import figure_files, load_results, setting_of
from holdcourse.stages.shift_slices import FiguresSlice
from holdcourse.stages.stage import Stage


def main(cfg: FiguresSlice, out: Path) -> None:
    """Write figures/* in the formats of conf/report/."""
    figures = shift_figures(load_results(cfg, out, cfg.slopes), setting_of(cfg, out), cfg.report)
    for name, figure in figures.items():
        write_figure(figure, name, out / "figures", cfg.report)


def drawn_files(slopes: Sequence[float], report: ReportConfig, out: Path) -> Sequence[Path]:
    """The figures of a study, in its formats; the competence sweep only where there is one."""
    names = figure_names(swept=bool(slopes))
    return [out / "figures" / f"{name}.{kind}" for name in names for kind in report.formats]


def _outputs(cfg: FiguresSlice, out: Path) -> Sequence[Path]:
    return drawn_files(cfg.slopes, cfg.report, out)


def _provenance(cfg: FiguresSlice, out: Path) -> Path:
    return out / "figures" / "provenance.json"


STAGE = Stage(
    name="figures",
    module="holdcourse.stages.figures",
    config=FiguresSlice,
    main=main,
    inputs=figure_files,
    outputs=_outputs,
    provenance=_provenance,
)

if __name__ == "__main__":
    command_line(STAGE)
