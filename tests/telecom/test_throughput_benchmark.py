import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "telecom_throughput.py"


@pytest.mark.slow
def test_the_lean_rollout_scores_as_tau2s_own_run_with_the_same_simulated_model(tmp_path):
    output = tmp_path / "figures.json"
    command = [sys.executable, str(BENCHMARK), "--tasks", "3", "--at-least", "0", "--output", str(output)]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert finished.returncode == 0, finished.stderr
    figures = json.loads(output.read_text())
    assert (figures["tasks"], figures["disagreements"]) == (3, [])
