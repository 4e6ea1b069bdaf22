"""Folders of the user's cache are whole or not there, and made once."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from holdcourse.errors import HoldcourseError
from holdcourse.training.cache_folder import cache_folder, kept


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOLDCOURSE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Maker:
    def __init__(self) -> None:
        self.times = 0

    def __call__(self, folder: Path) -> None:
        self.times += 1
        (folder / "weights").write_bytes(b"123")


def test_a_folder_is_made_once(cache: Path) -> None:
    make = Maker()
    folder = kept("model-1", make)
    assert folder == cache / "models" / "model-1"
    assert kept("model-1", make) == folder
    assert make.times == 1
    assert (folder / "weights").read_bytes() == b"123"


def test_a_changed_file_is_made_anew() -> None:
    make = Maker()
    (kept("model-1", make) / "weights").write_bytes(b"124")
    assert (kept("model-1", make) / "weights").read_bytes() == b"123"
    assert make.times == 2


def test_a_failure_leaves_nothing(cache: Path) -> None:
    def broken(folder: Path) -> None:
        (folder / "weights").write_bytes(b"1")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        kept("model-1", broken)
    assert [path.name for path in (cache / "models").iterdir() if not path.name.endswith(".lock")] == []


def test_what_a_kill_left_is_removed(cache: Path) -> None:
    leftover = cache / "models" / ".model-1.abc.tmp"
    leftover.mkdir(parents=True)
    kept("model-1", Maker())
    assert not leftover.exists()


def test_two_that_want_the_same_make_it_once() -> None:
    make = Maker()
    threads = [threading.Thread(target=kept, args=("model-1", make)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert make.times == 1


def test_without_a_variable_the_cache_is_in_the_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOLDCOURSE_CACHE")
    monkeypatch.setenv("HOME", "/somewhere")
    assert cache_folder() == Path("/somewhere/.cache/holdcourse")


def test_a_cache_that_cannot_be_written_says_what_to_set(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.write_text("a file where the folder should be")
    with pytest.raises(HoldcourseError, match="HOLDCOURSE_CACHE=DIR"):
        kept("model-1", Maker())
