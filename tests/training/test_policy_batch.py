"""A policy in this process answers many requests at once, each as if alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdcourse.llm.chat import ChatMessage, ChatRequest, Sampling
from holdcourse.training.base_model import BaseModel

pytest.importorskip("torch")

from holdcourse.journal import Journal
from holdcourse.training.intrinsic import Policy
from holdcourse.training.policy_batch import PolicyBatch
from holdcourse.training.shared_prompt import sample


def request(
    told: str, temperature: float = 0.9, seed: int | None = 0, trial: int = 0, limit: int = 10
) -> ChatRequest:
    return ChatRequest(
        role="recovery",
        model="policy",
        messages=(ChatMessage("system", "Be brief."), ChatMessage("user", told)),
        sampling=Sampling(temperature=temperature, max_tokens=limit, seed=seed),
        trial=trial,
    )


@pytest.fixture(scope="module")
def policy(tiny: BaseModel) -> Policy:
    return Policy.load(tiny, None, "float32")


def test_together_as_alone(policy: Policy) -> None:
    requests = [request("one"), request("two and more", temperature=0.0), request("three", limit=4)]
    together = PolicyBatch(policy).complete_many(requests)
    alone = [reply for one in requests for reply in PolicyBatch(policy).complete_many([one])]
    assert [reply.content for reply in together] == [reply.content for reply in alone]
    assert together[2].usage.completion_tokens <= 4


def test_a_small_batch_answers_all(policy: Policy) -> None:
    requests = [request(f"number {number}") for number in range(5)]
    replies = PolicyBatch(policy, rows=2).complete_many(requests)
    assert len(replies) == 5
    assert all(reply.cost_usd == 0.0 and reply.usage.prompt_tokens > 0 for reply in replies)


def test_another_trial_is_another_draw(policy: Policy) -> None:
    first, second, again = PolicyBatch(policy).complete_many(
        [request("x"), request("x", trial=1), request("x")]
    )
    assert first.content == again.content
    assert first.content != second.content


def test_what_was_asked_before_is_not_asked_again(policy: Policy, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = PolicyBatch(policy)
    first = batch.complete_many([request("x"), request("x"), request("y", temperature=0.0)])
    assert first[0] == first[1]

    def never(*_: object, **__: object) -> None:
        raise AssertionError("sampled again")

    monkeypatch.setattr("holdcourse.training.policy_batch.sample", never)
    again = batch.complete_many([request("y", temperature=0.0, seed=5), request("x")])
    assert again == [first[2], first[0]]
    with pytest.raises(AssertionError, match="sampled again"):
        batch.complete_many([request("x", seed=1)])


def test_answers_outlive_a_kill(policy: Policy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    requests = [request(f"number {number}") for number in range(4)]
    whole = PolicyBatch(policy, rows=2).complete_many(requests)
    with Journal.open(tmp_path / "answers.jsonl", {}) as kept:
        PolicyBatch(policy, rows=2, kept=kept).complete_many(requests[:2])
    sampled = []
    monkeypatch.setattr(
        "holdcourse.training.policy_batch.sample",
        lambda *given, **more: sampled.append(given[1]) or sample(*given, **more),
    )
    with Journal.open(tmp_path / "answers.jsonl", {}) as kept:
        again = PolicyBatch(policy, rows=2, kept=kept).complete_many(requests)
    assert [reply.content for reply in again] == [reply.content for reply in whole]
    assert sum(map(len, sampled)) == 2


def test_prompts_that_begin_alike_are_answered_together(policy: Policy) -> None:
    long = "word " * 80
    told = ["alone", f"{long}one", "by itself", f"{long}and another", f"{long}x"]
    requests = [request(text, temperature=0.0) for text in told]
    together = PolicyBatch(policy, rows=2).complete_many(requests)
    alone = [reply for one in requests for reply in PolicyBatch(policy).complete_many([one])]
    assert [reply.content for reply in together] == [reply.content for reply in alone]


def test_a_reply_says_why_it_ended(policy: Policy) -> None:
    replies = PolicyBatch(policy).complete_many(
        [request("x", trial=number, limit=60) for number in range(40)]
    )
    assert {reply.stop_reason for reply in replies} == {"stop", "length"}


def test_nothing_asked_nothing_answered(policy: Policy, tmp_path: Path) -> None:
    assert PolicyBatch(policy).complete_many([]) == []
