"""The engine for tests: its environment, the default world, one server for all tests of a worker."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdcourse.appworld.engine_command import run_engine
from holdcourse.appworld.engine_environment import EngineError, engine_python
from holdcourse.appworld.episode import Episode
from holdcourse.appworld.overlay import lay_over
from holdcourse.appworld.server import EngineServer
from holdcourse.appworld.world import world_root
from holdcourse.config.engine import EngineLimits
from holdcourse.config.world import WorldConfig

ENVIRONMENT = Path(os.environ.get("HOLDCOURSE_TEST_ENGINE", Path(__file__).parents[2] / ".venv-appworld"))


@pytest.fixture(scope="session")
def engine_python_path() -> Path:
    """The interpreter of the engine's environment; without one, tests that need it are skipped."""
    try:
        return engine_python(ENVIRONMENT)
    except EngineError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def world(engine_python_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root over the default world, which stands in the user's cache and is built there once."""
    given = os.environ.get("HOLDCOURSE_TEST_WORLD")
    built = Path(given) if given else world_root(WorldConfig(source="own"), engine_python_path)
    root = tmp_path_factory.mktemp("world")
    lay_over(built, root)
    shutil.copy(built / "world.json", root / "world.json")
    return root


@pytest.fixture(scope="session")
def small_world(engine_python_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of a world of few people and tasks, built once for all workers."""
    base = tmp_path_factory.getbasetemp()
    # pytest-xdist gives each worker a folder of its own, under one that they share.
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "small-world"
    shared.mkdir(exist_ok=True)
    root = shared / "world"
    words = f"--root {root} --seed 7 --people 12 --evaluation 2,1,1 --pool 8 --workers 1".split()
    with (shared / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (root / "world.json").is_file():
            run_engine(engine_python_path, "build", words)
    return root


@pytest.fixture(scope="session")
def tasks(world: Path) -> list[str]:
    """The ids of the world's tasks."""
    return sorted(path.parent.name for path in (world / "data" / "tasks").glob("*/specs.json"))


@pytest.fixture(scope="session")
def server(engine_python_path: Path, world: Path) -> Iterator[EngineServer]:
    """A server of the world, with short limits."""
    limits = EngineLimits(execute_s=2, grace_s=2, memory_mb=256, calls=100, printed_characters=100_000)
    with EngineServer(world, engine_python_path, limits, warm=False) as running:
        yield running


@pytest.fixture
def episode(server: EngineServer, tasks: list[str], request: pytest.FixtureRequest) -> Iterator[Episode]:
    """An episode of the first task."""
    name = "".join(letter if letter.isalnum() else "-" for letter in request.node.name)
    with server.episode(tasks[0], f"t-{name[:60]}") as opened:
        yield opened
