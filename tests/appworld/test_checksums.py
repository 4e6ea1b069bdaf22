"""A world's digests, and a root that is laid over another's data."""

from pathlib import Path

import pytest

from holdcourse.appworld.checksums import checksums
from holdcourse.appworld.overlay import lay_over


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in (
        "api_docs/a.json",
        "base_dbs/a.db",
        "datasets/pool.txt",
        "tasks/t_1/specs.json",
        "tasks/t_2/specs.json",
    ):
        file = tmp_path / "world" / "data" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    return tmp_path / "world"


def test_what_python_compiles_beside_an_evaluation_does_not_count(root: Path) -> None:
    before = checksums(root / "data", ["t_1", "t_2"])
    compiled = root / "data" / "tasks" / "t_1" / "__pycache__" / "evaluation.pyc"
    compiled.parent.mkdir()
    compiled.write_bytes(b"compiled")
    assert checksums(root / "data", ["t_1", "t_2"]) == before


def test_a_changed_byte_changes_its_own_part_alone(root: Path) -> None:
    before = checksums(root / "data", ["t_1", "t_2"])
    (root / "data" / "base_dbs" / "a.db").write_text("other")
    after = checksums(root / "data", ["t_1", "t_2"])
    assert {name for name in before if before[name] != after[name]} == {"base_dbs"}


def test_a_renamed_file_counts(root: Path) -> None:
    before = checksums(root / "data", [])
    (root / "data" / "api_docs" / "a.json").rename(root / "data" / "api_docs" / "b.json")
    assert checksums(root / "data", [])["api_docs"] != before["api_docs"]


def test_tasks_that_were_added_later_do_not_count(root: Path) -> None:
    assert checksums(root / "data", ["t_1"]) == checksums(root / "data", ["t_1"])
    before = checksums(root / "data", ["t_1"])
    (root / "data" / "tasks" / "t_2" / "specs.json").write_text("other")
    assert checksums(root / "data", ["t_1"]) == before


def test_an_overlay_shows_the_data_and_takes_new_tasks(root: Path, tmp_path: Path) -> None:
    over = tmp_path / "over"
    lay_over(root, over)
    assert (over / "data" / "tasks" / "t_1" / "specs.json").read_text() == "tasks/t_1/specs.json"
    (over / "data" / "tasks" / "t_3").mkdir()
    assert not (root / "data" / "tasks" / "t_3").exists()


def test_laying_over_twice_is_laying_over_once(root: Path, tmp_path: Path) -> None:
    lay_over(root, tmp_path / "over")
    lay_over(root, tmp_path / "over")
    assert sorted(path.name for path in (tmp_path / "over" / "data" / "tasks").iterdir()) == ["t_1", "t_2"]
