"""Draw the shift study's figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holdcourse.report.figures import shift_figures
from holdcourse.report.writing import write_figure
from holdcourse.stages.launch import command_line
from holdcourse.stages.shift_results import figure_files, load_results, setting_of
from holdcourse.stages.shift_slices import FiguresSlice
from holdcourse.stages.stage import Stage

NAMES = ("shift_trajectories", "shift_transfer_cycles", "shift_size")
SWEEP = "shift_competence"


def main(cfg: FiguresSlice, out: Path) -> None:
    """Write figures/* in the formats of conf/report/."""
    figures = shift_figures(load_results(cfg, out, cfg.slopes), setting_of(cfg), cfg.report)
    for name, figure in figures.items():
        write_figure(figure, name, out / "figures", cfg.report)


def _outputs(cfg: FiguresSlice, out: Path) -> Sequence[Path]:
    names = (*NAMES, SWEEP) if cfg.slopes else NAMES
    return [out / "figures" / f"{name}.{kind}" for name in names for kind in cfg.report.formats]


def _provenance(cfg: FiguresSlice, out: Path) -> Path:
    return out / "figures" / "provenance.json"


STAGE = Stage("figures", "holdcourse.stages.figures", FiguresSlice, main, figure_files, _outputs, _provenance)

if __name__ == "__main__":
    command_line(STAGE)
