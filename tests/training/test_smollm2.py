"""SmolLM2 for real: converted once, it answers; exported, llama.cpp gives the same kind of answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from holdcourse.config.training import PolicyModelConfig
from holdcourse.errors import HoldcourseError
from holdcourse.llm.chat import ChatMessage, ChatRequest, Sampling

pytest.importorskip("torch")

from holdcourse.training.base_model import BaseModel, base_model, packaged_file

pytestmark = pytest.mark.slow

CONF = Path(__file__).parents[2] / "conf"
QUESTION = "What is the capital of France? Answer in one word."


@pytest.fixture(scope="module")
def config() -> PolicyModelConfig:
    made = PolicyModelConfig.model_validate(
        yaml.safe_load((CONF / "policy_model/smollm2_135m.yaml").read_text())
    )
    try:
        packaged_file(made.place)
    except HoldcourseError as error:
        pytest.skip(str(error))
    return made


@pytest.fixture(scope="module")
def base(config: PolicyModelConfig, tmp_path_factory: pytest.TempPathFactory) -> BaseModel:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOLDCOURSE_CACHE", str(tmp_path_factory.mktemp("cache")))
        first = base_model(config)
        assert base_model(config) == first
        return first


def test_the_converted_checkpoint_knows_where_a_turn_ends(base: BaseModel) -> None:
    """The file's own metadata name the opening of a turn as its end."""
    tokenizer = base.tokenizer()
    assert (tokenizer.eos_token, tokenizer.pad_token) == ("<|im_end|>", "<|im_end|>")


def test_it_answers(base: BaseModel) -> None:
    from holdcourse.training.intrinsic import Policy
    from holdcourse.training.policy_batch import PolicyBatch

    request = ChatRequest(
        role="recovery",
        model="smollm2",
        messages=(ChatMessage("user", QUESTION),),
        sampling=Sampling(temperature=0.0, max_tokens=20),
    )
    (reply,) = PolicyBatch(Policy.load(base, None, "bfloat16")).complete_many([request])
    assert "Paris" in str(reply.content)
    assert reply.stop_reason == "stop"


def test_llama_cpp_serves_the_export(base: BaseModel, config: PolicyModelConfig, tmp_path: Path) -> None:
    xllamacpp = pytest.importorskip("xllamacpp")
    from holdcourse.training.gguf_export import export_gguf

    target = tmp_path / "policy.gguf"
    export_gguf(Path(base.place), packaged_file(config.place), target)
    params = xllamacpp.CommonParams()
    params.model.path = str(target)
    params.n_ctx, params.n_parallel = 512, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    asked = {"messages": [{"role": "user", "content": QUESTION}], "max_tokens": 20, "temperature": 0}
    reply: Any = server.handle_chat_completions(asked)
    assert "Paris" in reply["choices"][0]["message"]["content"]
