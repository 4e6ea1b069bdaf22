"""Weights & Biases runs are written offline, beside the results, and nothing needs them."""

import json
import shutil
import subprocess
import sys

import pytest

from tests.workflow.conftest import TINY


def track(clone, results, stage, mode):
    command = [sys.executable, "-m", f"holdcourse.stages.{stage}", "study=smoke", *TINY.split()]
    return subprocess.run(
        [*command, f"results={results}"],
        cwd=clone.root,
        env={**clone.environment, "WANDB_MODE": mode},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("stage", "name"), [("track", "grace-seed0"), ("track_report", "report")])
def test_an_offline_run_stands_beside_the_results(finished, tmp_path, stage, name):
    results = tmp_path / "results"
    shutil.copytree(finished.root / "results", results)
    shutil.rmtree(results / "smoke/tracking")
    done = track(finished, results, stage, "offline")
    assert done.returncode == 0, done.stderr
    record = json.loads((results / "smoke/tracking" / f"{name}.json").read_text())
    assert record["mode"] == "offline"
    assert record["project"] == "holdcourse"
    assert list((results / "smoke/tracking" / record["folder"]).glob("*.wandb"))
    assert record["run_id"] in record["folder"]


def test_disabled_tracking_writes_no_run(finished):
    record = json.loads((finished.root / "results/smoke/tracking/grace-seed0.json").read_text())
    assert (record["mode"], record["folder"]) == ("disabled", None)
    assert not (finished.root / "results/smoke/tracking/wandb").exists()


def test_the_runs_of_two_configurations_have_two_ids(finished, tmp_path):
    ids = {
        json.loads((finished.root / f"results/smoke/tracking/{arm}-seed0.json").read_text())["run_id"]
        for arm in ("grace", "hce")
    }
    assert len(ids) == 2
