"""The made-up study at the paper's shape, built once."""

from __future__ import annotations

import pytest
from tests.report.made_study import make_results, make_setting

from holdcourse.report.results import ShiftResults
from holdcourse.report.setting import Setting
from holdcourse.report.table import ReportTable
from holdcourse.report.tables import shift_tables


@pytest.fixture(scope="session")
def setting() -> Setting:
    """The paper's shape with simulated models."""
    return make_setting()


@pytest.fixture(scope="session")
def results(setting: Setting) -> ShiftResults:
    """Results of all arms, with audits, sizes and verification tokens."""
    return make_results(setting)


@pytest.fixture(scope="session")
def tables(results: ShiftResults, setting: Setting) -> dict[str, ReportTable]:
    """All tables of the made-up study, by name."""
    return {table.name: table for table in shift_tables(results, setting)}
