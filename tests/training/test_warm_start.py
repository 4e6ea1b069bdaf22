"""The supervised start: what it teaches is the form and the labels."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.training.made_rows import N1, N2, N3, N4, N5
from tests.training.tiny_policy import training

from holdcourse.errors import HoldcourseError
from holdcourse.recovery.answers import parse_answer
from holdcourse.recovery.envelope import read_strict
from holdcourse.training.base_model import BaseModel
from holdcourse.training.prompt_rows import PromptRow

pytest.importorskip("trl")

SOME = {"kind": "sft", "steps": 6, "batch": 5, "learning_rate": 0.02}

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
    from holdcourse.training.warm_start import right_completions

    for text in right_completions(row):
        envelope = read_strict(text)
        assert parse_answer(row.node, envelope.answer).node == row.node
        assert envelope.reasoning


def test_a_report_that_is_too_long_loses_its_first_sentences() -> None:
    from holdcourse.training.warm_start import right_completions

    report = "Goal: pay the bill. Source: simple_note.show_note in step 3. Go on from step 2."
    label = {"action": "rollback_before_drift", "arguments": {"rollback_to_step": 2, "report": report}}
    told = [read_strict(text).answer["arguments"] for text in right_completions(replace(N5, label=label))]
    assert told == [
        {"rollback_to_step": 2, "report": report},
        {"rollback_to_step": 2, "report": "Source: simple_note.show_note in step 3. Go on from step 2."},
        {"rollback_to_step": 2, "report": "Go on from step 2."},
    ]


def test_an_answer_is_the_longest_that_a_completion_holds(tiny: BaseModel) -> None:
    """The tiny tokenizer has a token a byte."""
    from holdcourse.training.warm_start import _answer, right_completions

    report = "Goal: pay the bill. Go on from step 2."
    row = replace(N5, label={"action": "escalate_human", "arguments": {"report": report}})
    long, short = (len(text) + 1 for text in right_completions(row))
    tokenizer = tiny.tokenizer()
    assert [len(_answer(row, tokenizer, limit) or ()) for limit in (long, long - 1, short)] == [
        long,
        short,
        short,
    ]
    assert _answer(row, tokenizer, short - 1) is None


def test_no_answer_that_fits_is_an_error(tiny: BaseModel) -> None:
    from holdcourse.training.warm_start import warm_start

    config = training(max_completion_tokens=8, warm_start=SOME)
    with pytest.raises(HoldcourseError, match=r"no right answer fits into training.max_completion_tokens=8"):
        warm_start(None, tiny.tokenizer(), LABELLED, config, 0)


def test_right_completions_become_likelier(tiny: BaseModel) -> None:
    import torch
    from peft import get_peft_model

    from holdcourse.training.grpo_settings import lora_settings
    from holdcourse.training.prompt_length import prompt_tokens
    from holdcourse.training.warm_start import _answer, _loss, warm_start

    config = training(max_completion_tokens=256, warm_start=SOME)
    torch.manual_seed(0)
    policy = get_peft_model(tiny.load("float32"), lora_settings(config))
    tokenizer = tiny.tokenizer()

    def loss() -> float:
        policy.eval()
        with torch.no_grad():
            answers = [(row, _answer(row, tokenizer, 256) or []) for row in LABELLED]
            return float(
                sum(_loss(policy, prompt_tokens(row, tokenizer), answer, config) for row, answer in answers)
            )

    before = loss()
    warm_start(policy, tokenizer, LABELLED, config, 0)
    assert loss() < 0.9 * before
