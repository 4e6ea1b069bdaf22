"""llama.cpp as the stand-in: which weights it serves, and a stage that asks a model really served by it."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdcourse.serving import llamacpp
from holdcourse.serving.llamacpp import weights_file

ROOT = Path(__file__).resolve().parents[2]
PYTHON = Path(os.environ.get("HOLDCOURSE_LLAMA_PYTHON", ROOT / ".venv-serving/bin/python"))


def test_weights_may_be_a_file():
    assert weights_file("some/model.gguf") == Path("some/model.gguf")


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package that ships weights and cannot be imported."""
    folder = tmp_path / "shipped_weights"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise ImportError('its dependencies are not here')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    return folder


def test_weights_may_be_what_a_package_ships_which_is_not_imported(package):
    (package / "small.gguf").touch()
    assert weights_file("package:shipped_weights") == package / "small.gguf"


@pytest.mark.parametrize("names", [(), ("a.gguf", "b.gguf")])
def test_a_package_must_ship_just_one(package, names):
    for name in names:
        (package / name).touch()
    with pytest.raises(SystemExit, match=f"found {len(names)} .gguf files"):
        weights_file("package:shipped_weights")


def test_missing_weights_are_named_before_anything_is_loaded():
    command = [sys.executable, llamacpp.__file__, "--weights=none.gguf", "--name=x", "--port=1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "--weights none.gguf: there is no such file\n"


@pytest.mark.slow
@pytest.mark.skipif(not PYTHON.exists(), reason="needs `make setup-serving`")
def test_a_stage_asks_a_model_that_its_job_serves(tmp_path):
    (tmp_path / "instruction.md").write_text("Be polite. Check the line before you change it.\n")
    command = [
        sys.executable,
        "-m",
        "holdcourse.stages.initial",
        "study=smoke",
        "arm=grace",
        f"results={tmp_path / 'results'}",
        "models=smollm2",
        "models.extractor.max_tokens=48",
        "arm.reply_attempts=1",
        "serving=llamacpp",
        f"serving.environment={PYTHON.parents[1]}",
        "serving.linger_s=0",
        "protocol.initial_instruction=file",
        f"protocol.initial_instruction_file={tmp_path / 'instruction.md'}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    study = tmp_path / "results/smoke"
    lines = (study / "shift/grace/seed0/batch00/ledger.jsonl").read_text().splitlines()
    called = [json.loads(line) for line in lines]
    assert {(line["role"], line["model"]) for line in called} == {("extractor", "hosted_vllm/smollm2-135m")}
    assert all(line["prompt_tokens"] > 0 and line["cost_usd"] == "unknown" for line in called)
    assert "listening" in (study / "logs/serving/smollm2-135m.log").read_text()
