"""Does the way of training on a GPU work, how fast, in how much memory? At most five minutes on one GPU.

    PYTHONPATH=src python benchmarks/gpu_training.py --out gpu_training.json

Needs torch, transformers and peft, no weights, no network: the two models of the drift paper are built by
their sizes with random weights. Each makes whole GRPO steps of Table 5's shape (groups of 4, prompts of 1600
and completions of 700 tokens, LoRA r 128 on all projections, bfloat16): sampling from a merged copy with the
prompt kept once, the base's and the policy's log-probabilities, the clipped objective with its KL term,
AdamW. Random weights cannot show that rewards rise, and TRL's trainer and vLLM have no part in it: the report
names the packages that are lacking. On a machine without a GPU `--tiny` runs everything on a small model, to
see that the script itself works.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import sys
import time
from pathlib import Path
from typing import Any

import torch

from holdcourse.training.group_logps import group_logps
from holdcourse.training.merged_sampler import merge_into
from holdcourse.training.shared_prompt import sample

GROUP, PROMPT, COMPLETION, RANK, ALPHA, DROPOUT = 4, 1600, 700, 128, 256, 0.05
CLIP, KL, TEMPERATURE, NORM = 0.2, 0.04, 0.9, 0.1
TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]

QWEN = {
    "hidden_size": 1536,
    "intermediate_size": 8960,
    "num_hidden_layers": 28,
    "num_attention_heads": 12,
    "num_key_value_heads": 2,
    "vocab_size": 151936,
    "tie_word_embeddings": True,
}
GRANITE = {
    "hidden_size": 2048,
    "intermediate_size": 8192,
    "num_hidden_layers": 40,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 49159,
    "attention_multiplier": 0.015625,
    "embedding_multiplier": 12.0,
    "logits_scaling": 8.0,
    "residual_multiplier": 0.22,
    "tie_word_embeddings": True,
}
TINY = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 500,
}
PACKAGES = ("torch", "transformers", "peft", "trl", "vllm", "accelerate", "datasets")


def main() -> None:
    """Run what this machine can, print it, and write it as JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=None)
    parser.add_argument("--tiny", action="store_true", help="a small model, on the CPU if there is no GPU")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=270.0, help="no new model is begun after so long")
    given = parser.parse_args()
    gpu = torch.cuda.is_available()
    if not gpu and not given.tiny:
        sys.exit("no GPU here; --tiny tries the script on the CPU")
    started = time.perf_counter()
    report: dict[str, Any] = {
        "device": torch.cuda.get_device_name() if gpu else "CPU",
        "packages": {name: _version(name) for name in PACKAGES},
        "lacking": [name for name in PACKAGES if _version(name) is None],
        "models": {},
    }
    for name in ("granite_3_3_2b", "qwen_2_5_1_5b"):
        if time.perf_counter() - started > given.seconds:
            report["models"][name] = "left out: no time"
            continue
        report["models"][name] = _measured(name, given.tiny, given.steps, "cuda" if gpu else "cpu")
        print(name, json.dumps(report["models"][name]), flush=True)
    report["seconds"] = round(time.perf_counter() - started, 1)
    text = json.dumps(report, indent=2)
    print(text)
    if given.out:
        given.out.write_text(text + "\n", encoding="utf-8")


def _version(package: str) -> str | None:
    if importlib.util.find_spec(package) is None:
        return None
    return importlib.metadata.version(package)


def _model(name: str, tiny: bool, device: str) -> Any:
    from transformers import AutoModelForCausalLM, GraniteConfig, Qwen2Config

    kind, sizes = (GraniteConfig, GRANITE) if name.startswith("granite") else (Qwen2Config, QWEN)
    config = kind(**{**sizes, **(TINY if tiny else {})}, max_position_embeddings=4096)
    torch.manual_seed(0)
    with torch.device(device):
        return AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16, attn_implementation="sdpa")


def _measured(name: str, tiny: bool, steps: int, device: str) -> dict[str, Any]:
    from peft import LoraConfig, get_peft_model

    prompt, completion = (40, 12) if tiny else (PROMPT, COMPLETION)
    base = _model(name, tiny, device)
    copy = _model(name, tiny, device).eval().requires_grad_(False)
    lora = LoraConfig(
        r=RANK, lora_alpha=ALPHA, lora_dropout=DROPOUT, target_modules=TARGETS, task_type="CAUSAL_LM"
    )
    policy = get_peft_model(base, lora).train()
    weights = [weight for weight in policy.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=5e-6, betas=(0.9, 0.99), weight_decay=0.1)
    generator = torch.Generator().manual_seed(0)
    made = [
        _step(policy, copy, optimizer, weights, generator, (prompt, completion), number)
        for number in range(steps)
    ]
    peak = torch.cuda.max_memory_allocated() / 2**30 if device == "cuda" else None
    if device == "cuda":
        del policy, copy, base, optimizer, weights
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    return {
        "steps": made,
        "peak_memory_gib": None if peak is None else round(peak, 2),
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "group": GROUP,
    }


def _step(
    policy: Any,
    copy: Any,
    optimizer: torch.optim.Optimizer,
    weights: list[Any],
    generator: torch.Generator,
    sizes: tuple[int, int],
    number: int,
) -> dict[str, float]:
    """One step: one prompt with its group, rewarded for its share of even tokens."""
    width, limit = sizes
    vocabulary = policy.config.vocab_size
    prompt = torch.randint(0, vocabulary, (width,), generator=generator).tolist()
    clock = _Clock(policy.device.type)
    merge_into(copy, policy)
    # Nothing ends: the longest completions there can be.
    seeds = [number * GROUP + place for place in range(GROUP)]
    (group,) = sample(copy, [prompt], [seeds], max_tokens=limit, temperature=TEMPERATURE, ends=frozenset())
    sampling = clock.lap()
    ids = torch.tensor([[*prompt, *one.tokens] for one in group], device=policy.device)
    mask = torch.ones_like(ids)
    rewards = torch.tensor([sum(token % 2 == 0 for token in one.tokens) / limit for one in group])
    advantages = ((rewards - rewards.mean()) / (rewards.std() + 1e-4)).to(policy.device)[:, None]
    with torch.autocast(policy.device.type, dtype=torch.bfloat16):
        with torch.no_grad(), policy.disable_adapter():
            reference, _ = group_logps(policy, ids, mask, limit, TEMPERATURE)
        logps, _ = group_logps(policy, ids, mask, limit, TEMPERATURE)
    ratio = (logps - logps.detach()).exp()
    divergence = (reference - logps).exp() - (reference - logps) - 1
    clipped = torch.min(ratio * advantages, ratio.clamp(1 - CLIP, 1 + CLIP) * advantages)
    loss = (KL * divergence - clipped).mean()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(weights, NORM)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return {
        "sampling_s": round(sampling, 2),
        "update_s": round(clock.lap(), 2),
        "tokens_a_second": round(GROUP * limit / sampling, 1),
        "kl": float(divergence.detach().mean()),
        "grad_norm": float(norm),
    }


class _Clock:
    def __init__(self, device: str) -> None:
        self._device = device
        self._at = self._now()

    def lap(self) -> float:
        """Seconds since the last lap."""
        now = self._now()
        passed, self._at = now - self._at, now
        return passed

    def _now(self) -> float:
        if self._device == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter()


if __name__ == "__main__":
    main()
