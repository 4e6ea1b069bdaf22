"""Where the drift study's files stand under results/{study}/drift/."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class DriftPaths:
    """Files of the drift study; `out` is results/{study}."""

    out: Path

    @property
    def drift(self) -> Path:
        """Folder of the drift study."""
        return self.out / "drift"

    @property
    def world(self) -> Path:
        """The world's manifest; its databases stand in the user's cache."""
        return self.drift / "world" / "world.json"

    @property
    def validation(self) -> Path:
        """One row a task: what its solution, doing nothing and a wrong solution score."""
        return self.drift / "world" / "validation.json"

    @property
    def docs(self) -> Path:
        """The apps' documentation in the short form that recovery prompts quote."""
        return self.drift / "world" / "documentation.json"

    @property
    def reversibility(self) -> Path:
        """One row a write operation: documented inverse and measured restoration."""
        return self.drift / "world" / "reversibility.json"

    def part(self, split: str, shard: int) -> Path:
        """The trajectories of one shard of a split."""
        return self.drift / "dataset" / "parts" / f"{split}-{shard:02d}.jsonl"

    def dataset(self, split: str) -> Path:
        """The trajectories of a split."""
        return self.drift / "dataset" / f"{split}.jsonl"

    @property
    def dataset_card(self) -> Path:
        """The dataset's card, which `datasets` reads too."""
        return self.drift / "dataset" / "README.md"

    @property
    def dataset_summary(self) -> Path:
        """Counts and checksum of each split."""
        return self.drift / "dataset" / "summary.json"

    def prompts(self, split: str) -> Path:
        """The node prompts of a split."""
        return self.drift / "prompts" / f"{split}.jsonl"

    @property
    def prompts_card(self) -> Path:
        """The prompt pool's card."""
        return self.drift / "prompts" / "README.md"

    def training(self, policy_model: str, seed: int) -> Path:
        """Folder of one training run."""
        return self.drift / "training" / policy_model / f"seed{seed}"

    def adapter(self, policy_model: str, seed: int) -> Path:
        """Folder of a training run's adapter, as PEFT loads it."""
        return self.training(policy_model, seed) / "adapter"

    def evaluation(self, policy_model: str, seed: int) -> Path:
        """How a training run's adapter fares on the held-out prompts, beside its model card."""
        return self.training(policy_model, seed) / "evaluation.md"

    def intrinsic(self, policy_model: str, seed: int, variant: str) -> Path:
        """Completions of the held-out prompts by the base or the trained model."""
        return self.drift / "intrinsic" / policy_model / f"seed{seed}" / f"{variant}.jsonl"

    def episodes(self, drift_type: str, main_agent: str, backbone: str) -> Path:
        """Runs of one type and main agent.

        `backbone` is who recovered them; `drift` holds the drifted runs themselves, `no_drift` those that
        nothing pushed off task.
        """
        return self.drift / "episodes" / drift_type / main_agent / f"{backbone}.jsonl"

    def onset_walks(self, drift_type: str, main_agent: str, backbone: str) -> Path:
        """Walks of one backbone over the drifted runs of a cell under wrong suspicions."""
        return self.drift / "onset" / drift_type / main_agent / f"{backbone}.jsonl"

    def injection_walks(self, backbone: str) -> Path:
        """What came of the injection suite against one backbone."""
        return self.drift / "injection" / f"{backbone}.json"

    @property
    def metrics(self) -> Path:
        """Metrics of the recovery, a row a cell, backbone, mode, difficulty and metric."""
        return self.drift / "metrics.parquet"

    @property
    def onset_sensitivity(self) -> Path:
        """What decisions are worth by the error of the suspected onset."""
        return self.drift / "onset_sensitivity.parquet"

    @property
    def injection_suite(self) -> Path:
        """The injection suite against all backbones; a table for readers stands beside it."""
        return self.drift / "injection_suite.json"
