"""The model card says what made the adapter, and training.json holds every setting."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import yaml
from tests.training.tiny_policy import training

from holdcourse.config.reward import RewardConfig
from holdcourse.config.training import PolicyModelConfig
from holdcourse.training.model_card import CardFacts, model_card
from holdcourse.training.training_record import TrainingRecord

CONF = Path(__file__).parents[2] / "conf"
RECORD = TrainingRecord(
    adapter_sha256="ab" * 32,
    steps=22,
    planned_steps=30,
    adapter_step=20,
    stopped="the mean reward fell",
    prompts=1500,
    left_out=3,
    seen=60,
    seconds=600.5,
    peak_memory_mb=4300,
    threads=1,
    device="CPU",
    judge="grounded in execution labels",
    warm_start="none",
)
FACTS = CardFacts(
    policy=PolicyModelConfig.model_validate(
        yaml.safe_load((CONF / "policy_model/smollm2_135m.yaml").read_text())
    ),
    base_version="0123",
    training=training(),
    reward=RewardConfig.model_validate(yaml.safe_load((CONF / "reward/paper.yaml").read_text())),
    record=RECORD,
    seed=0,
    prompts_sha256="cd" * 32,
    trajectory_agent="simulated/appworld_agent",
    commit="abc123",
)


def test_the_card_names_base_data_settings_and_outcome() -> None:
    card = model_card(FACTS)
    for text in (
        "base_model: HuggingFaceTB/SmolLM2-135M-Instruct",
        "license: apache-2.0",
        "cd" * 32,
        "ab" * 32,
        "grounded in execution labels",
        "is no evidence about the method",
        "22 of 30; the adapter is that of step 20",
        "the mean reward fell",
        "4300 MB",
        "abc123",
        "| lora.rank | 4 |",
        "| weights.judge | 1.0 |",
        "| tags.penalty | 0.001 |",
        "## Limits",
    ):
        assert text in card


def test_the_card_points_to_the_evaluation_that_is_still_to_come() -> None:
    card = model_card(FACTS)
    assert "[evaluation.md](evaluation.md)" in card
    assert "It appears once the evaluation has run" in card


def test_a_warm_start_is_named_an_extension() -> None:
    assert "extension" not in model_card(FACTS).split("## Limits")[0]
    warm = replace(FACTS, record=replace(RECORD, warm_start="sft"))
    assert "a supervised warm start (an extension)" in model_card(warm)


def test_real_trajectories_carry_no_label() -> None:
    assert "no evidence" not in model_card(replace(FACTS, trajectory_agent="openai/gpt-4o"))


def test_outside_a_clone_the_card_says_so() -> None:
    assert "no commit known" in model_card(replace(FACTS, commit=None))


def test_training_json_holds_run_and_settings() -> None:
    values = FACTS.as_json()
    assert (values["steps"], values["seed"], values["adapter_sha256"]) == (22, 0, "ab" * 32)
    assert values["training"] == training().model_dump(mode="json")
    assert isinstance(values["reward"], dict)
