"""The schema behind conf/reward/ and conf/judge/: what a completion is rewarded for, and who judges it."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from holdcourse.config.section import Count, NonNegative, Section, Share

Weight = Annotated[float, Field(ge=0.0)]


class RewardWeights(Section):
    """w_k of each component r_k (drift paper, Eq. 15); 0 leaves a component out of the sum.

    `documentation` weighs the extra component that checks n4 against the documentation; it is none of the
    nine.
    """

    xml_count: Weight
    strict: Weight
    soft: Weight
    reasoning_length: Weight
    total_length: Weight
    json_valid: Weight
    json_schema: Weight
    json_sanity: Weight
    judge: Weight
    documentation: Weight

    @model_validator(mode="after")
    def _rewards_something(self) -> Self:
        if not any(self.model_dump().values()):
            raise ValueError("all weights are 0; at least one component must count")
        return self


class TagThresholds(Section):
    """`penalty`: what one character after </answer> costs; `soft`: the value of tags in their right order."""

    penalty: Share
    soft: Share


class LengthThresholds(Section):
    """Full up to `full` words, `partial` for `tail` words more, then nothing."""

    full: Count
    tail: NonNegative
    partial: Share


class WordThresholds(Section):
    """How words are counted.

    A run of more than `longest` characters without a space counts as several words; `fewest_different` words
    with a letter are needed for a text to be more than padding.
    """

    longest: Count
    fewest_different: Count


class AnswerThresholds(Section):
    """What is read of an answer: no JSON of more than `characters`, and at most so many words in a value."""

    characters: Count
    why_words: Count
    field_words: Count
    report_words: Count


class RewardConfig(Section):
    """conf/reward/: weights and thresholds of the composite reward (drift paper §4.6)."""

    weights: RewardWeights
    tags: TagThresholds
    words: WordThresholds
    reasoning: LengthThresholds
    total: LengthThresholds
    answer: AnswerThresholds


class GroundingThresholds(Section):
    """What makes the free text of an answer grounded, to the judge that reads execution labels.

    Attributes:
        share: how much of a right answer's score its text decides; the rest is the answer's alone.
        specifics: so many specific terms of the case, named in the text, are enough.
        run: a run of so many words that stands in the prompt word for word is copied.
        copied: this share of copied runs costs nothing; from there the text loses, up to all at 1.
        function_words: the least share of function words in a text of sentences; a list of terms has fewer.
        full_words: texts up to this length lose nothing; those twice as long lose all.
    """

    share: Share
    specifics: Count
    run: Annotated[int, Field(ge=2)]
    copied: Annotated[float, Field(ge=0.0, lt=1.0)]
    function_words: Annotated[float, Field(gt=0.0, le=1.0)]
    full_words: Count


class JudgeConfig(Section):
    """conf/judge/: who judges content, `llm` (a model, as in the paper) or `grounded` (execution labels).

    Attributes:
        kind: which judge.
        workers: calls in flight at once.
        attempts: times a reply that is no number is asked for, the first included.
        grounding: thresholds of the grounded judge.
    """

    kind: Literal["llm", "grounded"]
    workers: Count
    attempts: Count
    grounding: GroundingThresholds


class JudgeAuditConfig(Section):
    """conf/judge_audit/: how the judge's scores over a training run are audited.

    Attributes:
        windows: equal parts of the run, in optimizer steps, that scores are compared over.
        sample: completions a node that a second judge is asked about, where that costs calls.
        apart: two scores further apart than this disagree.
        seed: decides the sample.
    """

    windows: Count
    sample: NonNegative
    apart: Annotated[float, Field(gt=0.0, le=1.0)]
    seed: NonNegative
