"""TRL's GRPO trainer, with sampling and scoring that compute a group's prompt once.

With a sampler, two steps of TRL's are replaced by ones of the same result: how completions are drawn, and how
their log-probabilities are computed. Advantages, objective, optimizer and checkpoints are TRL's own. Written
for trl 1.16.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor
from trl import GRPOTrainer

from holdcourse.training.group_logps import group_logps
from holdcourse.training.merged_sampler import MergedSampler, completion_seed


class PolicyTrainer(GRPOTrainer):  # type: ignore[misc]  # trl is seen as untyped
    """GRPO; `sampler` is None for TRL's own sampling and scoring."""

    def __init__(self, *args: Any, sampler: MergedSampler | None = None, **options: Any) -> None:
        self._sampler = sampler
        super().__init__(*args, **options)

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
        super()._load_from_checkpoint(resume_from_checkpoint, model)
        # With a second adapter, the reference of a warm start, transformers loads that one alone.
        if "ref" in self.model.peft_config:
            self.model.load_adapter(resume_from_checkpoint, "default", is_trainable=True)

    def _generate_single_turn(
        self,
        prompt_ids: list[list[int]],
        images: Any,
        multimodal_fields: Any,
        num_generations: int,
        *rest: Any,
    ) -> tuple[list[list[int]], None]:
        if self._sampler is None:
            drawn: tuple[list[list[int]], None] = super()._generate_single_turn(
                prompt_ids, images, multimodal_fields, num_generations, *rest
            )
            return drawn
        self._sampler.follow(self.accelerator.unwrap_model(self.model))
        # A prompt stands once for each of its completions.
        prompts = prompt_ids[::num_generations]
        seeds = [
            [
                completion_seed(self.args.seed, self.state.global_step, place, number)
                for number in range(num_generations)
            ]
            for place in range(len(prompts))
        ]
        groups = self._sampler.sample(prompts, seeds)
        return [list(completion.tokens) for group in groups for completion in group], None

    def _get_per_token_logps_and_entropies(
        self,
        model: Any,
        input_ids: Tensor,
        attention_mask: Tensor,
        logits_to_keep: int,
        *rest: Any,
        compute_entropy: bool = False,
        **options: Any,
    ) -> tuple[Tensor, Tensor | None, Tensor | None]:
        if self._sampler is None:
            scored: tuple[Tensor, Tensor | None, Tensor | None] = super()._get_per_token_logps_and_entropies(
                model,
                input_ids,
                attention_mask,
                logits_to_keep,
                *rest,
                compute_entropy=compute_entropy,
                **options,
            )
            return scored
        with self.accelerator.autocast():
            logps, entropies = group_logps(model, input_ids, attention_mask, logits_to_keep, self.temperature)
        return logps, entropies if compute_entropy else None, None
