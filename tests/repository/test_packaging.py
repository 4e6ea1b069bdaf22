"""One set of pins, hash-locked, that covers what pyproject.toml asks for and what the code imports."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, object]:
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert isinstance(project, dict)
    return project


@pytest.fixture(scope="module")
def lock(root: Path) -> str:
    return (root / "requirements.lock").read_text()


@pytest.fixture(scope="module")
def pins(lock: str) -> dict[str, str]:
    return {canonicalize_name(name): version for name, version in PIN.findall(lock)}


def runtime(project: dict[str, object]) -> list[Requirement]:
    listed = project["dependencies"]
    assert isinstance(listed, list)
    return [Requirement(text) for text in listed]


def extra(project: dict[str, object], name: str) -> list[Requirement]:
    extras = project["optional-dependencies"]
    assert isinstance(extras, dict)
    return [Requirement(text) for text in extras[name]]


def development(project: dict[str, object]) -> list[Requirement]:
    return extra(project, "dev")


def test_the_lock_has_a_pin_inside_every_range(project: dict[str, object], pins: dict[str, str]) -> None:
    outside = [
        str(requirement)
        for requirement in runtime(project) + development(project)
        if not requirement.specifier.contains(pins.get(canonicalize_name(requirement.name), "0"))
    ]
    assert outside == [], "run `make lock`"


def test_every_pin_is_an_exact_one_with_a_hash(lock: str) -> None:
    entries = re.split(r"^(?=[A-Za-z0-9])", lock, flags=re.MULTILINE)[1:]
    assert len(entries) > 100
    assert [entry.split()[0] for entry in entries if "==" not in entry or "--hash=sha256:" not in entry] == []


def test_the_locks_name_no_host(root: Path) -> None:
    for path in (root / "requirements.lock", *(root / "workflow/envs").glob("*.lock")):
        lock = path.read_text()
        assert "://" not in lock, path
        assert "--index" not in lock, path
        assert "--find-links" not in lock, path


def test_training_is_installed_as_the_extras_say(root: Path, project: dict[str, object]) -> None:
    lines = (root / "workflow/envs/training.in").read_text().splitlines()
    listed = {str(Requirement(line)) for line in lines if line and not line.startswith("#")}
    assert listed == {str(one) for one in extra(project, "models") + extra(project, "training")}


def test_training_agrees_with_the_projects_lock(root: Path, pins: dict[str, str]) -> None:
    """Both are installed into one environment, one after the other."""
    training = dict(PIN.findall((root / "workflow/envs/training.lock").read_text()))
    shared = {name: version for name, version in training.items() if name in pins}
    assert shared == {name: pins[name] for name in shared}, "run `make lock`"
    cpu = dict(PIN.findall((root / "workflow/envs/torch-cpu.lock").read_text()))
    assert cpu == {"torch": f"{training['torch']}+cpu"}


def test_stolen_and_mistaken_packages_stay_out(project: dict[str, object], pins: dict[str, str]) -> None:
    """litellm 1.82.7 and 1.82.8 stole credentials; the name tau2 belongs to a physics package."""
    assert pins["litellm"] not in {"1.82.7", "1.82.8"}
    litellm = next(requirement for requirement in runtime(project) if requirement.name == "litellm")
    assert not litellm.specifier.contains("1.82.7")
    assert not litellm.specifier.contains("1.82.8")
    assert "tau2" not in pins


def test_conda_installs_the_same_lock(root: Path, pins: dict[str, str]) -> None:
    listed = yaml.safe_load((root / "environment.yml").read_text())["dependencies"]
    conda = dict(text.split("=") for text in listed if isinstance(text, str) and "=" in text)
    assert [entry["pip"] for entry in listed if isinstance(entry, dict)] == [["-r requirements.lock"]]
    assert conda["setuptools"] == pins["setuptools"]
    assert conda["python"] in {"3.11", "3.12"}


def test_every_import_is_a_declared_dependency(
    root: Path, project: dict[str, object], committed: list[Path]
) -> None:
    optional = extra(project, "models") + extra(project, "training")
    declared = {canonicalize_name(requirement.name) for requirement in runtime(project) + optional}
    for_tests = declared | {canonicalize_name(requirement.name) for requirement in development(project)}
    engine = PIN.findall((root / "workflow/envs/appworld.lock").read_text())
    for_engine = declared | {canonicalize_name(name) for name, _ in engine}
    owners_of = packages_distributions()
    undeclared = []
    for path in committed:
        if path.suffix != ".py":
            continue
        allowed = declared if path.parts[0] in {"src", "workflow"} else for_tests
        if path.is_relative_to("src/holdcourse/appworld/engine"):
            allowed = for_engine
        for name in imported(root / path):
            owners = {canonicalize_name(owner) for owner in owners_of.get(name, ())}
            if owners and not owners & (allowed | {"holdcourse"}):
                undeclared.append(f"{path} imports {name} of {', '.join(sorted(owners))}")
    assert undeclared == []


def imported(path: Path) -> set[str]:
    """Top-level names that a module imports, outside the standard library."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module.partition(".")[0])
    return names - sys.stdlib_module_names


def test_hooks_come_from_the_project_s_own_environment(root: Path) -> None:
    repos = yaml.safe_load((root / ".pre-commit-config.yaml").read_text())["repos"]
    assert [repo["repo"] for repo in repos] == ["local"]
    assert {hook["language"] for hook in repos[0]["hooks"]} == {"system"}
