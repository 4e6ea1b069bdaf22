"""The simulated model is a function of the request: no memory, no name, no clock."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdcourse.simulated
from holdcourse.config.schema import CurveConfig, ReflectorRates, SimulatedConfig
from holdcourse.llm.chat import ChatMessage, ChatRequest, ModelError, Role
from holdcourse.simulated.provider import SimulatedProvider

from .conftest import SCHEMA, provider, role_request
from .talk import ABROAD, GREETING, NO_PICTURES, NO_SERVICE, conversation, policy, tools

RULES = (
    "If Data Saver is on, have the customer turn it off.",
    "Never have the customer switch Data Saver off.",
    "If a slow VPN is connected, have the customer disconnect it.",
    "Use toggle_roaming to permit Data Roaming once a customer is abroad.",
)
CURVE = CurveConfig(floor=0.3, ceiling=0.9, half_length=500.0, slope=1.0)
CONFIG = SimulatedConfig(
    curve=CURVE, reference_curve=CURVE, reflector=ReflectorRates(wrong=0.2, overgeneral=0.2)
)
FAILURE = {
    "intent": "mms_issue",
    "missing_actions": [{"action": "toggle_data"}, {"action": "disconnect_vpn"}],
}


def model() -> SimulatedProvider:
    return SimulatedProvider(CONFIG, CURVE)


def agent_request(rules: tuple[str, ...], opening: str, seed: int, trial: int) -> ChatRequest:
    turns = (ChatMessage("assistant", GREETING), ChatMessage("user", opening))
    return conversation("agent", policy("\n".join(rules)), turns, tools("get_customer_by_phone"), seed, trial)


def judging_request(role: Role, rules: tuple[str, ...], seed: int, trial: int) -> ChatRequest:
    nodes = [{"id": f"n{n}", "type": "norm", "text": t, "touched": True} for n, t in enumerate(rules)]
    graph = {"nodes": nodes, "edges": []}
    blocks = {
        "schema": SCHEMA,
        "instruction": "\n".join(rules),
        "failures": [FAILURE],
        "observation": {"lessons": [{"lesson": RULES[2]}]},
        "graph": graph,
        "subgraph": graph,
        "edited": nodes,
        "incident": [],
        "candidates": [],
        "changes": [],
    }
    return role_request(role, blocks, seed, trial)


JUDGING: tuple[Role, ...] = (
    "reflector",
    "extractor",
    "planner",
    "relations",
    "analyst",
    "reconstructor",
    "holistic",
    "guard",
    "auditor",
)
RULE_SETS = st.lists(st.sampled_from(RULES), max_size=4).map(tuple)
REQUESTS = st.one_of(
    st.builds(
        agent_request,
        RULE_SETS,
        st.sampled_from([ABROAD, NO_SERVICE, NO_PICTURES]),
        st.integers(0, 3),
        st.integers(0, 2),
    ),
    st.builds(judging_request, st.sampled_from(JUDGING), RULE_SETS, st.integers(0, 3), st.integers(0, 2)),
)


@given(REQUESTS, st.lists(REQUESTS, max_size=5))
def test_a_reply_does_not_depend_on_what_was_asked_before(
    request_: ChatRequest, between: list[ChatRequest]
) -> None:
    shared = model()
    first = shared.complete(request_)
    for other in between:
        shared.complete(other)
    assert shared.complete(request_) == first == model().complete(request_)


def test_trials_and_seeds_toss_new_coins() -> None:
    base = judging_request("auditor", RULES[:2], 0, 0)
    by_trial = {model().complete(replace(base, trial=n)).content for n in range(20)}
    by_seed = {
        model().complete(replace(base, sampling=replace(base.sampling, seed=n))).content for n in range(20)
    }
    assert len(by_trial) == len(by_seed) == 2


def test_what_is_recalled_at_the_opening_is_recalled_to_the_end() -> None:
    half = provider(0.5)
    for seed in range(30):
        request = agent_request(RULES[2:3], ABROAD, seed, 0)
        customer = half.complete(request)
        answer = ChatMessage("tool", '{"customer_id": "C1", "line_ids": []}', (), customer.tool_calls[0].id)
        called = ChatMessage("assistant", None, customer.tool_calls)
        longer = replace(request, messages=(*request.messages, called, answer))
        asked = half.complete(longer).content or ""
        again = replace(
            longer,
            messages=(
                *longer.messages,
                ChatMessage("assistant", "One moment please."),
                ChatMessage("user", "Sure, take your time. " * 50),
            ),
        )
        assert half.complete(again).content == asked


def test_call_ids_are_unique_in_a_conversation() -> None:
    request = agent_request(RULES, ABROAD, 0, 0)
    first = provider(1.0).complete(request).tool_calls[0].id
    longer = replace(
        request, messages=(*request.messages, ChatMessage("assistant", "Hm."), ChatMessage("user", "?"))
    )
    second = provider(1.0).complete(longer).tool_calls[0].id
    assert first != second
    assert first == provider(1.0).complete(request).tool_calls[0].id


def test_tokens_are_a_quarter_of_the_characters_rounded_up_and_cost_nothing() -> None:
    request = ChatRequest("guard", "m", (ChatMessage("user", "<instruction>\nBe kind.\n</instruction>"),))
    reply = provider(1.0).complete(request)
    assert reply.usage.prompt_tokens == -(-38 // 4)
    assert reply.usage.completion_tokens == -(-len(reply.content or "") // 4)
    assert (reply.cost_usd, reply.latency_s, reply.stop_reason, reply.attempts) == (0.0, 0.0, "stop", 1)


def test_the_tools_a_request_offers_are_counted_as_read() -> None:
    turns = (ChatMessage("assistant", GREETING), ChatMessage("user", ABROAD))
    bare = provider(1.0).complete(conversation("agent", policy("Be kind."), turns)).usage
    with_tools = (
        provider(1.0).complete(conversation("agent", policy("Be kind."), turns, tools("a", "b"))).usage
    )
    assert with_tools.prompt_tokens > bare.prompt_tokens


@pytest.mark.parametrize("role", JUDGING)
def test_replies_of_judging_roles_are_one_json_object(role: Role) -> None:
    assert isinstance(json.loads(model().complete(judging_request(role, RULES, 0, 0)).content or ""), dict)


@pytest.mark.parametrize("role", JUDGING)
def test_a_request_without_its_data_is_refused_by_name(role: Role) -> None:
    with pytest.raises(ModelError, match=f"role '{role}'"):
        model().complete(role_request(role, {"nothing": ""}))


def test_a_conversation_without_a_system_message_is_refused() -> None:
    with pytest.raises(ModelError, match="system message"):
        model().complete(ChatRequest("agent", "m", (ChatMessage("user", "Hello"),)))


def test_a_role_it_does_not_play_is_refused_with_those_it_does() -> None:
    unknown = ChatRequest("judge", "m", ())  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="no role 'judge'; it plays agent, user"):
        model().complete(unknown)


def test_no_arm_label_or_task_is_named_in_the_room() -> None:
    folder = Path(holdcourse.simulated.__file__).parent
    text = "\n".join(path.read_text(encoding="utf-8").lower() for path in sorted(folder.glob("*.py")))
    for name in ("grace", "hce", "no_sa", "airplane_mode_on", "unseat_sim_card", "data_mode_off", "bad_vpn"):
        assert name not in text
