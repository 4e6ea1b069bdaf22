"""The reward of one completion by component, and its weighted sum (drift paper, Eq. 15)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from holdcourse.config.reward import RewardWeights

Component = Literal[
    "xml_count",
    "strict",
    "soft",
    "reasoning_length",
    "total_length",
    "json_valid",
    "json_schema",
    "json_sanity",
    "judge",
]

COMPONENTS: tuple[Component, ...] = get_args(Component)
"""The nine components, in the paper's order."""

DOCUMENTATION = "documentation"
"""The extra component that conf/reward/ may switch on: n4's claims against the documentation."""

_UNSURE = ("judge", DOCUMENTATION)


@dataclass(frozen=True)
class RewardVector:
    """What one completion earned.

    Attributes:
        components: each of the nine in [0, 1], and `documentation` where it is switched on. `judge` is None
            when the judge gave no score, `documentation` None at nodes other than n4.
        weights: w_k.
    """

    components: Mapping[str, float | None]
    weights: RewardWeights

    @property
    def composite(self) -> float | None:
        """R = Σ w_k r_k; None when the judge counts and gave no score, which is not a score of 0."""
        if self.components["judge"] is None and self.weights.judge > 0:
            return None
        return self._sum(self.components)

    @property
    def structural(self) -> float:
        """The same sum over the eight components of form alone."""
        return self._sum({name: self.components[name] for name in COMPONENTS if name not in _UNSURE})

    def judged(self, score: float) -> float:
        """R as it would be had the judge said `score`."""
        return self._sum({**self.components, "judge": score})

    def _sum(self, components: Mapping[str, float | None]) -> float:
        weights: dict[str, float] = self.weights.model_dump()
        return sum(weights[name] * value for name, value in components.items() if value is not None)


def group_rewards(vectors: Sequence[RewardVector], group: int) -> list[float | None]:
    """Rewards as GRPO should be given them: what the judge could not score neither wins nor loses by it.

    A completion without a judge's score counts with the mean score of its group's others. A group in which no
    completion has one gives None for each: there is nothing to compare, and 0 would be a lie.

    Args:
        vectors: completions, those of one prompt beside each other.
        group: completions a prompt, G.

    Raises:
        ValueError: the number of completions is no multiple of `group`.
    """
    if group < 1 or len(vectors) % group:
        raise ValueError(f"{len(vectors)} completions do not divide into groups of {group}")
    rewards: list[float | None] = []
    for start in range(0, len(vectors), group):
        rewards.extend(_group(vectors[start : start + group]))
    return rewards


def _group(vectors: Sequence[RewardVector]) -> list[float | None]:
    scores = [score for vector in vectors if (score := vector.components["judge"]) is not None]
    if not scores:
        return [vector.composite for vector in vectors]
    instead = sum(scores) / len(scores)
    return [
        vector.judged(instead) if vector.components["judge"] is None else vector.composite
        for vector in vectors
    ]
