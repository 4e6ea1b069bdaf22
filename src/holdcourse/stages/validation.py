"""Validate the world's tasks: solution, nothing and a wrong solution, by the engine's own evaluator."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holdcourse.appworld.engine_environment import engine_python
from holdcourse.appworld.engine_identity import engine_identity
from holdcourse.appworld.validation import validated, validation_table
from holdcourse.appworld.world import ready_world
from holdcourse.files import write_json, write_text
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.drift_slices import EngineSlice
from holdcourse.stages.launch import command_line
from holdcourse.stages.stage import Stage


def main(cfg: EngineSlice, out: Path) -> None:
    """Write drift/world/validation.{json,md}."""
    paths = DriftPaths(out)
    python = engine_python(Path(cfg.engine.environment))
    report = validated(ready_world(cfg.world, python), python, cfg.workers)
    write_json(paths.validation, report)
    write_text(paths.validation.with_suffix(".md"), validation_table(report))


def _inputs(cfg: EngineSlice, out: Path) -> Sequence[Path]:
    return [DriftPaths(out).world]


def _outputs(cfg: EngineSlice, out: Path) -> Sequence[Path]:
    paths = DriftPaths(out)
    return [paths.validation, paths.validation.with_suffix(".md")]


def _provenance(cfg: EngineSlice, out: Path) -> Path:
    return DriftPaths(out).validation.with_name("validation.provenance.json")


STAGE = Stage(
    name="validation",
    module="holdcourse.stages.validation",
    config=EngineSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
    engine=engine_identity,
)

if __name__ == "__main__":
    command_line(STAGE)
