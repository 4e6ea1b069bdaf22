"""The part of the configuration that a stage uses, and nothing else.

A stage names its groups as the fields of a `StageConfig`. Snakemake gives each rule just that slice, so that
an edit reruns exactly what it touches; the command line cuts the same slice from what Hydra composed. This
module is free of Hydra, so that a job that is handed its slice starts faster.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import ClassVar, TypeVar

from pydantic import Field, JsonValue, ValidationError

from holdcourse.config.llm import DoorSettings
from holdcourse.config.role_model import RoleModel
from holdcourse.config.schema import ConfigError, ModelsConfig
from holdcourse.config.section import Section
from holdcourse.config.training import PolicyModelConfig
from holdcourse.llm.chat import canonical_json

HOW = ("workers", "door")
"""Fields of a slice that say how its stage runs; they change no result."""


class StageConfig(Section):
    """Base of all slices.

    `roles` names the entries of conf/models/ that the stage asks whatever the arm, `roles_by_kind` those of
    one kind of arm; the slice holds only those, and holds conf/simulated/ only if one of them is a simulated
    model. `drift_roles` names entries of conf/drift_models/ likewise. `workers` is a matter of the machine,
    and `door` of how models that are not simulated are reached: neither is part of any digest.
    """

    roles: ClassVar[tuple[str, ...]] = ()
    roles_by_kind: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    drift_roles: ClassVar[tuple[str, ...]] = ()
    asks_all_roles: ClassVar[bool] = False

    study: str
    workers: int = Field(default=1, ge=1)
    door: DoorSettings | None = None

    def identity(self) -> dict[str, JsonValue]:
        """Everything that determines the stage's results, as plain data."""
        return self.model_dump(mode="json", exclude=set(HOW))

    @property
    def in_process(self) -> PolicyModelConfig | None:
        """The small model that runs in the stage's own process; None for most."""
        return None

    @property
    def digest(self) -> str:
        """SHA-256 of `identity`, as hexadecimal."""
        return hashlib.sha256(canonical_json(self.identity()).encode()).hexdigest()


SliceT = TypeVar("SliceT", bound=StageConfig)

Models = dict[str, RoleModel]
"""The models of a slice by role."""


def models_of(kind: type[StageConfig], arm_kind: str, models: ModelsConfig) -> Models:
    """The models that a stage asks when it works on an arm of a kind."""
    roles = (*kind.roles, *kind.roles_by_kind.get(arm_kind, ()))
    return {role: getattr(models, role) for role in roles}


def validate(kind: type[SliceT], values: Mapping[str, object]) -> SliceT:
    """Turn plain data back into a slice.

    Raises:
        ConfigError: a value is missing, unknown or out of range.
    """
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise ConfigError(str(error)) from error
