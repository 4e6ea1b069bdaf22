"""What each stage of training depends on. Light to import: the Snakefile reads it."""

from __future__ import annotations

from typing import Literal

from holdcourse.config.drift import SimulatedDriftConfig
from holdcourse.config.paper_drift import DriftPaperConfig
from holdcourse.config.reward import JudgeAuditConfig, JudgeConfig, RewardConfig
from holdcourse.config.schema import EvaluationConfig, ReportConfig, TrackingConfig
from holdcourse.config.training import DecodingSettings, PolicyModelConfig, TrainingConfig
from holdcourse.stages.slices import Models, StageConfig


class JudgeAuditSlice(StageConfig):
    """What the audit of the judge over one training run depends on."""

    drift_roles = ("judge",)

    seed: int
    policy_model: PolicyModelConfig
    judge: JudgeConfig
    judge_audit: JudgeAuditConfig
    drift_agents: Models


class ScoredSlice(StageConfig):
    """Shared by the stages that score completions of a policy."""

    drift_roles = ("judge",)

    seed: int
    policy_model: PolicyModelConfig
    reward: RewardConfig
    judge: JudgeConfig
    drift_agents: Models
    simulated_drift: SimulatedDriftConfig | None

    @property
    def in_process(self) -> PolicyModelConfig:
        """The policy, which writes the completions."""
        return self.policy_model


class TrainSlice(ScoredSlice):
    """What one training run depends on beside its prompts; they show `trajectory_agent` at work."""

    training: TrainingConfig
    trajectory_agent: str


class IntrinsicSlice(ScoredSlice):
    """What the answers to the held-out prompts depend on; the base's depend on no training setting."""

    variant: Literal["base", "trained"]
    decoding: DecodingSettings


class IntrinsicReportSlice(StageConfig):
    """What Table 1, Table 5 and Figures 3-7 depend on beside the scored completions.

    `policies` are the trained models by name, `judge_model` is the model behind judge=llm.
    """

    policies: dict[str, PolicyModelConfig]
    training: TrainingConfig
    reward: RewardConfig
    judge: JudgeConfig
    judge_model: str
    trajectory_agent: str
    evaluation: EvaluationConfig
    paper_drift: DriftPaperConfig
    report: ReportConfig
    overrides: tuple[str, ...]


class TrackTrainingSlice(StageConfig):
    """What the Weights & Biases run of one training run depends on; `tracking` changes no result."""

    seed: int
    policy_model: PolicyModelConfig
    training: TrainingConfig
    reward: RewardConfig
    judge: JudgeConfig
    tracking: TrackingConfig


class ExportPolicySlice(StageConfig):
    """What the files depend on that serve a trained policy elsewhere."""

    seed: int
    policy_model: PolicyModelConfig
