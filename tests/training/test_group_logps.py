"""Log-probabilities with the prompt computed once equal those of separate rows, gradients too."""

from __future__ import annotations

import pytest

from holdcourse.training.base_model import BaseModel

pytest.importorskip("torch")

import torch

from holdcourse.training.group_logps import GroupRow, group_logps

T = 0.9
PROMPTS = [[5, 9, 200, 31], [7, 8]]
COMPLETIONS = [[[20, 21, 22], [30], [20, 21, 23, 24]], [[40, 41], [50, 51, 52, 53], [60]]]


def padded() -> tuple[torch.Tensor, torch.Tensor, int]:
    """Six rows as TRL lays them out, those of the two groups mixed."""
    rows = [(prompt, done) for prompt, group in zip(PROMPTS, COMPLETIONS, strict=True) for done in group]
    rows = [rows[place] for place in (3, 0, 5, 1, 4, 2)]
    left, right = max(len(p) for p, _ in rows), max(len(c) for _, c in rows)
    ids = torch.tensor([[0] * (left - len(p)) + p + c + [0] * (right - len(c)) for p, c in rows])
    mask = torch.tensor(
        [[0] * (left - len(p)) + [1] * (len(p) + len(c)) + [0] * (right - len(c)) for p, c in rows]
    )
    return ids, mask, right


def one_by_one(model: torch.nn.Module, ids: torch.Tensor, mask: torch.Tensor, right: int) -> torch.Tensor:
    rows = []
    for row, there in zip(ids, mask, strict=True):
        tokens, number = row[there.bool()], int(there[-right:].sum())
        every = torch.log_softmax(model(tokens[None]).logits[0] / T, dim=-1)
        kept = every[-number - 1 : -1].gather(-1, tokens[-number:, None])[:, 0]
        rows.append(torch.nn.functional.pad(kept, (0, right - number)))
    return torch.stack(rows)


def test_a_group_is_laid_out_as_one_row() -> None:
    """Prompt a b c with completions d e and f: a b | c d | c, at positions 0 1 | 2 3 | 2."""
    row = GroupRow.of([10, 11, 12], [[20, 21], [30]])
    assert row.tokens.tolist() == [[10, 11, 12, 20, 12]]
    assert row.positions.tolist() == [[0, 1, 2, 3, 2]]
    assert row.scored.tolist() == [2, 3, 4]
    assert row.targets.tolist() == [20, 21, 30]
    assert row.visible[0, 0].int().tolist() == [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [1, 1, 1, 0, 0],
        [1, 1, 1, 1, 0],
        [1, 1, 0, 0, 1],
    ]


def test_values_and_gradients_are_those_of_separate_rows(tiny: BaseModel) -> None:
    model = tiny.load("float32")
    ids, mask, right = padded()
    together, entropies = group_logps(model, ids, mask, right, T)
    apart = one_by_one(model, ids, mask, right)
    torch.testing.assert_close(together, apart, atol=1e-5, rtol=1e-5)
    assert (together[mask[:, -right:] == 0] == 0).all()
    assert (entropies >= 0).all()
    weight = model.model.layers[0].mlp.up_proj.weight
    (first,) = torch.autograd.grad((together**2).sum(), weight)
    (second,) = torch.autograd.grad((apart**2).sum(), weight)
    torch.testing.assert_close(first, second, atol=1e-4, rtol=1e-4)


def test_the_order_of_rows_changes_no_bit(tiny: BaseModel) -> None:
    model = tiny.load("float32")
    ids, mask, right = padded()
    order = torch.tensor([5, 2, 0, 4, 1, 3])
    straight, _ = group_logps(model, ids, mask, right, T)
    mixed, _ = group_logps(model, ids[order], mask[order], right, T)
    assert torch.equal(straight[order], mixed)
