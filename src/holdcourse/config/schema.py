"""The schema behind conf/: one model a configuration group, checked before any job runs.

Each class stands behind the YAML files of the group named in its docstring. Unknown keys are
refused, numbers have ranges, choices are closed; `compose` turns a violation into a `ConfigError`
that names the key and what it takes.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeVar

from pydantic import AfterValidator, Field, model_validator

from holdcourse.config.cost import CostConfig
from holdcourse.config.drift import (
    DriftConfig,
    DriftModelsConfig,
    EpisodeConfig,
    PoolConfig,
    SimulatedDriftConfig,
)
from holdcourse.config.end_to_end import Backbone, DriftKind, EndToEndConfig, MainAgent
from holdcourse.config.engine import EngineConfig
from holdcourse.config.llm import LlmConfig, PricesConfig
from holdcourse.config.paper import PaperConfig
from holdcourse.config.paper_drift import DriftPaperConfig
from holdcourse.config.recovery import RecoveryConfig
from holdcourse.config.reward import JudgeAuditConfig, JudgeConfig, RewardConfig
from holdcourse.config.role_model import RoleModel
from holdcourse.config.section import Count, NonNegative, Section, Share
from holdcourse.config.serving import ServingConfig
from holdcourse.config.training import PolicyModelConfig, TrainingConfig
from holdcourse.config.world import WorldConfig
from holdcourse.errors import HoldcourseError

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]

Intent = Literal["service_issue", "mobile_data_issue", "mms_issue"]
Phase = Literal["A", "B"]
NodeType = Literal["identity", "norm", "knowledge"]
Relation = Literal["supports", "refines", "sequence"]

INTENTS: tuple[Intent, ...] = ("service_issue", "mobile_data_issue", "mms_issue")


Values = TypeVar("Values", bound=tuple[object, ...])


def _distinct(values: Values) -> Values:
    if len(set(values)) != len(values):
        raise ValueError(f"an entry stands twice in {list(values)}")
    return values


class ConfigError(HoldcourseError):
    """The configuration is not usable; the message names the key, the value and what would do."""


class ProtocolConfig(Section):
    """conf/protocol/: the shift protocol (GRACE §3; sizes the paper is silent on are ours)."""

    heldout_size: Count
    heldout_intents: dict[Intent, Share]
    max_transfer_expected: NonNegative
    batches: Annotated[int, Field(ge=1, le=99)]
    batch_size: Count
    batches_per_phase: Count
    phases: tuple[Phase, Phase]
    mixture: dict[Phase, dict[Intent, Share]]
    initial_instruction: Literal["full_policy", "main_policy", "file"]
    initial_instruction_file: str | None = None

    @model_validator(mode="after")
    def _shares_sum_to_one(self) -> Self:
        shares = {"heldout_intents": self.heldout_intents}
        shares |= {f"mixture.{phase}": mixture for phase, mixture in self.mixture.items()}
        for name, mixture in shares.items():
            if abs(sum(mixture.values()) - 1.0) > 1e-9:
                raise ValueError(f"{name} sums to {sum(mixture.values()):g}; its shares must sum to 1")
        if set(self.mixture) != {"A", "B"}:
            raise ValueError("mixture needs an entry for phase A and one for phase B")
        if self.initial_instruction == "file" and not self.initial_instruction_file:
            raise ValueError("initial_instruction=file needs initial_instruction_file=PATH")
        return self


RESERVED = ("protocol", "reference", "sensitivity", "zero_shot")
"""Names that results use for something else than an arm."""


class ArmConfig(Section):
    """conf/arm/: how an arm makes ℓ_t from ℓ_{t-1} and o_t."""

    name: Name
    label: str
    kind: Literal["graph", "holistic"]
    structural_analysis: bool
    radius: NonNegative
    repair_rounds: NonNegative
    relation_candidates: NonNegative
    reply_attempts: Count

    @model_validator(mode="after")
    def _not_reserved(self) -> Self:
        if self.name in RESERVED:
            raise ValueError(f"an arm cannot be called {self.name}: results use that name for something else")
        return self


class GraphConfig(Section):
    """conf/graph/: the network schema T_G of admissible (source type, relation, target type)."""

    admissible: tuple[tuple[NodeType, Relation, NodeType], ...]
    acyclic: tuple[Relation, ...]
    section_characters: Count

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if not self.admissible:
            raise ValueError("admissible is empty; name at least one (source, relation, target) triple")
        return self


class RolloutConfig(Section):
    """conf/rollout/: one simulation of τ²'s orchestrator."""

    max_steps: Count
    max_errors: Count
    infrastructure_retries: NonNegative


class EvaluationConfig(Section):
    """conf/evaluation/: trials a task, the k of pass^k and pass@k, bootstrap of the intervals."""

    trials: Count
    ks: Annotated[tuple[Count, ...], Field(min_length=1), AfterValidator(_distinct)]
    resamples: Count
    confidence: Annotated[float, Field(gt=0.0, lt=1.0)]
    bootstrap_seed: NonNegative


class AuditConfig(Section):
    """conf/audit/: which checkpoints an auditor reads, and how often."""

    checkpoints: Annotated[tuple[NonNegative, ...], AfterValidator(_distinct)]
    repeats: Count
    reply_attempts: Count


class ModelsConfig(Section):
    """conf/models/: which model plays which role; `reference_agent` is the zero-shot comparison."""

    agent: RoleModel
    user: RoleModel
    reflector: RoleModel
    extractor: RoleModel
    planner: RoleModel
    relations: RoleModel
    analyst: RoleModel
    reconstructor: RoleModel
    holistic: RoleModel
    guard: RoleModel
    auditor: RoleModel
    reference_agent: RoleModel


class CurveConfig(Section):
    """Competence c(L) = floor + (ceiling - floor) / (1 + (L / half_length)^slope), L in characters."""

    floor: Share
    ceiling: Share
    half_length: Annotated[float, Field(gt=0.0)]
    slope: Annotated[float, Field(ge=0.0)]

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.floor > self.ceiling:
            raise ValueError(f"floor {self.floor:g} is above ceiling {self.ceiling:g}")
        return self


class ReflectorRates(Section):
    """How often the simulated reflector words a lesson wrongly or too generally."""

    wrong: Share
    overgeneral: Share


class SimulatedConfig(Section):
    """conf/simulated/: the offline language model (docs/simulated-model.md)."""

    curve: CurveConfig
    reference_curve: CurveConfig
    reflector: ReflectorRates


class SensitivityConfig(Section):
    """conf/sensitivity/: the sweep over the offline model's competence curve."""

    slopes: Annotated[
        tuple[Annotated[float, Field(ge=0.0)], ...], Field(min_length=1), AfterValidator(_distinct)
    ]
    seeds: Annotated[tuple[NonNegative, ...], Field(min_length=1), AfterValidator(_distinct)]


class ReportConfig(Section):
    """conf/report/: plotting and table keys; nothing here changes a number."""

    dpi: Annotated[int, Field(ge=50, le=600)]
    formats: tuple[Literal["svg", "png", "pdf"], ...]
    palette: Literal[
        "colorblind", "deep", "muted", "bright", "dark", "pastel", "tab10", "Set1", "Set2", "Dark2"
    ]
    font_size: Annotated[float, Field(ge=4.0, le=24.0)]
    trajectory_k: Count


class TrackingConfig(Section):
    """conf/tracking/: Weights & Biases; files are authoritative with or without it."""

    project: str
    mode: Literal["offline", "online", "disabled"]


class Config(Section):
    """The whole composed configuration of one study."""

    study: Name
    results: Annotated[str, Field(min_length=1)]
    arms: Annotated[tuple[str, ...], Field(min_length=1), AfterValidator(_distinct)]
    seeds: Annotated[tuple[NonNegative, ...], Field(min_length=1), AfterValidator(_distinct)]
    seed: NonNegative
    batch: NonNegative
    checkpoint: NonNegative
    split: Literal["train", "heldout"]
    shard: NonNegative
    variant: Literal["base", "trained"]
    drift_type: DriftKind
    main_agent: MainAgent
    backbone: Backbone
    workers: Count
    policy_models: Annotated[tuple[str, ...], Field(min_length=1), AfterValidator(_distinct)]
    protocol: ProtocolConfig
    arm: ArmConfig
    graph: GraphConfig
    rollout: RolloutConfig
    evaluation: EvaluationConfig
    audit: AuditConfig
    models: ModelsConfig
    simulated: SimulatedConfig
    sensitivity: SensitivityConfig
    world: WorldConfig
    engine: EngineConfig
    drift: DriftConfig
    episode: EpisodeConfig
    pool: PoolConfig
    drift_models: DriftModelsConfig
    simulated_drift: SimulatedDriftConfig
    recovery: RecoveryConfig
    reward: RewardConfig
    judge: JudgeConfig
    judge_audit: JudgeAuditConfig
    training: TrainingConfig
    policy_model: PolicyModelConfig
    end_to_end: EndToEndConfig
    llm: LlmConfig
    prices: PricesConfig
    serving: ServingConfig
    cost: CostConfig
    report: ReportConfig
    tracking: TrackingConfig
    paper: PaperConfig
    paper_drift: DriftPaperConfig

    @model_validator(mode="after")
    def _sizes_agree(self) -> Self:
        if max(self.evaluation.ks) > self.evaluation.trials:
            raise ValueError(
                f"evaluation.ks asks for k={max(self.evaluation.ks)} but evaluation.trials="
                f"{self.evaluation.trials}; pass^k needs at least k trials"
            )
        if self.shard >= self.drift.shards:
            raise ValueError(
                f"shard={self.shard}: drift.shards={self.drift.shards}, so 0 to {self.drift.shards - 1}"
            )
        late = [t for t in self.audit.checkpoints if t > self.protocol.batches]
        if late:
            raise ValueError(f"audit.checkpoints {late} lie beyond protocol.batches={self.protocol.batches}")
        return self
