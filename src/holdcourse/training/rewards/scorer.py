"""Scoring of completions: eight components of form, and a judge for the content (drift paper §4.6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from holdcourse.config.reward import RewardConfig
from holdcourse.recovery.nodes import KEYS
from holdcourse.training.prompt_rows import PromptRow
from holdcourse.training.rewards.answer import json_schema, json_valid
from holdcourse.training.rewards.documentation import documentation
from holdcourse.training.rewards.length import reasoning_length, total_length
from holdcourse.training.rewards.reading import read
from holdcourse.training.rewards.sanity import json_sanity
from holdcourse.training.rewards.tags import soft, strict, xml_count
from holdcourse.training.rewards.vector import DOCUMENTATION, RewardVector


class Judge(Protocol):
    """Scores the content of completions."""

    @property
    def name(self) -> str:
        """What tables and cards call it."""
        ...

    @property
    def unreached(self) -> int:
        """Scores asked for so far that are missing because the judge could not be reached."""
        ...

    def scores(self, questions: Sequence[tuple[PromptRow, str]]) -> list[float | None]:
        """A score in [0, 1] for each (prompt, completion); None where no score could be had."""
        ...


class Scorer:
    """The composite reward under one configuration and judge."""

    def __init__(self, config: RewardConfig, judge: Judge) -> None:
        self.config = config
        self.judge = judge

    def score(self, completions: Sequence[str], rows: Sequence[PromptRow]) -> list[RewardVector]:
        """The reward of each completion; `rows[i]` is the prompt that `completions[i]` answers.

        Raises:
            ValueError: there are not as many prompts as completions.
        """
        if len(completions) != len(rows):
            raise ValueError(f"{len(completions)} completions but {len(rows)} prompts; each needs its own")
        asked = self.config.weights.judge > 0
        judged = self.judge.scores(list(zip(rows, completions, strict=True))) if asked else [None] * len(rows)
        return [
            RewardVector(
                {**self.form(completion, row), "judge": score, **self._extra(completion, row)},
                self.config.weights,
            )
            for completion, row, score in zip(completions, rows, judged, strict=True)
        ]

    def form(self, completion: str, row: PromptRow) -> dict[str, float]:
        """The eight components of form of one completion, each in [0, 1]."""
        config = self.config
        reading = read(completion, config.answer.characters)
        return {
            "xml_count": xml_count(reading, config.tags),
            "strict": strict(reading),
            "soft": soft(reading, config.tags),
            "reasoning_length": reasoning_length(reading, config.reasoning, config.words),
            "total_length": total_length(reading, config.total, config.words),
            "json_valid": json_valid(reading),
            "json_schema": json_schema(reading, KEYS[row.node]),
            "json_sanity": json_sanity(reading, row.node, config.answer, config.words),
        }

    def _extra(self, completion: str, row: PromptRow) -> dict[str, float | None]:
        if self.config.weights.documentation == 0:
            return {}
        return {DOCUMENTATION: documentation(read(completion, self.config.answer.characters), row)}
