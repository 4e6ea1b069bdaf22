"""Where a world is kept, what it is known by, and AppWorld's own data in its place."""

import ast
import json
from pathlib import Path

import pytest

import holdcourse
from holdcourse.appworld import official
from holdcourse.appworld.engine_environment import EngineError
from holdcourse.appworld.tasks import tasks_of
from holdcourse.appworld.world import (
    MAKERS,
    World,
    cache_folder,
    engine_version,
    identity_of,
    is_unchanged,
    ready_world,
)
from holdcourse.config.world import WorldConfig
from holdcourse.errors import HoldcourseError
from holdcourse.files import read_object

OWN = WorldConfig(source="own")
SOURCE = Path(holdcourse.__file__).parent


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOLDCOURSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("APPWORLD_ROOT", raising=False)
    return tmp_path / "cache"


def test_the_cache_is_where_the_variable_says(cache: Path) -> None:
    assert cache_folder() == cache / "worlds"
    assert cache_folder().is_dir()


def test_a_path_that_the_engine_misunderstands_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDCOURSE_CACHE", str(tmp_path / "memory-stick"))
    with pytest.raises(HoldcourseError, match=r"the word 'memory'.*HOLDCOURSE_CACHE"):
        cache_folder()


def test_a_cache_that_cannot_be_made_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("HOLDCOURSE_CACHE", str(tmp_path / "file"))
    with pytest.raises(HoldcourseError, match=r"cannot be made.*HOLDCOURSE_CACHE"):
        cache_folder()


@pytest.mark.parametrize(
    "other",
    [{"seed": 8}, {"people": 31}, {"evaluation": (14, 13, 14)}, {"pool": 121}],
    ids=lambda one: next(iter(one)),
)
def test_what_decides_the_content_decides_the_identity(other: dict[str, object]) -> None:
    assert identity_of(OWN, "0.1.3") == identity_of(WorldConfig(source="own"), "0.1.3")
    assert identity_of(OWN.model_copy(update=other), "0.1.3") != identity_of(OWN, "0.1.3")
    assert identity_of(OWN, "0.1.4") != identity_of(OWN, "0.1.3")


def imported(path: Path) -> set[Path]:
    """Files of ours that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            file = SOURCE.joinpath(*name.split(".")[1:]).with_suffix(".py")
            if name.startswith("holdcourse.") and file.is_file():
                found.add(file)
    return found


def test_all_code_that_the_build_imports_counts_but_what_changes_no_world() -> None:
    # Of loading.py a type alone is used.
    harmless = {"errors.py", "files.py", "enclosure.py", "loading.py", "preload.py", "rooted.py"}
    makers = {file for maker in MAKERS for file in SOURCE.glob(maker)}
    reached: set[Path] = set()
    to_see = {
        SOURCE / "appworld" / "engine" / "build.py",
        SOURCE / "appworld" / "engine" / "templates" / "book.py",
    }
    while to_see:
        file = to_see.pop()
        reached.add(file)
        if file.name not in harmless:
            to_see |= imported(file) - reached
    assert not {file.relative_to(SOURCE) for file in reached - makers if file.name not in harmless}


def test_the_version_is_read_off_the_environment(tmp_path: Path) -> None:
    (tmp_path / "lib" / "python3.11" / "site-packages" / "appworld-0.1.3.post1.dist-info").mkdir(parents=True)
    assert engine_version(tmp_path / "bin" / "python") == "0.1.3.post1"


def test_a_world_that_is_there_is_not_built_again(cache: Path, tmp_path: Path) -> None:
    root = cache_folder() / identity_of(OWN, "unknown")
    root.mkdir()
    (root / "world.json").write_text('{"tasks": []}')
    # A folder without an engine: starting it would fail.
    assert ready_world(OWN, tmp_path / "bin" / "python") == World(root, {"tasks": []})


def test_a_build_that_fails_says_why(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'some progress' >&2\necho 'error: no people were found' >&2\nexit 1\n")
    python.chmod(0o755)
    with pytest.raises(EngineError, match=r"^no people were found$"):
        ready_world(OWN, python)


def test_a_build_that_is_killed_leaves_its_last_words(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'some progress'\nkill -9 $$\n")
    python.chmod(0o755)
    with pytest.raises(EngineError, match="build ended with status -9: some progress"):
        ready_world(OWN, python)


def test_a_changed_world_is_noticed(small_world: Path) -> None:
    manifest = read_object(small_world / "world.json")
    assert is_unchanged(World(small_world, manifest))
    assert not is_unchanged(World(small_world, {**manifest, "checksums": {"base_dbs": "other"}}))


@pytest.fixture
def download(tmp_path: Path) -> Path:
    """What `appworld download data` leaves, in small: a task of each split, documents of three operations."""
    root = tmp_path / "download"
    files: dict[str, object] = {
        "base_dbs/spotify.db": "",
        "version.txt": "0.1.0",
        "api_docs/standard/spotify.json": {
            "show_song": {"app_name": "spotify", "method": "GET", "path": "/spotify/songs/{song_id}"},
            "show_songs": {"app_name": "spotify", "method": "GET", "path": "/spotify/songs/all"},
            "like_song": {"app_name": "spotify", "method": "POST", "path": "/spotify/songs/{song_id}/like"},
        },
    }
    for split in ("train", "dev", "test_normal", "test_challenge"):
        files[f"datasets/{split}.txt"] = f"{split[:4]}_1\n"
        person = {"first_name": "A", "last_name": "B", "email": "a@example.com", "phone_number": "1"}
        files[f"tasks/{split[:4]}_1/specs.json"] = {"instruction": "Like it.", "supervisor": person}
        files[f"tasks/{split[:4]}_1/ground_truth/metadata.json"] = {"difficulty": 2}
        files[f"tasks/{split[:4]}_1/ground_truth/answer.json"] = None
    files["tasks/trai_1/ground_truth/required_apps.json"] = ["spotify"]
    files["tasks/trai_1/ground_truth/api_calls.json"] = [
        {"method": "get", "url": "/spotify/songs/all", "data": {"access_token": "x", "page_index": 0}},
        {"method": "post", "url": "/spotify/songs/12/like", "data": {"access_token": "x"}},
        {"method": "get", "url": "/nowhere", "data": {}},
    ]
    for name, content in files.items():
        file = root / "data" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content))
    return root


def test_official_tasks_come_in_the_form_of_ours(download: Path) -> None:
    evaluation, pool = tasks_of(official.manifest(download))
    assert (evaluation.id, evaluation.split, evaluation.difficulty) == ("test_1", "evaluation", 2)
    assert (evaluation.person, evaluation.apps, evaluation.reads_only) == ("a@example.com", (), False)
    assert (pool.id, pool.split, pool.apps, pool.surfaces) == (
        "trai_1",
        "pool",
        ("spotify",),
        {"playlist": 0},
    )
    assert [(call.operation, dict(call.arguments), call.kind) for call in pool.reference_calls] == [
        ("spotify.show_songs", {"page_index": 0}, "read"),
        ("spotify.like_song", {"song_id": 12}, "write"),
    ]
    assert not pool.reads_only


def test_the_official_world_leaves_the_download_alone(download: Path, cache: Path, tmp_path: Path) -> None:
    python = tmp_path / "bin" / "python"
    found = ready_world(WorldConfig(source="official", root=str(download)), python)
    assert found.root.parent == cache / "worlds"
    assert (found.root / "data" / "tasks" / "trai_1" / "specs.json").is_file()
    assert not (download / "world.json").exists()
    assert ready_world(WorldConfig(source="official", root=str(download)), python) == found


def test_missing_official_data_are_told_with_the_command(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="appworld download data"):
        ready_world(WorldConfig(source="official"), tmp_path / "bin" / "python")
    with pytest.raises(EngineError, match="appworld download data"):
        ready_world(WorldConfig(source="official", root=str(tmp_path)), tmp_path / "bin" / "python")
