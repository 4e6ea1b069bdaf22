"""One Weights & Biases run, offline by default. Files are authoritative: nothing reads these runs back."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from pydantic import JsonValue

from holdcourse.config.schema import TrackingConfig
from holdcourse.errors import HoldcourseError

MODES = ("offline", "online", "disabled")


@dataclass
class TrackedRun:
    """What a run is to hold, and afterwards where it stands (None with WANDB_MODE=disabled)."""

    history: Sequence[tuple[int, Mapping[str, float]]] = ()
    files: dict[str, Path] = field(default_factory=dict)
    artifact: str = ""
    kind: str = ""
    place: str | None = None


@dataclass(frozen=True)
class RunName:
    """How a run is found again: DESIGN's group is the study, the job type the stage."""

    study: str
    stage: str
    name: str
    tags: Sequence[str]
    run_id: str


@contextmanager
def tracked(
    name: RunName, config: Mapping[str, JsonValue], tracking: TrackingConfig, folder: Path
) -> Iterator[TrackedRun]:
    """Collect what a run holds in the body, then write the run under `folder`.

    WANDB_MODE in the environment wins over `tracking.mode`; with `disabled` nothing is imported or written.
    """
    run = TrackedRun()
    yield run
    if mode(tracking) == "disabled":
        return
    folder.mkdir(parents=True, exist_ok=True)
    # W&B would stage artifacts and keep caches in the home folder.
    for variable in ("WANDB_DATA_DIR", "WANDB_CACHE_DIR", "WANDB_CONFIG_DIR"):
        os.environ.setdefault(variable, str(folder.resolve()))
    # Imported here: it is slow, and WANDB_MODE=disabled must work without it.
    import wandb

    try:
        run.place = _written(wandb, name, config, tracking, folder, run)
    except wandb.Error as error:
        raise HoldcourseError(
            f"Weights & Biases: {error}; WANDB_MODE=offline or disabled goes without"
        ) from error


def _written(
    wandb: ModuleType,
    name: RunName,
    config: Mapping[str, JsonValue],
    tracking: TrackingConfig,
    folder: Path,
    run: TrackedRun,
) -> str:
    with wandb.init(
        project=tracking.project,
        mode="online" if mode(tracking) == "online" else "offline",
        id=name.run_id,
        group=name.study,
        job_type=name.stage,
        name=name.name,
        tags=list(name.tags),
        config=dict(config),
        dir=folder,
        resume="allow",
        settings=wandb.Settings(silent=True, console="off", x_disable_stats=True, disable_git=True),
    ) as writer:
        for step, values in run.history:
            writer.log(dict(values), step=step)
        artifact = wandb.Artifact(run.artifact, type=run.kind)
        for entry, path in run.files.items():
            artifact.add_file(str(path), name=entry)
        writer.log_artifact(artifact)
        place = Path(writer.dir).parent
    base = folder.resolve()
    return str(place.relative_to(base) if place.is_relative_to(base) else place)


def mode(tracking: TrackingConfig) -> str:
    """offline, online or disabled.

    Raises:
        HoldcourseError: WANDB_MODE in the environment is none of them.
    """
    chosen = os.environ.get("WANDB_MODE") or tracking.mode
    if chosen not in MODES:
        raise HoldcourseError(f"WANDB_MODE={chosen}: it takes {', '.join(MODES)}")
    return chosen


def record(name: RunName, tracking: TrackingConfig, run: TrackedRun) -> dict[str, JsonValue]:
    """What a stage writes about its run."""
    return {
        "mode": mode(tracking),
        "project": tracking.project,
        "run_id": name.run_id,
        "folder": run.place,
    }
