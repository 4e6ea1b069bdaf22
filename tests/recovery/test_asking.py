"""A model at the nodes: asked again with the reason, a bounded number of times, many walks in one call."""

from __future__ import annotations

import threading

import pytest
from tests.recovery.made import (
    TableModel,
    asked_first,
    incident,
    question,
    reply,
    right_text,
    settings,
    walked,
)

from holdcourse.errors import HoldcourseError
from holdcourse.llm.chat import ChatReply, ChatRequest
from holdcourse.recovery.backbones import ModelBackbone, Threads, failures
from holdcourse.recovery.envelope import wrap


def backbone(model: TableModel) -> ModelBackbone:
    return ModelBackbone(model, "table/model", "table", seed=7)


@pytest.mark.parametrize("kinds", ["a", "r", "w", "aaar", "aarrw", "rrr", "aara"])
def test_a_model_that_is_right_walks_as_the_labels_do(kinds: str) -> None:
    (walk,) = backbone(TableModel({"one": kinds})).walks([incident(kinds, len(kinds))], settings())
    assert walk.route == walked(kinds, len(kinds), settings()).route
    assert all(visit.attempts == 1 and visit.reasoning == "looked" for visit in walk.visits)
    assert walk.visits[0].prompt_tokens == 100
    assert walk.visits[0].seconds == 0.5


def test_a_request_says_whom_it_is_for() -> None:
    model = TableModel({"one": "r"})
    backbone(model).walks([incident("r", 1)], settings())
    request = model.asked[0]
    assert (request.role, request.model, request.sampling.seed) == ("recovery", "table/model", 7)
    assert (request.sampling.temperature, request.sampling.max_tokens) == (0.0, 128)


def test_a_bad_reply_is_asked_again_with_what_was_wrong() -> None:
    def spoil(request: ChatRequest, right: str) -> str:
        return "Y" if asked_first(request) else right

    model = TableModel({"one": "r"}, spoil)
    (walk,) = backbone(model).walks([incident("r", 1)], settings())
    assert walk.decision.by == "n5"
    assert [visit.attempts for visit in walk.visits] == [2, 2, 2]
    again = model.asked[1].messages
    turn = ["user", "assistant"]
    assert [message.speaker for message in again] == ["system", *turn, *turn, "user"]
    assert again[-2].content == "Y"
    assert "cannot be used: expected ‹reasoning›" in (again[-1].content or "")
    assert walk.visits[0].refused[0].startswith("expected <reasoning>")
    assert walk.calls == 6


@pytest.mark.parametrize("attempts", [1, 2, 3])
def test_a_model_that_never_keeps_to_the_format_is_given_up_after_so_many_attempts(attempts: int) -> None:
    model = TableModel({"one": "r"}, lambda request, right: "no idea " * 500)
    (walk,) = backbone(model).walks([incident("r", 1)], settings(reply_attempts=attempts))
    assert len(model.asked) == attempts
    # The history of bad replies does not grow.
    assert max(len(request.messages) for request in model.asked) <= 6
    assert max(request.characters for request in model.asked) < 2500
    assert (walk.decision.action, walk.decision.by, walk.decision.failed_node) == (
        "escalate_human",
        "fail_safe",
        "n1",
    )
    assert walk.visits[0].answer is None


def test_failures_are_counted_by_node() -> None:
    def spoil(request: ChatRequest, right: str) -> str:
        return "broken" if "Name the applications" in (request.messages[0].content or "") else right

    walks = backbone(TableModel({"w": "w"}, spoil)).walks(
        [incident("w", 1, "x"), incident("w", 1, "y")], settings()
    )
    assert failures(walks) == {"n3": 2}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"stop_reason": "length"}, "cut off"),
        ({"stop_reason": "refusal"}, "refusal"),
        ({"content": None}, "expected"),
    ],
)
def test_a_reply_that_is_none_is_a_bad_reply(changes: dict[str, object], reason: str) -> None:
    class Model:
        def complete(self, request: ChatRequest) -> ChatReply:
            return reply(right_text(request, "r"), **changes)

    (walk,) = ModelBackbone(Threads(Model()), "m", "m").walks([incident("r", 1)], settings())
    assert reason in (walk.decision.reason or "")


def test_a_verdict_on_another_step_is_not_taken() -> None:
    def spoil(request: ChatRequest, right: str) -> str:
        return right.replace('"step": 2', '"step": 1')

    (walk,) = backbone(TableModel({"one": "ar"}, spoil)).walks([incident("ar", 2)], settings())
    assert walk.decision.failed_node == "n1"
    assert '"step" is 1, but step 2 was asked about' in walk.visits[0].refused


def test_a_rollback_beyond_the_end_is_not_taken() -> None:
    def spoil(request: ChatRequest, right: str) -> str:
        return right.replace('"rollback_to_step": 1', '"rollback_to_step": 99')

    (walk,) = backbone(TableModel({"one": "ar"}, spoil)).walks([incident("ar", 2)], settings())
    assert walk.decision.failed_node == "n5"
    assert "the last step is 2" in walk.visits[-1].refused[0]


@pytest.mark.parametrize("target", [0, 2])
def test_a_wrong_target_within_the_trajectory_is_the_models_own_decision(target: int) -> None:
    def spoil(request: ChatRequest, right: str) -> str:
        return right.replace('"rollback_to_step": 1', f'"rollback_to_step": {target}')

    (walk,) = backbone(TableModel({"one": "ar"}, spoil)).walks([incident("ar", 2)], settings())
    assert (walk.decision.by, walk.decision.rollback_to_step) == ("n5", target)


def test_walks_advance_together_so_that_each_call_is_full() -> None:
    model = TableModel({"any": "aaar"})
    incidents = [incident("aaar", 4, f"walk{number}") for number in range(16)]
    walks = backbone(model).walks(incidents, settings())
    assert model.batches == [16, 16, 16, 16, 16]
    assert [walk.incident_id for walk in walks] == [one.id for one in incidents]


def test_repeated_questions_share_calls_with_first_ones() -> None:
    def spoil(request: ChatRequest, right: str) -> str:
        first = asked_first(request) and "onset 3" in question(request)
        return "broken" if first else right

    # The walk from step 3 is asked n1 twice a step; meanwhile the one from step 4 goes on.
    model = TableModel({"any": "aara"}, spoil)
    walks = backbone(model).walks([incident("aara", 3, "x"), incident("aara", 4, "y")], settings())
    assert walks[0].route == "n1@3 n2@3 n1@2 n1@1 n5"
    assert walks[1].route == "n1@4 n1@3 n2@3 n1@2 n1@1 n5"
    assert model.batches == [2, 2, 2, 2, 2, 2, 1, 1]


def test_many_walks_are_the_same_as_each_alone() -> None:
    incidents = [incident("aarar", onset, f"walk{onset}") for onset in range(1, 6)]
    together = backbone(TableModel({"any": "aarar"})).walks(incidents, settings())
    alone = [backbone(TableModel({"any": "aarar"})).walks([one], settings())[0] for one in incidents]
    assert list(together) == alone


def test_two_incidents_of_one_name_are_refused() -> None:
    with pytest.raises(HoldcourseError, match="incident 'one' is given twice"):
        backbone(TableModel({"one": "a"})).walks([incident("a", 1), incident("a", 1)], settings())


def test_a_batch_model_that_loses_a_reply_is_found_out() -> None:
    class Short(TableModel):
        def complete_many(self, requests: object) -> list[ChatReply]:
            return []

    with pytest.raises(ValueError, match="1 requests were answered by 0 replies"):
        ModelBackbone(Short({"one": "a"}), "m", "m").walks([incident("a", 1)], settings())


def test_threads_keep_the_order_and_ask_at_once() -> None:
    waiting = threading.Barrier(3, timeout=10)

    class Slow:
        def complete(self, request: ChatRequest) -> ChatReply:
            waiting.wait()
            return reply(request.model)

    requests = [ChatRequest("recovery", name, ()) for name in "abc"]
    assert [one.content for one in Threads(Slow(), 3).complete_many(requests)] == ["a", "b", "c"]
    assert wrap("x", {})
