"""The judge "grounded in execution labels": rubrics scored by what really happened, without a model (ours).

    score = correctness x (1 - share + share x grounding)

`correctness` is how right the answer is by the labels (judge_facts.py), `grounding` how specific, faithful
and own its free text is (judge_text.py), `share` one half: a right answer with generic filler earns 0.5, the
paper's anchor "generic but not wrong", a right and grounded one 1, a wrong one 0 whatever it says. Form is
ignored as far as an answer can be found at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

from holdcourse.config.reward import GroundingThresholds
from holdcourse.llm.replies import ReplyError, parse_object
from holdcourse.training.judge_facts import correctness, says_aligned
from holdcourse.training.judge_text import grounding
from holdcourse.training.mentions import words_of
from holdcourse.training.prompt_rows import Json, PromptRow
from holdcourse.training.rewards.reading import mean, read

GROUNDED = "grounded in execution labels"
"""The judge's name in every table, figure and card."""

_ANSWER_CHARACTERS = 20_000


@dataclass(frozen=True)
class GroundedJudge:
    """Scores completions by `PromptRow.evidence`."""

    thresholds: GroundingThresholds

    @property
    def name(self) -> str:
        """What tables and cards call it."""
        return GROUNDED

    @property
    def unreached(self) -> int:
        """No score is ever missing: labels are always there."""
        return 0

    def scores(self, questions: Sequence[tuple[PromptRow, str]]) -> list[float | None]:
        """A score in [0, 1] for each (prompt, completion)."""
        return [self.score(row, completion) for row, completion in questions]

    def score(self, row: PromptRow, completion: str) -> float:
        """The score of one completion; 0 where no answer can be found in it."""
        reading = read(completion, _ANSWER_CHARACTERS)
        value = reading.value or _any_object(completion if reading.answer is None else reading.answer)
        right = 0.0 if value is None else correctness(row, value)
        if value is None or right == 0:
            return 0.0
        texts = [reading.reasoning or "", *_free_text(row, value)]
        if row.node == "n1" and _verdict_in_words(texts) is (not row.evidence["aligned"]):
            return 0.0
        share = self.thresholds.share
        return right * (1 - share + share * self._grounding(texts, row))

    def _grounding(self, texts: Sequence[str], row: PromptRow) -> float:
        """The mean over the free texts; the same words said twice count once."""
        terms = [str(term) for term in cast("list[JsonValue]", row.evidence["terms"])]
        told: list[list[str]] = []
        scores = []
        for text in texts:
            words = words_of(text[:_ANSWER_CHARACTERS])
            scores.append(0.0 if words in told else grounding(text, row.prompt, terms, self.thresholds))
            told.append(words)
        return mean(scores)


def _verdict_in_words(texts: Sequence[str]) -> bool | None:
    # The name of the answer's key is no word about the step.
    return says_aligned(words_of(" ".join(texts)[:_ANSWER_CHARACTERS].replace("is_aligned", " ")))


def _free_text(row: PromptRow, value: Json) -> list[str]:
    """The free text inside an answer, beside its reasoning."""
    if row.node == "n1":
        return [_text(value.get("why"))]
    if row.node == "n5":
        arguments = value.get("arguments")
        return [_text(arguments.get("report") if isinstance(arguments, Mapping) else None)]
    return []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _any_object(text: str) -> Json | None:
    if len(text) > _ANSWER_CHARACTERS:
        return None
    try:
        return parse_object(text)
    except ReplyError:
        return None
