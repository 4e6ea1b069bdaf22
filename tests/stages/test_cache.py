"""The cache's command: what it prints, writes and refuses."""

import gzip
import json

import pytest

from holdcourse.errors import HoldcourseError
from holdcourse.llm.cache import CacheEntry, ReplyCache
from holdcourse.llm.chat import ChatMessage, ChatReply, ChatRequest, Usage
from holdcourse.stages.cache import main


def entry(role="agent", content="yes", trial=0):
    request = ChatRequest(role, "gpt-4o", (ChatMessage("user", "shall we?"),), trial=trial)
    return CacheEntry.of(request, ChatReply(content, (), "stop", Usage(40, 2), 0.5, 1.0))


def cache_of(folder, *entries):
    cache = ReplyCache(folder)
    for one in entries:
        cache.put(one)
    cache.close()


@pytest.fixture
def filled(tmp_path):
    """A folder with a cache of three answers."""
    cache_of(tmp_path / "cache", entry(), entry(trial=1), entry(role="user"))
    return tmp_path


def at(folder):
    return f"llm.cache={folder / 'cache'}"


def test_stats_sum_by_role_and_model(filled, capsys):
    assert main(["stats", at(filled)]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    numbers = {row[1]: row for row in rows if len(row) > 4}
    assert [word for word in numbers["agent"] if word.isdigit()] == ["2", "80", "4"]
    assert [word for word in numbers["all"] if word.isdigit()] == ["3", "120", "6"]


def test_an_export_taken_in_elsewhere_gives_the_same_answers(filled, tmp_path, capsys):
    file, other = filled / "answers.jsonl.gz", tmp_path / "other"
    assert main(["export", f"file={file}", at(filled)]) == 0
    assert main(["import", f"file={file}", at(other)]) == 0
    assert main(["import", f"file={file}", at(other)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == f"3 entries written to {file}"
    assert told[1].startswith("3 entries taken in")
    assert told[2].startswith("0 entries taken in")
    assert "3 were there already" in told[2]
    cache = ReplyCache(other / "cache")
    known = cache.get(entry(trial=1).digest)
    cache.close()
    assert known == entry(trial=1)


def test_an_export_is_plain_json_lines(filled):
    main(["export", f"file={filled / 'a.gz'}", at(filled)])
    lines = gzip.decompress((filled / "a.gz").read_bytes()).decode().splitlines()
    assert {json.loads(line)["entry"]["role"] for line in lines} == {"agent", "user"}


def test_verify_counts_what_it_read(filled, capsys):
    assert main(["verify", at(filled)]) == 0
    assert capsys.readouterr().out == "3 entries read, 0 damaged\n"


def test_a_damaged_export_changes_nothing(filled, tmp_path):
    file = filled / "answers.jsonl.gz"
    main(["export", f"file={file}", at(filled)])
    text = gzip.decompress(file.read_bytes()).replace(b"yes", b"no!")
    file.write_bytes(gzip.compress(text))
    with pytest.raises(HoldcourseError, match=r"answers\.jsonl\.gz, line 1"):
        main(["import", f"file={file}", at(tmp_path / "other")])
    cache = ReplyCache(tmp_path / "other" / "cache")
    held = len(cache)
    cache.close()
    assert held == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "expected one of stats, verify, export, import"),
        (["erase"], "'erase'"),
        (["stats", "--all"], "no key=value"),
        (["export"], "file="),
        (["stats", "llm.cash=x"], "cash"),
        (["stats", "llm.cache=null"], "keeps no cache"),
    ],
)
def test_what_cannot_be_done_is_said(words, told, filled):
    extra = [at(filled)] if words == ["export"] else []
    with pytest.raises(HoldcourseError, match=told):
        main([*words, *extra])


def test_no_cache_is_made_by_looking(tmp_path):
    with pytest.raises(HoldcourseError, match="there is no cache at"):
        main(["stats", at(tmp_path)])
    assert list(tmp_path.iterdir()) == []
