"""What each stage of the end-to-end recovery depends on. Light to import: the Snakefile reads it."""

from __future__ import annotations

from typing import ClassVar

from holdcourse.config.drift import DriftConfig, EpisodeConfig, SimulatedDriftConfig
from holdcourse.config.end_to_end import (
    Acting,
    Backbone,
    Cell,
    DriftKind,
    InjectionSettings,
    MainAgent,
    SmallModel,
)
from holdcourse.config.paper_drift import DriftPaperConfig
from holdcourse.config.recovery import RecoveryConfig
from holdcourse.config.schema import EvaluationConfig, ReportConfig, TrackingConfig
from holdcourse.config.training import PolicyModelConfig
from holdcourse.config.world import WorldConfig
from holdcourse.stages.drift_slices import EngineSlice
from holdcourse.stages.slices import Models, StageConfig

AGENTS = ("agent_large", "agent_small")
RECOVERERS = ("recovery_large", "recovery_small")


class DriftedSlice(EngineSlice):
    """What the drifted runs of one type and main agent depend on."""

    drift_roles = AGENTS

    drift_type: DriftKind
    main_agent: MainAgent
    drift: DriftConfig
    episode: EpisodeConfig
    drift_agents: Models
    simulated_drift: SimulatedDriftConfig | None


class BackboneSlice(StageConfig):
    """Shared by the stages in which a backbone walks; `small_model` is None for all but the small ones."""

    drift_roles: ClassVar[tuple[str, ...]] = RECOVERERS

    main_agent: MainAgent
    backbone: Backbone
    recovery: RecoveryConfig
    recovery_seed: int
    small_model: SmallModel | None
    drift_agents: Models
    simulated_drift: SimulatedDriftConfig | None

    @property
    def in_process(self) -> PolicyModelConfig | None:
        """The small model, where it is the backbone."""
        return None if self.small_model is None else self.small_model.policy


class EpisodesSlice(EngineSlice, BackboneSlice):
    """What recovering the runs of one cell with one backbone depends on; `acting` is None without a cell."""

    drift_roles: ClassVar[tuple[str, ...]] = (*AGENTS, *RECOVERERS)

    drift_type: DriftKind
    acting: Acting | None
    agent_seed: int
    episode: EpisodeConfig


class OnsetWalksSlice(BackboneSlice):
    """What the walks of one backbone under wrong suspicions depend on."""

    drift_type: DriftKind
    onset_errors: tuple[int, ...]


class InjectionWalksSlice(BackboneSlice):
    """What the injection suite of one backbone depends on."""

    injection: InjectionSettings


class DriftMetricsSlice(StageConfig):
    """What metrics.parquet and onset_sensitivity.parquet depend on beside the episodes and walks."""

    cells: tuple[Cell, ...]
    onset_errors: tuple[int, ...]
    onset_backbones: tuple[Backbone, ...]
    evaluation: EvaluationConfig


class DriftTablesSlice(StageConfig):
    """What the tables and figures of the recovery depend on beside the metrics."""

    drift_roles: ClassVar[tuple[str, ...]] = (*AGENTS, *RECOVERERS)

    cells: tuple[Cell, ...]
    injection: InjectionSettings
    onset_errors: tuple[int, ...]
    onset_backbones: tuple[Backbone, ...]
    drift_agents: Models
    policy_model: PolicyModelConfig
    world: WorldConfig
    evaluation: EvaluationConfig
    paper_drift: DriftPaperConfig
    report: ReportConfig
    overrides: tuple[str, ...]


class TrackDriftSlice(StageConfig):
    """What the Weights & Biases run of the recovery depends on; `tracking` changes no result."""

    cells: tuple[Cell, ...]
    recovery: RecoveryConfig
    policy_model: PolicyModelConfig
    report: ReportConfig
    tracking: TrackingConfig
