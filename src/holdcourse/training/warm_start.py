"""A named extension: a few supervised steps on the pool's right answers before GRPO. The paper has none.

It teaches the form of an answer in a minute, where sampling alone would seldom meet it. What it trains on are
the labels of the training pool, so nothing held out is seen.
"""

from __future__ import annotations

import logging
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import torch
from pydantic import JsonValue

from holdcourse.config.training import TrainingConfig
from holdcourse.errors import HoldcourseError
from holdcourse.recovery.envelope import wrap
from holdcourse.training.prompt_length import prompt_tokens
from holdcourse.training.prompt_rows import PromptRow

log = logging.getLogger(__name__)

REPORT_EVERY = 10
_SENTENCES = re.compile(r"(?<=\.)\s+")


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

    Raises:
        HoldcourseError: no right answer fits into a completion.
    """
    settings = config.warm_start
    answers = [(row, _answer(row, tokenizer, config.max_completion_tokens)) for row in rows]
    order = [(row, answer) for row, answer in answers if answer]
    if not order:
        raise HoldcourseError(
            f"no right answer fits into training.max_completion_tokens={config.max_completion_tokens}; raise "
            "that, or set training.warm_start.kind=none"
        )
    log.info("warm start: right answers to %d of %d prompts fit into a completion", len(order), len(rows))
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
        for row, answer in batch:
            part = _loss(policy, prompt_tokens(row, tokenizer), answer, config) / len(batch)
            part.backward()
            loss += part.item()
        torch.nn.utils.clip_grad_norm_(weights, config.max_grad_norm)
        optimizer.step()
        if (step + 1) % REPORT_EVERY == 0 or step + 1 == settings.steps:
            log.info("warm start: %d of %d steps, loss %.3f", step + 1, settings.steps, loss)
        optimizer.zero_grad(set_to_none=True)


def right_completions(row: PromptRow) -> Iterator[str]:
    """The answer that a row's label is, then shorter ones: n5's report without its first sentences.

    A report begins with the task, which the agent knows, and ends with what to avoid.
    """
    yield _completion(row, row.label)
    if row.node == "n5":
        arguments = cast("Mapping[str, JsonValue]", row.label["arguments"])
        sentences = _SENTENCES.split(str(arguments["report"]))
        for start in range(1, len(sentences)):
            shorter = {**arguments, "report": " ".join(sentences[start:])}
            yield _completion(row, {**row.label, "arguments": shorter})


def _completion(row: PromptRow, label: Mapping[str, JsonValue]) -> str:
    """An answer with a sentence of reasoning that says what it rests on."""
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


def _answer(row: PromptRow, tokenizer: Any, limit: int) -> list[int] | None:
    """Tokens of the most explicit right answer that a completion can hold, with the one that ends it."""
    for text in right_completions(row):
        tokens = [*tokenizer(text, add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]
        if len(tokens) <= limit:
            return tokens
    return None


def _loss(policy: Any, prompt: list[int], answer: list[int], config: TrainingConfig) -> torch.Tensor:
    tokens = torch.tensor([prompt + answer], device=policy.device)
    kept = torch.arange(len(prompt) - 1, len(prompt) + len(answer) - 1, device=policy.device)
    with torch.autocast(policy.device.type, dtype=torch.bfloat16, enabled=config.dtype == "bfloat16"):
        logits = policy(input_ids=tokens, logits_to_keep=kept, use_cache=False).logits[0]
    return torch.nn.functional.cross_entropy(logits.float(), tokens[0, len(prompt) :])
