"""Many simulations, many processes, one cache: no call twice, no entry damaged."""

from __future__ import annotations

import json
import multiprocessing
import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from holdcourse.journal import Journal
from holdcourse.llm.cache import ReplyCache
from holdcourse.llm.chat import ChatMessage, ChatRequest
from holdcourse.llm.door import Door
from holdcourse.llm.failures import BudgetReachedError
from holdcourse.telecom.evaluation import jobs_for, run_simulations
from tests.door.conftest import SIMULATED, make_settings
from tests.door.plans import plan_for, some_tasks
from tests.servers.simulated_models import SimulatedServer

SIMULATIONS = 50
TASKS, TRIALS, PROCESSES = 17, 3, 4
THREADS = -(-SIMULATIONS // PROCESSES)


def jobs():
    return jobs_for(some_tasks(TASKS), TRIALS)[:SIMULATIONS]


def simulate_all(settings, folder: Path, workers: int = 1) -> list[dict]:
    """All simulations over HTTP, as many at once as there are places for."""
    plan = plan_for(lambda: Door(SIMULATED, settings, folder / "calls.jsonl"), "openai/")
    with Journal.open(folder / "simulations.jsonl", {}) as journal:
        done = run_simulations(plan, jobs(), workers=workers, threads=THREADS, journal=journal)
    return [simulation.record() for simulation in done]


def simulate_in_process(folder: Path) -> list[dict]:
    plan = plan_for(lambda: Door(SIMULATED), "")
    with Journal.open(folder / "simulations.jsonl", {}) as journal:
        done = run_simulations(plan, jobs(), workers=1, journal=journal)
    return [simulation.record() for simulation in done]


def scores(rows: list[dict]) -> list[tuple]:
    return [
        tuple(row[key] for key in ("task", "trial", "outcome", "reward", "steps", "calls")) for row in rows
    ]


@pytest.fixture(scope="module")
def shared(tmp_path_factory, server):
    """Four processes, each with all fifty simulations, begin at once with one empty cache."""
    folder = tmp_path_factory.mktemp("shared")
    settings = make_settings(folder, server.api_base)
    server.forget()
    own = [folder / f"process{number}" for number in range(PROCESSES)]
    in_processes(_write_scores, [(settings, each) for each in own])
    return folder, settings, server.counts()


def in_processes(work, arguments: list[tuple]) -> None:
    """Do work in as many processes at once."""
    import holdcourse.llm.litellm_provider  # noqa: F401  # once, before the processes are forked

    fork = multiprocessing.get_context("fork")
    processes = [fork.Process(target=work, args=each) for each in arguments]
    for process in processes:
        process.start()
    for process in processes:
        process.join(timeout=240)
    assert [process.exitcode for process in processes] == [0] * len(processes)


def _write_scores(settings, folder: Path) -> None:
    folder.mkdir()
    (folder / "scores.json").write_text(json.dumps(simulate_all(settings, folder)))


def test_no_call_is_made_twice(shared):
    _, _, counts = shared
    assert len(counts.answered) > 400
    assert counts.repeated == []
    assert counts.strange == []


def test_every_process_gets_the_results_of_the_process(shared, tmp_path):
    folder, _, _ = shared
    expected = scores(simulate_in_process(tmp_path))
    assert len(expected) == SIMULATIONS
    for number in range(PROCESSES):
        assert scores(json.loads((folder / f"process{number}/scores.json").read_text())) == expected


def test_no_entry_is_damaged(shared):
    _, settings, counts = shared
    report = ReplyCache(Path(settings.llm.cache)).verify()
    assert (report.checked, report.damaged) == (len(counts.answered), ())


def test_workers_find_everything_in_the_cache(shared, server, tmp_path):
    folder, settings, _ = shared
    server.forget()
    rows = simulate_all(settings, tmp_path, workers=PROCESSES)
    assert server.counts().asked == 0
    assert scores(rows) == scores(json.loads((folder / "process0/scores.json").read_text()))


def test_a_damaged_entry_is_set_aside_and_asked_again(shared, server, tmp_path):
    """Entries are spoilt in the database itself: bits flipped, cut off, swapped, replaced by a pickle."""
    folder, settings, _ = shared
    cache = tmp_path / "cache"
    shutil.copytree(settings.llm.cache, cache)
    digests = list(ReplyCache(cache).digests())[:4]
    with closing(sqlite3.connect(cache / "replies" / "cache.db")) as database, database:
        content = [_value(database, digest) for digest in digests]
        spoilt = (
            bytes([content[0][0] ^ 1]) + content[0][1:],
            content[1][: len(content[1]) // 2],
            content[3],
            b"\x80\x04N.",
        )
        for digest, value in zip(digests, spoilt, strict=True):
            database.execute("UPDATE Cache SET value = ?, mode = 1 WHERE key = ?", (value, digest))
        database.execute("UPDATE Cache SET mode = 4 WHERE key = ?", (digests[3],))
    server.forget()
    spoilt_settings = settings.model_copy(
        update={"llm": settings.llm.model_copy(update={"cache": str(cache)})}
    )
    rows = simulate_all(spoilt_settings, tmp_path)
    assert sorted(server.counts().answered.values()) == [1, 1, 1, 1]
    assert scores(rows) == scores(json.loads((folder / "process0/scores.json").read_text()))
    assert len(list((cache / "damaged").iterdir())) == 4
    assert ReplyCache(cache).verify().damaged == ()


@pytest.mark.parametrize("most", [2, 6])
def test_a_models_limit_holds_over_all_processes(tmp_path, most):
    """Twelve callers in four processes, and never more than the limit at the server."""
    with SimulatedServer(SIMULATED, delay_s=0.05) as slow:
        limits = {"start": most, "max": most}
        settings = make_settings(tmp_path, slow.api_base, concurrency=limits)
        in_processes(_ask_much, [(settings, number) for number in range(PROCESSES)])
        counts = slow.counts()
    assert 2 <= counts.peak <= most
    assert len(counts.answered) == PROCESSES * 12


def test_a_budget_holds_over_all_processes(tmp_path, server):
    """Twelve callers in four processes want 48 calls and have 20."""
    server.forget()
    settings = make_settings(tmp_path, server.api_base, budget={"calls": 20})
    in_processes(_ask_while_there_is_money, [(settings, number) for number in range(PROCESSES)])
    assert server.counts().asked == len(server.counts().answered) == 20
    assert len(ReplyCache(Path(settings.llm.cache))) == 20


def _ask_much(settings, number: int) -> None:
    with ThreadPoolExecutor(3) as threads:
        assert len(list(threads.map(Door(SIMULATED, settings).complete, _questions(number)))) == 12


def _ask_while_there_is_money(settings, number: int) -> None:
    door = Door(SIMULATED, settings)

    def ask(request) -> bool:
        try:
            return bool(door.complete(request).content)
        except BudgetReachedError:
            return False

    with ThreadPoolExecutor(3) as threads:
        # One that is early may get all of its twelve.
        list(threads.map(ask, _questions(number)))


def _questions(number: int) -> list[ChatRequest]:
    return [
        ChatRequest(
            "auditor",
            "openai/simulated/auditor",
            (ChatMessage("system", "Audit."), ChatMessage("user", "<instruction>\nGreet.\n</instruction>")),
            trial=12 * number + trial,
        )
        for trial in range(12)
    ]


def _value(database: sqlite3.Connection, digest: str) -> bytes:
    return database.execute("SELECT value FROM Cache WHERE key = ?", (digest,)).fetchone()[0]
