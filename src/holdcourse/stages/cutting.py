"""Cutting a stage's slice out of a composed configuration."""

from __future__ import annotations

from pydantic import JsonValue

from holdcourse.config.compose import compose
from holdcourse.config.schema import ArmConfig, Config, ConfigError
from holdcourse.llm.door import is_simulated
from holdcourse.stages.drift_cutting import asked_roles, recovery_fields
from holdcourse.stages.slices import HOW, StageConfig, models_of

HOW_TO_RUN = ("arm=", "cost", "llm", "prices", "results", "serving", "study=", "tracking", "workers")
"""Overrides by these names say how or where a study runs; they are no part of what its tables show."""


def cut(kind: type[StageConfig], config: Config, overrides: tuple[str, ...] = ()) -> dict[str, JsonValue]:
    """Cut a stage's slice out of a composed configuration, as plain data.

    Args:
        kind: the stage's configuration class.
        config: the composed configuration.
        overrides: what `config` was composed with; arms are composed with the same.
    """
    tree = config.model_dump(mode="json")
    models = models_of(kind, config.arm.kind, config.models)
    simulated = kind.asks_all_roles or any(is_simulated(model.model) for model in models.values())
    drift_agents = {role: getattr(config.drift_models, role) for role in asked_roles(kind, config)}
    simulated_drift = any(is_simulated(model.model) for model in drift_agents.values())
    arms = _arms(config, overrides)
    derived: dict[str, JsonValue] = {
        "models": {role: model.model_dump(mode="json") for role, model in models.items()},
        "overrides": [item for item in overrides if not item.lstrip("+~").startswith(HOW_TO_RUN)],
        "arm_labels": {name: arm.label for name, arm in arms.items()},
        # The printed name is no part of how an arm works.
        "arm": config.arm.model_copy(update={"label": config.arm.name}).model_dump(mode="json"),
        "simulated": tree["simulated"] if simulated else None,
        "drift_agents": {role: model.model_dump(mode="json") for role, model in drift_agents.items()},
        "simulated_drift": tree["simulated_drift"] if simulated_drift else None,
        "graph": tree["graph"] if kind.asks_all_roles or config.arm.kind == "graph" else None,
        "all_models": tree["models"],
        "arm_name": config.arm.name,
        "reply_attempts": config.audit.reply_attempts,
        "batches": config.protocol.batches,
        "trials": config.evaluation.trials,
        "ks": list(config.evaluation.ks),
        "repeats": config.audit.repeats,
        "slopes": list(config.sensitivity.slopes) if is_simulated(config.models.agent.model) else [],
        "decoding": config.training.decoding.model_dump(mode="json"),
        "policies": _policies(config, overrides) if "policies" in kind.model_fields else {},
        "judge_model": config.drift_models.judge.model,
        "trajectory_agent": config.drift_models.agent_large.model,
        **recovery_fields(config),
        "sensitivity_seeds": list(config.sensitivity.seeds),
    }
    names = [name for name in kind.model_fields if name not in HOW]
    return {name: derived[name] if name in derived else tree[name] for name in names}


def _arms(config: Config, overrides: tuple[str, ...]) -> dict[str, ArmConfig]:
    rest = tuple(item for item in overrides if not item.startswith(("arm=", "study=")))
    return {arm: arm_config(config.study, arm, rest).arm for arm in config.arms}


def _policies(config: Config, overrides: tuple[str, ...]) -> dict[str, JsonValue]:
    rest = tuple(item for item in overrides if not item.startswith(("policy_model=", "study=")))
    return {
        name: compose(config.study, (f"policy_model={name}", *rest)).policy_model.model_dump(mode="json")
        for name in config.policy_models
    }


def arm_config(study: str, arm: str, overrides: tuple[str, ...] = ()) -> Config:
    """Compose a study for one arm.

    Raises:
        ConfigError: the arm is unknown, or its file gives it another name than its own.
    """
    config = compose(study, (f"arm={arm}", *overrides))
    if config.arm.name != arm:
        raise ConfigError(
            f"conf/arm/{arm}.yaml says name: {config.arm.name}; the name must be the file's, {arm}, "
            "since results are stored under it"
        )
    return config
