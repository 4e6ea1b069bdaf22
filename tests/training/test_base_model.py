"""Where a policy's base comes from, and what is said when it does not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import yaml

from holdcourse.config.training import PolicyModelConfig
from holdcourse.errors import HoldcourseError

pytest.importorskip("torch")

from holdcourse.training.base_model import BaseModel, base_model, end_tokens, packaged_file

ROOT = Path(__file__).parents[2]


def smollm2(**changes: object) -> PolicyModelConfig:
    values = yaml.safe_load((ROOT / "conf/policy_model/smollm2_135m.yaml").read_text())
    return PolicyModelConfig.model_validate({**values, **changes})


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An importable package with one weights file."""
    folder = tmp_path / "made_weights"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise ImportError('never imported')")
    (folder / "model.gguf").write_bytes(b"GGUF")
    monkeypatch.syspath_prepend(str(tmp_path))
    return folder


def test_a_package_is_found_without_importing_it(package: Path) -> None:
    assert packaged_file("made_weights") == package / "model.gguf"
    assert "made_weights" not in sys.modules


def test_a_package_in_the_cache_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDCOURSE_CACHE", str(tmp_path))
    folder = tmp_path / "packages" / "cached_weights"
    folder.mkdir(parents=True)
    (folder / "model.gguf").write_bytes(b"GGUF")
    assert packaged_file("cached_weights") == folder / "model.gguf"


def test_no_package_says_how_to_get_it() -> None:
    with pytest.raises(HoldcourseError, match="make setup"):
        packaged_file("no_such_weights")


def test_two_files_are_one_too_many(package: Path) -> None:
    (package / "other.gguf").write_bytes(b"GGUF")
    with pytest.raises(HoldcourseError, match=r"ships 2 .gguf files, expected one"):
        packaged_file("made_weights")


def test_another_file_than_the_pinned_one_is_refused(package: Path) -> None:
    with pytest.raises(HoldcourseError, match=r"has SHA-256 [0-9a-f]{64}, expected b179c9523d0e"):
        base_model(smollm2(place="made_weights"))


def test_a_folder_of_the_user(tiny: BaseModel) -> None:
    found = base_model(smollm2(source="path", place=tiny.place, sha256=None))
    assert (found.place, found.revision) == (tiny.place, None)
    assert len(found.version) == 16


def test_a_folder_without_weights_says_so(tmp_path: Path) -> None:
    with pytest.raises(HoldcourseError, match=r"no \*\.safetensors"):
        base_model(smollm2(source="path", place=str(tmp_path), sha256=None))


def test_a_model_that_cannot_be_loaded_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = BaseModel(str(tmp_path), None, "tests/broken", "0")
    with pytest.raises(HoldcourseError, match=r"policy_model.source=path"):
        broken.load("float32")


def test_the_tokens_that_end_a_completion(tiny: BaseModel) -> None:
    assert end_tokens(tiny.load("float32"), tiny.tokenizer()) == {1}
