"""How models are reached: composed when a job runs, part of no digest, free for simulated jobs."""

import subprocess
import sys

import pytest

from holdcourse.config.compose import compose
from holdcourse.errors import HoldcourseError
from holdcourse.stages.cutting import cut
from holdcourse.stages.reaching import asked_models, composed_door_settings, door_settings, reached
from holdcourse.stages.shift_slices import AuditSlice, EvaluateSlice, TrackSlice
from holdcourse.stages.slices import validate

OVERRIDES = ("models.agent.model=openai/gpt-4o", "llm.budget.calls=7", "llm.mode=replay")
CONFIG = compose("smoke", OVERRIDES)


def slice_of(kind, config=CONFIG):
    return validate(kind, cut(kind, config))


def test_only_models_that_are_not_simulated_need_to_be_reached():
    assert {role: model.model for role, model in asked_models(slice_of(EvaluateSlice)).items()} == {
        "agent": "openai/gpt-4o"
    }
    assert asked_models(slice_of(AuditSlice)) == {}
    assert asked_models(slice_of(TrackSlice)) == {}


def test_settings_change_no_digest():
    plain = slice_of(EvaluateSlice)
    assert plain.door is None
    reaching = plain.model_copy(update={"door": door_settings(CONFIG)})
    assert reaching.digest == plain.digest
    assert reaching.identity() == plain.identity()
    dearer = compose(
        "smoke", (*OVERRIDES, "llm.budget.usd=9", "llm.cache=elsewhere", "llm.retries.attempts=1")
    )
    assert slice_of(EvaluateSlice, dearer) == plain


def test_a_snakemake_job_composes_them_from_the_study_and_its_overrides():
    settings = composed_door_settings({"study": "smoke", "overrides": " ".join(OVERRIDES)})
    assert settings == door_settings(CONFIG)
    assert settings.llm.budget.calls == 7
    assert settings.study_folder == "results/smoke"


def test_a_slice_without_settings_is_left_as_it_is(tmp_path):
    plain = slice_of(AuditSlice)
    with reached(plain, tmp_path) as found:
        assert found is plain


def test_a_missing_key_is_said_before_the_work(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    live = compose("smoke", ("models.agent.model=openai/gpt-4o",))
    cfg = slice_of(EvaluateSlice, live).model_copy(update={"door": door_settings(live)})
    with pytest.raises(HoldcourseError, match="OPENAI_API_KEY"), reached(cfg, tmp_path):
        pytest.fail("the work must not start")


def test_a_job_of_simulated_models_imports_neither_hydra_nor_litellm():
    program = (
        "import sys\n"
        "import holdcourse.stages.evaluate\n"
        "from holdcourse.llm.door import Door\n"
        "Door(None)\n"
        "heavy = {'litellm', 'hydra', 'torch', 'diskcache', 'tenacity'} & set(sys.modules)\n"
        "print(sorted(heavy))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
