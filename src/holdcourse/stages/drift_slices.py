"""What each stage of the drift study's data depends on. Light to import: the Snakefile reads it."""

from __future__ import annotations

from typing import Literal

from holdcourse.config.drift import DriftConfig, EpisodeConfig, PoolConfig, SimulatedDriftConfig
from holdcourse.config.engine import EngineConfig
from holdcourse.config.recovery import RecoveryConfig
from holdcourse.config.schema import ReportConfig, TrackingConfig
from holdcourse.config.world import WorldConfig
from holdcourse.stages.slices import Models, StageConfig

DatasetSplit = Literal["train", "heldout"]


class WorldSlice(StageConfig):
    """What the world depends on."""

    world: WorldConfig


class EngineSlice(WorldSlice):
    """Shared by the stages that run the engine."""

    engine: EngineConfig


class TrajectoriesSlice(EngineSlice):
    """What one shard of the trajectories depends on."""

    drift_roles = ("agent_large",)

    split: DatasetSplit
    shard: int
    drift: DriftConfig
    episode: EpisodeConfig
    drift_agents: Models
    simulated_drift: SimulatedDriftConfig | None


class DatasetSlice(StageConfig):
    """What the dataset and its card depend on beside the shards."""

    drift: DriftConfig
    trajectory_agent: str


class PromptsSlice(StageConfig):
    """What the prompt pool depends on beside the dataset."""

    pool: PoolConfig
    recovery: RecoveryConfig


class DatasetFiguresSlice(StageConfig):
    """What the dataset's figures depend on beside it."""

    trajectory_agent: str
    report: ReportConfig


class TrackDatasetSlice(StageConfig):
    """What the Weights & Biases run of the dataset depends on; `tracking` changes no result."""

    drift: DriftConfig
    recovery: RecoveryConfig
    world: WorldConfig
    report: ReportConfig
    tracking: TrackingConfig
