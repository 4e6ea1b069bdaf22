"""A stage run by hand says which unit it takes, and Hydra's folder is named by that unit."""

from __future__ import annotations

import pytest

from holdcourse.stages.rules import SLICES
from holdcourse.stages.units import run_folder, unit_keys, usage


@pytest.mark.parametrize(
    ("stage", "keys"),
    [
        ("protocol", ("seed",)),
        ("initial", ("arm", "seed")),
        ("evaluate", ("arm", "seed", "checkpoint")),
        ("trajectories", ("split", "shard")),
        ("intrinsic", ("policy_model", "seed", "variant")),
        ("drifted", ("drift_type", "main_agent")),
        ("episodes", ("drift_type", "main_agent", "backbone")),
        ("injection_walks", ("main_agent", "backbone")),
        ("drift_tables", ()),
    ],
)
def test_a_stages_unit_is_told_from_its_slice(stage: str, keys: tuple[str, ...]) -> None:
    assert unit_keys(SLICES[stage]) == keys


def test_help_names_the_unit_of_the_stage_alone() -> None:
    told = usage("drifted", SLICES["drifted"])
    assert "drifted study=smoke drift_type=I main_agent=large\n" in told
    assert "--multirun study=smoke drift_type=I main_agent=large,small " in told
    assert told.endswith("Its unit: drift_type=I|II|III main_agent=large|small")


def test_help_sweeps_numbers_from_the_first_that_is_valid() -> None:
    assert "batch=1,2 " in usage("evolve", SLICES["evolve"])
    assert "seed=N batch=N" in usage("evolve", SLICES["evolve"])


def test_help_says_that_a_stage_has_no_unit() -> None:
    assert usage("world", SLICES["world"]).endswith("It works on a whole study.")


def test_two_units_share_no_folder() -> None:
    assert run_folder("intrinsic", SLICES["intrinsic"]) == (
        "${results}/${study}/hydra/intrinsic/policy_model-${policy_model.name}/seed-${seed}/variant-${variant}"
    )
