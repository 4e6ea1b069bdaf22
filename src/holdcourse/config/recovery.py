"""The schema behind conf/recovery/: how the recovery graph walks, what it shows and how often it asks."""

from __future__ import annotations

from typing import Annotated, Literal

import yaml
from pydantic import Field, ValidationError

from holdcourse.config.section import Count, Section
from holdcourse.errors import HoldcourseError

Limit = Annotated[int, Field(ge=40, le=1_000_000)]
"""Characters. Below 40 there is no room to say how much is left out."""


class FieldLimits(Section):
    """Characters that a prompt shows of each field; what is longer is cut in its middle, where it says so.

    `injected`, `code` and `output` are the parts of a step. The instruction of a prompt is never cut.
    """

    task: Limit
    cause: Limit
    injected: Limit
    code: Limit
    output: Limit
    why: Limit
    operations: Limit
    documentation: Limit
    inspected: Limit
    refused: Limit


class RecoverySampling(Section):
    """How a recovery model decodes."""

    temperature: Annotated[float, Field(ge=0.0, le=2.0)]
    max_tokens: Count


class RecoveryConfig(Section):
    """conf/recovery/: the recovery graph (drift paper §4).

    Attributes:
        wording: the set of prompts, recovery/prompts/{wording}/.
        example: whether each prompt shows one worked example of its node.
        streak: K of Algorithm 1, the aligned steps in a row that end the walk.
        max_steps: steps a walk inspects before it gives up and calls a human.
        reply_attempts: times a node is asked before its walk calls a human, the first included.
        enforce_write_rule: whether a rollback ordered in spite of drifted writes becomes an escalation
            (§3.5).
    """

    wording: Literal["full", "short"]
    example: bool
    streak: Count
    max_steps: Count
    reply_attempts: Annotated[int, Field(ge=1, le=10)]
    enforce_write_rule: bool
    sampling: RecoverySampling
    limits: FieldLimits


def named_settings(name: str) -> RecoveryConfig:
    """The settings of conf/recovery/`name`.yaml, for use outside a study.

    Raises:
        HoldcourseError: there is no such file, or its content is not usable.
    """
    # Composing a whole study would need all other groups too.
    from holdcourse.config.compose import conf_directory, group_choices

    choices = group_choices("recovery")
    if name not in choices:
        raise HoldcourseError(f"unknown recovery settings {name!r}; conf/recovery/ has {', '.join(choices)}")
    path = conf_directory() / "recovery" / f"{name}.yaml"
    try:
        return RecoveryConfig.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (yaml.YAMLError, ValidationError) as error:
        raise HoldcourseError(f"{path} is not usable: {error}") from error
