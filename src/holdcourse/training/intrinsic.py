"""Intrinsic evaluation: completions of held-out prompts, scored with the composite reward (§5.3.1).

Base and trained model answer under one decoding: the same engine, settings and noise. A completion depends on
its prompt, its number and the seed, and by rounding on the prompts it is batched with; batches are the same
in a run that goes on after a kill, so that it ends with the same completions. Scores are no part of the
journal: what a model gave as judge stands in its own cache; what it did not is asked again.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, cast

from peft import PeftModel, get_peft_model_state_dict
from pydantic import JsonValue
from safetensors import SafetensorError, safe_open
from transformers import PreTrainedModel

from holdcourse.config.training import DecodingSettings
from holdcourse.errors import HoldcourseError
from holdcourse.journal import Journal
from holdcourse.training.base_model import BaseModel, end_tokens
from holdcourse.training.checkpoints import ADAPTER_FILES
from holdcourse.training.merged_sampler import completion_seed, merge_into
from holdcourse.training.prompt_length import prompt_tokens
from holdcourse.training.prompt_rows import PromptRow
from holdcourse.training.rewards.scorer import Scorer
from holdcourse.training.shared_prompt import sample

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Policy:
    """A loaded model as it is evaluated, with its tokenizer and the tokens that end a completion."""

    model: PreTrainedModel
    tokenizer: Any
    ends: frozenset[int]

    @classmethod
    def load(cls, base: BaseModel, adapter: Path | None, dtype: str) -> Self:
        """The base model, with an adapter merged into it if one is given.

        Raises:
            HoldcourseError: the model cannot be had, or the adapter does not fit it.
        """
        tokenizer, model = base.tokenizer(), base.load(dtype)
        if adapter is not None:
            merge_into(model, _trained(base, adapter, dtype))
        return cls(model.eval(), tokenizer, end_tokens(model, tokenizer))


def evaluate(
    policy: Policy, rows: Sequence[PromptRow], scorer: Scorer, decoding: DecodingSettings, journal: Journal
) -> list[dict[str, JsonValue]]:
    """Completions of every prompt with their rewards by component, in the order of the prompts.

    Args:
        policy: who answers.
        rows: the held-out prompts.
        scorer: the composite reward.
        decoding: how many completions, and how they are sampled.
        journal: takes each prompt's completions; what it holds is not sampled again.

    Returns:
        A row a completion: prompt_id, node, sample, completion, finished, tokens, reward (null if the judge
        gave no score), components.

    Raises:
        HoldcourseError: there is no prompt, one is longer than the limit, or the judge could not be reached
            about some completion, whose missing score would else be taken for one that it could not give.
    """
    if not rows:
        raise HoldcourseError(
            "prompts/heldout.jsonl is empty, so there is nothing to evaluate; run stage prompts again, or "
            "raise pool.heldout"
        )
    tokens = {row.id: prompt_tokens(row, policy.tokenizer) for row in rows}
    longest = max(rows, key=lambda row: len(tokens[row.id]))
    if len(tokens[longest.id]) > decoding.max_prompt_tokens:
        raise HoldcourseError(
            f"held-out prompt {longest.id} has {len(tokens[longest.id])} tokens, more than "
            f"training.max_prompt_tokens={decoding.max_prompt_tokens}; raise that, or show "
            "less of each field (recovery.limits)"
        )
    for batch in _batches(rows, tokens, decoding.rows):
        if all(row.id in journal.done for row in batch):
            continue
        # The whole batch: with other neighbours a completion may differ by rounding.
        for row, answered in zip(batch, _answered(policy, batch, tokens, decoding), strict=True):
            if row.id not in journal.done:
                journal.append(row.id, {"completions": cast("JsonValue", answered)})
        log.info("%d of %d prompts", len(journal.done), len(rows))
    asked = [
        (row, cast("dict[str, JsonValue]", completion))
        for row in rows
        for completion in cast("list[JsonValue]", journal.done[row.id]["completions"])
    ]
    vectors = scorer.score([str(told["completion"]) for _, told in asked], [row for row, _ in asked])
    if scorer.judge.unreached:
        raise HoldcourseError(
            f"the judge ({scorer.judge.name}) could not be reached about {scorer.judge.unreached} of "
            f"{len(asked)} completions, so their scores are missing; the log says why. Run the same command "
            "again when it can be: it asks only for the scores that are missing, and samples nothing anew"
        )
    return [
        {
            "prompt_id": row.id,
            "node": row.node,
            **told,
            "reward": vector.composite,
            "components": dict(vector.components),
        }
        for (row, told), vector in zip(asked, vectors, strict=True)
    ]


def _trained(base: BaseModel, adapter: Path, dtype: str) -> PeftModel:
    try:
        trained = PeftModel.from_pretrained(base.load(dtype), str(adapter))
        with safe_open(adapter / ADAPTER_FILES[1], "pt") as file:
            held = set(file.keys())
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, SafetensorError) as error:
        raise HoldcourseError(
            f"the adapter in {adapter} does not fit {base.identity} ({error}); train it again"
        ) from error
    foreign = sorted(name for name in held if not {"lora_A", "lora_B"} & set(name.split(".")))
    if foreign:
        raise HoldcourseError(
            f"the adapter in {adapter} holds more than LoRA's two factors a layer, such as {foreign[0]}, "
            "which would be lost in merging; train it with training.lora as in conf/training/"
        )
    # PEFT only warns of weights that it does not find, and passes over those it does not know.
    differing = held ^ set(get_peft_model_state_dict(trained, save_embedding_layers=False))
    if differing:
        raise HoldcourseError(
            f"the adapter in {adapter} is of another model than {base.identity}: {len(differing)} of its "
            f"weights are lacking or unknown, such as {min(differing)}; train it again"
        )
    return trained


def _batches(rows: Sequence[PromptRow], tokens: dict[str, list[int]], size: int) -> Iterator[list[PromptRow]]:
    """Prompts of like length together, since the shorter ones of a batch are padded."""
    ordered = sorted(rows, key=lambda row: (len(tokens[row.id]), row.id))
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]


def _answered(
    policy: Policy,
    batch: Sequence[PromptRow],
    tokens: dict[str, list[int]],
    decoding: DecodingSettings,
) -> list[list[dict[str, JsonValue]]]:
    numbers = range(decoding.samples)
    groups = sample(
        policy.model,
        [tokens[row.id] for row in batch],
        [[completion_seed(decoding.seed, row.id, number) for number in numbers] for row in batch],
        max_tokens=decoding.max_completion_tokens,
        temperature=decoding.temperature,
        ends=policy.ends,
    )
    return [
        [
            {
                "sample": number,
                "completion": policy.tokenizer.decode(one.tokens, skip_special_tokens=True),
                "finished": one.finished,
                "tokens": len(one.tokens),
            }
            for number, one in enumerate(group)
        ]
        for group in groups
    ]
