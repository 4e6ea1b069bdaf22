"""What a result of a small model depends on beside configuration and code."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

from holdcourse.config.compose import conf_directory
from holdcourse.config.training import PolicyModelConfig
from holdcourse.errors import HoldcourseError
from holdcourse.training import policy_identity as module
from holdcourse.training.policy_identity import folder_version, package_versions, policy_identity


def policy(**changes: object) -> PolicyModelConfig:
    values = yaml.safe_load((conf_directory() / "policy_model" / "smollm2_135m.yaml").read_text())
    return PolicyModelConfig.model_validate({**values, **changes})


def in_folder(folder: Path) -> PolicyModelConfig:
    return policy(source="path", place=str(folder), sha256=None)


def test_the_versions_are_those_of_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PACKAGES", ("pytest", "no-such-package"))
    package_versions.cache_clear()
    try:
        assert package_versions() == {"pytest": version("pytest")}
    finally:
        package_versions.cache_clear()


def test_what_conf_pins_is_not_read() -> None:
    assert policy_identity(policy()) == package_versions()
    assert policy_identity(policy(source="hub", place="no/such", revision="1")) == package_versions()


def test_a_checkpoint_in_a_folder_is_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"one")
    identity = policy_identity(in_folder(tmp_path))
    assert identity == {**package_versions(), "checkpoint": folder_version(in_folder(tmp_path))}


@pytest.mark.parametrize(
    "name",
    ["model.safetensors", "config.json", "tokenizer.json", "chat_template.jinja", "merges.txt"],
)
def test_a_change_of_any_of_its_files_is_seen(name: str, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    found = {folder_version(in_folder(tmp_path))}
    for content in (b"one", b"other"):
        (tmp_path / name).write_bytes(content)
        found.add(folder_version(in_folder(tmp_path)))
    assert len(found) == 3


def test_weights_that_changed_places_are_seen(tmp_path: Path) -> None:
    found = set()
    for first, second in ((b"one", b"two"), (b"two", b"one")):
        (tmp_path / "a.safetensors").write_bytes(first)
        (tmp_path / "b.safetensors").write_bytes(second)
        found.add(folder_version(in_folder(tmp_path)))
    assert len(found) == 2


def test_what_stands_beside_a_checkpoint_is_not(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    before = folder_version(in_folder(tmp_path))
    (tmp_path / "README.md").write_bytes(b"notes")
    (tmp_path / "runs.json").mkdir()
    assert folder_version(in_folder(tmp_path)) == before


def test_a_folder_without_weights_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HoldcourseError, match=r"holds no \*\.safetensors"):
        folder_version(in_folder(tmp_path))
