"""What decides a small model's part of a result beside configuration and code: packages, and its files.

Light to import: the Snakefile reads it, and so does every stage.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from holdcourse.config.training import PolicyModelConfig
from holdcourse.errors import HoldcourseError
from holdcourse.training.cache_folder import file_sha256

PACKAGES = ("torch", "transformers", "tokenizers", "peft", "trl", "accelerate", "datasets")

SUFFIXES = frozenset((".safetensors", ".json", ".jinja", ".model", ".txt"))
"""Files of a checkpoint that transformers reads."""


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
    """The packages' versions and, for a checkpoint in a folder, its files; the others' are pinned in conf/.

    Raises:
        HoldcourseError: the folder holds no checkpoint.
    """
    files = {"checkpoint": folder_version(config)} if config.source == "path" else {}
    return {**package_versions(), **files}


def folder_version(config: PolicyModelConfig) -> str:
    """What pins the checkpoint in the folder that `config.place` names: the start of a SHA-256.

    It covers the weights and whatever else decides what the model is given and says: its configuration,
    tokenizer and chat template.

    Raises:
        HoldcourseError: the folder holds no checkpoint.
    """
    folder = Path(config.place).expanduser()
    files = sorted(path for path in folder.glob("*") if path.suffix in SUFFIXES and path.is_file())
    if not any(path.suffix == ".safetensors" for path in files):
        raise HoldcourseError(
            f"policy_model {config.name}: {config.place} holds no *.safetensors; give the folder of a "
            "checkpoint that transformers can load"
        )
    stated = [(path, path.stat()) for path in files]
    told = [f"{path.name} {_digest(path, stat.st_size, stat.st_mtime_ns)}\n" for path, stat in stated]
    return hashlib.sha256("".join(told).encode()).hexdigest()[:16]


@cache
def _digest(path: Path, size: int, changed: int) -> str:
    """Of a file as it is now: a stage asks several times, and gigabytes take seconds to read."""
    return file_sha256(path)
