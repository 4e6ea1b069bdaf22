"""The two replaced steps of training on CPUs, beside the stock way, in one process.

Sampling: `shared_prompt.sample` against transformers' `generate`. Log-probabilities with their gradients:
`group_logps` against one row a completion, as TRL computes them. Both sides have the same model, prompts and
numbers of tokens; rounds alternate in who goes first, so that noise of the machine falls on both. The
log-probabilities must agree. Nothing is written unless --output is given.

    python benchmarks/small_model_speed.py --groups 4 --rounds 3
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor
from transformers import PreTrainedModel

from holdcourse.config.compose import compose
from holdcourse.files import write_json
from holdcourse.training.base_model import base_model
from holdcourse.training.group_logps import group_logps
from holdcourse.training.shared_prompt import sample

TEMPERATURE = 0.9


def main() -> None:
    """Run both steps both ways and print tokens a second."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--groups", type=int, default=4, help="prompts at once (default: %(default)s)")
    parser.add_argument(
        "--group-size", type=int, default=4, help="completions of each (default: %(default)s)"
    )
    parser.add_argument("--prompt", type=int, default=350, help="tokens of a prompt (default: %(default)s)")
    parser.add_argument(
        "--completion", type=int, default=64, help="tokens of a completion (default: %(default)s)"
    )
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="torch threads (default: %(default)s)")
    parser.add_argument("--output", type=Path, help="write the figures there, as JSON")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    model = base_model(compose("offline").policy_model).load("bfloat16").eval()
    generator = torch.Generator().manual_seed(0)
    size = (given.groups, given.prompt)
    prompts = torch.randint(10, model.config.vocab_size, size, generator=generator)
    tokens = given.groups * given.group_size * given.completion

    ours, stock = alternating(
        lambda: sampled(model, prompts, given.group_size, given.completion),
        lambda: generated(model, prompts, given.group_size, given.completion),
        given.rounds,
    )
    figures = {"sampling": figures_of(ours, stock, tokens)}
    rows = prompts.repeat_interleave(given.group_size, dim=0)
    drawn = torch.randint(10, model.config.vocab_size, (len(rows), given.completion), generator=generator)
    ids = torch.cat([rows, drawn], dim=1)
    exact = model.float()
    with torch.no_grad():
        gap = grouped(exact, ids, given.completion) - separate(exact, ids, given.completion)
    difference = gap.abs().max().item()
    model = exact.bfloat16()
    ours, stock = alternating(
        lambda: grouped(model, ids, given.completion).sum().backward(),
        lambda: separate(model, ids, given.completion).sum().backward(),
        given.rounds,
    )
    figures["log-probabilities"] = figures_of(ours, stock, tokens)
    show(figures, difference, given)
    if given.output:
        write_json(given.output, {"figures": figures, "largest_difference": difference})


def sampled(model: PreTrainedModel, prompts: Tensor, group: int, width: int) -> None:
    """Sample by groups; no token ends a completion, so that all are equally long."""
    seeds = [[row * group + number for number in range(group)] for row in range(len(prompts))]
    found = sample(
        model, prompts.tolist(), seeds, max_tokens=width, temperature=TEMPERATURE, ends=frozenset()
    )
    assert all(len(one.tokens) == width for row in found for one in row)


def generated(model: PreTrainedModel, prompts: Tensor, group: int, width: int) -> None:
    """Sample with the stock generate, a row a completion."""
    rows = prompts.repeat_interleave(group, dim=0)
    with torch.inference_mode():
        whole = model.generate(
            rows,
            attention_mask=torch.ones_like(rows),
            do_sample=True,
            temperature=TEMPERATURE,
            top_k=0,
            top_p=1.0,
            min_new_tokens=width,
            max_new_tokens=width,
            pad_token_id=0,
        )
    assert whole.shape[1] == prompts.shape[1] + width


def grouped(model: PreTrainedModel, ids: Tensor, width: int) -> Tensor:
    """Log-probabilities with each group's prompt read once."""
    return group_logps(model, ids, torch.ones_like(ids), width, TEMPERATURE)[0]


def separate(model: PreTrainedModel, ids: Tensor, width: int) -> Tensor:
    """Log-probabilities with a row a completion, prompt and all."""
    logits = model(input_ids=ids, attention_mask=torch.ones_like(ids), logits_to_keep=width + 1).logits[
        :, :-1
    ]
    every = torch.log_softmax(logits.float() / TEMPERATURE, dim=-1)
    return every.gather(-1, ids[:, -width:, None])[..., 0]


def alternating(
    ours: Callable[[], object], stock: Callable[[], object], rounds: int
) -> tuple[list[float], list[float]]:
    """Seconds of each round of both sides, after one round of each that is not counted."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds + 1):
        sides = [(0, ours), (1, stock)]
        for side, work in sides if number % 2 else reversed(sides):
            started = time.perf_counter()
            work()
            if number:
                seconds[side].append(time.perf_counter() - started)
    return seconds


def figures_of(ours: list[float], stock: list[float], tokens: int) -> dict[str, float]:
    """Tokens of completions a second in the median round, and the ratio."""
    return {
        "ours": tokens / median(ours),
        "stock": tokens / median(stock),
        "ratio": median(stock) / median(ours),
    }


def show(figures: dict[str, dict[str, float]], difference: float, given: argparse.Namespace) -> None:
    """Print the figures."""
    table = Table(
        title=f"SmolLM2-135M, {given.groups} prompts of {given.prompt} tokens, {given.group_size} "
        f"completions of {given.completion} each, {given.threads} thread(s), median of {given.rounds}"
    )
    for column in ("step", "holdcourse, tokens/s", "stock, tokens/s", "times as fast"):
        table.add_column(column, justify="right")
    for name, row in figures.items():
        table.add_row(name, f"{row['ours']:.0f}", f"{row['stock']:.0f}", f"{row['ratio']:.1f}")
    Console().print(table)
    print(f"largest difference of a log-probability in float32: {difference:.1e}")


if __name__ == "__main__":
    main()
