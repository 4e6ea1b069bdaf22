"""The cache of answers: nothing is paid for twice, and every answer is checked when it is read.

An entry stands under the digest of its whole request (model, parameters and trial included), names that
digest itself and carries a checksum. One that is damaged is moved aside, kept for inspection, and asked
again.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from holdcourse.files import write_bytes
from holdcourse.llm.bytes_store import BytesStore, NotBytesError
from holdcourse.llm.chat import ChatReply, ChatRequest, canonical_json
from holdcourse.llm.single_flight import hold
from holdcourse.llm.stored import StoredReply

VERSION = 1

log = logging.getLogger(__name__)


class DamagedEntryError(ValueError):
    """Bytes that are no entry, or not the entry of the request they stand under."""


class CacheEntry(BaseModel):
    """One answer, by the digest of its request; role, model and trial are there for people and sums."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int = VERSION
    digest: str
    role: str
    model: str
    trial: int
    reply: StoredReply

    @classmethod
    def of(cls, request: ChatRequest, reply: ChatReply) -> CacheEntry:
        """The entry of an answered request."""
        return cls(
            digest=request.digest,
            role=request.role,
            model=request.model,
            trial=request.trial,
            reply=StoredReply.of(reply),
        )

    def text(self) -> str:
        """The entry as canonical JSON: the same text for the same entry."""
        return canonical_json({**self.model_dump(exclude={"reply"}), "reply": self.reply.record()})


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """How many entries were read, and the digests of those that were damaged and set aside."""

    checked: int
    damaged: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CacheStats:
    """What a cache holds of one role and model."""

    role: str
    model: str
    entries: int
    prompt_tokens: int
    completion_tokens: int


def packed(entry: CacheEntry) -> bytes:
    """An entry as stored: checksum, space, canonical JSON."""
    body = entry.text().encode()
    return hashlib.sha256(body).hexdigest().encode() + b" " + body


def unpacked(content: bytes, digest: str) -> CacheEntry:
    """Read what `packed` made for the request of this digest.

    Raises:
        DamagedEntryError: it is damaged, of another version, or of another request.
    """
    checksum, _, body = content.partition(b" ")
    if hashlib.sha256(body).hexdigest().encode() != checksum:
        raise DamagedEntryError("its checksum does not match")
    try:
        entry = CacheEntry.model_validate_json(body)
    except ValidationError as error:
        raise DamagedEntryError(f"it is no entry: {error.errors()[0]['msg']}") from None
    if entry.version != VERSION:
        raise DamagedEntryError(f"it is of version {entry.version}, not {VERSION}")
    if entry.digest != digest:
        raise DamagedEntryError(f"it answers the request {entry.digest}")
    return entry


class ReplyCache:
    """Answers in a folder, shared by any number of processes and threads.

    Raises:
        HoldcourseError: the folder cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._store = BytesStore(folder / "replies")

    def get(self, digest: str) -> CacheEntry | None:
        """The answer to the request of this digest; None if there is none, or only a damaged one.

        A damaged one is moved to damaged/ beside the store.
        """
        content: bytes | None = None
        try:
            content = self._store.get(digest)
            if content is None:
                return None
            return unpacked(content, digest)
        except NotBytesError as error:
            self._set_aside(digest, None, str(error))
        except DamagedEntryError as error:
            self._set_aside(digest, content, str(error))
        return None

    def put(self, entry: CacheEntry) -> None:
        """Keep an answer."""
        self._store.set(entry.digest, packed(entry))

    def single_flight(self, digest: str, wait_s: float | None = None) -> AbstractContextManager[None]:
        """Let only one caller, of all processes, ask the request of this digest at a time.

        Raises:
            TimedOutError: another held it for longer than `wait_s`.
        """
        return hold(self.folder / "asking" / digest, wait_s)

    def digests(self) -> Iterator[str]:
        """Digests of all entries, sorted."""
        return self._store.keys()

    def entries(self) -> Iterator[CacheEntry]:
        """All entries that are sound, by digest; damaged ones are set aside."""
        for digest in self.digests():
            entry = self.get(digest)
            if entry is not None:
                yield entry

    def verify(self) -> VerifyReport:
        """Read every entry, and set the damaged ones aside."""
        digests = list(self.digests())
        damaged = tuple(digest for digest in digests if self.get(digest) is None)
        return VerifyReport(len(digests), damaged)

    def stats(self) -> tuple[CacheStats, ...]:
        """Entries and tokens by role and model."""
        sums: dict[tuple[str, str], tuple[int, int, int]] = {}
        for entry in self.entries():
            count, prompt, completion = sums.get((entry.role, entry.model), (0, 0, 0))
            usage = entry.reply.usage
            sums[entry.role, entry.model] = (
                count + 1,
                prompt + usage.prompt_tokens,
                completion + usage.completion_tokens,
            )
        return tuple(CacheStats(*key, *values) for key, values in sorted(sums.items()))

    def close(self) -> None:
        """Close this thread's connection to the store."""
        self._store.close()

    def __contains__(self, digest: str) -> bool:
        return digest in self._store

    def __len__(self) -> int:
        return len(self._store)

    def _set_aside(self, digest: str, content: bytes | None, why: str) -> None:
        log.warning("cache %s, entry %s: %s; moved to damaged/, asked again", self.folder, digest, why)
        kept = content or b""
        write_bytes(self.folder / "damaged" / f"{digest}-{hashlib.sha256(kept).hexdigest()[:12]}.bin", kept)
        # Only this content: another process may have asked again and stored a sound answer since.
        self._store.remove(digest, content)
