"""Tell of each write whether it can be undone: by the documentation, and by doing it on the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from holdcourse.appworld.docs import Docs
from holdcourse.appworld.engine_command import run_engine
from holdcourse.appworld.engine_environment import engine_python
from holdcourse.appworld.engine_identity import engine_identity
from holdcourse.appworld.measured import kept
from holdcourse.appworld.reversibility import rows
from holdcourse.appworld.reversible import reversibility_page
from holdcourse.appworld.world import ready_world
from holdcourse.files import write_json, write_text
from holdcourse.stages.drift_paths import DriftPaths
from holdcourse.stages.drift_slices import EngineSlice
from holdcourse.stages.launch import command_line
from holdcourse.stages.stage import Stage


def main(cfg: EngineSlice, out: Path) -> None:
    """Write drift/world/reversibility.{json,md} and documentation.json, the short form that prompts quote."""
    paths = DriftPaths(out)
    python = engine_python(Path(cfg.engine.environment))
    world = ready_world(cfg.world, python)
    docs = Docs.read(world.root)
    measured = kept(
        world.root / "restoration.json",
        lambda path: run_engine(python, "restoration", [str(world.root), str(path)]),
    )
    found = rows(docs, cast("Mapping[str, Mapping[str, object]]", measured["rows"]))
    write_json(paths.reversibility, [row.record() for row in found])
    write_text(paths.reversibility.with_suffix(".md"), reversibility_page(found))
    write_json(paths.docs, docs.compact(docs.apps))


def _inputs(cfg: EngineSlice, out: Path) -> Sequence[Path]:
    return [DriftPaths(out).world]


def _outputs(cfg: EngineSlice, out: Path) -> Sequence[Path]:
    paths = DriftPaths(out)
    return [paths.reversibility, paths.reversibility.with_suffix(".md"), paths.docs]


def _provenance(cfg: EngineSlice, out: Path) -> Path:
    return DriftPaths(out).reversibility.with_name("reversibility.provenance.json")


STAGE = Stage(
    name="reversibility",
    module="holdcourse.stages.reversibility",
    config=EngineSlice,
    main=main,
    inputs=_inputs,
    outputs=_outputs,
    provenance=_provenance,
    engine=engine_identity,
)

if __name__ == "__main__":
    command_line(STAGE)
