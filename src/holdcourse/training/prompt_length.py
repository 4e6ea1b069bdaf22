"""Prompts as tokens, and those that are too long for a policy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from holdcourse.llm.chat import ChatMessage
from holdcourse.training.prompt_rows import PromptRow


def prompt_tokens(row: PromptRow, tokenizer: Any) -> list[int]:
    """A row's prompt in the model's chat template, ready for its answer."""
    return chat_tokens(row.messages, tokenizer)


def chat_tokens(messages: Sequence[ChatMessage], tokenizer: Any) -> list[int]:
    """Messages in the model's chat template, ready for its answer."""
    turns = [{"role": message.speaker, "content": message.content or ""} for message in messages]
    encoded = tokenizer.apply_chat_template(
        turns, add_generation_prompt=True, tokenize=True, return_dict=True
    )
    return [int(token) for token in encoded["input_ids"]]


def fitting(rows: Sequence[PromptRow], tokenizer: Any, limit: int) -> tuple[list[PromptRow], int]:
    """The prompts of at most `limit` tokens, and how many are longer."""
    kept = [row for row in rows if len(prompt_tokens(row, tokenizer)) <= limit]
    return kept, len(rows) - len(kept)
