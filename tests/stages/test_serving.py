"""For which models a job starts a server, and where it then asks them."""

import sys
from pathlib import Path

import pytest
from tests.stages.made_settings import settings

from holdcourse.config.role_model import RoleModel
from holdcourse.config.serving import ServedModel, ServingConfig
from holdcourse.stages.serving import needs_server, serving

SERVER = Path(__file__).parents[1] / "serving" / "scripted_server.py"
MODEL = "hosted_vllm/small"


def role(model):
    return RoleModel(model=model, temperature=0.0, max_tokens=None)


@pytest.mark.parametrize(
    ("overrides", "environ", "started"),
    [
        (("serving=llamacpp",), {}, True),
        ((), {}, False),
        (("serving=llamacpp", "llm.mode=replay"), {}, False),
        (("serving=llamacpp", "+llm.api_bases={hosted_vllm/: 'http://127.0.0.1:1/v1'}"), {}, False),
        (("serving=llamacpp",), {"HOSTED_VLLM_API_BASE": "http://127.0.0.1:1/v1"}, False),
    ],
)
def test_a_server_is_started_only_where_none_is_named(overrides, environ, started):
    assert needs_server(MODEL, settings(*overrides), environ) is started


def test_models_of_other_providers_need_none():
    assert not needs_server("gemini/gemini-2.5-flash", settings("serving=llamacpp"), {})


def test_a_job_asks_its_model_at_the_server_started_for_it(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.delenv("HOSTED_VLLM_API_BASE", raising=False)
    configured = ServingConfig(
        command=(sys.executable, str(SERVER), "--port={port}", "--name={name}"),
        models=(ServedModel(name="small", weights="none"),),
        linger_s=0.0,
    )
    before = settings("+llm.api_bases={openai/: 'http://127.0.0.1:1/v1'}").model_copy(
        update={"serving": configured}
    )
    with serving(before, {"agent": role(MODEL), "user": role(MODEL)}, tmp_path / "study") as during:
        base = during.llm.api_base(MODEL)
        assert base is not None
        assert base.startswith("http://127.0.0.1:")
        assert during.llm.api_base("openai/x") == "http://127.0.0.1:1/v1"
    assert before.llm.api_base(MODEL) is None
    assert (tmp_path / "study/logs/serving/small.log").exists()


def test_nothing_is_started_for_a_job_that_needs_none(tmp_path):
    before = settings()
    with serving(before, {"agent": role("gemini/gemini-2.5-flash")}, tmp_path) as during:
        assert during == before
    assert list(tmp_path.iterdir()) == []
