"""All tables of the shift study."""

from __future__ import annotations

from holdcourse.report.claims import claims
from holdcourse.report.failure_modes import shift_failure_modes
from holdcourse.report.reliability import shift_reference, shift_reliability
from holdcourse.report.results import ShiftResults
from holdcourse.report.setting import Setting
from holdcourse.report.table import ReportTable
from holdcourse.report.transfer import shift_transfer


def shift_tables(results: ShiftResults, setting: Setting) -> tuple[ReportTable, ...]:
    """The tables of `names.SHIFT_TABLES`, in that order."""
    return (
        shift_reliability(results, setting),
        shift_transfer(results, setting),
        shift_failure_modes(results, setting),
        shift_reference(results, setting),
        claims(results, setting),
    )
