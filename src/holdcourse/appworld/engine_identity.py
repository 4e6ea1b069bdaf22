"""What decides the engine's part of a result: AppWorld's version, and our code that runs over there."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import holdcourse
from holdcourse.appworld.world import engine_version
from holdcourse.config.engine import EngineConfig

SOURCES = (
    "appworld/engine/**/*.py",
    "appworld/checksums.py",
    "appworld/compensation.py",
    "appworld/docs.py",
    "appworld/inverses.py",
    "appworld/overlay.py",
    "appworld/preimages.py",
    "appworld/undoing.py",
    "appworld/wording.py",
    "drift/*.py",
    "recipes/*.py",
)
"""Our code that runs in the engine's environment, to which no import of ours leads."""


def engine_identity() -> dict[str, str]:
    """AppWorld's version in the environment that `make setup` makes, and a digest of our code for it."""
    python = Path(EngineConfig().environment).absolute() / "bin" / "python"
    return {"appworld": engine_version(python), "engine_code": _engine_code()}


@cache
def _engine_code() -> str:
    source = Path(holdcourse.__file__).parent
    whole = hashlib.sha256()
    for file in sorted(file for pattern in SOURCES for file in source.glob(pattern)):
        whole.update(f"{file.relative_to(source)}\0".encode() + file.read_bytes() + b"\0")
    return whole.hexdigest()[:16]
