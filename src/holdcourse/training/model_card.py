"""The model card beside an adapter: what it is, what made it, how it fared, what it is not good for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import jinja2
from pydantic import JsonValue

from holdcourse.config.reward import RewardConfig
from holdcourse.config.training import PolicyModelConfig, TrainingConfig
from holdcourse.training.training_record import TrainingRecord


@dataclass(frozen=True)
class CardFacts:
    """What a card says.

    Attributes:
        policy: the base model.
        base_version: what pins its files.
        training: conf/training/.
        reward: conf/reward/.
        record: how the run went.
        seed: of the run.
        prompts_sha256: of prompts/train.jsonl.
        trajectory_agent: the model whose trajectories the prompts show.
        commit: of the code; None outside a clone.
    """

    policy: PolicyModelConfig
    base_version: str
    training: TrainingConfig
    reward: RewardConfig
    record: TrainingRecord
    seed: int
    prompts_sha256: str
    trajectory_agent: str
    commit: str | None

    def as_json(self) -> dict[str, JsonValue]:
        """training.json: the run, and every setting that made it."""
        return {
            **self.record.as_json(),
            "seed": self.seed,
            "base": self.policy.model_dump(mode="json"),
            "base_version": self.base_version,
            "prompts_sha256": self.prompts_sha256,
            "trajectory_agent": self.trajectory_agent,
            "training": self.training.model_dump(mode="json"),
            "reward": self.reward.model_dump(mode="json"),
        }


def model_card(facts: CardFacts) -> str:
    """The card in Markdown, with the head that the Hugging Face hub reads."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("holdcourse.training", "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701  # Markdown
    )
    return environment.get_template("model_card.md.j2").render(
        facts=facts,
        training=_flat(facts.training.model_dump(mode="json")),
        reward=_flat(facts.reward.model_dump(mode="json")),
    )


def _flat(tree: Mapping[str, JsonValue], prefix: str = "") -> dict[str, JsonValue]:
    """Settings by dotted name."""
    found: dict[str, JsonValue] = {}
    for name, value in tree.items():
        if isinstance(value, dict):
            found |= _flat(value, f"{prefix}{name}.")
        else:
            found[f"{prefix}{name}"] = value
    return found
