"""Building a world: the same bytes again, alone, whole or not at all."""

import json
import os
import resource
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from holdcourse.appworld.checksums import checksums
from holdcourse.files import read_object
from tests.appworld.engine_run import run, start

pytestmark = pytest.mark.slow

TINY = ("--people", 10, "--only", "like_song,follow_artist", "--tasks", 2)
PATIENCE_S = 120.0


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def descendants(of: int) -> list[int]:
    """Processes that a process has started, and theirs."""
    found, parents = [], {of}
    for entry in sorted(Path("/proc").glob("[0-9]*/stat"), key=lambda path: int(path.parent.name)):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) in parents:
            parents.add(int(entry.parent.name))
            found.append(int(entry.parent.name))
    return found


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_the_same_seed_gives_the_same_bytes_with_one_worker_or_two(
    engine_python_path: Path, tmp_path: Path
) -> None:
    for workers in (1, 2):
        done = run(
            engine_python_path, "build", "--root", tmp_path / str(workers), *TINY, "--workers", workers
        )
        assert done.returncode == 0, done.stderr
    one, two = (read_object(tmp_path / name / "world.json") for name in ("1", "2"))
    assert one == two
    for name, manifest in (("1", one), ("2", two)):
        ids = [row["task_id"] for row in manifest["tasks"]]  # type: ignore[index,union-attr,call-overload]
        assert len(ids) == 4
        assert checksums(tmp_path / name / "data", ids) == manifest["checksums"]  # type: ignore[arg-type]
    assert not (tmp_path / "1" / "experiments").exists()


def test_a_killed_build_leaves_no_world_and_is_no_obstacle_to_two_at_once(
    engine_python_path: Path, tmp_path: Path
) -> None:
    root = tmp_path / "world"
    killed = start(engine_python_path, "build", "--root", root, *TINY)
    with killed:
        until(lambda: bool(list(tmp_path.glob(".world.building.*/data/tasks/*"))))
        workers = descendants(killed.pid)
        os.kill(killed.pid, signal.SIGKILL)
    assert not root.exists()
    assert workers
    until(lambda: not any(map(alive, workers)))
    # The lock file of the killed build is there still, held by nobody.
    assert (tmp_path / ".world.lock").exists()
    with (
        start(engine_python_path, "build", "--root", root, *TINY) as first,
        start(engine_python_path, "build", "--root", root, *TINY) as second,
    ):
        told = [process.communicate()[1] for process in (first, second)]
        assert (first.returncode, second.returncode) == (0, 0), told
    assert len(json.loads((root / "world.json").read_text())["tasks"]) == 4
    assert sum("holds a world already" in text for text in told) == 1
    assert sum("waiting for it" in text for text in told) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == [".world.lock", "world"]


def test_a_full_disk_is_told_and_leaves_nothing(engine_python_path: Path, tmp_path: Path) -> None:
    def small_files_only() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

    root = tmp_path / "world"
    done = run(engine_python_path, "build", "--root", root, *TINY, before=small_files_only)
    assert done.returncode == 1
    assert "error: no space left for" in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [".world.lock"]


def test_an_order_that_cannot_be_met_is_told_before_anything_is_made(
    engine_python_path: Path, tmp_path: Path
) -> None:
    for words, message in (
        (("--people", 5), "people=5: a world has"),
        (("--only", "paint_house", "--tasks", 1), "no task template is named paint_house"),
        (("--people", 10, "--only", "like_song", "--tasks", 500), "and 500 are wanted"),
    ):
        done = run(engine_python_path, "build", "--root", tmp_path / "world", *words)
        assert done.returncode == 1
        assert message in done.stderr
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "world").exists()


def test_a_folder_that_is_no_world_is_left_alone(engine_python_path: Path, tmp_path: Path) -> None:
    (tmp_path / "world").mkdir()
    (tmp_path / "world" / "thesis.txt").touch()
    done = run(engine_python_path, "build", "--root", tmp_path / "world", *TINY)
    assert done.returncode == 1
    assert "exists already; choose another folder or remove it first" in done.stderr
    assert (tmp_path / "world" / "thesis.txt").exists()


def test_the_validator_finds_every_task_of_the_small_world_sound(
    engine_python_path: Path, small_world: Path, tmp_path: Path
) -> None:
    done = run(engine_python_path, "validate", small_world, "--out", tmp_path / "validation.json")
    assert done.returncode == 0, done.stdout + done.stderr
    report = read_object(tmp_path / "validation.json")
    assert report["ok"] is True
    assert len(report["tasks"]) == len(json.loads((small_world / "world.json").read_text())["tasks"])  # type: ignore[arg-type]
    assert report["evaluate"]["ours"] == report["evaluate"]["engine"]  # type: ignore[index,call-overload]
    assert 40.0 <= report["evaluate"]["ours"]["all"] <= 60.0  # type: ignore[index,call-overload]
    # The world itself is as it was.
    assert not (small_world / "experiments").exists()


def test_the_validator_finds_a_task_that_anything_passes(
    engine_python_path: Path, small_world: Path, tmp_path: Path
) -> None:
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(small_world, copy, symlinks=True)
    manifest = json.loads((copy / "world.json").read_text())
    manifest["tasks"] = manifest["tasks"][:3]
    (copy / "world.json").write_text(json.dumps(manifest))
    lax = manifest["tasks"][1]["task_id"]
    truth = copy / "data" / "tasks" / lax / "ground_truth"
    (truth / "evaluation.py").write_text(
        "def evaluate(test, public_data, private_data, main_user, models, ground_truth_answer):\n"
        "    with test('anything goes'):\n        test.case(1, '==', 1)\n"
    )
    (truth / "test_data.json").write_text("null")
    done = run(engine_python_path, "validate", copy, "--out", tmp_path / "validation.json", "--workers", 1)
    assert done.returncode == 1
    assert "some tasks are not sound" in done.stderr
    rows = read_object(tmp_path / "validation.json")["tasks"]
    assert [row["sound"] for row in rows] == [True, False, True]  # type: ignore[index,union-attr,call-overload]
