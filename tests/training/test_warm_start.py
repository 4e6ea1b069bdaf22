"""The supervised start: what it teaches is the form and the labels."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.training.made_rows import N1, N2, N3, N4, N5
from tests.training.tiny_policy import training

from holdcourse.recovery.answers import parse_answer
from holdcourse.recovery.envelope import read_strict
from holdcourse.training.base_model import BaseModel
from holdcourse.training.prompt_rows import PromptRow

pytest.importorskip("trl")

LABELLED = tuple(
    replace(row, label=label)
    for row, label in (
        (N1, {"step": 4, "is_aligned": "N", "why": "it likes a song"}),
        (N2, {"write_operations": "spotify.like_song", "read_operations": "spotify.search_songs"}),
        (N3, {"apps_name": "spotify | gmail"}),
        (N4, {"write_reversible": "spotify.like_song", "write_not_reversible": "gmail.send_email"}),
        (N5, {"action": "escalate_human", "arguments": {"report": "An e-mail was sent."}}),
    )
)


@pytest.mark.parametrize("row", LABELLED, ids=lambda row: row.id)
def test_a_right_completion_is_one_the_graph_acts_on(row: PromptRow) -> None:
    from holdcourse.training.warm_start import right_completion

    envelope = read_strict(right_completion(row))
    assert parse_answer(row.node, envelope.answer).node == row.node
    assert envelope.reasoning


def test_right_completions_become_likelier(tiny: BaseModel) -> None:
    import torch
    from peft import get_peft_model

    from holdcourse.training.grpo_settings import lora_settings
    from holdcourse.training.warm_start import _loss, warm_start

    config = training(warm_start={"kind": "sft", "steps": 6, "batch": 5, "learning_rate": 0.02})
    torch.manual_seed(0)
    policy = get_peft_model(tiny.load("float32"), lora_settings(config))
    tokenizer = tiny.tokenizer()

    def loss() -> float:
        policy.eval()
        with torch.no_grad():
            return float(sum(_loss(policy, tokenizer, row, config) for row in LABELLED))

    before = loss()
    warm_start(policy, tokenizer, LABELLED, config, 0)
    assert loss() < 0.9 * before
