"""A stage killed with kill -9 goes on where it was and ends with the same bytes as an undisturbed run."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
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


def journal_lines(results: Path, unit: Path, name: str) -> list[bytes]:
    """Whole lines of a unit's journal, its first line left out; none when there is no journal."""
    found = list((results / "smoke/journal/shift/grace/seed0" / unit).rglob(f"{name}.jsonl"))
    try:
        return found[0].read_bytes().split(b"\n")[1:-1] if found else []
    except FileNotFoundError:
        return []


def kill_after_one(process: subprocess.Popen, lines: Callable[[], list[bytes]]) -> list[bytes]:
    """Kill a process as soon as it has recorded something; what it had recorded."""
    while not lines() and process.poll() is None:
        time.sleep(0.002)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return lines()


def last_seen(process: subprocess.Popen, lines: Callable[[], list[bytes]]) -> list[bytes]:
    """What a journal held when last seen before its unit was finished."""
    seen: list[bytes] = []
    while process.poll() is None:
        seen = lines() or seen
        time.sleep(0.002)
    return seen


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

    def start() -> subprocess.Popen:
        command = stage(name, clone, disturbed, *overrides)
        return subprocess.Popen(
            command, cwd=clone.root, env=clone.environment, stderr=subprocess.DEVNULL, start_new_session=True
        )

    def recorded() -> list[bytes]:
        return journal_lines(disturbed, Path(unit), journal)

    before = kill_after_one(start(), recorded)
    assert before
    folder = Path("smoke/shift/grace/seed0") / unit
    assert not (disturbed / folder / "provenance.json").exists(), "it ended before it could be killed"

    again = start()
    after = last_seen(again, recorded)
    assert again.returncode == 0
    assert after[: len(before)] == before
    keys = [json.loads(line.split(b" ", 1)[1])["key"] for line in after]
    assert len(set(keys)) == len(keys)
    assert not recorded()
    made = sorted(path.name for path in (disturbed / folder).iterdir())
    assert made == sorted(path.name for path in (undisturbed / folder).iterdir())
    for file in made:
        assert (disturbed / folder / file).read_bytes() == (undisturbed / folder / file).read_bytes(), file


def test_a_killed_study_goes_on(finished, tmp_path):
    clone = copy_sources(tmp_path / "clone")
    process = subprocess.Popen(
        clone.command(),
        cwd=clone.root,
        env=clone.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    results = clone.root / "results"
    kill_after_one(process, lambda: journal_lines(results, Path("batch01"), "replies"))
    assert not (results / "smoke/report.html").exists()
    assert clone.snakemake("--unlock").returncode == 0
    done = clone.snakemake()
    assert done.returncode == 0, done.stdout + done.stderr
    for kind in (
        "evaluation.jsonl",
        "instruction.md",
        "graph.json",
        "ledger.jsonl",
        "metrics.parquet",
        "*.csv",
    ):
        expected = sorted((finished.root / "results/smoke").rglob(kind))
        assert expected
        for path in expected:
            assert (clone.root / path.relative_to(finished.root)).read_bytes() == path.read_bytes(), path


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
