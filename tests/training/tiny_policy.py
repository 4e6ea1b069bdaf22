"""A policy small enough to train in a test: random weights, bytes as tokens, a chat template."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import torch
import yaml
from tests.training.made_rows import N1, N2, N3, N4
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from holdcourse.config.reward import RewardConfig, RewardWeights
from holdcourse.config.training import TrainingConfig
from holdcourse.training.base_model import BaseModel
from holdcourse.training.prompt_rows import PromptRow
from holdcourse.training.rewards.vector import COMPONENTS, RewardVector

ROOT = Path(__file__).parents[2]
END = "<|im_end|>"
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
WEIGHTS = RewardConfig.model_validate(yaml.safe_load((ROOT / "conf/reward/paper.yaml").read_text())).weights


def make(folder: Path) -> BaseModel:
    """Write a checkpoint with its tokenizer."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: number for number, token in enumerate(["<|im_start|>", END, *alphabet])}
    raw = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw, bos_token="<|im_start|>", eos_token=END, pad_token=END, chat_template=TEMPLATE
    )
    torch.manual_seed(0)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(vocabulary),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=2048,
            initializer_range=0.2,
            bos_token_id=0,
            eos_token_id=1,
            pad_token_id=1,
            tie_word_embeddings=True,
        )
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return BaseModel(str(folder), None, "tests/tiny", "0")


def training(**changes: object) -> TrainingConfig:
    """conf/training/cpu.yaml cut down to the tiny policy."""
    values = yaml.safe_load((ROOT / "conf/training/cpu.yaml").read_text())
    values |= {
        "dtype": "float32",
        "max_steps": 4,
        "max_completion_tokens": 8,
        "learning_rate": 0.01,
        "schedule": "constant_with_warmup",
        "warmup_ratio": 0.0,
        "lora": {"rank": 4, "alpha": 8, "dropout": 0.05, "targets": ["q_proj", "v_proj", "down_proj"]},
        "checkpoint": {"every": 2, "keep": 2},
        "collapse": {"window": 2, "reward_fall": None, "kl": None, "cut_off": None, "shortest": None},
        "max_prompt_tokens": 800,
    }
    return TrainingConfig.model_validate({**values, **changes})


ROWS: tuple[PromptRow, ...] = (N1, N2, N3, N4)

Say = Callable[[str, int], float | None]


class NamedJudge:
    """A judge that only has a name."""

    name = "a test"
    unreached = 0

    def scores(self, questions: Sequence[tuple[PromptRow, str]]) -> list[float | None]:
        raise AssertionError("nobody asks this judge")


class MadeScorer:
    """Scores completions by a function of the text and of how many were scored before."""

    judge = NamedJudge()

    def __init__(self, say: Say) -> None:
        self._say = say
        self.count = 0
        self.config = None

    def score(self, completions: Sequence[str], rows: Sequence[PromptRow]) -> list[RewardVector]:
        vectors = []
        for completion in completions:
            vectors.append(vector(self._say(completion, self.count)))
            self.count += 1
        return vectors


def vector(score: float | None, weights: RewardWeights = WEIGHTS) -> RewardVector:
    """A reward that is the judge's score alone."""
    return RewardVector({name: score if name == "judge" else 0.0 for name in COMPONENTS}, weights)


def short(text: str, _: int) -> float:
    """More for completions of fewer different characters."""
    return 1.0 / (1 + len(set(text)))
