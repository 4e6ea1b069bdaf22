"""Which keys a study needs, by name, and what is said when one is missing."""

from pathlib import Path

import pytest
from tests.stages.made_settings import settings

from holdcourse.llm.failures import MissingKeyError, NoProviderError
from holdcourse.stages.keys import PROVIDER_KEYS, key_needs, provider_of, require_access
from holdcourse.stages.rules import RuleParameters

ROOT = Path(__file__).resolve().parents[2]
GEMINI, GPT = "gemini/gemini-2.5-flash", "gpt-4o"


@pytest.mark.parametrize(
    ("model", "provider"),
    [(GEMINI, "gemini"), (GPT, "openai"), ("openai/gpt-4o", "openai"), ("claude-x", "anthropic"), ("x", "")],
)
def test_a_models_name_says_its_provider(model, provider):
    assert provider_of(model) == provider


def test_each_key_is_needed_once_with_the_models_behind_it():
    first, second = key_needs([GEMINI, GPT, "gemini/gemini-3.1-pro", GEMINI], settings())
    assert first.text == "GEMINI_API_KEY or GOOGLE_API_KEY"
    assert first.models == (GEMINI, "gemini/gemini-3.1-pro")
    assert second.models == (GPT,)


@pytest.mark.parametrize("model", ["simulated/agent", "local/checkpoint", "hosted_vllm/model"])
def test_a_model_of_ones_own_needs_no_key(model):
    assert key_needs([model], settings()) == ()


def test_a_server_of_ones_own_needs_no_key():
    assert key_needs(["openai/small"], settings("+llm.api_bases={openai/: 'http://127.0.0.1:1/v1'}")) == ()


def test_replay_needs_neither_key_nor_server():
    assert require_access([GEMINI, "hosted_vllm/model"], settings("llm.mode=replay"), {}) == ""


def test_all_missing_keys_are_named_at_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingKeyError) as error:
        require_access([GEMINI, GPT], settings(), {"OPENAI_API_KEY": "  "})
    told = str(error.value)
    assert "GEMINI_API_KEY or GOOGLE_API_KEY for gemini/gemini-2.5-flash; OPENAI_API_KEY for gpt-4o" in told
    assert ".env.example" in told
    assert "llm.mode=replay" in told


def test_a_key_that_stands_unread_in_dotenv_is_pointed_out_by_name_only(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text(
        "# OPENAI_API_KEY=x\nexport GEMINI_API_KEY=planted-value\nGOOGLE_API_KEY=\n"
    )
    with pytest.raises(MissingKeyError, match=r"GEMINI_API_KEY stands in \.env, which is not read") as error:
        require_access([GEMINI, GPT], settings(), {})
    assert "planted-value" not in str(error.value)


def test_what_is_set_is_told_by_name_only():
    told = require_access([GEMINI], settings(), {"GOOGLE_API_KEY": "planted-value"})
    assert told == "keys needed, and set: GEMINI_API_KEY or GOOGLE_API_KEY"


def test_a_model_without_a_server_is_refused_with_what_to_do():
    with pytest.raises(NoProviderError, match=r"hosted_vllm/model(.|\n)*\+llm\.api_bases(.|\n)*serving=vllm"):
        require_access(["hosted_vllm/model"], settings(), {})


@pytest.mark.parametrize(
    ("overrides", "environ"),
    [
        (("serving=llamacpp",), {}),
        (("+llm.api_bases={hosted_vllm/: 'http://127.0.0.1:1/v1'}",), {}),
        ((), {"HOSTED_VLLM_API_BASE": "http://127.0.0.1:1/v1"}),
    ],
)
def test_a_server_may_be_started_or_named(overrides, environ):
    assert require_access(["hosted_vllm/model"], settings(*overrides), environ) == ""


def test_the_paper_needs_one_key_and_only_for_rules_that_ask():
    paper = RuleParameters({"study": "paper"})
    assert paper.access(["protocol", "metrics", "tables", "all"], {}) == ""
    with pytest.raises(MissingKeyError, match="GEMINI_API_KEY"):
        paper.access(["evaluate"], {})
    assert "GEMINI_API_KEY" in paper.access(["evaluate", "evolve", "audit"], {"GEMINI_API_KEY": "set"})


def test_an_offline_study_needs_nothing():
    assert RuleParameters({"study": "smoke"}).access(["initial", "evolve", "evaluate", "audit"], {}) == ""


def test_the_example_names_every_key_and_holds_none():
    lines = (ROOT / ".env.example").read_text().splitlines()
    pairs = [line.partition("=") for line in lines if line and not line.startswith("#")]
    assert {value for _, _, value in pairs} == {""}
    assert {names[0] for names in PROVIDER_KEYS.values()} <= {name for name, _, _ in pairs}
