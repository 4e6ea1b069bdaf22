"""All figures of the shift study."""

from __future__ import annotations

from matplotlib.figure import Figure

from holdcourse.config.schema import ReportConfig
from holdcourse.report.competence import shift_competence
from holdcourse.report.results import ShiftResults
from holdcourse.report.setting import Setting
from holdcourse.report.size import shift_size
from holdcourse.report.trajectories import shift_trajectories, shift_transfer_cycles

COMPETENCE = "shift_competence"
SHIFT_FIGURES = ("shift_trajectories", "shift_transfer_cycles", "shift_size")


def shift_figures(results: ShiftResults, setting: Setting, report: ReportConfig) -> dict[str, Figure]:
    """The figures named in `SHIFT_FIGURES`, by name, and the competence sweep if there was one."""
    figures = {
        "shift_trajectories": shift_trajectories(results, setting, report),
        "shift_transfer_cycles": shift_transfer_cycles(results, setting, report),
        "shift_size": shift_size(results, setting, report),
    }
    if not results.sensitivity.empty:
        figures[COMPETENCE] = shift_competence(results, setting, report)
    return figures
