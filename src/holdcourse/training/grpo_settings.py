"""TRL's and PEFT's settings from conf/training/; nothing is left to defaults, which change."""

from __future__ import annotations

from pathlib import Path

import torch
from peft import LoraConfig
from trl import GRPOConfig

from holdcourse.config.training import TrainingConfig
from holdcourse.errors import HoldcourseError


def lora_settings(config: TrainingConfig) -> LoraConfig:
    """The adapter (Table 5)."""
    return LoraConfig(
        r=config.lora.rank,
        lora_alpha=config.lora.alpha,
        lora_dropout=config.lora.dropout,
        target_modules=list(config.lora.targets),
        bias="none",
        task_type="CAUSAL_LM",
    )


def optimizer_steps(config: TrainingConfig, prompts: int) -> int:
    """Steps of the optimizer over a pool of prompts.

    Raises:
        HoldcourseError: the pool does not fill one step.
    """
    steps = config.epochs * (prompts // config.prompts_a_step)
    if not steps:
        raise HoldcourseError(
            f"{prompts} training prompts of at most training.max_prompt_tokens={config.max_prompt_tokens} "
            f"tokens do not fill one step of {config.prompts_a_step}; raise that, make more prompts, or "
            "lower training.batch or training.accumulation"
        )
    return steps if config.max_steps is None else min(steps, config.max_steps)


def grpo_settings(config: TrainingConfig, seed: int, prompts: int, folder: Path) -> GRPOConfig:
    """TRL's configuration for one run.

    Args:
        config: conf/training/.
        seed: of the run.
        prompts: size of the pool.
        folder: where checkpoints go.

    Raises:
        HoldcourseError: vLLM is asked for without a GPU, or the pool is too small.
    """
    gpu = torch.cuda.is_available()
    sampling = config.sampling
    vllm = sampling.engine in ("vllm_colocate", "vllm_server")
    if vllm and not gpu:
        raise HoldcourseError(
            f"training.sampling.engine={sampling.engine} needs a GPU and vLLM; on a CPU use "
            "training.sampling.engine=shared_prompt, or the preset training=cpu"
        )
    return GRPOConfig(
        output_dir=str(folder),
        use_cpu=not gpu,
        bf16=config.dtype == "bfloat16",
        gradient_checkpointing=config.gradient_checkpointing,
        seed=seed,
        data_seed=seed,
        # Batches
        per_device_train_batch_size=config.batch,
        gradient_accumulation_steps=config.accumulation,
        steps_per_generation=config.accumulation,
        num_generations=config.group_size,
        num_iterations=1,
        max_steps=optimizer_steps(config, prompts),
        # The rows come in their order: see prompt_order.
        shuffle_dataset=False,
        dataloader_num_workers=0,
        # Objective: Eq. 13 and 14
        loss_type="grpo",
        scale_rewards="group",
        multi_objective_aggregation="sum_then_normalize",
        importance_sampling_level="token",
        epsilon=config.clip,
        epsilon_high=config.clip,
        beta=config.kl,
        use_bias_correction_kl=False,
        reward_weights=[1.0],
        mask_truncated_completions=False,
        top_entropy_quantile=1.0,
        entropy_coef=0.0,
        disable_dropout=False,
        sync_ref_model=False,
        # Optimizer
        optim="adamw_torch",
        learning_rate=config.learning_rate,
        weight_decay=config.weight_decay,
        adam_beta1=config.adam_beta1,
        adam_beta2=config.adam_beta2,
        adam_epsilon=1e-8,
        max_grad_norm=config.max_grad_norm,
        # A value below 1 is a share of the steps.
        warmup_steps=config.warmup_ratio,
        lr_scheduler_type=config.schedule,
        # Sampling
        max_completion_length=config.max_completion_tokens,
        temperature=sampling.temperature,
        top_p=sampling.top_p,
        top_k=0,
        min_p=None,
        repetition_penalty=1.0,
        use_vllm=vllm,
        vllm_mode="server" if sampling.engine == "vllm_server" else "colocate",
        vllm_server_base_url=sampling.vllm_url,
        vllm_gpu_memory_utilization=sampling.vllm_memory,
        vllm_max_model_length=config.max_prompt_tokens + config.max_completion_tokens,
        # Eq. 14 has no such factor.
        vllm_importance_sampling_correction=False,
        # Records: ours, so that nothing depends on a service
        logging_steps=1,
        logging_strategy="steps",
        logging_nan_inf_filter=False,
        save_strategy="steps",
        save_steps=config.checkpoint.every,
        save_total_limit=None,
        eval_strategy="no",
        report_to=[],
        disable_tqdm=True,
        log_completions=False,
        push_to_hub=False,
    )
