"""A printed command can be typed again: Snakemake reads from it what the study was composed with."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from snakemake.cli import parse_config

from holdcourse.config.study_command import study_command, told_results
from holdcourse.stages.rules import study_and_overrides


def read_back(command: str) -> tuple[str, tuple[str, ...]]:
    words = shlex.split(command)
    return study_and_overrides(parse_config(words[words.index("--config") + 1 :]))


@pytest.mark.parametrize(
    "overrides",
    [
        (),
        ("seeds=[0]",),
        ("end_to_end.cells=[{drift_type: I, main_agent: large}]", "seeds=[0, 1]"),
        ("seeds=[0, 1]", "arms=[grace]", "simulated.reflector.wrong=0.3"),
        ("models.agent.model='a: \"b\" #c'", "~judge", "+x.y=$HOME", "x.z=a\\,b"),
    ],
)
def test_snakemake_reads_the_same_overrides(overrides: tuple[str, ...]) -> None:
    assert read_back(study_command("tables", "smoke", overrides)) == ("smoke", overrides)


def test_the_command_has_the_readmes_form() -> None:
    command = study_command("drift", "smoke", ("arms=[grace]", "seeds=[0]"), "runs", cores="2")
    assert command == (
        'snakemake drift --cores 2 --config study=smoke overrides="results=runs arms=[grace] seeds=[0]"'
    )
    assert read_back(command) == ("smoke", ("results=runs", "arms=[grace]", "seeds=[0]"))


def test_the_default_folder_and_target_are_not_named() -> None:
    assert study_command("", "smoke", cores="2") == "snakemake --cores 2 --config study=smoke"


def test_a_table_names_no_path_of_a_machine() -> None:
    assert told_results(Path("/srv/shared/results")) == "results"
    assert told_results(Path("results/wrong")) == "results/wrong"
