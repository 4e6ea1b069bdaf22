"""Builds a world of our own: people, their data in every app, and tasks.

`python -m holdcourse.appworld.engine.build --root ROOT --seed 7`, under the engine's environment. The world
is made in a folder beside ROOT and gets its name when it is whole; `world.json`, which says what is in it,
is written last.
"""

from __future__ import annotations

import argparse
import fcntl
import multiprocessing
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdcourse.appworld.checksums import checksums
from holdcourse.appworld.engine.book import templates
from holdcourse.appworld.engine.enclosure import die_with_parent
from holdcourse.appworld.engine.preload import preload
from holdcourse.appworld.engine.rooted import at_root, told, without_traceback
from holdcourse.appworld.engine.selection import Planned, Sizes, chosen
from holdcourse.appworld.engine.world.generate import world as invented
from holdcourse.appworld.engine.world.records import World
from holdcourse.errors import HoldcourseError
from holdcourse.files import write_json

_TEMPORARY = "building"


@dataclass(frozen=True)
class Order:
    """What is to be built.

    Attributes:
        identity: what the world will be known by; kept in the manifest as given.
        only: names of templates; all if empty.
    """

    identity: str
    seed: int
    people: int
    sizes: Sizes
    workers: int
    only: tuple[str, ...] = ()


def build(root: Path, order: Order) -> None:
    """Build a world.

    Raises:
        HoldcourseError: the folder exists already, the order cannot be met, or a task's solution fails.
        OSError: a file could not be written; nothing is left behind.
    """
    if root.exists():
        raise HoldcourseError(f"{root} exists already; choose another folder or remove it first")
    root.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=root.parent, prefix=f".{root.name}.{_TEMPORARY}."))
    try:
        at_root(made)
        _fill(made, order)
        made.chmod(0o755)
        made.rename(root)
    finally:
        shutil.rmtree(made, ignore_errors=True)


@contextmanager
def alone(root: Path) -> Iterator[None]:
    """Hold a world's lock, waiting for it; the system lets go of it when its holder ends, however it ends."""
    root.parent.mkdir(parents=True, exist_ok=True)
    with root.with_name(f".{root.name}.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            told(f"another process builds {root.name}; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def remove_leftovers(root: Path) -> None:
    """Remove what builds of this world have left that were killed in the middle."""
    for folder in root.parent.glob(f".{root.name}.{_TEMPORARY}.*"):
        shutil.rmtree(folder, ignore_errors=True)


def _fill(root: Path, order: Order) -> None:
    from holdcourse.appworld.engine.world.databases import write_api_docs, write_databases

    clock = _Clock()
    world = invented(order.seed, order.people)
    planned = chosen(world, tuple(templates().values()), order.sizes, order.only)
    docs = write_api_docs(root)
    clock.tell(f"{len(docs)} API documents")
    write_databases(root, world, docs)
    clock.tell(f"databases of {len(world.people)} people")
    preload()
    rows = _make_tasks(root, world, planned, docs, order.workers)
    clock.tell(f"{len(rows)} tasks")
    folder = root / "data" / "datasets"
    folder.mkdir()
    for split in ("evaluation", "pool"):
        names = [str(row["task_id"]) for row in rows if row["split"] == split]
        (folder / f"{split}.txt").write_text("".join(f"{name}\n" for name in names))
    shutil.rmtree(root / "experiments", ignore_errors=True)
    import appworld

    write_json(
        root / "world.json",
        {
            "identity": order.identity,
            "seed": order.seed,
            "appworld": appworld.__version__,
            "people": [
                {
                    "name": person.name,
                    "email": person.email,
                    "phone_number": person.phone_number,
                    "split": person.split,
                }
                for person in world.people
            ],
            "tasks": rows,
            "checksums": checksums(root / "data", [str(row["task_id"]) for row in rows]),
        },
    )
    clock.tell("manifest")


def _make_tasks(
    root: Path, world: World, planned: Sequence[Planned], docs: Sequence[Mapping[str, Any]], workers: int
) -> list[dict[str, object]]:
    """Make all tasks, shared out among processes; the rows come in the tasks' order."""
    global _SHARED
    _SHARED = _Shared(
        root, world, planned, {(d["app_name"], d["api_name"]): (d["method"], d["path"]) for d in docs}
    )
    # Forked, so that each worker finds the engine loaded.
    context = multiprocessing.get_context("fork")
    rows = []
    with ProcessPoolExecutor(
        workers, mp_context=context, initializer=die_with_parent, initargs=(os.getpid(),)
    ) as pool:
        for row in pool.map(_make_one, range(len(planned))):
            rows.append(row)
            if len(rows) % 20 == 0:
                told(f"  {len(rows)} of {len(planned)} tasks")
    return rows


@dataclass(frozen=True)
class _Shared:
    root: Path
    world: World
    planned: Sequence[Planned]
    operations: Mapping[tuple[str, str], tuple[str, str]]


_SHARED: _Shared | None = None
"""What forked workers inherit: templates hold functions, which cannot be sent to a process."""


def _make_one(number: int) -> dict[str, object]:
    from holdcourse.appworld.engine.tasks import make_task

    shared = _SHARED
    if shared is None:
        raise RuntimeError("a worker was started before there was work")
    return make_task(shared.root, shared.world, shared.planned[number], shared.operations)


class _Clock:
    """Tells what was done, and how long it took; unmoved by the engine's stopped clock."""

    def __init__(self) -> None:
        self._before = os.times().elapsed

    def tell(self, what: str) -> None:
        now = os.times().elapsed
        told(f"{what}: {now - self._before:.1f} s")
        self._before = now


def main() -> None:
    """Read the command line and build."""
    parser = argparse.ArgumentParser(description="Build a world of our own for the AppWorld engine.")
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--identity", default="by hand")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--people", type=int, default=30)
    parser.add_argument("--evaluation", default="14,13,13", help="tasks of difficulty 1, 2 and 3")
    parser.add_argument("--pool", type=int, default=120)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", default="", help="names of templates, with commas; all of them otherwise")
    parser.add_argument(
        "--tasks", type=int, help="quick try: that many pool tasks of each template, no evaluation"
    )
    given = parser.parse_args()
    only = tuple(filter(None, given.only.split(",")))
    one, two, three = (int(number) for number in given.evaluation.split(","))
    sizes = Sizes((one, two, three), given.pool)
    if given.tasks is not None:
        sizes = Sizes((0, 0, 0), given.tasks * (len(only) or len(templates())))
    order = Order(given.identity, given.seed, given.people, sizes, given.workers, only)
    with alone(given.root):
        if (given.root / "world.json").exists():
            told(f"{given.root} holds a world already")
            return
        remove_leftovers(given.root)
        build(given.root, order)


if __name__ == "__main__":
    without_traceback(main)
