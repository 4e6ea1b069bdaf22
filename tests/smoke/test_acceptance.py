"""What must hold of a study's results whatever its size: `make smoke` runs this over the results it made.

Without `HOLDCOURSE_RESULTS`, the folder of a finished study, there is nothing to look at.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, cast

import pandas as pd
import pytest
from safetensors.torch import load_file

from holdcourse.files import read_jsonl, read_object

RESULTS = os.environ.get("HOLDCOURSE_RESULTS")

pytestmark = pytest.mark.skipif(RESULTS is None, reason="no results named; `make smoke` names its own")


@pytest.fixture(scope="module")
def drift() -> Path:
    return Path(cast("str", RESULTS)) / "drift"


@pytest.fixture(scope="module")
def metrics(drift: Path) -> pd.DataFrame:
    frame = pd.read_parquet(drift / "metrics.parquet")
    return frame[frame["difficulty"] == "all"]


def values(metrics: pd.DataFrame, **wanted: str) -> list[float]:
    """Values of the rows that hold what is wanted; at least one."""
    for column, value in wanted.items():
        metrics = metrics[metrics[column] == value]
    found = [float(value) for value in metrics["value"].dropna()]
    assert found, wanted
    return found


def test_labels_restore_what_there_was_without_drift(metrics: pd.DataFrame) -> None:
    same = values(metrics, backbone="oracle", drift_type="I", mode="rollback", metric="same_as_no_drift")
    assert same == [1.0]


def test_rules_do_no_better_than_labels(metrics: pd.DataFrame) -> None:
    oracle, rules = (
        values(metrics, backbone=name, drift_type="I", mode="rollback", metric="task_goal_completion_all")
        for name in ("oracle", "rules")
    )
    assert oracle >= rules


def test_a_persistent_drift_comes_again_unless_the_agent_is_warned(metrics: pd.DataFrame) -> None:
    for row in metrics[metrics["mode"] == "unwarned"].itertuples():
        if row.metric == "drifted_again":
            warned = values(
                metrics,
                backbone=row.backbone,
                drift_type=row.drift_type,
                main_agent=row.main_agent,
                mode="rollback",
                metric="drifted_again",
            )
            assert row.value == 1.0
            assert warned < [1.0]


def test_no_repair_touched_what_nothing_undoes(metrics: pd.DataFrame) -> None:
    assert set(values(metrics, metric="repair_irreversible")) == {0.0}


def test_no_text_sways_the_rules(drift: Path) -> None:
    suite = read_object(drift / "injection" / "rules.json")
    rows = cast("list[dict[str, Any]]", suite["rows"])
    assert {row["succeeded"] for row in rows} == {0}
    assert min(row["telling"] for row in rows) > 0


def test_the_adapter_was_trained_by_real_gradients(drift: Path) -> None:
    (curve,) = drift.glob("training/*/seed*/curve.jsonl")
    steps = read_jsonl(curve)
    assert len(steps) >= 2
    assert any(cast("float", step["grad_norm"]) > 0 for step in steps)
    weights = load_file(curve.parent / "adapter" / "adapter_model.safetensors")
    # B starts at zero, so an adapter that was never updated changes nothing.
    assert any(weight.abs().max() > 0 for name, weight in weights.items() if "lora_B" in name)


def test_every_labelled_drift_has_its_onset_and_both_splits_share_no_task(drift: Path) -> None:
    splits = {split: read_jsonl(drift / "dataset" / f"{split}.jsonl") for split in ("train", "heldout")}
    tasks = {split: {row["base_task_id"] for row in rows} for split, rows in splits.items()}
    assert not tasks["train"] & tasks["heldout"]
    for rows in splits.values():
        for row in rows:
            labels = cast("list[dict[str, Any]]", row["labels"])
            first = next((place for place, label in enumerate(labels, 1) if not label["aligned"]), None)
            assert row["onset"] == first
