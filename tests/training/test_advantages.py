"""Group-relative advantages (Eq. 13) worked out by hand equal those that TRL computes."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tests.training.tiny_policy import ROWS, MadeScorer, Say, training

from holdcourse.training.base_model import BaseModel

pytest.importorskip("trl")

from holdcourse.training import grpo
from holdcourse.training.grpo import TrainingRun, train


def advantages(tiny: BaseModel, folder: Path, say: Say, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What TRL made of one step's rewards: two groups of four, in the order in which they were scored."""
    trainers = []

    class Seen(grpo.PolicyTrainer):
        def __init__(self, *args: object, **options: object) -> None:
            super().__init__(*args, **options)
            trainers.append(self)

    monkeypatch.setattr(grpo, "PolicyTrainer", Seen)
    run = TrainingRun(training(max_steps=1), tiny, ROWS, MadeScorer(say), 0, folder / "work")  # type: ignore[arg-type]
    train(run, folder / "adapter")
    return [float(value) for value in trainers[0]._logs["advantages"]]


def test_a_group_by_hand(tiny: BaseModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rewards 0 1 1 2: mean 1, sample standard deviation √(2/3); the other group is all alike."""
    rewards = [0.0, 1.0, 1.0, 2.0, 3.0, 3.0, 3.0, 3.0]
    found = advantages(tiny, tmp_path, lambda _, count: rewards[count], monkeypatch)
    top = 1 / (math.sqrt(2 / 3) + 1e-4)
    assert found == pytest.approx([-top, 0.0, 0.0, top, 0.0, 0.0, 0.0, 0.0], abs=1e-6)


def test_what_the_judge_could_not_score_neither_wins_nor_loses(
    tiny: BaseModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """0, 1, 2 and one without a score, which counts as their mean, 1."""
    rewards = [0.0, 1.0, 2.0, None, None, None, None, None]
    found = advantages(tiny, tmp_path, lambda _, count: rewards[count], monkeypatch)
    top = 1 / (math.sqrt(2 / 3) + 1e-4)
    assert found == pytest.approx([-top, 0.0, top, 0.0, 0.0, 0.0, 0.0, 0.0], abs=1e-6)
