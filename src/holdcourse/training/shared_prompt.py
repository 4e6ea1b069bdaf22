"""Sampling several completions of each prompt while its keys and values are computed and kept once.

Groups of GRPO share their prompt; prompts of one node share its instruction and worked example, which are
read once for a batch as well. A prompt's keys and values are held once for all its completions, and the
queries of a group meet them in one matrix product. On a CPU, where ordinary decoding spends most of its
time copying them for every row, a step takes a fifth of the time; the distribution that is sampled from is
the same but for rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import AttentionInterface, DynamicCache, PreTrainedModel

IMPLEMENTATION = "holdcourse_shared_prompt"
_SMALLEST = 1e-20

WORTH_SHARING = 64
"""Tokens that prompts must begin with in common for these to be read once (ours)."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """The tokens of one completion, its end token included if it came (`finished`)."""

    tokens: tuple[int, ...]
    finished: bool


@dataclass(frozen=True)
class _Prompts:
    """Keys and values by layer, (prompts, heads, width, size); `present`: which places hold a token."""

    keys: tuple[Tensor, ...]
    values: tuple[Tensor, ...]
    present: Tensor

    @property
    def lengths(self) -> Tensor:
        return self.present.sum(-1)

    def chosen(self, prompts: list[int]) -> _Prompts:
        return _Prompts(
            tuple(keys[prompts] for keys in self.keys),
            tuple(values[prompts] for values in self.values),
            self.present[prompts],
        )


@torch.inference_mode()  # type: ignore[untyped-decorator]  # torch is seen as untyped
def sample(
    model: PreTrainedModel,
    prompts: Sequence[Sequence[int]],
    seeds: Sequence[Sequence[int]],
    *,
    max_tokens: int,
    temperature: float,
    ends: frozenset[int],
) -> list[list[Sampled]]:
    """Sample completions of prompts; each depends, but for rounding, on its own prompt and seed alone.

    Args:
        model: a decoder in evaluation mode, with rotary or other positions given by `position_ids`.
        prompts: tokens of each, at least one.
        seeds: for each prompt, one seed a completion; as many for each.
        max_tokens: most tokens of a completion.
        temperature: of sampling; 0 takes the most likely token.
        ends: tokens that end a completion.

    Returns:
        By prompt, its completions in the order of its seeds.

    Raises:
        ValueError: prompts differ in their number of seeds, or one is empty.
    """
    group = len(seeds[0]) if seeds else 0
    if not group or any(len(row) != group for row in seeds) or len(seeds) != len(prompts):
        raise ValueError("each prompt needs seeds, and as many as every other")
    if not all(prompts):
        raise ValueError("a prompt is empty")
    held, logits = _read(model, prompts)
    noise = [torch.Generator().manual_seed(seed) for row in seeds for seed in row]
    rows = list(range(len(noise)))
    written: list[list[int]] = [[] for _ in rows]
    finished = [False] * len(rows)
    logits = logits.repeat_interleave(group, dim=0)
    cache = DynamicCache()
    with _attending(model):
        for made in range(max_tokens):
            tokens = _drawn(logits, [noise[row] for row in rows], temperature)
            for row, token in zip(rows, tokens.tolist(), strict=True):
                if not finished[row]:
                    written[row].append(token)
                    finished[row] = token in ends
            going = [
                at // group
                for at in range(0, len(rows), group)
                if not all(finished[row] for row in rows[at : at + group])
            ]
            if not going or made + 1 == max_tokens:
                break
            if len(going) * group < len(rows):
                # Groups stay whole, since their rows share a prompt.
                kept = [at * group + place for at in going for place in range(group)]
                held, tokens, rows = held.chosen(going), tokens[kept], [rows[place] for place in kept]
                if made:
                    cache.batch_select_indices(torch.tensor(kept, device=tokens.device))
            logits = model(
                input_ids=tokens[:, None],
                position_ids=(held.lengths + made).repeat_interleave(group)[:, None],
                past_key_values=cache,
                use_cache=True,
                holdcourse_prompts=held,
            ).logits[:, -1]
    samples = [Sampled(tuple(row), end) for row, end in zip(written, finished, strict=True)]
    return [samples[at : at + group] for at in range(0, len(samples), group)]


def _read(model: PreTrainedModel, prompts: Sequence[Sequence[int]]) -> tuple[_Prompts, Tensor]:
    """The prompts' keys and values, and the logits after each."""
    device = model.device
    begun = _begun_alike(prompts)
    width = max(map(len, prompts)) - begun
    ids = torch.zeros((len(prompts), width), dtype=torch.long)
    present = torch.zeros((len(prompts), begun + width), dtype=torch.bool)
    present[:, :begun] = True
    for row, prompt in enumerate(prompts):
        rest = torch.tensor(prompt[begun:])
        ids[row, width - len(rest) :] = rest
        present[row, begun + width - len(rest) :] = True
    ids, present = ids.to(device), present.to(device)
    cache = DynamicCache()
    if begun:
        alike = torch.tensor([prompts[0][:begun]], device=device)
        model(input_ids=alike, past_key_values=cache, use_cache=True, logits_to_keep=1)
        cache.batch_repeat_interleave(len(prompts))
    output = model(
        input_ids=ids,
        attention_mask=present.long(),
        position_ids=(present.long().cumsum(-1) - 1).clamp_min(0)[:, begun:],
        past_key_values=cache,
        use_cache=True,
        logits_to_keep=1,
    )
    held = _Prompts(
        tuple(layer.keys for layer in cache.layers), tuple(layer.values for layer in cache.layers), present
    )
    return held, output.logits[:, -1]


def _begun_alike(prompts: Sequence[Sequence[int]]) -> int:
    """With how many tokens all prompts begin, if it pays to read them by themselves; 0 if not."""
    if len(prompts) < 2:
        return 0
    ordered = sorted(map(tuple, prompts))
    first, last = ordered[0], ordered[-1]
    # Of sorted prompts the first and the last have least in common. A last token of each is left to be read.
    most = min(map(len, prompts)) - 1
    alike = next((place for place in range(most) if first[place] != last[place]), most)
    return alike if alike >= WORTH_SHARING else 0


def _drawn(logits: Tensor, noise: Sequence[torch.Generator], temperature: float) -> Tensor:
    """A token a row; noise is drawn for each row by itself (Gumbel-max), on the CPU so that devices agree."""
    if temperature == 0:
        return logits.argmax(dim=-1)
    uniform = torch.stack([torch.rand(logits.shape[1], generator=generator) for generator in noise])
    gumbel = -torch.log(-torch.log(uniform.clamp_min(_SMALLEST)))
    return (logits.float() / temperature + gumbel.to(logits.device)).argmax(dim=-1)


@contextmanager
def _attending(model: PreTrainedModel) -> Iterator[None]:
    before = model.config._attn_implementation
    model.set_attn_implementation(IMPLEMENTATION)
    try:
        yield
    finally:
        model.set_attn_implementation(before)


def _attend(
    module: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float,
    holdcourse_prompts: _Prompts,
    **_: object,
) -> tuple[Tensor, None]:
    """Attention of one new token a row over its prompt (kept once a group) and its own tokens so far."""
    keys, values = holdcourse_prompts.keys[module.layer_idx], holdcourse_prompts.values[module.layer_idx]
    (prompts, heads, width, size), rows = keys.shape, query.shape[0]
    group, shared = rows // prompts, query.shape[1] // heads

    def by_prompt(scores: Tensor) -> Tensor:
        """(rows, heads, shared, n) as (prompts, heads, group * shared, n)."""
        parted = scores.reshape(prompts, group, heads, shared, scores.shape[-1]).transpose(1, 2)
        return parted.reshape(prompts, heads, group * shared, scores.shape[-1])

    def by_row(output: Tensor) -> Tensor:
        parted = output.reshape(prompts, heads, group, shared, output.shape[-1]).transpose(1, 2)
        return parted.reshape(rows, heads, shared, output.shape[-1])

    queries = query.reshape(rows, heads, shared, size)
    over_prompt = by_prompt(queries) @ keys.transpose(-1, -2)
    over_own = queries @ key.transpose(-1, -2)
    hidden = ~holdcourse_prompts.present[:, None, None, :]
    scores = torch.cat([over_prompt.masked_fill(hidden, float("-inf")), by_prompt(over_own)], dim=-1)
    weights = torch.softmax(scores.float() * scaling, dim=-1).to(values.dtype)
    output = by_row(weights[..., :width] @ values) + by_row(weights[..., width:]) @ value
    return output.reshape(rows, 1, heads * shared, size), None


AttentionInterface.register(IMPLEMENTATION, _attend)
