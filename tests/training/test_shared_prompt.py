"""Sampling with a prompt kept once draws what ordinary generation draws."""

from __future__ import annotations

import pytest

from holdcourse.training.base_model import BaseModel

pytest.importorskip("torch")

import torch
from transformers import PreTrainedModel

from holdcourse.training.shared_prompt import WORTH_SHARING, Sampled, sample

PROMPTS = [[5, 9, 200, 31], [7] * 11, [3, 4]]
ENDS = frozenset({1})


@pytest.fixture(scope="module")
def model(tiny: BaseModel) -> PreTrainedModel:
    return tiny.load("float32").eval()


def drawn(
    model: PreTrainedModel,
    prompts: list[list[int]],
    seeds: list[list[int]],
    temperature: float = 0.9,
    tokens: int = 12,
) -> list[list[Sampled]]:
    found: list[list[Sampled]] = sample(
        model, prompts, seeds, max_tokens=tokens, temperature=temperature, ends=ENDS
    )
    return found


def test_the_most_likely_tokens_are_those_of_generate(model: PreTrainedModel) -> None:
    groups = drawn(model, PROMPTS, [[0, 1]] * 3, temperature=0.0)
    for prompt, group in zip(PROMPTS, groups, strict=True):
        ids = torch.tensor([prompt])
        whole = model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=12)
        expected = whole[0, len(prompt) :].tolist()
        assert [list(one.tokens) for one in group] == [expected, expected]


@pytest.mark.parametrize("kind", ["granite", "qwen2"])
def test_the_papers_architectures_decode_as_generate_does(kind: str) -> None:
    """Granite scales attention, embeddings and logits; Qwen has biases."""
    from transformers import AutoConfig, AutoModelForCausalLM

    torch.manual_seed(0)
    config = AutoConfig.for_model(
        kind,
        vocab_size=120,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        initializer_range=0.3,
        eos_token_id=1,
        pad_token_id=1,
        bos_token_id=0,
    )
    other = AutoModelForCausalLM.from_config(config).eval()
    for prompt, (one,) in zip(
        [[5, 9, 31], [7] * 6], drawn(other, [[5, 9, 31], [7] * 6], [[0], [0]], 0.0), strict=True
    ):
        ids = torch.tensor([prompt])
        whole = other.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=12)
        assert list(one.tokens) == whole[0, len(prompt) :].tolist()


def test_a_beginning_that_prompts_share_is_read_once(model: PreTrainedModel) -> None:
    """The most likely tokens are those of prompts read whole, whatever their lengths."""
    begun = [5 + place % 90 for place in range(WORTH_SHARING + 7)]
    prompts = [[*begun, 3], [*begun, 9, 8, 7, 6, 5], [*begun, 9, 8], [*begun, *PROMPTS[0]]]
    read = []
    hook = model.register_forward_pre_hook(
        lambda _, __, given: read.append(tuple(given["input_ids"].shape)), with_kwargs=True
    )
    together = drawn(model, prompts, [[0]] * 4, temperature=0.0)
    hook.remove()
    assert read[:2] == [(1, len(begun)), (4, max(map(len, prompts)) - len(begun))]
    alone = [drawn(model, [prompt], [[0]], temperature=0.0)[0] for prompt in prompts]
    assert together == alone


def test_equal_prompts_leave_their_last_token_to_be_read(model: PreTrainedModel) -> None:
    prompt = [5 + place % 90 for place in range(WORTH_SHARING + 7)]
    (alone,) = drawn(model, [prompt], [[0]], temperature=0.0)
    assert drawn(model, [prompt] * 2, [[0]] * 2, temperature=0.0) == [alone, alone]


def test_a_completion_depends_on_its_prompt_and_seed_alone(model: PreTrainedModel) -> None:
    together = drawn(model, PROMPTS, [[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    alone = drawn(model, [PROMPTS[1]], [[5]])
    assert together[1][1] == alone[0][0]


def test_seeds_make_completions_differ(model: PreTrainedModel) -> None:
    (group,) = drawn(model, [PROMPTS[0]], [[1, 2, 3, 1]])
    assert len({one.tokens for one in group}) == 3
    assert group[0] == group[3]


def test_sampling_is_from_the_models_distribution(model: PreTrainedModel) -> None:
    """The first token of 4,000 completions against softmax(logits / T), by total variation."""
    prompt, number, temperature = PROMPTS[0], 4000, 0.9
    (group,) = drawn(model, [prompt], [list(range(number))], temperature=temperature, tokens=1)
    counts = torch.bincount(torch.tensor([one.tokens[0] for one in group]), minlength=model.config.vocab_size)
    expected = torch.softmax(model(torch.tensor([prompt])).logits[0, -1] / temperature, dim=-1)
    # 258 tokens by 4,000 draws: chance alone gives about 0.1.
    assert float((counts / number - expected).abs().sum().detach() / 2) < 0.15


def test_a_completion_ends_with_its_end_token(model: PreTrainedModel) -> None:
    (group,) = drawn(model, [PROMPTS[0]], [list(range(40))], tokens=40)
    ended = [one for one in group if one.finished]
    assert ended
    for one in group:
        assert one.finished == (one.tokens[-1] == 1)
        assert 1 not in one.tokens[:-1]
        assert one.finished or len(one.tokens) == 40


def test_groups_that_are_done_leave_the_others_undisturbed(model: PreTrainedModel) -> None:
    """With every token an end, a group of one is done at once while its neighbours go on."""
    seeds = [[11], [12], [13]]
    greedy = drawn(model, PROMPTS, seeds, tokens=6)
    first = greedy[0][0].tokens[0]
    mixed: list[list[Sampled]] = sample(
        model, PROMPTS, seeds, max_tokens=6, temperature=0.9, ends=frozenset({first})
    )
    assert mixed[0][0].tokens == (first,)
    for group, expected in zip(mixed[1:], greedy[1:], strict=True):
        tokens = expected[0].tokens
        until = tokens.index(first) + 1 if first in tokens else len(tokens)
        assert group[0].tokens == tokens[:until]


def test_attention_is_as_before_afterwards(model: PreTrainedModel) -> None:
    before = model.config._attn_implementation
    drawn(model, PROMPTS[:1], [[1]])
    assert model.config._attn_implementation == before


@pytest.mark.parametrize("seeds", [[[1], [2, 3], [4]], [[], [], []], [[1]]])
def test_uneven_groups_are_refused(model: PreTrainedModel, seeds: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="seeds"):
        drawn(model, PROMPTS, seeds)
