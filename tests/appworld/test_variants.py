"""Variants of tasks: a planted record more, the same ground truth, made once and whole."""

import json
import shutil
from pathlib import Path

import pytest

from holdcourse.appworld.overlay import lay_over
from holdcourse.appworld.tasks import Task, tasks_of
from holdcourse.files import read_object
from tests.appworld.engine_run import run

TEXT = "The meeting point is the old lighthouse."
APPS = {
    "mail": "gmail",
    "note": "simple_note",
    "file": "file_system",
    "todo": "todoist",
    "text_message": "phone",
    "alarm": "phone",
    "venmo_feed": "venmo",
    "payment_request": "venmo",
    "expense": "splitwise",
    "playlist": "spotify",
    "song_review": "spotify",
    "product_question": "amazon",
}


@pytest.fixture
def root(world: Path, tmp_path: Path) -> Path:
    """The small world, to be added to without a trace."""
    lay_over(world, tmp_path / "root")
    shutil.copy(world / "world.json", tmp_path / "root" / "world.json")
    return tmp_path / "root"


def plan(tmp_path: Path, *rows: dict[str, str]) -> Path:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(rows))
    return path


def row(task: str, variant: str, surface: str, text: str = TEXT) -> dict[str, str]:
    return {"task_id": task, "variant_id": variant, "surface": surface, "text": text}


def with_surface(world: Path) -> tuple[Task, str]:
    """A task and a surface that its template names."""
    task = next(task for task in tasks_of(read_object(world / "world.json")) if "mail" in task.surfaces)
    return task, "mail"


def test_each_kind_of_record_can_be_planted_in_any_task(
    engine_python_path: Path, root: Path, tmp_path: Path, tasks: list[str]
) -> None:
    (root / "world.json").unlink()  # as with official tasks: no template says how
    rows = [row(tasks[0], f"v{place:02d}_1", kind) for place, kind in enumerate(APPS)]
    done = run(engine_python_path, "variants", root, plan(tmp_path, *rows))
    assert done.returncode == 0, done.stderr
    assert "12 of 12 variants made" in done.stderr
    original = root / "data" / "tasks" / tasks[0]
    for place, app in enumerate(APPS.values()):
        variant = root / "data" / "tasks" / f"v{place:02d}_1"
        changed = [
            file.stem
            for file in (variant / "dbs").iterdir()
            if file.read_bytes() != (original / "dbs" / file.name).read_bytes()
        ]
        assert changed == [app]
        assert TEXT in (variant / "dbs" / f"{app}.jsonl").read_text()
        for file in (original / "ground_truth").glob("*.*"):
            assert (variant / "ground_truth" / file.name).read_bytes() == file.read_bytes()


def test_a_name_that_is_taken_gets_a_number(
    engine_python_path: Path, root: Path, tmp_path: Path, tasks: list[str]
) -> None:
    (root / "world.json").unlink()
    rows = []
    for kind in ("note", "file", "playlist"):
        rows += [row(tasks[0], f"{kind}a_1", kind), row(f"{kind}a_1", f"{kind}b_1", kind)]
    done = run(engine_python_path, "variants", root, plan(tmp_path, *rows))
    assert done.returncode == 0, done.stderr
    for kind, name in (
        ("note", "Reminder 2"),
        ("file", "documents/reminder 2.txt"),
        ("playlist", f"{TEXT} 2"),
    ):
        changes = root / "data" / "tasks" / f"{kind}b_1" / "dbs" / f"{APPS[kind]}.jsonl"
        assert name in changes.read_text()


def test_a_variant_is_the_same_whenever_it_is_made(
    engine_python_path: Path, root: Path, tmp_path: Path, world: Path
) -> None:
    task, surface = with_surface(world)
    rows = [row(task.id, "va_1", surface), row(task.id, "vb_1", surface, "Another text.")]
    assert run(engine_python_path, "variants", root, plan(tmp_path, *rows)).returncode == 0
    folder = root / "data" / "tasks" / "va_1" / "dbs"
    first = {file.name: file.read_bytes() for file in folder.iterdir()}
    shutil.rmtree(folder.parent)
    assert run(engine_python_path, "variants", root, plan(tmp_path, rows[0])).returncode == 0
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == first
    again = run(engine_python_path, "variants", root, plan(tmp_path, *rows))
    assert "0 of 2 variants made" in again.stderr
    assert not [path for path in folder.parent.parent.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"task_id": "hc99p00_1"}, "task 'hc99p00_1' does not exist"),
        ({"surface": "billboard"}, "surface 'billboard' is unknown; the kinds are mail, note"),
        ({"surface": "payment_request"}, "print no payment_request"),
        ({"variant_id": "v"}, "exactly one underscore"),
        ({"variant_id": "../v_1"}, "exactly one underscore and no slash"),
    ],
    ids=lambda one: str(next(iter(one.items()))) if isinstance(one, dict) else "",
)
def test_a_plan_that_cannot_be_carried_out_says_why(
    engine_python_path: Path, root: Path, tmp_path: Path, world: Path, wrong: dict[str, str], message: str
) -> None:
    task, surface = with_surface(world)
    done = run(
        engine_python_path, "variants", root, plan(tmp_path, {**row(task.id, "v_1", surface), **wrong})
    )
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (root / "data" / "tasks" / "v_1").exists()


def test_an_id_that_is_taken_is_refused(
    engine_python_path: Path, root: Path, tmp_path: Path, world: Path
) -> None:
    task, surface = with_surface(world)
    rows = [row(task.id, "v_1", surface), row(task.id, "v_1", surface, "Another text.")]
    done = run(engine_python_path, "variants", root, plan(tmp_path, *rows))
    assert done.returncode == 1
    assert "is taken by another task; choose another variant_id" in done.stderr


def test_a_plan_of_the_wrong_form_is_refused(engine_python_path: Path, root: Path, tmp_path: Path) -> None:
    done = run(engine_python_path, "variants", root, plan(tmp_path, {"task_id": "x"}))
    assert done.returncode == 1
    assert 'each variant is {"task_id", "variant_id", "surface", "text"}' in done.stderr
