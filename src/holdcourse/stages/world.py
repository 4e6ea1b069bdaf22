"""Make sure that the AppWorld world is there, and keep its manifest with the results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holdcourse.appworld.engine_environment import engine_python
from holdcourse.appworld.engine_identity import engine_identity
from holdcourse.appworld.world import checked_world
from holdcourse.files import write_json
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.drift_slices import EngineSlice
from holdcourse.stages.launch import command_line
from holdcourse.stages.stage import Stage


def main(cfg: EngineSlice, out: Path) -> None:
    """Write drift/world/world.json; the world itself stands in the user's cache."""
    python = engine_python(Path(cfg.engine.environment))
    write_json(DriftPaths(out).world, dict(checked_world(cfg.world, python).manifest))


def _inputs(cfg: EngineSlice, out: Path) -> Sequence[Path]:
    return []


def _outputs(cfg: EngineSlice, out: Path) -> Sequence[Path]:
    return [DriftPaths(out).world]


def _provenance(cfg: EngineSlice, out: Path) -> Path:
    return DriftPaths(out).world.with_name("world.provenance.json")


STAGE = Stage(
    name="world",
    module="holdcourse.stages.world",
    config=EngineSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
    engine=engine_identity,
)

if __name__ == "__main__":
    command_line(STAGE)
