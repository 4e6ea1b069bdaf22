from pathlib import Path

import pytest

from holdcourse.appworld.engine_environment import (
    SPLITS,
    EngineError,
    check_root,
    engine_python,
    official_tasks,
    official_world,
)


@pytest.fixture
def official(tmp_path: Path) -> Path:
    """A folder with the outline of AppWorld's own data."""
    for name in ("tasks", "base_dbs", "api_docs/standard", "datasets"):
        (tmp_path / "data" / name).mkdir(parents=True)
    for split in SPLITS:
        (tmp_path / "data" / "datasets" / f"{split}.txt").write_text(f"{split}_1\n{split}_2\n")
    return tmp_path


def test_an_environment_that_is_not_there_says_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="make setup"):
        engine_python(tmp_path / ".venv-appworld")


def test_an_engine_whose_apps_are_packed_says_how_to_unpack_them(tmp_path: Path) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.touch(mode=0o755)
    with pytest.raises(EngineError, match="appworld install"):
        engine_python(tmp_path)
    models = tmp_path / "lib" / "python3.11" / "site-packages" / "appworld" / "apps" / "admin" / "models.py"
    models.parent.mkdir(parents=True)
    models.touch()
    assert engine_python(tmp_path) == python


def test_official_data_are_found_by_the_engines_own_variable(
    official: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APPWORLD_ROOT", str(official))
    assert official_world(Path(".venv-appworld")) == official
    assert official_tasks(official, "test_normal") == ("test_normal_1", "test_normal_2")


def test_without_them_the_command_is_told(official: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("APPWORLD_ROOT", raising=False)
    with pytest.raises(EngineError, match=r"\.venv-appworld/bin/appworld download data"):
        official_world(Path(".venv-appworld"))
    (official / "data" / "datasets" / "train.txt").unlink()
    with pytest.raises(EngineError, match=rf"no datasets/train\.txt.*APPWORLD_ROOT={official}"):
        official_world(Path(".venv-appworld"), str(official))


def test_an_unknown_split_is_named(official: Path) -> None:
    with pytest.raises(EngineError, match="no split 'test'"):
        official_tasks(official, "test")


def test_a_root_needs_tasks_and_a_path_that_the_engine_understands(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="holds no world"):
        check_root(tmp_path)
    root = tmp_path / "memory"
    (root / "data" / "tasks").mkdir(parents=True)
    with pytest.raises(EngineError, match="HOLDCOURSE_CACHE"):
        check_root(root)
