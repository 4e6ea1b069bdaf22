"""A journal keeps finished work, and refuses what it cannot vouch for."""

import json
import os
import subprocess
import sys

import pytest

from holdcourse.journal import Journal, JournalError

IDENTITY = {"config": "abc", "seed": 0}


def test_finished_work_is_there_when_opened_again(tmp_path):
    with Journal.open(tmp_path / "j.jsonl", IDENTITY) as journal:
        journal.append("task|0", {"reward": 1.0, "text": "Zeile\u2028 zwei"})
        journal.append("task|1", {"reward": 0.0})
    with Journal.open(tmp_path / "j.jsonl", IDENTITY) as journal:
        assert journal.done == {
            "task|0": {"reward": 1.0, "text": "Zeile\u2028 zwei"},
            "task|1": {"reward": 0.0},
        }


def test_a_record_reads_the_same_before_and_after_it_was_written(tmp_path):
    with Journal.open(tmp_path / "j.jsonl", IDENTITY) as journal:
        journal.append("a", {"zebra": {"y": 1, "b": [2.0]}, "apple": 3})
        before = json.dumps(journal.done)
    with Journal.open(tmp_path / "j.jsonl", IDENTITY) as journal:
        assert json.dumps(journal.done) == before


def test_a_line_cut_off_by_a_kill_is_dropped_and_the_next_one_is_whole(tmp_path):
    path = tmp_path / "j.jsonl"
    with Journal.open(path, IDENTITY) as journal:
        journal.append("a", {"n": 1})
        journal.append("b", {"n": 2})
    path.write_bytes(path.read_bytes()[:-5])
    with Journal.open(path, IDENTITY) as journal:
        assert list(journal.done) == ["a"]
        journal.append("c", {"n": 3})
    with Journal.open(path, IDENTITY) as journal:
        assert list(journal.done) == ["a", "c"]


def test_a_header_cut_off_by_a_kill_starts_the_journal_anew(tmp_path):
    path = tmp_path / "j.jsonl"
    path.write_bytes(b'0123 {"journal":')
    with Journal.open(path, IDENTITY) as journal:
        assert journal.done == {}


def test_a_damaged_line_is_an_error_that_names_it_and_changes_nothing(tmp_path):
    path = tmp_path / "j.jsonl"
    with Journal.open(path, IDENTITY) as journal:
        journal.append("a", {"n": 1})
        journal.append("b", {"n": 2})
    damaged = path.read_bytes().replace(b'"n":1', b'"n":7')
    path.write_bytes(damaged)
    with pytest.raises(JournalError, match=r"line 2: damaged.*remove that line"):
        Journal.open(path, IDENTITY)
    assert path.read_bytes() == damaged


def test_another_identity_is_refused_and_nothing_is_overwritten(tmp_path):
    path = tmp_path / "j.jsonl"
    with Journal.open(path, IDENTITY) as journal:
        journal.append("a", {"n": 1})
    before = path.read_bytes()
    with pytest.raises(JournalError, match="another configuration"):
        Journal.open(path, {**IDENTITY, "seed": 1})
    assert path.read_bytes() == before


def test_two_runs_at_once_are_refused(tmp_path):
    path = tmp_path / "j.jsonl"
    with Journal.open(path, IDENTITY), pytest.raises(JournalError, match="in use"):
        Journal.open(path, IDENTITY)


def test_the_lock_goes_with_a_killed_process(tmp_path):
    path = tmp_path / "j.jsonl"
    program = (
        "import os, signal, sys; from pathlib import Path; from holdcourse.journal import Journal\n"
        "journal = Journal.open(Path(sys.argv[1]), {'config': 'abc', 'seed': 0})\n"
        "journal.append('a', {'n': 1}); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], env=os.environ, check=False)
    assert done.returncode == -9
    with Journal.open(path, IDENTITY) as journal:
        assert journal.done == {"a": {"n": 1}}
