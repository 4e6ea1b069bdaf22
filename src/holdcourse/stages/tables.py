"""Write the shift study's tables, the paper's figures beside ours, as csv, md and tex."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holdcourse.report.names import SHIFT_TABLES, TABLE_FORMATS
from holdcourse.report.tables import shift_tables
from holdcourse.report.writing import write_table
from holdcourse.stages.launch import command_line
from holdcourse.stages.shift_results import load_results, result_files, setting_of
from holdcourse.stages.shift_slices import TablesSlice
from holdcourse.stages.stage import Stage


def main(cfg: TablesSlice, out: Path) -> None:
    """Write tables/*.{csv,md,tex}."""
    for table in shift_tables(load_results(cfg, out), setting_of(cfg, out)):
        write_table(table, out / "tables")


def table_files(out: Path) -> Sequence[Path]:
    """The tables of a study."""
    return [out / "tables" / f"{name}.{kind}" for name in SHIFT_TABLES for kind in TABLE_FORMATS]


def _outputs(cfg: TablesSlice, out: Path) -> Sequence[Path]:
    return table_files(out)


def _provenance(cfg: TablesSlice, out: Path) -> Path:
    return out / "tables" / "provenance.json"


STAGE = Stage(
    name="tables",
    module="holdcourse.stages.tables",
    config=TablesSlice,
    main=main,
    inputs=result_files,
    outputs=_outputs,
    provenance=_provenance,
)

if __name__ == "__main__":
    command_line(STAGE)
