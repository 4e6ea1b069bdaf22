"""A store of bytes by key in one folder, safe for many processes at once.

diskcache over SQLite, held to text keys and bytes values: what the file says is never unpickled, since a
cache may come from someone else.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from diskcache import Cache, Disk, Timeout

from holdcourse.errors import HoldcourseError

_RAW, _BINARY = 1, 2
_WAIT_S = 60.0


class NotBytesError(Exception):
    """The store holds something else than bytes under a key."""


class _BytesDisk(Disk):  # type: ignore[misc]  # diskcache is untyped
    """Refuses what diskcache would unpickle."""

    def store(self, value: object, read: bool, key: object = None) -> object:
        if not isinstance(value, bytes):
            raise TypeError(f"only bytes can be stored, not {type(value).__name__}")
        return super().store(value, read, key=key)

    def fetch(self, mode: int, filename: str | None, value: object, read: bool) -> bytes:
        if mode == _BINARY and filename:
            path = (Path(self._directory) / filename).resolve()
            if not path.is_relative_to(Path(self._directory).resolve()):
                raise NotBytesError("its file lies outside the store")
            return path.read_bytes()
        if mode != _RAW or not isinstance(value, bytes):
            raise NotBytesError(f"stored as mode {mode}, {type(value).__name__}")
        return bytes(value)

    def get(self, key: object, raw: int) -> str:
        if not raw or not isinstance(key, str):
            raise NotBytesError("a key that is no text")
        return key


class BytesStore:
    """Bytes by text key.

    Raises:
        HoldcourseError: the folder cannot be used, or its database is damaged as a whole.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with self._named_errors():
            self._cache = Cache(
                str(folder),
                disk=_BytesDisk,
                timeout=_WAIT_S,
                eviction_policy="none",
                size_limit=2**62,
                cull_limit=0,
                statistics=0,
            )

    def get(self, key: str) -> bytes | None:
        """The bytes under a key, None if there are none.

        Raises:
            NotBytesError: something else stands there.
        """
        with self._named_errors():
            try:
                found = self._cache.get(key, default=None, retry=True)
            except FileNotFoundError:
                return None
        return found if found is None else bytes(found)

    def set(self, key: str, value: bytes) -> None:
        """Store bytes under a key; once this returns, a kill of the process does not lose them."""
        with self._named_errors():
            self._cache.set(key, value, retry=True)

    def remove(self, key: str, content: bytes | None) -> None:
        """Remove a key if it still holds this content; None stands for what is not bytes."""
        with self._named_errors(), self._cache.transact(retry=True):
            try:
                found = self._cache.get(key, default=b"", retry=True)
            except NotBytesError:
                found = None
            if found == content:
                self._cache.delete(key, retry=True)

    def keys(self) -> Iterator[str]:
        """All keys, in order."""
        with self._named_errors():
            yield from self._cache.iterkeys()

    def __contains__(self, key: str) -> bool:
        with self._named_errors():
            return key in self._cache

    def __len__(self) -> int:
        with self._named_errors():
            return len(self._cache)

    def close(self) -> None:
        """Close this thread's connection."""
        self._cache.close()

    def _named_errors(self) -> _NamedErrors:
        return _NamedErrors(self.folder)


class _NamedErrors:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Timeout):
            raise HoldcourseError(
                f"{self._folder} has been locked for {_WAIT_S:g} s; is another program holding it, or is "
                "it on "
                "a file system without locks?"
            ) from error
        if isinstance(error, sqlite3.DatabaseError):
            raise HoldcourseError(
                f"{self._folder / 'cache.db'} cannot be used ({error}); move the folder away to start an "
                "empty "
                "cache, or name another with llm.cache=DIR"
            ) from error
        if isinstance(error, OSError) and not isinstance(error, FileNotFoundError):
            raise HoldcourseError(
                f"{self._folder} cannot be used as a cache ({error}); name a folder that can be written with "
                "llm.cache=DIR"
            ) from error
