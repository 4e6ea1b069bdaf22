"""Where converted and merged models are kept: a cache of the user, outside every study."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, flock
from pathlib import Path

from holdcourse.errors import HoldcourseError
from holdcourse.files import read_object, write_json

MANIFEST = "holdcourse.json"


def cache_folder() -> Path:
    """`$HOLDCOURSE_CACHE`, else `~/.cache/holdcourse`."""
    named = os.environ.get("HOLDCOURSE_CACHE")
    return Path(named).expanduser() if named else Path.home() / ".cache" / "holdcourse"


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, as hexadecimal, read piece by piece."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def kept(name: str, make: Callable[[Path], None]) -> Path:
    """The folder `name` of the cache, made by `make` unless it is there, whole and unchanged.

    `make` fills a folder beside it, which is renamed when it is done: a kill leaves nothing half made. Two
    processes that want the same wait for each other.

    Args:
        name: says by a digest what it was made from.
        make: writes the folder's files.

    Raises:
        HoldcourseError: the cache cannot be written to.
    """
    folder = cache_folder() / "models" / name
    lock = folder.with_name(f".{name}.lock")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock.touch()
    except OSError as error:
        raise HoldcourseError(
            f"{folder.parent} cannot be written to ({error.strerror}); name a folder for converted models "
            "that can be: HOLDCOURSE_CACHE=DIR"
        ) from None
    with _alone(lock):
        if _whole(folder):
            return folder
        shutil.rmtree(folder, ignore_errors=True)
        for leftover in folder.parent.glob(f".{name}.*.tmp"):
            shutil.rmtree(leftover, ignore_errors=True)
        making = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{name}.", suffix=".tmp"))
        try:
            make(making)
            files = sorted(path for path in making.iterdir() if path.is_file())
            write_json(making / MANIFEST, {"files": {path.name: file_sha256(path) for path in files}})
            making.chmod(0o755)
            making.rename(folder)
        except BaseException:
            shutil.rmtree(making, ignore_errors=True)
            raise
    return folder


def _whole(folder: Path) -> bool:
    """Whether a folder is there and its files are those that were written."""
    if not (folder / MANIFEST).is_file():
        return False
    files = read_object(folder / MANIFEST).get("files")
    return isinstance(files, dict) and all(
        (folder / name).is_file() and file_sha256(folder / name) == digest for name, digest in files.items()
    )


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    # Waiting, unlike `files.held`: whoever made it first has made it for both.
    with lock.open("a") as stream:
        flock(stream, LOCK_EX)
        yield
