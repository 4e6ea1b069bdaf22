"""What decides a small model's part of a result beside configuration and code: packages, and its weights.

Light to import: the Snakefile reads it, and so does every stage.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from holdcourse.config.training import PolicyModelConfig
from holdcourse.errors import HoldcourseError
from holdcourse.training.cache_folder import file_sha256

PACKAGES = ("torch", "transformers", "tokenizers", "peft", "trl", "accelerate", "datasets")


@cache
def package_versions() -> dict[str, str]:
    """Versions of the packages that train and run small models, of those that are installed."""
    found: dict[str, str] = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def policy_identity(config: PolicyModelConfig) -> dict[str, str]:
    """The packages' versions and, for a checkpoint in a folder, its weights; the others' are pinned in conf/.

    Raises:
        HoldcourseError: the folder holds no checkpoint.
    """
    weights = {"weights": folder_version(config)} if config.source == "path" else {}
    return {**package_versions(), **weights}


def folder_version(config: PolicyModelConfig) -> str:
    """What pins the weights in the folder that `config.place` names: the start of each file's SHA-256.

    Raises:
        HoldcourseError: the folder holds no checkpoint.
    """
    weights = sorted(Path(config.place).expanduser().glob("*.safetensors"))
    if not weights:
        raise HoldcourseError(
            f"policy_model {config.name}: {config.place} holds no *.safetensors; give the folder of a "
            "checkpoint that transformers can load"
        )
    stated = [(path, path.stat()) for path in weights]
    return "+".join(_digest(path, stat.st_size, stat.st_mtime_ns) for path, stat in stated)


@cache
def _digest(path: Path, size: int, changed: int) -> str:
    """Of a file as it is now: a stage asks several times, and gigabytes take seconds to read."""
    return file_sha256(path)[:16]
