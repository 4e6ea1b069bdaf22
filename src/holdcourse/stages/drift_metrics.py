"""Measure the recovery: task goal completion, outcomes, quality of each node, cost, sensitivity to k_0."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from holdcourse.config.end_to_end import Backbone, Cell
from holdcourse.errors import HoldcourseError
from holdcourse.files import read_json, read_jsonl
from holdcourse.metrics.drift_frames import NO_DRIFT, RESISTED, CellResults, drift_metrics
from holdcourse.metrics.episode_outcomes import Row
from holdcourse.metrics.intervals import Bootstrap
from holdcourse.metrics.onset_frames import Key, onset_sensitivity
from holdcourse.recovery.stored import reversible_operations
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.launch import command_line
from holdcourse.stages.parquet import write_parquet
from holdcourse.stages.recovery_slices import DriftMetricsSlice
from holdcourse.stages.stage import Stage

DRIFTED = "drift"
SWEPT_AGENT = "large"
"""Whose drifted runs the suspected onset is shifted in; one agent's are enough for walks alone."""


def main(cfg: DriftMetricsSlice, out: Path) -> None:
    """Write drift/metrics.parquet and drift/onset_sensitivity.parquet."""
    paths = DriftPaths(out)
    bootstrap = Bootstrap.of(cfg.evaluation)
    table = read_json(paths.reversibility)
    documented = frozenset(str(row["operation"]) for row in cast("Sequence[Row]", table) if row["documented"])
    cells = [_results(cell, paths) for cell in cfg.cells]
    write_parquet(paths.metrics, drift_metrics(cells, reversible_operations(table), documented, bootstrap))
    drifted = {(cell.drift_type, cell.main_agent): cell.drifted for cell in cells}
    walks: dict[Key, Sequence[Row]] = {
        unit: _onset_walks(unit, drifted[unit[:2]], cfg.onset_errors, paths)
        for unit in swept(cfg.cells, cfg.onset_backbones)
    }
    write_parquet(paths.onset_sensitivity, onset_sensitivity(walks, cfg.onset_errors, bootstrap))


def swept(cells: Sequence[Cell], backbones: Sequence[Backbone]) -> Iterator[tuple[str, str, Backbone]]:
    """Drift type, main agent and backbone of the walks under wrong suspicions."""
    for cell in cells:
        if cell.main_agent == SWEPT_AGENT:
            for backbone in backbones:
                yield cell.drift_type, cell.main_agent, backbone


def _onset_walks(
    unit: Key, drifted: Sequence[Row], errors: Sequence[int], paths: DriftPaths
) -> Sequence[Row]:
    made = paths.onset_walks(*unit)
    rows = read_jsonl(made)
    wanted = Counter((row["id"], error) for row in drifted for error in errors)
    if Counter((row["id"], row["error"]) for row in rows) != wanted:
        raise HoldcourseError(
            f"{made} is not of the runs in {DRIFTED}.jsonl and the errors {', '.join(map(str, errors))}; "
            "have stage onset_walks make it again"
        )
    return rows


def _results(cell: Cell, paths: DriftPaths) -> CellResults:
    of = cell.drift_type, cell.main_agent
    drifted = read_jsonl(paths.episodes(*of, DRIFTED))
    named: tuple[str, ...] = cell.backbones
    episodes = {backbone: read_jsonl(paths.episodes(*of, backbone)) for backbone in named}
    for backbone in cell.backbones:
        rows, modes = episodes[backbone], cell.acting(backbone).modes
        wanted = {(row["id"], mode) for row in drifted for mode in modes}
        if {(row["id"], row["mode"]) for row in rows} != wanted:
            raise HoldcourseError(
                f"{paths.episodes(*of, backbone)} is not of the runs in {paths.episodes(*of, DRIFTED).name} "
                f"and the modes {', '.join(modes)}; have stage episodes make it again"
            )
    without, resisted = (read_jsonl(paths.episodes(*of, name)) for name in (NO_DRIFT, RESISTED))
    return CellResults(*of, drifted, without, episodes, resisted)


def _inputs(cfg: DriftMetricsSlice, out: Path) -> Sequence[Path]:
    paths = DriftPaths(out)
    return [
        paths.reversibility,
        *(
            paths.episodes(cell.drift_type, cell.main_agent, name)
            for cell in cfg.cells
            for name in (DRIFTED, NO_DRIFT, RESISTED, *cell.backbones)
        ),
        *(paths.onset_walks(*unit) for unit in swept(cfg.cells, cfg.onset_backbones)),
    ]


def _outputs(cfg: DriftMetricsSlice, out: Path) -> Sequence[Path]:
    return [DriftPaths(out).metrics, DriftPaths(out).onset_sensitivity]


def _provenance(cfg: DriftMetricsSlice, out: Path) -> Path:
    return DriftPaths(out).metrics.with_suffix(".provenance.json")


STAGE = Stage(
    name="drift_metrics",
    module="holdcourse.stages.drift_metrics",
    config=DriftMetricsSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
)

if __name__ == "__main__":
    command_line(STAGE)
