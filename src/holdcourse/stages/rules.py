"""What the Snakefile asks when it is parsed: the slice and the code digest of each stage.

Imports neither τ², LiteLLM, pandas nor matplotlib, since every Snakemake process parses the rules.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from pydantic import JsonValue

from holdcourse.config.compose import compose
from holdcourse.config.schema import Config, ConfigError, RoleModel
from holdcourse.stages.code import code_digest
from holdcourse.stages.cutting import arm_config, cut
from holdcourse.stages.keys import require_access
from holdcourse.stages.reaching import door_settings
from holdcourse.stages.shift_slices import (
    AuditSlice,
    EvaluateSlice,
    EvolveSlice,
    FiguresSlice,
    InitialSlice,
    MetricsSlice,
    ProtocolSlice,
    ReferenceSlice,
    TablesSlice,
    TrackSlice,
)
from holdcourse.stages.slices import StageConfig

SLICES: dict[str, type[StageConfig]] = {
    "protocol": ProtocolSlice,
    "initial": InitialSlice,
    "evolve": EvolveSlice,
    "evaluate": EvaluateSlice,
    "reference": ReferenceSlice,
    "audit": AuditSlice,
    "metrics": MetricsSlice,
    "tables": TablesSlice,
    "figures": FiguresSlice,
    "report": FiguresSlice,
    "track": TrackSlice,
}


NUMBERS = ("seed", "batch", "checkpoint")
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
        for arm in self.base.arms:
            arm_config(self.study, arm, self.overrides)
        self.out = f"{self.base.results}/{self.study}"

    def slice(self, stage: str, wildcards: Mapping[str, str]) -> dict[str, JsonValue]:
        """The slice of a stage for the values that a job's wildcards name."""
        items = tuple(sorted((key, value) for key, value in wildcards.items()))
        return _slice(self.study, self.overrides, stage, items)

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

    def code(self, stage: str) -> str:
        """Digest of the code that a stage runs."""
        return _code(f"holdcourse.stages.{stage}")


@cache
def _slice(
    study: str, overrides: tuple[str, ...], stage: str, wildcards: tuple[tuple[str, str], ...]
) -> dict[str, JsonValue]:
    named = dict(wildcards)
    config = arm_config(study, named["arm"], overrides) if "arm" in named else compose(study, overrides)
    numbers: dict[str, int] = {
        key: int(named[key]) for key in ("seed", "batch", "checkpoint") if key in named
    }
    return cut(SLICES[stage], config.model_copy(update=numbers), overrides)


_code = cache(code_digest)


def study_and_overrides(settings: Mapping[str, object]) -> tuple[str, tuple[str, ...]]:
    """What Snakemake's `config` names: the study, and Hydra overrides for the whole run.

    Raises:
        ConfigError: the overrides are neither text nor a list.
    """
    return str(settings.get("study", "offline")), _overrides(settings.get("overrides", ()))


def _overrides(given: object) -> tuple[str, ...]:
    if isinstance(given, str):
        try:
            return tuple(shlex.split(given))
        except ValueError as error:
            raise ConfigError(f"overrides={given!r}: {error}") from None
    if isinstance(given, Sequence):
        return tuple(str(item) for item in given)
    raise ConfigError(f'overrides={given!r}: expected "key=value …" or a list of such')
