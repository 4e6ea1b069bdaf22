"""What a stage is, and how one is executed: nothing twice, nothing overwritten, provenance beside it."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic

from pydantic import JsonValue

from holdcourse.errors import HoldcourseError
from holdcourse.files import read_json, write_json
from holdcourse.llm.chat import canonical_json
from holdcourse.stages.code import code_digest
from holdcourse.stages.provenance import digests, git_commit, packages
from holdcourse.stages.reaching import reached
from holdcourse.stages.slices import SliceT

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Stage(Generic[SliceT]):
    """A stage by its declared files. All callables take the slice and results/{study}."""

    name: str
    module: str
    config: type[SliceT]
    main: Callable[[SliceT, Path], None]
    inputs: Callable[[SliceT, Path], Sequence[Path]]
    outputs: Callable[[SliceT, Path], Sequence[Path]]
    provenance: Callable[[SliceT, Path], Path]


def execute(stage: Stage[SliceT], cfg: SliceT, out: Path) -> None:
    """Run a stage unless its results are there already.

    Raises:
        HoldcourseError: an input is missing, or results of another configuration are in the way.
    """
    inputs = list(stage.inputs(cfg, out))
    missing = [path for path in inputs if not path.exists()]
    if missing:
        raise HoldcourseError(
            f"stage {stage.name} needs {', '.join(map(str, missing))}, which "
            f"{'does' if len(missing) == 1 else 'do'} not exist; run the stages before it, or let "
            f"`snakemake --cores 2 --config study={cfg.study}` order them"
        )
    record = stage.provenance(cfg, out)
    made_by: dict[str, JsonValue] = {
        "stage": stage.name,
        "config": cfg.identity(),
        "config_digest": cfg.digest,
        "code_digest": code_digest(stage.module),
        "inputs": digests(inputs, out),
    }
    if _already_made(stage, cfg, out, record, made_by):
        log.info("%s: results are there already, nothing to do", stage.name)
        return
    with reached(cfg, out) as reaching:
        stage.main(reaching, out)
    write_json(record, {**made_by, "packages": packages(), "git_commit": git_commit()})


def unit_identity(stage_module: str, cfg: SliceT, inputs: Sequence[Path], out: Path) -> str:
    """Digest of everything a unit's journals depend on: configuration, code and inputs."""
    whole = {"config": cfg.digest, "code": code_digest(stage_module), "inputs": digests(inputs, out)}
    return hashlib.sha256(canonical_json(whole).encode()).hexdigest()


def _already_made(
    stage: Stage[SliceT], cfg: SliceT, out: Path, record: Path, made_by: dict[str, JsonValue]
) -> bool:
    outputs = list(stage.outputs(cfg, out))
    present = [path for path in outputs if path.exists()]
    if not present and not record.exists():
        return False
    if not record.exists():
        raise HoldcourseError(
            f"{present[0]} stands in the way: it has no {record.name} that says what made it; "
            "move it away, or choose another folder with results=DIR"
        )
    found = read_json(record)
    known = {key: found.get(key) for key in made_by} if isinstance(found, dict) else {}
    if known == made_by:
        return len(present) == len(outputs)
    differing = [key for key in ("config", "code_digest", "inputs") if known.get(key) != made_by[key]]
    raise HoldcourseError(
        f"{record.parent} holds results of stage {stage.name} made with another "
        f"{' and '.join(name.removesuffix('_digest') for name in differing) or 'identity'}; "
        "move them away, choose another folder with results=DIR, or let Snakemake rerun what changed"
    )
