"""Log-probabilities of a group's completions with their prompt computed once.

A group becomes one row: the prompt, then each completion, which sees the prompt and itself alone and counts
its positions from the prompt's end. With G completions a prompt of P tokens costs P instead of G * P; the
values are those of separate rows but for rounding, and so are their gradients.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True)
class GroupRow:
    """One prompt with its completions as a single row.

    Attributes:
        tokens: (1, n) input.
        positions: (1, n).
        visible: (1, 1, n, n), whether a place sees another.
        scored: places whose output predicts a token of a completion.
        targets: those tokens.
    """

    tokens: Tensor
    positions: Tensor
    visible: Tensor
    scored: Tensor
    targets: Tensor

    @classmethod
    def of(cls, prompt: list[int], completions: list[list[int]]) -> GroupRow:
        """Lay out a group; a completion begins with the prompt's last token again, to predict its first."""
        stem, last = prompt[:-1], prompt[-1]
        tokens, positions = list(stem), list(range(len(stem)))
        scored: list[int] = []
        targets: list[int] = []
        size = len(stem) + sum(map(len, completions))
        visible = torch.zeros(size, size, dtype=torch.bool)
        visible[: len(stem), : len(stem)] = torch.ones(len(stem), len(stem), dtype=torch.bool).tril()
        for completion in completions:
            start, end = len(tokens), len(tokens) + len(completion)
            visible[start:end, : len(stem)] = True
            visible[start:end, start:end] = torch.ones(end - start, end - start, dtype=torch.bool).tril()
            tokens += [last, *completion[:-1]]
            positions += range(len(stem), len(stem) + len(completion))
            scored += range(start, end)
            targets += completion
        return cls(
            torch.tensor([tokens]),
            torch.tensor([positions]),
            visible[None, None],
            torch.tensor(scored),
            torch.tensor(targets),
        )


def group_logps(
    model: Any, input_ids: Tensor, attention_mask: Tensor, completion_width: int, temperature: float
) -> tuple[Tensor, Tensor]:
    """Log-probabilities and entropies of completion tokens, (rows, completion_width); 0 where none is.

    Args:
        model: a causal model of transformers, maybe with adapters; takes 4-dimensional attention masks.
        input_ids: (rows, width): prompts padded on the left, then completions padded on the right.
        attention_mask: (rows, width), 0 for padding.
        completion_width: places that belong to completions.
        temperature: logits are divided by it.
    """
    device, width = input_ids.device, input_ids.shape[1] - completion_width
    present = attention_mask.bool()
    groups: dict[tuple[int, ...], list[int]] = {}
    for row in range(len(input_ids)):
        prompt = input_ids[row, :width][present[row, :width]]
        groups.setdefault(tuple(prompt.tolist()), []).append(row)
    logps: list[Tensor | None] = [None] * len(input_ids)
    entropies: list[Tensor | None] = [None] * len(input_ids)
    for prompt, unordered in groups.items():
        told = {row: input_ids[row, width:][present[row, width:]].tolist() for row in unordered}
        # TRL shuffles rows. In one order they meet the same rounding each time, so that the policy's and the
        # base model's values differ by the adapter alone.
        rows = sorted(unordered, key=told.__getitem__)
        completions = [told[row] for row in rows]
        laid = GroupRow.of(list(prompt), completions)
        logits = model(
            input_ids=laid.tokens.to(device),
            attention_mask=laid.visible.to(device),
            position_ids=laid.positions.to(device),
            logits_to_keep=laid.scored.to(device),
            use_cache=False,
        ).logits[0]
        every = torch.log_softmax(logits.float() / temperature, dim=-1)
        of_targets = every.gather(-1, laid.targets.to(device)[:, None])[:, 0]
        with torch.no_grad():
            of_entropy = -(every.exp() * every).sum(-1)
        lengths = [len(completion) for completion in completions]
        for row, part, entropy in zip(
            rows, of_targets.split(lengths), of_entropy.split(lengths), strict=True
        ):
            missing = completion_width - len(part)
            logps[row] = torch.nn.functional.pad(part, (0, missing))
            entropies[row] = torch.nn.functional.pad(entropy, (0, missing))
    return torch.stack([row for row in logps if row is not None]), torch.stack(
        [row for row in entropies if row is not None]
    )
