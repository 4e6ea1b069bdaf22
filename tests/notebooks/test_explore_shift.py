"""The notebook runs on the files that the stages write, and says what made them."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from holdcourse.metrics.frames import EvaluatedRun, metrics_of_scores, task_scores_frame
from holdcourse.metrics.records import read_records
from holdcourse.report.setting import OFFLINE_LABEL

NOTEBOOK = Path(__file__).resolve().parents[2] / "notebooks" / "explore_shift.ipynb"


def simulation(task: str, trial: int, reward: float | None) -> dict[str, object]:
    return {
        "task": task,
        "intent": task.partition("-")[0],
        "issues": ["airplane_mode_on"],
        "persona": "None",
        "transfer_expected": False,
        "trial": trial,
        "outcome": "infrastructure" if reward is None else "scored",
        "reward": reward,
        "db_match": None if reward is None else True,
        "strict": None if reward is None else reward == 1.0,
        "wrong_owner_calls": 1,
        "termination": "error" if reward is None else "user_stop",
        "steps": 12,
        "calls": 10,
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "cost_usd": "unknown",
        "attempts": 1,
    }


def write_study(results: Path, model: str) -> None:
    """Two arms, two seeds, checkpoints 0 and 1; one infrastructure failure; a reference."""
    shift = results / "shift"
    runs = []
    for arm in ("grace", "hce"):
        for seed in (0, 1):
            for checkpoint in (0, 1):
                rewards = {("mms_issue-1", 0): 1.0, ("mms_issue-1", 1): float(checkpoint)}
                rewards |= {("service_issue-1", 0): 0.0, ("service_issue-1", 1): None}
                rows = [simulation(task, trial, reward) for (task, trial), reward in rewards.items()]
                folder = shift / arm / f"seed{seed}" / f"checkpoint{checkpoint:02d}"
                folder.mkdir(parents=True)
                (folder / "evaluation.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
                record = {"config": {"models": {"agent": {"model": model}, "user": {"model": model}}}}
                (folder / "evaluation.provenance.json").write_text(json.dumps(record))
                runs.append(EvaluatedRun(arm, seed, checkpoint, read_records(rows, "rows")))
    runs.append(EvaluatedRun("reference", 0, 0, runs[0].records))
    metrics_of_scores(task_scores_frame(runs, (1, 2))).to_parquet(shift / "metrics.parquet")


def run(results: Path) -> nbformat.NotebookNode:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    (parameters,) = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    parameters.source = f"from pathlib import Path\nRESULTS = Path({str(results)!r})"
    return NotebookClient(notebook, timeout=120, kernel_name="python3").execute()


def printed(notebook: nbformat.NotebookNode) -> str:
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return "\n".join(output.get("text", "") + str(output.get("data", "")) for output in outputs)


@pytest.mark.slow
def test_it_shows_a_study_and_the_offline_label(tmp_path: Path) -> None:
    write_study(tmp_path, "simulated/agent")
    shown = printed(run(tmp_path))
    assert "arms grace, hce; 2 seeds; checkpoints 0 to 1" in shown
    assert OFFLINE_LABEL in shown
    assert "image/png" in shown
    assert "infrastructure" in shown
    metrics = pd.read_parquet(tmp_path / "shift" / "metrics.parquet")
    last = metrics.query("arm == 'grace' and checkpoint == 1 and intent == 'all' and k == 1 and seed == 0")
    assert last["pass_hat_k"].item() == 0.5  # the mms task in both trials, the service task in none
    assert "0.5" in shown


@pytest.mark.slow
def test_it_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(CellExecutionError, match="run the study first"):
        run(tmp_path)


def test_it_is_kept_without_outputs() -> None:
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    assert [cell for cell in cells if cell.get("outputs") or cell.get("execution_count")] == []
