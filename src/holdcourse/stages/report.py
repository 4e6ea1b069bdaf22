"""The report: one HTML page with the tables, the figures and what made them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holdcourse.files import write_text
from holdcourse.report.figures import shift_figures
from holdcourse.report.page import report_page
from holdcourse.report.tables import shift_tables
from holdcourse.report.writing import figure_bytes
from holdcourse.stages.launch import command_line
from holdcourse.stages.provenance import git_commit, packages
from holdcourse.stages.shift_results import figure_files, load_results, setting_of
from holdcourse.stages.shift_slices import FiguresSlice
from holdcourse.stages.stage import Stage


def main(cfg: FiguresSlice, out: Path) -> None:
    """Write report.html."""
    results, setting = load_results(cfg, out, cfg.slopes), setting_of(cfg, out)
    images = {
        name: figure_bytes(figure, "png", cfg.report)
        for name, figure in shift_figures(results, setting, cfg.report).items()
    }
    provenance = {
        "commit": git_commit() or "unknown",
        "configuration": cfg.digest[:16],
        **{name: str(version) for name, version in packages().items()},
    }
    page = report_page(shift_tables(results, setting), images, setting, provenance)
    write_text(out / "report.html", page)


def _outputs(cfg: FiguresSlice, out: Path) -> Sequence[Path]:
    return [out / "report.html"]


def _provenance(cfg: FiguresSlice, out: Path) -> Path:
    return out / "report.provenance.json"


STAGE = Stage(
    name="report",
    module="holdcourse.stages.report",
    config=FiguresSlice,
    main=main,
    inputs=figure_files,
    outputs=_outputs,
    provenance=_provenance,
)

if __name__ == "__main__":
    command_line(STAGE)
