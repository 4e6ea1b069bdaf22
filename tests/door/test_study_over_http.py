"""The tiny shift study through real HTTP: same results, killed and gone on with, replayed with no server.

One study is run: it is killed half way, run to its end, and then answered from its cache alone.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from tests.door.conftest import KEY, SIMULATED, environment, run_study, study_command
from tests.door.study import served
from tests.servers.simulated_models import FAULTS, Counts, SimulatedServer

pytestmark = pytest.mark.slow
ANSWERS_BEFORE_THE_KILL = 250


@dataclass(frozen=True)
class Finished:
    """The study over HTTP, what the server counted when the first run was killed and at the end."""

    folder: Path
    overrides: tuple[str, ...]
    at_kill: Counts
    at_end: Counts
    api_base: str


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Finished:
    """Run with faults that pass, kill -9 half way, run again, and then end the server."""
    results = tmp_path_factory.mktemp("served") / "results"
    with SimulatedServer(SIMULATED, faults=tuple(FAULTS), every=9) as server:
        overrides = served(server.api_base)
        server.hold(after=ANSWERS_BEFORE_THE_KILL)
        with (results.parent / "killed.log").open("w") as log:
            process = subprocess.Popen(
                study_command(results, overrides),
                cwd=results.parent,
                env=environment(OPENAI_API_KEY=KEY),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            at_kill = server.wait_until_held(client=process)
        finally:
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
            process.wait()
        server.drop()
        done = run_study(results, overrides)
        assert done.returncode == 0, done.stderr[-6000:]
        at_end = server.counts()
    return Finished(results / "smoke", overrides, at_kill, at_end, server.api_base)


def tables(folder: Path) -> dict[str, bytes]:
    found = {path.name: path.read_bytes() for path in sorted((folder / "tables").iterdir())}
    found.pop("provenance.json")
    assert len(found) == 15
    return found


def test_the_metrics_are_those_of_the_process(finished, in_process):
    for name in ("metrics.parquet", "task_scores.parquet"):
        ours, theirs = (pd.read_parquet(folder / "shift" / name) for folder in (finished.folder, in_process))
        pd.testing.assert_frame_equal(ours, theirs)


def test_the_instructions_are_those_of_the_process(finished, in_process):
    for path in sorted(in_process.rglob("instruction.md")):
        assert (finished.folder / path.relative_to(in_process)).read_bytes() == path.read_bytes()


def test_the_server_could_read_every_request_back(finished):
    assert finished.at_end.strange == []


def test_faults_were_met_on_the_way(finished):
    assert set(finished.at_end.faults) == set(FAULTS)


def test_the_first_run_was_killed_half_way(finished):
    answered = len(finished.at_kill.answered)
    assert answered == ANSWERS_BEFORE_THE_KILL
    assert len(finished.at_end.answered) > 1.5 * answered


def test_nothing_that_was_answered_is_asked_again(finished):
    assert finished.at_kill.repeated == []
    assert finished.at_end.repeated == []


def test_no_simulation_is_lost_or_counted_twice(finished, in_process):
    files = sorted(in_process.rglob("evaluation.jsonl"))
    assert files
    for path in files:
        ours, theirs = (
            [json.loads(line) for line in file.read_text().splitlines()]
            for file in (finished.folder / path.relative_to(in_process), path)
        )
        same = ("task", "trial", "outcome", "reward", "db_match", "termination", "steps", "calls")
        assert [[row[key] for key in same] for row in ours] == [[row[key] for key in same] for row in theirs]


def test_an_unknown_price_is_unknown_in_every_record(finished):
    for path in finished.folder.rglob("evaluation.jsonl"):
        costs = {json.loads(line)["cost_usd"] for line in path.read_text().splitlines()}
        assert costs == {"unknown"}


def test_an_exported_cache_replays_the_same_tables_with_no_server_and_no_key(finished, tmp_path):
    """A reviewer has the file of answers, and neither key, server nor a cache of their own."""
    shipped, theirs = tmp_path / "answers.jsonl.gz", tmp_path / "theirs"
    commands = (
        ("export", f"file={shipped}", f"llm.cache={finished.folder.parent / 'cache'}"),
        ("import", f"file={shipped}", f"llm.cache={theirs}"),
        ("verify", f"llm.cache={theirs}"),
    )
    for command in commands:
        done = subprocess.run(
            [sys.executable, "-m", "holdcourse.stages.cache", *command],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
    replay = ("llm.mode=replay", f"llm.cache={theirs}")
    done = run_study(tmp_path / "results", (*finished.overrides, *replay), key=None)
    assert done.returncode == 0, done.stderr[-6000:]
    assert tables(tmp_path / "results" / "smoke") == tables(finished.folder)


def test_a_replay_names_the_first_request_it_cannot_answer(finished, tmp_path):
    cache = finished.folder.parent / "cache"
    other = ("llm.mode=replay", f"llm.cache={cache}", "models.user.temperature=0.5")
    done = run_study(tmp_path / "results", (*finished.overrides, *other), key=None)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "openai/simulated/user" in done.stderr
