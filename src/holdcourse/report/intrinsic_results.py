"""Scored completions of the held-out prompts, base and trained, as tables and figures read them.

The unit is a prompt: its completions are averaged first, so that an interval does not shrink with their
number. A completion that the judge could not score has no composite; a prompt without any is excluded and
counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

import pandas as pd

from holdcourse.config.paper_drift import DriftPaperConfig, IntrinsicQuantity
from holdcourse.config.reward import RewardConfig
from holdcourse.config.schema import EvaluationConfig
from holdcourse.config.study_command import DEFAULT_RESULTS, study_command
from holdcourse.config.training import PolicyModelConfig
from holdcourse.llm.door import is_simulated
from holdcourse.metrics.intervals import (
    Bootstrap,
    Interval,
    SeedValues,
    mean_interval,
    paired_differences,
    seed_values,
    unpaired_interval,
)
from holdcourse.recovery.nodes import NodeId
from holdcourse.report.setting import OFFLINE_LABEL

QUANTITIES: tuple[str, ...] = get_args(IntrinsicQuantity)
"""The composite and its nine components."""

COMPONENTS = QUANTITIES[1:]
VARIANTS = ("base", "trained")
_KEYS = ["policy_model", "variant", "seed", "node", "task"]


@dataclass(frozen=True)
class IntrinsicSetting:
    """What the tables and figures of training say about how their numbers were made.

    Attributes:
        study: its name.
        policies: trained models by name, in the order they are shown.
        seeds: of training.
        preset: name of conf/training/.
        samples: completions a prompt.
        reward: conf/reward/, what composites are made of.
        judge: whose content scores these are.
        judge_model: the model behind it if it is one, else None.
        trajectory_agent: the model whose trajectories the prompts show.
        evaluation: conf/evaluation/, for the intervals.
        paper: conf/paper/drift.yaml.
        overrides: what the study was composed with beside its file.
        results: the folder of its results/{study}.
        stopped: training runs that were stopped early, by policy and seed: why, and which step was kept.
    """

    study: str
    policies: Mapping[str, PolicyModelConfig]
    seeds: tuple[int, ...]
    preset: str
    samples: int
    reward: RewardConfig
    judge: str
    judge_model: str | None
    trajectory_agent: str
    evaluation: EvaluationConfig
    paper: DriftPaperConfig
    overrides: tuple[str, ...] = ()
    results: str = DEFAULT_RESULTS
    stopped: Mapping[tuple[str, int], str] = field(default_factory=dict)

    @property
    def bootstrap(self) -> Bootstrap:
        """How intervals are made."""
        return Bootstrap.of(self.evaluation)

    @property
    def offline_label(self) -> str | None:
        """What every file must say when the trajectories or the judge are a simulated model's, else None."""
        asked = [self.trajectory_agent, *([] if self.judge_model is None else [self.judge_model])]
        return OFFLINE_LABEL if any(map(is_simulated, asked)) else None

    @property
    def notes(self) -> tuple[str, ...]:
        """What stands under each table."""
        level = f"{self.evaluation.confidence:.0%}"
        seeds = f"{len(self.seeds)} training run{'s' if len(self.seeds) > 1 else ''}"
        made = (
            f"The policies and their training are real, preset {self.preset}, {seeds}; the trajectories "
            f"that the prompts show are those of {self.trajectory_agent}."
        )
        return (
            f"Content is judged by: {self.judge}.",
            made,
            *(
                f"{policy.label}, seed {seed}: training stopped early ({why})."
                for name, policy in self.policies.items()
                for seed in self.seeds
                if (why := self.stopped.get((name, seed)))
            ),
            f"Unit: a held-out prompt, the mean of its {self.samples} completions; base and trained under "
            f"one decoding. {level} intervals: paired bootstrap over prompts within a training run, "
            f"{self.evaluation.resamples} resamples; they speak of other prompts like these, not of other "
            "training runs.",
            "A prompt none of whose completions could be scored is excluded and counted.",
            "The paper's weights of the structural components are not printed, so its composite rewards are "
            f"of another scale than ours ({self._most}); compare directions, components and the judge's "
            "score.",
            f"Made by: {self.command}",
        )

    @property
    def _most(self) -> str:
        """The best composite in words; at n4 it is another where documentation counts."""
        elsewhere, n4 = best_composite(self.reward, "n1"), best_composite(self.reward, "n4")
        return (
            f"at most {elsewhere:g}" if n4 == elsewhere else f"at most {n4:g} at n4, {elsewhere:g} elsewhere"
        )

    @property
    def command(self) -> str:
        """The command that makes the tables."""
        return study_command("training", self.study, self.overrides, self.results)


@dataclass(frozen=True)
class IntrinsicResults:
    """Means by prompt.

    A row a policy_model, variant, seed, node and task (the prompt): the quantities, completions, scored.
    """

    prompts: pd.DataFrame

    @classmethod
    def of(cls, completions: Iterable[tuple[str, int, str, Mapping[str, object]]]) -> IntrinsicResults:
        """Average rows of intrinsic/*.jsonl by prompt.

        Args:
            completions: policy model, seed, variant, and the row.
        """
        rows = [
            {
                "policy_model": policy,
                "variant": variant,
                "seed": seed,
                "node": row["node"],
                "task": row["prompt_id"],
                "composite": row["reward"],
                **_components(row["components"]),
            }
            for policy, seed, variant, row in completions
        ]
        frame = pd.DataFrame(rows, columns=[*_KEYS, *QUANTITIES])
        frame[list(QUANTITIES)] = frame[list(QUANTITIES)].astype("float64")
        grouped = frame.groupby(_KEYS, sort=True)
        means = grouped[list(QUANTITIES)].mean()
        means["completions"] = grouped.size()
        means["scored"] = grouped["composite"].count()
        return cls(means.reset_index())

    def of_policy(self, policy: str, variant: str, node: str | None = None) -> pd.DataFrame:
        """Means by prompt of one model, maybe of one node alone."""
        prompts = self.prompts
        chosen = (prompts["policy_model"] == policy) & (prompts["variant"] == variant)
        return prompts[chosen if node is None else chosen & (prompts["node"] == node)]

    def mean(
        self, policy: str, variant: str, quantity: str, setting: IntrinsicSetting, node: str | None = None
    ) -> Interval:
        """Mean over prompts, with its interval."""
        return mean_interval(seed_values(self.of_policy(policy, variant, node), quantity), setting.bootstrap)

    def gain(
        self, policy: str, quantity: str, setting: IntrinsicSetting, node: str | None = None
    ) -> Interval:
        """Mean of trained minus base, paired by prompt."""
        return mean_interval(self._differences(policy, quantity, node), setting.bootstrap)

    def gain_beside(
        self, policy: str, quantity: str, setting: IntrinsicSetting, node: str, other: str
    ) -> Interval:
        """Gain at a node minus gain at another; unpaired, since no prompt is of both nodes."""
        first, second = (self._differences(policy, quantity, name) for name in (node, other))
        return unpaired_interval(first, second, setting.bootstrap)

    def gains(self, policy: str, node: str | None = None, quantity: str = "composite") -> list[float]:
        """Trained minus base of each prompt that both have a value for, over all training runs."""
        differences = self._differences(policy, quantity, node)
        return [float(value) for seed in sorted(differences) for value in differences[seed] if value == value]

    def present(self, setting: IntrinsicSetting) -> Sequence[str]:
        """The study's policies that there are results of."""
        found = set(self.prompts["policy_model"])
        return [name for name in setting.policies if name in found]

    def _differences(self, policy: str, quantity: str, node: str | None) -> SeedValues:
        trained, base = (self.of_policy(policy, variant, node) for variant in ("trained", "base"))
        return paired_differences(trained, base, quantity)


def best_composite(reward: RewardConfig, node: NodeId) -> float:
    """The most that a completion can earn: every component whole, `soft` at its own smaller value.

    `documentation` counts at n4 alone.
    """
    weights: dict[str, float] = reward.weights.model_dump()
    extra = weights.pop("documentation")
    whole = sum(weights.values()) - weights["soft"] * (1 - reward.tags.soft)
    return whole + extra if node == "n4" else whole


def _components(components: object) -> dict[str, object]:
    found = components if isinstance(components, Mapping) else {}
    return {name: found.get(name) for name in COMPONENTS}
