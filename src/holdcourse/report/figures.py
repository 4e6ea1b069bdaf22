"""All figures of the shift study."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from matplotlib.figure import Figure

from holdcourse.config.schema import ReportConfig
from holdcourse.report.competence import shift_competence
from holdcourse.report.names import COMPETENCE_FIGURE, figure_names
from holdcourse.report.results import ShiftResults
from holdcourse.report.setting import Setting
from holdcourse.report.size import shift_size
from holdcourse.report.trajectories import shift_trajectories, shift_transfer_cycles

_DRAWN: Mapping[str, Callable[[ShiftResults, Setting, ReportConfig], Figure]] = {
    "shift_trajectories": shift_trajectories,
    "shift_transfer_cycles": shift_transfer_cycles,
    "shift_size": shift_size,
    COMPETENCE_FIGURE: shift_competence,
}


def shift_figures(results: ShiftResults, setting: Setting, report: ReportConfig) -> dict[str, Figure]:
    """The figures of `names.SHIFT_FIGURES`, by name; the competence sweep only if there was one."""
    names = figure_names(swept=not results.sensitivity.empty)
    return {name: _DRAWN[name](results, setting, report) for name in names}
