"""A cache gives back what it was given or nothing; what is damaged is set aside, kept, and asked again."""

from __future__ import annotations

import multiprocessing
import pickle
import sqlite3
from dataclasses import replace

import pytest
from tests.llm.scripted_provider import REQUEST

from holdcourse.errors import HoldcourseError
from holdcourse.llm.bytes_store import BytesStore
from holdcourse.llm.cache import CacheEntry, DamagedEntryError, ReplyCache, packed, unpacked
from holdcourse.llm.cache_export import LoadReport, export, load
from holdcourse.llm.chat import ChatReply, ToolCall, Usage

REPLY = ChatReply(
    "grüße \u2028\n",
    (ToolCall("1", "f", {"a": [1, 2.5, None, "é"]}),),
    "tool_calls",
    Usage(7, 3, 2),
    0.5,
    0.25,
    2,
)
ENTRY = CacheEntry.of(REQUEST, REPLY)
OTHER = CacheEntry.of(replace(REQUEST, trial=1), REPLY)


@pytest.fixture
def cache(tmp_path):
    return ReplyCache(tmp_path)


def overwrite(folder, digest, value, mode=1):
    with sqlite3.connect(folder / "replies" / "cache.db") as connection:
        changed = connection.execute("UPDATE Cache SET value=?, mode=? WHERE key=?", (value, mode, digest))
        assert changed.rowcount == 1


def test_an_entry_comes_back_as_it_was(cache):
    cache.put(ENTRY)
    assert cache.get(REQUEST.digest) == ENTRY
    reply = cache.get(REQUEST.digest).reply.reply(0.5)
    assert replace(reply, cached=False) == REPLY
    assert cache.get(OTHER.digest) is None
    assert REQUEST.digest in cache
    assert OTHER.digest not in cache
    assert len(cache) == 1


@pytest.mark.parametrize("position", range(0, len(packed(ENTRY)), 37))
def test_a_changed_byte_is_noticed(position):
    content = bytearray(packed(ENTRY))
    content[position] ^= 1
    with pytest.raises(DamagedEntryError):
        unpacked(bytes(content), ENTRY.digest)


@pytest.mark.parametrize(
    "content", [b"", b"x", packed(ENTRY)[:-1], packed(OTHER)], ids=["empty", "junk", "cut off", "another's"]
)
def test_a_damaged_entry_is_set_aside_and_can_be_stored_again(cache, content):
    cache.put(ENTRY)
    overwrite(cache.folder, ENTRY.digest, content)
    assert cache.get(ENTRY.digest) is None
    assert ENTRY.digest not in cache
    (kept,) = (cache.folder / "damaged").iterdir()
    assert kept.read_bytes() == content
    assert kept.name.startswith(ENTRY.digest)
    cache.put(ENTRY)
    assert cache.get(ENTRY.digest) == ENTRY


class Evil:
    def __reduce__(self):
        return (pytest.fail, ("a pickle was read",))


@pytest.mark.parametrize("value", [pickle.dumps(Evil()), "text"])
def test_what_is_not_bytes_is_never_read(cache, value):
    cache.put(ENTRY)
    overwrite(cache.folder, ENTRY.digest, value, mode=4)
    assert cache.get(ENTRY.digest) is None
    assert cache.get(ENTRY.digest) is None
    assert ENTRY.digest not in cache


def test_setting_aside_spares_what_was_stored_since(tmp_path):
    store = BytesStore(tmp_path / "store")
    store.set("k", b"good")
    store.remove("k", b"damaged")
    assert store.get("k") == b"good"
    store.remove("k", b"good")
    assert store.get("k") is None


def test_large_entries_come_back_too(cache):
    entry = CacheEntry.of(REQUEST, replace(REPLY, content="long " * 50_000))
    cache.put(entry)
    assert cache.get(REQUEST.digest) == entry
    (file,) = (cache.folder / "replies").rglob("*.val")
    file.write_bytes(file.read_bytes()[:-5])
    assert cache.get(REQUEST.digest) is None


def test_verify_reads_all_and_names_the_damaged(cache):
    cache.put(ENTRY)
    cache.put(OTHER)
    overwrite(cache.folder, OTHER.digest, b"x")
    report = cache.verify()
    assert (report.checked, report.damaged) == (2, (OTHER.digest,))
    assert cache.verify().damaged == ()


def test_stats_sum_by_role_and_model(cache):
    cache.put(ENTRY)
    cache.put(OTHER)
    (stats,) = cache.stats()
    assert (stats.role, stats.entries, stats.prompt_tokens, stats.completion_tokens) == ("agent", 2, 14, 6)


def test_a_folder_that_is_no_cache_is_named(tmp_path):
    (tmp_path / "replies").mkdir()
    (tmp_path / "replies" / "cache.db").write_bytes(b"this is no database" * 100)
    with pytest.raises(HoldcourseError, match=r"cache\.db cannot be used.*llm\.cache=DIR"):
        ReplyCache(tmp_path)


def test_an_exported_cache_is_the_same_bytes_and_loads_elsewhere(cache, tmp_path):
    cache.put(OTHER)
    cache.put(ENTRY)
    assert export(cache, tmp_path / "a.jsonl.gz") == 2
    elsewhere = ReplyCache(tmp_path / "elsewhere")
    assert load(elsewhere, tmp_path / "a.jsonl.gz") == LoadReport(added=2, present=0, differing=0)
    assert load(elsewhere, tmp_path / "a.jsonl.gz") == LoadReport(added=0, present=2, differing=0)
    assert list(elsewhere.entries()) == list(cache.entries())
    export(elsewhere, tmp_path / "b.jsonl.gz")
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()


def test_an_answer_that_is_there_is_not_replaced_by_another(cache, tmp_path):
    cache.put(ENTRY)
    export(cache, tmp_path / "a.jsonl.gz")
    elsewhere = ReplyCache(tmp_path / "elsewhere")
    mine = CacheEntry.of(REQUEST, replace(REPLY, content="mine"))
    elsewhere.put(mine)
    assert load(elsewhere, tmp_path / "a.jsonl.gz") == LoadReport(added=0, present=0, differing=1)
    assert elsewhere.get(REQUEST.digest) == mine


@pytest.mark.parametrize("damage", ["cut", "changed", "no gzip", "empty", "missing"])
def test_a_damaged_export_changes_nothing(cache, tmp_path, damage):
    import gzip

    cache.put(ENTRY)
    cache.put(OTHER)
    path = tmp_path / "a.jsonl.gz"
    export(cache, path)
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:-20])
    elif damage == "changed":
        lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
        path.write_bytes(gzip.compress(lines[0] + lines[1].replace(b'"attempts":2', b'"attempts":3')))
    elif damage == "no gzip":
        path.write_bytes(b"hello")
    elif damage == "empty":
        path.write_bytes(b"")
    else:
        path.unlink()
    elsewhere = ReplyCache(tmp_path / "elsewhere")
    with pytest.raises(HoldcourseError, match=str(path)):
        load(elsewhere, path)
    assert len(elsewhere) == 0


def _put_many(folder, first):
    cache = ReplyCache(folder)
    for number in range(first, first + 40):
        cache.put(CacheEntry.of(replace(REQUEST, trial=number), REPLY))


def test_many_processes_write_at_once(tmp_path):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_put_many, args=(tmp_path, first)) for first in (0, 20, 40)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    cache = ReplyCache(tmp_path)
    assert len(cache) == 80
    assert cache.verify().damaged == ()
