"""conf/ is checked whole before any job runs, and an error names the key and its choices."""

import pytest
import yaml

from holdcourse.config.compose import compose, conf_directory, group_choices
from holdcourse.config.schema import Config, ConfigError

STUDIES = ("smoke", "offline", "paper", "local")


@pytest.mark.parametrize("study", STUDIES)
def test_every_study_composes(study):
    assert compose(study).study == study


@pytest.mark.parametrize("arm", group_choices("arm"))
def test_every_arm_is_named_as_its_file(arm):
    assert compose("smoke", (f"arm={arm}",)).arm.name == arm


def test_the_offline_study_has_the_papers_shape():
    config = compose("offline")
    assert config.arms == ("grace", "grace_no_sa", "hce")
    assert config.seeds == (0, 1, 2, 3, 4)
    assert (config.protocol.batches, config.protocol.heldout_size, config.evaluation.trials) == (10, 66, 3)
    assert config.audit.checkpoints == (6, 10)


def test_only_the_offline_studies_are_simulated():
    simulated = {study: compose(study).models.agent.model.startswith("simulated/") for study in STUDIES}
    assert simulated == {"smoke": True, "offline": True, "paper": False, "local": False}


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("protocol.bathces=3", r"protocol\.bathces[\s\S]*protocol\.batches"),
        ("arm=nix", r"arm/nix[\s\S]*grace_no_sa"),
        ("evaluation.trials=0", r"evaluation\.trials=0.*greater than or equal to 1"),
        ("evaluation.trials=two", r"evaluation\.trials='two'.*integer"),
        ("arms=[grace,nix]", r"unknown nix; conf/arm/ has grace, grace_no_sa, hce"),
        ("arms=[]", r"arms=.*at least 1 item"),
        ("seeds=[1,1]", r"seeds: an entry stands twice in \[1, 1\]"),
        ("evaluation.ks=[1,1]", r"evaluation\.ks: an entry stands twice"),
        ("evaluation.ks=[]", r"evaluation\.ks=.*at least 1 item"),
        ("audit.checkpoints=[6,6]", r"audit\.checkpoints: an entry stands twice"),
        ("sensitivity.slopes=[0,0]", r"sensitivity\.slopes: an entry stands twice"),
        ("protocol.batches=120", r"protocol\.batches=120.*less than or equal to 99"),
        ("results=''", r"results=''.*at least 1 character"),
        ("arm.name=reference", "an arm cannot be called reference"),
        ("seed=-1", r"seed=-1"),
        ("evaluation.ks=[4]", r"k=4 but evaluation\.trials=3"),
        ("simulated.curve.floor=1.5", r"simulated\.curve\.floor=1\.5"),
        ("simulated.curve.floor=0.99", r"floor 0\.99 is above ceiling 0\.98"),
        ("protocol.phases=[A,C]", r"protocol\.phases\.1='C'.*'A' or 'B'"),
        ("+protocol.foo=3", r"protocol\.foo: unknown key; protocol has batch_size"),
        ("protocol.mixture.A.mms_issue=0.5", r"mixture\.A sums to 1\.35"),
        ("audit.checkpoints=[11]", r"audit\.checkpoints \[11\] lie beyond"),
        ("protocol.initial_instruction=file", "needs initial_instruction_file"),
        ("simulated.curve.slope=nan", r"simulated\.curve\.slope"),
    ],
)
def test_a_wrong_value_fails_by_name(override, message):
    with pytest.raises(ConfigError, match=message):
        compose("offline", (override,))


def test_an_unknown_study_names_the_studies():
    with pytest.raises(
        ConfigError, match=r"unknown study 'smok'; conf/study/ has local, offline, paper, smoke"
    ):
        compose("smok")


def test_seed_zero_is_a_seed():
    assert compose("smoke", ("seed=0",)).seed == 0
    assert 0 in compose("smoke").seeds


def test_each_group_of_conf_has_a_schema_behind_it():
    groups = {path.name for path in conf_directory().iterdir() if path.is_dir()} - {"study"}
    assert groups <= set(Config.model_fields)


def test_every_file_of_conf_explains_itself():
    for path in conf_directory().rglob("*.yaml"):
        first = path.read_text(encoding="utf-8").splitlines()[0]
        assert first.startswith("#"), path
        assert isinstance(yaml.safe_load(path.read_text(encoding="utf-8")), dict), path
