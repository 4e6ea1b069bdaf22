"""A stage killed with kill -9 goes on where it was and ends with the same bytes as an undisturbed run."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.workflow.conftest import TINY, Clone, copy_sources

SIZES = [*TINY.split(), "protocol.heldout_size=12", "protocol.batch_size=16"]


def stage(name: str, clone: Clone, results: Path, *overrides: str) -> list[str]:
    python = [sys.executable, "-m", f"holdcourse.stages.{name}"]
    return [*python, "study=smoke", *SIZES, f"results={results}", *overrides]


def run(command: list[str], clone: Clone) -> subprocess.CompletedProcess:
    return subprocess.run(
        command, cwd=clone.root, env=clone.environment, capture_output=True, text=True, check=False
    )


def journal_lines(results: Path, name: str) -> list[bytes]:
    found = list(results.rglob(f"journal/**/{name}.jsonl"))
    return found[0].read_bytes().split(b"\n")[1:-1] if found else []


@pytest.fixture(scope="module")
def clone(tmp_path_factory) -> Clone:
    return copy_sources(tmp_path_factory.mktemp("resume"))


@pytest.fixture(scope="module")
def started(clone, tmp_path_factory) -> Path:
    """Results with the tasks drawn and ℓ_0 read."""
    results = tmp_path_factory.mktemp("started") / "results"
    for name in ("protocol", "initial"):
        done = run(stage(name, clone, results, "arm=grace"), clone)
        assert done.returncode == 0, done.stderr
    return results


CASES = [
    ("evaluate", "simulations", ("checkpoint=0",), "checkpoint00"),
    ("evaluate", "simulations", ("checkpoint=0", "workers=2"), "checkpoint00"),
    ("evolve", "simulations", ("batch=1",), "batch01"),
    ("evolve", "replies", ("batch=1",), "batch01"),
]


@pytest.mark.parametrize(("name", "journal", "overrides", "unit"), CASES)
def test_a_killed_stage_goes_on(clone, started, tmp_path, name, journal, overrides, unit):
    undisturbed, disturbed = tmp_path / "undisturbed", tmp_path / "disturbed"
    for results in (undisturbed, disturbed):
        shutil.copytree(started, results)
    assert run(stage(name, clone, undisturbed, *overrides), clone).returncode == 0

    command = stage(name, clone, disturbed, *overrides)
    process = subprocess.Popen(
        command, cwd=clone.root, env=clone.environment, stderr=subprocess.DEVNULL, start_new_session=True
    )
    while not journal_lines(disturbed, journal) and process.poll() is None:
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = journal_lines(disturbed, journal)
    unit_folder = Path("smoke/shift/grace/seed0") / unit
    assert not list((disturbed / unit_folder).glob("*provenance.json")), "it ended before it could be killed"

    done = run(command, clone)
    assert done.returncode == 0, done.stderr
    after = journal_lines(disturbed, journal)
    assert after[: len(before)] == before
    keys = [json.loads(line.split(b" ", 1)[1])["key"] for line in after]
    assert len(set(keys)) == len(keys)
    for path in (undisturbed / unit_folder).iterdir():
        assert (disturbed / unit_folder / path.name).read_bytes() == path.read_bytes(), path.name


def test_two_runs_of_one_unit_at_once_do_not_mix(clone, started, tmp_path):
    results = tmp_path / "results"
    shutil.copytree(started, results)
    command = stage("evaluate", clone, results, "checkpoint=0")
    processes = [
        subprocess.Popen(
            command,
            cwd=clone.root,
            env=clone.environment,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )
        for _ in range(2)
    ]
    endings = [(process.communicate()[1], process.returncode) for process in processes]
    assert 0 in {code for _, code in endings}
    for message, code in endings:
        assert code == 0 or "in use" in message, message
    rows = (results / "smoke/shift/grace/seed0/checkpoint00/evaluation.jsonl").read_text().splitlines()
    assert len({(json.loads(row)["task"], json.loads(row)["trial"]) for row in rows}) == len(rows) == 36


def test_one_worker_and_two_give_the_same_bytes(clone, started, tmp_path):
    outcomes = []
    for workers in (1, 2):
        results = tmp_path / f"workers{workers}"
        shutil.copytree(started, results)
        done = run(stage("evaluate", clone, results, "checkpoint=0", f"workers={workers}"), clone)
        assert done.returncode == 0, done.stderr
        outcomes.append((results / "smoke/shift/grace/seed0/checkpoint00/evaluation.jsonl").read_bytes())
    assert outcomes[0] == outcomes[1]
