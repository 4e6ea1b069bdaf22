"""What a configuration makes of a server's command, and what it refuses."""

import pytest
from pydantic import ValidationError

from holdcourse.config.compose import compose
from holdcourse.config.serving import ServedModel, ServingConfig
from holdcourse.serving.plan import ServerPlan, ServingError, plan_server


def config(**settings):
    values = {
        "command": ("serve", "{weights}", "--name={name}", "--at={host}:{port}"),
        "models": (ServedModel(name="org/model", weights="org/weights", arguments=("--small",)),),
        **settings,
    }
    return ServingConfig(**values)


def test_the_command_is_filled_in_and_takes_the_models_own_arguments(tmp_path):
    plan = plan_server(config(arguments=("--all",)), "hosted_vllm/org/model", tmp_path)
    assert plan.words(81) == [
        "serve",
        "org/weights",
        "--name=org/model",
        "--at=127.0.0.1:81",
        "--all",
        "--small",
    ]
    assert plan.log == str(tmp_path / "org--model.log")


def test_a_plan_survives_being_written_down(tmp_path):
    plan = plan_server(config(), "hosted_vllm/org/model", tmp_path)
    assert ServerPlan.from_json(plan.to_json()) == plan


def test_a_model_nobody_serves_is_refused_with_what_to_do(tmp_path):
    with pytest.raises(
        ServingError, match=r"'hosted_vllm/other'(.|\n)*hosted_vllm/org/model(.|\n)*serving\.models"
    ):
        plan_server(config(), "hosted_vllm/other", tmp_path)


def test_a_missing_environment_is_named_with_how_to_make_it(tmp_path):
    made = config(environment=str(tmp_path / "none"), command=("{environment}/bin/serve",))
    with pytest.raises(ServingError, match=r"none/bin/serve does not exist(.|\n)*make setup-vllm"):
        plan_server(made, "hosted_vllm/org/model", tmp_path)


def test_the_same_server_is_the_same_whatever_the_study_that_logs_it(tmp_path):
    here, there = (plan_server(config(), "hosted_vllm/org/model", tmp_path / name) for name in ("a", "b"))
    assert here.folder == there.folder


@pytest.mark.parametrize("variable", ["SLURM_JOB_ID", "CUDA_VISIBLE_DEVICES"])
def test_jobs_of_different_allocations_share_no_server(tmp_path, monkeypatch, variable):
    plan = plan_server(config(), "hosted_vllm/org/model", tmp_path)
    before = plan.folder
    monkeypatch.setenv(variable, "7")
    assert plan.folder != before


def test_servers_meet_in_a_folder_of_this_user_alone(meeting_place: object) -> None:
    from holdcourse.serving import plan

    folder = plan.meeting_place()
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o777)
    with pytest.raises(ServingError, match="not this user's alone"):
        plan.meeting_place()


@pytest.mark.parametrize("word", ["{nothing}", "{port", "{}"])
def test_a_command_names_only_what_is_known(word):
    with pytest.raises(ValidationError, match="command"):
        config(command=("serve", word))


def test_a_server_listens_on_loopback_only():
    with pytest.raises(ValidationError, match="host"):
        config(host="0.0.0.0")


@pytest.mark.parametrize("choice", ["none", "vllm", "llamacpp", "transformers"])
def test_the_choices_of_conf_are_usable(choice):
    serving = compose("smoke", (f"serving={choice}",)).serving
    assert bool(serving.command) == (choice != "none")
    assert serving.port == 0


def test_the_local_study_has_a_server_for_each_of_its_models(tmp_path):
    local = compose("local")
    names = {getattr(local.models, role).model for role in type(local.models).model_fields}
    assert names
    environment = tmp_path / "bin"
    environment.mkdir()
    (environment / "vllm").touch(mode=0o700)
    serving = local.serving.model_copy(update={"environment": str(tmp_path)})
    for name in names:
        assert plan_server(serving, name, tmp_path).model == name.removeprefix("hosted_vllm/")
