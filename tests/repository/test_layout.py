"""Rooms and files: one purpose each, none too long, nothing of a machine or a benchmark in them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

LINES = 400
DRAWERS = {"utils", "util", "helpers", "helper", "misc", "common", "tools", "stuff"}
BYTES = 1_000_000
# Written apart so that this file does not match itself.
MACHINE_PATH = re.compile(r"(?<![\w.$}])/(?:home|root|Users|work|mnt)/" + r"\w")
TEXT = {".py", ".smk", ".md", ".yaml", ".yml", ".toml", ".j2", ".cff", ".lock", ".ipynb", ".html", ".txt", ""}


def text_files(root: Path, committed: list[Path]) -> list[Path]:
    return [path for path in committed if path.suffix in TEXT and path.name != "LICENSE"]


def test_no_source_file_is_longer_than_a_room(root: Path, committed: list[Path]) -> None:
    long = {
        str(path): lines
        for path in committed
        if path.parts[0] in {"src", "workflow"} and path.suffix != ".lock"
        if (lines := len((root / path).read_text(encoding="utf-8").splitlines())) > LINES
    }
    assert long == {}


def test_no_file_or_folder_is_a_drawer(committed: list[Path]) -> None:
    drawers = [
        str(path)
        for path in committed
        if path.parts[0] in {"src", "workflow", "tests"}
        if DRAWERS & {part.partition(".")[0] for part in path.parts}
    ]
    assert drawers == []


def test_every_module_says_what_it_is_for(root: Path, committed: list[Path]) -> None:
    silent = [
        str(path)
        for path in committed
        if path.suffix == ".py" and path.parts[0] in {"src", "workflow", "benchmarks"}
        if not ast.get_docstring(ast.parse((root / path).read_bytes()))
    ]
    assert silent == []


def test_rules_files_stay_short(root: Path, committed: list[Path]) -> None:
    for path in committed:
        if path.suffix == ".smk":
            assert len((root / path).read_text(encoding="utf-8").splitlines()) <= LINES, path
        if path.parts[:2] == ("workflow", "scripts"):
            assert len((root / path).read_text(encoding="utf-8").splitlines()) <= 30, path


def test_no_path_of_one_machine(root: Path, committed: list[Path]) -> None:
    found = [
        f"{path}:{number}: {line.strip()}"
        for path in text_files(root, committed)
        for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), start=1)
        if MACHINE_PATH.search(line)
    ]
    assert found == []


@pytest.mark.parametrize("line", ["see /home/" + "ada/x", "open('/root/" + "x')", "/work/" + "main"])
def test_the_search_for_machine_paths_finds_them(line: str) -> None:
    assert MACHINE_PATH.search(line)


def test_no_benchmark_data_and_no_large_file(root: Path, committed: list[Path]) -> None:
    """AppWorld's licence wants its protected parts kept out of the open; τ²-bench ships its own data."""
    data = [
        str(path) for path in committed if path.suffix in {".db", ".bundle", ".parquet", ".sqlite", ".pkl"}
    ]
    assert data == []
    large = [str(path) for path in committed if (root / path).stat().st_size > BYTES]
    assert large == []
    assert [str(path) for path in committed if "api_docs" in str(path) or "ground_truth" in str(path)] == []


def test_what_runs_write_is_not_committed(committed: list[Path]) -> None:
    assert [str(path) for path in committed if path.parts[0] == "results"] == ["results/README.md"]


def test_every_file_beside_the_code_is_packaged(root: Path, committed: list[Path]) -> None:
    import tomllib

    patterns = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    package = root / "src" / "holdcourse"
    packaged = {path for pattern in patterns["holdcourse"] for path in package.glob(pattern)}
    beside = {root / path for path in committed if path.parts[0] == "src" and path.suffix != ".py"}
    assert beside - packaged == set()
