"""A causal language model of transformers, answering prompts in batches.

What a row of a batch says depends, but for rounding, on its own prompt and seed alone: noise is drawn for
each row by itself, and the most likely token after adding it is taken (Gumbel-max sampling).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    LogitsProcessor,
    LogitsProcessorList,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    StoppingCriteria,
    StoppingCriteriaList,
)

UNBOUNDED = 10**9


@dataclass(frozen=True, slots=True)
class Completion:
    """The tokens that one prompt was continued by, without the end token; `finished` if that came."""

    tokens: list[int]
    finished: bool
    timed_out: bool


class LocalModel:
    """A loaded checkpoint with its tokenizer; `context` is the number of tokens it takes."""

    def __init__(self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> None:
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.context = int(getattr(model.config, "max_position_embeddings", None) or UNBOUNDED)
        ends = model.generation_config.eos_token_id
        if ends is None:
            ends = tokenizer.eos_token_id
        self._ends = [] if ends is None else list(ends) if isinstance(ends, list | tuple) else [ends]
        self._padding = tokenizer.pad_token_id
        if self._padding is None:
            self._padding = self._ends[0] if self._ends else 0

    @classmethod
    def load(cls, place: str, revision: str | None) -> LocalModel:
        """Load a folder or a model of the hub; no code that comes with it is run.

        Raises:
            OSError: it is not there, or no checkpoint.
        """
        device = "cuda" if torch.cuda.is_available() else "cpu"
        named = {} if revision is None else {"revision": revision}
        tokenizer = AutoTokenizer.from_pretrained(place, trust_remote_code=False, **named)
        model = AutoModelForCausalLM.from_pretrained(place, trust_remote_code=False, dtype="auto", **named)
        return cls(model.to(device), tokenizer)

    def tokens(self, prompt: str) -> list[int]:
        """The prompt's tokens; special ones are part of its text already."""
        return list(self.tokenizer(prompt, add_special_tokens=False)["input_ids"])

    def text(self, tokens: Sequence[int]) -> str:
        """The text of tokens, special ones left out."""
        return str(self.tokenizer.decode(list(tokens), skip_special_tokens=True))

    @torch.inference_mode()  # type: ignore[untyped-decorator]  # torch is seen as untyped
    def generate(
        self,
        prompts: Sequence[Sequence[int]],
        *,
        limits: Sequence[int],
        temperatures: Sequence[float],
        seeds: Sequence[int],
        ends_at: Sequence[float],
    ) -> list[Completion]:
        """Continue prompts, each within its own limits.

        Args:
            prompts: tokens of each.
            limits: most tokens of each continuation.
            temperatures: of each; 0 takes the most likely token.
            seeds: of each one's noise.
            ends_at: when to give each up, on the monotonic clock.
        """
        width = max(map(len, prompts))
        limits = [
            min(limit, self.context - len(prompt)) for limit, prompt in zip(limits, prompts, strict=True)
        ]
        ids = torch.full((len(prompts), width), self._padding, dtype=torch.long)
        mask = torch.zeros_like(ids)
        for row, prompt in enumerate(prompts):
            ids[row, width - len(prompt) :] = torch.tensor(prompt)
            mask[row, width - len(prompt) :] = 1
        stopping = _RowLimits(width, limits, ends_at)
        output = self.model.generate(
            input_ids=ids.to(self.model.device),
            attention_mask=mask.to(self.model.device),
            do_sample=False,
            temperature=None,
            top_p=None,
            top_k=None,
            max_new_tokens=max(max(limits), 1),
            pad_token_id=self._padding,
            eos_token_id=self._ends or None,
            logits_processor=LogitsProcessorList([_RowNoise(temperatures, seeds)]),
            stopping_criteria=StoppingCriteriaList([stopping]),
        )
        rows = output[:, width:].tolist()
        return [
            self._completion(row, made, late)
            for row, made, late in zip(rows, stopping.made, stopping.late, strict=True)
        ]

    def _completion(self, row: list[int], made: int, late: bool) -> Completion:
        # A row that was stopped is filled up, often with the very end token.
        made = min(made, len(row))
        end = next((place for place in range(made) if row[place] in self._ends), None)
        return Completion(row[: made if end is None else end], end is not None, late and end is None)


class _RowNoise(LogitsProcessor):  # type: ignore[misc]  # transformers is seen as untyped
    def __init__(self, temperatures: Sequence[float], seeds: Sequence[int]) -> None:
        self._temperatures = temperatures
        self._generators = [torch.Generator().manual_seed(seed) for seed in seeds]

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        scores = scores.float()
        for row, (temperature, generator) in enumerate(
            zip(self._temperatures, self._generators, strict=True)
        ):
            if temperature > 0:
                uniform = torch.rand(scores.shape[1], generator=generator).clamp_min(1e-20).to(scores.device)
                scores[row] = scores[row] / temperature - torch.log(-torch.log(uniform))
        return scores


class _RowLimits(StoppingCriteria):  # type: ignore[misc]  # transformers is seen as untyped
    def __init__(self, width: int, limits: Sequence[int], ends_at: Sequence[float]) -> None:
        self._width = width
        self._limits = limits
        self._ends_at = ends_at
        self.late = [False] * len(limits)
        self.made = [UNBOUNDED] * len(limits)

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor, **_: object) -> torch.Tensor:
        made, now = input_ids.shape[1] - self._width, time.monotonic()
        for row, (limit, ends_at) in enumerate(zip(self._limits, self._ends_at, strict=True)):
            if self.made[row] == UNBOUNDED and (made >= limit or now > ends_at):
                self.made[row], self.late[row] = made, made < limit
        return torch.tensor([made < UNBOUNDED for made in self.made], device=input_ids.device)
