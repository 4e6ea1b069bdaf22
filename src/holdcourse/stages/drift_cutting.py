"""Fields of the recovery's slices that are worked out from the configuration and a job's unit."""

from __future__ import annotations

from pydantic import JsonValue

from holdcourse.config.end_to_end import SMALL_BACKBONES, SmallModel
from holdcourse.config.schema import Config
from holdcourse.stages.slices import StageConfig


def asked_roles(kind: type[StageConfig], config: Config) -> tuple[str, ...]:
    """The entries of conf/drift_models/ that a job of a stage asks.

    A job of one main agent asks that agent alone, and a recovery model only where that is the backbone.
    """
    if "main_agent" not in kind.model_fields:
        return kind.drift_roles
    frontier = "backbone" in kind.model_fields and config.backbone == "frontier"
    mine = {f"agent_{config.main_agent}", *([f"recovery_{config.main_agent}"] if frontier else [])}
    return tuple(role for role in kind.drift_roles if role in mine)


def recovery_fields(config: Config) -> dict[str, JsonValue]:
    """Fields by name, as plain data."""
    end_to_end = config.end_to_end
    tree = end_to_end.model_dump(mode="json")
    cell = end_to_end.cell(config.drift_type, config.main_agent)
    small = None
    if config.backbone in SMALL_BACKBONES:
        small = SmallModel(
            policy=config.policy_model,
            training_seed=config.training.seeds[0] if config.backbone == "trained" else None,
            dtype=config.training.dtype,
            run=end_to_end.small_model,
        )
    acting = None
    if cell is not None and config.backbone in cell.backbones:
        acting = cell.acting(config.backbone).model_dump(mode="json")
    return {
        "cells": tree["cells"],
        "acting": acting,
        "onset_errors": tree["onset_errors"],
        "onset_backbones": tree["onset_backbones"],
        "injection": tree["injection"],
        "recovery_seed": end_to_end.seed,
        # The agent that starts again is the one that drifted.
        "agent_seed": config.drift.seed,
        "small_model": None if small is None else small.model_dump(mode="json"),
    }
