"""What a stage is, and how one is executed: nothing twice, nothing overwritten, provenance beside it."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic

from pydantic import JsonValue

from holdcourse.config.study_command import study_command
from holdcourse.errors import HoldcourseError
from holdcourse.files import held, read_object, remove_leftovers, write_json
from holdcourse.llm.chat import canonical_json
from holdcourse.stages.code import code_digest
from holdcourse.stages.paths import ShiftPaths
from holdcourse.stages.provenance import digests, git_commit, packages
from holdcourse.stages.reaching import reached
from holdcourse.stages.slices import SliceT, StageConfig
from holdcourse.stages.targets import target_of
from holdcourse.stages.unit_journal import UnitJournals
from holdcourse.training.policy_identity import policy_identity

log = logging.getLogger(__name__)

NAMED = 3
"""Files that a message names; it counts the others."""


@dataclass(frozen=True)
class Stage(Generic[SliceT]):
    """A stage by its declared files. All callables take the slice and results/{study}.

    `unit` is the folder of the unit of work that a stage keeps journals for; `engine` tells the versions and
    data that decide its results beside configuration, code and inputs; those of a small model that the slice
    names as `in_process` join them.
    """

    name: str
    module: str
    config: type[SliceT]
    main: Callable[[SliceT, Path], None]
    inputs: Callable[[SliceT, Path], Sequence[Path]]
    outputs: Callable[[SliceT, Path], Sequence[Path]]
    provenance: Callable[[SliceT, Path], Path]
    unit: Callable[[SliceT, Path], Path] | None = None
    engine: Callable[[], Mapping[str, str]] = dict

    def identity(self, cfg: SliceT, out: Path) -> dict[str, JsonValue]:
        """Everything that decides the stage's results, as plain data."""
        return {
            "stage": self.name,
            "config": cfg.identity(),
            "config_digest": cfg.digest,
            "code_digest": code_digest(self.module),
            "inputs": digests(self.inputs(cfg, out), out),
            "engine": {**self.engine(), **_policy(cfg)},
        }


def _policy(cfg: StageConfig) -> Mapping[str, str]:
    return {} if cfg.in_process is None else policy_identity(cfg.in_process)


def execute(stage: Stage[SliceT], cfg: SliceT, out: Path) -> None:
    """Run a stage unless its results are there already.

    While it runs, a file beside its provenance says what is being made: outputs that a killed or failed run
    left there are nobody's results, and are made anew.

    Raises:
        HoldcourseError: an input is missing, results of another configuration are in the way, or another run
            is making the same.
    """
    missing = [path for path in stage.inputs(cfg, out) if not path.is_file()]
    if missing:
        command = study_command(target_of(missing, out), cfg.study, results=out.parent, cores="2")
        raise HoldcourseError(
            f"stage {stage.name} needs {_listed(missing)}, which {'does' if len(missing) == 1 else 'do'} not "
            f"exist; run the stages before it, or let `{command}` order them"
        )
    record = stage.provenance(cfg, out)
    with held(ShiftPaths(out).lock(record), str(record.parent)):
        _execute_alone(stage, cfg, out, record)


def _execute_alone(stage: Stage[SliceT], cfg: SliceT, out: Path, record: Path) -> None:
    started = record.with_name(f".{record.name}.started")
    identity = stage.identity(cfg, out)
    if _already_made(stage, cfg, out, identity, record, started):
        if started.exists():
            _finish(stage, cfg, out, identity, started)
        log.info("%s: nothing to do: %s is there", stage.name, _listed(stage.outputs(cfg, out)))
        return
    for path in (*stage.outputs(cfg, out), record, started):
        remove_leftovers(path)
    write_json(started, identity)
    with reached(cfg, out) as reaching:
        stage.main(reaching, out)
    write_json(record, {**identity, "packages": packages(), "git_commit": git_commit()})
    _finish(stage, cfg, out, identity, started)
    log.info("%s: wrote %s", stage.name, _listed(stage.outputs(cfg, out)))


def _finish(
    stage: Stage[SliceT], cfg: SliceT, out: Path, identity: Mapping[str, JsonValue], started: Path
) -> None:
    """Remove what only an unfinished run needs, its mark last: a kill in between is made up for later."""
    if stage.unit is not None:
        _journals(stage, cfg, out, identity).discard()
    started.unlink()


def _listed(paths: Sequence[Path]) -> str:
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    return ", ".join(map(str, paths[:NAMED])) + more


def unit_journals(stage: Stage[SliceT], cfg: SliceT, out: Path) -> UnitJournals:
    """The journals of the unit that a stage works on.

    They stand under results/{study}/journal/, outside every declared output, in a folder named by all that
    the unit depends on: a changed configuration starts its own, and a killed job finds what it had done.
    """
    return _journals(stage, cfg, out, stage.identity(cfg, out))


def _journals(
    stage: Stage[SliceT], cfg: SliceT, out: Path, identity: Mapping[str, JsonValue]
) -> UnitJournals:
    if stage.unit is None:
        raise HoldcourseError(f"stage {stage.name} keeps no journals")
    digest = hashlib.sha256(canonical_json(identity).encode()).hexdigest()
    return UnitJournals(ShiftPaths(out).journal(stage.unit(cfg, out), digest), digest)


def _already_made(
    stage: Stage[SliceT],
    cfg: SliceT,
    out: Path,
    identity: Mapping[str, JsonValue],
    record: Path,
    started: Path,
) -> bool:
    outputs = list(stage.outputs(cfg, out))
    present = [path for path in outputs if path.exists()]
    maker = next((path for path in (record, started) if path.exists()), None)
    if not present and maker is not record:
        return False
    if maker is None:
        raise HoldcourseError(
            f"{present[0]} stands in the way: it has no {record.name} that says what made it; "
            "move it away, or choose another folder with results=DIR"
        )
    if maker is started:
        return False
    try:
        found = read_object(record)
    except HoldcourseError:
        raise HoldcourseError(
            f"{record} is damaged, so nothing says what made {_listed(present) or 'its results'}; move all "
            "of them away and run the same command again, or choose another folder with results=DIR"
        ) from None
    if all(found.get(key) == value for key, value in identity.items()):
        return len(present) == len(outputs)
    differing = [
        name for name in ("config", "code_digest", "inputs", "engine") if found.get(name) != identity[name]
    ]
    raise HoldcourseError(
        f"{record.parent} holds results of stage {stage.name} made with another "
        f"{' and '.join(name.removesuffix('_digest') for name in differing) or 'identity'}; "
        "move them away, choose another folder with results=DIR, or let Snakemake rerun what changed"
    )
