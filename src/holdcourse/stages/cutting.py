"""Cutting a stage's slice out of a composed configuration."""

from __future__ import annotations

from pydantic import JsonValue

from holdcourse.config.compose import compose
from holdcourse.config.schema import Config, ConfigError
from holdcourse.llm.door import is_simulated
from holdcourse.stages.slices import HOW, StageConfig


def cut(kind: type[StageConfig], config: Config, overrides: tuple[str, ...] = ()) -> dict[str, JsonValue]:
    """Cut a stage's slice out of a composed configuration, as plain data.

    Args:
        kind: the stage's configuration class.
        config: the composed configuration.
        overrides: what `config` was composed with; arms are composed with the same.
    """
    tree = config.model_dump(mode="json")
    roles = (*kind.roles, *kind.roles_by_kind.get(config.arm.kind, ()))
    models = {role: getattr(config.models, role) for role in roles}
    simulated = any(is_simulated(model.model) for model in models.values())
    derived: dict[str, JsonValue] = {
        "models": {role: model.model_dump(mode="json") for role, model in models.items()},
        "arm_labels": _arm_labels(config, overrides),
        "simulated": tree["simulated"] if simulated else None,
        "graph": tree["graph"] if config.arm.kind == "graph" else None,
        "all_models": tree["models"],
        "arm_name": config.arm.name,
        "reply_attempts": config.audit.reply_attempts,
        "batches": config.protocol.batches,
        "trials": config.evaluation.trials,
        "ks": list(config.evaluation.ks),
        "repeats": config.audit.repeats,
    }
    names = [name for name in kind.model_fields if name not in HOW]
    return {name: derived[name] if name in derived else tree[name] for name in names}


def _arm_labels(config: Config, overrides: tuple[str, ...]) -> dict[str, JsonValue]:
    rest = tuple(item for item in overrides if not item.startswith(("arm=", "arm.", "study=")))
    return {arm: arm_config(config.study, arm, rest).arm.label for arm in config.arms}


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
