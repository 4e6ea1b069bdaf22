"""A checkpoint in this process: batched, seeded by row, its limits and its form; a tiny one made here."""

from __future__ import annotations

import threading

import pytest

from holdcourse.llm.chat import ChatMessage, ChatRequest, Sampling, ToolSpec
from holdcourse.llm.failures import ContextLengthError, NoProviderError, TimedOutError
from holdcourse.llm.local_provider import LocalProvider, checkpoint_of
from holdcourse.llm.retries import FailedTryError

TEMPLATE = (
    "{% if tools %}<tools>{{ tools | tojson }}</tools>{% endif %}"
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
CONTEXT = 256


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """A randomly initialised Llama that speaks in single characters."""
    torch = pytest.importorskip("torch", reason="needs the extra `models`: pip install holdcourse[models]")
    transformers, tokenizers = pytest.importorskip("transformers"), pytest.importorskip("tokenizers")
    folder = tmp_path_factory.mktemp("tiny")
    characters = [chr(number) for number in range(32, 127)]
    words = {token: number for number, token in enumerate(["<end>", "<unk>", *characters])}
    bare = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="<unk>"))
    bare.pre_tokenizer = tokenizers.pre_tokenizers.Split("", "isolated")
    bare.decoder = tokenizers.decoders.Fuse()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=bare, eos_token="<end>", unk_token="<unk>", pad_token="<end>", chat_template=TEMPLATE
    )
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=len(words),
            hidden_size=32,
            intermediate_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=2,
            max_position_embeddings=CONTEXT,
            eos_token_id=0,
            bos_token_id=0,
        )
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return f"local/{folder}"


@pytest.fixture(scope="module")
def provider(checkpoint):
    return LocalProvider()


def asking(model: str, text: str = "hello", **sampling) -> ChatRequest:
    sampling = {"max_tokens": 12, "seed": 1, **sampling}
    return ChatRequest("user", model, (ChatMessage("user", text),), (), Sampling(**sampling))


def test_a_name_holds_a_place_and_a_revision():
    assert checkpoint_of("local/org/model@v1.0") == ("org/model", "v1.0")
    assert checkpoint_of("local/org/model") == ("org/model", None)
    assert checkpoint_of("local/models/a@b/model") == ("models/a@b/model", None)


def test_an_answer_has_text_tokens_and_a_stop_reason(provider, checkpoint):
    answer = provider.ask(asking(checkpoint), 60.0, 0)
    prompt = "<user>hello</user><assistant>"
    assert answer.usage.prompt_tokens == len(prompt)
    assert answer.stop_reason in {"stop", "length"}
    assert answer.usage.completion_tokens == 12 or answer.stop_reason == "stop"


def test_the_same_seed_says_the_same_and_another_something_else(provider, checkpoint):
    def said(seed, repeat=0):
        request = asking(checkpoint, temperature=1.0, seed=seed, max_tokens=30)
        return provider.ask(request, 60.0, repeat).content

    assert said(3) == said(3)
    assert said(3) != said(4)
    assert said(3, repeat=1) == said(4)


def test_requests_at_the_same_time_get_the_answers_they_get_alone(provider, checkpoint):
    requests = [
        asking(
            checkpoint,
            "x" * number,
            temperature=1.0 if number % 2 else 0.0,
            seed=number,
            max_tokens=8 + number,
        )
        for number in range(6)
    ]
    alone = [provider.ask(request, 60.0, 0) for request in requests]
    together = {}

    def ask(number):
        together[number] = provider.ask(requests[number], 60.0, 0)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [together[number] for number in range(6)] == alone


def test_a_prompt_that_does_not_fit_is_a_context_length_error(provider, checkpoint):
    with pytest.raises(FailedTryError) as caught:
        provider.ask(asking(checkpoint, "x" * CONTEXT), 60.0, 0)
    assert isinstance(caught.value.error, ContextLengthError)
    assert not caught.value.again


def test_an_answer_ends_where_the_context_does(provider, checkpoint):
    prompt = len("<user></user><assistant>")
    request = asking(checkpoint, "x" * (CONTEXT - prompt - 5), max_tokens=100)
    answer = provider.ask(request, 60.0, 0)
    assert answer.usage.completion_tokens <= 5


def test_an_answer_that_takes_too_long_is_given_up(provider, checkpoint):
    with pytest.raises(FailedTryError) as caught:
        provider.ask(asking(checkpoint, temperature=1.0, max_tokens=200), 0.0, 0)
    assert isinstance(caught.value.error, TimedOutError)


def test_a_json_answer_is_begun_with_its_brace(provider, checkpoint):
    answer = provider.ask(asking(checkpoint, json_reply=True), 60.0, 0)
    assert answer.content.startswith("{")


def test_tools_are_in_the_prompt(provider, checkpoint):
    tool = ToolSpec("f", "Does.", {"type": "object"})
    plain = asking(checkpoint)
    with_tool = ChatRequest("user", checkpoint, plain.messages, (tool,), plain.sampling)
    tokens = [provider.ask(request, 60.0, 0).usage.prompt_tokens for request in (plain, with_tool)]
    assert tokens[1] > tokens[0] + len('<tools>"name": "f"</tools>')


def test_what_is_no_checkpoint_is_named(tmp_path):
    pytest.importorskip("torch", reason="needs the extra `models`: pip install holdcourse[models]")
    with pytest.raises(NoProviderError, match="no checkpoint that transformers can load"):
        LocalProvider().ask(asking(f"local/{tmp_path}"), 60.0, 0)


def test_without_the_extra_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "holdcourse.llm.local_model", None)
    with pytest.raises(NoProviderError, match=r"pip install holdcourse\[models\]"):
        LocalProvider().ask(asking("local/some/model"), 60.0, 0)
