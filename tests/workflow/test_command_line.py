"""A stage by hand: Hydra's command line, its errors, and sweeps."""

import pytest

from tests.workflow.test_resume import run, stage


@pytest.mark.parametrize(
    ("name", "override", "message"),
    [
        ("protocol", "protocol.heldout_size=5000", "5000"),
        ("evaluate", "arm=nix", "arm/nix"),
        ("evaluate", "checkpoint=9", "not exist; run the stages before"),
        ("evolve", "batch=0", "batch"),
        ("initial", "protocol.initial_instruction=file", "needs initial_instruction_file"),
        ("initial", "protocol.bathces=2", "bathces"),
    ],
)
def test_bad_input_is_one_clear_error(finished, tmp_path, name, override, message):
    done = run(stage(name, finished, tmp_path / "results", override), finished)
    assert done.returncode != 0
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("content", "message"), [(b"", "empty"), (b"\xff\xfe\x00", "UTF-8")])
def test_an_unusable_instruction_file_is_refused(finished, tmp_path, content, message):
    path = tmp_path / "instruction.md"
    path.write_bytes(content)
    overrides = ("protocol.initial_instruction=file", f"protocol.initial_instruction_file={path}")
    done = run(stage("initial", finished, tmp_path / "results", *overrides), finished)
    assert done.returncode != 0
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_results_of_another_configuration_are_not_overwritten(finished, tmp_path):
    results = tmp_path / "results"
    assert run(stage("protocol", finished, results), finished).returncode == 0
    before = (results / "smoke/shift/protocol/seed0.json").read_bytes()
    done = run(stage("protocol", finished, results, "protocol.batch_size=3"), finished)
    assert done.returncode != 0
    assert "made with another config" in done.stderr
    assert "Traceback" not in done.stderr
    assert (results / "smoke/shift/protocol/seed0.json").read_bytes() == before


def test_a_sweep_runs_a_stage_for_each_value(finished, tmp_path):
    results = tmp_path / "results"
    command = stage("protocol", finished, results, "--multirun", "seed=0,1,2")
    done = run(command, finished)
    assert done.returncode == 0, done.stderr
    assert len(list((results / "smoke/shift/protocol").glob("seed?.json"))) == 3


def test_help_shows_the_configuration(finished, tmp_path):
    done = run(stage("evaluate", finished, tmp_path, "--help"), finished)
    assert done.returncode == 0
    assert "protocol" in done.stdout
    assert "arm: grace, grace_no_sa, hce" in done.stdout
