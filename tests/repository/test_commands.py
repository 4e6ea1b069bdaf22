"""The Makefile's promises that cost nothing to hold: help, dry runs, refusals, what `clean` leaves."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest


def make(folder: Path, *arguments: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "VENV", "STUDY"))
    }
    if path is not None:
        environment["PATH"] = path
    return subprocess.run(["make", *arguments], cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture
def clone(root: Path, tmp_path: Path) -> Path:
    """A folder with the Makefile and what it reads, and nothing else of the project."""
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(root / name, tmp_path / name)
    (tmp_path / "workflow" / "envs").mkdir(parents=True)
    for path in (root / "workflow" / "envs").glob("*.lock"):
        shutil.copy(path, tmp_path / "workflow" / "envs")
    return tmp_path


def test_make_alone_lists_every_target(root: Path) -> None:
    text = (root / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    assert phony is not None
    listed = [line.split()[0] for line in make(root).stdout.splitlines() if line.startswith("  ")]
    assert sorted(listed) == sorted(set(phony[1].split()) - {"help"} | {"help"})


@pytest.mark.parametrize("target", ["setup", "reproduce", "test", "format", "lock", "clean", "smoke"])
def test_a_dry_run_does_nothing(clone: Path, target: str) -> None:
    before = sorted(clone.rglob("*"))
    assert make(clone, "--dry-run", target).returncode == 0
    assert sorted(clone.rglob("*")) == before


def test_setup_leaves_a_folder_that_is_no_environment(clone: Path) -> None:
    kept = clone / "precious" / "file"
    kept.parent.mkdir()
    kept.touch()
    done = make(clone, "setup", "VENV=precious")
    assert done.returncode != 0
    assert "is no Python environment" in done.stderr
    assert list(kept.parent.iterdir()) == [kept]


def test_setup_says_what_it_needs_where_python_is_missing(clone: Path) -> None:
    programs = clone / "bin"
    programs.mkdir()
    for name in ("bash", "rm", "awk", "touch"):
        found = shutil.which(name)
        assert found is not None
        (programs / name).symlink_to(found)
    (programs / "python3.11").write_text("#!/bin/sh\nexit 127\n")  # a shim that leads nowhere
    (programs / "python3.11").chmod(0o755)
    found = shutil.which("make")
    assert found is not None
    (programs / "make").symlink_to(found)
    done = make(clone, "setup", path=str(programs))
    assert done.returncode != 0
    assert "no Python 3.11 or 3.12 on PATH" in done.stderr
    assert not (clone / ".venv").exists()


def test_setup_names_the_kinds_of_pytorch_there_are(clone: Path) -> None:
    text = make(clone, "--dry-run", "setup", "TORCH=metal").stdout
    assert "choose auto, cpu or cuda" in text


@pytest.mark.parametrize(("asked", "done"), [("auto", True), ("cpu", True), ("cuda", False)])
def test_another_kind_of_pytorch_is_installed_when_it_is_asked_for(
    clone: Path, asked: str, done: bool
) -> None:
    for ready, text in ((".venv/.holdcourse-ready", "cpu\n"), (".venv-appworld/.ready", "")):
        (clone / ready).parent.mkdir()
        (clone / ready).write_text(text)
    said = make(clone, "--dry-run", "setup", f"TORCH={asked}").stdout
    assert ("Nothing to be done" in said) is done


def test_clean_keeps_results_and_what_snakemake_knows_of_them(clone: Path) -> None:
    kept = [
        clone / "results/smoke/tables/claims.md",
        clone / ".snakemake/metadata/abc",
        clone / ".venv/pyvenv.cfg",
    ]
    gone = [
        clone / ".mypy_cache/x",
        clone / ".snakemake/log/x",
        clone / "src/a/__pycache__/x",
        clone / "multirun/x",
    ]
    for path in kept + gone:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert make(clone, "clean").returncode == 0
    assert [path for path in kept if not path.exists()] == []
    assert [path for path in gone if path.exists()] == []


def test_clean_results_takes_one_study_by_name(clone: Path) -> None:
    for study in ("smoke", "paper"):
        (clone / "results" / study).mkdir(parents=True)
    for wrong in ("STUDY=", "STUDY=..", "STUDY=smoke/..", "STUDY=*"):
        done = make(clone, "clean-results", wrong)
        assert done.returncode != 0
        assert "name the study" in done.stderr
    assert make(clone, "clean-results", "STUDY=smoke").returncode == 0
    assert sorted(path.name for path in (clone / "results").iterdir()) == ["paper"]


@pytest.mark.parametrize("name", ["serving", "vllm", "appworld", "training"])
def test_every_package_of_an_environment_has_hashes(root: Path, name: str) -> None:
    lock = (root / "workflow/envs" / f"{name}.lock").read_text()
    packages = re.findall(r"^[\w.\[\]-]+==\S+(?:.*?)(?=^[\w.\[\]-]+==|\Z)", lock, re.MULTILINE | re.DOTALL)
    assert packages
    assert [package.splitlines()[0] for package in packages if "--hash=sha256:" not in package] == []
    wanted = re.findall(r"^[\w-]+==\S+", (root / "workflow/envs" / f"{name}.in").read_text(), re.MULTILINE)
    assert [pin for pin in wanted if not re.search(rf"^{re.escape(pin)}\s", lock, re.MULTILINE)] == []
