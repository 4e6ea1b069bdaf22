"""What each stage of the shift study depends on. Light to import: the Snakefile reads these when parsed."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from holdcourse.config.paper import PaperConfig
from holdcourse.config.schema import (
    ArmConfig,
    AuditConfig,
    EvaluationConfig,
    GraphConfig,
    ModelsConfig,
    ProtocolConfig,
    ReportConfig,
    RolloutConfig,
    SimulatedConfig,
    TrackingConfig,
)
from holdcourse.stages.slices import Models, StageConfig


class ProtocolSlice(StageConfig):
    """What one replication's task lists depend on."""

    seed: int
    protocol: ProtocolConfig


class InitialSlice(StageConfig):
    """What ℓ_0 and its graph depend on."""

    roles_by_kind: ClassVar = {"graph": ("extractor",)}

    seed: int
    arm: ArmConfig
    protocol: ProtocolConfig
    graph: GraphConfig | None
    models: Models
    simulated: SimulatedConfig | None


class EvolveSlice(StageConfig):
    """What one batch of one arm depends on."""

    roles = ("agent", "user", "reflector")
    roles_by_kind: ClassVar = {
        "graph": ("planner", "relations", "analyst", "reconstructor"),
        "holistic": ("holistic", "guard"),
    }

    seed: int
    batch: int = Field(ge=1)
    arm: ArmConfig
    graph: GraphConfig | None
    rollout: RolloutConfig
    models: Models
    simulated: SimulatedConfig | None


class TrialsSlice(StageConfig):
    """Shared by the stages that evaluate an instruction on the held-out tasks."""

    seed: int
    trials: int
    rollout: RolloutConfig
    models: Models
    simulated: SimulatedConfig | None


class EvaluateSlice(TrialsSlice):
    """What one checkpoint's evaluation depends on; the arm is only the place of its files."""

    roles = ("agent", "user")

    arm_name: str
    checkpoint: int


class ReferenceSlice(TrialsSlice):
    """What the reference model's evaluation of ℓ_0 depends on."""

    roles = ("reference_agent", "user")

    protocol: ProtocolConfig


class AuditSlice(StageConfig):
    """What one checkpoint's audit depends on."""

    roles = ("auditor",)

    seed: int
    checkpoint: int
    arm_name: str
    repeats: int
    reply_attempts: int
    models: Models
    simulated: SimulatedConfig | None


class MetricsSlice(StageConfig):
    """What the reliability figures depend on beside the evaluations."""

    arms: tuple[str, ...]
    seeds: tuple[int, ...]
    batches: int
    trials: int
    ks: tuple[int, ...]


class TablesSlice(StageConfig):
    """What the tables depend on beside the metrics; their command prints the `overrides`."""

    overrides: tuple[str, ...]
    arms: tuple[str, ...]
    arm_labels: dict[str, str]
    seeds: tuple[int, ...]
    protocol: ProtocolConfig
    evaluation: EvaluationConfig
    audit: AuditConfig
    all_models: ModelsConfig
    paper: PaperConfig


class SensitivitySlice(StageConfig):
    """What one point of the competence sweep depends on; its slope is that of `simulated.curve`."""

    asks_all_roles: ClassVar = True

    arm: ArmConfig
    sensitivity_seeds: tuple[int, ...]
    protocol: ProtocolConfig
    graph: GraphConfig
    rollout: RolloutConfig
    trials: int
    ks: tuple[int, ...]
    all_models: ModelsConfig
    simulated: SimulatedConfig


class FiguresSlice(TablesSlice):
    """What figures and report page depend on: what the tables do, and how it looks."""

    report: ReportConfig
    slopes: tuple[float, ...]


class TrackSlice(StageConfig):
    """What the Weights & Biases run of one arm and seed says; `tracking` changes no result."""

    asks_all_roles: ClassVar = True

    seed: int
    arm: ArmConfig
    protocol: ProtocolConfig
    graph: GraphConfig
    rollout: RolloutConfig
    evaluation: EvaluationConfig
    all_models: ModelsConfig
    simulated: SimulatedConfig
    tracking: TrackingConfig


class TrackReportSlice(StageConfig):
    """What the Weights & Biases run of a study's tables and figures depends on."""

    slopes: tuple[float, ...]
    report: ReportConfig
    tracking: TrackingConfig
