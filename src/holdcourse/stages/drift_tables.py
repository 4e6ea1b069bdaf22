"""Write the recovery's tables and figures, the paper's figures beside ours (§5.3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pandas as pd
from pydantic import JsonValue

from holdcourse.config.study_command import told_results
from holdcourse.errors import HoldcourseError
from holdcourse.files import read_object, write_json, write_text
from holdcourse.report.names import TABLE_FORMATS
from holdcourse.report.onset_figure import onset_figure
from holdcourse.report.recovery_claims import recovery_claims
from holdcourse.report.recovery_names import PAPER_TABLES, RECOVERY_FIGURES, RECOVERY_TABLES
from holdcourse.report.recovery_quality import (
    cost_table,
    injection_table,
    nodes_table,
    outcomes_table,
    quality_table,
)
from holdcourse.report.recovery_results import RecoveryResults, RecoverySetting
from holdcourse.report.recovery_tables import extensions_table, paper_table
from holdcourse.report.writing import as_markdown, write_figure, write_table
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.launch import command_line
from holdcourse.stages.recovery_slices import DriftTablesSlice
from holdcourse.stages.stage import Stage


def main(cfg: DriftTablesSlice, out: Path) -> None:
    """Write tables/drift_*.*, figures/drift_onset_sensitivity.* and drift/injection_suite.{json,md}."""
    paths = DriftPaths(out)
    results = RecoveryResults(pd.read_parquet(paths.metrics), pd.read_parquet(paths.onset_sensitivity))
    setting = setting_of(cfg, out)
    _check_all_measured(results, cfg, paths)
    tried = [read_object(paths.injection_walks(backbone)) for backbone in cfg.injection.backbones]
    injected = injection_table(tried, setting)
    for table in (
        *(paper_table(name, results, setting) for name in PAPER_TABLES),
        extensions_table(results, setting),
        quality_table(results, setting),
        nodes_table(results, setting),
        outcomes_table(results, setting),
        cost_table(results, setting),
        injected,
        recovery_claims(results, setting),
    ):
        write_table(table, out / "tables")
    write_json(paths.injection_suite, cast("list[JsonValue]", tried))
    write_text(paths.injection_suite.with_suffix(".md"), as_markdown(injected))
    for name in RECOVERY_FIGURES:
        write_figure(onset_figure(results, setting, cfg.report), name, out / "figures", cfg.report)


def _check_all_measured(results: RecoveryResults, cfg: DriftTablesSlice, paths: DriftPaths) -> None:
    lacking = [
        f"{cell.drift_type} {cell.main_agent} {backbone}"
        for cell in cfg.cells
        for backbone in cell.backbones
        if backbone not in results.backbones(cell)
    ]
    if lacking:
        raise HoldcourseError(
            f"{paths.metrics} has no results of {', '.join(lacking)}, which end_to_end.cells names; have "
            "stage drift_metrics make it again"
        )


def setting_of(cfg: DriftTablesSlice, out: Path) -> RecoverySetting:
    """What the tables and figures say about how their numbers were made."""
    return RecoverySetting(
        study=cfg.study,
        cells=cfg.cells,
        models=cfg.drift_agents,
        policy=cfg.policy_model,
        world=cfg.world.source,
        evaluation=cfg.evaluation,
        paper=cfg.paper_drift,
        overrides=cfg.overrides,
        results=told_results(out.parent),
    )


def _inputs(cfg: DriftTablesSlice, out: Path) -> Sequence[Path]:
    paths = DriftPaths(out)
    tried = [paths.injection_walks(backbone) for backbone in cfg.injection.backbones]
    return [paths.metrics, paths.onset_sensitivity, *tried]


def _outputs(cfg: DriftTablesSlice, out: Path) -> Sequence[Path]:
    suite = DriftPaths(out).injection_suite
    return [
        *(out / "tables" / f"{name}.{kind}" for name in RECOVERY_TABLES for kind in TABLE_FORMATS),
        *(out / "figures" / f"{name}.{kind}" for name in RECOVERY_FIGURES for kind in cfg.report.formats),
        suite,
        suite.with_suffix(".md"),
    ]


def _provenance(cfg: DriftTablesSlice, out: Path) -> Path:
    return DriftPaths(out).drift / "tables.provenance.json"


STAGE = Stage(
    name="drift_tables",
    module="holdcourse.stages.drift_tables",
    config=DriftTablesSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
)

if __name__ == "__main__":
    command_line(STAGE)
