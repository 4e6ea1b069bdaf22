"""The door as a study opens it, with a planted key and a server on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from holdcourse.config.compose import compose
from holdcourse.config.llm import DoorSettings
from tests.servers.simulated_models import SimulatedServer

ROOT = Path(__file__).resolve().parents[2]
KEY = "planted/Zq7+wN3x=V9rT5bL1m"
"""Of no well-known shape, and spelled otherwise inside a URL; so only its variable's name gives it away."""
SIMULATED = compose("smoke").simulated
QUICK = {"first_wait_s": 0.01, "longest_wait_s": 0.05, "attempts": 3, "answer_attempts": 2}


@pytest.fixture(autouse=True)
def planted_key(monkeypatch):
    """Every client here holds the key."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def make_settings(folder: Path, api_base: str, **changes) -> DoorSettings:
    """Settings of a study in `folder` for a server; `changes` replace fields of conf/llm/."""
    config = compose("smoke")
    plain = config.llm.model_dump()
    plain |= {"api_bases": {"openai/": api_base}, "cache": str(folder / "cache")}
    for name, value in {"call_timeout_s": 20.0, "retries": QUICK, **changes}.items():
        plain[name] = {**plain[name], **value} if isinstance(value, dict) else value
    return DoorSettings(
        llm=type(config.llm).model_validate(plain), prices=config.prices, study_folder=str(folder / "study")
    )


def study_command(results: Path, overrides: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "tests.door.study", str(results), *overrides]


def environment(**more: str) -> dict[str, str]:
    """What a user's shell has: the sources, the key, and nothing that reaches out."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    paths = [str(ROOT), str(ROOT / "src")]
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join(paths),
        "HOLDCOURSE_CONF": str(ROOT / "conf"),
        "WANDB_MODE": "disabled",
        **more,
    }


def run_study(
    results: Path, overrides: Sequence[str], key: str | None = KEY
) -> subprocess.CompletedProcess[str]:
    """Run the tiny study to its end, in a process of its own."""
    keys = {} if key is None else {"OPENAI_API_KEY": key}
    return subprocess.run(
        study_command(results, overrides),
        cwd=results.parent,
        env=environment(**keys),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="session")
def server():
    """The simulated model over HTTP; tests that count begin with `server.forget()`."""
    with SimulatedServer(SIMULATED) as server:
        yield server


@pytest.fixture(scope="session")
def in_process(tmp_path_factory) -> Path:
    """Results of the tiny study by the simulated model in process."""
    results = tmp_path_factory.mktemp("in-process") / "results"
    done = run_study(results, (), key=None)
    assert done.returncode == 0, done.stderr[-6000:]
    return results / "smoke"
