"""Intrinsic evaluation: completions of held-out prompts, scored with the composite reward (§5.3.1).

Base and trained model answer under one decoding: the same engine, settings and noise. A completion depends on
its prompt, its number and the seed alone, so that what a journal holds need not be sampled again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, cast

from peft import PeftModel
from pydantic import JsonValue
from transformers import PreTrainedModel

from holdcourse.config.training import DecodingSettings
from holdcourse.errors import HoldcourseError
from holdcourse.journal import Journal
from holdcourse.training.base_model import BaseModel, end_tokens
from holdcourse.training.merged_sampler import completion_seed, merge_into
from holdcourse.training.prompt_length import prompt_tokens
from holdcourse.training.prompt_rows import PromptRow
from holdcourse.training.rewards.scorer import Scorer
from holdcourse.training.shared_prompt import sample


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
            try:
                trained = PeftModel.from_pretrained(base.load(dtype), str(adapter))
            except (OSError, ValueError, RuntimeError) as error:
                raise HoldcourseError(
                    f"the adapter in {adapter} does not fit {base.identity} ({error}); train it again"
                ) from error
            merge_into(model, trained)
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
        journal: takes each prompt's completions when they are scored; what it holds is not done again.

    Returns:
        A row a completion: prompt_id, node, sample, completion, finished, tokens, reward (null if the judge
        gave no score), components.

    Raises:
        HoldcourseError: a prompt is longer than the limit.
    """
    tokens = {row.id: prompt_tokens(row, policy.tokenizer) for row in rows}
    longest = max(rows, key=lambda row: len(tokens[row.id]))
    if len(tokens[longest.id]) > decoding.max_prompt_tokens:
        raise HoldcourseError(
            f"held-out prompt {longest.id} has {len(tokens[longest.id])} tokens, more than "
            f"training.max_prompt_tokens={decoding.max_prompt_tokens}; raise that, or show "
            "less of each field (recovery.limits)"
        )
    missing = [row for row in rows if row.id not in journal.done]
    for batch in _batches(missing, tokens, decoding.rows):
        for row, answered in zip(batch, _answered(policy, batch, tokens, scorer, decoding), strict=True):
            journal.append(row.id, {"completions": cast("JsonValue", answered)})
    return [
        cast("dict[str, JsonValue]", completion)
        for row in rows
        for completion in cast("list[JsonValue]", journal.done[row.id]["completions"])
    ]


def _batches(rows: Sequence[PromptRow], tokens: dict[str, list[int]], size: int) -> Iterator[list[PromptRow]]:
    """Prompts of like length together, since the shorter ones of a batch are padded."""
    ordered = sorted(rows, key=lambda row: (len(tokens[row.id]), row.id))
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]


def _answered(
    policy: Policy,
    batch: Sequence[PromptRow],
    tokens: dict[str, list[int]],
    scorer: Scorer,
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
    texts = [
        [policy.tokenizer.decode(one.tokens, skip_special_tokens=True) for one in group] for group in groups
    ]
    asked = [row for row in batch for _ in numbers]
    vectors = scorer.score([text for told in texts for text in told], asked)
    return [
        [
            {
                "prompt_id": row.id,
                "node": row.node,
                "sample": number,
                "completion": told[number],
                "finished": group[number].finished,
                "tokens": len(group[number].tokens),
                "reward": vectors[place * decoding.samples + number].composite,
                "components": dict(vectors[place * decoding.samples + number].components),
            }
            for number in numbers
        ]
        for place, (row, group, told) in enumerate(zip(batch, groups, texts, strict=True))
    ]
