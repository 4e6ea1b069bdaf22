"""The schema behind conf/training/ and conf/policy_model/: how a policy is trained, and from what."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from holdcourse.config.section import Count, NonNegative, Section, Share

Positive = Annotated[float, Field(gt=0.0)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class LoraSettings(Section):
    """The adapter (drift paper, Table 5; targets §5.2: all attention and MLP projections)."""

    rank: Count
    alpha: Count
    dropout: Annotated[float, Field(ge=0.0, lt=1.0)]
    targets: Annotated[tuple[str, ...], Field(min_length=1)]

    @field_validator("targets")
    @classmethod
    def _linear_layers_of_the_decoder(cls, targets: tuple[str, ...]) -> tuple[str, ...]:
        found = sorted({"lm_head", "embed_tokens"} & set(targets))
        if found:
            raise ValueError(f"{', '.join(found)}: often one weight for both, so it takes no adapter")
        return targets


class SamplingSettings(Section):
    """How the completions of training are sampled.

    Attributes:
        engine: `shared_prompt` computes a prompt once for its group, in this process, and is made for CPUs;
            `transformers` is TRL's own generate; `vllm_colocate` and `vllm_server` need a GPU.
        temperature: of sampling; TRL divides the logits of the loss by it too.
        top_p: share of probability mass that is sampled from.
        vllm_memory: share of the GPU's memory for vLLM, colocated; the paper trains in 35 % all together.
        vllm_url: address of the server for `vllm_server`.
    """

    engine: Literal["shared_prompt", "transformers", "vllm_colocate", "vllm_server"]
    temperature: Annotated[float, Field(gt=0.0, le=2.0)]
    top_p: Annotated[float, Field(gt=0.0, le=1.0)]
    vllm_memory: Annotated[float, Field(gt=0.0, lt=1.0)]
    vllm_url: str | None

    @model_validator(mode="after")
    def _engine_can_do_it(self) -> Self:
        if self.engine == "vllm_server" and not self.vllm_url:
            raise ValueError("sampling.engine=vllm_server needs sampling.vllm_url=http://HOST:PORT")
        if self.engine == "shared_prompt" and self.top_p < 1.0:
            raise ValueError(
                "sampling.engine=shared_prompt samples from the whole distribution; top_p must be 1.0"
            )
        return self


class CollapseRules(Section):
    """When training is stopped early because the policy collapses (ours: the paper is silent).

    All are read off means over the last `window` optimizer steps.

    Attributes:
        window: optimizer steps that a mean is taken over.
        reward_fall: stop when the mean reward has fallen by this share of the best window's; null never
            stops.
        kl: stop when the mean KL divergence from the base model exceeds this; null never stops.
        cut_off: stop when this share of completions reaches the token limit without an end, and more than at
            the start of training did; null never stops.
        shortest: stop when completions are shorter than so many tokens on average; null never stops.
    """

    window: Count
    reward_fall: Annotated[float, Field(gt=0.0, le=1.0)] | None
    kl: Positive | None
    cut_off: Annotated[float, Field(gt=0.0, le=1.0)] | None
    shortest: Count | None


class CheckpointRules(Section):
    """How often training is saved so that it can go on after a kill.

    Attributes:
        every: optimizer steps between two states.
        keep: how many of the newest states are kept, beside the one of the best window.
    """

    every: Count
    keep: Count


class WarmStart(Section):
    """A named extension: a short supervised start on the labels of the pool. `none` is the paper's way.

    Attributes:
        kind: `none`, or `sft`.
        steps: optimizer steps.
        batch: prompts a step.
        learning_rate: constant.
    """

    kind: Literal["none", "sft"]
    steps: Count
    batch: Count
    learning_rate: Positive


class IntrinsicSettings(Section):
    """How base and trained model answer the held-out prompts: one decoding for both (drift paper §5.3.1).

    Attributes:
        samples: completions a prompt.
        temperature: of sampling.
        seed: of sampling; the same noise for base and trained.
        rows: prompts answered at once.
    """

    samples: Count
    temperature: Annotated[float, Field(ge=0.0, le=2.0)]
    seed: NonNegative
    rows: Count


class DecodingSettings(Section):
    """All of conf/training/ that the evaluation of a model depends on; the same for base and trained."""

    samples: Count
    temperature: float
    seed: NonNegative
    rows: Count
    max_prompt_tokens: Count
    max_completion_tokens: Count
    dtype: Literal["bfloat16", "float32"]


class TrainingConfig(Section):
    """conf/training/: GRPO under TRL and PEFT (drift paper §5.2 and Table 5).

    Attributes:
        name: of the preset; adapters and tables name it.
        seeds: of independent training runs.
        group_size: G, completions a prompt.
        clip: ε of the clipped ratio.
        kl: β, weight of the KL divergence from the base model.
        max_grad_norm: gradients are scaled down to this norm.
        max_prompt_tokens: longer prompts are left out of training, and counted.
        max_completion_tokens: where sampling stops.
        learning_rate: peak of the schedule.
        weight_decay: of AdamW.
        adam_beta1: β_1.
        adam_beta2: β_2.
        warmup_ratio: share of the steps in which the learning rate rises.
        schedule: how it falls after that.
        accumulation: batches a step of the optimizer.
        batch: completions a batch and device; a multiple of `group_size`.
        epochs: passes over the pool.
        max_steps: optimizer steps after which training ends, however large the pool; null for no limit.
        lora: the adapter.
        dtype: of the frozen base model's weights, and of autocast.
        attention: transformers' attention implementation.
        gradient_checkpointing: trade time for memory.
        threads: threads of a CPU; the adapter's bits depend on it.
        sampling: how completions are sampled.
        collapse: early stop.
        checkpoint: resuming.
        warm_start: supervised start, an extension.
        intrinsic: evaluation on held-out prompts.
    """

    name: Name
    seeds: Annotated[tuple[NonNegative, ...], Field(min_length=1)]
    group_size: Annotated[int, Field(ge=2)]
    clip: Positive
    kl: Annotated[float, Field(ge=0.0)]
    max_grad_norm: Positive
    max_prompt_tokens: Count
    max_completion_tokens: Count
    learning_rate: Positive
    weight_decay: Annotated[float, Field(ge=0.0)]
    adam_beta1: Annotated[float, Field(gt=0.0, lt=1.0)]
    adam_beta2: Annotated[float, Field(gt=0.0, lt=1.0)]
    warmup_ratio: Share
    schedule: Literal["cosine", "linear", "constant_with_warmup"]
    accumulation: Count
    batch: Count
    epochs: Count
    max_steps: Count | None
    lora: LoraSettings
    dtype: Literal["bfloat16", "float32"]
    attention: Literal["sdpa", "eager"]
    gradient_checkpointing: bool
    threads: Count
    sampling: SamplingSettings
    collapse: CollapseRules
    checkpoint: CheckpointRules
    warm_start: WarmStart
    intrinsic: IntrinsicSettings

    @model_validator(mode="after")
    def _sizes_agree(self) -> Self:
        if self.batch % self.group_size:
            raise ValueError(
                f"batch={self.batch} is no multiple of group_size={self.group_size}; "
                "a batch holds whole groups"
            )
        if len(set(self.seeds)) != len(self.seeds):
            raise ValueError(f"a seed stands twice in seeds={list(self.seeds)}")
        return self

    @property
    def prompts_a_step(self) -> int:
        """Prompts whose groups one step of the optimizer sees, on one device."""
        return self.batch * self.accumulation // self.group_size

    @property
    def decoding(self) -> DecodingSettings:
        """What the evaluation on held-out prompts depends on; how a policy was trained is no part of it."""
        return DecodingSettings(
            **self.intrinsic.model_dump(),
            max_prompt_tokens=self.max_prompt_tokens,
            max_completion_tokens=self.max_completion_tokens,
            dtype=self.dtype,
        )


class PolicyModelConfig(Section):
    """conf/policy_model/: the model that is trained, and where it comes from.

    Attributes:
        name: the file's name; results are stored under it.
        label: printed name.
        paper: whether the paper trains this model.
        source: `package` is a GGUF file that a Python package ships, converted once; `hub` an id on the
            Hugging Face hub; `path` a folder with a checkpoint of transformers.
        place: the package's name, the hub's id or the folder.
        revision: commit of the hub, so that the weights cannot change; required for `hub`.
        sha256: of the package's file.
        identity: how adapters name their base, whatever machine they were made on.
        licence: of the weights (SPDX).
        parameters: number of them, as printed.
    """

    name: Name
    label: str
    paper: bool
    source: Literal["package", "hub", "path"]
    place: Annotated[str, Field(min_length=1)]
    revision: str | None
    sha256: Sha256 | None
    identity: str
    licence: str
    parameters: str

    @model_validator(mode="after")
    def _pinned(self) -> Self:
        if self.source == "hub" and not self.revision:
            raise ValueError(
                f"policy_model {self.name}: source=hub needs revision=COMMIT, "
                "so that the weights cannot change"
            )
        if self.source == "package" and not self.sha256:
            raise ValueError(f"policy_model {self.name}: source=package needs sha256= of the file it ships")
        return self
