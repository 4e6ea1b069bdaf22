"""Asking a role: what goes into the request and what comes back of its cost."""

from __future__ import annotations

from collections.abc import Callable

from holdcourse.evolution.asking import RoleUsage, ask_role, usage_record
from holdcourse.evolution.shapes import EditsReply
from holdcourse.llm.chat import Sampling
from holdcourse.llm.replies import Parsed, Unparsed

BLOCKS = {"schema": [], "graph": {}, "observation": {}}


def test_a_request_carries_the_roles_model_and_decoding(asking: Callable[..., tuple]) -> None:
    ask, model = asking({"planner": [{"edits": []}]}, seed=41)
    answer, _ = ask_role(ask, "planner", BLOCKS, EditsReply)
    assert isinstance(answer, Parsed)
    (request,) = model.requests
    assert (request.role, request.model, request.trial) == ("planner", "scripted/planner", 0)
    assert request.sampling == Sampling(temperature=0.3, max_tokens=None, seed=41, json_reply=True)
    assert [message.speaker for message in request.messages] == ["system", "user"]


def test_a_bad_reply_is_asked_again_by_another_request_and_paid_for(asking: Callable[..., tuple]) -> None:
    ask, model = asking({"planner": ["not JSON", {"edits": []}]}, attempts=2)
    answer, usage = ask_role(ask, "planner", BLOCKS, EditsReply)
    assert isinstance(answer, Parsed)
    assert usage == RoleUsage("planner", 2, 200, 20)
    first, second = model.requests
    assert first.digest != second.digest
    assert second.messages[: len(first.messages)] == first.messages


def test_asking_ends_with_the_reason(asking: Callable[..., tuple]) -> None:
    ask, _ = asking({"planner": ["", "{}", '{"edits": 1}']}, attempts=3)
    answer, usage = ask_role(ask, "planner", BLOCKS, EditsReply)
    assert isinstance(answer, Unparsed)
    assert "edits" in answer.reason
    assert usage.calls == 3


def test_usage_is_summed_by_role() -> None:
    usages = [RoleUsage("planner", 1, 10, 1), RoleUsage("analyst", 2, 5, 5), RoleUsage("planner", 1, 20, 2)]
    assert usage_record(usages) == {
        "analyst": {"calls": 2, "prompt_tokens": 5, "completion_tokens": 5},
        "planner": {"calls": 2, "prompt_tokens": 30, "completion_tokens": 3},
    }
