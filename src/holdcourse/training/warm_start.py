"""A named extension: a few supervised steps on the pool's right answers before GRPO. The paper has none.

It teaches the form of an answer in a minute, where sampling alone would seldom meet it. What it trains on are
the labels of the training pool, so nothing held out is seen.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Sequence
from typing import Any

import torch

from holdcourse.config.training import TrainingConfig
from holdcourse.recovery.envelope import wrap
from holdcourse.training.prompt_length import prompt_tokens
from holdcourse.training.prompt_rows import PromptRow

log = logging.getLogger(__name__)

REPORT_EVERY = 10


def warm_start(
    policy: Any, tokenizer: Any, rows: Sequence[PromptRow], config: TrainingConfig, seed: int
) -> None:
    """Train a PEFT model on right answers, in place; the same bits for the same seed.

    Args:
        policy: the model with a fresh adapter.
        tokenizer: its tokenizer.
        rows: the pool.
        config: conf/training/; `warm_start` says how much.
        seed: decides the order of prompts, and dropout.
    """
    settings = config.warm_start
    order = list(rows)
    random.Random(seed).shuffle(order)  # noqa: S311
    weights = [weight for weight in policy.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(
        weights,
        lr=settings.learning_rate,
        betas=(config.adam_beta1, config.adam_beta2),
        weight_decay=config.weight_decay,
    )
    torch.manual_seed(seed)
    policy.train()
    for step in range(settings.steps):
        batch = [order[(step * settings.batch + place) % len(order)] for place in range(settings.batch)]
        loss = 0.0
        for row in batch:
            part = _loss(policy, tokenizer, row, config) / len(batch)
            part.backward()
            loss += part.item()
        torch.nn.utils.clip_grad_norm_(weights, config.max_grad_norm)
        optimizer.step()
        if (step + 1) % REPORT_EVERY == 0 or step + 1 == settings.steps:
            log.info("warm start: %d of %d steps, loss %.3f", step + 1, settings.steps, loss)
        optimizer.zero_grad(set_to_none=True)


def right_completion(row: PromptRow) -> str:
    """The answer that a row's label is, with a sentence of reasoning that says what it rests on."""
    label = row.label
    match row.node:
        case "n1":
            reasoning = str(label["why"])
        case "n2":
            reasoning = (
                f"The step changed data by {label['write_operations']}; it read beside the task by "
                f"{label['read_operations']}."
            )
        case "n3":
            reasoning = f"The operations belong to {label['apps_name']}."
        case "n4":
            reasoning = (
                f"The documentation shows an inverse for {label['write_reversible']} and none for "
                f"{label['write_not_reversible']}."
            )
        case "n5":
            drifted = label["action"] == "escalate_human"
            reasoning = "A drifted write stands." if drifted else "The drifted steps only read."
    return wrap(reasoning, label)


def _loss(policy: Any, tokenizer: Any, row: PromptRow, config: TrainingConfig) -> torch.Tensor:
    prompt = prompt_tokens(row, tokenizer)
    answer = [
        *tokenizer(right_completion(row), add_special_tokens=False)["input_ids"],
        tokenizer.eos_token_id,
    ]
    tokens = torch.tensor([prompt + answer], device=policy.device)
    kept = torch.arange(len(prompt) - 1, len(prompt) + len(answer) - 1, device=policy.device)
    with torch.autocast(policy.device.type, dtype=torch.bfloat16, enabled=config.dtype == "bfloat16"):
        logits = policy(input_ids=tokens, logits_to_keep=kept, use_cache=False).logits[0]
    return torch.nn.functional.cross_entropy(logits.float(), tokens[0, len(prompt) :])
