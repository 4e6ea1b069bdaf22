"""How a job reaches models that are not simulated: composed when the job runs, outside its slice.

Endpoints, limits, budgets and prices are no part of what a job computes, so they come neither through a
rule's `params` nor into a digest, and changing one reruns nothing. A job whose models are all simulated needs
none of it, and does not pay for composing it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from holdcourse.config.llm import DoorSettings
from holdcourse.config.role_model import RoleModel
from holdcourse.llm.door import is_simulated
from holdcourse.stages.slices import SliceT, StageConfig

if TYPE_CHECKING:
    from holdcourse.config.schema import Config


def asked_models(cfg: StageConfig) -> dict[str, RoleModel]:
    """The models by role that a stage asks and that are not simulated."""
    models: dict[str, RoleModel] = {**getattr(cfg, "models", {}), **getattr(cfg, "drift_agents", {})}
    return {role: model for role, model in models.items() if not is_simulated(model.model)}


def door_settings(config: Config) -> DoorSettings:
    """The settings that a composed configuration gives."""
    return DoorSettings(
        llm=config.llm,
        prices=config.prices,
        serving=config.serving,
        study_folder=f"{config.results}/{config.study}",
    )


def composed_door_settings(settings: Mapping[str, object]) -> DoorSettings:
    """The settings of a Snakemake job, from Snakemake's own `config`: the study and its overrides.

    Raises:
        ConfigError: the configuration is not usable.
    """
    from holdcourse.config.compose import compose
    from holdcourse.stages.rules import study_and_overrides

    return door_settings(compose(*study_and_overrides(settings)))


@contextmanager
def reached(cfg: SliceT, out: Path) -> Iterator[SliceT]:
    """The slice with settings under which its models can be reached while the context lasts.

    Raises:
        HoldcourseError: a key is missing, or a server cannot be started.
    """
    models = asked_models(cfg)
    if cfg.door is None or not models:
        yield cfg
        return
    from holdcourse.stages.keys import require_access
    from holdcourse.stages.serving import serving

    require_access([model.model for model in models.values()], cfg.door, os.environ)
    with serving(cfg.door, models, out) as settings:
        yield cfg.model_copy(update={"door": settings})
