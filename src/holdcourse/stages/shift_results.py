"""Gather what the shift study's tables and figures are made of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from holdcourse.config.study_command import told_results
from holdcourse.files import read_json, read_object, read_text
from holdcourse.metrics.audit_frame import AuditedRun, audit_frame
from holdcourse.metrics.audit_record import read_audit
from holdcourse.report.results import SIZE_COLUMNS, VERIFICATION_COLUMNS, ShiftResults, no_sensitivity
from holdcourse.report.setting import Setting
from holdcourse.stages.paths import ShiftPaths
from holdcourse.stages.shift_slices import FiguresSlice, TablesSlice
from holdcourse.stages.sizes import graph_size


def setting_of(cfg: TablesSlice, out: Path) -> Setting:
    """What the tables and figures say about how their numbers were made."""
    return Setting(
        study=cfg.study,
        arm_labels={arm: cfg.arm_labels[arm] for arm in cfg.arms},
        seeds=cfg.seeds,
        protocol=cfg.protocol,
        evaluation=cfg.evaluation,
        audited=cfg.audit.checkpoints,
        models=cfg.all_models,
        paper=cfg.paper,
        overrides=cfg.overrides,
        results=told_results(out.parent),
    )


def load_results(cfg: TablesSlice, out: Path, slopes: Sequence[float] = ()) -> ShiftResults:
    """Read metrics, audits, sizes and verification tokens of all arms and seeds, and the sweep's `slopes`."""
    paths = ShiftPaths(out)
    units = [(arm, seed) for arm in cfg.arms for seed in cfg.seeds]
    audits = [
        AuditedRun(arm, seed, read_audit(read_json(path), str(path)))
        for arm, seed in units
        for checkpoint in cfg.audit.checkpoints
        for path in [paths.checkpoint(arm, seed, checkpoint) / "audit.json"]
    ]
    batches = range(cfg.protocol.batches + 1)
    sizes = [_size(paths, arm, seed, batch) for arm, seed in units for batch in batches]
    verification = [_verification(paths, arm, seed, batch) for arm, seed in units for batch in batches[1:]]
    swept = sensitivity_files(cfg.arms, slopes, out)
    return ShiftResults(
        scores=pd.read_parquet(paths.shift / "task_scores.parquet"),
        sensitivity=pd.concat(map(pd.read_parquet, swept), ignore_index=True) if swept else no_sensitivity(),
        audits=audit_frame(audits),
        sizes=pd.DataFrame(sizes, columns=list(SIZE_COLUMNS)),
        verification=pd.DataFrame(verification, columns=list(VERIFICATION_COLUMNS)),
    )


def _size(paths: ShiftPaths, arm: str, seed: int, batch: int) -> tuple[object, ...]:
    folder = paths.batch(arm, seed, batch)
    units, edges = graph_size(read_json(folder / "graph.json"))
    return arm, seed, batch, len(read_text(folder / "instruction.md")), units, edges


def _verification(paths: ShiftPaths, arm: str, seed: int, batch: int) -> tuple[object, ...]:
    analysis = read_object(paths.batch(arm, seed, batch) / "analysis.json")
    return arm, seed, batch, analysis["verification_tokens"]


def sensitivity_files(arms: Sequence[str], slopes: Sequence[float], out: Path) -> list[Path]:
    """The files of the competence sweep."""
    return [ShiftPaths(out).sensitivity(arm, slope) for arm in arms for slope in slopes]


def figure_files(cfg: FiguresSlice, out: Path) -> Sequence[Path]:
    """The files that figures are made from."""
    return [*result_files(cfg, out), *sensitivity_files(cfg.arms, cfg.slopes, out)]


def result_files(cfg: TablesSlice, out: Path) -> Sequence[Path]:
    """The files that `load_results` reads."""
    paths = ShiftPaths(out)
    units = [(arm, seed) for arm in cfg.arms for seed in cfg.seeds]
    audits = [
        paths.checkpoint(arm, seed, checkpoint) / "audit.json"
        for arm, seed in units
        for checkpoint in cfg.audit.checkpoints
    ]
    folders = [
        (paths.batch(arm, seed, batch), batch)
        for arm, seed in units
        for batch in range(cfg.protocol.batches + 1)
    ]
    texts = [folder / name for folder, _ in folders for name in ("instruction.md", "graph.json")]
    analyses = [folder / "analysis.json" for folder, batch in folders if batch > 0]
    return [paths.metrics, paths.shift / "task_scores.parquet", *audits, *texts, *analyses]
