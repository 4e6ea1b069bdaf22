import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from holdcourse.config.serving import ServedModel, ServingConfig
from holdcourse.serving.plan import ServerPlan, plan_server

SCRIPT = Path(__file__).with_name("scripted_server.py")


@pytest.fixture(autouse=True)
def meeting_place(tmp_path, monkeypatch) -> Path:
    """Servers of these tests meet in a folder of their own."""
    folder = tmp_path / "meeting"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


@pytest.fixture
def record(tmp_path) -> Path:
    """Where each start of a scripted server leaves a file named by its process id."""
    folder = tmp_path / "record"
    folder.mkdir()
    return folder


@pytest.fixture
def plan(tmp_path, record) -> Callable[..., ServerPlan]:
    """Plans a scripted server; `words` are its arguments, other keys those of conf/serving/."""

    def make(*words: str, **settings: object) -> ServerPlan:
        values: dict[str, object] = {
            "command": (sys.executable, str(SCRIPT), "--port={port}", f"--record={record}", *words),
            "models": (ServedModel(name="small", weights="none"),),
            "linger_s": 0.0,
            "start_timeout_s": 20.0,
            "stop_timeout_s": 5.0,
            "restarts": 0,
            **settings,
        }
        return plan_server(ServingConfig(**values), "hosted_vllm/small", tmp_path / "logs")

    return make
