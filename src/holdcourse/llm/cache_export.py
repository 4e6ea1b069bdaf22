"""A cache as one file that can be shipped: gzipped JSON lines, readable without this program."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from holdcourse.errors import HoldcourseError
from holdcourse.files import write_bytes
from holdcourse.llm.cache import CacheEntry, ReplyCache
from holdcourse.llm.chat import canonical_json


@dataclass(frozen=True, slots=True)
class LoadReport:
    """Entries that were new, already there, and there with another answer (which was kept)."""

    added: int
    present: int
    differing: int


def export(cache: ReplyCache, path: Path) -> int:
    """Write all sound entries, sorted by digest, and say how many; the same cache gives the same bytes."""
    buffer = io.BytesIO()
    count = 0
    with gzip.GzipFile(fileobj=buffer, mode="wb", filename="", mtime=0) as stream:
        for entry in cache.entries():
            stream.write(_line(entry).encode())
            count += 1
    write_bytes(path, buffer.getvalue())
    return count


def load(cache: ReplyCache, path: Path) -> LoadReport:
    """Take over the entries of an exported file; all lines are checked before the first is stored.

    Raises:
        HoldcourseError: the file is missing, cut off, or a line is damaged.
    """
    for _ in _entries(path):
        pass
    added = present = differing = 0
    for entry in _entries(path):
        known = cache.get(entry.digest)
        if known is None:
            cache.put(entry)
            added += 1
        elif known == entry:
            present += 1
        else:
            differing += 1
    return LoadReport(added, present, differing)


def _line(entry: CacheEntry) -> str:
    body = entry.text()
    return f'{{"sha256":"{hashlib.sha256(body.encode()).hexdigest()}","entry":{body}}}\n'


def _entries(path: Path) -> Iterator[CacheEntry]:
    number = 0
    try:
        if path.stat().st_size == 0:
            raise HoldcourseError(f"{path} is empty; fetch it again")
        with gzip.open(path, "rb") as stream:
            for number, line in enumerate(stream, start=1):  # noqa: B007
                yield _checked(line)
    except FileNotFoundError:
        raise HoldcourseError(f"{path} does not exist; name a file written by `cache export`") from None
    except (OSError, EOFError, zlib.error) as error:
        raise HoldcourseError(
            f"{path}, after line {number}: cannot be read ({error}); fetch it again"
        ) from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise HoldcourseError(f"{path}, line {number}: no sound entry ({error}); fetch it again") from None


def _checked(line: bytes) -> CacheEntry:
    whole = json.loads(line)
    body = canonical_json(whole["entry"])
    if hashlib.sha256(body.encode()).hexdigest() != whole["sha256"]:
        raise ValueError("its checksum does not match")
    try:
        return CacheEntry.model_validate_json(body)
    except ValidationError as error:
        raise ValueError(f"{error.errors()[0]['msg']}") from None
