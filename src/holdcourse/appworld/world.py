"""The world in which agents act: found in the user's cache, or built there first.

A world is a folder by the name of its identity: a digest of its configuration, of our code that makes it,
and of the engine's version. `world.json` in it is written last, so that a folder without one is no world.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import holdcourse
from holdcourse.appworld import official
from holdcourse.appworld.checksums import checksums
from holdcourse.appworld.engine_command import run_engine
from holdcourse.appworld.engine_environment import engine_python, official_world
from holdcourse.appworld.overlay import lay_over
from holdcourse.config.engine import EngineConfig
from holdcourse.config.world import WorldConfig
from holdcourse.errors import HoldcourseError
from holdcourse.files import read_object, write_json

log = logging.getLogger(__name__)

MANIFEST = "world.json"
WORKERS = 2

MAKERS = (
    "appworld/checksums.py",
    "appworld/engine/book.py",
    "appworld/engine/build.py",
    "appworld/engine/call_log.py",
    "appworld/engine/evaluation.py",
    "appworld/engine/planters.py",
    "appworld/engine/planting.py",
    "appworld/engine/selection.py",
    "appworld/engine/tasks.py",
    "appworld/engine/template.py",
    "appworld/engine/templates/*.py",
    "appworld/engine/variants.py",
    "appworld/engine/world/*.py",
    "drift/kinds.py",
    "drift/records.py",
    "recipes/*.py",
)
"""Our code that decides what is in a world, and in the variants that are kept with it."""


@dataclass(frozen=True)
class World:
    """A world that is there: its root, and what its manifest says."""

    root: Path
    manifest: Mapping[str, object]


def world_root(config: WorldConfig, python: Path | None = None) -> Path:
    """The root of a world; it is built first if it is not there."""
    return ready_world(config, python).root


def ready_world(config: WorldConfig, python: Path | None = None) -> World:
    """The world of a configuration, built if need be.

    Args:
        config: conf/world/.
        python: interpreter of the engine's environment; None takes the one that `make setup` makes.

    Raises:
        EngineError: the engine's environment or AppWorld's own data are missing, or the build failed.
        HoldcourseError: the cache cannot be used.
    """
    python = python or default_python()
    cache = cache_folder()
    if config.source == "official":
        return _official(config, python, cache)
    identity = identity_of(config, engine_version(python))
    root = cache / identity
    if not (root / MANIFEST).exists():
        log.info("building the world %s", identity)
        run_engine(python, "build", _arguments(config, identity, root))
    return World(root, read_object(root / MANIFEST))


def checked_world(config: WorldConfig, python: Path | None = None) -> World:
    """A world as `ready_world` gives it, whose files are those that it was built with.

    Raises:
        HoldcourseError: they were changed since.
    """
    world = ready_world(config, python)
    if config.source == "own" and not is_unchanged(world):
        raise HoldcourseError(
            f"the world in {world.root} was changed since it was built; remove it and run again"
        )
    return world


def default_python() -> Path:
    """The interpreter of the engine's environment that `make setup` makes."""
    return engine_python(Path(EngineConfig().environment))


def cache_folder() -> Path:
    """Where worlds are kept: in $HOLDCOURSE_CACHE, else in ~/.cache/holdcourse.

    Raises:
        HoldcourseError: the engine cannot work there, or it cannot be made.
    """
    folder = (
        Path(os.environ.get("HOLDCOURSE_CACHE") or "~/.cache/holdcourse").expanduser().absolute() / "worlds"
    )
    if "memory" in str(folder.resolve()):
        raise HoldcourseError(
            f"the engine cannot work in {folder}: it takes a path with the word 'memory' for a database in "
            "memory; set HOLDCOURSE_CACHE to another folder"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HoldcourseError(
            f"{folder} cannot be made ({error.strerror}); set HOLDCOURSE_CACHE to a folder that can"
        ) from None
    return folder


def identity_of(config: WorldConfig, version: str) -> str:
    """The name of a world: what decides its content, digested.

    Args:
        config: conf/world/.
        version: the engine's.
    """
    source = Path(holdcourse.__file__).parent
    files = sorted(file for maker in MAKERS for file in source.glob(maker))
    whole = hashlib.sha256()
    for file in files:
        whole.update(f"{file.relative_to(source)}\0".encode() + file.read_bytes() + b"\0")
    settings = {
        "seed": config.seed,
        "people": config.people,
        "evaluation": config.evaluation,
        "pool": config.pool,
        "appworld": version,
    }
    whole.update(json.dumps(settings, sort_keys=True).encode())
    return whole.hexdigest()[:16]


def engine_version(python: Path) -> str:
    """The version of AppWorld in the engine's environment."""
    found = sorted((python.parent.parent / "lib").glob("python3*/site-packages/appworld-*.dist-info"))
    return found[0].name.removeprefix("appworld-").removesuffix(".dist-info") if found else "unknown"


def is_unchanged(world: World) -> bool:
    """Whether a world's files are those that it was built with; variants made since do not count."""
    tasks = [str(row["task_id"]) for row in world.manifest["tasks"]]  # type: ignore[attr-defined]
    return checksums(world.root / "data", tasks) == world.manifest["checksums"]


def _arguments(config: WorldConfig, identity: str, root: Path) -> list[str]:
    given = {
        "root": root,
        "identity": identity,
        "seed": config.seed,
        "people": config.people,
        "evaluation": ",".join(map(str, config.evaluation)),
        "pool": config.pool,
        "workers": min(WORKERS, os.cpu_count() or 1),
    }
    return [word for name, value in given.items() for word in (f"--{name}", str(value))]


def _official(config: WorldConfig, python: Path, cache: Path) -> World:
    source = official_world(python.parent.parent, config.root)
    root = cache / f"official-{hashlib.sha256(str(source.resolve()).encode()).hexdigest()[:16]}"
    with _alone(root):
        if not (root / MANIFEST).exists():
            shutil.rmtree(root, ignore_errors=True)
            lay_over(source, root)
            write_json(root / MANIFEST, official.manifest(root))
    return World(root, read_object(root / MANIFEST))


@contextmanager
def _alone(root: Path) -> Iterator[None]:
    """Hold a world's lock, waiting for it; the system lets go of it when its holder ends, however it ends."""
    with root.with_name(f".{root.name}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
