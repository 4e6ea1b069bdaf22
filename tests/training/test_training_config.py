"""conf/training/paper.yaml is Table 5 to the letter, and what is there reaches TRL and PEFT."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from holdcourse.config.reward import JudgeConfig, RewardConfig
from holdcourse.config.training import PolicyModelConfig, TrainingConfig

ROOT = Path(__file__).parents[2]

TABLE_5 = {
    "group_size": 4,
    "clip": 0.2,
    "kl": 0.04,
    "max_grad_norm": 0.1,
    "sampling.temperature": 0.9,
    "sampling.top_p": 1.0,
    "max_prompt_tokens": 1600,
    "max_completion_tokens": 700,
    "learning_rate": 5e-6,
    "weight_decay": 0.1,
    "adam_beta1": 0.9,
    "adam_beta2": 0.99,
    "warmup_ratio": 0.1,
    "accumulation": 4,
    "epochs": 1,
    "lora.rank": 128,
    "lora.alpha": 256,
    "lora.dropout": 0.05,
    "dtype": "bfloat16",
    "attention": "sdpa",
}
"""Copied from the paper by hand: Appendix C."""


def read(place: str) -> dict[str, Any]:
    value = yaml.safe_load((ROOT / "conf" / f"{place}.yaml").read_text(encoding="utf-8"))
    assert isinstance(value, dict)
    return value


def paper(**changes: object) -> TrainingConfig:
    return TrainingConfig.model_validate({**read("training/paper"), **changes})


def at(config: TrainingConfig, key: str) -> object:
    found: Any = config
    for name in key.split("."):
        found = getattr(found, name)
    return found


@pytest.mark.parametrize("key", sorted(TABLE_5))
def test_the_paper_preset_is_table_5(key: str) -> None:
    assert at(paper(), key) == TABLE_5[key]


def test_the_judge_of_table_5() -> None:
    assert RewardConfig.model_validate(read("reward/paper")).weights.judge == 1.0
    assert JudgeConfig.model_validate(read("judge/llm")).workers == 2


def test_lora_is_on_all_attention_and_mlp_projections() -> None:
    """§5.2."""
    assert set(paper().lora.targets) == {
        "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj",
    }  # fmt: skip


def test_the_paper_starts_from_the_pretrained_model() -> None:
    assert paper().warm_start.kind == "none"


def test_what_is_configured_reaches_trl(tmp_path: Path) -> None:
    pytest.importorskip("trl")
    from holdcourse.training.grpo_settings import grpo_settings, lora_settings

    stock = {"engine": "transformers", "temperature": 0.9, "top_p": 1.0, "vllm_memory": 0.2, "vllm_url": None}
    config = paper(sampling=stock)
    settings = grpo_settings(config, 3, 40, tmp_path)
    assert settings.num_generations == 4
    assert (settings.epsilon, settings.epsilon_high, settings.beta) == (0.2, 0.2, 0.04)
    assert (settings.loss_type, settings.scale_rewards) == ("grpo", "group")
    assert settings.use_bias_correction_kl is False
    assert settings.max_grad_norm == 0.1
    assert (settings.temperature, settings.top_p, settings.top_k) == (0.9, 1.0, 0)
    assert settings.max_completion_length == 700
    assert (settings.learning_rate, settings.weight_decay) == (5e-6, 0.1)
    assert (settings.adam_beta1, settings.adam_beta2) == (0.9, 0.99)
    assert settings.get_warmup_steps(100) == 10
    assert settings.gradient_accumulation_steps == 4
    assert settings.max_steps == 10  # 40 prompts, 4 a step, one epoch
    assert (settings.seed, settings.data_seed) == (3, 3)
    assert settings.bf16 is True
    lora = lora_settings(config)
    assert (lora.r, lora.lora_alpha, lora.lora_dropout) == (128, 256, 0.05)


def test_vllm_without_a_gpu_says_what_to_do(tmp_path: Path) -> None:
    pytest.importorskip("trl")
    import torch

    from holdcourse.errors import HoldcourseError
    from holdcourse.training.grpo_settings import grpo_settings

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(HoldcourseError, match="training=cpu"):
        grpo_settings(paper(), 0, 40, tmp_path)


def test_steps_are_bounded_by_pool_and_preset() -> None:
    pytest.importorskip("trl")
    from holdcourse.errors import HoldcourseError
    from holdcourse.training.grpo_settings import optimizer_steps

    # batch 4, accumulation 4, groups of 4: four prompts a step.
    assert optimizer_steps(paper(), 43) == 10
    assert optimizer_steps(paper(epochs=2), 43) == 20
    assert optimizer_steps(paper(max_steps=7), 43) == 7
    with pytest.raises(HoldcourseError, match=r"^3 training prompts .* do not fill one step of 4"):
        optimizer_steps(paper(), 3)


@pytest.mark.parametrize("name", ["cpu", "paper"])
def test_every_preset_is_usable(name: str) -> None:
    assert TrainingConfig.model_validate(read(f"training/{name}")).name == name


@pytest.mark.parametrize("name", ["granite_3_3_2b", "qwen_2_5_1_5b", "smollm2_135m"])
def test_every_policy_model_is_pinned(name: str) -> None:
    policy = PolicyModelConfig.model_validate(read(f"policy_model/{name}"))
    assert policy.name == name
    assert policy.revision or policy.sha256


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"batch": 6}, "no multiple of group_size=4"),
        ({"seeds": [1, 1]}, "stands twice"),
        ({"warmup": 0.1}, "warmup"),
        ({"group_size": 1}, "group_size"),
    ],
)
def test_nonsense_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        paper(**changes)


def test_an_engine_is_refused_what_it_cannot_do() -> None:
    with pytest.raises(ValidationError, match="top_p must be 1"):
        paper(sampling={**read("training/cpu")["sampling"], "top_p": 0.9})
    with pytest.raises(ValidationError, match="vllm_url"):
        paper(sampling={**read("training/cpu")["sampling"], "engine": "vllm_server"})


def test_the_evaluation_of_a_model_knows_nothing_of_its_training() -> None:
    decoding = paper().decoding
    assert decoding == paper(learning_rate=1.0, kl=3.0, max_steps=1).decoding
    assert (decoding.samples, decoding.temperature, decoding.max_completion_tokens) == (4, 0.9, 700)


def test_a_hub_model_needs_a_revision() -> None:
    with pytest.raises(ValidationError, match="revision=COMMIT"):
        PolicyModelConfig.model_validate({**read("policy_model/qwen_2_5_1_5b"), "revision": None})


@pytest.mark.parametrize("target", ["lm_head", "embed_tokens"])
def test_tied_weights_take_no_adapter(target: str) -> None:
    lora = {"rank": 8, "alpha": 16, "dropout": 0.0, "targets": ["q_proj", target]}
    with pytest.raises(ValidationError, match=f"{target}: often one weight for both"):
        paper(lora=lora)
