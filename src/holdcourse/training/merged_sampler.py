"""The policy as it samples: a copy of the base model into which the adapter is merged anew before each use.

Sampling through an adapter costs two small products a layer and token; a merged copy costs none, and leaves
the weights that are trained, and their bits, alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import torch
from transformers import PreTrainedModel

from holdcourse.training.shared_prompt import Sampled, sample


class MergedSampler:
    """Samples groups of completions from a policy.

    Args:
        copy: the base model, for this sampler alone.
        ends: tokens that end a completion.
        max_tokens: most tokens of a completion.
        temperature: of sampling.
    """

    def __init__(
        self, copy: PreTrainedModel, ends: frozenset[int], max_tokens: int, temperature: float
    ) -> None:
        self._model = copy.eval().requires_grad_(False)
        self._ends = ends
        self._max_tokens = max_tokens
        self._temperature = temperature

    def follow(self, policy: Any) -> None:
        """Take over the weights of a PEFT model's active adapter."""
        merge_into(self._model, policy)

    def sample(self, prompts: Sequence[Sequence[int]], seeds: Sequence[Sequence[int]]) -> list[list[Sampled]]:
        """Completions by prompt, one a seed."""
        groups: list[list[Sampled]] = sample(
            self._model,
            prompts,
            seeds,
            max_tokens=self._max_tokens,
            temperature=self._temperature,
            ends=self._ends,
        )
        return groups


@torch.no_grad()  # type: ignore[untyped-decorator]  # torch is seen as untyped
def merge_into(copy: PreTrainedModel, policy: Any, adapter: str = "default") -> None:
    """Write base plus adapter of a PEFT model into a plain copy of its base."""
    for name, module in policy.get_base_model().named_modules():
        if adapter in getattr(module, "lora_A", {}):
            weight = module.base_layer.weight.float() + module.get_delta_weight(adapter).float()
            copy.get_submodule(name).weight.copy_(weight)


def completion_seed(*parts: object) -> int:
    """A seed for one completion, from whatever tells it from all others."""
    digest = hashlib.sha256("\0".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1
