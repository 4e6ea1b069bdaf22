"""What a result of a small model depends on beside configuration and code."""

from __future__ import annotations

import hashlib
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


def test_weights_in_a_folder_are_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "b.safetensors").write_bytes(b"two")
    (tmp_path / "a.safetensors").write_bytes(b"one")
    first, second = (hashlib.sha256(content).hexdigest()[:16] for content in (b"one", b"two"))
    assert folder_version(in_folder(tmp_path)) == f"{first}+{second}"
    assert policy_identity(in_folder(tmp_path)) == {**package_versions(), "weights": f"{first}+{second}"}


def test_changed_weights_are_seen(tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    file.write_bytes(b"one")
    before = folder_version(in_folder(tmp_path))
    file.write_bytes(b"other")
    assert folder_version(in_folder(tmp_path)) != before


def test_a_folder_without_weights_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HoldcourseError, match=r"holds no \*\.safetensors"):
        folder_version(in_folder(tmp_path))
